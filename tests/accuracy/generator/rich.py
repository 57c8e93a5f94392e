# SPDX-License-Identifier: Apache-2.0
"""Kernels beyond the paper: one to four parts that each change an accumulator, over one, two or
three dimensions.

Shares (of what is drawn at that place):

dimensions      one 50 %, two 35 %, three 15 %; work-groups of 32 to 256, poor ones among them
work-items      1,024 to 16 million log-uniform, fewer where the parts are heavy
accumulator     float 50 %, int 20 %, float4 15 %, double 15 %
parts           loop of constant trips 16 %, of trips from an argument 14 %, of trips from data 8 %,
                uniform branch 8 %, divergent branch 12 %, built-in functions 14 %, tile in local
                memory with a barrier 8 %, tree reduction in local memory 6 %, atomic 6 %,
                strided read 8 %

A tree reduction wants a work-group that is a power of two; elsewhere a tile takes its place. Trips
from data come from an array with a `range`, as do the bins of atomics; those cases say
time_depends_on_data."""

from .draw import Draw
from .kernel import Buffer, Index, Kernel, round_up

ITEMS_MIN, ITEMS_MAX = 1024, 2**24
WORK_MAX = 2**29  # work-items x operations, roughly: a second or less on two cores
ELEMENTS_MAX = 2**26

LOCAL_1 = [(20, 64), (20, 128), (20, 256), (10, 32), (15, 100), (15, 192)]
LOCAL_2 = [(8, 8), (16, 8), (16, 16), (32, 4), (32, 8), (64, 1), (10, 10), (24, 8), (8, 16)]
LOCAL_3 = [(4, 4, 4), (8, 4, 4), (8, 8, 2), (16, 4, 2), (32, 2, 2), (10, 5, 2)]
TYPES = [(50, "float"), (20, "int"), (15, "float4"), (15, "double")]
PARTS = [
    (16, "constant_loop"),
    (14, "argument_loop"),
    (8, "data_loop"),
    (8, "uniform_branch"),
    (12, "divergent_branch"),
    (14, "functions"),
    (8, "tile"),
    (6, "reduction"),
    (6, "atomic"),
    (8, "stride"),
]
REAL_FUNCTIONS = [
    "sqrt(fabs({0}) + 1)",
    "exp({0} * 0.001f)",
    "log(fabs({0}) + 2)",
    "sin({0})",
    "cos({0})",
    "fabs({0})",
    "floor({0})",
    "rsqrt(fabs({0}) + 1)",
    "fma({0}, ({type})(0.5f), {1})",
    "mad({0}, ({type})(0.25f), {1})",
    "fmin({0}, {1})",
    "fmax({0}, {1})",
    "clamp({0}, ({type})(0), ({type})(100))",
    "mix({0}, {1}, ({type})(0.25f))",
    "hypot({0}, {1})",
]
NATIVE_FUNCTIONS = [
    "native_sqrt(fabs({0}) + 1)",
    "native_exp({0} * 0.001f)",
    "native_sin({0})",
    "native_divide({0}, fabs({1}) + 1)",
]
INTEGER_FUNCTIONS = [
    "min({0}, {1})",
    "max({0}, {1})",
    "abs_diff({0}, {1}) & 0xffff",
    "clamp({0}, 0, 1000)",
    "mul24({0} & 0xfff, {1} & 0xfff)",
    "mad24({0} & 0xfff, 3, {1})",
    "popcount({0})",
    "rotate({0}, 5)",
]


class Rich:
    """One kernel."""

    def __init__(self, draw: Draw, name: str) -> None:
        self.draw = draw
        self.kernel = Kernel(name)
        self.type = draw.weighted(TYPES)
        self.is_real = self.type != "int"
        if self.type == "double":
            self.kernel.extensions.append("cl_khr_fp64")
        self.parts = [draw.weighted(PARTS) for _ in range(draw.integer(1, 4))]
        dimensions = draw.weighted([(50, 1), (35, 2), (15, 3)])
        if dimensions == 1:
            local = [draw.weighted(LOCAL_1)]
        else:
            local = list(draw.pick(LOCAL_2 if dimensions == 2 else LOCAL_3))
        self.group = 1
        for size in local:
            self.group *= size
        heavy = sum("loop" in part for part in self.parts)
        self.trips = [draw.log_integer(2, 256 if heavy == 1 else 48) for _ in self.parts]
        work = sum(t if "loop" in p else 8 for p, t in zip(self.parts, self.trips, strict=True))
        wanted = min(draw.log_integer(ITEMS_MIN, ITEMS_MAX), WORK_MAX // (work * 8))
        side = max(1, round(wanted ** (1 / dimensions)))
        self.kernel.local_size = local
        self.kernel.global_size = [round_up(side, size) for size in local]
        self.items = self.kernel.items
        self.local_count = 0
        self.loop_count = 0
        self.build_head(dimensions)

    # ---- the launch

    def build_head(self, dimensions: int) -> None:
        body = self.kernel.body
        if dimensions == 1:
            body.append("size_t x = get_global_id(0);")
            self.lid = "get_local_id(0)"
        else:
            body.append("uint gx = get_global_id(0), gy = get_global_id(1);")
            self.lid = f"get_local_id(1) * {self.kernel.local_size[0]} + get_local_id(0)"
            width = self.kernel.scalar("width", "uint", self.kernel.global_size[0]).name
            if dimensions == 2:
                body.append(f"uint x = gy * {width} + gx;")
            else:
                height = self.kernel.scalar("height", "uint", self.kernel.global_size[1]).name
                body.append("uint gz = get_global_id(2);")
                body.append(f"uint x = (gz * {height} + gy) * {width} + gx;")
                plane = self.kernel.local_size[0] * self.kernel.local_size[1]
                self.lid = f"get_local_id(2) * {plane} + " + self.lid
        self.x = Index("x", 0, self.items - 1)
        self.data("a")

    def data(self, name: str) -> Buffer:
        for buffer in self.kernel.buffers:
            if buffer.name == name:
                return buffer
        init, limits = {"int": ("rand_index:1000", (0, 999)), "double": ("rand_double", None)}.get(
            self.type, ("rand_float:1:2", None)
        )
        self.kernel.buffers.append(Buffer(name, self.type, init, "r", limits))
        return self.kernel.buffers[-1]

    def integers(self, name: str, high: int) -> Buffer:
        """An array of a number below `high` for each work-item."""
        self.kernel.time_depends_on_data = True
        self.kernel.buffers.append(Buffer(name, "int", f"rand_index:{high}", "r", (0, high - 1)))
        self.kernel.buffers[-1].reach(self.x.high)
        return self.kernel.buffers[-1]

    def load(self, index: Index, name: str | None = None) -> str:
        buffer = self.data(name if name is not None else self.draw.pick(["a", "a", "b"]))
        assert 0 <= index.low <= index.high < ELEMENTS_MAX
        buffer.reach(index.high)
        return f"{buffer.name}[{index.text}]"

    def offset(self, index: Index, most: int) -> Index:
        add = self.draw.integer(0, most)
        return index if add == 0 else Index(f"{index.text} + {add}", index.low + add, index.high + add)

    def constant(self) -> str:
        if self.is_real:
            return f"{self.draw.integer(1, 31) / 32}f"
        return str(self.draw.integer(1, 20))

    def operand(self) -> str:
        return self.load(self.offset(self.x, 32)) if self.draw.chance(0.5) else self.constant()

    def simple(self, value: str) -> list[str]:
        """Statements that change the accumulator by `value`, by one to three operations."""
        draw = self.draw
        if draw.chance(0.4):
            return [f"acc = acc * {self.constant()} + {value};"]
        lines = [f"acc {draw.pick(['+=', '-=', '+='])} {value};"]
        if draw.chance(0.4):
            lines.append(f"acc = acc * {self.constant()};")
        return lines

    # ---- parts

    def loop(self, bound: str, trips: int) -> list[str]:
        """A loop of at most `trips` that reads along, across, or nothing."""
        draw = self.draw
        i = f"i{self.loop_count}"
        self.loop_count += 1
        kind = draw.weighted([(30, "along"), (20, "own"), (20, "across"), (10, "same"), (20, "none")])
        if self.items * trips >= ELEMENTS_MAX // 4 and kind in ("own", "across"):
            kind = "same"
        if kind == "along":
            value = self.load(Index(f"x + {i}", 0, self.x.high + trips - 1))
        elif kind == "own":  # each work-item its own stretch
            value = self.load(Index(f"x * {trips} + {i}", 0, self.x.high * trips + trips - 1))
        elif kind == "across":
            count = self.kernel.scalar("count", "uint", self.items).name
            value = self.load(Index(f"{i} * {count} + x", 0, (trips - 1) * self.items + self.x.high))
        elif kind == "same":
            value = self.load(Index(i, 0, trips - 1))
        else:
            value = self.constant()
        body = self.simple(value)
        if draw.chance(0.25):
            body += self.simple(self.constant())
        return [f"for (int {i} = 0; {i} < {bound}; {i}++) {{", *[f"\t{b}" for b in body], "}"]

    def constant_loop(self, trips: int) -> list[str]:
        lines = self.loop(str(trips), trips)
        if trips <= 16 and self.draw.chance(0.2):  # nested
            inner = self.draw.integer(2, 8)
            return [f"for (int j = 0; j < {inner}; j++) {{", *[f"\t{line}" for line in lines], "}"]
        return lines

    def argument_loop(self, trips: int) -> list[str]:
        name = f"trips{self.loop_count}"
        self.kernel.scalar(name, "int", trips)
        return self.loop(name, trips)

    def data_loop(self, trips: int) -> list[str]:
        buffer = self.integers(f"length{self.loop_count}", trips + 1)
        return self.loop(f"{buffer.name}[x]", trips)

    def branch(self, condition: str) -> list[str]:
        lines = [f"if ({condition}) {{", *[f"\t{s}" for s in self.simple(self.operand())]]
        if self.draw.chance(0.6):
            lines += ["} else {", *[f"\t{s}" for s in self.simple(self.operand())]]
        return [*lines, "}"]

    def uniform_branch(self, _trips: int) -> list[str]:
        flag = self.kernel.scalar("flag", "int", self.draw.integer(0, 1)).name
        return self.branch(self.draw.pick([f"{flag} > 0", "get_group_id(0) & 1"]))

    def divergent_branch(self, _trips: int) -> list[str]:
        draw = self.draw
        first = f"{self.load(self.x, 'a')}{'.x' if self.type == 'float4' else ''}"
        threshold = {"int": "500", "double": "0.5"}.get(self.type, "1.5f")
        if draw.chance(0.3):
            return self.branch(f"{first} > {threshold}")
        return self.branch(
            draw.pick(["x & 1", "get_local_id(0) < 8", "(x & 31) < 16", "x % 3 == 0", "(x >> 6) & 1"])
        )

    def functions(self, _trips: int) -> list[str]:
        lines = []
        for _ in range(self.draw.integer(1, 3)):
            if not self.is_real:
                choices = INTEGER_FUNCTIONS
            elif self.type == "float" and self.draw.chance(0.25):
                choices = NATIVE_FUNCTIONS
            else:
                choices = REAL_FUNCTIONS
            text = self.draw.pick(choices).format("acc", self.load(self.x), type=self.type)
            lines.append(f"acc = {text};")
        return lines

    def local_array(self) -> str:
        name = f"tile{self.local_count}"
        self.local_count += 1
        self.kernel.body.insert(0, f"local {self.type} {name}[{self.group}];")
        return name

    def tile(self, _trips: int) -> list[str]:
        tile, reads = self.local_array(), self.draw.integer(1, 4)
        lines = [f"{tile}[lid] = {self.load(self.x)};", "barrier(CLK_LOCAL_MEM_FENCE);"]
        for _ in range(reads):
            shift = self.draw.pick([1, 2, 16, 17, self.group - 1])
            lines += self.simple(f"{tile}[(lid + {shift}) % {self.group}]")
        return [*lines, "barrier(CLK_LOCAL_MEM_FENCE);"]

    def reduction(self, trips: int) -> list[str]:
        if self.group & (self.group - 1):
            return self.tile(trips)
        tile = self.local_array()
        return [
            f"{tile}[lid] = acc;",
            "barrier(CLK_LOCAL_MEM_FENCE);",
            f"for (uint s = {self.group // 2}; s > 0; s >>= 1) {{",
            "\tif (lid < s)",
            f"\t\t{tile}[lid] += {tile}[lid + s];",
            "\tbarrier(CLK_LOCAL_MEM_FENCE);",
            "}",
            f"acc += {tile}[0];",
            "barrier(CLK_LOCAL_MEM_FENCE);",
        ]

    def atomic(self, _trips: int) -> list[str]:
        draw = self.draw
        if not any(buffer.name == "count_of" for buffer in self.kernel.buffers):
            self.kernel.buffers.append(Buffer("count_of", "int", "zero", "rw"))
        counters = self.kernel.buffer("count_of")
        kind = draw.weighted([(25, "one"), (35, "few"), (40, "data")])
        if kind == "one":
            index = Index("0", 0, 0)
        elif kind == "few":
            mask = 2 ** draw.integer(4, 10) - 1
            index = Index(f"x & {mask}", 0, mask)
        elif any(buffer.name == "bin" for buffer in self.kernel.buffers):
            index = Index("bin[x]", 0, self.kernel.buffer("bin").range[1])  # type: ignore[index]
        else:
            bins = 2 ** draw.integer(4, 16)
            index = Index(f"{self.integers('bin', bins).name}[x]", 0, bins - 1)
        counters.reach(index.high)
        return [f"atomic_{draw.pick(['add', 'add', 'max', 'xor'])}(&count_of[{index.text}], 3);"]

    def stride(self, _trips: int) -> list[str]:
        stride = self.draw.pick([2, 3, 4, 5, 8, 16, 17, 32])
        while stride > 1 and self.items * stride >= ELEMENTS_MAX // 4:
            stride //= 2
        return self.simple(self.load(Index(f"x * {stride}", 0, self.x.high * stride)))

    # ---- the whole

    def build(self) -> Kernel:
        kernel = self.kernel
        lines: list[str] = []
        for part, trips in zip(self.parts, self.trips, strict=True):
            lines += getattr(self, part)(trips)
        kernel.body.append(f"{self.type} acc = {self.load(self.x, 'a')};")
        if self.local_count > 0:
            kernel.body.append(f"uint lid = {self.lid};")
        kernel.body += [*lines, "res[x] = acc;"]
        out = Buffer("res", self.type, "zero", "w")
        out.reach(self.x.high)
        kernel.buffers.append(out)
        return kernel
