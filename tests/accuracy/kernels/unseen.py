# SPDX-License-Identifier: Apache-2.0
"""Real kernels that nobody who works on the model has looked at: kernels/unseen/FAMILY/NAME.cl."""

from launches import Kernel, d, f, i, index, line, local, read, reals, rounded, rows, u, ul, update, write

LINES = ((64,), (128,))
NARROW = ((32,), (96,))
FLAT = ((16, 8), (32, 2))
RATIO = int(0.91875 * 2 ** 32)  # 44.1 by 48 kHz, 32 bits behind the point

FAMILIES: dict[str, list[Kernel]] = {
    "audio": [
        Kernel("biquad_cascade", (64, 512, 4096, 16384), NARROW, line, lambda n, g: [
            read(256 * n, "rand_float:-1:1"), write(256 * n), read(20, "rand_float:-0.3:0.4"), i(n), i(256)]),
        Kernel("polyphase_resample", (4096, 65536, 524288, 4194304), LINES, line, lambda n, g: [
            read(n), read(33 * 16, "rand_float:-1:1"), write(n), ul(RATIO), u(n - 64)]),
        Kernel("delay_and_sum", (8, 32, 128, 256), ((64, 1), (32, 4)), lambda n, g: (16 * n, n), lambda n, g: [
            read(24 * (16 * n + 64), "rand_float:-1:1"), read(24 * n, "rand_float:0:62"), read(24), write(16 * n * n),
            i(24), i(16 * n + 64)]),
        Kernel("mu_law", (16384, 262144, 2097152, 16777216), LINES, lambda n, g: line(n // 16, g), lambda n, g: [
            read(n, "rand_u32", 2), write(n, 1), u(n // 4)]),
        Kernel("goertzel_bank", (2, 16, 64, 256), LINES, lambda n, g: (n * g[0],), lambda n, g: [
            read(1024 * n, "rand_u32", 2), write(n * g[0]), i(1024), local(4 * g[0])]),
        Kernel("pitch_lag", (8, 64, 256, 1024), ((32,), (128,)), lambda n, g: (n * g[0],), lambda n, g: [
            read(160 * n + 512, "rand_float:-1:1"), write(n), write(n), i(160), local(4 * g[0]), local(4 * g[0])]),
    ],
    "mechanics": [
        Kernel("tet_stiffness", (64, 1024, 8192, 32768), LINES, line, lambda n, g: [
            read(3 * (n // 4), "rand_double", 8), index(4 * n, n // 4), write(144 * n, 8), i(n), d(1.2), d(0.8)]),
        Kernel("muscl_step", (64, 256, 640, 1300), FLAT, rounded, lambda n, g: [
            read((n + 4) * n, "rand_float:1:2"), read((n + 4) * n, "rand_float:0:0.5"),
            read((n + 4) * n, "rand_float:0:0.5"), read((n + 4) * n, "rand_float:2:3"), write(4 * n * n), i(n), i(n),
            f(0.2)]),
        Kernel("thomas_columns", (256, 2048, 8192, 32768), NARROW, line, lambda n, g: [
            read(64 * n), read(64 * n, "rand_float:3:4"), read(64 * n), read(64 * n), write(64 * n), write(64 * n),
            i(n), i(64)]),
        Kernel("cloth_step", (32, 128, 384, 1024), FLAT, rounded, lambda n, g: [
            read(4 * n * n), read(4 * n * n), write(4 * n * n), i(n), i(n), f(0.5), f(80.0), f(0.01), f(0.001)]),
        Kernel("sor_obstacles", (16, 48, 96, 160), ((8, 4, 4), (8, 8, 2)), lambda n, g: (n // 2, n, n), lambda n, g: [
            update((n + 2) ** 3), read((n + 2) ** 3, "rand_float:-0.1:0.1"), read((n + 2) ** 3, "rand_u32", 1), i(n),
            i(1), f(1.0)], data=True),
        Kernel("edge_scatter", (1024, 16384, 131072, 786432), LINES, line, lambda n, g: [
            index(2 * n, n // 3), read(2 * n, "rand_float:-1:1"), read(2 * (n // 3), "rand_float:-1:1"), read(n // 3),
            update(n // 3, "zero"), i(n)], data=True),
        Kernel("semi_lagrange", (64, 256, 1024, 1900), FLAT, rounded, lambda n, g: [
            read(2 * n * n, "rand_float:-1:1"), read(n * n), write(n * n), i(n), i(n), f(3.0)], data=True),
    ],
    "rendering": [
        Kernel("raymarch_sdf", (32, 80, 160, 288), FLAT, rounded, lambda n, g: [
            write(4 * n * n, 1), write(n * n), i(n), i(n), reals(0.3, 1.8, 0.2, 0.7)]),
        Kernel("bvh_traverse", (512, 4096, 16384, 49152), LINES, line, lambda n, g: [
            read(4 * 8191), read(4 * 8191, "rand_float:0.2:0.7"), read(4 * 4096, "rand_float:0:0.3"), read(4 * n),
            read(4 * n, "rand_float:-1:1"), write(n), write(n), i(4096), i(n)], data=True),
        Kernel("texture_lights", (64, 200, 448, 768), FLAT, rounded, lambda n, g: [
            read(2 * n * n), read(4 * n * n), read(4 * n * n, "rand_float:-1:1"), read(4 * 256 * 256, "rand_u32", 1),
            read(64), write(4 * n * n), i(n), i(n), i(256)], data=True),
        Kernel("volume_cast", (32, 64, 128, 256), ((16, 8), (32, 4)), rounded, lambda n, g: [
            read(n ** 3, "rand_u32", 1), read(4 * 256, "rand_float:0:0.05"), write(4 * n * n), i(n), i(n), f(0.1),
            f(0.05)], data=True),
        Kernel("fragment_resolve", (4096, 65536, 262144, 1048576), LINES, line, lambda n, g: [
            rows(n, 5), read(5 * n), read(20 * n, "rand_u32", 1), write(4 * n, 1), i(n)], data=True),
        Kernel("raster_tile", (32, 96, 224, 384), FLAT, rounded, lambda n, g: [
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
        Kernel("shortwave_bands", (64, 1024, 8192, 65536), LINES, line, lambda n, g: [
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
        Kernel("systematic_resample", (2048, 16384, 65536, 262144), LINES, line, lambda n, g: [
            rows(n, 100), read(4 * n, "rand_float:-3:3"), write(4 * n), write(n), u(n), f(0.37),
            reals(0.02, 0.02, 0.005, 0.0)], data=True),
        Kernel("icp_accumulate", (128, 512, 1536, 3072), ((32,), (128,)), line, lambda n, g: [
            read(2 * n, "rand_float:-5:5"), read(2 * n, "rand_float:-5:5"), i(n), i(n), reals(0.8, 0.6, 0.1, -0.2),
            f(0.5), write(9 * (n // g[0]))], lambda g: f"-DGROUP={g[0]}"),
        Kernel("carve_scan", (128, 512, 2048, 8192), LINES, line, lambda n, g: [
            index(n, 400), index(n, 400), index(n, 16), index(16, 400), index(16, 400), update(400 * 400, "zero"),
            i(400), i(n)], data=True),
        Kernel("arm_clearance", (256, 2048, 8192, 24576), NARROW, line, lambda n, g: [
            read(6 * n, "rand_float:-3:3"), read(30, "rand_float:0.05:0.4"), read(4 * 32, "rand_float:-2:0.6"), i(32),
            write(n), write(n), i(n)], data=True),
    ],
}
