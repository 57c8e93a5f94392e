# SPDX-License-Identifier: Apache-2.0
"""A folder of launches that hang on data: files of buffers, the cases that name them, and their ranges.

What makes such data (data, judging/data) lists its makers; each takes the folder and adds to it."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy


class Folder:
    """Files of data, and the cases that name them."""

    def __init__(self, path: Path, seed: int):
        self.path, self.seed, self.cases = path, seed, []
        self.ranges: dict[str, list[int]] = {}
        self.names: set[str] = set()
        self.random = numpy.random.default_rng(seed)

    def buffer(self, name: str, data, access: str = "r") -> dict:
        """A sampled buffer with these contents; a range is of integers alone."""
        if name in self.names:
            raise ValueError(f"{name}.bin: want one buffer of this name, have two")
        self.names.add(name)
        data = numpy.ascontiguousarray(data)
        data.tofile(self.path / f"{name}.bin")
        if numpy.issubdtype(data.dtype, numpy.integer):
            self.ranges[f"@{name}.bin"] = [int(data.min()), int(data.max())]
        return {"buffer": int(data.nbytes), "access": access, "init": f"@{name}.bin", "sample": True}

    def case(self, name: str, kernel: str, items: int | list[int], args: list, local: int | list[int] = 128) -> None:
        self.cases.append({
            "id": f"{kernel}.{name}", "file": "kernels.cl", "kernel": kernel,
            "global": items if isinstance(items, list) else [items],
            "local": local if isinstance(local, list) else [local],
            "args": args, "time_depends_on_data": True,
        })  # fmt: skip

    def close(self, kernels: Path) -> None:
        """Writes what is said of the buffers, beside a copy of the kernels."""
        shutil.copy(kernels, self.path)
        lines = ",\n ".join(json.dumps(case) for case in self.cases)
        (self.path / "cases.json").write_text(f"[{lines}]\n")
        (self.path / "ranges.json").write_text(json.dumps(self.ranges, indent=1) + "\n")


def zeros(count: int, access: str = "rw") -> dict:
    return {"buffer": 4 * count, "access": access, "init": "zero"}


def floats(count: int) -> dict:
    return {"buffer": 4 * count, "access": "r", "init": "rand_float"}


def integer(value: int, kind: str = "int") -> dict:
    return {"scalar": kind, "value": int(value)}


def real(value: float) -> dict:
    return {"scalar": "float", "value": float(value)}


def make(usage: str, seed: int, kernels: Path, makers: Iterable[Callable[[Folder], None]]) -> int:
    """The program: makes the folder that its one argument names; returns the exit status."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(usage, file=sys.stderr)
        return 2
    folder = Folder(Path(sys.argv[1]), seed)
    folder.path.mkdir(parents=True, exist_ok=True)
    for maker in makers:
        maker(folder)
    folder.close(kernels)
    print(f"{len(folder.cases)} cases of {len({case['kernel'] for case in folder.cases})} kernels")
    return 0
