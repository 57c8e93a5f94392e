#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes OpenCL sources as C strings: embed.py OUTPUT.h SOURCE.cl..."""
import os
import sys

with open(sys.argv[1], "w", encoding="ascii") as header:
    header.write("/* Made by embed.py. */\n")
    for path in sys.argv[2:]:
        name = os.path.basename(path).replace(".", "_")
        # no string literal: ISO C promises no more than 4095 characters of one
        with open(path, "rb") as source:
            # numbers: a string literal may be no longer than 4095 bytes in ISO C
            numbers = ",".join(str(byte) for byte in source.read())
        header.write(f"static const char kernels_{name}[] = {{{numbers},0}};\n")
