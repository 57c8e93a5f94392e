# SPDX-License-Identifier: Apache-2.0
"""Answers kept in the caller's process, good while their epochs stand still, as libpredictd keeps them
(client/library/memo.h).

Epochs are 64-bit counters in memory that the daemon shares (daemon/state/epochs.h). An answer names its
counter and the value that it is good for. A calibration raises it, as do observations that move the
answer and a daemon that ends. One that is killed raises nothing: its socket's end is seen instead.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import select
import socket
from operator import index
from typing import Any, Optional, Union

from . import errors
from .values import Launch, Prediction, Program

ANSWERS_MAX = 4096  # about 4 MB; the oldest makes room
_EPOCHS_BYTES_MAX = 4 << 20  # the daemon uses 256 KB
_SEAL_SHRINK = getattr(fcntl, "F_SEAL_SHRINK", 2)

Answer = Union[Prediction, errors.Error]
Key = tuple[Any, ...]


class Epochs:
    """The counters that came over one link. Reading them takes no lock."""

    def __init__(self, descriptor: int, slots: int, link: socket.socket) -> None:
        """ValueError: it is no memory that can be trusted to stay. The descriptor stays the caller's."""
        size = 8 * slots
        # memory that shrinks would end the process that reads it
        seals = fcntl.fcntl(descriptor, fcntl.F_GET_SEALS) if hasattr(fcntl, "F_GET_SEALS") else 0
        if not seals & _SEAL_SHRINK or not 0 < size <= min(os.fstat(descriptor).st_size, _EPOCHS_BYTES_MAX):
            raise ValueError(f"want sealed memory of {slots} epochs, have {os.fstat(descriptor).st_size} bytes")
        self._values = memoryview(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)).cast("Q")
        self._hangups = select.epoll()  # threads may ask one at the same time, other than of a poll object
        self._hangups.register(link, 0)
        self._owner = os.getpid()
        self.slots = slots

    def has(self, slot: int, value: int) -> bool:
        """The counter stands there, and its daemon lives. In a child of a fork nobody would tell."""
        return self._values[slot] == value and self._owner == os.getpid() and not self._hangups.poll(0)


def key_of(
    launch: Launch, device: str, model: str, transfers: bool, static_only: bool, pinned: bool
) -> Optional[Key]:
    """What a question is known by, its program by identity. None: it is wrong, and asking tells how."""
    try:
        whole, local, offset = launch.global_size, launch.local_size, launch.offset
        return (
            id(launch.program),
            launch.kernel,
            whole if type(whole) is int else tuple(map(index, whole)),  # type: ignore[arg-type]
            local if local is None or type(local) is int else tuple(map(index, local)),  # type: ignore[arg-type]
            offset if offset is None or type(offset) is int else tuple(map(index, offset)),  # type: ignore[arg-type]
            tuple([argument._known_by() for argument in launch.arguments]),
            tuple([hint._known_by() for hint in launch.hints]) if launch.hints else (),
            launch.idle_s,
            device,
            model,
            transfers,
            static_only,
            pinned,
        )
    except (AttributeError, TypeError):
        return None


class Memo:
    """Any thread may look something up; what changes it happens in turns of the connection's."""

    def __init__(self) -> None:
        self._epochs: Optional[Epochs] = None
        self._answers: dict[Key, tuple[Epochs, int, int, Answer, Program]] = {}

    def find(self, key: Optional[Key]) -> Optional[Answer]:
        """An answer that stands, or the refusal that would come again."""
        epochs, known = self._epochs, self._answers.get(key) if key is not None else None
        if known is None or known[0] is not epochs or not known[0].has(known[1], known[2]):
            return None
        return known[3]

    def watch(self, epochs: Epochs) -> None:
        """What is kept from now on came over the link of those."""
        self._answers.clear()
        self._epochs = epochs

    def forget(self) -> None:
        """An index means another device from now on."""
        self._answers.clear()

    def expire(self) -> None:
        """Nobody keeps the epochs up to date any more."""
        self._epochs = None
        self._answers.clear()

    def keep(self, key: Key, program: Program, slot: int, value: int, answer: Answer) -> None:
        """An answer that came over the link that is watched; value 0: it is good for this once."""
        if self._epochs is None or value == 0 or slot >= self._epochs.slots:
            return
        if len(self._answers) >= ANSWERS_MAX and key not in self._answers:
            del self._answers[next(iter(self._answers))]
        # the program is kept with it: another one in its place would have its identity
        self._answers[key] = (self._epochs, slot, value, answer, program)
