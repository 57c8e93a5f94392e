# SPDX-License-Identifier: Apache-2.0
"""What buffers of a launch hold at first, in the words of predictctl(1): `init`; as proto/init.c makes it."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

from .arguments import Argument, Buffer
from .errors import InputOutput
from .samples import SCALAR_BYTES, Sample
from .values import Program

_WANT = "want zero, iota, rand_float[:A:B], rand_double, rand_u32, rand_index:N, csr_rowptr:ROWS:PER_ROW or @FILE"
_REAL = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_WORDS = re.compile(
    rf"zero|iota|rand_float(?::(?P<low>{_REAL}):(?P<high>{_REAL}))?|rand_double|rand_u32|rand_index:(?P<count>\d{{1,10}})"
    r"|csr_rowptr:(?P<rows>\d{1,10}):(?P<each>\d{1,10})"
)
_ALL = (1 << 64) - 1
_AT_ONCE = 1 << 20  # elements, whose random numbers take room besides


def _random(seed: int, index: Any) -> Any:
    """splitmix64 (Steele, Lea, Flood, OOPSLA 2014) of a counter: a number, or numpy's array of them."""
    z = ((seed + 1) * 0xD1342543DE82EF95 & _ALL) + (index + 1) * 0x9E3779B97F4A7C15 & _ALL
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _ALL
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _ALL
    return z ^ z >> 31


def _elements(text: str, seed: int) -> tuple[str, Callable[[Any], Any]]:
    """The code, as of struct, and the values of what a buffer is filled with: of an index, or numpy's array of them."""
    found = _WORDS.fullmatch(text)
    if not found:
        raise ValueError(f"init {text!r:.64}: {_WANT}")
    word = text.partition(":")[0]
    if word == "iota":
        return "I", lambda i: i & 0xFFFFFFFF
    if word == "rand_float":
        low, high = float(found["low"] or 0), float(found["high"] or 1)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ValueError(f"init {text!r:.64}: {_WANT}")
        return "f", lambda i: low + (_random(seed, i) >> 40) * 2.0**-24 * (high - low)
    if word == "rand_double":
        return "d", lambda i: (_random(seed, i) >> 11) * 2.0**-53
    if word == "rand_u32":
        return "I", lambda i: _random(seed, i) & 0xFFFFFFFF
    if word == "rand_index":
        count = int(found["count"])
        if not 0 < count <= 1 << 31:
            raise ValueError(f"init {text!r:.64}: {_WANT}")
        return "I", lambda i: _random(seed, i) % count
    if word == "csr_rowptr":
        rows, each = int(found["rows"]), int(found["each"])
        if rows * each > 0x7FFFFFFF:
            raise ValueError(f"init {text!r:.64}: {_WANT}")
        return "I", lambda i: (i - (i - rows) * (i > rows)) * each
    return "I", lambda i: 0


@dataclass(frozen=True)
class Fill:
    """text   the word; seed   the argument's place in the kernel, from 0; folder   that a file's name begins at"""

    text: str
    seed: int
    folder: Path = Path()

    def __post_init__(self) -> None:
        if not self.text.startswith("@"):
            _elements(self.text, self.seed)

    def _file_bytes(self) -> int:
        path = self.folder / self.text[1:]
        length = path.stat().st_size
        if not path.is_file() or length == 0:  # a pipe would be waited for
            raise InputOutput(f"init {self.text!r:.160}: want a file of one byte or more")
        return length

    def content(self, size_bytes: int) -> Any:
        """What a buffer of this size holds: numpy's array of bytes. Raises OSError or InputOutput of a file."""
        import numpy

        made = numpy.zeros(size_bytes, "u1")
        if self.text.startswith("@"):
            read = numpy.fromfile(self.folder / self.text[1:], "u1", min(size_bytes, self._file_bytes()))
            for at in range(0, size_bytes, read.size):  # the file's bytes, again and again
                made[at : at + read.size] = read[: size_bytes - at]
            return made
        code, value = _elements(self.text, self.seed)
        whole = made[: size_bytes - size_bytes % struct.calcsize(code)].view(f"<{code}")
        for at in range(0, whole.size, _AT_ONCE):
            part = whole[at : at + _AT_ONCE]
            part[:] = value(numpy.arange(at, at + part.size, dtype="u8"))
        return made

    def sample(self, size_bytes: int, type: str = "") -> Sample:
        """Of a buffer of this size, and of what type its elements are. Raises InputOutput of a file."""
        if not self.text.startswith("@"):
            return _sample(self.text, self.seed, size_bytes, type)
        path = self.folder / self.text[1:]
        try:
            length = self._file_bytes()
            with path.open("rb") as file:

                def read(offset: int, size: int) -> bytes:
                    made = bytearray()
                    while len(made) < size:  # the file's bytes, again and again
                        file.seek((offset + len(made)) % length)
                        made += file.read(size - len(made)) or bytes(size - len(made))
                    return bytes(made)

                return Sample.read(read, size_bytes, type)
        except OSError as error:
            raise InputOutput(f"{path}: {error.strerror}") from error


@lru_cache(maxsize=256)
def _sample(text: str, seed: int, size_bytes: int, type: str) -> Sample:
    code, value = _elements(text, seed)
    each = struct.calcsize(code)

    def read(offset: int, size: int) -> bytes:
        first, end = offset // each, -(-(offset + size) // each)
        whole = size_bytes // each  # a rest shorter than an element is zero
        values = [value(i) if i < whole else 0 for i in range(first, end)]
        return struct.pack(f"<{len(values)}{code}", *values)[offset - first * each :][:size]

    return Sample.read(read, size_bytes, type)


def sampled(arguments: Sequence[Argument], fills: Sequence[Optional[Fill]], program: Program, kernel: str) -> list[Argument]:
    """The arguments of a launch, with samples of those that have a fill."""
    if not any(fills):
        return list(arguments)
    types = next((one.argument_types for one in program.kernels if one.name == (kernel or program.kernels[0].name)), ())
    made = list(arguments)
    for place, (argument, fill) in enumerate(zip(arguments, fills)):
        if fill is None or not isinstance(argument, Buffer):
            continue
        kind, _, element = types[place].partition(" ") if place < len(types) else ("", "", "")
        scalar = element.rstrip("0123456789") if kind == "buffer" else ""
        scalar = scalar if scalar in SCALAR_BYTES else ""
        if argument.size_bytes >= SCALAR_BYTES.get(scalar, 1):  # else it holds nothing to tell of
            made[place] = replace(argument, sample=fill.sample(argument.size_bytes, scalar))
    return made
