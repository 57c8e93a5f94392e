# SPDX-License-Identifier: Apache-2.0
"""Figures of accuracy, as `predictctl evaluate` defines them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from reporting.cases import Case

HAIR = 1e-12  # for ratios that decimal input cannot hit exactly


@dataclass(frozen=True)
class Score:
    count: int
    within30: float
    within15: float
    median_error: float
    mean_error: float


@dataclass(frozen=True)
class Interval:
    covered: float
    below: float  # measured below the interval
    above: float
    width: float  # median of high over low


def score_ratios(ratios: Sequence[float]) -> Score:
    if not ratios:
        return Score(0, math.nan, math.nan, math.nan, math.nan)
    errors = [abs(ratio - 1) for ratio in ratios]
    count = len(ratios)
    return Score(
        count,
        sum(error <= 0.3 + HAIR for error in errors) / count,
        sum(1 / 1.5 - HAIR <= ratio <= 1.5 + HAIR for ratio in ratios) / count,
        statistics.median(errors),
        statistics.fmean(errors),
    )


def score(cases: Sequence[Case], model: str = "default") -> Score:
    return score_ratios([case.ratio(model) for case in cases])


def ceiling(cases: Sequence[Case]) -> Score:
    """What one half of the repeats reaches in predicting the other, both ways."""
    pairs = [case.halves_s for case in cases if case.halves_s is not None]
    return score_ratios([ratio for a, b in pairs for ratio in (a / b, b / a)])


def interval(cases: Sequence[Case], model: str = "default") -> Interval:
    if not cases:
        return Interval(math.nan, math.nan, math.nan, math.nan)
    predictions = [(case.measured_s, case.by_model[model]) for case in cases]
    count = len(cases)
    return Interval(
        sum(p.low_s <= m <= p.high_s for m, p in predictions) / count,
        sum(m < p.low_s for m, p in predictions) / count,
        sum(m > p.high_s for m, p in predictions) / count,
        statistics.median(p.high_s / p.low_s if p.low_s > 0 else math.inf for _, p in predictions),
    )


def ranks(values: Sequence[float]) -> list[float]:
    """From 1; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for position in order[start:end]:
            result[position] = (start + 1 + end) / 2
        start = end
    return result


def spearman(cases: Sequence[Case], model: str = "default") -> float:
    if len(cases) < 2:
        return math.nan
    try:
        return statistics.correlation(
            ranks([case.by_model[model].time_s for case in cases]), ranks([case.measured_s for case in cases])
        )
    except statistics.StatisticsError:
        return math.nan


def shift_of_others(cases: Sequence[Case], family: str) -> float:
    """The median ratio over all families but one: what a fit to the others would correct."""
    others = [math.log(case.ratio()) for case in cases if case.family != family]
    return math.exp(statistics.median(others)) if others else 1.0
