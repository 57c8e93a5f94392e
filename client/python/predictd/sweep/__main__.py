# SPDX-License-Identifier: Apache-2.0
"""`predictctl sweep`: the command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Optional

from .. import errors
from ..client import Connection, connect
from ..command import ARGUMENT, Line, Parser, Usage, complain, joined, want_seconds, words
from ..values import MODELS
from . import POINTS_MAX, Point, device_line, is_left, read, sweep
from .showing import CsvRows, as_json, plot, table


def _arguments(arguments: Optional[list[str]]) -> argparse.Namespace:
    parser = Parser(
        "sweep",
        description="One question over sizes, work-group shapes, macros, devices and models.",
        epilog="Sizes, arguments and derived macros are expressions over the names of --over and -D: "
        "--over n=256..8192:x2 --global n,n --arg buffer:4*n*n:r. 64K stands for 65536.",
    )
    add = parser.add_argument
    add("file", metavar="FILE.cl[:KERNEL]", help="the kernel")
    add("--over", "-o", action="append", default=[], metavar="NAME=VALUES", help="A..B:xK, A..B:+K, or values with commas between")
    add("--global", "-g", dest="global_size", required=True, metavar="N[,N[,N]]", help="the NDRange")
    add("--local", "-l", default="", metavar="N[,N[,N]]", help="the work-group; without, the runtime chooses")
    add("--arg", "-a", action="append", default=[], metavar="WORD", help=ARGUMENT)
    add("--hint", action="append", default=[], metavar="HINT", help="loop:LINE=TRIPS or branch:LINE=SHARE")
    add("-D", dest="macros", action="append", default=[], metavar="NAME=VALUES", help="a macro, swept as --over; NAME:=EXPRESSION follows from names")
    add("--where", action="append", default=[], metavar="CONDITION", help="leave out points for which it is false")
    add("--options", default="", help="of the compiler")
    add("--device", "-d", action="append", default=[], help="a key, an index, part of a name, or all; may be repeated")
    add("--model", "-m", action="append", choices=list(MODELS), help="may be repeated")
    add("--static", action="store_true", help="without what was observed")
    add("--measure", action="store_true", help="run each point, and put what it took beside")
    add("--timeout", type=float, default=30, metavar="SECONDS", help="for building and running one point (30)")
    add("--plot", action="store_true", help="draw times over the first name, too")
    add("--csv", type=Path, metavar="FILE", help="write every point as CSV; - is standard output")
    add("--json", action="store_true", help="print JSON")
    add("--socket", help="of the daemon")
    return parser.parse_args(joined(arguments))


def main(arguments: Optional[list[str]] = None) -> int:
    options = _arguments(arguments)
    line = Line()
    rows: Optional[CsvRows] = None

    def opened() -> Connection:
        return connect(options.socket)

    def settled(point: Point) -> None:
        if rows is not None:
            line.end()
            rows.add([point])

    try:
        if options.json and str(options.csv) == "-":
            raise Usage("--json and --csv - both print: want one of them, or a file")
        want_seconds("--timeout", options.timeout)
        with words():
            problem = read(
                options.file, options.over, options.global_size, options.local, options.arg, options.macros,
                options.options, options.where, options.hint,
            )  # fmt: skip
        rows = CsvRows(problem, str(options.csv)) if options.csv is not None else None
        points = sweep(
            problem, opened, options.device, options.model or ["default"], options.measure, options.static,
            options.timeout, told=lambda what, done, of: line.told(f"{what} {done} of {of}"), settled=settled,
        )  # fmt: skip
        line.end()
        with opened() as daemon:
            asked = device_line(daemon) if not options.device else ""
        if not points:
            raise errors.Invalid("no point is left by --where")
        if all(one.why for one in points) and len({one.why for one in points}) == 1:
            raise errors.Unsupported(points[0].why)
        if rows is not None and rows.count < len(points):
            rows.add(points[rows.count :])
    except errors.Error as error:
        line.end()
        return complain("sweep", error)
    if options.json:
        print(as_json(problem, points), end="")
    elif str(options.csv) != "-":
        print(asked + table(problem, points), end="")
        drawn = plot(problem, points) if options.plot else None
        print(f"\n{drawn}" if drawn else "", end="")
    if options.measure and any(map(is_left, points)):
        print("predictctl: sweep: interrupted: not every point was measured", file=sys.stderr)
        return 130
    return 0 if any(one.prediction is not None for one in points) else 1


if __name__ == "__main__":
    sys.exit(main())
