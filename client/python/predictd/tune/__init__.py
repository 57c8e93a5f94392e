# SPDX-License-Identifier: Apache-2.0
"""Tuning led by predictions: the variants that promise most are measured, until a gain is unlikely.

    problem = predictd.tune.load(Path("gemm.json"))
    tuned = predictd.tune.tune(problem, predictd.connect, device="H100")
    print(tuned.best, tuned.best_s)
"""

from __future__ import annotations

import math
import time
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

from .. import errors
from ..client import Connection
from .expressions import Expression
from .measuring import Measured, Runner
from .online import Online, Proposal, Standing
from .predicting import Expected, predict
from .reading import load
from .results import Log, fingerprint
from .searching import STRATEGIES, Progress, search
from .space import Configuration, Parameter, Problem, Reference, Space, TunedArgument, TunedKernel

__all__ = [
    "Configuration",
    "Expected",
    "Expression",
    "Measured",
    "Online",
    "Parameter",
    "Problem",
    "Progress",
    "Proposal",
    "Reference",
    "Runner",
    "STRATEGIES",
    "Space",
    "Standing",
    "Tuned",
    "TunedArgument",
    "TunedKernel",
    "load",
    "predict",
    "search",
    "tune",
]


@dataclass
class Tuned:
    """What a tuning has found. Configurations are those for which all constraints hold."""

    configurations: list[Configuration]
    expected: list[Expected]
    measured: dict[Configuration, Measured] = field(default_factory=dict)  # the last time of each
    order: list[Configuration] = field(default_factory=list)  # as they were first measured
    best: Optional[Configuration] = None  # measured and right; with nothing measured, by prediction
    best_s: float = math.inf
    gain_chance: float = math.nan  # that any other is 2 % faster
    is_over: bool = False  # else a budget or Ctrl-C ended it
    was_interrupted: bool = False


def _device(daemon: Connection, name: str) -> tuple[str, int, int]:
    """Key of a device that is here, and its numbers as OpenCL has them in this process."""
    try:
        import pyopencl as cl
    except ImportError:
        raise errors.Unavailable("pyopencl is not installed, which runs variants: apt install python3-pyopencl") from None
    from ..live import key_of

    known = daemon.devices()
    by_key = {one.key: one for one in known if one.is_present}
    found = []
    for platform, one in enumerate(cl.get_platforms()):
        for number, device in enumerate(one.get_devices()):
            try:
                live = by_key.get(key_of(device, known))
            except errors.NotFound:
                continue  # the daemon's process does not see it
            if live is not None and (not name or name in (live.key, str(live.index)) or name in live.name):
                found.append((live, platform, number))
    calibrated = [one for one in found if one[0].is_calibrated] or found
    if not calibrated:
        raise errors.NotFound(f"no device here is called {name!r}" if name else "no device is here")
    live, platform, number = calibrated[0]
    return live.key, platform, number


def tune(
    problem: Problem,
    connect: Callable[[], Connection],
    device: str = "",
    strategy: str = "predicted",
    predict_only: bool = False,
    runs: int = 0,
    time_s: float = 0,
    gain: float = 0,
    chance: float = 0,
    seed: int = 0,
    timeout_s: float = 30,
    log: Optional[Path] = None,
    allow_commands: bool = False,
    told: Callable[[str, int, int, Optional[Progress]], None] = lambda what, done, of, progress: None,
) -> Tuned:
    """Predicts every configuration, and measures those that may be the fastest, in a process of their own.

    connect       opens a connection to predictd
    device        a key, an index or part of a name; "": the problem's, else the first that is calibrated
    strategy      "predicted"; to compare with: "exhaustive", "random", "annealing"
    predict_only  nothing is measured
    runs, time_s  a budget: configurations and seconds; 0: the problem's
    gain, chance  it ends when the chance of a gain of `gain` is below `chance`; 0: 0.02 and 0.1
    timeout_s     what building and running one configuration may take
    log           a file to which each measured configuration is added; what is there is not measured again
    told          hears what goes on: "predicted" or "measured", how many, of how many

    KeyboardInterrupt ends measuring; what was found until then is returned.
    """
    device = device or problem.device
    configurations = list(problem.space)
    if not configurations:
        raise errors.Invalid("no configuration holds all constraints")
    platform = number = 0
    with connect() as daemon:
        if predict_only:
            key: Optional[str] = device or None
        else:
            key, platform, number = _device(daemon, device)
    expected = predict(
        problem, configurations, connect, key, lambda done: told("predicted", done, len(configurations), None)
    )
    tuned = Tuned(configurations, expected)
    fastest = min(range(len(expected)), key=lambda i: expected[i].time_s)
    if not math.isfinite(expected[fastest].time_s):
        raise errors.Unsupported(f"none of {len(configurations)} configurations can run: {expected[fastest].why}")
    if predict_only:
        tuned.best, tuned.best_s = configurations[fastest], expected[fastest].time_s
        tuned.is_over = True
        return tuned
    runs, time_s = runs or problem.runs, time_s or problem.time_s
    searching = search(strategy, problem.space, configurations, expected, gain, chance, runs, seed)
    started = time.monotonic()
    with (
        closing(searching),
        Log(log, problem.space, fingerprint(problem, key or "")) as kept,
        Runner(problem, platform, number, timeout_s, allow_commands=allow_commands) as runner,
    ):
        numbers = {configuration: place for place, configuration in enumerate(configurations)}
        for configuration, measured in kept.known.items():
            if configuration in numbers:
                searching.report(numbers[configuration], measured.time_s)
                tuned.order.append(configuration)
        try:
            while not time_s or time.monotonic() - started < time_s:
                place = searching.next()
                if place is None:
                    tuned.is_over = True
                    break
                measured = runner.run(configurations[place])
                if configurations[place] not in kept.known:
                    tuned.order.append(configurations[place])
                kept.add(configurations[place], measured)
                searching.report(place, measured.time_s if measured.status == "correct" else math.inf)
                told("measured", len(kept.known), len(configurations), searching.progress())
        except KeyboardInterrupt:
            tuned.was_interrupted = True
        progress = searching.progress()
        tuned.measured = dict(kept.known)
    if progress.best is not None:
        tuned.best, tuned.best_s = configurations[progress.best], progress.best_s
    tuned.gain_chance = progress.gain_chance
    return tuned
