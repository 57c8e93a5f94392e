# SPDX-License-Identifier: Apache-2.0
"""`predictctl advise`: the command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Optional

from .. import errors
from ..client import connect
from ..command import ARGUMENT, Parser, Usage, complain, joined, refuse, words
from ..sweep import device_line
from . import Advice, advise, read, read_cases
from .showing import as_json, as_sarif, as_text


def _arguments(arguments: Optional[list[str]]) -> argparse.Namespace:
    parser = Parser(
        "advise",
        description="What would make a launch faster: changes whose gain the model predicts, none of less than 3 %.",
        epilog="Sizes and arguments are those of `predictctl predict`. docs/advice.md says how each change is computed.",
    )
    add = parser.add_argument
    add("file", metavar="FILE.cl[:KERNEL]", nargs="?", help="the kernel")
    add("--cases", type=Path, metavar="CASES.json", help="the launches of a cases file instead")
    add("--global", "-g", dest="global_size", default="", metavar="N[,N[,N]]", help="the NDRange")
    add("--local", "-l", default="", metavar="N[,N[,N]]", help="the work-group; without, the runtime chooses")
    add("--arg", "-a", action="append", default=[], metavar="WORD", help=ARGUMENT.replace("..HIGH]", "..HIGH][:INIT]"))
    add("--hint", action="append", default=[], metavar="HINT", help="loop:LINE=TRIPS or branch:LINE=SHARE")
    add("--sample", action="store_true", help="predictions may look at samples of what INIT makes of buffers")
    add("--options", default="", help="of the compiler")
    add("--device", "-d", default="", help="a key, an index, or part of a name")
    add("--transfers", action="store_true", help="also about copies, where buffers are copied for this launch alone")
    add("--launches", type=int, default=1, metavar="N", help="so many such launches follow each other (1)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print JSON, for editors")
    how.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0, for code hosts")
    add("--socket", help="of the daemon")
    return parser.parse_args(joined(arguments))


def main(arguments: Optional[list[str]] = None) -> int:
    options = _arguments(arguments)
    made: list[Advice] = []
    try:
        if (options.file is None) == (options.cases is None):
            raise Usage("want FILE.cl or --cases CASES.json")
        if not 1 <= options.launches <= 1_000_000:
            raise Usage(f"--launches: want 1 to 1000000, have {options.launches}")
        if options.cases is not None:
            refuse(options, ("global_size", "local", "arg", "hint", "options"))
            cases = read_cases(options.cases, options.sample)
        else:
            with words():
                cases = [
                    read(
                        options.file, options.global_size, options.local, options.arg, options.hint, options.options,
                        is_sampled=options.sample,
                    )
                ]  # fmt: skip
        with connect(options.socket) as daemon:
            for case in cases:
                try:
                    made += advise(daemon, case, options.device, options.transfers, options.launches)
                except errors.Error as error:
                    if not case.name:
                        raise
                    raise type(error)(f"{case.name}: {error}") from error
            told = device_line(daemon) if not options.device else ""
    except errors.Error as error:
        return complain("advise", error)
    made.sort(key=lambda one: -one.gain)
    if options.json:
        print(as_json(made), end="")
    elif options.sarif:
        print(as_sarif(made), end="")
    else:
        print(told, end="")
        print(as_text(made) or "no change of which the model predicts 3 % or more\n", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
