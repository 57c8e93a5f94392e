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
    "networking": [
        Kernel("lpm_lookup", (4096, 32768, 262144, 2097152), LINES, line, lambda n, g: [
            read(n, "rand_u32", 8), index(65536, 2048), index(256 * 1024, 2048), write(n, 2), u(n)], data=True),
        Kernel("inet_checksum", (512, 4096, 16384, 65536), NARROW, line, lambda n, g: [
            read(256 * n, "rand_u32", 2), rows(n, 256), write(n, 2), i(n)], data=True),
        Kernel("toeplitz_rss", (512, 4096, 32768, 196608), LINES, lambda n, g: line(n // 4, g), lambda n, g: [
            read(3 * n, "rand_u32"), read(5, "rand_u32"), index(128, 16), write(n), write(n, 1), update(16, "zero"),
            i(n)]),
        Kernel("acl_first_match", (512, 4096, 24576, 100000), NARROW, line, lambda n, g: [
            read(2 * n, "rand_u32"), read(4 * 256, "rand_u32"), u(256), write(n, 1), write(n, 2), u(n)], data=True),
        Kernel("cuckoo_lookup", (8192, 65536, 524288, 2097152), LINES, line, lambda n, g: [
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
        Kernel("miller_rabin", (512, 4096, 32768, 131072), LINES, line, lambda n, g: [
            read(n, "rand_u32"), write(n, 1), u(n)], data=True),
        Kernel("sieve_segment", (2, 16, 200, 1500), ((64,), (256,)), lambda n, g: (n * g[0],), lambda n, g: [
            index(512, 2048), i(512), u(1000000), write(n)], data=True),
        Kernel("collatz_peaks", (1024, 8192, 32768, 131072), NARROW, line, lambda n, g: [
            ul(1000001), write(line(n, g)[0], 2), write(line(n, g)[0], 8)], data=True),
        Kernel("jacobi_symbol", (512, 4096, 16384, 65536), LINES, line, lambda n, g: [
            read(2 * n, "rand_u32", 8), write(n, 1), write(n), i(n)], data=True),
    ],
    "frames": [
        Kernel("format_timestamps", (2048, 16384, 131072, 524288), NARROW, line, lambda n, g: [
            read(n, "rand_u32"), write(20 * n, 1), u(n)]),
        Kernel("log_lexer", (512, 4096, 24576, 98304), LINES, line, lambda n, g: [
            read(80 * n, "rand_u32", 1), rows(n, 80), index(256, 16), index(32 * 16, 32), write(n, 2), write(n, 2),
            i(n)], data=True),
        Kernel("asof_join", (4096, 32768, 262144, 1048576), LINES, line, lambda n, g: [
            index(n, 512), index(n, 400), rows(512, 64), rows(512 * 64, 5), read(512 * 64, "rand_float:9:10"),
            read(512 * 64, "rand_float:10:11"), i(50), write(n), write(n)], data=True),
        Kernel("rolling_median", (2048, 16384, 65536, 262144), NARROW, line, lambda n, g: [
            read(n, "rand_u32", 2), read(n // 32, "rand_u32"), write(n, 2), i(n)], data=True),
        Kernel("groupby_partials", (4, 32, 160, 640), LINES, lambda n, g: (n * g[0],), lambda n, g: [
            index(2048 * n, 100), index(2048 * n, 10000), i(2048 * n), i(2048), i(1500), i(100), local(16 * 100),
            write(400 * n)], data=True),
        Kernel("sessionize", (512, 4096, 24576, 131072), LINES, line, lambda n, g: [
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
