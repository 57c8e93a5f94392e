# SPDX-License-Identifier: Apache-2.0
"""Families of the library that are after one field of work each: kernels/FAMILY/NAME.cl."""

from launches import Kernel, d, f, i, index, line, local, read, reals, rounded, rows, u, ul, update, write

LINES = ((64,), (128,))
NARROW = ((32,), (96,))
WIDE = ((64,), (256,))

FAMILIES: dict[str, list[Kernel]] = {
    "crystals": [
        Kernel("structure_factors", (64, 512, 2048, 8192), LINES, line, lambda n, g: [
            read(n, "rand_u32"), read(8 * 300, "rand_float:0.1:1"), i(300), read(12 * 4, "rand_float:-1:1"), i(4),
            reals(40.0, 52.0, 71.0), write(2 * n), local(32 * g[0]), i(n)]),
        Kernel("powder_pattern", (1024, 8192, 32768, 131072), WIDE, line, lambda n, g: [
            rows(2000, 65), read(2001, "rand_float:0:1000"), i(2001), i(0), i(131072 // n),
            reals(0.02, -0.01, 0.01, 0.4), i(1500), read(12, "rand_float:-5:20"), i(12), write(n), i(n)], data=True),
        Kernel("site_orbits", (512, 8192, 65536, 262144), WIDE, line, lambda n, g: [
            read(4 * n, "rand_u32", 2), read(12 * 48, "rand_u32", 1), i(48), write(n, 1), write(n), u(n)], data=True),
        Kernel("spot_intensity", (16, 128, 1024, 6144), LINES, lambda n, g: (n * g[0],), lambda n, g: [
            read(1024 * 1024, "rand_u32", 2), i(1024), i(1024), read(2 * n, "rand_float:0:1024"), f(4.5), f(1.5),
            {"scalar": "ushort", "value": 60000}, write(2 * n), write(n, 1), local(4 * g[0])]),
        Kernel("selling_reduce", (256, 4096, 32768, 131072), NARROW, line, lambda n, g: [
            read(9 * n, "rand_double", 8), write(9 * n, 8), write(n), write(n, 8), d(1e-12), i(100), i(n)], data=True),
        Kernel("tangent_phases", (256, 2048, 16384, 65536), LINES, line, lambda n, g: [
            rows(n, 40), index(40 * n, n), index(40 * n, n), read(40 * n, "rand_u32", 1), read(n, "rand_float:0:2.5"),
            read(n, "rand_float:0:6.28"), f(0.3), f(1.5), write(n), write(n), update(1, "zero"), i(n)], data=True),
    ],
    "games": [
        Kernel("poker_equity", (64, 512, 4096, 16384), NARROW, line, lambda n, g: [
            read(n, "rand_u32"), write(4 * n), u(50), u(1973), u(n)], data=True),
        Kernel("connect_playouts", (2, 16, 128, 768), ((64, 1), (32, 4)), lambda n, g: (256, -(-n // g[1]) * g[1]),
               lambda n, g: [
            rows(n, 9), read(9 * n, "rand_u32", 1), u(42), update(3 * n, "zero"), i(n)], data=True),
        Kernel("chess_mobility", (512, 4096, 32768, 131072), WIDE, line, lambda n, g: [
            read(32 * n, "rand_u32", 1), write(n, 2), write(n, 1), i(n)], data=True),
        Kernel("ucb_descend", (128, 2048, 16384, 65536), LINES, line, lambda n, g: [
            index(n, 1 << 18), index(1 << 18, (1 << 18) - 31), read(1 << 18, "rand_u32", 1), index(1 << 18, 400),
            read(1 << 18, "rand_float:0:1"), f(1.4), i(24), update(1 << 18, "zero"), update(24 * n, "zero"), write(n),
            i(n)], data=True),
        Kernel("tablebase_pass", (1024, 16384, 262144, 1048576), WIDE, line, lambda n, g: [
            rows(n, 12), index(12 * n, n), read(n, "rand_u32", 1), read(n, "rand_u32", 1), write(n, 1), write(n, 1),
            update(1, "zero"), i(n)], data=True),
        Kernel("go_liberties", (8, 64, 512, 3072), LINES, lambda n, g: (n * g[0],), lambda n, g: [
            read(361 * n, "rand_u32", 1), write(361 * n, 1), update(n, "zero")], data=True),
    ],
    "neutrons": [
        Kernel("macro_xs", (1024, 16384, 65536, 196608), WIDE, line, lambda n, g: [
            index(n, 6400000), index(n, 12), rows(16384, 390), i(16385), index(16385 * 32, 4095), i(32),
            read(6 * 4096 * 32, "rand_float:0:6.4"), i(4096), rows(12, 9), index(12 * 9, 32),
            read(12 * 9, "rand_float:0:0.1"), write(5 * n), write(n, 1), i(n)], data=True),
        Kernel("woodcock_histories", (256, 2048, 16384, 65536), NARROW, line, lambda n, g: [
            read(64 ** 3, "rand_u32", 1), i(64), f(2.0), read(2 * 8, "rand_float:0.1:1"), f(1.0), ul(20261123),
            update(64 ** 3, "zero"), write(n, 2), write(n, 1), u(n)], data=True),
        Kernel("sweep_plane", (8, 16, 32, 56), ((8, 4, 2), (16, 2, 4)), lambda n, g: (16, n, n), lambda n, g: [
            read(n ** 3, "rand_u32", 1), read(8 * 16, "rand_double", 8), read(16 * n ** 3, "rand_double", 8),
            read(4 * 10, "rand_double", 8), i(10), {"scalar": "double2", "value": [0.5, 0.25]},
            update(160 * n * n, "rand_double", 8), update(160 * n * n, "rand_double", 8),
            update(160 * n * n, "rand_double", 8), update(16 * n ** 3, "zero", 8), i(3 * n // 2), i(n)], data=True),
        Kernel("moc_segments", (32, 256, 1024, 3072), ((8, 8), (16, 4)), lambda n, g: (16, n), lambda n, g: [
            rows(n, 40), index(40 * n, 2048), read(40 * n, "rand_float:0.05:1"), read(2048 * 16, "rand_float:0.1:2"),
            read(2048 * 16), read(2 * 1000, "rand_float:0:1"), i(1000), f(100.0), read(n), read(32 * n), write(32 * n),
            update(2048 * 16, "zero"), i(n)], data=True),
        Kernel("scatter_source", (64, 512, 4096, 12288), ((32,), (64,)), lambda n, g: (n * g[0],), lambda n, g: [
            read(n, "rand_u32", 1), read(96 * n), rows(768, 20), index(768, 80), read(768 * 20, "rand_float:0:0.2"),
            read(768), read(768, "rand_float:0:0.02"), f(1.05), write(96 * n), write(n), local(4 * g[0])], data=True),
    ],
    "hydrology": [
        Kernel("richards_column", (32, 96, 256, 640), ((32,), (64,)), line, lambda n, g: [
            update(20 * n, "rand_float:-3:-0.2"), read(n, "rand_u32", 1), read(12, "rand_float:0.35:0.5"),
            read(12, "rand_float:0.02:0.1"), read(12, "rand_float:0.5:5"), read(12, "rand_float:1.3:2.6"),
            read(12, "rand_float:0.01:0.2"), read(n, "rand_float:0:0.01"), f(0.25), f(0.1), i(8), f(1e-3), write(n),
            write(n, 1), i(n)], data=True),
        Kernel("shallow_hll", (64, 192, 448, 768), ((16, 8), (32, 4)), rounded, lambda n, g: [
            read(4 * n * n, "rand_float:0:2"), write(4 * n * n), i(n), i(n), f(0.02), f(0.004)],
            lambda g: f"-DTILE_X={g[0]} -DTILE_Y={g[1]}", data=True),
        Kernel("muskingum_network", (512, 2048, 8192, 20480), WIDE, line, lambda n, g: [
            rows(n, 2), index(2 * n, n), read(n, "rand_float:0:2"), read(n, "rand_float:200:6000"),
            read(n, "rand_float:0.0002:0.01"), read(n, "rand_float:2:80"), f(0.035), read(24 * n, "rand_float:1:90"),
            i(n), write(24 * n), update(1, "zero"), i(24), f(3600.0), i(n)], data=True),
        Kernel("gr4j_ensemble", (32, 128, 320, 640), ((32,), (64,)), line, lambda n, g: [
            read(4 * n, "rand_float:0.5:4.5"), read(2 * 365, "rand_float:0:8"), read(365, "rand_float:-0.5:6"), i(365),
            i(60), write(n), write(2 * n), i(n)], data=True),
        Kernel("flow_duration", (8, 64, 512, 2048), LINES, lambda n, g: (n * g[0],), lambda n, g: [
            read(3653 * n, "rand_u32", 2), i(3653), read(n, "rand_u32", 2), write(3 * n), write(n, 2), write(n, 2),
            local(8 * g[0])], data=True),
    ],
    "ledgers": [
        Kernel("post_entries", (1024, 16384, 131072, 524288), WIDE, line, lambda n, g: [
            read(2 * n, "rand_u32"), index(n, 5000), index(n, 5000), {"scalar": "uchar", "value": 2},
            update(2 * 5000, "rand_u32"), update(3, "zero"), write(n, 1), u(n)], data=True),
        Kernel("audit_proof", (64, 512, 2048, 8192), ((32,), (64,)), line, lambda n, g: [
            read(8 * n, "rand_u32"), read(n, "rand_u32"), rows(n, 12), read(8 * 12 * n, "rand_u32"),
            read(8, "rand_u32"), u(4095), write(n, 1), update(1, "zero"), i(n)], data=True),
        Kernel("fifo_lots", (256, 2048, 16384, 65536), NARROW, line, lambda n, g: [
            rows(n, 24), read(2 * 24 * n, "rand_u32"), write(8 * n), i(n)], data=True),
        Kernel("iban_check", (1024, 16384, 131072, 262144), LINES, line, lambda n, g: [
            read(34 * n, "rand_u32", 1), read(676, "rand_u32", 1), write(n, 1), write(n, 1), update(16, "zero"), u(n)],
            data=True),
        Kernel("revalue_entries", (4096, 65536, 524288, 2097152), ((64,), (256,)), line, lambda n, g: [
            read(2 * n, "rand_u32"), read(32, "rand_u32"), update(2 * n, "rand_u32"),
            write(4 * (line(n, g)[0] // g[0])), write(line(n, g)[0] // g[0], 2), local(16 * g[0]), i(n)]),
    ],
}
