# SPDX-License-Identifier: Apache-2.0
"""The two classes of section 4 of Poeppel and Herz: one expression a work-item over arrays of
m rows and n columns, `res[x] = EXPRESSION`, launched over all elements in one dimension.

Shares (of what is drawn at that place):

both            elements      float 65 %, int 35 %; 1 to 3 input arrays
                sides         32 to 8192 log-uniform; half of the arrays are square
                work-group    32 64 128 256 at 15 % each, 100 and 192 at 15 % each, 96 and 160 at 5 %
                position x    size_t 50 %, uint 30 %, int 20 %
                operators     + 35 %, - 25 %, * 25 %, / 15 %
                divisor, int  literal 40 %, positive argument 30 %, (expression & 255) + 1 30 %
realistic       operations    1 to 10, uniform
                operands      access 75 %, literal 15 %, argument 10 %
                accesses      a[x] 25 %; a[x + c] 15 %; interval a[x & mask] 15 %; constant a[c] 12 %;
                              neighbours in rows and columns a[x + dy * n + dx] 13 %;
                              a[col], a[row], a[row * n + col], a[row * n] 10 %;
                              one that is there already 10 %
unrestricted    operations    5 to 50, uniform
                operands      access 60 %, literal 25 %, argument 15 %
                accesses      a new index 85 %, one that is there already 15 %
                index         1 to 50 subexpressions, log-uniform, over x (35 %), row and col (10 %
                              each), n and m (7 % together), literals (30 %), elements of an index
                              array (8 %), by + (40 %), * (20 %), % (13 %), / (12 %), - (10 %), & (5 %)

An index whose highest value lies in four times the work-items (and 2^26) addresses an array that is
made that large. Any other is wrapped: by % (m * n) 50 %, by % a literal 30 %, by a mask 20 %.
Products and sums stay under 2^31 and differences above -1 by interval arithmetic over the launch;
what would not is drawn anew. An index is thus valid in each of the three types of x. Integer data
are wrapped by the machine; no divisor of integers is ever 0 or -1."""

from .draw import Draw
from .kernel import Buffer, Index, Kernel, round_up

SIDE_MIN, SIDE_MAX = 32, 8192
INDEX_MAX = 2**31 - 1
ELEMENTS_MAX = 2**26

LOCAL_SIZES = [(15, 32), (15, 64), (15, 128), (15, 256), (15, 100), (15, 192), (5, 96), (5, 160)]
POSITION_TYPES = [(50, "size_t"), (30, "uint"), (20, "int")]
OPERATORS = [(35, "+"), (25, "-"), (25, "*"), (15, "/")]
INDEX_OPERATORS = [(40, "+"), (20, "*"), (13, "%"), (12, "/"), (10, "-"), (5, "&")]
INDEX_LEAVES = [(35, "x"), (10, "row"), (10, "col"), (7, "side"), (30, "literal"), (8, "element")]
ACCESSES = [
    (25, "here"),
    (15, "offset"),
    (15, "interval"),
    (12, "constant"),
    (13, "neighbour"),
    (10, "row"),
    (10, "again"),
]


class Stencil:
    """One kernel of either class."""

    def __init__(self, draw: Draw, name: str) -> None:
        self.draw = draw
        self.kernel = Kernel(name)
        self.n = draw.log_integer(SIDE_MIN, SIDE_MAX)
        self.m = self.n if draw.chance(0.5) else draw.log_integer(SIDE_MIN, SIDE_MAX)
        local = draw.weighted(LOCAL_SIZES)
        self.items = round_up(self.m * self.n, local)
        self.kernel.global_size, self.kernel.local_size = [self.items], [local]
        self.is_float = draw.chance(0.65)
        self.type = "float" if self.is_float else "int"
        self.position_type = draw.weighted(POSITION_TYPES)
        self.names: set[str] = set()  # of x, row, col, k: those used
        self.accesses: list[str] = []
        for i in range(draw.integer(1, 3)):
            self.kernel.buffers.append(self.data_buffer("abc"[i], "r"))
        self.inputs = list(self.kernel.buffers)

    def data_buffer(self, name: str, access: str) -> Buffer:
        if self.is_float:
            return Buffer(name, "float", "rand_float:1:2", access)
        return Buffer(name, "int", "rand_index:100", access, (0, 99))

    def index_buffer(self) -> Buffer:
        for buffer in self.kernel.buffers:
            if buffer.name == "p":
                return buffer
        high = self.draw.log_integer(16, self.items)
        self.kernel.buffers.append(Buffer("p", "int", f"rand_index:{high}", "r", (0, high - 1)))
        return self.kernel.buffers[-1]

    # ---- leaves of index expressions

    def x(self) -> Index:
        return Index("x", 0, self.items - 1)

    def row(self) -> Index:
        self.names.add("row")
        return Index("row", 0, (self.items - 1) // self.n)

    def col(self) -> Index:
        self.names.add("col")
        return Index("col", 0, self.n - 1)

    def side(self, which: str) -> Index:
        self.names.add(which)
        return Index(which, *([self.n if which == "n" else self.m] * 2))

    def literal(self, low: int, high: int) -> Index:
        value = self.draw.integer(low, high)
        return Index(str(value), value, value)

    # ---- data

    def access(self, buffer: Buffer, index: Index) -> str:
        assert 0 <= index.low <= index.high <= INDEX_MAX
        buffer.reach(index.high)
        text = f"{buffer.name}[{index.text}]"
        self.accesses.append(text)
        return text

    def constant(self) -> str:
        if self.is_float:
            return f"{self.draw.integer(1, 40) / 8}f"
        return str(self.draw.integer(1, 40))

    def argument(self) -> str:
        self.names.add("k")
        return "k"

    def expression(self, operations: int, leaf: list[tuple[float, str]]) -> str:
        draw = self.draw
        if operations == 0:
            kind = draw.weighted(leaf)
            if kind == "access":
                return self.operand()
            return self.constant() if kind == "literal" else self.argument()
        operator = draw.weighted(OPERATORS)
        divisor = draw.weighted([(40, "literal"), (30, "argument"), (30, "expression")])
        if operator == "/" and not self.is_float and divisor != "expression":
            right = str(draw.integer(2, 40)) if divisor == "literal" else self.argument()
            return f"({self.expression(operations - 1, leaf)} / {right})"
        split = draw.integer(0, operations - 1)
        left = self.expression(split, leaf)
        right = self.expression(operations - 1 - split, leaf)
        if operator == "/" and not self.is_float:
            right = f"(({right} & 255) + 1)"
        return f"({left} {operator} {right})"

    def operand(self) -> str:
        raise NotImplementedError

    def finish(self, expression: str) -> Kernel:
        kernel = self.kernel
        if not self.accesses:  # an expression of constants alone is no stencil
            expression = f"({expression} + {self.access(self.inputs[0], self.x())})"
        out = self.data_buffer("res", "w")
        out.range = None
        out.reach(self.items - 1)
        kernel.buffers.append(out)
        kind = self.position_type
        kernel.body.append(f"{kind} x = get_global_id(0);")
        if "row" in self.names:
            kernel.body.append(f"{kind} row = x / n;")
        if "col" in self.names:
            kernel.body.append(f"{kind} col = x % n;")
        kernel.body.append(f"res[x] = {expression};")
        if self.names & {"row", "col", "n"}:
            kernel.scalar("n", "uint", self.n)
        if "m" in self.names:
            kernel.scalar("m", "uint", self.m)
        if "k" in self.names:
            value = self.draw.integer(2, 20)
            kernel.scalar("k", self.type, float(value) if self.is_float else value)
        kernel.buffers = [b for b in kernel.buffers if b.access == "w" or f"{b.name}[" in expression]
        return kernel


class Realistic(Stencil):
    """What may stand in productive code: few operations, simple patterns."""

    def operand(self) -> str:
        draw = self.draw
        kind = draw.weighted(ACCESSES)
        if kind == "again" and self.accesses:
            return draw.pick(self.accesses)
        buffer = draw.pick(self.inputs)
        x = self.x()
        if kind == "offset":
            offset = draw.integer(1, 64)
            return self.access(buffer, Index(f"x + {offset}", offset, x.high + offset))
        if kind == "interval":
            mask = 2 ** draw.integer(4, 12) - 1
            return self.access(buffer, Index(f"x & {mask:#x}", 0, min(mask, x.high)))
        if kind == "constant":
            return self.access(buffer, self.literal(0, 255))
        if kind == "neighbour":
            rows, columns = draw.integer(0, 2), draw.integer(0, 2)
            n = self.side("n").low
            parts = ["x"] + ([] if rows == 0 else ["n"] if rows == 1 else [f"{rows} * n"])
            parts += [] if columns == 0 else [str(columns)]
            offset = rows * n + columns
            return self.access(buffer, Index(" + ".join(parts), offset, x.high + offset))
        if kind == "row":
            row, col, n = self.row(), self.col(), self.side("n").low
            index = draw.pick(
                [
                    col,
                    row,
                    Index("row * n + col", 0, x.high),
                    Index("row * n", 0, row.high * n),
                ]
            )
            return self.access(buffer, index)
        return self.access(buffer, x)

    def build(self) -> Kernel:
        leaf = [(75, "access"), (15, "literal"), (10, "argument")]
        return self.finish(self.expression(self.draw.integer(1, 10), leaf))


class Unrestricted(Stencil):
    """Any complexity."""

    def leaf(self) -> Index:
        draw = self.draw
        kind = draw.weighted(INDEX_LEAVES)
        if kind == "x":
            return self.x()
        if kind == "row":
            return self.row()
        if kind == "col":
            return self.col()
        if kind == "side":
            return self.side(draw.pick(["n", "m"]))
        if kind == "element":
            buffer = self.index_buffer()
            assert buffer.range is not None
            inner = draw.pick([self.x(), self.row(), self.col()])
            buffer.reach(inner.high)
            cast = "" if self.position_type == "int" else f"({self.position_type})"
            return Index(f"{cast}p[{inner.text}]", *buffer.range)
        return self.literal(0, 99)

    def join(self, operator: str, left: Index, right: Index) -> Index | None:
        """None where the value could leave 0 to INDEX_MAX."""
        text = f"({left.text} {operator} {right.text})"
        if operator == "+":
            index = Index(text, left.low + right.low, left.high + right.high)
        elif operator == "*":
            index = Index(text, left.low * right.low, left.high * right.high)
        elif operator == "-":
            index = Index(text, left.low - right.high, left.high - right.low)
        elif operator == "&":
            mask = 2 ** self.draw.integer(4, 20) - 1
            return Index(f"({left.text} & {mask:#x})", 0, min(left.high, mask))
        else:
            if right.high == INDEX_MAX:
                return None
            if right.low == 0:
                right = Index(f"({right.text} + 1)", 1, right.high + 1)
            text = f"({left.text} {operator} {right.text})"
            if operator == "/":
                index = Index(text, left.low // right.high, left.high // right.low)
            else:
                index = Index(text, 0, min(left.high, right.high - 1))
        return index if index.low >= 0 and index.high <= INDEX_MAX else None

    def index(self, operations: int) -> Index:
        if operations == 0:
            return self.leaf()
        split = self.draw.integer(0, operations - 1)
        left, right = self.index(split), self.index(operations - 1 - split)
        while True:  # & is always possible
            joined = self.join(self.draw.weighted(INDEX_OPERATORS), left, right)
            if joined is not None:
                return joined

    def wrap(self, index: Index) -> Index:
        draw, size = self.draw, self.m * self.n
        kind = draw.weighted([(50, "array"), (30, "literal"), (20, "mask")])
        if kind == "array":
            self.names |= {"m", "n"}
            return Index(f"({index.text} % (m * n))", 0, size - 1)
        if kind == "literal":
            length = draw.log_integer(256, size)
            return Index(f"({index.text} % {length})", 0, length - 1)
        mask = 2 ** draw.integer(8, size.bit_length() - 1) - 1
        return Index(f"({index.text} & {mask:#x})", 0, mask)

    def operand(self) -> str:
        draw = self.draw
        if self.accesses and draw.chance(0.15):
            return draw.pick(self.accesses)
        index = self.index(draw.log_integer(1, 50) - 1)
        if index.high >= max(self.items + 4 * self.n, min(4 * self.items, ELEMENTS_MAX)):
            index = self.wrap(index)
        return self.access(draw.pick(self.inputs), index)

    def build(self) -> Kernel:
        leaf = [(60, "access"), (25, "literal"), (15, "argument")]
        return self.finish(self.expression(self.draw.integer(5, 50), leaf))
