# SPDX-License-Identifier: Apache-2.0
"""What a kernel is launched with: arguments and hints, as in `--arg` and `--hint` of predictctl(1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Union

from . import predictd_pb2 as pb
from .samples import Sample

_INTEGER_BITS = {"char": 8, "short": 16, "int": 32, "long": 64}
_REALS = ("half", "float", "double")
_WIDTHS = (2, 3, 4, 8, 16)
_ACCESS = {"r": 1, "w": 2, "rw": 3}
_FILTERS = ("nearest", "linear")
_SAMPLER_WORDS = ("normalized", "clamp", "clamp_to_edge", "repeat", "mirrored")


def _access(access: str) -> int:
    try:
        return _ACCESS[access]
    except KeyError:
        raise ValueError(f"want the access r, w or rw, have {access!r}") from None


def _count(what: str, value: int) -> int:
    if not 0 < value < 1 << 64:
        raise ValueError(f"want {what} of 1 or more, have {value}")
    return value


def _line(line: int) -> int:
    if not 0 < line < 1 << 32:
        raise ValueError(f"want a line of the source, from 1 on, have {line}")
    return line


class _Checked:
    """What is made is also what can be sent: a wrong value is an error where it is written."""

    def __post_init__(self) -> None:
        self._message()

    def _message(self) -> Union[pb.Argument, pb.Hint]:
        raise NotImplementedError

    def _known_by(self) -> tuple[object, ...]:
        """Equal for what is answered alike: the fields. It is hashable."""
        return (self.__class__, *self.__dict__.values())


@dataclass(frozen=True)
class Buffer(_Checked):
    """A __global or __constant pointer. `range`: what an integer buffer's values lie in, a hint.

    `sample`: some of what it holds when the kernel begins.
    """

    size_bytes: int
    access: str = "rw"
    range: Optional[tuple[int, int]] = None
    sample: Optional[Sample] = None

    def __post_init__(self) -> None:
        if self.range is not None:
            object.__setattr__(self, "range", tuple(self.range))
        super().__post_init__()

    def _known_by(self) -> tuple[object, ...]:
        sample = None if self.sample is None else self.sample._known_by()
        return Buffer, self.size_bytes, self.access, self.range, sample

    def _message(self) -> pb.Argument:
        message = pb.Argument(kind=0, size_bytes=_count("a buffer", self.size_bytes), access=_access(self.access))
        if self.range is not None:
            low, high = self.range
            if low > high:
                raise ValueError(f"want a range (low, high), have {self.range}")
            message.has_range = True
            message.low, message.high = low, high
        if self.sample is not None:
            if self.sample.size_bytes != self.size_bytes:
                raise ValueError(f"want a sample of {self.size_bytes} bytes, have one of {self.sample.size_bytes}")
            message.sample = self.sample._name
        return message


@dataclass(frozen=True)
class Scalar(_Checked):
    """A value of an OpenCL type, such as Scalar("int", 7) or Scalar("float4", [1, 2, 3, 4])."""

    type: str
    value: Union[int, float, Sequence[Union[int, float]]]

    def __post_init__(self) -> None:
        if isinstance(self.value, Sequence):
            object.__setattr__(self, "value", tuple(self.value))  # the caller's may change
        super().__post_init__()

    def _known_by(self) -> tuple[object, ...]:
        return Scalar, self.type, repr(self.value)  # 0 has a sign, and what is no number equals itself

    def _message(self) -> pb.Argument:
        element = self.type.rstrip("0123456789")
        digits = self.type[len(element) :]
        lanes = int(digits) if digits else 1
        base = element[1:] if element.startswith("u") else element
        is_real = element in _REALS
        if not (is_real or base in _INTEGER_BITS) or (digits and lanes not in _WIDTHS):
            raise ValueError(f"want a scalar or vector type of OpenCL C, have {self.type!r}")
        values = list(self.value) if isinstance(self.value, Sequence) else [self.value]
        if len(values) == 1:
            values *= lanes
        if len(values) != lanes:
            raise ValueError(f"want {lanes} values for {self.type}, have {len(values)}")
        message = pb.Argument(kind=1, type=self.type)
        if is_real:
            message.reals.extend(float(value) for value in values)
            return message
        bits = _INTEGER_BITS[base]
        is_unsigned = element.startswith("u")
        low = 0 if is_unsigned else -(1 << (bits - 1))
        high = (1 << bits) - 1 if is_unsigned else (1 << (bits - 1)) - 1
        for value in values:
            if not isinstance(value, int):
                raise TypeError(f"want integers for {self.type}, have {value!r}")
            if not low <= value <= high:
                raise ValueError(f"{value} does not fit {self.type} ({low} to {high})")
            # on the wire a 64-bit pattern with a sign
            message.integers.append(value - (1 << 64) if value >= 1 << 63 else value)
        return message


@dataclass(frozen=True)
class Local(_Checked):
    """A __local pointer."""

    size_bytes: int

    def _message(self) -> pb.Argument:
        return pb.Argument(kind=2, size_bytes=_count("local memory", self.size_bytes))


@dataclass(frozen=True)
class Struct(_Checked):
    """A struct by value."""

    size_bytes: int

    def _message(self) -> pb.Argument:
        return pb.Argument(kind=3, size_bytes=_count("a struct", self.size_bytes))


@dataclass(frozen=True)
class Image(_Checked):
    """An image of width x height texels, depth of them in a 3-D one or as layers of an array.

    Formats are those of predictctl(1), such as "rgba8", "r32f" and "rgba32f".
    """

    width: int
    height: int = 1
    format: str = "rgba8"
    access: str = "r"
    depth: int = 0

    def _message(self) -> pb.Argument:
        for size in (self.width, self.height):
            if not 0 < size < 1 << 32:
                raise ValueError(f"want an image's size below 2^32, have {self.width}x{self.height}")
        if not 0 <= self.depth < 1 << 32:
            raise ValueError(f"want an image's depth below 2^32, have {self.depth}")
        return pb.Argument(
            kind=4,
            width=self.width,
            height=self.height,
            depth=self.depth,
            type=self.format,
            access=_access(self.access),
        )


@dataclass(frozen=True)
class Sampler(_Checked):
    """A sampler: "nearest" or "linear", then as it was made ",normalized", and how it addresses what lies
    outside: ",clamp", ",clamp_to_edge", ",repeat" or ",mirrored"."""

    filter: str = "nearest"

    def _message(self) -> pb.Argument:
        first, *others = self.filter.split(",")
        if first not in _FILTERS or not set(others) <= set(_SAMPLER_WORDS):
            words = ", ".join(_SAMPLER_WORDS)
            raise ValueError(f"want a sampler nearest or linear, then any of {words}, have {self.filter!r}")
        return pb.Argument(kind=5, type=self.filter)


Argument = Union[Buffer, Scalar, Local, Struct, Image, Sampler]


@dataclass(frozen=True)
class LoopHint(_Checked):
    """How often the loop of that source line runs each time it is entered."""

    line: int
    trips: float

    def _message(self) -> pb.Hint:
        if not self.trips >= 0:
            raise ValueError(f"want 0 trips or more, have {self.trips}")
        return pb.Hint(is_branch=False, line=_line(self.line), value=self.trips)


@dataclass(frozen=True)
class BranchHint(_Checked):
    """The share of work-items, 0 to 1, that take the branch of that source line."""

    line: int
    share: float

    def _message(self) -> pb.Hint:
        if not 0 <= self.share <= 1:
            raise ValueError(f"want a share of 0 to 1, have {self.share}")
        return pb.Hint(is_branch=True, line=_line(self.line), value=self.share)


Hint = Union[LoopHint, BranchHint]

Sizes = Union[int, Sequence[int]]


def sizes(what: str, value: Optional[Sizes], at_least: int = 1) -> list[int]:
    """One to three sizes; an integer is one."""
    if value is None:
        return []
    result = [value] if isinstance(value, int) else list(value)
    if not 1 <= len(result) <= 3:
        raise ValueError(f"want one to three sizes of {what}, have {len(result)}")
    for size in result:
        if not at_least <= size < 1 << 64:
            raise ValueError(f"want sizes of {at_least} or more for {what}, have {size}")
    return result
