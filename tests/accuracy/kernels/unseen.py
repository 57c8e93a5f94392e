# SPDX-License-Identifier: Apache-2.0
"""Real kernels that nobody who works on the model has looked at: kernels/unseen/FAMILY/NAME.cl."""

from launches import (Argument, Kernel, Shape, f, i, index, line, local, read, rows, square, u, update, write)

SIDES = (128, 384, 1024, 2560)
LINES = ((64,), (192,))
TREES = ((64,), (128,))  # halved down to one
FLAT = ((16, 8), (64, 2))

# For Montgomery's products: a prime of 63 bits, -1 / MODULUS modulo 2^64, and 2^128 modulo MODULUS.
MODULUS = 2 ** 63 - 25
INVERSE = -pow(MODULUS, -1, 2 ** 64) % 2 ** 64
SQUARE = 2 ** 128 % MODULUS


def words(*values: int) -> Argument:
    """A vector of unsigned integers by value."""
    return {"scalar": f"uint{len(values)}", "value": list(values)}


def ul(value: int) -> Argument:
    return {"scalar": "ulong", "value": value}


def rounded(n: int, g: Shape) -> Shape:
    """A square, each side as many whole work-groups as it takes."""
    return (-(-n // g[0]) * g[0], -(-n // g[1]) * g[1])


def flagged(n: int, g: Shape) -> list[Argument]:
    return [read(n), read(n, "rand_index:1000"), write(n), update(1, "zero"), i(n), f(0.2), f(0.7), i(400),
            local(4 * g[0])]


FAMILIES: dict[str, list[Kernel]] = {
    "lattice": [
        Kernel("lbm_obstacles", (96, 320, 1000, 1500), FLAT, rounded, lambda n, g: [
            read(9 * n * n, "rand_float:0.5:1"), write(9 * n * n), read(n * n), i(n), i(n), f(0.1), f(1.1),
            f(0.0001)], data=True),
        Kernel("yee_electric", (32, 64, 128, 160), ((16, 4, 2), (32, 2, 2)), lambda n, g: (n, n, n), lambda n, g: [
            *(update(n ** 3) for _ in range(3)), *(read(n ** 3) for _ in range(3)), read(n ** 3, "rand_float:1:4"),
            i(n), i(n), i(n), f(0.5)]),
        Kernel("ising_checkerboard", (256, 1024, 2048, 8192), FLAT, lambda n, g: (n // 2, n), lambda n, g: [
            update(n * n, "rand_u32", 1), read(5), i(n), i(1), u(1234)], data=True),
        Kernel("acoustic_march", (32, 64, 128, 192), ((16, 8), (32, 4)), lambda n, g: (n, n), lambda n, g: [
            read((n + 4) ** 3), update((n + 4) ** 3), read((n + 4) ** 3, "rand_float:0:0.1"), i(n), i(n), i(n)],
            lambda g: f"-DBLOCK_X={g[0]} -DBLOCK_Y={g[1]}"),
        Kernel("gray_scott", (100, 384, 1000, 2200), FLAT, rounded, lambda n, g: [
            read(2 * n * n), write(2 * n * n), i(n), i(n), f(0.055), f(0.062), f(1.0)]),
        Kernel("plaquette", (6, 10, 16, 24), LINES, lambda n, g: line(n ** 4, g), lambda n, g: [
            read(16 * n ** 4, "rand_float:-1:1"), write(n ** 4), i(n), i(n ** 4)]),
    ],
    "cryptography": [
        Kernel("chacha20", (2048, 32768, 262144, 1048576), LINES, line, lambda n, g: [
            read(16 * n, "rand_u32"), write(16 * n), words(1, 2, 3, 4), words(5, 6, 7, 8), words(1, 0, 9, 10), u(n)]),
        Kernel("aes_tables", (4096, 65536, 524288, 2097152), TREES, line, lambda n, g: [
            read(4 * n, "rand_u32"), write(4 * n), read(256, "rand_u32"), read(44, "rand_u32")], data=True),
        Kernel("siphash", (2048, 16384, 131072, 524288), LINES, line, lambda n, g: [
            read(12 * n, "rand_u32", 8), rows(n, 12), write(n, 8), ul(506097522914230528), ul(1084818905618843912),
            i(n)], data=True),
        Kernel("modular_power", (1024, 8192, 65536, 262144), TREES, line, lambda n, g: [
            read(n, "rand_u32", 8), read(n, "rand_u32"), write(n, 8), ul(MODULUS), ul(INVERSE), ul(SQUARE)],
            data=True),
        Kernel("keccak", (1024, 8192, 65536, 262144), LINES, line, lambda n, g: [
            update(25 * n, "rand_u32", 8), u(n), u(24)]),
        Kernel("sha256_chain", (256, 2048, 8192, 32768), TREES, line, lambda n, g: [
            read(8 * n, "rand_u32"), write(8 * n), u(16)]),
    ],
    "geometry": [
        Kernel("sphere_rays", (64, 200, 512, 1024), FLAT, rounded, lambda n, g: [
            read(4 * 128, "rand_float:0.05:0.95"), i(128), write(n * n), i(n), i(n), f(2.0)], data=True),
        Kernel("triangle_rays", (512, 4096, 16384, 65536), ((64,), (96,)), line, lambda n, g: [
            read(4 * line(n, g)[0]), read(4 * line(n, g)[0], "rand_float:-1:1"), read(12 * 600),
            write(line(n, g)[0]), write(line(n, g)[0]), i(600), local(48 * g[0])], data=True),
        Kernel("point_in_polygon", (1024, 8192, 65536, 262144), LINES, line, lambda n, g: [
            read(2 * n), read(2 * 300), write(n, 1), i(n), i(300)], data=True),
        Kernel("in_circle", (4096, 65536, 524288, 2097152), TREES, line, lambda n, g: [
            read(2 * (n // 4)), index(4 * n, n // 4), write(n, 1), f(1e-5)], data=True),
        Kernel("escape_time", (64, 256, 768, 1600), FLAT, rounded, lambda n, g: [
            write(n * n, 2), u(n), u(n), f(-2.0), f(-1.25), f(2.5 / n), u(256)], data=True),
        Kernel("group_bounds", (16384, 131072, 1048576, 4194304), TREES, line, lambda n, g: [
            read(4 * n), write(8 * (n // g[0])), i(n), local(16 * g[0]), local(16 * g[0])]),
    ],
    "text": [
        Kernel("substring_search", (65536, 1048576, 8388608, 33554432), LINES, line, lambda n, g: [
            read(n, "rand_u32", 1), read(8, "rand_u32", 1), write(1024), update(1, "zero"), u(n), u(8), u(1024)],
            data=True),
        Kernel("kmer_count", (32768, 524288, 4194304, 16777216), LINES, line, lambda n, g: [
            read(n // 16 + 1, "rand_u32"), update(4 ** 8, "zero"), u(n), u(8)], data=True),
        Kernel("edit_distance", (1024, 8192, 65536, 262144), LINES, line, lambda n, g: [
            read(100 * n, "rand_u32", 1), read(4, "rand_u32"), write(n, 1), i(n), i(100), i(28)], data=True),
        Kernel("utf8_errors", (1024, 8192, 65536, 262144), TREES, line, lambda n, g: [
            read(80 * n, "rand_u32", 1), write(n), write(n), u(80)], data=True),
        Kernel("base64_encode", (4096, 65536, 524288, 4194304), LINES, line, lambda n, g: [
            read(12 * n, "rand_u32", 1), write(16 * n, 1), u(4 * n)], data=True),
        Kernel("letter_counts", (65536, 1048576, 16777216, 67108864), LINES, lambda n, g: line(n // 64, g),
               lambda n, g: [read(n, "rand_u32", 1), update(26, "zero"), u(n // 16)], data=True),
    ],
    "database": [
        Kernel("select_compact", (16384, 262144, 2097152, 8388608), LINES, line, flagged, data=True),
        Kernel("hash_probe", (8192, 65536, 524288, 4194304), LINES, line, lambda n, g: [
            read(n, "rand_u32"), rows(n // 2, 3), read(3 * n // 2, "rand_u32"), read(3 * n // 2, "rand_index:1000"),
            write(n, 8), write(n), i(n), u(33 - (n.bit_length() - 1))], data=True),
        Kernel("group_sums", (65536, 1048576, 8388608, 33554432), LINES, lambda n, g: line(n // 32, g),
               lambda n, g: [read(n, "rand_u32", 1), read(n, "rand_index:1000"), update(64, "zero"),
                             update(64, "zero"), update(64, "zero"), i(n)], data=True),
        Kernel("dictionary_decode", (16384, 262144, 2097152, 8388608), LINES, line, lambda n, g: [
            read(n, "rand_u32", 2), read(65536, "rand_double", 8), read(n, "rand_u32", 1), write(n, 8), u(n)],
            data=True),
        Kernel("bitmap_count", (16384, 131072, 524288, 1572864), TREES, lambda n, g: line(n // 8, g), lambda n, g: [
            *(read(4 * n, "rand_u32", 8) for _ in range(3)), write(4 * n, 8),
            write(line(n // 8, g)[0] // g[0]), u(n), local(4 * g[0])]),
        Kernel("merge_probe", (8192, 65536, 262144, 1048576), LINES, line, lambda n, g: [
            index(n, 4 * n), rows(n, 4), write(n), write(n), i(n), i(n)], data=True),
        Kernel("bit_unpack", (16384, 262144, 2097152, 16777216), LINES, line, lambda n, g: [
            read(n // 32 * 11, "rand_u32"), read(n // 128, "rand_index:100000"), write(n), u(11), u(n)]),
    ],
    "inference": [
        Kernel("softmax_rows", (64, 512, 4096, 16384), TREES, lambda n, g: (n * g[0],), lambda n, g: [
            read(1000 * n, "rand_float:-4:4"), write(1000 * n), i(1000), local(4 * g[0])]),
        Kernel("layer_norm", (512, 4096, 16384, 49152), LINES, line, lambda n, g: [
            read(256 * n), write(256 * n), read(256), read(256), i(n), i(64), f(1e-5)]),
        Kernel("depthwise_conv", (14, 28, 112, 224), ((16, 8, 1), (32, 4, 1)), lambda n, g: (*rounded(n, g), 64),
               lambda n, g: [read(64 * n * n), read(9 * 64, "rand_float:-1:1"), read(64), write(64 * n * n), i(n),
                             i(n)]),
        Kernel("matmul_int8", (64, 192, 512, 1024), ((16, 8), (32, 4)), square, lambda n, g: [
            read(n * n, "rand_u32", 1), read(n * n, "rand_u32", 1), read(n, "rand_index:1000"), write(n * n, 1), i(n),
            i(n), f(0.0005)]),
        Kernel("attention_scores", (128, 384, 1024, 3072), ((16, 8), (32, 4)), square, lambda n, g: [
            read(64 * n, "rand_float:-1:1"), read(64 * n, "rand_float:-1:1"), write(n * n), i(n)],
            lambda g: f"-DTILE_X={g[0]} -DTILE_Y={g[1]}"),
        Kernel("embedding_pool", (64, 512, 4096, 16384), ((64, 1), (64, 2)), lambda n, g: (64, n), lambda n, g: [
            read(64 * 50000, "rand_float:-1:1"), index(20 * n, 50000), rows(n, 20), write(64 * n), i(64)], data=True),
        Kernel("rotary_embedding", (32, 256, 1024, 4096), LINES, lambda n, g: (n * 12 * 32,), lambda n, g: [
            update(2 * n * 12 * 32, "rand_float:-1:1"), i(12), i(32), f(10000.0)]),
        Kernel("dequant_matvec", (512, 2048, 4096, 11008), TREES, lambda n, g: (n * g[0],), lambda n, g: [
            read(n * n // 8, "rand_u32"), read(n * n // 32), read(n), write(n), u(n // 32), local(4 * g[0])]),
    ],
}
