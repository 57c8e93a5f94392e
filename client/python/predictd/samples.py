# SPDX-License-Identifier: Apache-2.0
"""Some of what a buffer holds, for predictions that hang on data."""

from __future__ import annotations

import ctypes
import hashlib
import mmap
from typing import Any, Callable

from . import predictd_pb2 as pb

# as in client/library/sample.c, which says why
_RUNS = 16
_RUN_BYTES = 4096
_BYTES = _RUNS * _RUN_BYTES
_GRAIN = 64
_GOLDEN = 0x9E3779B9

SCALAR_BYTES = {
    "char": 1,
    "uchar": 1,
    "short": 2,
    "ushort": 2,
    "int": 4,
    "uint": 4,
    "long": 8,
    "ulong": 8,
    "half": 2,
    "float": 4,
    "double": 8,
}
_REALS = {"e": "half", "f": "float", "d": "double"}
_INTEGERS = {1: "char", 2: "short", 4: "int", 8: "long"}


_mincore = ctypes.CDLL(None).mincore
_mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def _is_in(address: int, size: int) -> bool:
    """Whether each page of some bytes is in memory: one that was never touched is not."""
    begin = address & -mmap.PAGESIZE
    length = address + size - begin
    pages = (ctypes.c_ubyte * -(-length // mmap.PAGESIZE))()
    return _mincore(begin, length, pages) == 0 and all(page & 1 for page in pages)


def _address(data: memoryview) -> int:
    """Where a writable buffer lies; 0: nobody says, of one that is not."""
    return 0 if data.readonly else ctypes.addressof(ctypes.c_char.from_buffer(data))


def _offset(size: int, run: int) -> int:
    """Where a run of a buffer of more than 64 KiB begins."""
    if run == _RUNS - 1:
        return size - _RUN_BYTES
    stratum = size // (_RUNS * _GRAIN) * _GRAIN
    places = (stratum - _RUN_BYTES) // _GRAIN + 1
    return run * stratum + (places * (run * _GOLDEN & 0xFFFFFFFF) >> 32) * _GRAIN


def _type_of(view: memoryview) -> str:
    """The OpenCL type of a buffer object's elements, or ""."""
    code = view.format.lstrip("@=<")
    if code in _REALS:
        return _REALS[code]
    if code in ("?", "c", "P") or len(code) != 1 or view.itemsize not in _INTEGERS:
        return ""
    name = _INTEGERS[view.itemsize]
    return "u" + name if code.isupper() or code == "B" else name


class Sample:
    """A copy of some of what a buffer object holds: all of 64 KiB or less, else 16 runs of 4 KiB.

    data   bytes, an array.array, a NumPy array, a memoryview, ...; contiguous
    type   of its elements, "int" or "float"; "": as the buffer object says, if it does
    touch  also reads pages that were never touched or are swapped out, which are left alone else;
           of a buffer that is read-only, such as bytes, every page is read

    It is sent to the daemon when a question first names it, and kept there for this user alone.
    """

    def __init__(self, data: Any, type: str = "", touch: bool = False) -> None:
        with memoryview(data) as view:
            if not view.c_contiguous:
                raise ValueError("want a contiguous buffer, have one with gaps")
            self.type = type or _type_of(view)
            if self.type and self.type not in SCALAR_BYTES:
                raise ValueError(f"want a scalar type of OpenCL C, have {self.type!r}")
            self.size_bytes = view.nbytes
            with view.cast("B") as data_bytes:
                address = 0 if touch else _address(data_bytes)
                self._message = self._read(lambda offset, size: bytes(data_bytes[offset : offset + size]), address)
        self._name = b""  # that the daemon gave it
        self._digest = b""

    @classmethod
    def read(cls, reader: Callable[[int, int], bytes], size_bytes: int, type: str = "") -> Sample:
        """The same of what is in no memory here: reader gives the bytes at an offset, at most 4 KiB."""
        made = cls.__new__(cls)
        made.type, made.size_bytes = type, size_bytes
        if type and type not in SCALAR_BYTES:
            raise ValueError(f"want a scalar type of OpenCL C, have {type!r}")
        made._message = made._read(reader, 0)
        made._name = made._digest = b""
        return made

    def _read(self, reader: Callable[[int, int], bytes], address: int) -> pb.Sample:
        whole = self.size_bytes - self.size_bytes % SCALAR_BYTES.get(self.type, 1)
        if whole == 0:
            raise ValueError(f"want an element or more, have {self.size_bytes} bytes")
        message = pb.Sample(size_bytes=self.size_bytes, type=self.type)
        if whole <= _BYTES:
            runs = [(at, min(_RUN_BYTES, whole - at)) for at in range(0, whole, _RUN_BYTES)]
        else:
            runs = [(_offset(whole, run), _RUN_BYTES) for run in range(_RUNS)]
        if address != 0:
            runs = [(offset, length) for offset, length in runs if _is_in(address + offset, length)]
        if not runs:
            raise ValueError("want a page that is in memory, have none; touch=True reads them")
        for offset, length in runs:
            before = len(message.offsets_bytes) - 1
            if before >= 0 and message.offsets_bytes[before] + message.lengths_bytes[before] == offset:
                message.lengths_bytes[before] += length
            else:
                message.offsets_bytes.append(offset)
                message.lengths_bytes.append(length)
        message.bytes = b"".join(reader(offset, length) for offset, length in runs)
        return message

    def _known_by(self) -> bytes:
        """Equal for samples that hold the same."""
        if not self._digest:
            self._digest = hashlib.sha256(self._message.SerializeToString(deterministic=True)).digest()
        return self._digest

    def __repr__(self) -> str:
        return f"Sample(of {self.size_bytes} bytes, {self.type or 'untyped'})"
