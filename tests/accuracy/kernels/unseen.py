# SPDX-License-Identifier: Apache-2.0
"""Real kernels that nobody who works on the model has looked at: kernels/unseen/FAMILY/NAME.cl."""

import math

from launches import (Kernel, Shape, d, f, i, index, ints, line, local, read, reals, rounded, rows, square, u, update,
                      write)

LONG = ((256,), (64,))
COLUMNS = ((32,), (64,))
POLYBENCH = ((32, 8), (16, 16))


def bands(n: int) -> int:
    """Windows of eight rows that a work-group slides over, so that there are fifteen groups or so."""
    return -(-n // (8 * 15))


def side(g: Shape) -> int:
    """Of the square that a work-group of one dimension stands for."""
    return math.isqrt(g[0])


def bricks(n: int, g: Shape) -> int:
    """Along each axis, so that as many points are covered by either shape."""
    return -(-15 * n // (side(g) - 1))


FAMILIES: dict[str, list[Kernel]] = {
    "rodinia": [
        Kernel("layer_forward", (256, 4096, 65536, 262144), ((16, 16), (8, 8)), lambda n, g: (g[0], n), lambda n, g: [
            read(n + 1, "rand_float:0.9:1.1"), update((n + 1) * (g[0] + 1)), write(n), local(4 * g[0]),
            local(4 * g[0] * g[0]), i(g[0])],
            lambda g: f"-DSIDE={g[0]}"),
        Kernel("range_search", (16, 256, 2048, 6000), ((256,), (128,)), lambda n, g: (n * g[0],), lambda n, g: [
            i(3), index(6000 * (2 * g[0] + 5), 6000), i(6000), update(n, "zero"), update(n, "zero"), update(n, "zero"),
            update(n, "zero"), index(n, 40), index(n, 40), update(n, "zero"), update(n, "zero")],
            lambda g: f"-DORDER={g[0]}", data=True),
        Kernel("bfs_masks", (4096, 65536, 524288, 1048576), ((256,), (64,)), line, lambda n, g: [
            rows(n, 6), index(6 * n, n), read(n, "rand_index:2", 1), update(n, "zero", 1),
            read(n, "rand_index:256", 1), update(n, "rand_index:8"), i(n)], data=True),
        Kernel("euler_flux", (1024, 16384, 97152, 262144), ((192,), (64,)), line, lambda n, g: [
            index(4 * n, n), read(12 * n, "rand_float:-1:1"), read(5 * n, "rand_float:0.2:1"), read(5), read(12),
            write(5 * n), i(n)], data=True),
        Kernel("dwt53", (128, 512, 1024, 2048), ((64, 1), (192, 1)), lambda n, g: (
            line(n, g)[0], -(-n // (8 * bands(n)))), lambda n, g: [
            read(n * n, "rand_index:256"), write(n * n), i(n), i(n), i(bands(n))],
            lambda g: f"-DWIN_X={g[0]} -DWIN_Y=8"),
        Kernel("eliminate_fan2", (64, 256, 1024, 3072), ((4, 4), (16, 16)), square, lambda n, g: [
            read(n * n), update(n * n), update(n), i(n), i(n // 2)]),
        Kernel("hotspot_pyramid", (64, 256, 512, 1024), ((16, 16), (8, 8)), lambda n, g: (
            -(-n // (g[0] - 4)) * g[0], -(-n // (g[0] - 4)) * g[0]), lambda n, g: [
            i(2), read(n * n, "rand_float:0:1"), read(n * n, "rand_float:320:345"), write(n * n), i(n), i(n), f(0.34),
            f(0.1), f(0.1), f(4.75)], lambda g: f"-DSIDE={g[0]}"),
        Kernel("hotspot_layers", (64, 128, 256, 512), ((64, 4), (32, 2)), square, lambda n, g: [
            read(8 * n * n, "rand_float:0:1"), read(8 * n * n, "rand_float:320:345"), write(8 * n * n), f(0.1), i(n),
            i(n), i(8), f(0.03), f(0.03), f(0.03), f(0.03), f(0.01), f(0.01), f(0.86)]),
        Kernel("vlc_encode", (4096, 65536, 524288, 2097152), ((256,), (64,)), line, lambda n, g: [
            read(n, "rand_u32"), index(256, 128), index(256, 9), write(n), write(n // g[0])],
            lambda g: f"-DITEMS={g[0]}", data=True),
    ],
    "samples": [
        Kernel("aes_encrypt", (16, 64, 256, 512), ((1, 4), (4, 4)), lambda n, g: (n // 4, n), lambda n, g: [
            write(n * n, 1), read(n * n, "rand_u32", 1), read(4 * 44, "rand_u32", 1), read(256, "rand_u32", 1),
            local(16 * g[0]), local(16 * g[0]), u(n), u(10)]),
        Kernel("binary_search", (4096, 65536, 1048576, 2097152), ((256,), (64,)), lambda n, g: (n // 4,), lambda n, g: [
            index(64, 5 * n), rows(n - 1, 5), u(n), u(n // 256), write(64)], data=True),
        Kernel("box_horizontal", (256, 512, 1024, 2048), ((256, 1), (64, 1)), square, lambda n, g: [
            read(4 * n * n, "rand_u32", 1), write(4 * n * n, 1), i(9), local(4 * (g[0] + 8))]),
        Kernel("dwt_haar", (4096, 65536, 1048576, 4194304), ((256,), (64,)), lambda n, g: (n // 2,), lambda n, g: [
            read(n), write(n), write(n // 2 // g[0]), local(8 * g[0]), u(n.bit_length() - 1), u(n), u(0),
            u(g[0].bit_length())]),
        Kernel("eigen_count", (64, 512, 1536, 3072), ((256,), (64,)), line, lambda n, g: [
            write(line(n, g)[0]), read(2 * line(n, g)[0], "rand_float:-2:3"), read(n), read(n - 1), u(n)]),
        Kernel("fast_walsh", (4096, 65536, 1048576, 16777216), ((256,), (64,)), lambda n, g: (n // 2,), lambda n, g: [
            update(n), i(1 << n.bit_length() // 2)]),
        Kernel("fft_1024", (2, 32, 512, 3072), ((64,), (128,)), lambda n, g: (64 * n,), lambda n, g: [
            update(1024 * n, "rand_float:-1:1"), update(1024 * n, "rand_float:-1:1"), local(66 * g[0])]),
        Kernel("gaussian_noise", (64, 256, 512, 1024), ((64, 1), (16, 16)), lambda n, g: (n, n // 2), lambda n, g: [
            read(4 * n * n, "rand_u32", 1), write(4 * n * n, 1), i(60), local(16 * g[0] * g[1])]),
    ],
    "polybench": [
        Kernel("correlation", (48, 128, 256, 400), LONG, lambda n, g: line(n - 1, g), lambda n, g: [
            update((n + 1) * (n + 1), "zero"), read((n + 1) * (n + 1)), i(n), i(n)]),
        Kernel("two_products", (32, 96, 192, 320), POLYBENCH, rounded, lambda n, g: [
            read(n * n), read(n * n), update(n * n, "zero"), i(n), i(n), i(n)]),
        Kernel("atax_columns", (256, 768, 1536, 3000), LONG, line, lambda n, g: [
            read(n * n), update(n, "zero"), read(n), i(n), i(n)]),
        Kernel("bicg_rows", (256, 768, 2048, 4000), LONG, line, lambda n, g: [
            read(n * n), read(n), update(n, "zero"), i(n), i(n)]),
        Kernel("doitgen", (16, 48, 128, 256), POLYBENCH, rounded, lambda n, g: [
            read(min(n, 64) * n * n), read(n * n), update(min(n, 64) * n * n, "zero"), i(min(n, 64) // 2), i(n),
            i(n)]),
        Kernel("gram_schmidt", (256, 640, 1280, 2048), LONG, line, lambda n, g: [
            update(n * n), update(n * n), read(n * n, "rand_float:-0.05:0.05"), i(n // 2), i(n), i(n)]),
        Kernel("symm", (32, 96, 192, 320), COLUMNS, line, lambda n, g: [
            update(n * n, "rand_double", 8), read(n * n, "rand_double", 8), read(n * n, "rand_double", 8), d(1.5),
            d(1.2), i(n), i(n)]),
        Kernel("syr2k", (32, 96, 192, 288), POLYBENCH, rounded, lambda n, g: [
            read(n * n), read(n * n), update(n * n), f(12435.0), f(4546.0), i(n), i(n)]),
        Kernel("trmm", (32, 96, 192, 352), COLUMNS, line, lambda n, g: [
            read(n * n, "rand_double", 8), update(n * n, "rand_double", 8), d(1.5), i(n), i(n)]),
    ],
    "hecfirst": [
        Kernel("adam_steps", (256, 2048, 10000, 65536), LONG, line, lambda n, g: [
            update(n, "rand_float:0:1"), update(n, "rand_float:0:1"), update(n, "rand_float:0:1"),
            read(n, "rand_float:0:1"), f(0.9), f(0.999), f(1e-10), f(256.0), f(1e-3), i(200), u(n), i(0), f(0.5)]),
        Kernel("aidw_tiled", (64, 256, 512, 1024), LONG, line, lambda n, g: [
            read(n, "rand_float:0:100"), read(n, "rand_float:0:100"), read(n, "rand_float:0:100"), i(n),
            read(n, "rand_float:0:100"), read(n, "rand_float:0:100"), write(n), i(n), f(10000.0),
            read(n, f"rand_float:0:{100 / n ** 0.5}")], lambda g: f"-DTILE={g[0]}"),
        Kernel("ambient_occlusion", (16, 32, 64, 96), ((16, 16), (8, 8)), square, lambda n, g: [
            write(3 * n * n, 1), i(n), i(n), reals(-2.0, 0.0, -3.5, 0.5), reals(-0.5, 0.0, -3.0, 0.5),
            reals(1.0, 0.0, -2.2, 0.5), reals(0.0, -0.5, 0.0, 0.0), reals(0.0, 1.0, 0.0, 0.0)]),
        Kernel("cas_doubles", (256, 2048, 8192, 32768), LONG, line, lambda n, g: [update(3, "zero", 8)]),
        Kernel("system_atomics", (256, 512, 1024, 4096), LONG, line, lambda n, g: [update(10, "zero")]),
        Kernel("bezier_surface", (16, 64, 128, 192), ((16, 16), (8, 8)), rounded, lambda n, g: [
            read(3 * 16, "rand_float:0:10"), write(3 * n * n), i(3), i(3), i(n), i(n)]),
        Kernel("binomial_registers", (1, 4, 16, 48), ((128,), (256,)), lambda n, g: (n * g[0],), lambda n, g: [
            read(n, "rand_float:5:30"), read(n, "rand_float:1:100"), read(n, "rand_float:0.001:0.02"),
            read(n, "rand_float:0.5:0.51"), read(n, "rand_float:0.48:0.49"), write(n)],
            lambda g: f"-DGROUP={g[0]} -DNODES={2048 // g[0]}"),
        Kernel("quantize_blocks", (4096, 65536, 524288, 2097152), LONG, lambda n, g: (n // 4,), lambda n, g: [
            read(256, "rand_float:-1:1"), read(n, "rand_float:-1:1"), write(n, 1), i(n)], lambda g: f"-DGROUP={g[0]}"),
        Kernel("block_exchange", (4096, 65536, 1048576, 8388608), LONG, lambda n, g: (n // 8,), lambda n, g: [
            read(n, "rand_u32"), write(n)], lambda g: f"-DGROUP={g[0]}"),
        Kernel("box_columns", (64, 256, 1024, 2048), ((64,), (256,)), line, lambda n, g: [
            read(n * n, "rand_u32"), write(n * n), u(n), u(n), i(10), f(1 / 21)]),
        Kernel("rotations_step", (4096, 65536, 524288, 2097152), LONG, line, lambda n, g: [
            index(n, 7 * n // 8, "rw"), i(n), i(1 << n.bit_length() // 4), i(1 << n.bit_length() // 2),
            read(7 * n // 8, "rand_u32", 1), i(7 * n // 8)], data=True),
        Kernel("ccsd_tengy", (16, 96, 320, 768), ((16, 16), (8, 8)), rounded, lambda n, g: [
            *(read(n * n, "rand_double", 8) for _ in range(8)), *(read(n, "rand_double", 8) for _ in range(6)),
            read(n + 50, "rand_double", 8), d(0.5), update(4, "zero", 8), i(0), i(50), i(n)]),
        Kernel("chemical_potential", (8, 32, 80, 144), ((8, 8, 8), (32, 4, 1)), lambda n, g: (
            -(-n // g[0]) * g[0], n, n), lambda n, g: [
            read(n ** 3, "rand_double", 8), write(n ** 3, 8), d(1.0), d(1.0), d(1.0), d(0.4), d(-2 / 9), d(-2 / 9),
            d(2 / 9), i(n), i(n), i(n)]),
        Kernel("random_connections", (256, 2048, 16384, 98304), LONG, line, lambda n, g: [
            read(100 * n, "rand_float:0:1"), index(22283, 22283), write(n), i(22283), i(100), f(2223350.0), i(n)],
            data=True),
        Kernel("columnar_climb", (64, 384, 1536, 4608), ((192,), (64,)), line, lambda n, g: [
            read(89, "rand_index:26", 1), read(676, "rand_float:-9:0"), read(line(n, g)[0], "rand_u32"), i(40),
            write(line(n, g)[0]), write(89 * line(n, g)[0], 1)]),
    ],
    "heclast": [
        Kernel("min_max_bricks", (1, 4, 12, 20), ((256, 1, 1), (64, 1, 1)), lambda n, g: (
            bricks(n, g) * g[0], bricks(n, g), bricks(n, g)), lambda n, g: [
            write(2 * bricks(n, g) ** 3), u(bricks(n, g) * (side(g) - 1) + 1)], lambda g: f"-DSIDE={side(g)}"),
        Kernel("mul_madd8", (512, 4096, 24576, 65536), LONG, line, lambda n, g: [
            update(n, "rand_float:0:1"), i(20)]),
        Kernel("debye_huckel", (64, 512, 2048, 8192), LONG, line, lambda n, g: [
            read(523, "rand_float:-30:30"), read(523, "rand_float:-30:30"), read(523, "rand_float:-30:30"),
            read(523, "rand_float:-1:1"), read(523, "rand_float:1:2"), read(line(n, g)[0], "rand_float:-40:40"),
            read(line(n, g)[0], "rand_float:-40:40"), read(line(n, g)[0], "rand_float:-40:40"), f(564.0), f(0.103),
            write(line(n, g)[0]), i(523), local(20 * g[0])]),
        Kernel("rescue_merge", (32, 128, 512, 2048), COLUMNS, line, lambda n, g: [
            read(2 * line(n, g)[0], "rand_u32", 32), write(line(n, g)[0], 32), read(36, "rand_u32", 32),
            read(21, "rand_u32", 32), read(21, "rand_u32", 32)]),
        Kernel("chain_anchors", (1, 4, 12, 32), ((64,), (32,)), lambda n, g: (n * g[0],), lambda n, g: [
            rows((1024 + g[0]) * n - 1, 40), rows((1024 + g[0]) * n - 1, 38), index((1024 + g[0]) * n, 20),
            read((1024 + g[0]) * n, "zero"), write(1024 * n), write(1024 * n), f(15.0), i(5000), i(5000), i(500)],
            lambda g: f"-DBACK={g[0]}", data=True),
        Kernel("fma_ratio", (16384, 262144, 2097152, 8388608), LONG, lambda n, g: (n // 32,), lambda n, g: [
            f(-0.75), update(n, "rand_float:0.1:0.3")], lambda g: "-DITERATIONS=16"),
        Kernel("moe_align", (512, 8192, 131072, 1048576), ((64,), (128,)), lambda n, g: g, lambda n, g: [
            index(n, 64), write(n + 64 * 64), write(n // 64 + 64), write(1), i(64), i(64), i(n),
            local(4 * (65 + 64 * (g[0] + 1)))], data=True),
        Kernel("mrg32k3a", (256, 4096, 32768, 131072), LONG, line, lambda n, g: [
            update(6 * n, "rand_u32"), write(64 * n), i(64)]),
        Kernel("murmur_x64", (64, 1024, 16384, 65536), LONG, line, lambda n, g: [
            read(256 * n, "rand_u32", 1), rows(n, 256), u(42), write(2 * n, 8), i(n)], data=True),
        Kernel("nms_bitmap", (128, 512, 1024, 3072), ((16, 16), (32, 8)), rounded, lambda n, g: [
            index(4 * n, 640), update(n * n, "rand_index:2", 1), i(n), f(0.3)], data=True),
        Kernel("intt_sixteen", (4096, 65536, 524288, 4194304), ((64,), (128,)), lambda n, g: (n // 8,), lambda n, g: [
            write(n), read(n, "rand_u32", 8), u(2147483647)], lambda g: f"-DITEMS={g[0]}"),
        Kernel("pillar_boxes", (12, 48, 124, 232), ((6,), (8,)), lambda n, g: (n * n * g[0],), lambda n, g: [
            read(18 * n * n, "rand_float:-3:3"), read(42 * n * n, "rand_float:-1:1"), read(12 * n * n), read(24),
            read(3, "rand_float:-2:0"), update(1 + 54 * n * n, "zero"), update(1, "zero"),
            reals(0.0, 69.12, -39.68, 39.68), ints(n, n), i(6), i(3), f(0.1), f(0.78539)], data=True),
        Kernel("collide_cells", (8, 16, 32, 64), ((64,), (256,)), lambda n, g: (n ** 3,), lambda n, g: [
            update(4 * n ** 3, "zero"), read(4 * n ** 3, "rand_float:-1:1"), read(4 * n ** 3, "rand_float:-0.1:0.1"),
            index(n ** 3, n ** 3), rows(n ** 3, 1), reals(-1.2, -0.8, 0.8, 0.0), f(0.2), i(n), f(2 / n), f(0.4),
            f(0.5), f(0.02), f(0.1), i(n ** 3)], data=True),
        Kernel("lstm_gates", (4, 64, 512, 2048), LONG, lambda n, g: (512 * n,), lambda n, g: [
            i(512), i(n), read(2048 * n, "rand_float:-1:1"), read(2048 * n, "rand_float:-1:1"), read(4096),
            write(2048 * n), write(512 * n), write(512 * n), read(512 * n), write(512 * n)]),
        Kernel("pool_gradient", (16, 56, 112, 224), LONG, lambda n, g: line(16 * n * n, g), lambda n, g: [
            i(16 * n * n), read(16 * ((n - 9) // 4 + 1) ** 2), i(16), i(n), i(n), i((n - 9) // 4 + 1),
            i((n - 9) // 4 + 1), i(11), i(4), i(1), i(1), write(16 * n * n)]),
    ],
}
