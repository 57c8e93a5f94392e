# SPDX-License-Identifier: Apache-2.0
"""Families of the library that have the kernels of one well-known suite each: kernels/FAMILY/NAME.cl."""

import hashlib
import struct

from launches import Kernel, f, i, index, line, local, read, reals, rounded, rows, u, update, write

LINES = ((64,), (128,))
LONG = ((256,), (64,))


def padded(n: int) -> int:
    """A row of cells, as far as the next one begins."""
    return -(-n // 32) * 32


def digest(index: int, length: int) -> tuple[int, ...]:
    """MD5 of a key whose bytes are the decimal digits of `index`, the last one first."""
    key = bytes(index // 10 ** k % 10 for k in range(length))
    return struct.unpack("<4I", hashlib.md5(key).digest())


FAMILIES: dict[str, list[Kernel]] = {
    "parboil": [
        Kernel("cutoff_potential", (1, 4, 8, 12), ((8, 2, 8), (8, 2, 4)), lambda n, g: (
            8, 2 * min(n, 4), 8 * max(n // 4, 1)), lambda n, g: [
            i(7), i(6 + min(n, 4)), read(32 * 7 * (6 + min(n, 4)) * (6 + max(n // 4, 1)), "rand_float:-6:22"), f(0.5),
            f(0.25), f(144.0), f(1 / 144), write(512 * n), index(4 * 7 ** 3, 7), i(7 ** 3)], data=True),
        Kernel("histo_saturated", (4096, 65536, 524288, 1048576), ((512, 1), (128, 1)), lambda n, g: (14 * g[0], 6),
               lambda n, g: [
            read(n, "rand_u32"), u(n), u(1), u(6), u(8), write(14 * 6 * 2048), update(8 * 2048 * 2, "zero"),
            update(8 * 2048 * 4, "zero")], lambda g: "-DKB=8", data=True),
        Kernel("lbm_d3q19", (4, 16, 40, 80), ((120, 1), (60, 1)), lambda n, g: (g[0] * n, n), lambda n, g: [
            read(19 * padded(g[0]) * n * (n + 2), "rand_float:0.02:0.1"),
            update(19 * padded(g[0]) * n * (n + 2), "zero"), read(padded(g[0]) * n * (n + 2), "zero")],
            lambda g: f"-DSIZE_X={g[0]} -DPADDED_X={padded(g[0])}", data=True),
        Kernel("grid_samples", (8, 16, 24, 32), ((4, 4, 4), (8, 4, 4)), lambda n, g: (n, n * n // 4, 4), lambda n, g: [
            read(6 * n ** 3, f"rand_float:0:{n}"), rows(n ** 3, 1), i(n), i(n), i(n), f(2.0), f(n * n / 16),
            f(16 / n / n), f(8.5), write(2 * n ** 3), write(n ** 3)],
            lambda g: f"-DCACHED={g[0] * g[1] * g[2]}", data=True),
        Kernel("q_matrix", (256, 512, 768, 1024), ((256,), (64,)), line, lambda n, g: [
            i(1024 + n * n // 1024), i(1024), read(n, "rand_float:-1:1"), read(n, "rand_float:-1:1"),
            read(n, "rand_float:-1:1"), update(n), update(n), read(4 * 1024, "rand_float:-1:1")]),
        Kernel("sad_blocks", (1, 3, 6, 11), ((61, 1), (122, 1)), lambda n, g: (4 * 61 * n, 4 * n), lambda n, g: [
            write(16 * n * n * 1096, 2), read(256 * n * n, "rand_index:256", 2), read(256 * n * n, "rand_index:256", 2),
            i(n), i(n)], lambda g: f"-DBLOCKS={g[0] // 61}"),
    ],
    "shoc": [
        Kernel("md5_search", (1000, 10000, 100000, 1000000), LONG, lambda n, g: line(n // 10, g), lambda n, g: [
            *(u(word) for word in digest(n // 2 + 3, len(str(n)) - 1)), i(n), i(len(str(n)) - 1), i(10),
            update(1, "zero"), update(8, "zero", 1), update(4, "zero")], data=True),
        Kernel("fft_512", (16, 128, 1024, 4096), ((64, 1), (64, 2)), lambda n, g: (64, n), lambda n, g: [
            update(2 * 512 * n, "rand_float:-1:1")], lambda g: f"-DFFTS={g[1]}"),
        Kernel("reaction_rates", (4096, 13824, 32768, 110592), ((128,), (64,)), line, lambda n, g: [
            read(n, "rand_float:800:2400"), write(48 * n), f(1.0), i(n)]),
        Kernel("quality_clusters", (64, 128, 256, 512), LINES, lambda n, g: (32 * g[0],), lambda n, g: [
            read(n * n, "rand_float:0:1"), read(n, "rand_index:2", 1), update(32 * n, "zero", 1),
            update(32 * n, "zero"), write(2 * 32), i(n), f(0.9), local(4 * g[0]), local(4 * g[0])], data=True),
        Kernel("stencil_nine", (256, 512, 1024, 2560), ((1, 256), (1, 64)), lambda n, g: (n // 8, n), lambda n, g: [
            read((n + 2) * (n + 16)), write((n + 2) * (n + 16)), i(n + 16), f(0.25), f(0.15), f(0.05),
            local(4 * 10 * (g[1] + 2))], lambda g: "-DLROWS=8"),
        Kernel("ellpack_rows", (1024, 4096, 8192, 18432), ((128,), (64,)), line, lambda n, g: [
            read(n // 50 * n), read(n), index(n // 50 * n, n), index(n, n // 50 + 1), i(n), write(n)], data=True),
    ],
    "dwarfs": [
        Kernel("convolution_rows", (256, 768, 1536, 3072), ((16, 4), (32, 4)), lambda n, g: (n // 8, n), lambda n, g: [
            write(n * n), read(n * n), read(17), i(n), i(n), i(n)], lambda g: f"-DBLOCK_X={g[0]} -DBLOCK_Y={g[1]}"),
        Kernel("dct_columns_rows", (128, 512, 1024, 2048), ((32, 2), (64, 1)), lambda n, g: (n, n // 8), lambda n, g: [
            write(n * n), read(n * n, "rand_float:0:255"), u(n), u(n), u(n)],
            lambda g: f"-DBLOCK_X={g[0]} -DBLOCK_Y={8 * g[1]}"),
        Kernel("median_rgba", (64, 256, 512, 640), ((16, 4), (32, 8)), rounded, lambda n, g: [
            read(4 * n * n, "rand_u32", 1), write(n * n), local(4 * (g[0] + 2) * (g[1] + 2)), i(g[0] + 2), i(n), i(n)],
            data=True),
        Kernel("viterbi_step", (128, 512, 1536, 4096), ((256,), (64,)), lambda n, g: (n * g[0],), lambda n, g: [
            write(n), write(50 * n), read(n, "rand_float:-9:0"), read(n * n, "rand_float:-9:0"),
            read(32 * n, "rand_float:-9:0"), i(n), i(17), i(50), local(4 * g[0]), local(4 * g[0])], data=True),
        Kernel("gem_potential", (64, 512, 2048, 8192), ((64,), (128,)), line, lambda n, g: [
            i(128), i(n), rows(128, 16), read(2048, "rand_float:-20:20"), read(2048, "rand_float:-20:20"),
            read(2048, "rand_float:-20:20"), read(2048, "rand_float:-1:1"), read(n, "rand_float:-25:25"),
            read(n, "rand_float:-25:25"), read(n, "rand_float:-25:25"), read(3 * n, "rand_float:-1:1"), f(25.0), f(2.0),
            reals(1.0, 80.0, 0.1, 2.0), write(n)], data=True),
        Kernel("nqueens", (64, 512, 2048, 4096), ((64,), (32,)), line, lambda n, g: [
            i(10), i(n), index(n, 64), index(n, 64), index(n, 64), write(n), local(256 * g[0])], data=True),
        Kernel("episode_counts", (128, 512, 2048, 8192), ((128,), (64,)), line, lambda n, g: [
            read(4096, "rand_u32", 1), rows(4095, 3), i(4096), read(4 * n, "rand_u32", 1), index(4 * n, 2000), i(4),
            i(n), write(n), local(g[0]), local(4 * g[0])], data=True),
    ],
}
