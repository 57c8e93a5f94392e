#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Rooms of each part: includes and calls go to the rooms that tests/lint/rooms.txt allows.

    tests/lint/rooms.py                  includes alone
    tests/lint/rooms.py --build DIR      calls too: what each object of that build leaves undefined
    tests/lint/rooms.py --build DIR --report   files, lines, and circles of files, a room a line

A room may use rooms above it in the table, so that rooms allowed are without circles.
"""

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class TableError(Exception):
    """A table that says nothing sensible."""


class Room:
    """A room of a part: its files by patterns, and the names of rooms that it may use."""

    def __init__(self, part, name, patterns, uses):
        self.part, self.name, self.patterns, self.uses = part, name, patterns, uses
        self.files = []

    def has(self, path):
        for pattern in self.patterns:
            if pattern.endswith("/"):
                if path.startswith(pattern):
                    return True
            elif fnmatch.fnmatchcase(path, pattern) and path.count("/") == pattern.count("/"):
                return True
        return False


def load(path):
    """The rooms of a table, part by part in its order; TableError where a line is wrong."""
    rooms, part = [], None
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            line = line.split("#")[0].strip()
            where = f"{os.path.basename(path)}:{number}"
            if not line:
                continue
            if line.startswith("[") and line.endswith("]"):
                part = line[1:-1]
                continue
            fields = [field.split() for field in line.split("|")]
            if part is None or len(fields) != 3 or len(fields[0]) != 1 or not fields[1]:
                raise TableError(f"{where}: want ROOM | FILES | ROOMS below a [part], got {line!r}")
            above = {room.name for room in rooms if room.part == part}
            if fields[0][0] in above:
                raise TableError(f"{where}: {part} has two rooms {fields[0][0]}")
            for used in fields[2]:
                if used not in above:
                    raise TableError(f"{where}: {used} does not stand above {fields[0][0]}")
            rooms.append(Room(part, fields[0][0], fields[1], set(fields[2])))
    return rooms


def list_sources(root, rooms):
    """Sources of the parts that the table has."""
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for part in {room.part for room in rooms}
                  for folder, _, names in os.walk(os.path.join(root, part))
                  for name in names if name.endswith((".c", ".h", ".S")))


def assign(rooms, files):
    """Room of each file; complaints of files in none or in two."""
    room_of, complaints = {}, []
    for path in files:
        found = [room for room in rooms if room.has(path)]
        if len(found) != 1:
            names = " and ".join(room.name for room in found) or "none"
            complaints.append(f"{path}: want one room in tests/lint/rooms.txt, got {names}")
            continue
        room_of[path] = found[0]
        found[0].files.append(path)
    return room_of, complaints


def may_use(room, other):
    return room.part != other.part or room is other or other.name in room.uses


def check_includes(room_of, read):
    complaints = []
    for path, room in room_of.items():
        if room.name == "shared":
            continue
        for include in INCLUDE.findall(read(path)):
            other = room_of.get(include)
            if other and other.name != "shared" and not may_use(room, other):
                complaints.append(f'{path}: {room.name} may not include "{include}" of {other.name}')
    return complaints


def list_objects(root, build, room_of):
    """Object of each source in a room, by the build's compile_commands.json."""
    objects = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
        for command in json.load(commands):
            source = os.path.relpath(os.path.join(command["directory"], command["file"]), root)
            output = os.path.join(command["directory"], command["output"])
            if source in room_of and source not in objects and os.path.exists(output):
                objects[source] = output
    return objects


def read_symbols(objects):
    """Symbols that each source defines, and leaves undefined."""
    defines, wants = {}, defaultdict(set)
    source_of = {output: source for source, output in objects.items()}
    listing = subprocess.run(["nm", "-A", *source_of], capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        output, _, rest = line.partition(":")
        kind, name = rest.split()[-2:]
        source = source_of[output]
        if kind == "U":
            wants[source].add(name)
        elif kind.isupper() and name != "main":
            defines.setdefault(name, source)
    return defines, wants


def calls_of(defines, wants):
    """(caller, callee, symbol) of each reference from one source to another."""
    return sorted((source, defines[name], name) for source, names in wants.items()
                  for name in names if name in defines and defines[name] != source)


def check_calls(room_of, calls):
    return [f"{caller}: {room_of[caller].name} may not call {name} of {callee} ({room_of[callee].name})"
            for caller, callee, name in calls if not may_use(room_of[caller], room_of[callee])]


def circles(edges):
    """Sets of two and more nodes that reach each other (Tarjan, SIAM J. Comput. 1(2), 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(stack[at:])
            del stack[at:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def report(rooms, room_of, calls, read):
    edges = defaultdict(set)
    used = defaultdict(set)
    for caller, callee, _ in calls:
        edges[caller].add(callee)
        if room_of[caller] is not room_of[callee]:
            used[room_of[caller]].add(room_of[callee].name)
    for room in rooms:
        lines = sum(read(path).count("\n") for path in room.files)
        inside = {path: {to for to in edges[path] if room_of[to] is room} for path in room.files}
        sizes = sorted((len(circle) for circle in circles(inside)), reverse=True)
        print(f"{room.part + '/' + room.name:<20} {len(room.files):3} files {lines:6} lines, "
              f"circles of files {sizes or 'none'}, calls {' '.join(sorted(used[room])) or 'none'}")
    for part in dict.fromkeys(room.part for room in rooms):
        own = {path: {to for to in edges[path] if room_of[to].part == part}
               for path in room_of if room_of[path].part == part}
        sizes = sorted((len(circle) for circle in circles(own)), reverse=True)
        print(f"{part}: circles of files by calls: {sizes or 'none'}")


def main(given=None):
    parser = argparse.ArgumentParser(description="Rooms: includes and calls go the allowed way.")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(HERE)))
    parser.add_argument("--table", default=os.path.join(HERE, "rooms.txt"))
    parser.add_argument("--build", help="a folder of objects; without it includes are checked alone")
    parser.add_argument("--report", action="store_true", help="say what each room has")
    arguments = parser.parse_args(given)
    root = os.path.realpath(arguments.root)

    def read(path):
        with open(os.path.join(root, path), encoding="utf-8") as source:
            return source.read()

    try:
        rooms = load(arguments.table)
    except TableError as error:
        print(f"rooms: {error}", file=sys.stderr)
        return 1
    room_of, complaints = assign(rooms, list_sources(root, rooms))
    complaints += check_includes(room_of, read)
    calls = []
    if arguments.build:
        objects = list_objects(root, arguments.build, room_of)
        if objects:
            calls = calls_of(*read_symbols(objects))
        if not calls:
            complaints.append(f"{arguments.build}: want objects that call each other, found none")
        complaints += check_calls(room_of, calls)
    for complaint in complaints:
        print(f"rooms: {complaint}", file=sys.stderr)
    if arguments.report:
        report(rooms, room_of, calls, read)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
