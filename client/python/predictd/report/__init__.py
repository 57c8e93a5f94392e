# SPDX-License-Identifier: Apache-2.0
"""One page about a kernel: rooflines, where the time goes, over sizes and devices.

    import predictd
    from predictd.report import page
    from predictd.sweep import read

    question = read("saxpy.cl", over=["n=1K..16M:x4"], global_size="n", arguments=["buffer:4*n:r", "buffer:4*n", "float:2"])
    html = page([[question]], predictd.connect, devices=["all"])
"""

from __future__ import annotations

import math
from typing import Callable, Sequence

from .. import errors
from ..client import Connection
from ..page import document, tag
from ..sweep import NOT_RUN, can_run, devices_of, is_left, sweep
from ..tune.space import Problem
from .cases import read_cases
from .run import run_page
from .sections import Shown, about, kernel_sections

__all__ = ["page", "read_cases", "run_page"]


def page(
    groups: Sequence[Sequence[Problem]],
    connect: Callable[[], Connection],
    devices: Sequence[str] = (),
    measure: bool = False,
    static_only: bool = False,
    title: str = "",
    interrupted: Callable[[], None] = lambda: None,
) -> str:
    """The page of kernels: of each its sweeps, or its cases (`read_cases`). Others as of `predictd.sweep.sweep`.

    interrupted  hears of a KeyboardInterrupt that ended measuring: the rest is predicted alone
    """
    if len(groups) == 1:
        groups[0][0].kernels[0].read()  # that it is not there is said before a device's state
    if measure and not any(can_run(one) for problems in groups for one in problems):
        raise errors.Unsupported(NOT_RUN)
    with connect() as daemon:
        chosen = devices_of(daemon, devices)
        with_coefficients = {one.key: one for one in daemon.devices(coefficients=True)}
    known = [with_coefficients[one.key] for one in chosen]
    keys = [one.key for one in known]
    parts: list[object] = [about(known)]
    names = []
    is_ended = False
    for problems in groups:
        kernel = problems[0].kernels[0]
        names.append(kernel.name or kernel.file.name)
        shown = []
        for problem in problems:
            own = problem.kernels[0]
            is_run = measure and can_run(problem)
            points = sweep(problem, connect, keys, measure=is_run and not is_ended, static_only=static_only, explain=True)
            if is_run and not is_ended and any(map(is_left, points)):
                is_ended = True
                interrupted()
            for point in points:
                if measure and not is_run:
                    point.measured_why = "not run here: `predictctl measure` does"
                sizes, local = own.sizes(point.names)
                shown.append(Shown(point, math.prod(sizes), sizes, local))
        if all(one.point.prediction is None for one in shown):
            if len(groups) == 1:
                raise errors.Unsupported(shown[0].point.why if shown else "no point is left by --where")
            parts += [tag("h2", names[-1]), tag("p", shown[0].point.why if shown else "")]
            continue
        parts += kernel_sections(names[-1], problems[0], known, shown, kernel.read(), is_alone=len(groups) == 1)
    parts.append(tag("p", "Predicted by predictd before any of this ran, where nothing else is said.", class_="faint"))
    shown_names = list(dict.fromkeys(names))
    more = f" and {len(shown_names) - 5} more" if len(shown_names) > 5 else ""
    return document(title or f"{', '.join(shown_names[:5])}{more}: predicted", *parts)
