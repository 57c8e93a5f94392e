# SPDX-License-Identifier: Apache-2.0
"""Which configuration to measure next: led by predictions (predictd_tune.h), or blindly, to compare."""

from __future__ import annotations

import ctypes
import math
import random
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_size_t, c_uint16, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Optional, Protocol, Sequence

from .. import errors
from ..native import load
from .predicting import Expected
from .space import Configuration, Space

STRATEGIES = ("predicted", "exhaustive", "random", "annealing")
_NONE = (1 << 64) - 1


class predictd_tuning(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("parameter_count", c_size_t),
        ("configuration_count", c_size_t),
        ("values", POINTER(c_uint16)),
        ("predicted_s", POINTER(c_double)),
        ("low_s", POINTER(c_double)),
        ("high_s", POINTER(c_double)),
        ("gain", c_double),
        ("chance", c_double),
        ("measured_max", c_size_t),
        ("final_runs", c_size_t),
        ("is_online", c_bool),
    ]


class predictd_candidate(ctypes.Structure):
    _fields_ = [
        ("configuration", c_size_t),
        ("expected_s", c_double),
        ("low_s", c_double),
        ("high_s", c_double),
        ("gain_chance", c_double),
        ("is_final", c_bool),
        ("is_new", c_bool),
        ("reserved", c_uint64 * 2),
    ]


class predictd_tuned(ctypes.Structure):
    _fields_ = [
        ("best", c_size_t),
        ("best_s", c_double),
        ("measured_count", c_size_t),
        ("failed_count", c_size_t),
        ("gain_chance", c_double),
        ("gain_expected", c_double),
        ("is_over", c_bool),
        ("drift_count", c_uint64),
        ("reserved", c_uint64 * 3),
    ]


class predictd_choice(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("device", c_char_p),
        ("sizes", POINTER(c_uint64)),
        ("size_count", c_size_t),
    ]


@dataclass(frozen=True)
class Progress:
    best: Optional[int]  # its number
    best_s: float
    measured: int
    gain_chance: float  # that any other is faster by the share that counts; NaN: nobody says
    gain_expected: float


class Search(Protocol):
    def next(self) -> Optional[int]:
        """What to measure; None: it is over."""

    def report(self, configuration: int, time_s: float) -> None:
        """What it took; infinity: it failed."""

    def progress(self) -> Progress: ...

    def close(self) -> None: ...


class Tuner:
    """The library's tuner, of configurations and of what is expected of them."""

    def __init__(
        self, configurations: Sequence[Configuration], expected: Sequence[Expected], gain: float, chance: float,
        measured_max: int, is_online: bool = False
    ) -> None:
        count = len(configurations)
        width = len(configurations[0]) if count > 0 else 0
        if len(expected) != count or any(len(one) != width for one in configurations):
            raise errors.Invalid(f"want {count} configurations of {width} values, and a time for each")
        numbers: list[dict[Any, int]] = [{} for _ in range(width)]  # in the order in which values come
        self._library = load()
        self._tuner = c_void_p()
        for name, arguments in (
            ("predictd_tuner_new", (POINTER(predictd_tuning), POINTER(c_void_p))),
            ("predictd_tuner_free", (c_void_p,)),
            ("predictd_tuner_next", (c_void_p, POINTER(predictd_candidate))),
            ("predictd_tuner_report", (c_void_p, c_size_t, c_double)),
            ("predictd_tuner_get", (c_void_p, POINTER(predictd_tuned))),
            ("predictd_tuner_find", (c_void_p, c_void_p, POINTER(predictd_choice))),
            ("predictd_tuner_keep", (c_void_p, c_void_p, POINTER(predictd_choice))),
        ):
            getattr(self._library, name).argtypes = arguments
        has_intervals = all(one.low_s > 0 and math.isfinite(one.high_s) for one in expected if math.isfinite(one.time_s))
        tuning = predictd_tuning(
            size=ctypes.sizeof(predictd_tuning),
            parameter_count=width,
            configuration_count=count,
            values=(c_uint16 * (count * width))(
                *(known.setdefault(value, len(known)) for one in configurations for known, value in zip(numbers, one))
            ),
            predicted_s=(c_double * count)(*(one.time_s for one in expected)),
            low_s=(c_double * count)(*(one.low_s for one in expected)) if has_intervals else None,
            high_s=(c_double * count)(*(one.high_s for one in expected)) if has_intervals else None,
            gain=gain,
            chance=chance,
            measured_max=measured_max,
            is_online=is_online,
        )
        self._check(self._library.predictd_tuner_new(byref(tuning), byref(self._tuner)))

    def _check(self, status: int) -> None:
        if status != 0:
            text: bytes = self._library.predictd_error_text()
            raise errors.of_status(status, text.decode("utf-8", "replace"))

    def _candidate(self) -> predictd_candidate:
        candidate = predictd_candidate()
        self._check(self._library.predictd_tuner_next(self._tuner, byref(candidate)))
        return candidate

    def _tuned(self) -> predictd_tuned:
        tuned = predictd_tuned()
        self._library.predictd_tuner_get(self._tuner, byref(tuned))
        return tuned

    def report(self, configuration: int, time_s: float) -> None:
        if not 0 <= configuration <= _NONE:
            raise errors.Invalid(f"configuration {configuration}: want its number")
        self._check(self._library.predictd_tuner_report(self._tuner, configuration, time_s))

    def close(self) -> None:
        self._library.predictd_tuner_free(self._tuner)
        self._tuner = c_void_p()


class Predicted(Tuner):
    """The library's search."""

    def next(self) -> Optional[int]:
        try:
            number: int = self._candidate().configuration
        except errors.NotFound:
            return None
        return number

    def progress(self) -> Progress:
        tuned = self._tuned()
        return Progress(
            None if tuned.best == _NONE else tuned.best,
            tuned.best_s,
            tuned.measured_count,
            tuned.gain_chance,
            tuned.gain_expected,
        )


class _Blind:
    """What strategies that know no prediction have in common."""

    def __init__(self, able: Sequence[int], measured_max: int) -> None:
        self._able, self._max = able, measured_max or len(able)
        self._times: dict[int, float] = {}
        self._best: Optional[int] = None

    def report(self, configuration: int, time_s: float) -> None:
        self._times[configuration] = time_s
        if math.isfinite(time_s) and (self._best is None or time_s < self._times[self._best]):
            self._best = configuration

    def progress(self) -> Progress:
        best_s = 0.0 if self._best is None else self._times[self._best]
        return Progress(self._best, best_s, len(self._times), math.nan, math.nan)

    def close(self) -> None:
        pass


class Listed(_Blind):
    """One after the other, in their order or in a random one."""

    def __init__(self, able: Sequence[int], measured_max: int, seed: Optional[int] = None) -> None:
        order = list(able)
        if seed is not None:
            random.Random(seed).shuffle(order)
        super().__init__(order, measured_max)

    def next(self) -> Optional[int]:
        done = len(self._times)
        return self._able[done] if done < min(self._max, len(self._able)) else None


class Annealing(_Blind):
    """Simulated annealing over neighbours, that differ in one parameter's value (CLTune's, KTT's)."""

    _COOLING = 0.97


    def __init__(
        self, able: Sequence[int], measured_max: int, configurations: Sequence[Configuration], seed: int
    ) -> None:
        super().__init__(able, measured_max)
        self._random = random.Random(seed)
        self._configurations = configurations
        self._numbers = {configurations[number]: number for number in able}
        self._at: Optional[int] = None
        self._temperature = 0.3  # of a relative difference

    def _neighbours(self, number: int) -> list[int]:
        own = self._configurations[number]
        return [
            other
            for other in self._able
            if sum(a != b for a, b in zip(own, self._configurations[other])) == 1 and other not in self._times
        ]

    def next(self) -> Optional[int]:
        open_ones = [number for number in self._able if number not in self._times]
        if not open_ones or len(self._times) >= self._max:
            return None
        near = self._neighbours(self._at) if self._at is not None else []
        return self._random.choice(near or open_ones)

    def report(self, configuration: int, time_s: float) -> None:
        super().report(configuration, time_s)
        before = self._times[self._at] if self._at is not None else math.inf
        self._temperature *= self._COOLING
        if not math.isfinite(time_s):
            return
        worse = 0.0 if not math.isfinite(before) else (time_s - before) / before
        if worse <= 0 or self._random.random() < math.exp(-worse / self._temperature):
            self._at = configuration


def search(
    strategy: str,
    space: Space,
    configurations: Sequence[Configuration],
    expected: Sequence[Expected],
    gain: float = 0.0,
    chance: float = 0.0,
    measured_max: int = 0,
    seed: int = 0,
) -> Search:
    """`measured_max` 0: all. Configurations that cannot run are left out of each strategy."""
    able: list[int] = [number for number, one in enumerate(expected) if math.isfinite(one.time_s)]
    made: Any
    if strategy == "predicted":
        made = Predicted(configurations, expected, gain, chance, measured_max)
    elif strategy == "exhaustive":
        made = Listed(able, measured_max)
    elif strategy == "random":
        made = Listed(able, measured_max, seed)
    elif strategy == "annealing":
        made = Annealing(able, measured_max, configurations, seed)
    else:
        raise errors.Invalid(f"want a strategy of {', '.join(STRATEGIES)}, have {strategy!r:.40}")
    return made  # type: ignore[no-any-return]
