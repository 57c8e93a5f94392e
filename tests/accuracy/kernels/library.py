# SPDX-License-Identifier: Apache-2.0
"""The library of real kernels: kernels/FAMILY/NAME.cl."""

import fields
import suites
from launches import (Argument, Kernel, Shape, d, f, i, index, ints, line, local, read, reals, rounded, rows, square, u,
                      ul, update, words, write)

# Sizes: elements of streams up to 64 MB, sides of matrices and images.
STREAM = (16384, 262144, 2097152, 16777216)
SHORT = (4096, 32768, 262144, 2097152)
SIDES = (128, 512, 1024, 3072)
MATRIX = (64, 192, 384, 768)
LONG_ROWS = (256, 512, 1024, 2048, 4096)
LINES = ((64,), (256,))
FLAT = ((16, 16), (64, 2), (32, 4))
TILES = ((16, 16), (8, 8))
LINES_192 = ((64,), (192,))
FLAT_128 = ((16, 8), (64, 2))
FLAT_32 = ((16, 8), (32, 2))
TILES_32 = ((16, 8), (32, 8))
NARROW = ((32,), (96,))
TREES = LINES_128 = ((64,), (128,))  # halved down to one

RATIO = int(0.91875 * 2 ** 32)  # 44.1 by 48 kHz, 32 bits behind the point

# For Montgomery's products: a prime of 63 bits, -1 / MODULUS modulo 2^64, and 2^128 modulo MODULUS.
MODULUS = 2 ** 63 - 25
INVERSE = -pow(MODULUS, -1, 2 ** 64) % 2 ** 64
SQUARE = 2 ** 128 % MODULUS


def flagged(n: int, g: Shape) -> list[Argument]:
    return [read(n), read(n, "rand_index:1000"), write(n), update(1, "zero"), i(n), f(0.2), f(0.7), i(400),
            local(4 * g[0])]


def rounded_to(x: int, y: int, g: Shape) -> Shape:
    """x columns and y rows, as many whole work-groups as they take."""
    return (-(-x // g[0]) * g[0], -(-y // g[1]) * g[1])


def tiled(g: Shape) -> str:
    return f"-DTILE_X={g[0]} -DTILE_Y={g[1]}"


FAMILIES: dict[str, list[Kernel]] = {
    "linalg": [
        Kernel("gemm_naive", MATRIX, ((16, 16), (64, 4)), square, lambda n, g: [
            read(n * n), read(n * n), update(n * n), f(1.5), f(0.5), i(n)]),
        Kernel("gemm_tiled", MATRIX, TILES, square, lambda n, g: [
            read(n * n), read(n * n), write(n * n), i(n)], lambda g: f"-DTILE={g[0]}"),
        Kernel("gemm_registers", (64, 192, 512, 1024), ((16, 8), (64, 1)), lambda n, g: (n, n // 4),
               lambda n, g: [read(n * n), read(n * n), write(n * n), i(n)]),
        Kernel("gemv", LONG_ROWS, LINES, line, lambda n, g: [read(n * n), read(n), write(n), i(n)]),
        Kernel("gemv_transposed", LONG_ROWS, LINES, line, lambda n, g: [
            read(n * n), read(n), write(n), i(n)]),
        Kernel("gesummv", (256, 768, 1500, 3000), LINES, line, lambda n, g: [
            read(n * n), read(n * n), read(n), write(n), f(1.2), f(0.8), i(n)]),
        Kernel("syrk", MATRIX, ((16, 16), (32, 2)), square, lambda n, g: [
            read(n * n), update(n * n), i(n), i(n)]),
        Kernel("trsv_step", (256, 1024, 2048, 4000), LINES, line, lambda n, g: [
            read(line(n, g)[0] * n, "rand_float:1:2"), update(line(n, g)[0]), write(n), i(n), i(n // 4)]),
        Kernel("lu_step", SIDES, FLAT, square, lambda n, g: [update(n * n), read(n), i(n), i(n // 8)]),
        Kernel("cholesky_step", SIDES, FLAT, square, lambda n, g: [
            update(n * n, "rand_float:1:2"), i(n), i(n // 8)]),
        Kernel("transpose_naive", (128, 1000, 1024, 2048, 3000), FLAT, lambda n, g: (
            line(n, g)[0], -(-n // g[1]) * g[1]), lambda n, g: [read(n * n), write(n * n), i(n), i(n)]),
        Kernel("transpose_tiled", (128, 512, 1024, 2048, 3072), TILES, square, lambda n, g: [
            read(n * n), write(n * n), i(n), i(n)], lambda g: f"-DTILE={g[0]}"),
        Kernel("rank_one", SIDES, FLAT, square, lambda n, g: [
            update(n * n), read(n), read(n), read(n), read(n), i(n)]),
        Kernel("column_statistics", (256, 1000, 1024, 2048, 4000), ((64,), (200,)), line, lambda n, g: [
            read(n * line(n, g)[0]), write(line(n, g)[0]), write(line(n, g)[0]), i(n), i(line(n, g)[0])]),
        Kernel("axpy_double", SHORT, LINES, line, lambda n, g: [
            read(n, "rand_double", 8), update(n, "rand_double", 8), d(0.3), i(n)]),
    ],
    "stencil": [
        Kernel("jacobi2d", SIDES, FLAT, square, lambda n, g: [read(n * n), write(n * n), i(n)]),
        Kernel("jacobi2d_tiled", SIDES, FLAT, square, lambda n, g: [
            read((n + 2) * (n + 2)), write((n + 2) * (n + 2)), i(n + 2)],
            tiled),
        Kernel("jacobi3d", (32, 64, 128, 192), ((16, 4, 2), (32, 4, 1)), lambda n, g: (n, n, n),
               lambda n, g: [read(n ** 3), write(n ** 3), i(n), i(n), i(n)]),
        Kernel("stencil27", (32, 64, 96, 160), ((16, 4, 2), (32, 2, 1)), lambda n, g: (n, n, n),
               lambda n, g: [read((n + 2) ** 3), write((n + 2) ** 3), read(27), i(n + 2), i(n + 2)]),
        Kernel("hotspot", SIDES, FLAT, square, lambda n, g: [
            read(n * n), read(n * n), write(n * n), i(n), i(n), f(0.1), f(0.3), f(0.2), f(0.05)]),
        Kernel("fdtd_fields", SIDES, FLAT, square, lambda n, g: [
            update(n * n), update(n * n), read(n * n), i(n), i(n)]),
        Kernel("fdtd_magnetic", SIDES, FLAT, square, lambda n, g: [
            read(n * n), read(n * n), update(n * n), i(n), i(n)]),
        Kernel("wave2d", SIDES, FLAT, square, lambda n, g: [
            read((n + 4) ** 2), read((n + 4) ** 2), write((n + 4) ** 2), read((n + 4) ** 2), i(n + 4)]),
        Kernel("heat_double", (128, 384, 1024, 2048), FLAT, square, lambda n, g: [
            read(n * n, "rand_double", 8), write(n * n, 8), i(n), d(0.1)]),
        Kernel("lbm_d2q9", (64, 256, 512, 1024), FLAT, square, lambda n, g: [
            read(9 * n * n, "rand_float:0.5:1"), write(9 * n * n), i(n), i(n), f(1.2)]),
        Kernel("life", (256, 512, 2048, 4096), FLAT, square, lambda n, g: [
            read(n * n, "rand_u32", 1), write(n * n, 1), i(n), i(n)]),
        Kernel("srad_coefficients", SIDES, FLAT, square, lambda n, g: [
            read(n * n, "rand_float:0.5:2"), write(n * n), i(n), i(n), f(0.05)]),
        Kernel("convolution2d", SIDES, FLAT, square, lambda n, g: [
            read(n * n), write(n * n), i(n), i(n)]),
    ],
    "image": [
        Kernel("gauss_rows", SIDES, FLAT, square, lambda n, g: [read(n * n), write(n * n), i(n), i(n)]),
        Kernel("gauss_columns", SIDES, FLAT, square, lambda n, g: [
            read(n * (n + 8)), write(n * n), read(9), i(n), i(4)]),
        Kernel("sobel", (256, 512, 2048, 4096), FLAT, square, lambda n, g: [
            read(n * n, "rand_u32", 1), write(n * n, 1), i(n), i(n)]),
        Kernel("median3x3", SIDES, FLAT, square, lambda n, g: [
            read((n + 2) ** 2), write(n * n), i(n + 2)]),
        Kernel("bilateral", (64, 256, 512, 1024), ((16, 16), (64, 2)), square, lambda n, g: [
            read(n * n), write(n * n), i(n), i(n), i(2), f(0.2), f(4.0)]),
        Kernel("nlm", (64, 128, 256, 512), ((16, 16), (32, 2)), square, lambda n, g: [
            read((n + 8) ** 2), write(n * n), i(n + 8), f(0.5)]),
        Kernel("harris", SIDES, FLAT, square, lambda n, g: [
            read((n + 4) ** 2), write(n * n), i(n + 4), f(0.04)]),
        Kernel("integral_rows", LONG_ROWS, LINES, line, lambda n, g: [
            read(n * n), write(n * n), i(n), i(n)]),
        Kernel("integral_columns", LONG_ROWS, LINES, line, lambda n, g: [
            update(n * line(n, g)[0], "zero"), i(line(n, g)[0]), i(n)]),
        Kernel("resize_bilinear", SIDES, FLAT, square, lambda n, g: [
            read(n * n // 4), write(n * n), i(n // 2), i(n // 2), f(0.5), f(0.5)]),
        Kernel("rgb_to_yuv", STREAM, LINES, line, lambda n, g: [
            read(n, "rand_u32", 4), write(n, 1), write(n, 1), write(n, 1), i(n)]),
        Kernel("tone_map", (4096, 32768, 262144, 1048576), LINES, line, lambda n, g: [
            read(4 * n, "rand_float:0.01:20"), write(4 * n), f(0.7), f(0.45)]),
        Kernel("histogram256", (65536, 1048576, 8388608, 33554432), LINES, lambda n, g: (n // 64,), lambda n, g: [
            read(n, "rand_u32", 1), update(256, "zero"), i(n)], data=True),
    ],
    "reduction": [
        Kernel("sum_tree", (16384, 262144, 2097152, 8388608), LINES, line, lambda n, g: [
            read(n), write(n // g[0]), local(4 * g[0])]),
        Kernel("sum_strided", (65536, 1048576, 4194304, 16777216), LINES, lambda n, g: (n // 64,), lambda n, g: [
            read(n), write(n // 64 // g[0]), local(4 * g[0]), i(n)]),
        Kernel("sum_blocked", (65536, 1048576, 4194304, 16777216), LINES, lambda n, g: (n // 128,),
               lambda n, g: [read(n), write(n // 128), i(128)]),
        Kernel("dot_vectors", (16384, 262144, 2097152, 8388608), LINES, lambda n, g: (n // 4,), lambda n, g: [
            read(n), read(n), write(n // 4 // g[0]), local(4 * g[0])]),
        Kernel("index_of_maximum", (16384, 262144, 1048576, 4194304), LINES, line, lambda n, g: [
            read(n), write(n // g[0]), local(4 * g[0]), local(4 * g[0])]),
        Kernel("count_above", (16384, 262144, 2097152, 8388608), LINES, line, lambda n, g: [
            read(n), update(1, "zero"), f(0.5)], data=True),
        Kernel("scan_stepwise", (16384, 131072, 1048576, 4194304), LINES, line, lambda n, g: [
            read(n, "rand_index:1000"), write(n), local(4 * g[0]), local(4 * g[0])]),
        Kernel("scan_efficient", (16384, 131072, 1048576, 4194304), ((64,), (128,)), lambda n, g: (n // 2,),
               lambda n, g: [read(n, "rand_index:1000"), write(n), write(n // 2 // g[0]), local(8 * g[0])]),
        Kernel("add_block_sums", STREAM, LINES, line, lambda n, g: [
            update(n, "rand_index:1000"), read(n // g[0], "rand_index:1000")]),
    ],
    "sort": [
        Kernel("bitonic_global", (16384, 262144, 2097152, 16777216), LINES, lambda n, g: (n // 2,),
               lambda n, g: [update(n, "rand_u32"), u(4096), u(256)], data=True),
        Kernel("bitonic_local", (16384, 131072, 524288, 2097152), ((64,), (128,)), lambda n, g: (n // 2,),
               lambda n, g: [update(n, "rand_u32"), local(8 * g[0])], data=True),
        Kernel("odd_even", (16384, 262144, 2097152, 16777216), LINES, lambda n, g: (n // 2,),
               lambda n, g: [update(n, "rand_index:1000000"), i(1), i(n)]),
        Kernel("rank_sort", (1024, 4096, 12288, 24576), LINES, line, lambda n, g: [
            read(n, "iota"), write(n), i(n)]),
        Kernel("radix_count", (65536, 524288, 4194304, 16777216), LINES, lambda n, g: (n // 64,),
               lambda n, g: [read(n, "rand_u32"), write(n // 4), i(64), i(8)], data=True),
        Kernel("radix_scatter", (65536, 524288, 4194304, 16777216), LINES, lambda n, g: (n // 64,),
               lambda n, g: [read(n, "rand_u32"), index(n // 4, n - 64), write(n), i(64), i(8)], data=True),
    ],
    "sparse": [
        Kernel("csr_scalar", (2048, 16384, 131072, 524288), LINES, line, lambda n, g: [
            rows(n, 16), index(16 * n, n), read(16 * n), read(n), write(n), i(n)], data=True),
        Kernel("csr_vector", (1024, 8192, 32768, 131072), LINES, lambda n, g: (16 * n,), lambda n, g: [
            rows(n, 32), index(32 * n, n), read(32 * n), read(n), write(n), local(4 * g[0])], data=True),
        Kernel("ell", (2048, 16384, 131072, 524288), LINES, line, lambda n, g: [
            index(12 * n, n), read(12 * n), read(n), write(n), i(n), i(12)], data=True),
        Kernel("coo_atomic", (16384, 131072, 1048576, 4194304), LINES, line, lambda n, g: [
            index(n, n // 8), index(n, n // 8), read(n, "rand_index:100"), read(n // 8, "rand_index:100"),
            update(n // 8, "zero"), i(n)], data=True),
        Kernel("diagonals", (4096, 65536, 524288, 2097152), LINES, line, lambda n, g: [
            read(7 * n), index(7, 64), read(n), write(n), i(n), i(7)]),
        Kernel("jacobi_csr", (2048, 16384, 131072, 524288), LINES, line, lambda n, g: [
            rows(n, 8), index(8 * n, n), read(8 * n), read(n, "rand_float:1:2"), read(n), read(n), write(n)],
            data=True),
    ],
    "graph": [
        Kernel("bfs_level", (8192, 65536, 524288, 2097152), LINES, line, lambda n, g: [
            rows(n, 8), index(8 * n, n), update(n, "rand_index:4"), update(1, "zero"), i(2), i(n)], data=True),
        Kernel("pagerank_pull", (4096, 32768, 262144, 1048576), LINES, line, lambda n, g: [
            rows(n, 8), index(8 * n, n), read(n), read(n), write(n), f(0.85), i(n)], data=True),
        Kernel("sssp_relax", (16384, 131072, 1048576, 8388608), LINES, line, lambda n, g: [
            index(n, n // 8), index(n, n // 8), read(n, "rand_index:100"), read(n // 8, "rand_index:100000"),
            update(n // 8, "rand_index:100000"), i(n)], data=True),
        Kernel("components_hook", (4096, 32768, 262144, 1048576), LINES, line, lambda n, g: [
            rows(n, 8), index(8 * n, n), read(n, "rand_index:1000000"), write(n)], data=True),
        Kernel("pointer_jump", (16384, 262144, 2097152, 8388608), LINES, line, lambda n, g: [
            index(n, n), write(n), i(n)], data=True),
    ],
    "particles": [
        Kernel("nbody_direct", (512, 2048, 4096, 8192), LINES, line, lambda n, g: [
            read(4 * n), write(4 * n), i(n), f(0.05)]),
        Kernel("nbody_tiled", (512, 2048, 4096, 8192), LINES, line, lambda n, g: [
            read(4 * n), write(4 * n), i(n), f(0.05), local(16 * g[0])]),
        Kernel("lennard_jones", (4, 8, 16, 24), ((64,), (128,)), lambda n, g: (8 * n ** 3,), lambda n, g: [
            read(8 * n ** 3, f"rand_float:0:{n}"), read(8 * n ** 3, f"rand_float:0:{n}"),
            read(8 * n ** 3, f"rand_float:0:{n}"), write(8 * n ** 3), i(n), i(8), f(0.9)], data=True),
        Kernel("neighbour_forces", (2048, 16384, 65536, 262144), LINES, line, lambda n, g: [
            read(4 * n), index(32 * n, n), write(4 * n), i(32), i(n), f(0.5)], data=True),
        Kernel("sph_density", (4096, 32768, 131072, 524288), LINES, line, lambda n, g: [
            read(2 * n), write(n), i(32), i(n), f(0.6)]),
        Kernel("verlet", (4096, 65536, 524288, 2097152), LINES, line, lambda n, g: [
            update(4 * n), update(4 * n), read(4 * n), f(0.01)]),
        Kernel("coulomb_grid", (64, 128, 256, 512), ((16, 16), (64, 1)), square, lambda n, g: [
            read(4 * 512), update(n * n), i(512), f(0.01)]),
    ],
    "finance": [
        Kernel("black_scholes", (4096, 65536, 524288, 4194304), LINES, line, lambda n, g: [
            read(n, "rand_float:10:100"), read(n, "rand_float:10:100"), read(n, "rand_float:0.2:5"),
            write(n), write(n), f(0.02), f(0.3)]),
        Kernel("binomial", (64, 256, 1024, 4096), ((64,), (256,)), lambda n, g: (n * g[0],), lambda n, g: [
            read(n, "rand_float:50:100"), read(n, "rand_float:50:100"), write(n), f(1.02), f(0.98), f(0.51),
            f(0.999), local(4 * g[0]), local(4 * g[0])]),
        Kernel("monte_carlo", (512, 2048, 8192, 32768), LINES, line, lambda n, g: [
            read(n, "rand_u32"), write(n), f(100.0), f(95.0), f(0.01), f(0.2), i(64)]),
        Kernel("asian_paths", (1024, 8192, 65536, 262144), LINES, line, lambda n, g: [
            read(64 * n, "rand_float:-0.1:0.1"), write(n), f(100.0), i(64), i(n)]),
        Kernel("bond_yield", (1024, 8192, 32768, 131072), LINES, line, lambda n, g: [
            read(n, "rand_float:80:120"), read(n, "rand_float:2:8"), write(n), i(10)]),
    ],
    "random": [
        Kernel("xorshift_stream", (1024, 16384, 131072, 524288), LINES, line, lambda n, g: [
            update(n, "rand_u32"), write(16 * n), i(16)]),
        Kernel("philox", (4096, 65536, 524288, 2097152), LINES, line, lambda n, g: [
            write(4 * n), u(12345), u(67890)]),
        Kernel("mersenne_twist", (256, 1024, 4096, 16384), LINES, line, lambda n, g: [
            read(624 * n, "rand_u32"), write(227 * n), i(n)]),
        Kernel("box_muller", (8192, 65536, 524288, 4194304), LINES, line, lambda n, g: [
            read(2 * n, "rand_float:0.001:1"), write(2 * n)]),
        Kernel("halton", (4096, 32768, 262144, 1048576), LINES, line, lambda n, g: [write(2 * n), i(100)]),
    ],
    "dynamic": [
        Kernel("nw_diagonal", (256, 1024, 2048, 4096), ((16,), (64,)), line, lambda n, g: [
            update((n + 1) ** 2, "rand_index:100"), read((n + 1) ** 2, "rand_index:10"), i(n + 1), i(n + 1), i(3)]),
        Kernel("lcs_diagonal", (4096, 65536, 524288, 4194304), LINES, line, lambda n, g: [
            read(n, "rand_u32", 1), read(n, "rand_u32", 1), read(n + 1, "rand_index:100"),
            read(n + 1, "rand_index:100"), write(n + 1), i(n), i(n + 1)], data=True),
        Kernel("knapsack", (16384, 262144, 2097152, 8388608), LINES, lambda n, g: (n,), lambda n, g: [
            read(n, "rand_index:1000"), write(n), i(777), i(50), i(n - 1)]),
        Kernel("floyd_step", SIDES, FLAT, square, lambda n, g: [
            update(n * n, "rand_index:1000"), i(n), i(n // 3)], data=True),
        Kernel("path_rows", (16384, 131072, 524288, 2097152), ((64,), (256,)),
               lambda n, g: (-(-n // (g[0] - 16)) * g[0],), lambda n, g: [
            read(8 * n, "rand_index:10"), read(n, "rand_index:10"), write(n), i(n), i(8), local(4 * g[0]),
            local(4 * g[0])]),
        Kernel("dtw_band", (1024, 8192, 32768, 131072), LINES, line, lambda n, g: [
            read(64 * n), read(64 * n), write(n), i(64), i(n)]),
    ],
    "hashing": [
        Kernel("md5", (1024, 8192, 65536, 524288), LINES, line, lambda n, g: [
            read(16 * n, "rand_u32"), write(4 * n), i(n)]),
        Kernel("md5_unrolled", (4096, 32768, 262144, 2097152), LINES, line, lambda n, g: [
            read(n, "rand_u32"), write(n), u(305419896)]),
        Kernel("sha256", (1024, 8192, 32768, 131072), LINES, line, lambda n, g: [
            read(16 * n, "rand_u32"), write(8 * n), i(n)]),
        Kernel("crc32_bits", (1024, 8192, 32768, 131072), LINES, line, lambda n, g: [
            read(16 * n, "rand_u32"), write(n), i(16)], data=True),
        Kernel("crc32_table", (1024, 8192, 65536, 262144), LINES, line, lambda n, g: [
            read(64 * n, "rand_u32", 1), read(256, "rand_u32"), write(n), i(64)], data=True),
        Kernel("murmur3", (8192, 65536, 524288, 2097152), LINES, line, lambda n, g: [
            read(4 * n, "rand_u32"), write(n), u(42)]),
        Kernel("fnv_buckets", (8192, 65536, 524288, 4194304), LINES, line, lambda n, g: [
            read(8 * n, "rand_u32", 1), update(65536, "zero"), u(65535)], data=True),
    ],
    "learning": [
        Kernel("kmeans_assign", (2048, 16384, 65536, 262144), LINES, line, lambda n, g: [
            read(16 * n), read(8 * 16), write(n), i(n), i(8), i(16)]),
        Kernel("nearest_distance", (16384, 262144, 2097152, 8388608), LINES, line, lambda n, g: [
            read(2 * n, "rand_float:-90:90"), write(n), f(30.0), f(60.0), i(n)]),
        Kernel("dense_sigmoid", (64, 128, 256, 512), ((64, 4), (32, 2)), square, lambda n, g: [
            read(n * n), read(n * n), read(n), write(n * n), i(n), i(n)]),
        Kernel("adjust_weights", SIDES, FLAT, square, lambda n, g: [
            update(n * n), update(n * n), read(n), read(n), i(n), f(0.3)]),
    ],
    "signal": [
        Kernel("fft_radix2", (16384, 131072, 1048576, 4194304), LINES, lambda n, g: (n // 2,), lambda n, g: [
            read(2 * n), write(2 * n), i(n // 2), i(1024)]),
        Kernel("dct8x8", SIDES, ((8, 8), (32, 8)), square, lambda n, g: [
            read(n * n), write(n * n), read(64), i(n)], lambda g: f"-DSPAN={g[0]}"),
        Kernel("fir", (16384, 131072, 1048576, 4194304), LINES, line, lambda n, g: [
            read(n + 32), write(n), read(32), i(32)]),
    ],
    "lattice": [
        Kernel("lbm_obstacles", (96, 320, 1000, 1500), FLAT_128, rounded, lambda n, g: [
            read(9 * n * n, "rand_float:0.5:1"), write(9 * n * n), read(n * n), i(n), i(n), f(0.1), f(1.1),
            f(0.0001)], data=True),
        Kernel("yee_electric", (32, 64, 128, 160), ((16, 4, 2), (32, 2, 2)), lambda n, g: (n, n, n), lambda n, g: [
            *(update(n ** 3) for _ in range(3)), *(read(n ** 3) for _ in range(3)), read(n ** 3, "rand_float:1:4"),
            i(n), i(n), i(n), f(0.5)]),
        Kernel("ising_checkerboard", (256, 1024, 2048, 8192), FLAT_128, lambda n, g: (n // 2, n), lambda n, g: [
            update(n * n, "rand_u32", 1), read(5), i(n), i(1), u(1234)], data=True),
        Kernel("acoustic_march", (32, 64, 128, 192), ((16, 8), (32, 4)), lambda n, g: (n, n), lambda n, g: [
            read((n + 4) ** 3), update((n + 4) ** 3), read((n + 4) ** 3, "rand_float:0:0.1"), i(n), i(n), i(n)],
            lambda g: f"-DBLOCK_X={g[0]} -DBLOCK_Y={g[1]}"),
        Kernel("gray_scott", (100, 384, 1000, 2200), FLAT_128, rounded, lambda n, g: [
            read(2 * n * n), write(2 * n * n), i(n), i(n), f(0.055), f(0.062), f(1.0)]),
        Kernel("plaquette", (6, 10, 16, 24), LINES_192, lambda n, g: line(n ** 4, g), lambda n, g: [
            read(16 * n ** 4, "rand_float:-1:1"), write(n ** 4), i(n), i(n ** 4)]),
    ],
    "cryptography": [
        Kernel("chacha20", (2048, 32768, 262144, 1048576), LINES_192, line, lambda n, g: [
            read(16 * n, "rand_u32"), write(16 * n), words(1, 2, 3, 4), words(5, 6, 7, 8), words(1, 0, 9, 10), u(n)]),
        Kernel("aes_tables", (4096, 65536, 524288, 2097152), TREES, line, lambda n, g: [
            read(4 * n, "rand_u32"), write(4 * n), read(256, "rand_u32"), read(44, "rand_u32")], data=True),
        Kernel("siphash", (2048, 16384, 131072, 524288), LINES_192, line, lambda n, g: [
            read(12 * n, "rand_u32", 8), rows(n, 12), write(n, 8), ul(506097522914230528), ul(1084818905618843912),
            i(n)], data=True),
        Kernel("modular_power", (1024, 8192, 65536, 262144), TREES, line, lambda n, g: [
            read(n, "rand_u32", 8), read(n, "rand_u32"), write(n, 8), ul(MODULUS), ul(INVERSE), ul(SQUARE)],
            data=True),
        Kernel("keccak", (1024, 8192, 65536, 262144), LINES_192, line, lambda n, g: [
            update(25 * n, "rand_u32", 8), u(n), u(24)]),
        Kernel("sha256_chain", (256, 2048, 8192, 32768), TREES, line, lambda n, g: [
            read(8 * n, "rand_u32"), write(8 * n), u(16)]),
    ],
    "geometry": [
        Kernel("sphere_rays", (64, 200, 512, 1024), FLAT_128, rounded, lambda n, g: [
            read(4 * 128, "rand_float:0.05:0.95"), i(128), write(n * n), i(n), i(n), f(2.0)], data=True),
        Kernel("triangle_rays", (512, 4096, 16384, 65536), ((64,), (96,)), line, lambda n, g: [
            read(4 * line(n, g)[0]), read(4 * line(n, g)[0], "rand_float:-1:1"), read(12 * 600),
            write(line(n, g)[0]), write(line(n, g)[0]), i(600), local(48 * g[0])], data=True),
        Kernel("point_in_polygon", (1024, 8192, 65536, 262144), LINES_192, line, lambda n, g: [
            read(2 * n), read(2 * 300), write(n, 1), i(n), i(300)], data=True),
        Kernel("in_circle", (4096, 65536, 524288, 2097152), TREES, line, lambda n, g: [
            read(2 * (n // 4)), index(4 * n, n // 4), write(n, 1), f(1e-5)], data=True),
        Kernel("escape_time", (64, 256, 768, 1600), FLAT_128, rounded, lambda n, g: [
            write(n * n, 2), u(n), u(n), f(-2.0), f(-1.25), f(2.5 / n), u(256)], data=True),
        Kernel("group_bounds", (16384, 131072, 1048576, 4194304), TREES, line, lambda n, g: [
            read(4 * n), write(8 * (n // g[0])), i(n), local(16 * g[0]), local(16 * g[0])]),
    ],
    "text": [
        Kernel("substring_search", (65536, 1048576, 8388608, 33554432), LINES_192, line, lambda n, g: [
            read(n, "rand_u32", 1), read(8, "rand_u32", 1), write(1024), update(1, "zero"), u(n), u(8), u(1024)],
            data=True),
        Kernel("kmer_count", (32768, 524288, 4194304, 16777216), LINES_192, line, lambda n, g: [
            read(n // 16 + 1, "rand_u32"), update(4 ** 8, "zero"), u(n), u(8)], data=True),
        Kernel("edit_distance", (1024, 8192, 65536, 262144), LINES_192, line, lambda n, g: [
            read(100 * n, "rand_u32", 1), read(4, "rand_u32"), write(n, 1), i(n), i(100), i(28)], data=True),
        Kernel("utf8_errors", (1024, 8192, 65536, 262144), TREES, line, lambda n, g: [
            read(80 * n, "rand_u32", 1), write(n), write(n), u(80)], data=True),
        Kernel("base64_encode", (4096, 65536, 524288, 4194304), LINES_192, line, lambda n, g: [
            read(12 * n, "rand_u32", 1), write(16 * n, 1), u(4 * n)], data=True),
        Kernel("letter_counts", (65536, 1048576, 16777216, 67108864), LINES_192, lambda n, g: line(n // 64, g),
               lambda n, g: [read(n, "rand_u32", 1), update(26, "zero"), u(n // 16)], data=True),
    ],
    "database": [
        Kernel("select_compact", (16384, 262144, 2097152, 8388608), LINES_192, line, flagged, data=True),
        Kernel("hash_probe", (8192, 65536, 524288, 4194304), LINES_192, line, lambda n, g: [
            read(n, "rand_u32"), rows(n // 2, 3), read(3 * n // 2, "rand_u32"), read(3 * n // 2, "rand_index:1000"),
            write(n, 8), write(n), i(n), u(33 - (n.bit_length() - 1))], data=True),
        Kernel("group_sums", (65536, 1048576, 8388608, 33554432), LINES_192, lambda n, g: line(n // 32, g),
               lambda n, g: [read(n, "rand_u32", 1), read(n, "rand_index:1000"), update(64, "zero"),
                             update(64, "zero"), update(64, "zero"), i(n)], data=True),
        Kernel("dictionary_decode", (16384, 262144, 2097152, 8388608), LINES_192, line, lambda n, g: [
            read(n, "rand_u32", 2), read(65536, "rand_double", 8), read(n, "rand_u32", 1), write(n, 8), u(n)],
            data=True),
        Kernel("bitmap_count", (16384, 131072, 524288, 1572864), TREES, lambda n, g: line(n // 8, g), lambda n, g: [
            *(read(4 * n, "rand_u32", 8) for _ in range(3)), write(4 * n, 8),
            write(line(n // 8, g)[0] // g[0]), u(n), local(4 * g[0])]),
        Kernel("merge_probe", (8192, 65536, 262144, 1048576), LINES_192, line, lambda n, g: [
            index(n, 4 * n), rows(n, 4), write(n), write(n), i(n), i(n)], data=True),
        Kernel("bit_unpack", (16384, 262144, 2097152, 16777216), LINES_192, line, lambda n, g: [
            read(n // 32 * 11, "rand_u32"), read(n // 128, "rand_index:100000"), write(n), u(11), u(n)]),
    ],
    "inference": [
        Kernel("softmax_rows", (64, 512, 4096, 16384), TREES, lambda n, g: (n * g[0],), lambda n, g: [
            read(1000 * n, "rand_float:-4:4"), write(1000 * n), i(1000), local(4 * g[0])]),
        Kernel("layer_norm", (512, 4096, 16384, 49152), LINES_192, line, lambda n, g: [
            read(256 * n), write(256 * n), read(256), read(256), i(n), i(64), f(1e-5)]),
        Kernel("depthwise_conv", (14, 28, 112, 224), ((16, 8, 1), (32, 4, 1)), lambda n, g: (*rounded(n, g), 64),
               lambda n, g: [read(64 * n * n), read(9 * 64, "rand_float:-1:1"), read(64), write(64 * n * n), i(n),
                             i(n)]),
        Kernel("matmul_int8", (64, 192, 512, 1024), ((16, 8), (32, 4)), square, lambda n, g: [
            read(n * n, "rand_u32", 1), read(n * n, "rand_u32", 1), read(n, "rand_index:1000"), write(n * n, 1), i(n),
            i(n), f(0.0005)]),
        Kernel("attention_scores", (128, 384, 1024, 3072), ((16, 8), (32, 4)), square, lambda n, g: [
            read(64 * n, "rand_float:-1:1"), read(64 * n, "rand_float:-1:1"), write(n * n), i(n)],
            tiled),
        Kernel("embedding_pool", (64, 512, 4096, 16384), ((64, 1), (64, 2)), lambda n, g: (64, n), lambda n, g: [
            read(64 * 50000, "rand_float:-1:1"), index(20 * n, 50000), rows(n, 20), write(64 * n), i(64)], data=True),
        Kernel("rotary_embedding", (32, 256, 1024, 4096), LINES_192, lambda n, g: (n * 12 * 32,), lambda n, g: [
            update(2 * n * 12 * 32, "rand_float:-1:1"), i(12), i(32), f(10000.0)]),
        Kernel("dequant_matvec", (512, 2048, 4096, 11008), TREES, lambda n, g: (n * g[0],), lambda n, g: [
            read(n * n // 8, "rand_u32"), read(n * n // 32), read(n), write(n), u(n // 32), local(4 * g[0])]),
    ],
    "codec": [
        Kernel("motion_search", (8, 32, 96, 144), ((8, 8), (32, 1)), rounded, lambda n, g: [
            read(64 * n * n, "rand_u32", 1), read((8 * n + 8) ** 2, "rand_u32", 1), write(n * n, 8), i(n), i(n)],
            data=True),
        Kernel("deblock_edges", (128, 512, 2048, 6144), ((16, 8), (8, 32)), lambda n, g: rounded_to(n // 8, n, g),
               lambda n, g: [
            update(n * n, "rand_u32", 1), read((n // 8 - 1) * (n // 4), "rand_u32", 1), i(n), i(n), i(45)], data=True),
        Kernel("quantise_zigzag", (512, 8192, 65536, 196608), LINES_128, line, lambda n, g: [
            read(64 * n, "rand_u32", 2), read(64, "rand_u32", 2), u(21845), write(64 * n, 2), write(n, 1), i(n)]),
        Kernel("nv12_to_rgba", (64, 512, 2048, 3072), FLAT_32, lambda n, g: rounded(n // 2, g), lambda n, g: [
            read(n * n, "rand_u32", 1), read(n * n // 2, "rand_u32", 1), write(4 * n * n, 1), u(n // 2), u(n // 2)]),
        Kernel("intra_modes", (16, 100, 360, 640), FLAT_32, rounded, lambda n, g: [
            read((4 * n + 8) * (4 * n + 1), "rand_u32", 1), write(n * n, 1), write(n * n, 2), i(n), i(n)]),
        Kernel("sixtap_tiled", (64, 512, 1024, 2560), TILES_32, square, lambda n, g: [
            read((n + 5) ** 2, "rand_u32", 1), write(n * n, 1), i(n)], tiled),
    ],
    "biology": [
        Kernel("smith_waterman_band", (128, 1024, 4096, 12288), LINES_128, line, lambda n, g: [
            read(64 * n, "rand_u32", 1), read(79 * n, "rand_u32", 1), write(n, 2), i(n), i(64), i(7), i(2)]),
        Kernel("pme_spread", (256, 4096, 32768, 131072), LINES_128, line, lambda n, g: [
            read(4 * n), update(48 ** 3, "zero"), i(n), i(48), f(10000.0)], data=True),
        Kernel("contact_map", (64, 512, 2048, 6144), ((8, 8), (2, 64)), lambda n, g: rounded_to(n // 32, n, g),
               lambda n, g: [read(4 * n, "rand_float:0:60"), write(n * n // 32), u(n), f(8.0)]),
        Kernel("cell_morse", (4, 8, 16, 28), ((4, 4, 4), (4, 4, 1)), lambda n, g: (n, n, n), lambda n, g: [
            read(16 * n ** 3, "rand_float:0:2"), rows(n ** 3, 4), write(16 * n ** 3), i(n),
            reals(1.5, 1.2, 0.9, 1.0)], data=True),
        Kernel("torsion_energy", (1024, 8192, 65536, 393216), NARROW, line, lambda n, g: [
            read(n, "rand_float:0:30"), index(4 * n, n // 4), read(n, "rand_u32", 1), write(n), i(n)]),
        Kernel("viterbi_states", (2, 16, 64, 256), ((32,), (64,)), lambda n, g: (n * g[0],), lambda n, g: [
            read(48 * n, "rand_u32", 1), read(g[0] * g[0], "rand_float:-5:0"), read(20 * g[0], "rand_float:-5:0"),
            write(48 * n * g[0], 1), write(n * g[0]), i(48), local(8 * g[0])]),
        Kernel("tanimoto", (1024, 8192, 32768, 131072), ((64, 1), (32, 4)), lambda n, g: (n, 16), lambda n, g: [
            read(16 * 16, "rand_u32", 8), read(16 * n, "rand_u32", 8), write(16 * n), u(n)]),
    ],
    "vision": [
        Kernel("hough_lines", (64, 160, 400, 720), FLAT_32, rounded, lambda n, g: [
            read(n * n, "rand_u32", 1), read(2 * 180, "rand_float:-1:1"), update(180 * 4 * n, "zero"), i(n), i(n),
            i(230)], data=True),
        Kernel("gradient_cells", (16, 128, 1024, 4096), LINES_128, lambda n, g: (16 * n,), lambda n, g: [
            read(4 * n, "rand_float:0.05:0.95"), read(512 * 512), write(128 * n, 1), i(512), i(512), local(4 * g[0])],
            data=True),
        Kernel("label_tile", (64, 256, 512, 832), TILES_32, square, lambda n, g: [
            read(n * n, "rand_u32", 1), write(n * n), i(n), i(100)], tiled, data=True),
        Kernel("lucas_kanade", (64, 256, 640, 1200), FLAT_32, rounded, lambda n, g: [
            read((n + 6) ** 2), read((n + 6) ** 2), write(2 * n * n), i(n), i(n)]),
        Kernel("census_match", (64, 192, 512, 1000), ((64, 1), (32, 4)), rounded, lambda n, g: [
            read(n * n, "rand_u32", 8), read((n + 48) * n, "rand_u32", 8), write(n * n, 1), write(n * n, 1), i(n),
            i(n)]),
        Kernel("fast_corners", (128, 512, 1200, 2200), FLAT_32, lambda n, g: rounded(n - 6, g), lambda n, g: [
            read(n * n, "rand_u32", 1), write(2 * 4096), update(1, "zero"), u(4096), i(n), i(n), i(20)], data=True),
    ],
    "compression": [
        Kernel("huffman_decode", (512, 8192, 65536, 262144), LINES_128, line, lambda n, g: [
            read(17 * n, "rand_u32"), index(256, 2048), write(64 * n, 1), u(17), u(64)], data=True),
        Kernel("rle_expand", (2048, 32768, 262144, 2097152), NARROW, line, lambda n, g: [
            read(n, "rand_u32", 1), rows(n, 8), write(8 * n, 1), i(n)], data=True),
        Kernel("delta_scan", (4096, 65536, 524288, 1572864), LINES_128, line, lambda n, g: [
            read(4 * n, "rand_u32"), read(n // g[0], "rand_u32"), write(4 * n), local(4 * g[0])]),
        Kernel("lz_longest", (4096, 32768, 131072, 393216), NARROW, line, lambda n, g: [
            index(n, 4), write(n), i(n)], data=True),
        Kernel("varint_pack", (4096, 65536, 524288, 4194304), LINES_128, line, lambda n, g: [
            index(n, 1000000), write(5 * n, 1), write(n // g[0]), u(n), local(4 * g[0])], data=True),
        Kernel("bit_shuffle", (4096, 65536, 1048576, 3145728), LINES_128, line, lambda n, g: [
            read(n, "rand_u32", 8), write(8 * n, 1), u(n)]),
        Kernel("gorilla_bits", (256, 2048, 16384, 65536), NARROW, line, lambda n, g: [
            read(100 * n, "rand_float:20:21"), write(n), write(n), i(n), i(100)], data=True),
    ],
    "networking": [
        Kernel("lpm_lookup", (4096, 32768, 262144, 2097152), LINES_128, line, lambda n, g: [
            read(n, "rand_u32", 8), index(65536, 2048), index(256 * 1024, 2048), write(n, 2), u(n)], data=True),
        Kernel("inet_checksum", (512, 4096, 16384, 65536), NARROW, line, lambda n, g: [
            read(256 * n, "rand_u32", 2), rows(n, 256), write(n, 2), i(n)], data=True),
        Kernel("toeplitz_rss", (512, 4096, 32768, 196608), LINES_128, lambda n, g: line(n // 4, g), lambda n, g: [
            read(3 * n, "rand_u32"), read(5, "rand_u32"), index(128, 16), write(n), write(n, 1), update(16, "zero"),
            i(n)]),
        Kernel("acl_first_match", (512, 4096, 24576, 100000), NARROW, line, lambda n, g: [
            read(2 * n, "rand_u32"), read(4 * 256, "rand_u32"), u(256), write(n, 1), write(n, 2), u(n)], data=True),
        Kernel("cuckoo_lookup", (8192, 65536, 524288, 2097152), LINES_128, line, lambda n, g: [
            index(n, 65536), index(4 * 16384, 65536), read(4 * 16384, "rand_u32"), write(n), u(16383)], data=True),
        Kernel("token_bucket", (256, 2048, 12288, 65536), NARROW, line, lambda n, g: [
            rows(n, 40), read(40 * n, "rand_u32"), read(n, "rand_u32"), write(40 * n, 1), write(n), ul(200000),
            ul(150000), i(n)], data=True),
    ],
    "numbers": [
        Kernel("ntt_stage", (1, 16, 128, 1024), ((64, 1), (32, 4)), lambda n, g: (2048, -(-n // g[1]) * g[1]),
               lambda n, g: [
            index(4096 * -(-n // g[1]) * g[1], 998244353, "rw"), index(2048, 998244353), u(4096), u(64)]),
        Kernel("montgomery_square", (64, 256, 1024, 4096), NARROW, line, lambda n, g: [
            update(8 * n, "rand_u32"), read(8, "rand_u32"), u(0xd2253531), i(16), u(n)]),
        Kernel("miller_rabin", (512, 4096, 32768, 131072), LINES_128, line, lambda n, g: [
            read(n, "rand_u32"), write(n, 1), u(n)], data=True),
        Kernel("sieve_segment", (2, 16, 200, 1500), ((64,), (256,)), lambda n, g: (n * g[0],), lambda n, g: [
            index(512, 2048), i(512), u(1000000), write(n)], data=True),
        Kernel("collatz_peaks", (1024, 8192, 32768, 131072), NARROW, line, lambda n, g: [
            ul(1000001), write(line(n, g)[0], 2), write(line(n, g)[0], 8)], data=True),
        Kernel("jacobi_symbol", (512, 4096, 16384, 65536), LINES_128, line, lambda n, g: [
            read(2 * n, "rand_u32", 8), write(n, 1), write(n), i(n)], data=True),
    ],
    "frames": [
        Kernel("format_timestamps", (2048, 16384, 131072, 524288), NARROW, line, lambda n, g: [
            read(n, "rand_u32"), write(20 * n, 1), u(n)]),
        Kernel("log_lexer", (512, 4096, 24576, 98304), LINES_128, line, lambda n, g: [
            read(80 * n, "rand_u32", 1), rows(n, 80), index(256, 16), index(32 * 16, 32), write(n, 2), write(n, 2),
            i(n)], data=True),
        Kernel("asof_join", (4096, 32768, 262144, 1048576), LINES_128, line, lambda n, g: [
            index(n, 512), index(n, 400), rows(512, 64), rows(512 * 64, 5), read(512 * 64, "rand_float:9:10"),
            read(512 * 64, "rand_float:10:11"), i(50), write(n), write(n)], data=True),
        Kernel("rolling_median", (2048, 16384, 65536, 262144), NARROW, line, lambda n, g: [
            read(n, "rand_u32", 2), read(n // 32, "rand_u32"), write(n, 2), i(n)], data=True),
        Kernel("groupby_partials", (4, 32, 160, 640), LINES_128, lambda n, g: (n * g[0],), lambda n, g: [
            index(2048 * n, 100), index(2048 * n, 10000), i(2048 * n), i(2048), i(1500), i(100), local(16 * 100),
            write(400 * n)], data=True),
        Kernel("sessionize", (512, 4096, 24576, 131072), LINES_128, line, lambda n, g: [
            rows(n, 50), read(50 * n, "rand_u32", 2), read(50 * n, "rand_u32", 1), write(50 * n, 2), write(4 * n),
            i(n), i(50000)], data=True),
    ],
    "postprocess": [
        Kernel("nms_mask", (256, 768, 1536, 3072), ((32, 1), (64, 1)), lambda n, g: (n, n // g[0]), lambda n, g: [
            read(4 * n), f(0.5), i(n), update(n * n // g[0], "zero", 8)], lambda g: f"-DTILE={g[0]}"),
        Kernel("topk_rows", (64, 512, 2048, 8192), NARROW, line, lambda n, g: [
            read(500 * n), i(n), i(500), write(8 * n), write(8 * n)], data=True),
        Kernel("ragged_attention", (1, 3, 8, 24), ((64, 1), (128, 1)), lambda n, g: (8 * g[0], n), lambda n, g: [
            read(512 * n, "rand_float:-1:1"), read(512 * 160 * n, "rand_u32", 1), read(512 * 160 * n, "rand_u32", 1),
            read(160 * n, "rand_float:0.01:0.02"), read(160 * n, "rand_float:0.01:0.02"), rows(n, 160), write(512 * n),
            f(0.125)], data=True),
        Kernel("decode_boxes", (16, 32, 64, 112), ((8, 8, 1), (16, 4, 3)), lambda n, g: (n, n, 3), lambda n, g: [
            read(75 * n * n, "rand_float:-3:3"), read(6, "rand_float:10:90"), update(12 * n * n, "zero"),
            update(3 * n * n, "zero"), write(3 * n * n, 1), f(0.4), f(8.0)], data=True),
        Kernel("nucleus_threshold", (1, 4, 16, 64), ((64,), (256,)), lambda n, g: (n * g[0],), lambda n, g: [
            read(4000 * n, "rand_float:-5:5"), write(4000 * n), write(n), write(n), u(4000), f(0.9), i(16),
            local(4 * g[0])]),
        Kernel("ctc_greedy", (32, 256, 1024, 3072), ((8,), (32,)), line, lambda n, g: [
            read(32 * 100 * n, "rand_float:-8:0"), rows(n, 100), write(100 * n, 1), write(n), write(n), i(n)],
            data=True),
    ],
    "audio": [
        Kernel("biquad_cascade", (64, 512, 4096, 16384), NARROW, line, lambda n, g: [
            read(256 * n, "rand_float:-1:1"), write(256 * n), read(20, "rand_float:-0.3:0.4"), i(n), i(256)]),
        Kernel("polyphase_resample", (4096, 65536, 524288, 4194304), LINES_128, line, lambda n, g: [
            read(n), read(33 * 16, "rand_float:-1:1"), write(n), ul(RATIO), u(n - 64)]),
        Kernel("delay_and_sum", (8, 32, 128, 256), ((64, 1), (32, 4)), lambda n, g: (16 * n, n), lambda n, g: [
            read(24 * (16 * n + 64), "rand_float:-1:1"), read(24 * n, "rand_float:0:62"), read(24), write(16 * n * n),
            i(24), i(16 * n + 64)]),
        Kernel("mu_law", (16384, 262144, 2097152, 16777216), LINES_128, lambda n, g: line(n // 16, g), lambda n, g: [
            read(n, "rand_u32", 2), write(n, 1), u(n // 4)]),
        Kernel("goertzel_bank", (2, 16, 64, 256), LINES_128, lambda n, g: (n * g[0],), lambda n, g: [
            read(1024 * n, "rand_u32", 2), write(n * g[0]), i(1024), local(4 * g[0])]),
        Kernel("pitch_lag", (8, 64, 256, 1024), ((32,), (128,)), lambda n, g: (n * g[0],), lambda n, g: [
            read(160 * n + 512, "rand_float:-1:1"), write(n), write(n), i(160), local(4 * g[0]), local(4 * g[0])]),
    ],
    "mechanics": [
        Kernel("tet_stiffness", (64, 1024, 8192, 32768), LINES_128, line, lambda n, g: [
            read(3 * (n // 4), "rand_double", 8), index(4 * n, n // 4), write(144 * n, 8), i(n), d(1.2), d(0.8)]),
        Kernel("muscl_step", (64, 256, 640, 1300), FLAT_32, rounded, lambda n, g: [
            read((n + 4) * n, "rand_float:1:2"), read((n + 4) * n, "rand_float:0:0.5"),
            read((n + 4) * n, "rand_float:0:0.5"), read((n + 4) * n, "rand_float:2:3"), write(4 * n * n), i(n), i(n),
            f(0.2)]),
        Kernel("thomas_columns", (256, 2048, 8192, 32768), NARROW, line, lambda n, g: [
            read(64 * n), read(64 * n, "rand_float:3:4"), read(64 * n), read(64 * n), write(64 * n), write(64 * n),
            i(n), i(64)]),
        Kernel("cloth_step", (32, 128, 384, 1024), FLAT_32, rounded, lambda n, g: [
            read(4 * n * n), read(4 * n * n), write(4 * n * n), i(n), i(n), f(0.5), f(80.0), f(0.01), f(0.001)]),
        Kernel("sor_obstacles", (16, 48, 96, 160), ((8, 4, 4), (8, 8, 2)), lambda n, g: (n // 2, n, n), lambda n, g: [
            update((n + 2) ** 3), read((n + 2) ** 3, "rand_float:-0.1:0.1"), read((n + 2) ** 3, "rand_u32", 1), i(n),
            i(1), f(1.0)], data=True),
        Kernel("edge_scatter", (1024, 16384, 131072, 786432), LINES_128, line, lambda n, g: [
            index(2 * n, n // 3), read(2 * n, "rand_float:-1:1"), read(2 * (n // 3), "rand_float:-1:1"), read(n // 3),
            update(n // 3, "zero"), i(n)], data=True),
        Kernel("semi_lagrange", (64, 256, 1024, 1900), FLAT_32, rounded, lambda n, g: [
            read(2 * n * n, "rand_float:-1:1"), read(n * n), write(n * n), i(n), i(n), f(3.0)], data=True),
    ],
    "rendering": [
        Kernel("raymarch_sdf", (32, 80, 160, 288), FLAT_32, rounded, lambda n, g: [
            write(4 * n * n, 1), write(n * n), i(n), i(n), reals(0.3, 1.8, 0.2, 0.7)]),
        Kernel("bvh_traverse", (512, 4096, 16384, 49152), LINES_128, line, lambda n, g: [
            read(4 * 8191), read(4 * 8191, "rand_float:0.2:0.7"), read(4 * 4096, "rand_float:0:0.3"), read(4 * n),
            read(4 * n, "rand_float:-1:1"), write(n), write(n), i(4096), i(n)], data=True),
        Kernel("texture_lights", (64, 200, 448, 768), FLAT_32, rounded, lambda n, g: [
            read(2 * n * n), read(4 * n * n), read(4 * n * n, "rand_float:-1:1"), read(4 * 256 * 256, "rand_u32", 1),
            read(64), write(4 * n * n), i(n), i(n), i(256)], data=True),
        Kernel("volume_cast", (32, 64, 128, 256), ((16, 8), (32, 4)), rounded, lambda n, g: [
            read(n ** 3, "rand_u32", 1), read(4 * 256, "rand_float:0:0.05"), write(4 * n * n), i(n), i(n), f(0.1),
            f(0.05)], data=True),
        Kernel("fragment_resolve", (4096, 65536, 262144, 1048576), LINES_128, line, lambda n, g: [
            rows(n, 5), read(5 * n), read(20 * n, "rand_u32", 1), write(4 * n, 1), i(n)], data=True),
        Kernel("raster_tile", (32, 96, 224, 384), FLAT_32, rounded, lambda n, g: [
            read(12 * 256), write(n * n), write(n * n), i(256), i(n), i(n), local(48 * g[0] * g[1])], data=True),
    ],
    "climate": [
        Kernel("seawater_density", (512, 4096, 24576, 81920), ((64, 1), (32, 4)), lambda n, g: (n, 20), lambda n, g: [
            read(20 * n, "rand_float:-1:28"), read(20 * n, "rand_float:30:38"), read(20, "rand_double", 8),
            index(n, 20), write(20 * n, 8), i(n)]),
        Kernel("tracer_upstream", (16, 32, 64, 128), ((8, 4, 2), (16, 8, 1)), lambda n, g: (n, n, n // 2),
               lambda n, g: [
            read(n ** 3 // 2), read(n ** 3 // 2, "rand_float:-0.2:0.2"), read(n ** 3 // 2, "rand_float:-0.2:0.2"),
            read(n ** 3 // 2, "rand_float:-0.1:0.1"), read(n ** 3 // 2, "rand_u32", 1), write(n ** 3 // 2)],
            data=True),
        Kernel("convective_adjust", (32, 128, 512, 1536), NARROW, line, lambda n, g: [
            update(30 * n, "rand_float:0:10"), update(30 * n, "rand_float:33:36"), read(30, "rand_float:5:200"),
            write(n), i(n), i(30), i(25)], data=True),
        Kernel("shortwave_bands", (64, 1024, 8192, 65536), LINES_128, line, lambda n, g: [
            read(32 * n), read(32 * n), read(n, "rand_float:-0.5:1"), read(24, "rand_float:0.02:0.6"), write(n),
            write(n), write(32 * n), i(n), i(32)], data=True),
        Kernel("zonal_mean", (4, 16, 48, 128), ((32, 1), (128, 1)), lambda n, g: (n * g[0], 18), lambda n, g: [
            read(18 * 720 * n), f(0.9), i(720), write(18 * n), write(18 * n), write(18 * n), local(4 * g[0])]),
        Kernel("bulk_fluxes", (512, 4096, 16384, 49152), NARROW, line, lambda n, g: [
            read(2 * n, "rand_float:-12:12"), read(n, "rand_float:5:25"), read(n, "rand_float:8:22"),
            read(n, "rand_u32", 1), write(4 * n), i(n), i(20)], data=True),
    ],
    "robotics": [
        Kernel("distance_envelope", (32, 128, 384, 640), ((16,), (64,)), line, lambda n, g: [
            read(n * n, "rand_float:0:2000"), write(n * n), write(n * (n + 1)), write(n * (n + 1)), i(n), i(n)],
            data=True),
        Kernel("beam_likelihood", (64, 512, 1536, 4096), NARROW, line, lambda n, g: [
            index(4 * n, 256 * 512), read(512 * 512, "rand_u32", 1), i(512), index(256, 256), index(24, 120), i(24),
            i(120), read(64, "rand_float:-6:0"), write(n), i(n)], data=True),
        Kernel("systematic_resample", (2048, 16384, 65536, 262144), LINES_128, line, lambda n, g: [
            rows(n, 100), read(4 * n, "rand_float:-3:3"), write(4 * n), write(n), u(n), f(0.37),
            reals(0.02, 0.02, 0.005, 0.0)], data=True),
        Kernel("icp_accumulate", (128, 512, 1536, 3072), ((32,), (128,)), line, lambda n, g: [
            read(2 * n, "rand_float:-5:5"), read(2 * n, "rand_float:-5:5"), i(n), i(n), reals(0.8, 0.6, 0.1, -0.2),
            f(0.5), write(9 * (n // g[0]))], lambda g: f"-DGROUP={g[0]}"),
        Kernel("carve_scan", (128, 512, 2048, 8192), LINES_128, line, lambda n, g: [
            index(n, 400), index(n, 400), index(n, 16), index(16, 400), index(16, 400), update(400 * 400, "zero"),
            i(400), i(n)], data=True),
        Kernel("arm_clearance", (256, 2048, 8192, 24576), NARROW, line, lambda n, g: [
            read(6 * n, "rand_float:-3:3"), read(30, "rand_float:0.05:0.4"), read(4 * 32, "rand_float:-2:0.6"), i(32),
            write(n), write(n), i(n)], data=True),
    ],
    "medical": [
        Kernel("cone_backproject", (16, 32, 64, 96), ((8, 8, 2), (16, 4, 1)), lambda n, g: (n, n, n // 4),
               lambda n, g: [
            read(36 * 192 * 160, "rand_float:-1:1"), read(72, "rand_float:-0.7:0.7"), i(36), ints(192, 160),
            f(2.0 * n), f(180.0), update(n ** 3 // 4)], data=True),
        Kernel("ramp_filter", (2, 16, 64, 224), ((64,), (192,)), lambda n, g: (n * g[0],), lambda n, g: [
            read(512 * n), write(512 * n), i(512), f(700.0), local(4 * 512)]),
        Kernel("siddon_project", (64, 128, 256, 512), FLAT_32, lambda n, g: (n, 64), lambda n, g: [
            read(n * n), i(n), read(128, "rand_float:-1:1"), write(64 * n), i(n)], data=True),
        Kernel("vesselness", (16, 32, 48, 80), ((8, 4, 4), (16, 4, 1)), lambda n, g: (n, n, n), lambda n, g: [
            read(n ** 3), write(n ** 3), f(0.5), f(0.5), f(0.7)], data=True),
        Kernel("scan_convert", (64, 192, 448, 896), FLAT_32, rounded, lambda n, g: [
            read(256 * 768, "rand_float:0:1"), i(256), i(768), write(n * n, 1), i(n), i(n), f(1.2), f(20.0), f(80.0),
            f(50.0), {"scalar": "uchar", "value": 16}]),
        Kernel("joint_histogram", (16, 32, 64, 144), LINES, lambda n, g: (16384,), lambda n, g: [
            read(n ** 3, "rand_u32", 1), read(n ** 3, "rand_u32", 1), ints(n, n, n, 0), read(12, "rand_float:0:0.55"),
            update(1024, "zero")], data=True),
    ],
    "retrieval": [
        Kernel("postings_gallop", (1024, 16384, 262144, 1048576), LINES_128, line, lambda n, g: [
            index(n, 60 * n), i(n), rows(20 * n - 1, 3), i(20 * n), i(64 * n), write(n), update(1, "zero")],
            data=True),
        Kernel("bm25_rows", (512, 4096, 24576, 98304), LINES_128, line, lambda n, g: [
            rows(n, 60), index(60 * n, 16384 << 8), read(n, "rand_float:20:120"), f(60.0), rows(5, 2700),
            read(6, "rand_float:2:9"), i(6), f(0.5), write(2 * 4096), u(4096), update(1, "zero"), i(n)], data=True),
        Kernel("pq_scan", (4096, 65536, 524288, 4194304), LINES, lambda n, g: (n // 1024 * g[0],), lambda n, g: [
            read(16 * n, "rand_u32", 1), read(4096, "rand_float:0:2"), u(n), u(1024), write(n // 1024),
            write(n // 1024), local(4 * g[0]), local(4 * g[0])], data=True),
        Kernel("minhash_rows", (8, 64, 512, 4096), ((64, 1), (32, 4)), lambda n, g: (64, n), lambda n, g: [
            rows(n, 90), read(90 * n, "rand_u32"), read(128, "rand_u32", 8), write(64 * n)], data=True),
        Kernel("mf_sgd", (1024, 16384, 131072, 524288), LINES, line, lambda n, g: [
            index(n, n // 4), index(n, n // 16), read(n, "rand_u32", 1), update(8 * n, "rand_float:-0.3:0.3"),
            update(2 * n, "rand_float:-0.3:0.3"), update(n // 4, "rand_float:-1:1"),
            update(n // 16, "rand_float:-1:1"), f(2.5), f(0.01), f(0.05), i(n)], data=True),
        Kernel("basket_pairs", (256, 2048, 12288, 49152), NARROW, line, lambda n, g: [
            rows(n, 9), read(9 * n, "rand_u32", 2), update(2 << 16, "zero"), u(0xffff), i(n)], data=True),
    ],
    "agents": [
        Kernel("traffic_cells", (512, 8192, 131072, 524288), ((64, 1), (128, 1)), lambda n, g: (n, 2), lambda n, g: [
            rows(2 * n - 1, 2), read(2 * n, "rand_u32", 1), write(2 * n), write(2 * n, 1), write(2 * n, 1),
            update(2, "zero"), i(n), i(4 * n), i(5), u(1 << 30), u(17)], data=True),
        Kernel("seir_step", (1024, 16384, 131072, 524288), LINES_128, line, lambda n, g: [
            read(4 * n, "rand_u32", 1), write(4 * n, 1), rows(n, 14), index(14 * n, n), read(14 * n, "rand_u32", 1),
            f(0.2), u(77), update(4, "zero"), i(n)], data=True),
        Kernel("claim_moves", (1024, 16384, 131072, 786432), LINES, line, lambda n, g: [
            index(n, 2 * n), read(2 * n, "rand_float:0:90"), index(2 * n, 2), update(2 * n, "zero"), write(n), i(512),
            i(n // 256), i(n)], data=True),
        Kernel("ant_tours", (64, 512, 2048, 6144), NARROW, line, lambda n, g: [
            read(48 * 48), read(48 * 48, "rand_float:1:9"), i(48), u(4711), write(48 * line(n, g)[0], 1),
            write(line(n, g)[0]), update(1, "zero")], data=True),
        Kernel("breed_pairs", (1024, 16384, 131072, 524288), LINES_128, lambda n, g: line(n // 2, g), lambda n, g: [
            read(8 * n, "rand_u32"), read(n), write(8 * n), u(n), f(0.01), u(2024)], data=True),
        Kernel("queue_waits", (64, 512, 2048, 4096), NARROW, line, lambda n, g: [
            read(2 * line(n, g)[0], "rand_float:1:4"), i(3), i(250), i(50), write(4 * line(n, g)[0]), u(31)]),
    ],
    "logistics": [
        Kernel("route_check", (512, 8192, 65536, 262144), LINES_128, line, lambda n, g: [
            rows(n, 11), index(11 * n, 4096), read(2 * 4096, "rand_float:0:1000"), read(2 * 4096, "rand_u32", 2),
            read(4096, "rand_u32", 1), reals(500.0, 500.0), f(1.2), f(300.0), i(1500), write(n), write(n), write(n),
            i(n)], data=True),
        Kernel("two_opt_best", (4, 32, 192, 1024), LINES_128, lambda n, g: (n * g[0],), lambda n, g: [
            read(2 * 65536, "rand_float:0:100"), read(240 * n, "rand_u32", 2), i(240), write(n), write(2 * n),
            local(8 * 240), local(4 * g[0]), local(8 * g[0])]),
        Kernel("pallet_stack", (64, 512, 2048, 8192), NARROW, line, lambda n, g: [
            rows(n, 20), read(20 * n, "rand_u32", 1), i(24), write(n), write(n, 1), write(96 * n, 1), i(n)], data=True),
        Kernel("timetable_scan", (64, 512, 2048, 8192), ((32,), (128,)), line, lambda n, g: [
            rows(16383, 2), index(4 * 16384, 512), i(16384), index(2 * n, 512), index(n, 20000), i(512), i(16), i(60),
            update(512 * n, "zero"), update(16 * n, "zero"), write(n), i(n)], data=True),
        Kernel("auction_bids", (256, 2048, 16384, 49152), LINES_128, line, lambda n, g: [
            read(256 * n, "rand_u32", 1), index(256, 20000), index(n, 2), i(256), i(100), i(5), write(n), write(n),
            update(256, "zero"), i(n)], data=True),
        Kernel("stock_policy", (64, 512, 4096, 12288), NARROW, line, lambda n, g: [
            index(n, 60), index(n, 80), f(0.00033546), i(730), i(2), {"scalar": "double4", "value": [0.2, 4, 30, 1.5]},
            u(7), write(n, 8), write(n), i(n)], data=True),
    ],
    "quantum": [
        Kernel("gate_one", (4096, 65536, 1048576, 8388608), LINES, lambda n, g: (n // 2,), lambda n, g: [
            update(2 * n, "rand_float:-1:1"), u(n.bit_length() // 2), reals(0.8, 0.0, 0.0, 0.6, 0.0, 0.6, 0.8, 0.0)]),
        Kernel("gate_two", (4096, 65536, 1048576, 8388608), LINES_128, lambda n, g: (n // 4,), lambda n, g: [
            update(2 * n, "rand_float:-1:1"), read(32, "rand_float:-0.5:0.5"), u(3), u(n.bit_length() - 3),
            u(1 << 8)]),
        Kernel("pauli_expectation", (1024, 16384, 131072, 1048576), ((64, 1), (128, 1)),
               lambda n, g: (1024, 12), lambda n, g: [
            read(2 * n, "rand_float:-1:1"), index(12, n), index(12, n), u(n), write(12 * 1024 // g[0]),
            local(4 * g[0])]),
        Kernel("coulomb_ssss", (16, 48, 96, 160), FLAT_32, rounded, lambda n, g: [
            index(2 * n, 24), read(72, "rand_double", 8), read(72, "rand_double", 8), read(72, "rand_double", 8),
            read(n), f(0.1), i(n), write(n * n, 8)], data=True),
        Kernel("density_points", (256, 4096, 16384, 65536), NARROW, line, lambda n, g: [
            read(4 * n, "rand_float:0:8"), read(4 * 12, "rand_float:0:8"), index(12, 2), rows(12, 3), i(12),
            read(72, "rand_float:0.1:2"), read(36 * 36), i(36), write(n), i(n)], data=True),
        Kernel("xc_vwn", (1024, 16384, 98304, 262144), LINES_128, line, lambda n, g: [
            read(n, "rand_double", 8), read(n), write(n, 8), write(n, 8), u(n)]),
    ],
    "telecom": [
        Kernel("viterbi_k7", (4, 32, 192, 768), ((64, 1), (64, 2)), lambda n, g: (64, n), lambda n, g: [
            read(192 * n, "rand_u32", 2), update(64 * 192 * n, "zero", 1), write(6 * n), i(192)],
            lambda g: f"-DFRAMES={g[1]}", data=True),
        Kernel("ldpc_check_nodes", (64, 384, 2048, 12288), ((32, 1), (64, 2)), lambda n, g: (n, 46), lambda n, g: [
            read(68 * n, "rand_u32", 2), update(46 * 7 * n, "rand_u32", 1), rows(46, 7), index(46 * 7, 68),
            index(46 * 7, n), i(n)], data=True),
        Kernel("rs_syndromes", (8, 64, 512, 3072), ((32, 2), (32, 4)), lambda n, g: (32, n), lambda n, g: [
            read(255 * n, "rand_u32", 1), read(256, "rand_u32", 1), read(510, "rand_u32", 1), i(255), write(32 * n, 1),
            write(n, 1), update(1, "zero")], data=True),
        Kernel("mimo_demap", (2048, 16384, 131072, 524288), LINES_128, line, lambda n, g: [
            read(8 * n, "rand_float:-1:1"), read(4 * n, "rand_float:-1.5:1.5"), f(0.1), write(12 * n, 1), i(n)]),
        Kernel("qpp_interleave", (1, 16, 128, 768), ((64, 1), (256, 1)), lambda n, g: (6144, n), lambda n, g: [
            read(6144 * n, "rand_u32", 2), read(6144 * n, "rand_u32", 2), write(6144 * n, 2), write(6144 * n, 1), u(263),
            u(480), u(6144)]),
        Kernel("sync_correlate", (1024, 8192, 49152, 196608), LINES_128, line, lambda n, g: [
            read(2 * (n + 139), "rand_float:-1:1"), read(2 * 139, "rand_float:-1:1"), i(139), i(n), write(n),
            write(n // g[0]), update(1, "zero"), local(4 * g[0]), local(4 * g[0])]),
    ],
    "geospatial": [
        Kernel("hillshade", (64, 192, 384, 640), FLAT_32, rounded, lambda n, g: [
            read(n * n, "rand_float:-9030:3000"), write(n * n, 1), write(2 * n * n), i(n), i(n), f(900.0), f(5.5),
            f(0.78)], data=True),
        Kernel("viewshed_rays", (64, 256, 768, 1536), ((64, 1), (32, 4)), lambda n, g: (2 * n, 8), lambda n, g: [
            read(n * n, "rand_float:0:500"), i(n), f(30.0), index(16, n), f(2.0), i(n // 2), update(n * n, "zero")],
            data=True),
        Kernel("drainage_walk", (64, 192, 448, 768), FLAT_32, rounded, lambda n, g: [
            read(n * n, "rand_u32", 1), i(n), i(n), i(40), write(n * n), write(n * n, 2), update(n * n, "zero")],
            data=True),
        Kernel("idw_buckets", (64, 160, 384, 640), FLAT_32, lambda n, g: (n, n), lambda n, g: [
            rows(1024, 4), read(4 * 4096), i(32), f(2.5), f(-1.0), write(n * n)], data=True),
        Kernel("utm_warp", (32, 96, 192, 320), FLAT_32, rounded, lambda n, g: [
            read(1024 * 1024, "rand_u32", 2), d(-80.0), d(44.0), d(0.001), i(1024), i(1024), d(590000.0), d(4870000.0),
            d(64000.0 / n), d(-81.0), write(n * n, 2), i(n), i(n)]),
        Kernel("geohash_encode", (2048, 32768, 262144, 2097152), LINES, line, lambda n, g: [
            read(2 * n, "rand_double", 8), write(12 * n, 1), u(n)]),
    ],
    "radar": [
        Kernel("cfar_os", (48, 96, 192, 288), FLAT_32, rounded, lambda n, g: [
            read(n * n, "rand_float:0.01:4"), i(n), i(n), i(2), i(8), f(0.7), f(1.35), write(2 * 16384),
            update(1, "zero"), u(16384)], data=True),
        Kernel("sar_backproject", (16, 48, 96, 144), FLAT_32, rounded, lambda n, g: [
            read(2 * 1024 * 64, "rand_float:-1:1"), read(4 * 64, "rand_float:600:700"), i(64), i(1024), d(950.0),
            d(0.4), d(0.031), f(0.3), write(2 * n * n), i(n), i(n)]),
        Kernel("stap_weights", (128, 1024, 4096, 16384), NARROW, line, lambda n, g: [
            read(12 * n, "rand_float:-1:1"), read(12, "rand_float:-1:1"), i(12), i(2), f(0.05), write(12 * n), write(n),
            i(n)]),
        Kernel("insar_residues", (64, 192, 384, 640), ((16, 8), (32, 4)), rounded, lambda n, g: [
            read(2 * n * n, "rand_float:-1:1"), read(2 * n * n, "rand_float:-1:1"), i(n), i(n), write(n * n),
            write(n * n, 1), update(2, "zero")], lambda g: f"-DTILE_X={g[0]} -DTILE_Y={g[1]}", data=True),
        Kernel("pri_histogram", (1024, 4096, 8192, 16384), LINES_128, lambda n, g: (n // 4,), lambda n, g: [
            rows(n - 1, 100), i(n), i(0), i(4000), f(256 / 4001), update(256, "zero"), update(256, "zero"),
            update(256, "zero")], data=True),
    ],
    "ecology": [
        Kernel("fire_spread", (64, 192, 384, 640), FLAT_32, rounded, lambda n, g: [
            read(n * n, "rand_u32"), read(n * n, "rand_float:200:260"), write(n * n), i(n), i(n), f(30.0), f(6.0),
            f(0.8), f(0.58), u(17), update(1, "zero")], data=True),
        Kernel("seed_dispersal", (128, 512, 1536, 4096), LINES_128, line, lambda n, g: [
            read(4 * n, "rand_float:0.2:1"), read(n, "rand_u32", 1), read(16, "rand_float:1:3"), f(200.0),
            reals(0.2, 0.1), f(0.5), i(256), update(8 * 256 * 256, "zero"), update(1, "zero"), u(90210), i(n)],
            data=True),
        Kernel("foodweb_rk4", (64, 512, 2048, 6144), NARROW, line, lambda n, g: [
            update(10 * n, "rand_double", 8), read(100, "rand_double", 8), read(10, "rand_double", 8), d(0.5), d(1.5),
            d(0.02), i(12), d(1e-6), write(n, 1), i(n)]),
        Kernel("canopy_light", (16, 32, 48, 80), ((16, 4, 1), (8, 4, 4)), lambda n, g: (n, n, 24), lambda n, g: [
            read(24 * n * n, "rand_u32", 1), read(4 * 4, "rand_float:0.1:1.2"), i(4), f(0.3), f(0.02), i(n), i(n),
            i(24), write(24 * n * n), write(24 * n * n, 1)], data=True),
        Kernel("braycurtis_tiles", (48, 160, 320, 640), ((16, 16), (8, 8)), rounded, lambda n, g: [
            read(200 * n, "rand_u32", 2), i(n), i(200), write(n * n)], lambda g: f"-DTILE={g[0]}"),
    ],
    "optics": [
        Kernel("lens_trace", (32, 96, 192, 320), FLAT_32, rounded, lambda n, g: [
            read(11, "rand_float:-0.02:0.02"), read(11, "rand_float:-1:0.3"), read(11, "rand_float:1:8"),
            read(11, "rand_float:1:1.8"), read(11, "rand_float:12:18"), i(11), d(14.0), d(0.05), i(n),
            write(2 * n * n, 8), write(n * n, 8), write(n * n, 1)], data=True),
        Kernel("thinfilm_stack", (16, 128, 512, 1280), ((32, 1), (16, 4)), lambda n, g: (-(-n // g[0]) * g[0], 24),
               lambda n, g: [
            read(20, "rand_float:1.35:2.4"), read(20, "rand_float:0:0.02"), read(20, "rand_float:40:160"), i(20),
            f(1.52), f(380.0), f(400.0 / n), f(0.06), write(48 * n), write(48 * n), i(n)]),
        Kernel("zernike_phase", (64, 160, 320, 512), FLAT_32, rounded, lambda n, g: [
            read(36, "rand_float:-0.2:0.2"), i(36), i(n), f(0.45 * n), f(0.02), write(n * n), write(n * n, 1)],
            data=True),
        Kernel("tweezer_fields", (2, 16, 96, 512), LINES_128, lambda n, g: (n * g[0],), lambda n, g: [
            read(64 * 64, "rand_u32", 1), i(64), read(4 * n, "rand_float:-0.2:0.2"), read(256, "rand_float:0:256"),
            f(0.03), update(n, "rand_float:0.5:2"), write(2 * n), local(8 * g[0])]),
        Kernel("photon_slab", (128, 1024, 4096, 12288), NARROW, line, lambda n, g: [
            read(3, "rand_float:1:3"), read(3, "rand_float:10:30"), read(3, "rand_float:0.7:0.95"), rows(3, 2), f(0.5),
            i(3), f(0.05), i(1), u(1234567), update(64 * 64, "zero"), update(2, "zero")], data=True),
    ],
} | suites.FAMILIES | fields.FAMILIES
