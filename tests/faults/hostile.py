# SPDX-License-Identifier: Apache-2.0
"""Hostile sources, by name and size: each of one kind of construct, in numbers that nobody writes by hand."""

from __future__ import annotations

from collections.abc import Callable

from predictd import predictd_pb2 as pb

KERNEL = "kernel void k(global int *a, int x)"


def body(statements: str) -> str:
    return f"{KERNEL} {{\n{statements}\n}}\n"


def value(expression: str) -> str:
    return body(f"a[0] = {expression};")


def ladder(rungs: int) -> str:
    """Else-if upon else-if, each with another condition."""
    return body(" else ".join(f"if (x == {i}) a[{i}] = x * {i};" for i in range(rungs)))


def ladder_of_values(rungs: int) -> str:
    """The same, of assignments to private variables, which join at each end."""
    names = [f"v{i}" for i in range(64)]
    arms = " else ".join(f"if (x > {i}) {names[i % 64]} = x + {i};" for i in range(rungs))
    return body(f"int {', '.join(f'{name} = x' for name in names)};\n{arms}\na[0] = {' + '.join(names)};")


def ifs_in_a_row(count: int) -> str:
    names = [f"v{i}" for i in range(64)]
    arms = "\n".join(f"if (x > {i}) {names[i % 64]} += a[{i}];" for i in range(count))
    return body(f"int {', '.join(f'{name} = x' for name in names)};\n{arms}\na[0] = {' + '.join(names)};")


def ternaries(count: int) -> str:
    return value("".join(f"x == {i} ? {i} : " for i in range(count)) + "0")


def nested_ternaries(levels: int) -> str:
    """A tree: each has two beneath."""

    def tree(level: int) -> str:
        return f"(x > {level} ? {tree(level - 1)} : {tree(level - 1)})" if level else "a[x]"

    return value(tree(levels))


def macro_bomb(levels: int, fan: int) -> str:
    lines = ["#define A0 x"]
    lines += [f"#define A{i} {'+'.join([f'A{i - 1}'] * fan)}" for i in range(1, levels + 1)]
    return "\n".join(lines) + "\n" + value(f"A{levels}")


def macro_bomb_unused(levels: int) -> str:
    """Expanded by the preprocessor and dropped by it: in an #if."""
    lines = ["#define A0 1"] + [f"#define A{i} A{i - 1} + A{i - 1}" for i in range(1, levels + 1)]
    return "\n".join(lines) + f"\n#if A{levels} > 0\n#endif\n" + value("x")


def macro_arguments(levels: int) -> str:
    """Each macro has its argument twice."""
    lines = ["#define A0(y) (y) * (y)"]
    lines += [f"#define A{i}(y) A{i - 1}(y) + A{i - 1}(y + y)" for i in range(1, levels + 1)]
    return "\n".join(lines) + "\n" + value(f"A{levels}(x)")


def macro_list(count: int) -> str:
    """A call with so many arguments, each handed on four times."""
    return (
        "#define LAST(...) sum(__VA_ARGS__)\n#define FOUR(...) LAST(__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__)\n"
        + "int sum(int x) { return x; }\n"
        + value(f"FOUR({', '.join(['x'] * count)})")
    )


def macro_empty(levels: int) -> str:
    """Expands to nothing at all, exponentially often."""
    lines = ["#define A0"] + [f"#define A{i} A{i - 1} A{i - 1}" for i in range(1, levels + 1)]
    return "\n".join(lines) + "\n" + body(f"A{levels} a[0] = x;")


def macro_stringify(levels: int) -> str:
    lines = ["#define S(y) #y", "#define T(y) S(y)", "#define A0 x"]
    lines += [f"#define A{i} A{i - 1} A{i - 1}" for i in range(1, levels + 1)]
    return "\n".join(lines) + f"\nconstant char text[] = T(A{levels});\n" + value("text[x]")


def macro_definitions(count: int) -> str:
    return "".join(f"#define M{i} M{i + 1}\n" for i in range(count)) + value("M0")


def x_macros(count: int) -> str:
    table = " ".join(f"X({i})" for i in range(count))
    return (
        f"#define TABLE {table}\n#define X(i) int f##i(int x) {{ return x + i; }}\nTABLE\n#undef X\n"
        "#define X(i) + f##i(x)\n" + value("0 TABLE")
    )


def includes(levels: int) -> pb.Program:
    """Headers that include the next one twice."""
    headers = [
        pb.Header(name=f"h{i}.h", text=f'#include "h{i + 1}.h"\n#include "h{i + 1}.h"\n'.encode()) for i in range(levels)
    ]
    headers.append(pb.Header(name=f"h{levels}.h", text=b"\n"))
    return pb.Program(source=b'#include "h0.h"\n' + value("x").encode(), headers=headers)


def include_itself() -> pb.Program:
    return pb.Program(
        source=b'#include "h.h"\n' + value("x").encode(), headers=[pb.Header(name="h.h", text=b'#include "h.h"\n' * 2)]
    )


def include_large(times: int) -> pb.Program:
    """One header of a megabyte, time and again."""
    text = ("// " + "x" * 60 + "\n") * (1 << 14)
    return pb.Program(source=b'#include "h.h"\n' * times + value("x").encode(), headers=[pb.Header(name="h.h", text=text.encode())])


def nested_structs(levels: int) -> str:
    return (
        "struct s0 { int x; };\n"
        + "".join(f"struct s{i} {{ struct s{i - 1} a, b; }};\n" for i in range(1, levels + 1))
        + body(f"struct s{levels} s; s{'.a' * levels}.x = x; a[0] = s{'.a' * levels}.x;")
    )


def struct_in_struct(levels: int) -> str:
    """Each defined within the next."""
    return f"{'struct { int x; ' * levels}int y;{'} m;' * (levels - 1)}}};\n" + value("x")


def struct_members(count: int) -> str:
    return (
        f"struct s {{ {' '.join(f'int m{i};' for i in range(count))} }};\n"
        "kernel void k(global struct s *a, int x) { struct s t = a[x]; t.m1 = x; a[0] = t; }\n"
    )


def struct_copies(levels: int, copies: int) -> str:
    """A struct of 2^levels leaves in private memory, copied."""
    return (
        "struct s0 { int x; };\n"
        + "".join(f"struct s{i} {{ struct s{i - 1} a, b; }};\n" for i in range(1, levels + 1))
        + f"kernel void k(global struct s{levels} *a, int x) {{ struct s{levels} s = a[x];\n"
        + "".join(f"struct s{levels} t{i} = s; t{i}{'.b' * levels}.x = {i}; s = t{i};\n" for i in range(copies))
        + "a[0] = s; }\n"
    )


def unions(levels: int) -> str:
    return (
        "union u0 { int x; float y; };\n"
        + "".join(f"union u{i} {{ union u{i - 1} a[2]; float4 b; }};\n" for i in range(1, levels + 1))
        + body(f"union u{levels} u; u.b = (float4)(x); a[0] = u{'.a[1]' * levels}.x;")
    )


def arrays_of_arrays(levels: int) -> str:
    return body(f"int p{'[2]' * levels}; p{'[0]' * levels} = x; a[0] = p{'[1]' * levels};")


def pointers(levels: int) -> str:
    return body(f"int {'*' * levels}p = 0; a[0] = p == 0;")


def functions_of_pointers(levels: int) -> str:
    return body(f"int {'(*' * levels}p{')(int)' * levels}; a[0] = sizeof p;")


def parentheses(count: int) -> str:
    return value("(" * count + "x" + ")" * count)


def braces(count: int) -> str:
    return body("{" * count + "a[0] = x;" + "}" * count)


def signs(count: int) -> str:
    return value("- " * count + "x")


def casts(count: int) -> str:
    return value("(int)(float)" * count + "x")


def subscripts(count: int) -> str:
    return value("a[" * count + "x" + "]" * count)


def calls(count: int) -> str:
    return "int f(int x) { return x + 1; }\n" + value("f(" * count + "x" + ")" * count)


def selects(count: int) -> str:
    return value("max(x, " * count + "x" + ")" * count)


def sums(count: int) -> str:
    return value("x" + "".join(f" + x * a[{i}]" for i in range(count)))


def unroll_overflow() -> str:
    return body("#pragma unroll 99999999999\nfor (int i = 0; i < 2000000000; i++) a[i] = x;")


def unroll_huge() -> str:
    return body("#pragma unroll 2147483647\nfor (int i = 0; i < 2147483647; i++) a[i] += x * i;")


def unroll_nested(levels: int) -> str:
    names = [f"i{i}" for i in range(levels)]
    loops = "\n".join(f"#pragma unroll\nfor (int {name} = 0; {name} < 16; {name}++)" for name in names)
    return body(f"{loops}\na[{' + '.join(names)}] += x;")


def unroll_many(count: int) -> str:
    return body("#pragma unroll 64\nfor (int i = 0; i < 4096; i++) a[i] = x;\n" * count)


def pragmas(count: int) -> str:
    return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION all : disable\n" * count + value("x")


def pragma_operators(count: int) -> str:
    return '_Pragma("OPENCL EXTENSION cl_khr_fp64 : enable")\n' * count + value("x")


def pragma_unknown(count: int) -> str:
    return body("#pragma unroll 99999999999999999999999999999999\n" * count + "a[0] = x;")


def pragma_push(count: int) -> str:
    return "#pragma pack(push, 1)\n#pragma clang diagnostic push\n" * count + value("x")


def pragma_long(size: int) -> str:
    return f"#pragma {'x ' * size}\n" + value("x")


def pragma_macro(levels: int) -> str:
    lines = ["#define A0 1"] + [f"#define A{i} (A{i - 1} + A{i - 1})" for i in range(1, levels + 1)]
    return "\n".join(lines) + "\n" + body(f"#pragma unroll A{levels}\nfor (int i = 0; i < x; i++) a[i] = x;")


def kernels(count: int) -> str:
    return "".join(f"kernel void k{i}(global int *a) {{ a[get_global_id(0)] = {i}; }}\n" for i in range(count))


def kernels_inlining(count: int) -> str:
    """So many kernels that all inline the same functions."""
    return (
        "int f0(int x) { return x * x; }\n"
        + "".join(f"int f{i}(int x) {{ return f{i - 1}(x) + f{i - 1}(x + {i}); }}\n" for i in range(1, 13))
        + "".join(f"kernel void k{i}(global int *a) {{ a[{i}] = f12(a[0]); }}\n" for i in range(count))
    )


def functions(count: int) -> str:
    return "".join(f"int f{i}(int x) {{ return x + {i}; }}\n" for i in range(count)) + value("f0(x)")


def overloads(count: int) -> str:
    return (
        "".join(
            f"struct s{i} {{ int x; }};\n__attribute__((overloadable)) int f(struct s{i} s) {{ return s.x; }}\n"
            for i in range(count)
        )
        + body("\n".join(f"struct s{i} v{i} = {{{i}}}; a[{i}] = f(v{i});" for i in range(count // 10)))
    )


def declarations(count: int) -> str:
    return "int f(int x);\n" * count + value("x")


def initialiser(count: int) -> str:
    return f"constant int c[] = {{{', '.join(str(i) for i in range(count))}}};\n" + value("c[x]")


def initialiser_private(count: int) -> str:
    return body(f"int c[] = {{{', '.join(f'x + {i}' for i in range(count))}}}; a[0] = c[x];")


def initialiser_range() -> str:
    return "constant int c[1 << 30] = {[0 ... 1 << 29] = 1};\n" + value("c[x]")


def initialiser_nested(levels: int) -> str:
    return f"constant int c{'[1]' * levels} = {'{' * levels}1{'}' * levels};\n" + value("x")


def initialiser_designators(count: int) -> str:
    """Each of them elsewhere, so that the list is sought through."""
    return f"constant int c[{count}] = {{{', '.join(f'[{count - 1 - i}] = {i}' for i in range(count))}}};\n" + value("c[x]")


def constant_arrays(count: int) -> str:
    values = ", ".join(["1.0f"] * 64)
    return (
        "".join(f"constant float c{i}[64] = {{{values}}};\n" for i in range(count))
        + body("float s = 0;\n" + "".join(f"s += c{i}[x];\n" for i in range(count)) + "a[0] = s;")
    )


def private_array() -> str:
    return body("int p[0x3fffffff]; p[a[1]] = 1; a[2] = p[a[3]]; local int l[0x7fffffff]; l[a[0]] = 1; a[0] = l[1];")


def loops(levels: int) -> str:
    return body("".join(f"for (int i{i} = 0; i{i} < x; i{i}++)\n" for i in range(levels)) + "a[0]++;")


def loops_carried(levels: int) -> str:
    """Nested loops, each of which changes many variables."""
    names = [f"v{i}" for i in range(48)]
    changes = " ".join(f"{name} += {names[(i + 1) % 48]};" for i, name in enumerate(names))
    loop = "".join(f"for (int i{i} = 0; i{i} < x; i{i}++) {{\n{changes}\n" for i in range(levels))
    return body(f"int {', '.join(f'{name} = x' for name in names)};\n{loop}{'}' * levels}\na[0] = {' + '.join(names)};")


def loops_in_a_row(count: int) -> str:
    names = [f"v{i}" for i in range(32)]
    changes = " ".join(f"{name} += {names[(i + 1) % 32]};" for i, name in enumerate(names))
    loop = f"for (int i = 0; i < x; i++) {{ {changes} }}\n" * count
    return body(f"int {', '.join(f'{name} = x' for name in names)};\n{loop}a[0] = {' + '.join(names)};")


def loops_of_pointers(count: int) -> str:
    """Pointers that are assigned from one another in a loop."""
    names = [f"p{i}" for i in range(count)]
    changes = " ".join(f"{name} = {names[(i + 1) % count]};" for i, name in enumerate(names))
    return body(
        f"global int {', '.join(f'*{name} = a + {i}' for i, name in enumerate(names))};\n"
        f"for (int i = 0; i < x; i++) {{ {changes} }}\na[0] = *p0;"
    )


def endless() -> str:
    return body("for (ulong i = 0; i != 0xffffffffffffffff; i++) for (ulong j = 0; j != ~0UL; j++) a[0]++;")


def gotos(count: int) -> str:
    return body("".join(f"l{i}: a[{i}] = x; if (a[{i}] > x) goto l{(i * 7 + 3) % count};\n" for i in range(count)))


def gotos_forward(count: int) -> str:
    return body("".join(f"if (x == {i}) goto end;\na[{i}] = x;\n" for i in range(count)) + "end: a[0] = 1;")


def returns(count: int) -> str:
    return body("".join(f"if (x == {i}) return;\na[{i}] = x;\n" for i in range(count)))


def breaks(count: int) -> str:
    return body("while (x < a[0]) {\n" + "".join(f"if (x == a[{i}]) break; if (x > {i}) continue;\n" for i in range(count)) + "x++; }")


def cases(count: int) -> str:
    return body("switch (x) {\n" + "".join(f"case {i}: a[{i}] = x; break;\n" for i in range(count)) + "}")


def cases_falling(count: int) -> str:
    return body("int y = 0;\nswitch (x) {\n" + "".join(f"case {i}: y += a[{i}];\n" for i in range(count)) + "}\na[0] = y;")


def case_range() -> str:
    return body("switch (x) { case 0 ... 2000000000: a[0] = 1; break; default: a[1] = 2; }")


def switches_nested(levels: int) -> str:
    return body("".join(f"switch (a[{i}]) {{ case 0: a[{i}] = 1; break; case 1: \n" for i in range(levels)) + "}" * levels)


def string(size: int) -> str:
    return f'constant char text[] = "{"x" * size}";\n' + value("text[x]")


def strings(count: int) -> str:
    return f"constant char text[] = {' '.join([chr(34) + 'x' * 16 + chr(34)] * count)};\n" + value("text[x]")


def name(size: int) -> str:
    return f"kernel void {'k' * size}(global int *{'a' * size}) {{ {'a' * size}[0] = 1; }}\n"


def number(size: int) -> str:
    return value("9" * size)


def fraction(size: int) -> str:
    return value(f"(int)0.{'1' * size}e-{size}f + (int)1e{'9' * 9}")


def comment(size: int) -> str:
    return f"/*{'x' * size}*/\n" + value("x")


def line(size: int) -> str:
    return "// " + "\\\n" * size + "\n" + value("x")


def trigraphs(size: int) -> str:
    return "// " + "??/\n" * size + "\n" + value("x")


def enumeration(count: int) -> str:
    return f"enum e {{ {', '.join(f'E{i} = {i}' for i in range(count))} }};\n" + value(f"E{count - 1}")


def errors(count: int) -> str:
    return body("".join(f"a[{i}] = ;\n" for i in range(count)))


def unknown_names(count: int) -> str:
    return body("".join(f"a[{i}] = unknown{i}(x);\n" for i in range(count)))


def unknown_functions(count: int) -> str:
    """Functions that each use a name nobody declared."""
    return "".join(f"int f{i}(int x) {{ return unknown{i}(x); }}\n" for i in range(count)) + value("f0(x)")


def warnings(count: int) -> str:
    return body("".join(f"int v{i}; x == {i};\n" for i in range(count)) + "a[0] = x;")


def vectors(count: int) -> str:
    return body(
        "float16 v = (float16)(x);\n"
        + "".join("v = (float16)(v.s0123, (float4)(v.s4, (float3)(v.s567)), v.hi.lo, v.hi.hi.sxyzw.lo, v.odd.s01);\n" for _ in range(count))
        + "a[0] = v.s0;"
    )


def vector_literals(levels: int) -> str:
    return body(f"float4 v = {'(float4)(' * levels}x{')' * levels}; a[0] = v.x;")


def vector_types(count: int) -> str:
    return (
        "".join(f"typedef float v{i} __attribute__((ext_vector_type({i % 16 + 1})));\n" for i in range(count))
        + value("x")
    )


def vector_wide() -> str:
    return "typedef float wide __attribute__((ext_vector_type(1 << 20)));\n" + body("wide w = (wide)(x); a[0] = w.s0;")


def inlining(levels: int) -> str:
    return (
        "int f0(int x) { return x * x + 1; }\n"
        + "".join(f"int f{i}(int x) {{ return f{i - 1}(x) + f{i - 1}(x + {i}); }}\n" for i in range(1, levels + 1))
        + value(f"f{levels}(x)")
    )


def inlining_loops(levels: int) -> str:
    return (
        "int f0(int x) { return x * x + 1; }\n"
        + "".join(
            f"int f{i}(int x) {{ int s = 0; for (int i = 0; i < x; i++) {{ s += f{i - 1}(s); s -= f{i - 1}(i); }} return s; }}\n"
            for i in range(1, levels + 1)
        )
        + value(f"f{levels}(x)")
    )


def inlining_pointers(levels: int) -> str:
    """Each inlined function has arrays of its own, and hands on pointers to them."""
    return (
        "void f0(int *p) { p[0] += 1; }\n"
        + "".join(
            f"void f{i}(int *p) {{ int q[64]; q[p[0]] = p[1]; f{i - 1}(q); f{i - 1}(p); p[1] += q[0]; }}\n"
            for i in range(1, levels + 1)
        )
        + body(f"int p[64]; p[x] = a[0]; f{levels}(p); a[0] = p[x];")
    )


def recursion() -> str:
    return "int g(int x);\nint f(int x) { return x ? g(x - 1) : 1; }\nint g(int x) { return f(x) * x; }\n" + value("f(x)")


def attributes(count: int) -> str:
    return f"{'__attribute__((aligned(4), packed, unused)) ' * count}int v;\n" + value("x")


def attribute_sizes(count: int) -> str:
    return f"{'__attribute__((reqd_work_group_size(1, 1, 1))) ' * count}{value('x')}"


def alignment() -> str:
    return "struct __attribute__((aligned(1 << 28))) s { int x; };\n" + body("struct s s[4]; s[x].x = 1; a[0] = s[0].x;")


def arguments(count: int) -> str:
    return f"kernel void k({', '.join(f'global int *a{i}' for i in range(count))}) {{ a0[0] = 1; }}\n"


def statements(count: int) -> str:
    return body("a[x] = a[x + 1] * 3 + x;\n" * count)


def statements_of_values(count: int) -> str:
    return body("int y = x;\n" + "y = y * 3 + x; x ^= y;\n" * count + "a[0] = y;")


def variables(count: int) -> str:
    return body("".join(f"int v{i} = x + {i};\n" for i in range(count)) + "a[0] = v1;")


def variables_in_branches(count: int) -> str:
    """Every branch joins everything that there is."""
    half = "".join(f"int v{i} = a[{i}];\n" for i in range(count))
    changes = " ".join(f"v{i} += x;" for i in range(count))
    return body(half + f"if (x > a[0]) {{ {changes} }} else {{ {changes} }}\n" * (count // 4) + "a[0] = v1;")


def scopes(count: int) -> str:
    return body("{ int y = x; { int z = y; a[z] = y; } }\n" * count)


def shuffles(count: int) -> str:
    return body("int16 v = (int16)(x);\n" + "v = shuffle(v, (uint16)(x)); v = select(v, v.s1032547698badcfe, v > 3);\n" * count + "a[0] = v.s0;")


def constant_folding(count: int) -> str:
    return value("+".join(f"(({i} * 3 + 1) / 2 - {i})" for i in range(count)))


def typedefs(count: int) -> str:
    return "typedef int t0;\n" + "".join(f"typedef t{i - 1} t{i};\n" for i in range(1, count)) + body(f"t{count - 1} y = x; a[0] = y;")


def typeofs(levels: int) -> str:
    return body("int y0 = x;\n" + "".join(f"typeof(y{i} + y{i}) y{i + 1} = y{i} + y{i};\n" for i in range(levels)) + f"a[0] = y{levels};")


def sizeofs(levels: int) -> str:
    return value("sizeof(char[" * levels + "1" + "])" * levels)


def blocks(levels: int) -> pb.Program:
    return pb.Program(
        source=body("^{ " * levels + "a[0] = x;" + " }()" * levels + ";").encode(), options="-cl-std=CL2.0"
    )


def statement_expressions(levels: int) -> str:
    return value("({ int y = " * levels + "x" + "; y; })" * levels)


def commas(count: int) -> str:
    return value("(" + "x++, " * count + "x)")


def assignments(count: int) -> str:
    return body("x " + "= x += x " * count + "= 1; a[0] = x;")


def logical(count: int) -> str:
    return value(" && ".join(f"(a[{i}] || x > {i})" for i in range(count)))


def asm(count: int) -> str:
    return body('__asm__ volatile("nop");\n' * count)


def definitions(count: int) -> pb.Program:
    return pb.Program(source=value("D1").encode(), options=" ".join(f"-D D{i}=D{i + 1}" for i in range(count)))


def bytes_of_chance(size: int) -> pb.Program:
    state, out = 12345, bytearray()
    while len(out) < size:
        state = (state * 1103515245 + 12345) % (1 << 31)
        out.append(state >> 16 & 0xFF)
    return pb.Program(source=bytes(out))


Source = Callable[[], "str | pb.Program"]
SOURCES: dict[str, Source] = {
    f"{make.__name__}{''.join(f'-{number}' for number in numbers)}": lambda make=make, numbers=numbers: make(*numbers)
    for make, *numbers in [
        (ladder, 200), (ladder, 2000), (ladder, 100000), (ladder_of_values, 200), (ladder_of_values, 1500),
        (ifs_in_a_row, 2000), (ifs_in_a_row, 50000), (ternaries, 2000), (ternaries, 100000), (nested_ternaries, 14),
        (macro_bomb, 6, 10), (macro_bomb, 12, 10), (macro_bomb_unused, 30), (macro_arguments, 22), (macro_list, 200000),
        (macro_empty, 32), (macro_stringify, 22), (macro_definitions, 200000), (x_macros, 5000), (includes, 24), (includes, 190),
        (include_itself,), (include_large, 2000),
        (nested_structs, 12), (nested_structs, 24), (nested_structs, 63), (struct_in_struct, 200), (struct_in_struct, 20000),
        (struct_members, 200), (struct_members, 20000), (struct_copies, 7, 200), (struct_copies, 8, 2000), (unions, 12), (unions, 40),
        (arrays_of_arrays, 8), (arrays_of_arrays, 60), (arrays_of_arrays, 20000), (pointers, 50000), (functions_of_pointers, 2000),
        (parentheses, 200), (parentheses, 100000), (braces, 200), (braces, 100000), (signs, 1500), (signs, 100000), (casts, 1000),
        (casts, 100000), (subscripts, 200), (subscripts, 100000), (calls, 200), (calls, 100000), (selects, 200), (selects, 100000),
        (sums, 1500), (sums, 100000),
        (unroll_overflow,), (unroll_huge,), (unroll_nested, 8), (unroll_many, 5000), (pragmas, 100000), (pragma_operators, 100000),
        (pragma_unknown, 50000), (pragma_push, 100000), (pragma_long, 2000000), (pragma_macro, 24),
        (kernels, 1000), (kernels, 5000), (kernels_inlining, 100), (kernels_inlining, 1000), (functions, 50000), (overloads, 5000),
        (declarations, 200000),
        (initialiser, 200000), (initialiser, 1500000), (initialiser_private, 200), (initialiser_private, 100000), (initialiser_range,),
        (initialiser_nested, 20000), (initialiser_designators, 50000), (constant_arrays, 5000), (private_array,),
        (loops, 20), (loops, 1000), (loops_carried, 12), (loops_carried, 60), (loops_in_a_row, 1500), (loops_of_pointers, 120),
        (endless,), (gotos, 200), (gotos, 20000), (gotos_forward, 60), (gotos_forward, 5000), (returns, 60), (returns, 5000),
        (breaks, 60), (breaks, 5000), (cases, 1000), (cases, 50000), (cases_falling, 1000), (cases_falling, 20000), (case_range,),
        (switches_nested, 100),
        (string, 8000000), (strings, 200000), (name, 100000), (number, 1000000), (fraction, 100000), (comment, 15000000), (line, 5000000),
        (trigraphs, 3000000), (enumeration, 200000),
        (errors, 50000), (unknown_names, 60), (unknown_names, 50000), (unknown_functions, 63), (warnings, 50000),
        (vectors, 2000), (vectors, 20000), (vector_literals, 200), (vector_literals, 20000), (vector_types, 50000), (vector_wide,),
        (inlining, 12), (inlining, 17), (inlining, 40), (inlining_loops, 10), (inlining_loops, 30), (inlining_pointers, 10),
        (inlining_pointers, 30), (recursion,),
        (attributes, 20000), (attribute_sizes, 20000), (alignment,), (arguments, 60), (arguments, 20000),
        (statements, 5000), (statements, 400000), (statements_of_values, 5000), (statements_of_values, 300000), (variables, 20000),
        (variables, 200000), (variables_in_branches, 200), (variables_in_branches, 1000), (scopes, 50000), (shuffles, 2000),
        (constant_folding, 100000), (typedefs, 50000), (typeofs, 200), (typeofs, 5000), (sizeofs, 200), (sizeofs, 20000), (blocks, 100),
        (statement_expressions, 50), (statement_expressions, 5000), (commas, 1500), (commas, 200000), (assignments, 1000),
        (assignments, 100000), (logical, 200), (logical, 50000), (asm, 10000), (definitions, 1000), (bytes_of_chance, 1000000),
    ]
}  # fmt: skip
