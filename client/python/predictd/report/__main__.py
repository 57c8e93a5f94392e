# SPDX-License-Identifier: Apache-2.0
"""`predictctl report`: the command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Optional

from .. import errors
from ..client import Connection, connect
from ..command import ARGUMENT, Parser, Usage, complain, joined, refuse, words
from ..files import write_whole
from ..sweep import read
from . import page, read_cases, run_page


def _arguments(arguments: Optional[list[str]]) -> argparse.Namespace:
    parser = Parser(
        "report",
        description="One self-contained page of HTML about a kernel: rooflines, where the time goes, over sizes and devices.",
        epilog="The kernel and its sizes are those of `predictctl sweep`, whose page says more of them.",
    )
    add = parser.add_argument
    add("file", metavar="FILE.cl[:KERNEL]", nargs="?", help="the kernel")
    add("--cases", type=Path, metavar="CASES.json", help="the kernels of a cases file instead")
    add("--run", type=Path, metavar="RUN.json", help="what `predictctl run --json RUN.json` wrote instead; asks nobody")
    add("--over", "-o", action="append", default=[], metavar="NAME=VALUES", help="A..B:xK, A..B:+K, or values with commas between")
    add("--global", "-g", dest="global_size", default="", metavar="N[,N[,N]]", help="the NDRange")
    add("--local", "-l", default="", metavar="N[,N[,N]]", help="the work-group; without, the runtime chooses")
    add("--arg", "-a", action="append", default=[], metavar="WORD", help=ARGUMENT)
    add("--hint", action="append", default=[], metavar="HINT", help="loop:LINE=TRIPS or branch:LINE=SHARE")
    add("-D", dest="macros", action="append", default=[], metavar="NAME=VALUES", help="a macro, swept as --over; NAME:=EXPRESSION follows")
    add("--where", action="append", default=[], metavar="CONDITION", help="leave out points for which it is false")
    add("--options", default="", help="of the compiler")
    add("--device", "-d", action="append", default=[], help="a key, an index, part of a name, or all; may be repeated")
    add("--static", action="store_true", help="without what was observed")
    add("--measure", action="store_true", help="run each point, and put what it took beside")
    add("--title", default="", help="of the page")
    add("--output", "-O", type=Path, metavar="FILE.html", help="instead of standard output")
    add("--socket", help="of the daemon")
    return parser.parse_args(joined(arguments))


def main(arguments: Optional[list[str]] = None) -> int:
    options = _arguments(arguments)

    def opened() -> Connection:
        return connect(options.socket)

    ends: list[int] = []
    try:
        if sum(one is not None for one in (options.file, options.cases, options.run)) != 1:
            raise Usage("want FILE.cl, --cases CASES.json or --run RUN.json")
        launches = ("over", "global_size", "local", "arg", "hint", "macros", "where", "options")
        if options.cases is not None:
            refuse(options, launches)
        elif options.run is not None:
            refuse(options, launches + ("device", "static", "measure"), "what ran is told as it was")
        groups = []
        if options.cases is not None:
            groups = read_cases(options.cases)
        elif options.file is not None:
            with words():
                question = read(
                    options.file, options.over, options.global_size, options.local, options.arg, options.macros,
                    options.options, options.where, options.hint,
                )  # fmt: skip
            groups = [[question]]
        if options.run is not None:
            made = run_page(options.run, options.title)
        else:
            made = page(groups, opened, options.device, options.measure, options.static, options.title, lambda: ends.append(130))
        if options.output is None:
            sys.stdout.buffer.write(made.encode())
        else:
            write_whole(options.output, made)
    except errors.Error as error:
        return complain("report", error)
    if ends:
        print("predictctl: report: interrupted: not every point was measured", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
