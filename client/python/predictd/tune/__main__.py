# SPDX-License-Identifier: Apache-2.0
"""`predictctl tune`: the command."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any, Optional

from .. import errors
from ..client import Connection, connect
from ..command import Line, Parser, Usage, complain, time_text, want_seconds
from ..files import write_whole
from . import STRATEGIES, Configuration, Expected, Measured, Problem, Progress, Tuned, load, tune
from .results import t4, table


def _arguments(arguments: Optional[list[str]]) -> argparse.Namespace:
    parser = Parser("tune", "Finds the fastest variant of a kernel: all are predicted, those that promise most are measured.")
    add = parser.add_argument
    add("space", metavar="SPACE.json", type=Path, help="Kernel Tuner's format (T1), or the short form of docs/tuning.md")
    add("--device", "-d", default="", help="a key, an index or part of a name")
    add("--socket", help="of the daemon")
    add("--predict-only", action="store_true", help="measure nothing")
    add("--strategy", choices=STRATEGIES, default=STRATEGIES[0], help="others are to compare with")
    add("--runs", type=int, default=0, metavar="N", help="configurations that are measured at most")
    add("--time", type=float, default=0, metavar="SECONDS", help="that measuring takes at most")
    add("--gain", type=float, default=0, metavar="SHARE", help="a gain that counts (0.02)")
    add("--chance", type=float, default=0, metavar="SHARE", help="end when a gain is less likely than this (0.1)")
    add("--timeout", type=float, default=30, metavar="SECONDS", help="for building and running one configuration (30)")
    add("--seed", type=int, default=0, metavar="N", help="of random strategies")
    add("--log", type=Path, metavar="FILE", help="write each measured configuration at once; resume from it")
    add("--allow-commands", action="store_true", help="let a reference run its command")
    add("--t4", type=Path, metavar="FILE", help="write what was measured as Kernel Tuner does (T4)")
    add("--csv", type=Path, metavar="FILE", help="write every configuration as CSV")
    add("--json", action="store_true", help="print JSON")
    return parser.parse_args(arguments)


def _told(line: Line, what: str, done: int, of: int, progress: Optional[Progress]) -> None:
    text = f"{what} {done} of {of}"
    if progress is not None and progress.best is not None:
        text += f"; best {time_text(progress.best_s)}"
        if not math.isnan(progress.gain_chance):
            text += f"; {100 * progress.gain_expected:.1f} % may be gained, with a chance of {100 * progress.gain_chance:.0f} %"
    line.told(text)


def _rows(tuned: Tuned) -> list[tuple[Configuration, Optional[Expected], Optional[Measured]]]:
    return [(one, told, tuned.measured.get(one)) for one, told in zip(tuned.configurations, tuned.expected)]


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def _report(problem: Problem, tuned: Tuned) -> Any:
    space = problem.space

    def one(configuration: Configuration, told: Optional[Expected], measured: Optional[Measured]) -> Any:
        return {
            "configuration": space.named(configuration),
            "predicted_s": None if told is None else _finite(told.time_s),
            "low_s": None if told is None else _finite(told.low_s),
            "high_s": None if told is None else _finite(told.high_s),
            "status": None if measured is None else measured.status,
            "time_s": None if measured is None else _finite(measured.time_s),
            "why": measured.why if measured is not None else "" if told is None else told.why,
        }

    return {
        "best": None if tuned.best is None else space.named(tuned.best),
        "best_s": _finite(tuned.best_s),
        "is_measured": bool(tuned.measured),
        "gain_chance": _finite(tuned.gain_chance),
        "is_over": tuned.is_over,
        "measured": len(tuned.measured),
        "configurations": [one(*row) for row in _rows(tuned)],
    }


def _shown(problem: Problem, configuration: Configuration) -> str:
    constants = set(problem.constants)
    return " ".join(f"{name}={value}" for name, value in problem.space.named(configuration).items() if name not in constants)


def _print(problem: Problem, tuned: Tuned) -> None:
    able = [one for one in tuned.expected if math.isfinite(one.time_s)]
    left = len(tuned.expected) - len(able)
    print(f"{len(tuned.expected)} configurations" + (f", of which {left} cannot run" if left else ""))
    rows = [row for row in _rows(tuned) if row[2] is not None] or sorted(
        (row for row in _rows(tuned) if row[1] is not None and math.isfinite(row[1].time_s)),
        key=lambda row: row[1].time_s if row[1] is not None else math.inf,
    )[:10]
    rows.sort(key=lambda row: row[2].time_s if row[2] is not None else 0)
    for configuration, told, measured in rows[:10]:
        assert told is not None
        parts = [] if measured is None else [f"measured {time_text(measured.time_s)}" if measured.status == "correct" else measured.status]
        print(f"  {_shown(problem, configuration)}: {', '.join([*parts, f'predicted {time_text(told.time_s)}'])}")
    wrong = [one for one in tuned.measured.values() if one.status != "correct"]
    for one in wrong[:3]:
        print(f"{one.status}: {one.why}")
    if tuned.best is None:
        print("nothing ran as it should")
        return
    how = f"measured {time_text(tuned.best_s)}" if tuned.measured else f"predicted {time_text(tuned.best_s)}"
    print(f"best: {_shown(problem, tuned.best)}: {how}" + (f", {len(tuned.measured)} measured" if tuned.measured else ""))
    if not math.isnan(tuned.gain_chance):
        print(f"any other is faster by what counts with a chance of {100 * tuned.gain_chance:.0f} %")
    if not tuned.is_over:
        print("it was ended before that was unlikely")


def main(arguments: Optional[list[str]] = None) -> int:
    options = _arguments(arguments)
    line = Line()

    def opened() -> Connection:
        return connect(options.socket)

    try:
        want_seconds("--time", options.time, 0)
        want_seconds("--timeout", options.timeout)
        if options.runs < 0:
            raise Usage(f"--runs: want 0 or more, have {options.runs}")
        for option in ("gain", "chance"):
            if not 0 <= getattr(options, option) < 1:
                raise Usage(f"--{option}: want a share of 0 to 1, such as 0.02, have {getattr(options, option):g}")
        problem = load(options.space)
        tuned = tune(
            problem, opened, options.device, options.strategy, options.predict_only, options.runs, options.time,
            options.gain, options.chance, options.seed, options.timeout, options.log, options.allow_commands,
            lambda *how: _told(line, *how),
        )  # fmt: skip
        line.end()
        if options.t4 is not None:
            write_whole(options.t4, json.dumps(t4(problem.space, _rows(tuned)), indent=1) + "\n")
        if options.csv is not None:
            write_whole(options.csv, table(problem.space, _rows(tuned)))
        if options.json:
            print(json.dumps(_report(problem, tuned), indent=1))
        else:
            _print(problem, tuned)
        if tuned.was_interrupted:
            return 130
        return 0 if tuned.best is not None else 1
    except errors.Error as error:
        line.end()
        return complain("tune", error)
    except KeyboardInterrupt:
        line.end()
        return 130


if __name__ == "__main__":
    sys.exit(main())
