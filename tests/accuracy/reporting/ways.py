# SPDX-License-Identifier: Apache-2.0
"""One set of launches, asked in several ways: with samples, with ranges, with nothing."""

from __future__ import annotations

import json
import math
import os
import statistics
from pathlib import Path
from typing import Any

from reporting.cases import Failure, ask
from reporting.score import score_ratios

HEADING = f"{'':<10}   30 %  x1.5   mean  covers  width"


def predicted(predictctl: str, folder: Path, cases: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Answers by case; files that cases name are in the folder."""
    path = folder / f"asked.{os.getpid()}.json"
    path.write_text(json.dumps(cases))
    try:
        entries = ask(predictctl, "predict", "--cases", str(path), "--device", "0", "--static")
    finally:
        path.unlink()
    for entry in entries["predictions"]:
        if entry["error"]:
            raise Failure(f"{entry['case']}: {entry['error']}")
    return {entry["case"]: entry for entry in entries["predictions"]}


def line_of(way: str, answers: dict[str, dict[str, Any]], measured: dict[str, float]) -> str:
    """A row below HEADING. The width is that of one side, the root of upper over lower."""
    times = {name: answers[name] for name in measured}
    whole = score_ratios([times[name]["kernel_time_s"] / measured[name] for name in measured])
    covers = statistics.fmean(times[n]["low_s"] <= measured[n] <= times[n]["high_s"] for n in measured)
    width = math.sqrt(statistics.median(times[n]["high_s"] / times[n]["low_s"] for n in measured))
    return (
        f"{way:<10} {whole.within30:>6.0%} {whole.within15:>5.0%} {whole.mean_error:>6.0%} "
        f"{covers:>7.0%} {'x' + format(width, '.2f'):>6}"
    )
