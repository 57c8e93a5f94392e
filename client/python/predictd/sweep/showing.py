# SPDX-License-Identifier: Apache-2.0
"""Points as a table, as a plot for a terminal, and as files."""

from __future__ import annotations

import csv
import io
import json
import math
from shutil import get_terminal_size
from typing import Any, Optional, Sequence, TextIO

from .. import errors
from ..printable import in_line
from ..tune.space import Problem, Scalar
from ..values import Prediction
from . import Point

NOTES_MAX = 8  # below a table


def time_of(seconds: float) -> str:
    """Three digits and a unit."""
    if not math.isfinite(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def varied(problem: Problem, points: Sequence[Point]) -> list[str]:
    """Columns that tell points apart: names, and what else differs."""
    names = list(problem.space.names)
    if len({one.device for one in points}) > 1:
        names.append("device")
    if len({one.model for one in points}) > 1:
        names.append("model")
    return names


def _cell(point: Point, column: str) -> Scalar:
    if column == "device" and column not in point.names:
        return point.device_name
    if column == "model" and column not in point.names:
        return point.model
    return point.names[column]


def table(problem: Problem, points: Sequence[Point]) -> str:
    columns = varied(problem, points)
    is_measured = any(math.isfinite(one.measured_s) or one.measured_why for one in points)
    head = [*columns, "local", "predicted", "90 % interval", "follows", *(["measured", "error"] if is_measured else [])]
    rows = []
    for point in points:
        row = [str(_cell(point, column)) for column in columns]
        one = point.prediction
        if one is None:
            row += ["-", "-", point.why]
        else:
            row += ["x".join(map(str, one.local_size)), time_of(one.kernel_time_s)]
            row += [f"{time_of(one.low_s)} .. {time_of(one.high_s)}", one.bottleneck]
        if is_measured and one is not None:
            row.append(time_of(point.measured_s) if not point.measured_why else point.measured_why)
            if math.isfinite(point.measured_s):
                row.append(f"{100 * (one.kernel_time_s / point.measured_s - 1):+.0f} %")
        rows.append([in_line(cell) for cell in row])
    # a sentence that stands last in its row widens no column
    widths = [max(len(row[i]) for row in [head, *rows] if len(row) > i and (i + 1 < len(row) or len(row) == len(head)))
              for i in range(len(head))]  # fmt: skip
    lines = []
    for row in [head, *rows]:
        lines.append("  ".join(cell.rjust(width) if i < len(columns) else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip())  # fmt: skip
    lines.insert(1, "-" * max(map(len, lines[:1])))
    return "\n".join([*lines, *notes(points)]) + "\n"


def notes_of(prediction: Optional[Prediction]) -> list[str]:
    """What was assumed, and what would go wrong; a fallback is told first."""
    if prediction is None:
        return []
    note = f"fallback: {prediction.note}" if prediction.basis == "fallback" else prediction.note
    return [*prediction.warnings, *filter(None, note.split("; "))]


def notes(points: Sequence[Point]) -> list[str]:
    """Each once, and at how many points, where not at all."""
    told: dict[str, int] = {}
    for point in points:
        for note in notes_of(point.prediction):
            if note.startswith("assumed local size"):
                note = "local sizes were assumed"  # each stands in its row
            told[note] = told.get(note, 0) + 1
    shown = [f"  {note}" + (f" ({count} of {len(points)} points)" if count < len(points) else "") for note, count in told.items()]
    more = [f"  and {len(shown) - NOTES_MAX} notes more, which --json has"] if len(shown) > NOTES_MAX else []
    return shown[:NOTES_MAX] + more


# ---- the plot ------------------------------------------------------------------------------------

_MARKS = "ox+*#@%&"
_WIDTH, _HEIGHT = 64, 18
_LEAST_WIDTH, _LEFT = 16, 11  # what stands left of it


def _positions(values: Sequence[float], room: int) -> list[int]:
    """Where they lie on an axis, which is logarithmic where they differ by more than a factor of 10."""
    is_log = min(values) > 0 and max(values) / min(values) > 10
    scaled = [math.log(one) if is_log else one for one in values]
    low, high = min(scaled), max(scaled)
    return [round((one - low) / (high - low) * (room - 1)) if high > low else 0 for one in scaled]


def plot(problem: Problem, points: Sequence[Point]) -> Optional[str]:
    """Times over the first name whose values are numbers; a mark for each series. None: there is none."""
    known = [one for one in points if one.prediction is not None]
    across = next((one.name for one in problem.space.parameters
                   if len(one.values) > 1 and all(isinstance(value, (int, float)) for value in one.values)), None)  # fmt: skip
    if across is None or len(known) < 2:
        return None
    others = [column for column in varied(problem, points) if column != across]
    series: dict[str, str] = {}
    marks: list[tuple[float, float, str]] = []
    for point in known:
        name = ", ".join(f"{column} {_cell(point, column)}" if column not in ("device", "model") else str(_cell(point, column))
                         for column in others) or "predicted"  # fmt: skip
        mark = series.setdefault(name, _MARKS[len(series) % len(_MARKS)])
        x = float(point.names[across])
        marks.append((x, point.time_s, mark))
        if math.isfinite(point.measured_s):
            series.setdefault("measured", "M")
            marks.append((x, point.measured_s, "M"))
    width = max(_LEAST_WIDTH, min(_WIDTH, get_terminal_size().columns - _LEFT))
    columns = _positions([x for x, _, _ in marks], width)
    rows = _positions([y for _, y, _ in marks], _HEIGHT)
    grid = [[" "] * width for _ in range(_HEIGHT)]
    for column, row, (_, _, mark) in zip(columns, rows, marks):
        grid[_HEIGHT - 1 - row][column] = mark
    times = [y for _, y, _ in marks]
    labels = {0: time_of(max(times)), _HEIGHT - 1: time_of(min(times))}
    lines = [f"{labels.get(i, ''):>9} |{''.join(row).rstrip()}" for i, row in enumerate(grid)]
    values = [x for x, _, _ in marks]
    lines.append(" " * 10 + "+" + "-" * width)
    ends = f"{min(values):.10g}", f"{max(values):.10g}"
    lines.append(" " * 11 + ends[0] + across.center(width - len(ends[0]) - len(ends[1])) + ends[1])
    shown = list(series.items())
    lines += [f"{'':11}{mark} {name}" for name, mark in shown[: len(_MARKS)]]
    if len(shown) > len(_MARKS):
        lines.append(f"{'':11}and {len(shown) - len(_MARKS)} more")
    return "\n".join(lines) + "\n"


# ---- files ---------------------------------------------------------------------------------------


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def _records(problem: Problem, points: Sequence[Point]) -> list[dict[str, Any]]:
    return [
        {
            **{name: point.names[name] for name in problem.space.names},
            "device": point.device,
            "device_name": point.device_name,
            "model": point.model,
            "local": None if one is None else "x".join(map(str, one.local_size)),
            "predicted_s": _finite(point.time_s),
            "low_s": None if one is None else one.low_s,
            "high_s": None if one is None else one.high_s,
            "bottleneck": None if one is None else one.bottleneck,
            "basis": None if one is None else one.basis,
            "measured_s": _finite(point.measured_s),
            "why": point.why or point.measured_why,
            "note": "; ".join(notes_of(one)),
        }
        for point in points
        for one in [point.prediction]
    ]


def as_csv(problem: Problem, points: Sequence[Point], with_header: bool = True) -> str:
    out = io.StringIO()
    records = _records(problem, points)
    writer = csv.DictWriter(out, list(records[0]) if records else [], lineterminator="\n")
    if with_header:
        writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


class CsvRows:
    """A table that grows by whole rows, each in the file once it is known: an interrupt loses none."""

    def __init__(self, problem: Problem, path: str) -> None:
        """path: "-" is standard output. The file is made with the first row, and open from there on."""
        self._problem, self._path, self.count = problem, path, 0
        self._file: Optional[TextIO] = None

    def add(self, points: Sequence[Point]) -> None:
        text = as_csv(self._problem, points, self.count == 0)
        self.count += len(points)
        if self._path == "-":
            print(text, end="", flush=True)
            return
        try:
            if self._file is None:
                self._file = open(self._path, "w", encoding="utf-8", errors="replace", newline="")
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            raise errors.InputOutput(f"{self._path}: {error.strerror}") from error


def as_json(problem: Problem, points: Sequence[Point]) -> str:
    return json.dumps({"points": _records(problem, points)}, indent=1, allow_nan=False) + "\n"
