#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Kernels with a great many of one thing.

many.py KIND COUNT   writes such a kernel: of a float and an int buffer and an int n, but `buffers`
many.py              names the kinds
"""
import sys
from collections.abc import Callable, Iterator

Lines = Iterator[str]


def loops(count: int) -> Lines:
    for k in range(count):
        yield f"for (int k{k} = 0; k{k} < n; k{k}++) s = sin(s) + k{k} % 3;"


def load_loops(count: int) -> Lines:
    for k in range(count):
        yield f"for (int k{k} = 0; k{k} < n; k{k}++) s += a[i * {k % 7 + 1} + k{k}];"


def data_loops(count: int) -> Lines:
    for k in range(count):
        yield f"for (int k{k} = 0; k{k} < c[i + {k}]; k{k}++) s += a[k{k}] * {k};"


def constant_loops(count: int) -> Lines:
    for k in range(count):
        yield f"for (int k{k} = 0; k{k} < {k % 13 + 2}; k{k}++) s += a[k{k} + i];"


def nests(count: int) -> Lines:
    for k in range(count // 20):
        for d in range(20):
            yield f"for (int k{d} = 0; k{d} < n; k{d}++) {{ t += k{d} ^ {k};"
        yield "s += a[t & 1023];" + "}" * 20


def deep_nests(count: int) -> Lines:
    for _ in range(count // 100):
        for d in range(100):
            yield f"for (int k{d} = 0; k{d} < n; k{d}++) {{ s = s * 1.5f + a[k{d}]; t += k{d};"
        yield "s += a[t & 1023];" + "}" * 100


def loops_in_one(count: int) -> Lines:
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"for (int k{k} = 0; k{k} < m; k{k}++) s = s * 0.5f + a[m + k{k}];"
    yield "}"


def data_ifs(count: int) -> Lines:
    for k in range(count):
        yield f"if (a[i + {k}] > {k}.0f) s += {k}.5f; else t ^= {k};"


def ifs(count: int) -> Lines:
    for k in range(count):
        yield f"if (i > {k}) s = s * {k}.5f + 1;"


def ifs_of_many(count: int) -> Lines:
    for k in range(64):
        yield f"float v{k} = a[i + {k}];"
    for k in range(count):
        yield f"if (v{k % 64} > {k}.0f) {{ v{(k + 1) % 64} += v{(k + 2) % 64}; v{(k + 3) % 64} *= 2; }}"
    for k in range(64):
        yield f"s += v{k};"


def ifs_in_loop(count: int) -> Lines:
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"if (a[m + {k}] > s) s += {k}.5f;"
    yield "}"


def nested_ifs(count: int) -> Lines:
    for k in range(count // 50):
        for d in range(50):
            yield f"if (a[i + {d}] > {k}.0f) {{ s += {d};"
        yield "}" * 50


def cases(count: int) -> Lines:
    yield "switch (c[i]) {"
    for k in range(count):
        yield f"case {k}: s += a[i * {k}]; break;"
    yield "}"


def falling_cases(count: int) -> Lines:
    yield "switch (c[i]) {"
    for k in range(count):
        yield f"case {k * 3}: s = s * {k}.5f + t;"
    yield "}"


def arrays(count: int) -> Lines:
    for k in range(min(count, 1000)):
        yield f"float p{k}[16]; p{k}[n & 15] = s; p{k}[i & 15] = t; s += p{k}[t & 15];"


def local_arrays(count: int) -> Lines:
    for k in range(min(count, 1000)):
        yield f"local float l{k}[4];"
    for k in range(min(count, 1000)):
        yield f"l{k}[i & 3] = s; s += l{k}[t & 3];"


def array_accesses(count: int) -> Lines:
    yield "float p[64];"
    for k in range(count):
        yield f"p[(i + {k}) & 63] = s; s += p[(t + {k}) & 63];"


def reads(count: int) -> Lines:
    for k in range(count):
        yield f"s += a[i + {k * 3}];"


def strides(count: int) -> Lines:
    for k in range(count):
        yield f"s += a[i * {k + 1} + {k}];"


def gathers(count: int) -> Lines:
    for k in range(count):
        yield f"s += a[c[i + {k}]];"


def pointer_chain(count: int) -> Lines:
    for k in range(count):
        yield f"t = c[t + {k}];"


def writes(count: int) -> Lines:
    for k in range(count):
        yield f"a[i * {k + 1}] = {k}.0f;"


def copies(count: int) -> Lines:
    for k in range(count):
        yield f"a[i + {k}] = a[i + {k + 1}] + 1;"


def reads_in_loop(count: int) -> Lines:
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"s += a[m * {k + 1} + i];"
    yield "}"


def writes_in_loop(count: int) -> Lines:
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"a[m * {k + 1} + i] = s + {k};"
    yield "}"


def calls(count: int) -> Lines:
    for k in range(count):
        yield f"s = pow(sin(s), {k}.5f) + exp(s);"


def divisions(count: int) -> Lines:
    for k in range(count):
        yield f"t = (t / (n + {k})) % (i + {k}) + t % {k + 2};"


def sums(count: int) -> Lines:
    yield "s = s"
    for k in range(count):
        yield f"+ ({k}.5f * (t + {k}))" if k % 100 else "; s = s"
    yield ";"


def vectors(count: int) -> Lines:
    yield "float4 v = (float4)(s);"
    for k in range(count):
        yield f"v = v.yzwx * (float4)({k}.0f, s, v.x, 1) + v; v.x += {k};"
    yield "s += v.x + v.w;"


def vector_loads(count: int) -> Lines:
    yield "float4 v = (float4)(s);"
    for k in range(count):
        yield f"v += vload4(i * {k + 1}, a);"
    yield "s += v.x + v.w;"


def atomics(count: int) -> Lines:
    for k in range(count):
        yield f"atomic_add(&c[{k}], t);"


def far_atomics(count: int) -> Lines:
    for k in range(count):
        yield f"t += atomic_max(&c[i * {k + 1}], t);"


def local_atomics(count: int) -> Lines:
    yield "local int l[64];"
    for k in range(count):
        yield f"atomic_add(&l[(i + {k}) & 63], t);"


def barriers(count: int) -> Lines:
    yield "local float l[256]; int me = get_local_id(0);"
    for k in range(count):
        yield f"l[me] = s; barrier(CLK_LOCAL_MEM_FENCE); s += l[(me + {k}) & 255];"


def barriers_in_loop(count: int) -> Lines:
    yield "local float l[256]; int me = get_local_id(0); for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"l[me] = s; barrier(CLK_LOCAL_MEM_FENCE); s += l[(me + {k}) & 255];"
    yield "}"


def barrier_loops(count: int) -> Lines:
    yield "local float l[256]; int me = get_local_id(0);"
    for k in range(count):
        yield f"for (int m{k} = 0; m{k} < n; m{k}++) {{ l[me] = s; barrier(CLK_LOCAL_MEM_FENCE); s += l[m{k}]; }}"


def values_over_barriers(count: int) -> Lines:
    yield "local float l[256]; int me = get_local_id(0);"
    for k in range(count):
        yield f"float v{k} = a[i * {k + 1}];"
        if k % 10 == 0:
            yield "barrier(CLK_LOCAL_MEM_FENCE);"
    for k in range(count):
        yield f"s += v{k};"


def variables(count: int) -> Lines:
    count = min(count, 1000)
    for k in range(count):
        yield f"float v{k} = a[i + {k}];"
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"v{k} = v{k} * 1.5f + v{(k + 1) % count};"
    yield "}"
    for k in range(count):
        yield f"s += v{k};"


def loops_of_variables(count: int) -> Lines:
    for k in range(20):
        yield f"float v{k} = a[i + {k}];"
    for k in range(count // 10):
        yield f"for (int m{k} = 0; m{k} < n; m{k}++) {{"
        for v in range(20):
            yield f"v{v} = v{v} * 1.5f + v{(v + 1) % 20};"
        yield "}"
    for k in range(20):
        yield f"s += v{k};"


def integer_variables(count: int) -> Lines:
    count = min(count, 1000)
    for k in range(count):
        yield f"int v{k} = c[i + {k}];"
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"v{k} += {k};"
    yield "}"
    for k in range(count):
        yield f"t += v{k};"


def breaks(count: int) -> Lines:
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"if (a[m + {k}] > {k}.0f) break;"
    yield "s += a[m]; }"


def known_breaks(count: int) -> Lines:
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"if (m * {k} > i + 100) break;"
    yield "s += a[m]; }"


def continues(count: int) -> Lines:
    yield "for (int m = 0; m < n; m++) {"
    for k in range(count):
        yield f"if (a[m + {k}] > {k}.0f) continue; s += {k};"
    yield "s += a[m]; }"


def returns(count: int) -> Lines:
    for k in range(count):
        yield f"if (a[i + {k}] > {k}.0f) return;"


def break_loops(count: int) -> Lines:
    for k in range(count):
        yield f"for (int m{k} = 0; m{k} < n; m{k}++) {{ if (a[m{k}] > s) break; s += {k}; }}"


def while_loops(count: int) -> Lines:
    for k in range(count):
        yield f"int w{k} = i + {k}; while (w{k} > 1) {{ w{k} = w{k} & 1 ? w{k} * 3 + 1 : w{k} / 2; s += w{k}; }}"


def retries(count: int) -> Lines:
    for k in range(count):
        yield f"{{ int o, w; do {{ o = c[{k}]; w = o + t; }} while (atomic_cmpxchg(&c[{k}], o, w) != o); }}"


def selects(count: int) -> Lines:
    for k in range(count):
        yield f"s = s > {k}.0f ? s * 0.5f : s + {k}.0f;"


def triples(count: int) -> Lines:
    for k in range(count // 3):
        yield f"for (int x{k} = 0; x{k} < n; x{k}++) for (int y{k} = x{k}; y{k} < n; y{k}++) for (int z{k} = 0; z{k} < y{k}; z{k}++) s += a[x{k} * n + y{k} + z{k}];"


def unrolled(count: int) -> Lines:
    for k in range(count // 3):
        yield f"for (int x{k} = 0; x{k} < 4; x{k}++) for (int y{k} = 0; y{k} < 4; y{k}++) for (int z{k} = 0; z{k} < 4; z{k}++) s += a[x{k} * 16 + y{k} * 4 + z{k} + i];"


def swaps(count: int) -> Lines:
    for k in range(count):
        yield f"if (a[i + {k}] > a[i + {k + 1}]) {{ float h = a[i + {k}]; a[i + {k}] = a[i + {k + 1}]; a[i + {k + 1}] = h; }}"


def halves(count: int) -> Lines:
    for k in range(count):
        yield f"t = (t << {k % 31 + 1}) ^ (t >> {k % 29 + 1}) ^ {k};"


def truths(count: int) -> Lines:
    yield "int p = c[i] > 3, q = a[i] > 4.0f, h;"
    for k in range(count):
        yield f"h = p == q; q = p != (q & (a[i + {k}] > 2.0f)); p = h; if (p) s += {k};"


def chosen_truths(count: int) -> Lines:
    yield "int p = c[i] > 3, q = a[i] > 4.0f, r = c[i + 1] < t, h;"
    for k in range(count):
        yield f"h = p ? q : r; r = q == p; q = r ? h : p; p = h; if (p) s += {k};"


def magnitudes(count: int) -> Lines:
    yield "float x = fabs(s), y = sqrt(s), z = s * s, h;"
    for k in range(count):
        yield f"h = fmax(x + y, z); z = x + h; x = y + z; y = h + z; if (x < {k + 1}.5f) t += {k};"


def wide_vectors(count: int) -> Lines:
    yield "int16 v = (int16)(c[i]), w = (int16)(c[i + 1]), h; for (int m = 0; ; m++) {"
    for k in range(count // 16):
        lanes = ", ".join(f"v.s{(3 * j + k) % 16:x} ^ w.s{(5 * j + k + 1) % 16:x}" for j in range(16))
        yield f"h = (int16)({lanes}); w = v; v = h * (int16)(c[m + {k}]); t += ((v.s0 ^ w.s5) & 15) == 1;"
    yield "if ((v.s3 & 63) == 7) break; }"


def shared_in_loop(count: int) -> Lines:
    yield "for (int m = 0; ; m++) { int x = c[m], y = c[m + 1], z = c[m + 2], h;"
    for k in range(count):
        yield f"h = x ^ (y + z); z = y * x + h; y = x | (z ^ h); x = h; t += (x & 3) == {k % 4};"
    yield "if ((x & 63) == 7) break; }"


def shared_trips(count: int) -> Lines:
    yield "int x = c[i], y = c[i + 1], z = c[i + 2], h;"
    for k in range(count):
        yield f"h = x ^ (y + z); z = y * x + h; y = x | (z ^ h); x = h; for (int m{k} = 0; m{k} < (x & 15); m{k}++) s += (y & 7) > m{k};"


def shared_places(count: int) -> Lines:
    count = min(count, 300)
    yield "int p[64];"
    for k in range(count):
        yield f"int v{k} = t + {k};"
    yield "while (c[v0] > 0) {"
    for k in range(count):
        yield f"v{k} = (v{k} ^ v{(k + 1) % count}) + v{(k + 2) % count} * v{(k + 7) % count};"
        yield f"p[(v{k} + v{7 * k % count}) & 63] = t; t += p[(v{k} ^ v{5 * k % count}) & 63];"
    yield "}"


KINDS: dict[str, Callable[[int], Lines]] = {
    name: make for name, make in list(globals().items())
    if callable(make) and name.islower() and name[0] != "_" and name != "main"
}


def helpers(count: int) -> str:
    functions = "\n".join(f"float f{k}(float x, int n) {{ return x * {k}.5f + n; }}" for k in range(count))
    body = "\n".join(f"s += f{k}(s, t);" for k in range(count))
    return functions + "\n" + frame(body)


def nested_helpers(count: int) -> str:
    functions = ["float f0(float x) { return x; }"]
    functions += [f"float f{k}(float x) {{ return f{k - 1}(x) * {k}.5f; }}" for k in range(1, min(count, 60))]
    body = "\n".join(f"s += f{k % 60}(s);" for k in range(count))
    return "\n".join(functions) + "\n" + frame(body)


def tables(count: int) -> str:
    table = "constant float T[] = {" + ", ".join(f"{k}.5f" for k in range(count)) + "};\n"
    return table + frame("\n".join(f"s += T[{k}] * T[(i + {k}) % {count}];" for k in range(count)))


def buffers(count: int) -> str:
    arguments = ", ".join(f"global float *b{k}" for k in range(100))
    body = "\n".join(f"s += b{k % 100}[i + {k}]; b{k % 100}[i] = s;" for k in range(count))
    return f"kernel void k({arguments}, int n) {{ int i = get_global_id(0); float s = 0;\n{body}\n}}\n"


def images(count: int) -> str:
    body = "\n".join(f"s += read_imagef(p, z, (int2)(i + {k}, n)).x;" for k in range(count))
    return ("constant sampler_t z = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
            "kernel void k(global float *a, read_only image2d_t p, int n)\n{\n"
            f"int i = get_global_id(0); float s = 0;\n{body}\na[i] = s; }}\n")


WHOLE: dict[str, Callable[[int], str]] = {
    "helpers": helpers, "nested_helpers": nested_helpers, "tables": tables, "buffers": buffers, "images": images,
}


def frame(body: str) -> str:
    return ("kernel void k(global float *a, global int *c, int n) {\n"
            "int i = get_global_id(0), t = i ^ n; float s = a[i];\n" + body + "\na[i] = s + t;\n}\n")


def main() -> int:
    if len(sys.argv) != 3:
        print("\n".join([*KINDS, *WHOLE]))
        return 0
    kind, count = sys.argv[1], int(sys.argv[2])
    sys.stdout.write(WHOLE[kind](count) if kind in WHOLE else frame("\n".join(KINDS[kind](count))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
