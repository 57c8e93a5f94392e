# SPDX-License-Identifier: Apache-2.0
"""Kernels of a cases file (predictctl(1)): launches of one kernel of one file and options are one part of a page."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ..errors import InputOutput, Invalid, Limit, Unsupported
from ..tune.expressions import Expression
from ..tune.reading import TYPE
from ..tune.space import Parameter, Problem, Space, TunedArgument, TunedKernel

BYTES_MAX = 16 << 20
CASES_MAX = 10_000


def _number(value: Any, where: str) -> Expression:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Invalid(f"{where}: want a number, have {value!r:.40}")
    return Expression(repr(value), where)


def _argument(value: Any, where: str) -> TunedArgument:
    if not isinstance(value, dict):
        raise Invalid(f"{where}: want an object, have {value!r:.40}")
    if "buffer" in value:
        access = value.get("access", "rw")
        if access not in ("r", "w", "rw"):
            raise Invalid(f"{where}: 'access': want r, w or rw, have {access!r:.20}")
        return TunedArgument("buffer", "uchar", count=_number(value["buffer"], f"{where}: 'buffer'"), access=access)
    if "local" in value:
        return TunedArgument("local", "uchar", count=_number(value["local"], f"{where}: 'local'"))
    if "scalar" in value:
        kind = value["scalar"]
        if not isinstance(kind, str) or not TYPE.fullmatch(kind):
            raise Invalid(f"{where}: 'scalar': want a type of OpenCL C, have {kind!r:.40}")
        if isinstance(value.get("value"), list):
            raise Unsupported(f"{where}: a page has no vectors by value: `predictctl predict --cases` has")
        return TunedArgument("scalar", kind, value=_number(value.get("value", 0), f"{where}: 'value'"))
    raise Unsupported(f"{where}: a page has buffers, scalars and local memory: `predictctl predict --cases` has the others")


def _sizes(value: Any, where: str) -> tuple[Expression, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= 3:
        raise Invalid(f"{where}: want one to three sizes, have {value!r:.40}")
    return tuple(_number(one, where) for one in value)


def _case(value: Any, folder: Path, where: str) -> tuple[tuple[str, str, str], Problem]:
    if not isinstance(value, dict):
        raise Invalid(f"{where}: want an object, have {value!r:.40}")
    for key in ("id", "file"):
        if not isinstance(value.get(key), str):
            raise Invalid(f"{where}: '{key}': want a text")
    where = f"{where}: {value['id']:.60}"
    kernel, options = value.get("kernel", ""), value.get("options", "")
    if not isinstance(kernel, str) or not isinstance(options, str):
        raise Invalid(f"{where}: 'kernel', 'options': want texts")
    arguments = value.get("args", [])
    if not isinstance(arguments, list):
        raise Invalid(f"{where}: 'args': want a list")
    made = TunedKernel(
        folder / value["file"],
        kernel,
        tuple(_argument(one, f"{where}: 'args'[{place}]") for place, one in enumerate(arguments)),
        _sizes(value.get("global"), f"{where}: 'global'"),
        _sizes(value["local"], f"{where}: 'local'") if "local" in value else (),
        options,
        parameters=(),
    )
    return (value["file"], kernel, options), Problem(Space([Parameter("case", (value["id"],))], []), (made,))


def read_cases(path: Path) -> list[list[Problem]]:
    """Problems of one point each, those of a kernel together, in the order of the file."""
    try:
        with path.open("rb") as file:
            text = file.read(BYTES_MAX + 1)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from error
    if len(text) > BYTES_MAX:
        raise Limit(f"{path}: more than {BYTES_MAX >> 20} MiB")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{path}: no JSON: {error}") from None
    if not isinstance(value, list) or not value:
        raise Invalid(f"{path}: want a list of cases")
    if len(value) > CASES_MAX:
        raise Limit(f"{path}: more than {CASES_MAX} cases")
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for place, one in enumerate(value):
        key, problem = _case(one, path.parent, f"{path}: case {place + 1}")
        groups.setdefault(key, []).append(problem)
    return list(groups.values())
