# SPDX-License-Identifier: Apache-2.0
"""A block of a program whose launches are predicted beside what they took.

While the block runs, launches are noted; when it ends they are waited for, asked about and, if the caller
wants it, reported. So answers are those from before the block taught anything.
"""

from __future__ import annotations

import math
import statistics
from array import array
from types import TracebackType
from typing import TYPE_CHECKING, Any, Optional

import pyopencl as cl

from . import errors, live, taps
from .values import FIRST_RUN, OVERLAPPED, Observation, Prediction

if TYPE_CHECKING:
    from .pyopencl import Asked, Bridge

ROWS_MAX = 4096  # distinct launches
_PENDING_MAX = 1024  # events, until those that are over are read


class Row:
    """The launches of a kernel with the same sizes and arguments, on one device.

    kernel, global_size, local_size   local_size None: the runtime chose
    device            its name
    launches          how many
    untimed           of them without a time: the queue does not profile, or the launch failed
    prediction        what was answered, or None: `why` says why
    observed_time_s   the median, START to END, without first and overlapped launches where there are others;
                      None: none was timed
    total_time_s      of all launches that were timed
    """

    def __init__(self, kernel: Any, device: Any, shape: live.Shape, seen: dict[int, live.Seen]) -> None:
        self.kernel: str = kernel.function_name
        self.global_size, self.local_size = shape[0], shape[1] or None
        self.device: str = device.name
        self.launches = self.untimed = 0
        self.prediction: Optional[Prediction] = None
        self.why = ""
        self._live, self._device, self._shape, self._seen = kernel, device, shape, seen
        self._begins, self._ends = array("Q"), array("Q")
        self._flags = bytearray()

    @property
    def times_s(self) -> list[float]:
        """Of each launch that was timed."""
        return [1e-9 * (end - begin) for begin, end in zip(self._begins, self._ends)]

    @property
    def flags(self) -> list[int]:
        """Of each launch that was timed: FIRST_RUN, OVERLAPPED."""
        return list(self._flags)

    @property
    def observed_time_s(self) -> Optional[float]:
        times = self.times_s
        clean = [time_s for time_s, flags in zip(times, self._flags) if not flags]
        return statistics.median(clean or times) if times else None

    @property
    def total_time_s(self) -> float:
        return sum(self.times_s)

    @property
    def ratio(self) -> Optional[float]:
        """Predicted / observed."""
        observed_s = self.observed_time_s
        return None if self.prediction is None or not observed_s else self.prediction.kernel_time_s / observed_s

    def _launched(self, seen: tuple[live.Seen, ...]) -> live.Launched:
        return live.Launched(self._live, self._device, self._shape, seen, {})

    def _take(self, event: Any) -> None:
        """Times of an event that is over."""
        try:
            begin, end = event.profile.start, event.profile.end
        except cl.Error:
            self.untimed += 1
            return
        self._begins.append(begin)
        self._ends.append(max(begin, end))
        self._flags.append(0)

    def __repr__(self) -> str:
        return f"Row({self.kernel}, {self.global_size}, {self.launches} launches)"


def _time(time_s: Optional[float]) -> str:
    if time_s is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if time_s * scale >= 1:
            break
    return f"{time_s * scale:.3g} {unit}"


def _mean(weighted: list[tuple[float, int]]) -> Optional[float]:
    weight = sum(launches for _, launches in weighted)
    return sum(value * launches for value, launches in weighted) / weight if weight else None


def _size(sizes: Optional[tuple[int, ...]]) -> str:
    return "-" if sizes is None else "x".join(str(size) for size in sizes)


def is_reported(number: int) -> bool:
    """Of launches of one kernel with its sizes: 1 to 16, then 24, 32, 48, 64, ..., as the layer does."""
    third = number // 3 if number % 3 == 0 else number
    return number <= 16 or number & (number - 1) == 0 or third & (third - 1) == 0


class Block:
    """What was launched in a `with` block; see `Bridge.watch`. `rows` are there when it has ended."""

    def __init__(self, bridge: Bridge, queues: tuple[Any, ...], observe: bool) -> None:
        for queue in queues:
            if not isinstance(queue, cl.CommandQueue):
                raise TypeError(f"want a pyopencl.CommandQueue, have {type(queue).__name__}")
        self._bridge, self._observes = bridge, observe
        self._queues = queues
        self._handles = {queue.int_ptr for queue in queues}
        self._rows: dict[tuple[Any, ...], Row] = {}
        self._pending: list[tuple[Row, Any]] = []
        self.lost = 0  # launches beyond 4096 distinct ones

    @property
    def rows(self) -> list[Row]:
        """The longest first."""
        return sorted(self._rows.values(), key=lambda row: -row.total_time_s)

    def __enter__(self) -> Block:
        taps.add(self._note)
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        taps.remove(self._note)
        # where the block failed a launch may never end
        self._collect(waits=kind is None)
        for row, _ in self._pending:
            row.untimed += 1
        self._pending.clear()
        self._flag_overlaps()
        self._flag_first()
        asked = self._ask()
        if self._observes:
            self._report(asked)

    def _note(self, kernel: Any, queue: Any, shape: live.Shape, seen: dict[int, live.Seen], event: Any) -> None:
        if self._handles and queue.int_ptr not in self._handles:
            return
        device = queue.device
        program = kernel.get_info(cl.kernel_info.PROGRAM).int_ptr
        key = (program, kernel.function_name, device.int_ptr, shape, tuple(sorted(seen.items())))
        row = self._rows.get(key)
        if row is None:
            if len(self._rows) >= ROWS_MAX:
                self.lost += 1
                return
            row = self._rows[key] = Row(kernel, device, shape, seen)
        row.launches += 1
        self._pending.append((row, event))
        if len(self._pending) >= _PENDING_MAX:
            self._collect(waits=False)

    def _collect(self, waits: bool) -> None:
        left = []
        for row, event in self._pending:
            try:
                if waits:
                    event.wait()
                if event.command_execution_status > 0:
                    left.append((row, event))
                    continue
            except cl.Error:
                row.untimed += 1
                continue
            row._take(event)
        self._pending = left

    def _flag_overlaps(self) -> None:
        """Launches of one device that ran at the same time."""
        spans: dict[int, list[tuple[int, int, Row, int]]] = {}
        for row in self._rows.values():
            of_device = spans.setdefault(row._device.int_ptr, [])
            of_device += [(begin, row._ends[at], row, at) for at, begin in enumerate(row._begins)]
        for of_device in spans.values():
            of_device.sort(key=lambda span: span[:2])
            last: Optional[tuple[int, int, Row, int]] = None  # the one that ends the latest
            for span in of_device:
                if last is not None and span[0] < last[1]:
                    span[2]._flags[span[3]] |= OVERLAPPED
                    last[2]._flags[last[3]] |= OVERLAPPED
                if last is None or span[1] > last[1]:
                    last = span

    def _flag_first(self) -> None:
        for row in self._rows.values():
            if self._bridge.run_flags(row._launched(())) and row._begins:
                row._flags[min(range(len(row._begins)), key=row._begins.__getitem__)] |= FIRST_RUN

    def _ask(self) -> list[tuple[Row, Asked]]:
        """Predictions of all rows, together; those that can be reported."""
        asked: list[tuple[Row, Asked]] = []
        for row in self._rows.values():
            try:
                missing = next((at for at in range(row._live.num_args) if at not in row._seen), None)
                if missing is not None:
                    raise errors.Invalid(f"argument {missing} was not seen to be set")
                seen = tuple(row._seen[at] for at in range(row._live.num_args))
                asked.append((row, self._bridge.ask_about(row._launched(seen))))
            except (errors.Error, cl.Error, TypeError, ValueError) as error:
                row.why = str(error)
        for key in {one.device for _, one in asked}:
            rows = [(row, one) for row, one in asked if one.device == key]
            try:
                answers = self._bridge.daemon.predict_many([one.launch for _, one in rows], key)
            except errors.Error as error:
                answers = [error] * len(rows)
            for (row, _), answer in zip(rows, answers):
                if isinstance(answer, errors.Error):
                    row.why = str(answer)
                else:
                    row.prediction = answer
        return asked

    def _report(self, asked: list[tuple[Row, Asked]]) -> None:
        for row, one in asked:
            times = zip(row.times_s, row._flags)
            for number, (time_s, flags) in enumerate(times, 1):
                if time_s <= 0 or not is_reported(number):
                    continue
                try:
                    self._bridge.daemon.report(Observation(one.launch, time_s, one.device, flags))
                except errors.Error:
                    return  # counted by the connection

    def _lines(self) -> list[list[str]]:
        """A line for each kernel and its sizes; of several values of its arguments, means of a launch."""
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault((row.kernel, row.device, row.global_size, row.local_size), []).append(row)
        lines = []
        for (kernel, _, whole, local), rows in groups.items():
            predicted_s = _mean([(row.prediction.kernel_time_s, row.launches) for row in rows if row.prediction])
            observed_s = _mean([(row.observed_time_s, row.launches) for row in rows if row.observed_time_s])
            # of those that have both
            compared = [(row.ratio, row.launches) for row in rows if row.ratio]
            ratio = _mean([(math.log(one), launches) for one, launches in compared])
            lines.append(
                [
                    kernel,
                    _size(whole),
                    _size(local),
                    str(sum(row.launches for row in rows)),
                    _time(predicted_s),
                    _time(observed_s),
                    "-" if ratio is None else f"{math.exp(ratio):.2f}",
                    _time(sum(row.total_time_s for row in rows) if observed_s is not None else None),
                    next((row.prediction.bottleneck for row in rows if row.prediction), "-"),
                ]
            )
        return lines

    def __str__(self) -> str:
        if not self._rows:
            return "nothing was launched"
        lines = [
            ["kernel", "global", "local", "launches", "predicted", "observed", "ratio", "total", "bottleneck"],
            *self._lines(),
        ]
        widths = [max(map(len, column)) for column in zip(*lines)]
        texts = []
        for first, *numbers, last in lines:
            words = [word.rjust(width) for word, width in zip(numbers, widths[1:-1])]
            texts.append("  ".join([first.ljust(widths[0]), *words, last]))
        texts += sorted({f"{row.kernel} has no prediction: {row.why}" for row in self.rows if row.why})
        untimed = sum(row.untimed for row in self.rows)
        if untimed:
            texts.append(f"{untimed} launches have no time: make the queue with PROFILING_ENABLE")
        if self.lost:
            texts.append(f"{self.lost} launches were not followed")
        return "\n".join(texts)
