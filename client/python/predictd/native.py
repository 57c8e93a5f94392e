# SPDX-License-Identifier: Apache-2.0
"""libpredictd by ctypes, for what is computed there: splits and schedules.

Structures are those of the public headers, by their names there; a test compares them with the recorded
interface (client/abi). The library has a connection of its own, which is opened when first needed.
"""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint32
from ctypes import c_uint64, c_void_p
from typing import Any, Optional, Sequence

from . import errors
from . import predictd_pb2 as pb
from .arguments import Buffer
from .samples import Sample
from .values import SOURCELESS, Launch, Program

LIBRARY = "libpredictd.so.0"
KEY_BYTES = 64  # PREDICTD_KEY_BYTES


class predictd_header(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("text", c_char_p), ("size", c_size_t)]


class predictd_source(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
        ("size", c_size_t),
        ("options", c_char_p),
        ("headers", POINTER(predictd_header)),
        ("header_count", c_size_t),
        ("find_header", c_void_p),
    ]


class predictd_options(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("socket_path", c_char_p),
        ("is_lazy", c_bool),
        ("timeout_s", c_double),
        ("memo_bytes", c_size_t),
        ("report_max", c_size_t),
        ("without_samples", c_bool),
    ]


class predictd_argument(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("access", c_uint),
        ("size_bytes", c_uint64),
        ("has_range", c_bool),
        ("low", c_int64),
        ("high", c_int64),
        ("type", c_char_p),
        ("integers", c_int64 * 16),
        ("reals", c_double * 16),
        ("width", c_uint32),
        ("height", c_uint32),
        ("init", c_char_p),
        ("depth", c_uint32),
        ("sample", c_void_p),
    ]


class predictd_hint(ctypes.Structure):
    _fields_ = [("is_branch", c_bool), ("line", c_uint32), ("value", c_double)]


class predictd_question(ctypes.Structure):
    _fields_ = [
        ("program", c_void_p),
        ("kernel", c_char_p),
        ("device", c_char_p),
        ("model", c_int),
        ("with_transfers", c_bool),
        ("explain", c_bool),
        ("explain_ir", c_bool),
        ("static_only", c_bool),
        ("pinned_transfers", c_bool),
        ("dimensions", c_uint32),
        ("global", c_uint64 * 3),
        ("local", c_uint64 * 3),
        ("offset", c_uint64 * 3),
        ("argument_count", c_size_t),
        ("arguments", POINTER(predictd_argument)),
        ("hint_count", c_size_t),
        ("hints", POINTER(predictd_hint)),
        ("idle_s", c_double),
    ]


_READER = ctypes.CFUNCTYPE(c_bool, c_uint64, c_void_p, c_size_t, c_void_p)


def load() -> ctypes.CDLL:
    name = os.environ.get("PREDICTD_LIBRARY", LIBRARY)
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise errors.Unavailable(
            f"splits, schedules and searches are computed by {LIBRARY}, which is not to be had: {error}; install "
            "libpredictd, or name it in PREDICTD_LIBRARY"
        ) from error
    library.predictd_error_text.restype = c_char_p
    for name, arguments in (
        ("predictd_open_with", (POINTER(predictd_options), POINTER(c_void_p))),
        ("predictd_close", (c_void_p,)),
        ("predictd_register", (c_void_p, POINTER(predictd_source), POINTER(c_void_p))),
        ("predictd_program_free", (c_void_p,)),
        ("predictd_sample_read", (_READER, c_void_p, c_uint64, c_char_p, POINTER(c_void_p))),
        ("predictd_sample_free", (c_void_p,)),
    ):
        getattr(library, name).argtypes = arguments
    return library


class Native:
    """The library's connection, and its programs. Calls take turns."""

    def __init__(self, socket_path: str, timeout_s: float, samples: bool) -> None:
        self.library = load()
        self.turn = threading.RLock()
        self._programs: dict[int, tuple[Program, c_void_p]] = {}  # by id; each is kept alive
        self._samples: dict[bytes, c_void_p] = {}
        self.connection = c_void_p()
        options = predictd_options(
            size=ctypes.sizeof(predictd_options),
            socket_path=os.fsencode(socket_path),
            is_lazy=True,
            timeout_s=timeout_s if timeout_s > 0 else -1,
            without_samples=not samples,
        )
        self.check(self.library.predictd_open_with(byref(options), byref(self.connection)))

    def close(self) -> None:
        with self.turn:
            for _, program in self._programs.values():
                self.library.predictd_program_free(program)
            for sample in self._samples.values():
                self.library.predictd_sample_free(sample)
            self._programs, self._samples = {}, {}
            self.library.predictd_close(self.connection)
            self.connection = c_void_p()

    def check(self, status: int) -> None:
        """Raises what a call of the library returned, with its sentence."""
        if status != 0:
            text: bytes = self.library.predictd_error_text()
            raise errors.of_status(status, text.decode("utf-8", "replace"))

    def _program(self, program: Program) -> c_void_p:
        known = self._programs.get(id(program))
        if known is not None:
            return known[1]
        if program._handle == SOURCELESS:
            raise errors.Unsupported("a kernel without source is not split: what its parts do is not known")
        source = program.source
        headers = (predictd_header * len(source.headers))(
            *(predictd_header(os.fsencode(name), text, len(text)) for name, text in source.headers.items())
        )
        made = c_void_p()
        given = predictd_source(
            name=os.fsencode(source.name),
            text=source.text,
            size=len(source.text),
            options=os.fsencode(source.options),
            headers=headers,
            header_count=len(headers),
        )
        self.check(self.library.predictd_register(self.connection, byref(given), byref(made)))
        self._programs[id(program)] = program, made
        return made

    def _sample(self, sample: Sample) -> Optional[c_void_p]:
        known = self._samples.get(sample._known_by())
        if known is not None:
            return known
        message = sample._message
        runs, begin = [], 0
        for offset, length in zip(message.offsets_bytes, message.lengths_bytes):
            runs.append((offset, message.bytes[begin : begin + length]))
            begin += length

        def read(offset: int, to: int, size: int, context: Any) -> bool:
            for first, held in runs:
                if first <= offset and offset + size <= first + len(held):
                    ctypes.memmove(to, held[offset - first : offset - first + size], size)
                    return True
            return False

        made = c_void_p()
        self.check(
            self.library.predictd_sample_read(
                _READER(read), None, message.size_bytes, message.type.encode() or None, byref(made)
            )
        )
        self._samples[sample._known_by()] = made
        return made

    def _argument(self, message: pb.Argument, sample: Optional[Sample]) -> predictd_argument:
        argument = predictd_argument(
            kind=message.kind,
            access=message.access,
            size_bytes=message.size_bytes,
            has_range=message.has_range,
            low=message.low,
            high=message.high,
            type=message.type.encode() or None,
            width=message.width,
            height=message.height,
            depth=message.depth,
            sample=None if sample is None else self._sample(sample),
        )
        argument.integers[: len(message.integers)] = list(message.integers)
        argument.reals[: len(message.reals)] = list(message.reals)
        return argument

    def question(self, launch: Launch, transfers: bool = False, pinned: bool = False) -> predictd_question:
        """A question about a launch; it holds on to what it points to."""
        message = launch._message()
        samples = [one.sample if isinstance(one, Buffer) else None for one in launch.arguments]
        arguments = (predictd_argument * len(samples))(*map(self._argument, message.arguments, samples))
        hints = (predictd_hint * len(message.hints))(
            *(predictd_hint(one.is_branch, one.line, one.value) for one in message.hints)
        )

        def three(values: Sequence[int]) -> Any:
            return (c_uint64 * 3)(*values)

        question = predictd_question(
            program=self._program(launch.program),
            kernel=launch.kernel.encode() or None,
            with_transfers=transfers or pinned,
            pinned_transfers=pinned,
            dimensions=len(message.global_items),
            local=three(message.local_items),
            offset=three(message.offset_items),
            argument_count=len(arguments),
            arguments=arguments,
            hint_count=len(hints),
            hints=hints,
            idle_s=launch.idle_s,
        )
        setattr(question, "global", three(message.global_items))
        return question


def slowdown_matrix(rows: Optional[Sequence[Sequence[float]]], count: int) -> Optional[ctypes.Array[c_double]]:
    """Factors as the library wants them; None: not known."""
    if rows is None:
        return None
    if len(rows) != count or any(len(row) != count for row in rows):
        raise errors.Invalid(f"slowdowns: want {count} rows of {count} factors")
    return (c_double * count**2)(*(factor for row in rows for factor in row))
