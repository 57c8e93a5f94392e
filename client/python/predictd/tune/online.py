# SPDX-License-Identifier: Apache-2.0
"""Tuning inside a program that works anyway (predictd_tune.h)."""

from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_uint64
from dataclasses import dataclass
from types import TracebackType
from typing import Optional, Sequence

from .. import errors
from ..client import Connection
from .predicting import Expected
from .searching import _NONE, Tuner, predictd_choice
from .space import Configuration

# A program works on without a choice: also where the daemon is an older one, or cannot read its database.
_UNKNOWN = (
    errors.NotFound,
    errors.Unavailable,
    errors.Timeout,
    errors.Busy,
    errors.Unsupported,
    errors.InputOutput,
    errors.Corrupt,
)


@dataclass(frozen=True)
class Proposal:
    number: int
    configuration: Configuration
    expected_s: float
    is_new: bool  # it has never run: its result is to be checked
    is_best: bool


@dataclass(frozen=True)
class Standing:
    best: Optional[Configuration]  # None: nothing has run
    best_s: float  # the median of its runs
    measured: int  # different configurations, since times last drifted
    failed: int
    drifts: int
    is_over: bool


class Online(Tuner):
    """Each launch of the program asks `next` which configuration to run, and reports what that took.

        online = predictd.tune.Online(configurations, [one.time_s for one in predicted])
        online.find(daemon, "gemm", sizes=[m, n, k])
        for _ in range(launches):
            proposal = online.next()
            time_s = run(proposal.configuration)
            online.report(proposal.number, math.inf if proposal.is_new and not is_right() else time_s)
        online.keep(daemon, "gemm", sizes=[m, n, k])

    configurations  tuples of as many values each
    predicted_s     seconds; infinity: it cannot run; NaN: not known
    low_s, high_s   their 90 % intervals
    gain, chance    a search ends when the chance of a gain of `gain` is below `chance`; 0: 0.02 and 0.1
    """

    def __init__(
        self,
        configurations: Sequence[Configuration],
        predicted_s: Sequence[float],
        low_s: Optional[Sequence[float]] = None,
        high_s: Optional[Sequence[float]] = None,
        gain: float = 0,
        chance: float = 0,
        measured_max: int = 0,
    ) -> None:
        nothing = [math.nan] * len(predicted_s)
        lows, highs = low_s or nothing, high_s or nothing
        if not len(predicted_s) == len(lows) == len(highs):
            raise errors.Invalid(f"want {len(predicted_s)} intervals, have {len(lows)} and {len(highs)}")
        expected = [Expected(*one, "") for one in zip(predicted_s, lows, highs)]
        self._configurations = list(configurations)
        super().__init__(self._configurations, expected, gain, chance, measured_max, is_online=True)

    def next(self) -> Proposal:
        """What to run now. NotFound: every configuration has failed."""
        candidate = self._candidate()
        number: int = candidate.configuration
        return Proposal(
            number, self._configurations[number], candidate.expected_s, candidate.is_new, number == self._tuned().best
        )

    def standing(self) -> Standing:
        tuned = self._tuned()
        return Standing(
            None if tuned.best == _NONE else self._configurations[tuned.best],
            tuned.best_s,
            tuned.measured_count,
            tuned.failed_count,
            tuned.drift_count,
            tuned.is_over,
        )

    def find(self, daemon: Optional[Connection], name: str, device: str = "", sizes: Sequence[int] = ()) -> bool:
        """Begins with what an earlier run has kept; False: none is to be had."""
        return self._ask("predictd_tuner_find", daemon, name, device, sizes)

    def keep(self, daemon: Optional[Connection], name: str, device: str = "", sizes: Sequence[int] = ()) -> bool:
        """Keeps the best so far; False: it could not be kept."""
        return self._ask("predictd_tuner_keep", daemon, name, device, sizes)

    def _ask(self, call: str, daemon: Optional[Connection], name: str, device: str, sizes: Sequence[int]) -> bool:
        if any(not 0 <= one < 1 << 64 for one in sizes):
            raise errors.Invalid("sizes: want 0 to 2^64 - 1")
        choice = predictd_choice(
            size=ctypes.sizeof(predictd_choice),
            name=name.encode(),
            device=device.encode() or None,
            sizes=(c_uint64 * len(sizes))(*sizes),
            size_count=len(sizes),
        )
        native = None if daemon is None else daemon._native
        try:
            if native is None:
                self._check(getattr(self._library, call)(self._tuner, None, byref(choice)))
            else:
                with native.turn:
                    self._check(getattr(self._library, call)(self._tuner, native.connection, byref(choice)))
        except _UNKNOWN:
            return False
        return True

    def __enter__(self) -> Online:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
