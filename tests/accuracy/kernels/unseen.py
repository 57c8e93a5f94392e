# SPDX-License-Identifier: Apache-2.0
"""Real kernels that nobody who works on the model has looked at: kernels/unseen/FAMILY/NAME.cl."""

from launches import (Argument, Kernel, Shape, d, f, i, index, line, local, read, rounded, rows, square, u, ul, update,
                      write)

LINES = ((64,), (128,))
NARROW = ((32,), (96,))
FLAT = ((16, 8), (32, 2))
TILES = ((16, 8), (32, 8))
RATIO = int(0.91875 * 2 ** 32)  # 44.1 by 48 kHz, 32 bits behind the point


def reals(*values: float) -> Argument:
    """A vector of floats by value."""
    return {"scalar": f"float{len(values)}", "value": list(values)}


def rounded_to(x: int, y: int, g: Shape) -> Shape:
    """x columns and y rows, as many whole work-groups as they take."""
    return (-(-x // g[0]) * g[0], -(-y // g[1]) * g[1])


def tiled(g: Shape) -> str:
    return f"-DTILE_X={g[0]} -DTILE_Y={g[1]}"


FAMILIES: dict[str, list[Kernel]] = {
    "codec": [
        Kernel("motion_search", (8, 32, 96, 144), ((8, 8), (32, 1)), rounded, lambda n, g: [
            read(64 * n * n, "rand_u32", 1), read((8 * n + 8) ** 2, "rand_u32", 1), write(n * n, 8), i(n), i(n)],
            data=True),
        Kernel("deblock_edges", (128, 512, 2048, 6144), ((16, 8), (8, 32)), lambda n, g: rounded_to(n // 8, n, g),
               lambda n, g: [
            update(n * n, "rand_u32", 1), read((n // 8 - 1) * (n // 4), "rand_u32", 1), i(n), i(n), i(45)], data=True),
        Kernel("quantise_zigzag", (512, 8192, 65536, 196608), LINES, line, lambda n, g: [
            read(64 * n, "rand_u32", 2), read(64, "rand_u32", 2), u(21845), write(64 * n, 2), write(n, 1), i(n)]),
        Kernel("nv12_to_rgba", (64, 512, 2048, 3072), FLAT, lambda n, g: rounded(n // 2, g), lambda n, g: [
            read(n * n, "rand_u32", 1), read(n * n // 2, "rand_u32", 1), write(4 * n * n, 1), u(n // 2), u(n // 2)]),
        Kernel("intra_modes", (16, 100, 360, 640), FLAT, rounded, lambda n, g: [
            read((4 * n + 8) * (4 * n + 1), "rand_u32", 1), write(n * n, 1), write(n * n, 2), i(n), i(n)]),
        Kernel("sixtap_tiled", (64, 512, 1024, 2560), TILES, square, lambda n, g: [
            read((n + 5) ** 2, "rand_u32", 1), write(n * n, 1), i(n)], tiled),
    ],
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
    "biology": [
        Kernel("smith_waterman_band", (128, 1024, 4096, 12288), LINES, line, lambda n, g: [
            read(64 * n, "rand_u32", 1), read(79 * n, "rand_u32", 1), write(n, 2), i(n), i(64), i(7), i(2)]),
        Kernel("pme_spread", (256, 4096, 32768, 131072), LINES, line, lambda n, g: [
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
    "vision": [
        Kernel("hough_lines", (64, 160, 400, 720), FLAT, rounded, lambda n, g: [
            read(n * n, "rand_u32", 1), read(2 * 180, "rand_float:-1:1"), update(180 * 4 * n, "zero"), i(n), i(n),
            i(230)], data=True),
        Kernel("gradient_cells", (16, 128, 1024, 4096), LINES, lambda n, g: (16 * n,), lambda n, g: [
            read(4 * n, "rand_float:0.05:0.95"), read(512 * 512), write(128 * n, 1), i(512), i(512), local(4 * g[0])],
            data=True),
        Kernel("label_tile", (64, 256, 512, 832), TILES, square, lambda n, g: [
            read(n * n, "rand_u32", 1), write(n * n), i(n), i(100)], tiled, data=True),
        Kernel("lucas_kanade", (64, 256, 640, 1200), FLAT, rounded, lambda n, g: [
            read((n + 6) ** 2), read((n + 6) ** 2), write(2 * n * n), i(n), i(n)]),
        Kernel("census_match", (64, 192, 512, 1000), ((64, 1), (32, 4)), rounded, lambda n, g: [
            read(n * n, "rand_u32", 8), read((n + 48) * n, "rand_u32", 8), write(n * n, 1), write(n * n, 1), i(n),
            i(n)]),
        Kernel("fast_corners", (128, 512, 1200, 2200), FLAT, lambda n, g: rounded(n - 6, g), lambda n, g: [
            read(n * n, "rand_u32", 1), write(2 * 4096), update(1, "zero"), u(4096), i(n), i(n), i(20)], data=True),
    ],
    "compression": [
        Kernel("huffman_decode", (512, 8192, 65536, 262144), LINES, line, lambda n, g: [
            read(17 * n, "rand_u32"), index(256, 2048), write(64 * n, 1), u(17), u(64)], data=True),
        Kernel("rle_expand", (2048, 32768, 262144, 2097152), NARROW, line, lambda n, g: [
            read(n, "rand_u32", 1), rows(n, 8), write(8 * n, 1), i(n)], data=True),
        Kernel("delta_scan", (4096, 65536, 524288, 1572864), LINES, line, lambda n, g: [
            read(4 * n, "rand_u32"), read(n // g[0], "rand_u32"), write(4 * n), local(4 * g[0])]),
        Kernel("lz_longest", (4096, 32768, 131072, 393216), NARROW, line, lambda n, g: [
            index(n, 4), write(n), i(n)], data=True),
        Kernel("varint_pack", (4096, 65536, 524288, 4194304), LINES, line, lambda n, g: [
            index(n, 1000000), write(5 * n, 1), write(n // g[0]), u(n), local(4 * g[0])], data=True),
        Kernel("bit_shuffle", (4096, 65536, 1048576, 3145728), LINES, line, lambda n, g: [
            read(n, "rand_u32", 8), write(8 * n, 1), u(n)]),
        Kernel("gorilla_bits", (256, 2048, 16384, 65536), NARROW, line, lambda n, g: [
            read(100 * n, "rand_float:20:21"), write(n), write(n), i(n), i(100)], data=True),
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
}
