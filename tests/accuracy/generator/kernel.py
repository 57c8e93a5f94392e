# SPDX-License-Identifier: Apache-2.0
"""A kernel under construction: its arguments, its launch, and the case that they make."""

from dataclasses import dataclass, field

ELEMENT_BYTES = {"int": 4, "uint": 4, "float": 4, "double": 8, "float4": 16}


@dataclass
class Buffer:
    """A buffer argument; it grows with what is read and written in it."""

    name: str
    type: str
    init: str
    access: str
    range: tuple[int, int] | None = None
    elements: int = 1

    def reach(self, highest: int) -> None:
        self.elements = max(self.elements, highest + 1)

    @property
    def bytes(self) -> int:
        return self.elements * ELEMENT_BYTES[self.type]

    @property
    def parameter(self) -> str:
        constant = "const " if self.access == "r" else ""
        return f"global {constant}{self.type} *{self.name}"

    @property
    def argument(self) -> dict[str, object]:
        argument: dict[str, object] = {
            "buffer": self.bytes,
            "init": self.init,
            "access": self.access,
        }
        if self.range is not None:
            argument["range"] = list(self.range)
        return argument


@dataclass
class Scalar:
    """A scalar argument."""

    name: str
    type: str
    value: int | float

    @property
    def parameter(self) -> str:
        return f"{self.type} {self.name}"

    @property
    def argument(self) -> dict[str, object]:
        return {"scalar": self.type, "value": self.value}


@dataclass(frozen=True)
class Index:
    """An integer expression and the bounds of its value over the whole launch."""

    text: str
    low: int
    high: int


@dataclass
class Kernel:
    """Arguments and body of one kernel, and one launch of it."""

    name: str
    extensions: list[str] = field(default_factory=list)
    buffers: list[Buffer] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    global_size: list[int] = field(default_factory=list)
    local_size: list[int] = field(default_factory=list)
    time_depends_on_data: bool = False

    def buffer(self, name: str) -> Buffer:
        return next(buffer for buffer in self.buffers if buffer.name == name)

    def scalar(self, name: str, kind: str, value: int | float) -> Scalar:
        """The scalar of that name; added when it is new."""
        for scalar in self.scalars:
            if scalar.name == name:
                return scalar
        self.scalars.append(Scalar(name, kind, value))
        return self.scalars[-1]

    @property
    def items(self) -> int:
        product = 1
        for size in self.global_size:
            product *= size
        return product

    def source(self) -> str:
        parameters = [a.parameter for a in [*self.buffers, *self.scalars]]
        head = "".join(f"#pragma OPENCL EXTENSION {name} : enable\n" for name in self.extensions)
        lines = "".join(f"\t{line}\n" for line in self.body)
        between = ",\n" + " " * (len(self.name) + 13)
        return f"{head}kernel void {self.name}({between.join(parameters)})\n{{\n{lines}}}\n"

    def case(self, ident: str, file: str, group: str) -> dict[str, object]:
        case: dict[str, object] = {
            "id": ident,
            "class": group,
            "file": file,
            "kernel": self.name,
            "global": self.global_size,
            "local": self.local_size,
            "args": [a.argument for a in [*self.buffers, *self.scalars]],
        }
        if self.time_depends_on_data:
            case["time_depends_on_data"] = True
        return case


def round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
