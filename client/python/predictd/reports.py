# SPDX-License-Identifier: Apache-2.0
"""Measured times that are sent behind the caller's back, as libpredictd does (client/library/background.h).

One thread a connection, which lives while there is something to send. Each report is counted: what was
given is reported, refused, dropped or waiting.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

from . import errors
from .values import Observation

WAITING_MAX = 4096
_BATCH = 256  # sent when so many wait,
_WAIT_S = 0.02  # or the first has waited so long
_RETRY_S = 0.1  # after a failure of the daemon
_IDLE_S = 1.0  # without a report, until the thread ends
_CLOSE_S = 1.0  # for what is left at the end


@dataclass(frozen=True)
class ReportCounts:
    """What became of reports: taken by the daemon; wrong, or for a device that is not calibrated; the
    queue was full, or the daemon gave no answer; not answered yet."""

    reported: int
    refused: int
    dropped: int
    waiting: int


@dataclass
class _Report:
    number: int
    queued_at_s: float
    observation: Observation


# Connects, or raises `Unavailable` before anything was sent.
Reach = Callable[[], None]
# Sends and waits: for each None, or why it was not kept.
Send = Callable[[Sequence[Observation]], list[Optional[errors.Error]]]


class Reports:
    """The queue of a connection, safe for threads. A child of a fork begins with an empty one."""

    def __init__(self, reach: Reach, send: Send) -> None:
        self._reach, self._send = reach, send
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        self._changed = threading.Condition()
        self._thread: Optional[threading.Thread] = None
        self._queue: deque[_Report] = deque()
        self._sending: list[_Report] = []
        self._number = 0  # of the last one taken
        self._hurry = 0  # up to which number they do not wait for others
        self._is_ending = False
        self._reported = self._refused = self._dropped = 0

    def _after_fork(self) -> None:
        # the parent's lock may be held for ever here, and its reports are the parent's
        if self._owner != os.getpid():
            self._begin()

    # ---- callers -------------------------------------------------------------------------------

    def put(self, observation: Observation) -> None:
        self._after_fork()
        with self._changed:
            if len(self._queue) + len(self._sending) >= WAITING_MAX:
                self._dropped += 1
                raise errors.Busy(f"{WAITING_MAX} reports wait for predictd: this one is dropped")
            self._number += 1
            self._queue.append(_Report(self._number, time.monotonic(), observation))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="predictd reports", daemon=True)
                self._thread.start()
                atexit.register(self.end)
            # the thread has to hear of the first, for its time, and of a full batch
            if len(self._queue) in (1, _BATCH):
                self._changed.notify_all()

    def refuse(self) -> None:
        """One that is wrong by itself."""
        self._after_fork()
        with self._changed:
            self._refused += 1

    def counts(self) -> ReportCounts:
        self._after_fork()
        with self._changed:
            waiting = len(self._queue) + len(self._sending)
            return ReportCounts(self._reported, self._refused, self._dropped, waiting)

    def _waits(self, number: int) -> bool:
        """One up to that number is queued, or on its way."""
        waiting = [batch[0].number for batch in (self._sending, self._queue) if batch]
        return min(waiting, default=number + 1) <= number

    def flush(self, timeout_s: float) -> bool:
        """False: some that were reported before still wait. timeout_s 0 or less: for ever."""
        self._after_fork()
        with self._changed:
            number = self._hurry = self._number
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not self._waits(number), timeout_s if timeout_s > 0 else None)

    def end(self) -> bool:
        """Sends what is left, for a second, and drops the rest. False: the thread is still waiting for the daemon."""
        self._after_fork()
        with self._changed:
            if self._thread is None:
                return True
        self.flush(_CLOSE_S)
        with self._changed:
            self._dropped += len(self._queue)
            self._queue.clear()
            self._is_ending = True
            self._changed.notify_all()
            return not self._sending

    # ---- the thread ----------------------------------------------------------------------------

    def _take(self) -> bool:
        """Waits for a batch; False: there is nothing more to do. With the lock held."""
        while True:
            if not self._queue:
                if self._is_ending or not self._changed.wait_for(lambda: self._queue or self._is_ending, _IDLE_S):
                    return False
                continue
            first = self._queue[0]
            left_s = first.queued_at_s + _WAIT_S - time.monotonic()
            if left_s <= 0 or len(self._queue) >= _BATCH or first.number <= self._hurry or self._is_ending:
                break
            self._changed.wait(left_s)
        self._sending = [self._queue.popleft() for _ in range(min(_BATCH, len(self._queue)))]
        return True

    def _run(self) -> None:
        with self._changed:
            while self._take():
                batch = self._sending
                self._changed.release()
                try:
                    later = self._exchange(batch)
                finally:
                    self._changed.acquire()
                self._sending = []
                self._queue.extendleft(reversed(later))
                self._changed.notify_all()
                if later:
                    self._changed.wait_for(lambda: self._is_ending, _RETRY_S)
            self._thread = None
            self._is_ending = False
            atexit.unregister(self.end)

    def _exchange(self, batch: list[_Report]) -> list[_Report]:
        """Sends a batch; those that are to be sent again."""
        try:
            self._reach()
        except (errors.Unavailable, errors.Timeout, errors.Busy, errors.Limit):
            return batch
        except errors.Error:
            pass  # it is said again below
        try:
            results = self._send([one.observation for one in batch])
        except (errors.Unavailable, errors.Timeout, errors.Corrupt):
            # it may have counted them: sent again they would count twice
            self._count(dropped=len(batch))
            return []
        except errors.Busy:
            return batch
        except Exception:
            # as a whole, where a program cannot be registered: what waited with it goes out by program
            programs = {id(one.observation.launch.program) for one in batch}
            if len(programs) == 1:
                self._count(refused=len(batch))
                return []
            later = []
            for program in programs:
                later += self._exchange([one for one in batch if id(one.observation.launch.program) == program])
            return sorted(later, key=lambda one: one.number)
        later = [one for one, result in zip(batch, results) if isinstance(result, errors.Busy)]
        taken = sum(result is None or isinstance(result, errors.InputOutput) for result in results)
        self._count(reported=taken, refused=len(batch) - taken - len(later))
        return later

    def _count(self, reported: int = 0, refused: int = 0, dropped: int = 0) -> None:
        with self._changed:
            self._reported += reported
            self._refused += refused
            self._dropped += dropped
