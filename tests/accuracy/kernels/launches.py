# SPDX-License-Identifier: Apache-2.0
"""What a table of real kernels is made of: a kernel, its sizes and shapes, and its arguments."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent

Argument = dict[str, object]
Shape = tuple[int, ...]

FLOATS = "rand_float"


def read(count: int, init: str = FLOATS, size: int = 4) -> Argument:
    return {"buffer": count * size, "init": init, "access": "r"}


def write(count: int, size: int = 4) -> Argument:
    return {"buffer": count * size, "init": "zero", "access": "w"}


def update(count: int, init: str = FLOATS, size: int = 4) -> Argument:
    return {"buffer": count * size, "init": init, "access": "rw"}


def index(count: int, bound: int, access: str = "r") -> Argument:
    """Indices of an array of `bound` elements: whoever calls the kernel knows the bound."""
    return {"buffer": count * 4, "init": f"rand_index:{bound}", "access": access, "range": [0, bound - 1]}


def rows(count: int, each: int) -> Argument:
    return {"buffer": (count + 1) * 4, "init": f"csr_rowptr:{count}:{each}", "access": "r"}


def i(value: int) -> Argument:
    return {"scalar": "int", "value": value}


def u(value: int) -> Argument:
    return {"scalar": "uint", "value": value}


def ul(value: int) -> Argument:
    return {"scalar": "ulong", "value": value}


def f(value: float) -> Argument:
    return {"scalar": "float", "value": value}


def d(value: float) -> Argument:
    return {"scalar": "double", "value": value}


def words(*values: int) -> Argument:
    """A vector of unsigned integers by value."""
    return {"scalar": f"uint{len(values)}", "value": list(values)}


def ints(*values: int) -> Argument:
    """A vector of integers by value."""
    return {"scalar": f"int{len(values)}", "value": list(values)}


def reals(*values: float) -> Argument:
    """A vector of floats by value."""
    return {"scalar": f"float{len(values)}", "value": list(values)}


def local(size: int) -> Argument:
    return {"local": size}


@dataclass(frozen=True)
class Kernel:
    """`work` and `args` are given the size and the work-group; `options` the work-group."""

    path: str
    sizes: Sequence[int]
    shapes: Sequence[Shape]
    work: Callable[[int, Shape], Shape]
    args: Callable[[int, Shape], list[Argument]]
    options: Callable[[Shape], str] = field(default=lambda g: "")
    data: bool = False  # its time depends on what buffers hold


def line(n: int, g: Shape) -> Shape:
    return (-(-n // g[0]) * g[0],)


def square(n: int, g: Shape) -> Shape:
    return (n, n)


def rounded(n: int, g: Shape) -> Shape:
    """A square, each side as many whole work-groups as it takes."""
    return (-(-n // g[0]) * g[0], -(-n // g[1]) * g[1])


def shape_name(shape: Shape) -> str:
    return "x".join(str(side) for side in shape)


def case_of(path: pathlib.Path, kernel: Kernel, size: int, shape: Shape, what: str, folder: str) -> dict[str, object]:
    """One launch of the kernel in folder `path`, whose name is its family; `folder`: of the cases file."""
    case: dict[str, object] = {
        "id": f"{kernel.path}.{what}",
        "class": path.name,
        "file": os.path.relpath(path / f"{kernel.path}.cl", folder),
        "kernel": kernel.path,
    }
    if kernel.options(shape):
        case["options"] = kernel.options(shape)
    case["global"] = list(kernel.work(size, shape))
    case["local"] = list(shape)
    case["args"] = kernel.args(size, shape)
    if kernel.data:
        case["time_depends_on_data"] = True
    return case
