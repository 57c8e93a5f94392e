# SPDX-License-Identifier: Apache-2.0
"""Kernels of a cases file (predictctl(1)): launches of one kernel of one file and options are one part of a page."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence

from ..arguments import Argument, Buffer, Hint, Local, Scalar
from ..cases import Case
from ..cases import read_cases as read
from ..fill import Fill
from ..tune.expressions import Expression
from ..tune.space import Parameter, Problem, Space, TunedArgument, TunedKernel
from ..tune.space import Scalar as Value


def _number(value: int | float) -> Expression:
    return Expression(repr(value))


def _argument(one: Argument, fill: Optional[Fill], init: Optional[Fill], place: int) -> TunedArgument:
    """What may be measured, too, as what tuning runs; anything else as it is. Buffers hold what `measure` has them hold."""
    if isinstance(one, Buffer):
        return TunedArgument(
            "buffer", "uchar", f"#{place}", _number(one.size_bytes), one.access, fill="init", init=init or Fill("zero", place),
            range=one.range, holds=fill,
        )  # fmt: skip
    if isinstance(one, Local):
        return TunedArgument("local", "uchar", count=_number(one.size_bytes))
    if isinstance(one, Scalar) and not isinstance(one.value, Sequence) and math.isfinite(one.value):
        return TunedArgument("scalar", one.type, value=_number(one.value))
    return TunedArgument("other", "", made=lambda names: one)


def _always(one: Hint) -> Callable[[Mapping[str, Value]], Hint]:
    return lambda names: one


def _problem(case: Case) -> Problem:
    kernel = TunedKernel(
        case.file, case.kernel,
        tuple(_argument(*one, place) for place, one in enumerate(zip(case.arguments, case.fills, case.inits))),
        tuple(map(_number, case.global_size)),
        tuple(map(_number, case.local_size)),
        case.options,
        parameters=(), hints=tuple(map(_always, case.hints)), offset=case.offset, idle_s=case.idle_s,
    )  # fmt: skip
    return Problem(Space([Parameter("case", (case.name,))], []), (kernel,))


def read_cases(path: Path) -> list[list[Problem]]:
    """Problems of one point each, those of a kernel together, in the order of the file."""
    groups: dict[tuple[Path, str, str], list[Problem]] = {}
    for case in read(path):
        groups.setdefault((case.file, case.kernel, case.options), []).append(_problem(case))
    return list(groups.values())
