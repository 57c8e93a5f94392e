#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes OpenCL sources as C strings: embed.py OUTPUT.h SOURCE.cl..."""
import os
import sys

with open(sys.argv[1], "w", encoding="ascii") as header:
    header.write("/* Made by embed.py. */\n")
    for path in sys.argv[2:]:
        name = os.path.basename(path).replace(".", "_")
        header.write(f"static const char kernels_{name}[] =\n")
        with open(path, encoding="ascii") as source:
            for line in source:
                text = line.rstrip("\n").replace("\\", "\\\\").replace('"', '\\"')
                header.write(f'\t"{text}\\n"\n')
        header.write("\t;\n")
