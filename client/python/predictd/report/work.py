# SPDX-License-Identifier: Apache-2.0
"""What a launch does and what a device can do, from a prediction's rows and a calibration: rooflines.

Williams, Waterman, Patterson, Roofline, CACM 52(4), 2009; a line for each level of the memory hierarchy as of
Ilic, Pratas, Sousa, Cache-aware Roofline Model, IEEE CAL 13(1), 2014.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Mapping, Optional

from ..values import Device, Prediction

_OPERATION = re.compile(r"(half|float|double|int|long) (\w+)")
_BYTES = re.compile(r"bytes from (memory|L\d cache)")
_LEVELS = {"L2 cache": "l2", "L3 cache": "l3", "memory": "dram"}
LEVEL_NAMES = {"l1": "L1 cache", "l2": "L2 cache", "l3": "L3 cache", "dram": "memory"}


def type_of(prediction: Prediction) -> str:
    """The reals that a launch computes with most; "int" where it computes with none."""
    counts = {"half": 0.0, "float": 0.0, "double": 0.0}
    for row in prediction.rows:
        found = _OPERATION.fullmatch(row.what)
        if found and found[1] in counts:
            counts[found[1]] += row.count
    most = max(counts, key=lambda one: counts[one])
    return most if counts[most] > 0 else "int"


@dataclass
class Work:
    """Of a whole launch. `operations`: a multiplication and addition in one counts as two, any function as one."""

    type: str
    operations: float = 0
    bytes_from: dict[str, float] = field(default_factory=dict)  # by level: l2, l3, dram
    functions: set[str] = field(default_factory=set)

    @property
    def level(self) -> str:
        """The lowest level that moves anything; "": none does."""
        return next((one for one in ("dram", "l3", "l2") if self.bytes_from.get(one, 0) > 0), "")

    @property
    def intensity(self) -> float:
        """Operations a byte of that level; infinite where nothing is moved."""
        moved = self.bytes_from.get(self.level, 0)
        return self.operations / moved if moved > 0 else math.inf


PLAIN = ("add", "mul", "fma", "minmax", "fminmax", "compare", "select", "bit", "odd", "convert", "round")


def work_of(prediction: Prediction, items: float) -> Work:
    work = Work(type_of(prediction))
    types = ("half", "float", "double") if work.type != "int" else ("int", "long")
    for row in prediction.rows:
        moved = _BYTES.fullmatch(row.what)
        if moved and moved[1] in _LEVELS:
            work.bytes_from[_LEVELS[moved[1]]] = row.count * items
        found = _OPERATION.fullmatch(row.what)
        if found and found[1] in types:
            work.operations += row.count * items * (2 if found[2] == "fma" else 1)
            if found[2] not in PLAIN:
                work.functions.add(found[2])
    return work


@dataclass(frozen=True)
class Ceiling:
    """Of performance: `rate` operations a second, or bytes a second where it slants."""

    name: str
    rate: float
    is_slanted: bool
    is_outer: bool = False  # what no launch passes


def _rate(coefficients: Mapping[str, float], name: str) -> float:
    time_s = coefficients.get(name, 0)
    return 1 / time_s if time_s > 0 else 0


def ceilings_of(device: Device, type_name: str, functions: set[str]) -> list[Ceiling]:
    """As calibration found them. None where it found nothing, as a quick one may have."""
    known = device.coefficients
    made = []
    for level, name in LEVEL_NAMES.items():
        rate = known.get(f"memory.{level}.read_bytes_per_s", 0)
        if rate > 0:
            made.append(Ceiling(name, rate, True, is_outer=level == "l1"))
    for what, name in (("transfer.pinned.h2d", "copies from pinned memory"), ("transfer.h2d", "copies from the host")):
        rate = known.get(f"{what}.bandwidth_bytes_per_s", 0)
        if rate > 0 and device.type != "CPU":
            made.append(Ceiling(name, rate, True))
    vector, scalar = f"op.vector.{type_name}", f"op.scalar.{type_name}"
    fused, plain = 2 * _rate(known, f"{vector}.fma.time_s"), _rate(known, f"{vector}.add.time_s")
    if fused > 0:
        made.append(Ceiling("fused multiply-add", fused, False, is_outer=True))
    if plain > 0:
        made.append(Ceiling("no fused multiply-add", plain, False))
    one_by_one = 2 * _rate(known, f"{scalar}.fma.time_s")
    if device.type == "CPU" and 0 < one_by_one < fused:
        made.append(Ceiling("no vectors", one_by_one, False))
    for function in sorted(functions):
        rate = _rate(known, f"{vector}.{function}.time_s")
        native = _rate(known, f"{vector}.native_{function}.time_s")
        if rate > 0:
            made.append(Ceiling(f"{function} alone", rate, False))
        if native > 1.05 * rate > 0:
            made.append(Ceiling(f"native_{function} alone", native, False))
    return made


def bound_of(device: Device, work: Work) -> Optional[float]:
    """Operations a second that the roofline allows the launch: None where the calibration lacks it."""
    known = device.coefficients
    peak = 2 * _rate(known, f"op.vector.{work.type}.fma.time_s")
    if peak <= 0 or work.operations <= 0:
        return None
    rates = [peak]
    for level, moved in work.bytes_from.items():
        rate = known.get(f"memory.{level}.read_bytes_per_s", 0)
        if rate > 0 and moved > 0:
            rates.append(work.operations / moved * rate)
    return min(rates)


def least_time_s(device: Device, work: Work) -> Optional[float]:
    """That the roofline allows: operations at the peak rate, and each level's bytes at its bandwidth."""
    known = device.coefficients
    times = []
    peak = 2 * _rate(known, f"op.vector.{work.type}.fma.time_s")
    if peak > 0 and work.operations > 0:
        times.append(work.operations / peak)
    for level, moved in work.bytes_from.items():
        rate = known.get(f"memory.{level}.read_bytes_per_s", 0)
        if rate > 0 and moved > 0:
            times.append(moved / rate)
    return max(times) if times else None


def portability(efficiencies: list[Optional[float]]) -> float:
    """The harmonic mean of efficiencies over all devices; 0 where a launch cannot run on one of them.

    Pennycook, Sewall, Lee, A Metric for Performance Portability, PMBS 2016.
    """
    if not efficiencies or any(one is None or one <= 0 for one in efficiencies):
        return 0.0
    return len(efficiencies) / sum(1 / one for one in efficiencies if one)
