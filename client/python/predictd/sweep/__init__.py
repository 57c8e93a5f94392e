# SPDX-License-Identifier: Apache-2.0
"""One question over sizes, work-group shapes, macros, devices and models.

    import predictd
    from predictd.sweep import read, sweep

    question = read("saxpy.cl", over=["n=1K..16M:x4"], global_size="n", arguments=["buffer:4*n:r", "buffer:4*n", "float:2"])
    for point in sweep(question, predictd.connect, devices=["H200"]):
        print(point.names["n"], point.time_s)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Callable, Mapping, Optional, Sequence

from .. import errors, source
from ..client import Connection
from ..tune.measuring import Runner
from ..tune.predicting import answers
from ..tune.space import Problem, Scalar
from ..values import Device, Prediction
from .reading import POINTS_MAX, read, typed

__all__ = ["POINTS_MAX", "Point", "read", "sweep"]


@dataclass
class Point:
    """One launch on one device, as one model has it."""

    names: Mapping[str, Scalar]  # of what the sweep is over
    device: str  # its key
    device_name: str
    model: str
    prediction: Optional[Prediction] = None  # None: it cannot run, and `why`
    why: str = ""
    measured_s: float = math.nan
    measured_why: str = ""  # where it was to be measured, and was not
    # of that: from queued to submitted, from there to START, from there to END, medians
    events_s: tuple[float, ...] = ()
    _key: tuple[object, ...] = field(default=(), repr=False)

    @property
    def time_s(self) -> float:
        return math.nan if self.prediction is None else self.prediction.kernel_time_s


def devices_of(daemon: Connection, names: Sequence[str]) -> list[Device]:
    """Those that are meant: "all" is every calibrated one; none named, the first of these that is here."""
    known = daemon.devices()
    calibrated = [one for one in known if one.is_calibrated]
    if not names:
        here = [one for one in calibrated if one.is_present]
        if not here:
            away = f"; {calibrated[0].name}, which is away, takes --device" if calibrated else ""
            raise errors.Uncalibrated(f"no device that is here is calibrated: type \"predictctl calibrate\"{away}")
        return here[:1]
    found: list[Device] = []
    for name in names:
        if name == "all":
            if not calibrated:
                raise errors.Uncalibrated("no device is calibrated: type \"predictctl calibrate\"")
            found += calibrated
            continue
        exact = [one for one in known if name in (one.key, str(one.index))]
        fitting = exact or [one for one in known if name.lower() in one.name.lower()]
        if len(fitting) > 1:  # as predictctl's other commands have it
            fitting = [one for one in fitting if one.is_present] or fitting
        if len(fitting) > 1:
            raise errors.NotFound(f"device {name!r}: {len(fitting)} are called so: want an index or a key of `predictctl devices`")
        if not fitting:
            raise errors.NotFound(f"device {name!r}: none is called so")
        if not fitting[0].is_calibrated:
            raise errors.Uncalibrated(f"device {fitting[0].name!r} is not calibrated: type \"predictctl calibrate {fitting[0].index}\"")
        found.append(fitting[0])
    return list({one.key: one for one in found}.values())


def device_line(daemon: Connection) -> str:
    """Which device is asked where none is named; "" where no other could be meant."""
    chosen = devices_of(daemon, [])[0]
    count = sum(one.is_calibrated for one in daemon.devices())
    return f"on device {chosen.index}, {chosen.name}; --device asks another\n" if count > 1 else ""


NOT_RUN = (
    "--measure runs kernels of buffers, scalars and local memory; `predictctl measure` runs those of images, samplers, structs and vectors"
)


def can_run(problem: Problem) -> bool:
    return all(one.kind != "other" for one in problem.kernels[0].arguments)


def is_left(point: Point) -> bool:
    """Of what was to be measured: an interrupt came before it."""
    return not (point.why or point.measured_why or math.isfinite(point.measured_s))


def sweep(
    problem: Problem,
    connect: Callable[[], Connection],
    devices: Sequence[str] = (),
    models: Sequence[str] = ("default",),
    measure: bool = False,
    static_only: bool = False,
    timeout_s: float = 30,
    explain: bool = False,
    told: Callable[[str, int, int], None] = lambda what, done, of: None,
    settled: Callable[[Point], None] = lambda point: None,
) -> list[Point]:
    """Points of every device and model, those of one together, in the order of the question's names.

    connect   opens a connection to predictd
    devices   keys, indices or parts of names; "all"; none: the first that is calibrated
    explain   predictions have their rows, what they follow, and the cost of each line
    measure   also runs each point, on devices that are here, with buffers that hold what the question says
    told      hears what goes on: "predicted" or "measured", how many, of how many

    settled   hears of each point that was to be measured, in their order, once that is over

    KeyboardInterrupt ends measuring; what was found until then is returned.
    """
    if measure and not can_run(problem):
        raise errors.Unsupported(NOT_RUN)
    configurations = list(problem.space)
    if len(configurations) > POINTS_MAX:
        raise errors.Limit(f"{len(configurations)} points: want {POINTS_MAX} at most")
    for kernel in problem.kernels:
        kernel.read()  # that it is not there is said before a device's state
    with connect() as daemon:
        chosen = devices_of(daemon, devices)
    points: list[Point] = []
    total = len(configurations) * len(chosen) * len(models)
    for device in chosen:
        for model in models:
            before = len(points)
            given = answers(
                problem, configurations, connect, device.key, model, static_only, explain,
                lambda done: told("predicted", before + done, total),
            )  # fmt: skip
            for configuration, (one, *_) in zip(configurations, given):
                point = Point(problem.space.named(configuration), device.key, device.name, model, _key=configuration)
                if isinstance(one, errors.Error):
                    point.why = str(one)
                else:
                    point.prediction = one
                points.append(point)
    if measure and not all(one.why for one in points):
        _measure(problem, connect, chosen, points, timeout_s, told, settled)
    return points


def _with_contents(problem: Problem, daemon: Connection) -> Problem:
    """Buffers of the elements that the first point's kernel has."""
    kernel = problem.kernels[0]
    names = problem.space.named(next(iter(problem.space)))
    text = kernel.read()
    program = daemon.register(source.load(kernel.file, kernel.defines(names, text), text))
    known = [one for one in program.kernels if one.name == kernel.name or (not kernel.name and len(program.kernels) == 1)]
    if not known or len(known[0].argument_types) != len(kernel.arguments):
        return problem  # running it says what is wrong
    types = known[0].argument_types
    made = tuple(typed(one, told, problem.space.names) for one, told in zip(kernel.arguments, types))
    return replace(problem, kernels=(replace(kernel, arguments=made),))


def _measure(
    problem: Problem,
    connect: Callable[[], Connection],
    devices: Sequence[Device],
    points: Sequence[Point],
    timeout_s: float,
    told: Callable[[str, int, int], None],
    settled: Callable[[Point], None],
) -> None:
    from ..tune import _device

    total = sum(1 for one in points if one.model == points[0].model)
    done = 0
    try:
        for device in devices:
            own = [one for one in points if one.device == device.key]
            if not device.is_present:
                for point in own:
                    point.measured_why = "the device is away"
                    settled(point)
                continue
            with connect() as daemon:
                _, platform, number = _device(daemon, device.key)
                problem = _with_contents(problem, daemon)
            measured = {}
            with Runner(problem, platform, number, timeout_s) as runner:
                for point in own:
                    if point._key not in measured:
                        measured[point._key] = runner.run(point._key)  # type: ignore[arg-type]
                        done += 1
                        told("measured", done, total)
                    one = measured[point._key]
                    if one.status == "correct":
                        point.measured_s, point.events_s = one.time_s, one.events_s
                    else:
                        point.measured_why = f"{one.status}: {one.why}"
                    settled(point)
    except KeyboardInterrupt:
        pass
