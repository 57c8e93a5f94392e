# SPDX-License-Identifier: Apache-2.0
"""Measured launches beside what the three models say of them."""

from __future__ import annotations

import atexit
import csv
import functools
import json
import math
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MODELS = ("default", "pattern", "uncached")
LARGE = 3.0  # times an empty launch
UNSEEN, QUOTED = "unseen", "random-4"  # the sets of which totals alone are looked at: what is quoted


@dataclass(frozen=True)
class Row:
    """A line of a breakdown."""

    what: str
    count: float
    time_s: float


@dataclass(frozen=True)
class Prediction:
    time_s: float
    low_s: float
    high_s: float
    basis: str
    bottleneck: str
    note: str
    rows: tuple[Row, ...]


@dataclass
class Case:
    """A launch that was measured and predicted."""

    id: str
    set_name: str
    family: str
    items: int
    measured_s: float
    is_large: bool = False
    halves_s: tuple[float, float] | None = None
    by_model: dict[str, Prediction] = field(default_factory=dict)

    @property
    def kernel(self) -> str:
        """A random kernel (CLASS.sSEED.NUMBER) is launched once; a real one (FAMILY.KERNEL...) at sizes and shapes."""
        is_random = re.fullmatch(r"\w+\.s\d+\.\d+", self.id) is not None
        return self.id if is_random else ".".join(self.id.split(".")[:2])

    @property
    def is_left_out(self) -> bool:
        """Of the kernels of which totals alone are looked at."""
        return self.set_name in (UNSEEN, QUOTED)

    def ratio(self, model: str = "default") -> float:
        return self.by_model[model].time_s / self.measured_s

    def is_covered(self, model: str = "default") -> bool:
        return self.by_model[model].low_s <= self.measured_s <= self.by_model[model].high_s

    def patterns(self) -> list[str]:
        """How the kernel reaches memory, in the paper's words, each once."""
        words = (re.match(r"(.+?) (?:read|write) of ", row.what) for row in self.by_model["default"].rows)
        found = dict.fromkeys(match[1] for match in words if match)
        return [pattern for pattern in found if pattern not in ("local", "private")]


@dataclass
class Report:
    """All of one device."""

    name: str
    device: str
    device_type: str  # "cpu", "gpu"
    empty_s: float
    cases: list[Case]
    failures: list[str]
    calibration_s: float = math.nan
    is_quick: bool = False

    def sets(self) -> list[str]:
        return list(dict.fromkeys(case.set_name for case in self.cases))

    def of_set(self, name: str) -> list[Case]:
        return [case for case in self.cases if case.set_name == name]


class Failure(Exception):
    """What the caller is told in one line."""


def ask(predictctl: str, *arguments: str) -> dict[str, Any]:
    """The answer of one predictctl command; a failing case is in it and no failure."""
    told = subprocess.run([predictctl, *arguments, "--json"], capture_output=True, text=True, check=False)
    try:
        answer = json.loads(told.stdout)
    except ValueError:
        raise Failure(f"{predictctl} {arguments[0]}: {told.stderr.strip() or 'no answer'}") from None
    if not isinstance(answer, dict):
        raise Failure(f"{predictctl} {arguments[0]}: want an object")
    return answer


def measured_times(path: Path) -> dict[str, float]:
    """Seconds by case, of those that ran."""
    times: dict[str, float] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if not row.get("case") or row.get("error") or not row.get("kernel_time_s"):
                continue
            try:
                times[row["case"]] = float(row["kernel_time_s"])
            except ValueError:
                raise Failure(f"{path}: {row['case']}: want seconds, have {row['kernel_time_s']!r}") from None
            if not 0 < times[row["case"]] < math.inf:
                raise Failure(f"{path}: {row['case']}: want a time above zero, have {row['kernel_time_s']}")
    if not times:
        raise Failure(f"{path}: no measured case")
    return times


def set_names(folder: Path) -> list[str]:
    names = [path.stem for path in sorted(folder.glob("*.csv")) if not path.stem.endswith(".noise")]
    if not names:
        raise Failure(f"{folder}: no measured NAME.csv")
    return names


def halves_of_repeats(path: Path) -> dict[str, tuple[float, float]]:
    """Medians of either half of a case's repeats, where they were kept (measure-set)."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            row["case"]: (float(row["half_s"]), float(row["other_half_s"]))
            for row in csv.DictReader(file)
            if row.get("half_s") and row.get("other_half_s")
        }


@functools.cache
def generated(seed: str, measured: Path) -> Path:
    """The cases of a seed that were measured, generated anew; gone when the report ends."""
    folder = tempfile.TemporaryDirectory(prefix="predictd-report.")
    atexit.register(folder.cleanup)
    command = [sys.executable, str(Path(__file__).resolve().parent.parent / "generate"), "--seed", seed]
    told = subprocess.run([*command, "--only", str(measured), folder.name], capture_output=True, text=True, check=False)
    if told.returncode != 0:
        raise Failure(f"{measured}: {told.stderr.strip()}")
    return Path(folder.name) / "cases.json"


def cases_file(folder: Path, name: str) -> Path:
    """Beside the measurements, or among those of the repository; random-SEED is what generate makes of it."""
    common = Path(__file__).resolve().parent.parent / "cases"
    for path in (folder / f"{name}.json", folder / name / "cases.json", common / f"{name}.json"):
        if path.exists():
            return path
    seed = name.removeprefix("random-")
    if seed != name and seed.isdecimal():
        return generated(seed, folder / f"{name}.csv")
    raise Failure(f"{folder / name}.csv: no cases file {name}.json, beside it or in {common}")


def prediction_of(entry: dict[str, Any]) -> Prediction:
    rows = tuple(Row(str(r["what"]), float(r["count"]), float(r["time_s"])) for r in entry.get("rows", []))
    return Prediction(
        float(entry["kernel_time_s"]),
        float(entry["low_s"]),
        float(entry["high_s"]),
        str(entry["basis"]),
        str(entry["bottleneck"]),
        str(entry["note"]),
        rows,
    )


def load_set(
    predictctl: str, device: str, folder: Path, name: str, models: tuple[str, ...] = MODELS
) -> tuple[list[Case], list[str]]:
    """The set's cases in the order of its file, and what could not be predicted."""
    path = cases_file(folder, name)
    times = measured_times(folder / f"{name}.csv")
    halves = halves_of_repeats(folder / f"{name}.noise.csv")
    cases: dict[str, Case] = {}
    failures: list[str] = []
    for entry in json.loads(path.read_text()):
        ident = str(entry["id"])
        if ident in times:
            family = str(entry.get("class", ident.split(".")[0]))
            items = math.prod(entry["global"])
            cases[ident] = Case(ident, name, family, items, times[ident], halves_s=halves.get(ident))
    for model in models:
        answer = ask(predictctl, "predict", "--cases", str(path), "--device", device, "--model", model, "--explain")
        for entry in answer.get("predictions", []):
            if entry.get("case") not in cases:
                continue
            if entry.get("error"):
                failures.append(f"{entry['case']}: {entry['error']}")
            else:
                cases[entry["case"]].by_model[model] = prediction_of(entry)
    return [case for case in cases.values() if len(case.by_model) == len(models)], failures


def load(predictctl: str, device: str, folder: Path, names: list[str]) -> Report:
    """Everything of a folder; asks the daemon that predictctl finds."""
    report = Report(folder.resolve().name, "", "", math.nan, [], [])
    for name in names:
        cases, failures = load_set(predictctl, device, folder, name)
        report.cases += cases
        report.failures += failures
    if not report.cases:
        raise Failure(f"{folder}: no case was measured and predicted")
    told = ask(
        predictctl, "evaluate", "--cases", str(cases_file(folder, names[0])), "--device", device,
        "--measured", str(folder / f"{names[0]}.csv"), "--model", "default",
    )  # fmt: skip
    report.device = str(told.get("device", "")) or report.name
    report.empty_s = float(told["empty_launch_s"]) if told.get("empty_launch_s") is not None else math.nan
    for found in ask(predictctl, "devices").get("devices", []):
        if found.get("name") == report.device:
            report.device_type = str(found.get("type", "")).lower()
            report.calibration_s = float(found.get("duration_s", math.nan))
            report.is_quick = bool(found.get("quick"))
    for case in report.cases:
        case.is_large = case.measured_s >= LARGE * report.empty_s
    return report
