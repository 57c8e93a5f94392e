# SPDX-License-Identifier: Apache-2.0
"""Schedules: many tasks over devices, before any has run (predictd_schedule.h)."""

from __future__ import annotations

import ctypes
import math
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Optional, Sequence, Union

from . import errors
from .native import KEY_BYTES, Native, predictd_question, slowdown_matrix
from .values import Launch

METHODS = ("heft", "min-min", "fastest")
HOST = 64  # in place of a device's number
_NOWHERE = (1 << 64) - 1


class predictd_schedule_device(ctypes.Structure):
    _fields_ = [
        ("key", c_char * KEY_BYTES),
        ("busy_until_s", c_double),
        ("memory_bytes", c_uint64),
        ("upload_latency_s", c_double),
        ("upload_bytes_per_s", c_double),
        ("download_latency_s", c_double),
        ("download_bytes_per_s", c_double),
        ("reserved", c_uint64 * 4),
    ]


class predictd_schedule_options(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("method", c_int),
        ("device_count", c_size_t),
        ("devices", POINTER(predictd_schedule_device)),
        ("slowdowns", POINTER(c_double)),
    ]


class predictd_schedule_buffer(ctypes.Structure):
    _fields_ = [("size_bytes", c_uint64), ("is_on_host", c_bool), ("on_device", c_uint64)]


class predictd_schedule_task(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("question", POINTER(predictd_question)),
        ("times_s", POINTER(c_double)),
        ("priority", c_int),
        ("need_count", c_size_t),
        ("needs", POINTER(c_size_t)),
        ("read_count", c_size_t),
        ("reads", POINTER(c_size_t)),
        ("write_count", c_size_t),
        ("writes", POINTER(c_size_t)),
    ]


class predictd_planned(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("device", c_size_t),
        ("start_s", c_double),
        ("end_s", c_double),
        ("by", c_int),
        ("is_critical", c_bool),
        ("ends_s", POINTER(c_double)),
        ("statuses", POINTER(c_int)),
        ("reserved", c_uint64 * 2),
    ]


class predictd_planned_copy(ctypes.Structure):
    _fields_ = [
        ("task", c_size_t),
        ("buffer", c_size_t),
        ("from", c_size_t),
        ("to", c_size_t),
        ("start_s", c_double),
        ("end_s", c_double),
    ]


class predictd_plan(ctypes.Structure):
    _fields_ = [
        ("makespan_s", c_double),
        ("task_count", c_size_t),
        ("tasks", POINTER(predictd_planned)),
        ("copy_count", c_size_t),
        ("copies", POINTER(predictd_planned_copy)),
        ("critical_count", c_size_t),
        ("critical", POINTER(c_size_t)),
        ("is_contention_known", c_bool),
    ]


@dataclass(frozen=True)
class ScheduleDevice:
    """A device to plan for. A copy of n bytes takes latency + n / rate; rate 0: only the latency."""

    key: str
    busy_until_s: float = 0
    memory_bytes: int = 0  # of the tasks' buffers at most; 0: without limit
    upload_latency_s: float = 0
    upload_bytes_per_s: float = 0
    download_latency_s: float = 0
    download_bytes_per_s: float = 0


@dataclass(frozen=True)
class Task:
    """A launch, or times that are known: one a device, infinity where it cannot run.

    `needs`: numbers of tasks that end before it begins, as `Schedule.add` gave them, or will give them;
    `reads` and `writes`: numbers of buffers. Of tasks that are ready, those of a higher `priority` are
    placed first.
    """

    launch: Optional[Launch] = None
    times_s: Optional[Sequence[float]] = None
    name: str = ""
    needs: Sequence[int] = ()
    reads: Sequence[int] = ()
    writes: Sequence[int] = ()
    priority: int = 0


@dataclass(frozen=True)
class Planned:
    """Where and when a task runs. `error`: it has no place, and nothing else counts."""

    device: Optional[int]
    start_s: float
    end_s: float
    by: str  # "finish", "ability", "memory", "data", "time"
    is_critical: bool
    ends_s: tuple[float, ...]  # when it would have ended, one a device; infinity: it cannot run there
    error: Optional[type[errors.Error]] = None


@dataclass(frozen=True)
class PlannedCopy:
    """A copy of a buffer for a task. None, for a device: the host."""

    task: int
    buffer: int
    source: Optional[int]
    target: Optional[int]
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Plan:
    makespan_s: float  # when the last task ends, on the caller's clock
    tasks: tuple[Planned, ...]
    copies: tuple[PlannedCopy, ...]
    critical: tuple[int, ...]  # tasks, each of which waited for the one before
    is_contention_known: bool


def _numbers(values: Sequence[int]) -> Any:
    return (c_size_t * len(values))(*values)


def _place(number: int) -> Optional[int]:
    return None if number == HOST else number


class Schedule:
    """A plan of what runs where and when, which grows by `add`. Made by `Connection.schedule`.

    Times are seconds of one clock of the caller's. Close it, or use it in a `with` block.
    """

    def __init__(
        self,
        native: Native,
        devices: Sequence[Union[str, ScheduleDevice]],
        method: str,
        slowdowns: Optional[Sequence[Sequence[float]]],
    ) -> None:
        if method not in METHODS:
            raise errors.Invalid(f"want a method of {', '.join(METHODS)}, have {method!r}")
        self._native = native
        self._schedule = c_void_p()
        self._count = self._buffers = 0
        library = native.library
        for name, arguments in (
            ("predictd_schedule_new", (POINTER(predictd_schedule_options), POINTER(c_void_p))),
            ("predictd_schedule_free", (c_void_p,)),
            ("predictd_schedule_add_buffers", (c_void_p, POINTER(predictd_schedule_buffer), c_size_t)),
            (
                "predictd_schedule_add",
                (c_void_p, c_void_p, POINTER(predictd_schedule_task), c_size_t, c_double),
            ),
            ("predictd_schedule_get", (c_void_p, POINTER(predictd_plan))),
        ):
            getattr(library, name).argtypes = arguments
        library.predictd_placed_by_name.restype = c_char_p
        given = self._given(devices)
        count = len(given)
        options = predictd_schedule_options(
            size=ctypes.sizeof(predictd_schedule_options),
            method=METHODS.index(method),
            device_count=count,
            devices=given,
            slowdowns=slowdown_matrix(slowdowns, count),
        )
        with native.turn:
            native.check(library.predictd_schedule_new(byref(options), byref(self._schedule)))
        self.devices = tuple(
            ScheduleDevice(one.key.decode(), *(getattr(one, name) for name, _ in one._fields_[1:-1])) for one in given
        )

    def _given(self, devices: Sequence[Union[str, ScheduleDevice]]) -> Any:
        """Devices as the library has them; what copies take is asked for those that are names."""
        names = [one for one in devices if isinstance(one, str)]
        asked = (predictd_schedule_device * HOST)()
        found = c_size_t()
        if names or not devices:
            with self._native.turn:
                self._native.check(
                    self._native.library.predictd_schedule_devices(
                        self._native.connection,
                        (c_char_p * len(names))(*(name.encode() for name in names)),
                        c_size_t(len(names)),
                        asked,
                        byref(found),
                    )
                )
        if not devices:
            return (predictd_schedule_device * found.value)(*asked[: found.value])
        told = iter(asked)
        given = (predictd_schedule_device * len(devices))()
        for place, one in enumerate(devices):
            if isinstance(one, str):
                given[place] = next(told)
                continue
            given[place].key = one.key.encode()
            for name, _ in predictd_schedule_device._fields_[1:-1]:
                setattr(given[place], name, getattr(one, name))
        return given

    def __enter__(self) -> Schedule:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        self._native.library.predictd_schedule_free(self._schedule)
        self._schedule = c_void_p()

    def __del__(self) -> None:
        if getattr(self, "_schedule", None):
            self.close()

    def buffer(self, size_bytes: int, is_on_host: bool = True, on_devices: Sequence[int] = ()) -> int:
        """Adds a buffer; returns its number. It says where what it holds at the beginning lies."""
        if not 0 <= size_bytes < 1 << 64:
            raise errors.Invalid(f"a buffer: want a size below 2^64, have {size_bytes}")
        if any(not 0 <= device < len(self.devices) for device in on_devices):
            raise errors.Invalid(f"want devices below {len(self.devices)}, have {list(on_devices)}")
        one = predictd_schedule_buffer(size_bytes, is_on_host, sum(1 << device for device in set(on_devices)))
        with self._native.turn:
            self._native.check(self._native.library.predictd_schedule_add_buffers(self._schedule, byref(one), 1))
        self._buffers += 1
        return self._buffers - 1

    def add(self, tasks: Sequence[Task], now_s: float = 0) -> list[int]:
        """Places tasks, all of them together; returns their numbers. Nothing of them begins before `now_s`.

        What was placed before stays as it is. Raises, and nothing changed, for a cycle, a number that
        there is not, a task that no device can run. One that fits into no device's memory has an error
        in the plan.
        """
        count, devices = len(tasks), len(self.devices)
        given = (predictd_schedule_task * count)()
        for place, task in zip(given, tasks):
            if (task.launch is None) == (task.times_s is None):
                raise errors.Invalid(f"task {task.name!r}: want a launch or times, and not both")
            for what, numbers, end in (
                ("need", task.needs, self._count + count),
                ("buffer", (*task.reads, *task.writes), self._buffers),
            ):
                wrong = [number for number in numbers if not 0 <= number < end]
                if wrong:
                    raise errors.Invalid(f"task {task.name!r}: {what} {wrong[0]} of {end}")
            if not -(1 << 31) <= task.priority < 1 << 31:
                raise errors.Invalid(f"task {task.name!r}: want a priority of 32 bits, have {task.priority}")
            place.name = task.name.encode() or None
            place.priority = task.priority
            place.need_count, place.needs = len(task.needs), _numbers(task.needs)
            place.read_count, place.reads = len(task.reads), _numbers(task.reads)
            place.write_count, place.writes = len(task.writes), _numbers(task.writes)
            if task.times_s is not None:
                if len(task.times_s) != devices:
                    raise errors.Invalid(f"task {task.name!r}: want {devices} times, have {len(task.times_s)}")
                place.times_s = (c_double * devices)(*task.times_s)
        native, status = self._native, 0
        with native.turn:
            for place, task in zip(given, tasks):
                if task.launch is not None:
                    place.question = ctypes.pointer(native.question(task.launch))
            plan = predictd_plan()
            status = native.library.predictd_schedule_add(self._schedule, native.connection, given, count, now_s)
            native.library.predictd_schedule_get(self._schedule, byref(plan))
            was, self._count = self._count, plan.task_count
            if self._count == was:  # nothing was placed
                native.check(status)
        return list(range(was, self._count))

    @property
    def plan(self) -> Plan:
        """What is planned so far."""
        plan = predictd_plan()
        library = self._native.library
        library.predictd_schedule_get(self._schedule, byref(plan))
        devices = len(self.devices)

        def planned(one: predictd_planned) -> Planned:
            by: bytes = library.predictd_placed_by_name(one.by)
            return Planned(
                device=None if one.device == _NOWHERE else one.device,
                start_s=one.start_s if one.status == 0 else math.inf,
                end_s=one.end_s if one.status == 0 else math.inf,
                by=by.decode(),
                is_critical=one.is_critical,
                ends_s=tuple(one.ends_s[:devices]),
                error=None if one.status == 0 else type(errors.of_status(one.status, "")),
            )

        return Plan(
            makespan_s=plan.makespan_s,
            tasks=tuple(planned(one) for one in plan.tasks[: plan.task_count]),
            copies=tuple(
                PlannedCopy(
                    one.task, one.buffer, _place(getattr(one, "from")), _place(one.to), one.start_s, one.end_s
                )
                for one in plan.copies[: plan.copy_count]
            ),
            critical=tuple(plan.critical[: plan.critical_count]),
            is_contention_known=plan.is_contention_known,
        )
