#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py OUTPUT FILE...: the files' texts as the C of migrations.h, byte by byte."""

import os
import sys


def main(output, files):
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include "daemon/share/migrations.h"\n')
        for number, path in enumerate(files):
            with open(path, "rb") as text:
                numbers = ",".join(str(byte) for byte in text.read() + b"\0")
            out.write(f"static const char sql_{number}[] = {{{numbers}}};\n")
        out.write("const struct migration migrations[] = {\n")
        for number, path in enumerate(files):
            out.write(f'{{"{os.path.basename(path)}", sql_{number}}},\n')
        out.write(f"}};\nconst size_t migration_count = {len(files)};\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
