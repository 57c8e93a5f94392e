#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tests/lint/rooms.py finds in a small part of two rooms, each fault on its own."""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest

import rooms

TABLE = """
[part]
low  | part/low/  |
high | part/high/ | low
shared | part/part.h |
"""


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.write("table", TABLE)
        self.write("part/part.h", '#include "part/high/high.h"\n')
        self.write("part/low/low.h", "int low(void);\n")
        self.write("part/high/high.h", "int high(void);\n")
        self.write("part/low/low.c", '#include "part/low/low.h"\nint low(void) { return 1; }\n')
        self.write("part/high/high.c",
                   '#include "part/low/low.h"\n#include "part/part.h"\nint high(void) { return low(); }\n')

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)

    def compile(self):
        commands = []
        for source in rooms.list_sources(self.root, rooms.load(os.path.join(self.root, "table"))):
            if source.endswith(".c"):
                output = source.replace("/", "_") + ".o"
                subprocess.run(["cc", "-I.", "-c", "-o", output, source], cwd=self.root, check=True)
                commands.append({"directory": self.root, "file": source, "output": output})
        self.write("compile_commands.json", json.dumps(commands))

    def lint(self, *options):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = rooms.main(["--root", self.root, "--table", os.path.join(self.root, "table"), *options])
        return status, said.getvalue().splitlines()

    def test_calls_down_are_allowed(self):
        self.compile()
        self.assertEqual(self.lint("--build", self.root), (0, []))

    def test_include_upwards_is_found(self):
        self.write("part/low/low.c", '#include "part/high/high.h"\nint low(void) { return 1; }\n')
        self.assertEqual(self.lint(), (1, [
            'rooms: part/low/low.c: low may not include "part/high/high.h" of high']))

    def test_call_upwards_is_found_behind_the_shared_header(self):
        self.write("part/low/low.c", '#include "part/part.h"\nint low(void) { return high(); }\n')
        self.assertEqual(self.lint(), (0, []))
        self.compile()
        self.assertEqual(self.lint("--build", self.root), (1, [
            "rooms: part/low/low.c: low may not call high of part/high/high.c (high)"]))

    def test_file_in_no_room_is_found(self):
        self.write("part/lost.c", "int lost;\n")
        self.assertEqual(self.lint(), (1, [
            "rooms: part/lost.c: want one room in tests/lint/rooms.txt, got none"]))

    def test_table_allows_no_circle(self):
        self.write("table", TABLE.replace("part/low/  |", "part/low/  | high"))
        self.assertEqual(self.lint(), (1, ["rooms: table:3: high does not stand above low"]))

    def test_build_without_calls_is_no_proof(self):
        self.write("compile_commands.json", "[]")
        self.assertEqual(self.lint("--build", self.root)[0], 1)

    def test_circles_are_sets_that_reach_each_other(self):
        self.assertEqual(rooms.circles({"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"d"}}),
                         [["a", "b", "c"]])


if __name__ == "__main__":
    unittest.main()
