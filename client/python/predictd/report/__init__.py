# SPDX-License-Identifier: Apache-2.0
"""One page about a kernel: rooflines, where the time goes, over sizes and devices.

    import predictd
    from predictd.report import page
    from predictd.sweep import read

    question = read("saxpy.cl", over=["n=1K..16M:x4"], global_size="n", arguments=["buffer:4*n:r", "buffer:4*n", "float:2"])
    html = page([question], predictd.connect, devices=["all"])
"""

from __future__ import annotations

import math
from typing import Callable, Sequence

from .. import errors
from ..client import Connection
from ..page import document, tag
from ..sweep import devices_of, sweep
from ..tune.space import Problem
from .sections import Shown, about, kernel_sections

__all__ = ["page"]


def page(
    problems: Sequence[Problem],
    connect: Callable[[], Connection],
    devices: Sequence[str] = (),
    measure: bool = False,
    static_only: bool = False,
    title: str = "",
) -> str:
    """The page of one kernel or several, each a sweep of its own. Arguments as of `predictd.sweep.sweep`."""
    with connect() as daemon:
        chosen = devices_of(daemon, devices)
        with_coefficients = {one.key: one for one in daemon.devices(coefficients=True)}
    known = [with_coefficients[one.key] for one in chosen]
    keys = [one.key for one in known]
    parts: list[object] = [about(known)]
    names = []
    for problem in problems:
        points = sweep(problem, connect, keys, measure=measure, static_only=static_only, explain=True)
        if all(one.prediction is None for one in points):
            raise errors.Unsupported(points[0].why if points else "no point is left by --where")
        kernel = problem.kernels[0]
        name = kernel.name or kernel.file.name
        names.append(name)
        shown = []
        for point in points:
            sizes, local = kernel.sizes(point.names)
            shown.append(Shown(point, math.prod(sizes), sizes, local))
        parts += kernel_sections(name, problem, known, shown, kernel.read(), is_alone=len(problems) == 1)
    parts.append(tag("p", "Predicted by predictd before any of this ran, where nothing else is said.", class_="faint"))
    return document(title or f"{', '.join(dict.fromkeys(names))}: predicted", *parts)
