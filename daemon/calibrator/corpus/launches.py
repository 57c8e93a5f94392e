# SPDX-License-Identifier: Apache-2.0
"""Launches of kernels/*.cl: common algorithms, each small and large, that no accuracy is judged by.

    launches.py KERNELS CASES.json

writes a cases file whose sources lie in KERNELS."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

Argument = dict[str, object]
Shape = tuple[int, ...]


def reals(count: int, access: str = "r", low: float = 0, high: float = 1) -> Argument:
    return {"buffer": 4 * count, "init": f"rand_float:{low}:{high}", "access": access}


def doubles(count: int, access: str = "r") -> Argument:
    return {"buffer": 8 * count, "init": "rand_double", "access": access}


def words(size: int, access: str = "r") -> Argument:
    """Random bits."""
    return {"buffer": size, "init": "rand_u32", "access": access}


def result(size: int) -> Argument:
    return {"buffer": size, "init": "zero", "access": "w"}


def zeros(size: int) -> Argument:
    return {"buffer": size, "init": "zero", "access": "rw"}


def order(count: int) -> Argument:
    return {"buffer": 4 * count, "init": "iota", "access": "r"}


def index(count: int, bound: int, access: str = "r") -> Argument:
    return {"buffer": 4 * count, "init": f"rand_index:{bound}", "access": access, "range": [0, bound - 1]}


def rows(count: int, each: int) -> Argument:
    return {"buffer": 4 * (count + 1), "init": f"csr_rowptr:{count}:{each}", "access": "r"}


def i(value: int) -> Argument:
    return {"scalar": "int", "value": value}


def u(value: int) -> Argument:
    return {"scalar": "uint", "value": value}


def f(value: float) -> Argument:
    return {"scalar": "float", "value": value}


@dataclass(frozen=True)
class Kernel:
    sizes: Sequence[int]
    launch: Callable[[int], tuple[Shape, Shape, list[Argument]]]  # global, local, arguments


K, M = 1 << 10, 1 << 20

KERNELS = {
    "adler": Kernel((4 * K, 64 * K), lambda n: ((n,), (64,), [words(64 * n), result(4 * n), i(64)])),
    "annuity_rates": Kernel((8 * K, 512 * K), lambda n: ((n,), (64,), [reals(n), reals(n), result(4 * n)])),
    "axpy_vectors": Kernel((32 * K, 2 * M), lambda n: ((n,), (128,), [reals(4 * n), reals(4 * n, "rw"), f(1.5)])),
    "bin_particles": Kernel((16 * K, 1 * M), lambda n: ((n,), (256,), [
        reals(n), reals(n), zeros(4 * 64 * 64), i(64)])),
    "blend_pixels": Kernel((64 * K, 4 * M), lambda n: ((n,), (64,), [words(4 * n), words(4 * n), result(4 * n)])),
    "box_blur": Kernel((192, 1536), lambda n: ((n, n), (32, 4), [reals(n * n), result(4 * n * n), i(n), i(n), i(3)])),
    "burning_ship": Kernel((128, 1024), lambda n: ((n, n), (16, 8), [result(4 * n * n), i(n), f(3 / n)])),
    "charges_tiled": Kernel((1 * K, 4 * K), lambda n: ((n,), (128,), [reals(4 * n), result(4 * n), i(n)])),
    "closest_code": Kernel((4 * K, 128 * K), lambda n: ((n,), (64,), [reals(8 * n), reals(8 * 24), result(4 * n), i(24)])),
    "column_means": Kernel((512, 4 * K), lambda n: ((n,), (64,), [reals(n * 512), result(4 * n), i(512), i(n)])),
    "common_divisors": Kernel((4 * K, 256 * K), lambda n: ((n,), (64,), [
        index(n, 10000), index(n, 10000), result(4 * n)])),
    "correlate": Kernel((16 * K, 1 * M), lambda n: ((n,), (128,), [reals(n + 48), reals(48), result(4 * n), i(48)])),
    "degree_counts": Kernel((32 * K, 1 * M), lambda n: ((n,), (64,), [
        index(n, n // 4), index(n, n // 4), zeros(n), zeros(n)])),
    "digit_counts": Kernel((64 * K, 8 * M), lambda n: ((n // 32,), (128,), [words(4 * n), zeros(256), i(n)])),
    "edit_step": Kernel((1 * K, 256 * K), lambda n: ((n,), (128,), [
        words(n), words(n), index(n + 1, n), index(n + 1, n), result(4 * n + 4), i(n)])),
    "erode_bytes": Kernel((256, 2 * K), lambda n: ((n, n), (16, 16), [words(n * n), result(n * n), i(n), i(n)])),
    "fewest_hops": Kernel((8 * K, 512 * K), lambda n: ((n,), (64,), [index(8 * n, n), index(n, n), result(4 * n)])),
    "hadamard_step": Kernel((16 * K, 2 * M), lambda n: ((n,), (64,), [reals(2 * n, "rw"), i(256)])),
    "horner_double": Kernel((16 * K, 1 * M), lambda n: ((n,), (64,), [doubles(n), result(8 * n)])),
    "interpolate_nodes": Kernel((16 * K, 1 * M), lambda n: ((n,), (64,), [
        index(3 * n, n), reals(4 * n), result(16 * n)])),
    "keep_positive": Kernel((16 * K, 2 * M), lambda n: ((n,), (128,), [
        reals(n, "r", -1, 1), result(4 * n), zeros(4), u(n - 1)])),
    "laplace_cube": Kernel((48, 160), lambda n: ((n, n, n), (16, 4, 1), [reals(n**3), result(4 * n**3), i(n)])),
    "lower_bound": Kernel((8 * K, 512 * K), lambda n: ((n,), (64,), [order(n), index(n, n), result(4 * n), i(n)])),
    "median_of_seven": Kernel((16 * K, 2 * M), lambda n: ((n,), (64,), [reals(n + 6), result(4 * n)])),
    "merge_rank": Kernel((16 * K, 512 * K), lambda n: ((n,), (128,), [index(n, n), result(4 * n), i(n // 2)])),
    "min_plus": Kernel((96, 320), lambda n: ((n, n), (16, 8), [
        index(n * n, 1000), index(n * n, 1000), result(4 * n * n), i(n)])),
    "move_bodies": Kernel((20 * K, 1 * M), lambda n: ((n,), (256,), [
        reals(n, "rw"), reals(n, "rw"), reals(n, "rw"), reals(n), reals(n), reals(n), f(0.01), i(n - 100)])),
    "nearest_sphere": Kernel((128, 1 * K), lambda n: ((n, n), (32, 2), [
        reals(4 * 40, "r", -2, 2), result(4 * n * n), i(n), i(40)])),
    "normal_pairs": Kernel((16 * K, 1 * M), lambda n: ((n,), (64,), [reals(2 * n), result(8 * n)])),
    "one_at_a_time": Kernel((8 * K, 512 * K), lambda n: ((n,), (64,), [words(32 * n), result(4 * n)])),
    "permute": Kernel((32 * K, 4 * M), lambda n: ((n,), (64,), [reals(n), index(n, n), result(4 * n)])),
    "product_blocked": Kernel((128, 512), lambda n: ((n, n), (16, 16), [
        reals(n * n), reals(n * n), result(4 * n * n), i(n)])),
    "product_transposed": Kernel((96, 384), lambda n: ((n, n), (32, 4), [
        reals(n * n), reals(n * n), result(4 * n * n), i(n)])),
    "random_walk": Kernel((4 * K, 64 * K), lambda n: ((n,), (64,), [words(4 * n), result(8 * n), i(100)])),
    "reverse_order": Kernel((16 * K, 1 * M), lambda n: ((n,), (64,), [
        reals(2 * n), result(8 * n), i(n.bit_length() - 1)])),
    "rotate_bytes": Kernel((384, 3 * K), lambda n: ((n, n), (16, 16), [words(n * n), result(n * n), i(n), i(n)])),
    "row_maximum": Kernel((4 * K, 256 * K), lambda n: ((n,), (64,), [
        rows(n, 12), index(12 * n, n), reals(12 * n), reals(n), result(4 * n)])),
    "row_norms": Kernel((512, 8 * K), lambda n: ((n,), (64,), [reals(600 * n), result(4 * n), i(600)])),
    "running_maximum": Kernel((16 * K, 1 * M), lambda n: ((n,), (256,), [index(n, n), result(4 * n)])),
    "smooth_line": Kernel((16 * K, 2 * M), lambda n: ((n,), (128,), [reals(n), result(4 * n), i(n)])),
    "softmax_rows": Kernel((64, 2 * K), lambda n: ((128 * n,), (128,), [reals(1000 * n), result(4000 * n), i(1000)])),
    "sort_groups": Kernel((8 * K, 128 * K), lambda n: ((n,), (128,), [index(n, n, "rw")])),
    "swap_axes": Kernel((40, 160), lambda n: ((n**3,), (64,), [reals(n**3), result(4 * n**3), i(n), i(n), i(n)])),
    "table_insert": Kernel((16 * K, 512 * K), lambda n: ((n,), (128,), [words(4 * n), zeros(8 * n), u(2 * n - 1)])),
    "tone_table": Kernel((64 * K, 4 * M), lambda n: ((n,), (128,), [words(n), reals(256), result(4 * n)])),
    "tridiagonal": Kernel((256, 8 * K), lambda n: ((n,), (64,), [
        reals(128 * n), reals(128 * n), reals(128 * n, "rw"), zeros(512 * n), i(128), i(n)])),
    "variance_partial": Kernel((64 * K, 8 * M), lambda n: ((n // 16,), (256,), [reals(n), result(n // 512), i(n)])),
    "wave_step": Kernel((320, 2560), lambda n: ((n, n), (64, 2), [
        reals(n * n), reals(n * n, "rw"), reals(n * n), i(n), i(n)])),
}


def main() -> None:
    kernels, out = Path(sys.argv[1]), Path(sys.argv[2])
    if {path.stem for path in kernels.glob("*.cl")} != set(KERNELS):
        sys.exit(f"launches.py: {kernels}: not the kernels of the table")
    cases = []
    # all small ones first, then all large ones: neighbours are of different kernels
    for place in range(2):
        for name, kernel in KERNELS.items():
            size = kernel.sizes[place]
            items, group, arguments = kernel.launch(size)
            cases.append({"id": f"common.{name}.{size}", "class": "common", "file": str(kernels.resolve() / f"{name}.cl"),
                          "kernel": name, "global": items, "local": group, "args": arguments})
    out.write_text(json.dumps(cases, indent=0) + "\n", encoding="ascii")


main()
