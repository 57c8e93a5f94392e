# SPDX-License-Identifier: Apache-2.0
"""What was measured, as files: a log that a later run resumes, Kernel Tuner's T4, CSV and JSON."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, Optional, Sequence

from .. import errors
from .measuring import STATUSES, Measured
from .predicting import Expected
from .space import Configuration, Problem, Space

_LOG_LINE_MAX = 1 << 20


def fingerprint(problem: Problem, device: str) -> str:
    """Of what measured times belong to: sources, space, launches and device."""
    digest = hashlib.sha256(device.encode())
    for kernel in problem.kernels:
        digest.update(kernel.read().encode("utf-8", "surrogateescape"))
        digest.update(repr((kernel.name, kernel.options, kernel.global_size, kernel.local_size)).encode())
        digest.update(repr(kernel.arguments).encode())
    digest.update(repr([(one.name, one.values) for one in problem.space.parameters]).encode())
    return digest.hexdigest()[:16]


class Log:
    """A line for each configuration as it is measured. What an earlier run wrote is `known`."""

    def __init__(self, path: Optional[Path], space: Space, fingerprint: str) -> None:
        self.known: dict[Configuration, Measured] = {}
        self._space, self._file, self._path = space, None, path
        if path is None:
            return
        try:
            if path.exists() and path.stat().st_size > 0:
                self._load(path, fingerprint)
            self._file = path.open("a", encoding="utf-8")
            if self._file.tell() == 0:
                self._write({"predictd_tune": 1, "of": fingerprint})
        except OSError as error:
            raise errors.InputOutput(f"{path}: {error.strerror}") from error

    def _load(self, path: Path, fingerprint: str) -> None:
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
        if len(lines) > 1 and lines[-1]:
            lines.pop()  # one that was being written
            with path.open("r+", encoding="utf-8") as file:
                file.truncate(len("\n".join(lines).encode()) + 1)
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                one = json.loads(line)
                if number == 1:
                    if one["of"] != fingerprint:
                        raise errors.Invalid(f"{path}: of other sources, another space or device: name another file")
                    continue
                values = one["configuration"]
                configuration = tuple(values[name] for name in self._space.names)
                status = STATUSES[STATUSES.index(one["status"])]
                self.known[configuration] = Measured(
                    status, float(one.get("time_s", math.inf)), tuple(one["times_s"]), one["why"], one["compile_s"],
                    one["check_s"], one["at_s"],
                )  # fmt: skip
            except (ValueError, KeyError, TypeError) as error:
                raise errors.Corrupt(f"{path}:{number}: no line of a tuning's log: {error}") from None

    def _write(self, value: Any) -> None:
        assert self._file is not None
        self._file.write(json.dumps(value) + "\n")
        self._file.flush()

    def add(self, configuration: Configuration, measured: Measured) -> None:
        self.known[configuration] = measured
        if self._file is None:
            return
        value: dict[str, Any] = {"configuration": self._space.named(configuration), "status": measured.status}
        if math.isfinite(measured.time_s):
            value["time_s"] = measured.time_s
        value |= {"times_s": measured.times_s, "why": measured.why, "compile_s": measured.compile_s}
        self._write(value | {"check_s": measured.check_s, "at_s": measured.at_s})

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if self._file is not None:
            self._file.close()


def _when(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, timezone.utc).isoformat(timespec="milliseconds")


def t4(space: Space, rows: Sequence[tuple[Configuration, Optional[Expected], Optional[Measured]]]) -> Any:
    """Kernel Tuner's results (T4, version 1.0.0 of its schema): of what was measured. Times are milliseconds."""
    results = []
    for configuration, expected, measured in rows:
        if measured is None:
            continue
        measurements = []
        if measured.status == "correct":
            measurements.append({"name": "time", "value": measured.time_s * 1e3, "unit": "ms"})
        if expected is not None and math.isfinite(expected.time_s):
            measurements.append({"name": "predicted", "value": expected.time_s * 1e3, "unit": "ms"})
        results.append(
            {
                "timestamp": _when(measured.at_s),
                "configuration": space.named(configuration),
                "objectives": ["time"],
                "times": {
                    "compilation_time": measured.compile_s * 1e3,
                    "runtimes": [one * 1e3 for one in measured.times_s],
                    "framework": 0,
                    "search_algorithm": 0,
                    "validation": measured.check_s * 1e3,
                },
                "invalidity": measured.status,
                "correctness": int(measured.status == "correct"),
                "measurements": measurements,
            }
        )
    return {"schema_version": "1.0.0", "results": results}


def table(space: Space, rows: Sequence[tuple[Configuration, Optional[Expected], Optional[Measured]]]) -> str:
    """CSV: a row a configuration, times in seconds, empty where there is none."""

    def shown(value: float) -> str:
        return f"{value:.9g}" if math.isfinite(value) else ""

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*space.names, "predicted_s", "low_s", "high_s", "status", "time_s", "why"])
    for configuration, expected, measured in rows:
        told = [""] * 3 if expected is None else [shown(one) for one in (expected.time_s, expected.low_s, expected.high_s)]
        status, time_s, why = ("", "", "" if expected is None else expected.why)
        if measured is not None:
            status, time_s, why = measured.status, shown(measured.time_s), measured.why
        elif expected is not None and expected.why:
            status = "constraints"
        writer.writerow([*configuration, *told, status, time_s, why])
    return out.getvalue()
