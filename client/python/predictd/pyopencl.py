# SPDX-License-Identifier: Apache-2.0
"""Questions to predictd from live pyopencl objects.

    import predictd.pyopencl as bridge

    answer = bridge.predict(kernel, queue, (n,), (256,), a, b, numpy.float32(2))
    event = bridge.enqueue(kernel, queue, (n,), (256,), a, b, numpy.float32(2))
    bridge.observe(event)  # waits for nothing: what it took is reported once it is over

    with bridge.watch(queue) as block:
        kernel(queue, (n,), (256,), a, b, numpy.float32(2))
    print(block)

The functions of this module ask the daemon that `predictd.Connection()` finds; a `Bridge` asks another.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy
import pyopencl as cl

from . import errors, live
from . import source as sources
from .arguments import Sizes
from .client import Connection
from .samples import Sample
from .values import FIRST_RUN, OVERLAPPED, Kernel, Launch, Observation, Prediction, Program
from .watching import Block

_PROGRAMS_MAX = 256  # that are kept alive, so that no other one gets their handle
_LAUNCHES_MAX = 1024  # of a program
_RECENT = 64  # of a device, that a later one may overlap
_POLL_S, _POLL_MOST_S = 0.001, 0.05
_END_S = 1.0
_RUNNING_MAX = 4096

Question = tuple[Any, ...]


@dataclass(frozen=True)
class Asked:
    """The same as a question: what, and where."""

    launch: Launch
    device: str


class _Known:
    """A program of pyopencl's on a device, and what is known of it."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.program: Optional[Program] = None
        self.kernels: dict[str, Kernel] = {}
        self.sourceless: dict[str, Program] = {}  # where it has no source, by kernel
        self.asked: dict[Question, Asked] = {}
        self.ran: set[Question] = set()


@dataclass
class _Running:
    """A launch whose end is waited for, behind the caller's back."""

    event: Any  # None once it is over
    launched: live.Launched
    flags: int
    begin: int = 0  # ns of the device's clock
    end: int = 0


class Bridge:
    """Questions about live objects, to one daemon. Threads may share it.

    daemon  a connection, which stays the caller's; None: the one that `predictd.Connection()` finds
    """

    def __init__(self, daemon: Optional[Connection] = None) -> None:
        self.daemon = Connection() if daemon is None else daemon
        self._lock = threading.RLock()
        self._keys: dict[int, str] = {}
        self._programs: OrderedDict[tuple[int, int], _Known] = OrderedDict()
        self._of_kernel: weakref.WeakKeyDictionary[Any, dict[int, _Known]] = weakref.WeakKeyDictionary()
        self._of_event: weakref.WeakKeyDictionary[Any, tuple[live.Launched, int]] = weakref.WeakKeyDictionary()
        self._running: list[_Running] = []
        self._recent: dict[str, deque[tuple[int, int]]] = {}
        self._thread: Optional[threading.Thread] = None
        self._ended = threading.Condition(self._lock)
        self.problem = ""  # why the last launch that could not be reported was not, a sentence

    # ---- questions -----------------------------------------------------------------------------

    def device_key(self, device: Any) -> str:
        """The key of a `pyopencl.Device`. `NotFound`: the daemon knows none like it, as of a sub-device."""
        key = self._keys.get(device.int_ptr)
        if key is None:
            key = live.key_of(device, self.daemon.devices())
            self._keys[device.int_ptr] = key
        return key

    def _known(self, kernel: Any, device: Any) -> _Known:
        """What is known of a kernel's program. Nobody is asked."""
        where = device.int_ptr
        with self._lock:
            known = self._of_kernel.get(kernel, {}).get(where)
            if known is not None:
                return known
            handle = kernel.get_info(cl.kernel_info.PROGRAM)
            known = self._programs.setdefault((handle.int_ptr, where), _Known(handle))
            self._programs.move_to_end((handle.int_ptr, where))
            if len(self._programs) > _PROGRAMS_MAX:
                self._programs.popitem(last=False)
            self._of_kernel.setdefault(kernel, {})[where] = known
            return known

    def _registered(self, known: _Known, kernel: Any, device: Any, name: str) -> Program:
        """The kernel's program, which the daemon gets to see when it is first asked about."""
        program = known.program or known.sourceless.get(name)
        if program is None:
            text = live.source_of(kernel)
            if text is None:
                program = self.daemon.register_without_source(live.sourceless_name(kernel))
                known.sourceless[name] = program
            else:
                program = self.daemon.register(sources.load("kernel.cl", live.options_of(kernel, device), text))
                known.kernels = {one.name: one for one in program.kernels}
                known.program = program
        return program

    def ask_about(self, launched: live.Launched) -> Asked:
        """The question about a launch."""
        known = self._known(launched.kernel, launched.device)
        name = launched.kernel.function_name
        question = name, launched.shape, launched.seen, launched.idle_s
        asked = None if launched.samples else known.asked.get(question)
        if asked is None:
            program = self._registered(known, launched.kernel, launched.device, name)
            asked = Asked(self._launch(known, program, name, launched), self.device_key(launched.device))
            if not launched.samples:
                if len(known.asked) >= _LAUNCHES_MAX:
                    known.asked.clear()
                known.asked[question] = asked
        return asked

    def _launch(self, known: _Known, program: Program, name: str, launched: live.Launched) -> Launch:
        seen, samples = launched.seen, launched.samples
        for place in samples:
            if not 0 <= place < len(seen):
                raise errors.Invalid(f"a sample of argument {place}: {name} was given {len(seen)} arguments")
        is_sourceless = known.program is None
        if is_sourceless:
            arguments = [live.undeclared(one, samples.get(place)) for place, one in enumerate(seen)]
        else:
            kernel = known.kernels.get(name)
            if kernel is None:
                raise errors.NotFound(f"no kernel {name} was found in its source")
            count = len(kernel.argument_names)
            if count != len(seen):
                raise errors.Invalid(f"{name} takes {count} arguments, was given {len(seen)}")
            arguments = [live.declared(kernel, place, one, samples.get(place)) for place, one in enumerate(seen)]
        whole, local, offset = launched.shape
        return Launch(
            program,
            whole,
            local or None,
            tuple(arguments),
            "" if is_sourceless else name,
            offset or None,
            idle_s=launched.idle_s,
        )

    def run_flags(self, launched: live.Launched) -> int:
        """FIRST_RUN of the first launch of a kernel with its sizes; 0 of those after it."""
        known = self._known(launched.kernel, launched.device)
        one = launched.kernel.function_name, launched.shape[0], launched.shape[1]
        with self._lock:
            if one in known.ran:
                return 0
            if len(known.ran) >= _LAUNCHES_MAX:
                known.ran.clear()
            known.ran.add(one)
            return FIRST_RUN

    @staticmethod
    def _launched(
        kernel: Any,
        queue: Any,
        global_size: Sizes,
        local_size: Optional[Sizes],
        args: Sequence[Any],
        samples: Optional[Mapping[int, Any]],
        global_offset: Optional[Sizes],
        g_times_l: bool,
        idle_s: float = 0,
    ) -> live.Launched:
        if not isinstance(kernel, cl.Kernel):
            raise TypeError(f"want a pyopencl.Kernel, have {type(kernel).__name__}")
        if not isinstance(queue, cl.CommandQueue):
            raise TypeError(f"want a pyopencl.CommandQueue, have {type(queue).__name__}")
        seen, taken = [], {}
        for place, one in enumerate(args):
            try:
                seen.append(live.see(one))
            except TypeError as error:
                raise TypeError(f"argument {place}: {error}") from None
            if isinstance(one, numpy.ndarray) and seen[-1].kind == "memory":
                taken[place] = Sample(one)
        for place, data in (samples or {}).items():
            taken[place] = data if isinstance(data, Sample) else Sample(data)
        shape = live.shape_of(global_size, local_size, global_offset, g_times_l)
        return live.Launched(kernel, queue.device, shape, tuple(seen), taken, idle_s)

    def predict(
        self,
        kernel: Any,
        queue: Any,
        global_size: Sizes,
        local_size: Optional[Sizes],
        *args: Any,
        samples: Optional[Mapping[int, Any]] = None,
        global_offset: Optional[Sizes] = None,
        g_times_l: bool = False,
        idle_s: float = 0,
        model: str = "default",
        transfers: bool = False,
        explain: bool = False,
        static_only: bool = False,
    ) -> Prediction:
        """How long a launch would take; arguments are those of `kernel(queue, ...)`. Nothing is launched.

        args       Buffer, Image, Sampler, LocalMemory, SVM, pyopencl.array.Array, numpy scalars, None;
                   an array of the host's stands for a buffer that holds it
        samples    by an argument's number, what its buffer holds when the kernel begins: an array or a
                   `Sample`
        idle_s     for how long the device has had nothing to do

        Raises what `Connection.predict` does, and `Invalid` where arguments are not those that the
        kernel declares.
        """
        launched = self._launched(
            kernel, queue, global_size, local_size, args, samples, global_offset, g_times_l, idle_s
        )
        asked = self.ask_about(launched)
        return self.daemon.predict(asked.launch, asked.device, model, transfers, explain, static_only=static_only)

    # ---- launches ------------------------------------------------------------------------------

    def enqueue(
        self,
        kernel: Any,
        queue: Any,
        global_size: Sizes,
        local_size: Optional[Sizes],
        *args: Any,
        samples: Optional[Mapping[int, Any]] = None,
        global_offset: Optional[Sizes] = None,
        g_times_l: bool = False,
        wait_for: Optional[Sequence[Any]] = None,
    ) -> Any:
        """Launches as `kernel(queue, ...)` does; `observe` knows what its event is of. Returns the event.

        The daemon is not asked: without one the launch is as any other.
        """
        launched = self._launched(kernel, queue, global_size, local_size, args, samples, global_offset, g_times_l)
        event = kernel(
            queue, global_size, local_size, *args, global_offset=global_offset, g_times_l=g_times_l, wait_for=wait_for
        )
        with self._lock:
            self._of_event[event] = launched, self.run_flags(launched)
        return event

    def observe(
        self,
        event: Any,
        kernel: Any = None,
        global_size: Sizes = (),
        local_size: Optional[Sizes] = None,
        *args: Any,
        samples: Optional[Mapping[int, Any]] = None,
        global_offset: Optional[Sizes] = None,
        g_times_l: bool = False,
    ) -> None:
        """Reports what a launch took, once its event is over: START to END. Waits for nothing.

        kernel, ...   what was launched, where it was not by `enqueue`

        The first launch of a kernel with its sizes is flagged, as are those that overlap one that was
        observed before. ValueError: the event's queue does not profile, or nobody knows what the event
        is of.
        """
        queue = event.command_queue
        if not queue.properties & cl.command_queue_properties.PROFILING_ENABLE:
            raise ValueError("want an event of a queue made with properties=command_queue_properties.PROFILING_ENABLE")
        if kernel is not None:
            launched = self._launched(
                kernel, queue, global_size, local_size, args, samples, global_offset, g_times_l
            )
            flags = self.run_flags(launched)
        else:
            with self._lock:
                known = self._of_event.pop(event, None)
            if known is None:
                raise ValueError(
                    "want an event that enqueue() returned, once; name the kernel and its arguments of others"
                )
            launched, flags = known
        with self._lock:
            if len(self._running) >= _RUNNING_MAX:
                raise errors.Busy(f"{_RUNNING_MAX} launches wait for their end: this one is dropped")
            self._running.append(_Running(event, launched, flags))
            if self._thread is None:
                self._thread = threading.Thread(target=self._collect, name="predictd events", daemon=True)
                self._thread.start()
                atexit.register(self._end)

    def _end(self) -> None:
        """At the end of the process: what is over within a second is reported."""
        try:
            self.flush(_END_S)
        except errors.Error:
            pass

    def _collect(self) -> None:
        """Reports launches that are over, until none is left. It never waits in the driver."""
        wait_s = _POLL_S
        while True:
            with self._lock:
                running = list(self._running)
            done: set[int] = set()
            is_away = False
            for one in running:
                try:
                    if self._is_over(one) and not is_away:
                        self._report(one)
                        done.add(id(one))
                except (errors.Unavailable, errors.Timeout, errors.Busy) as error:
                    is_away, self.problem = True, str(error)  # its times are known, and wait
                except Exception as error:  # whatever it is: there are others to report
                    self.problem = str(error)
                    done.add(id(one))
            with self._lock:
                self._running = [one for one in self._running if id(one) not in done]
                self._ended.notify_all()
                if not self._running:
                    self._thread = None
                    atexit.unregister(self._end)
                    return
                wait_s = _POLL_S if done else min(2 * wait_s, _POLL_MOST_S)
                self._ended.wait(wait_s)

    @staticmethod
    def _is_over(one: _Running) -> bool:
        if one.event is not None:
            status = one.event.command_execution_status
            if status > 0:
                return False
            if status < 0:
                raise errors.DeviceFailure(f"a launch failed: {cl.status_code.to_string(status, 'error %d')}")
            one.begin, one.end = one.event.profile.start, one.event.profile.end
            one.event = None
        return True

    def _report(self, one: _Running) -> None:
        self.report(self.ask_about(one.launched), one.begin, one.end, one.flags)

    def report(self, asked: Asked, begin: int, end: int, flags: int) -> None:
        """What a launch took, in nanoseconds of the device's clock, to be sent in the background."""
        with self._lock:
            recent = self._recent.setdefault(asked.device, deque(maxlen=_RECENT))
            if any(begin < other_end and other < end for other, other_end in recent):
                flags |= OVERLAPPED
            recent.append((begin, end))
        if end > begin:
            self.daemon.report(Observation(asked.launch, 1e-9 * (end - begin), asked.device, flags))

    def flush(self, timeout_s: float = 30.0) -> None:
        """Waits until every launch that was observed is over and reported. `Timeout`: some are not.

        What could not be reported has its reason in `problem`.
        """
        with self._lock:
            self._ended.notify_all()
            if not self._ended.wait_for(lambda: not self._running, timeout_s):
                raise errors.Timeout(f"{len(self._running)} launches are not reported after {timeout_s:g} s")
        self.daemon.flush()

    def watch(self, *queues: Any, observe: bool = False) -> Block:
        """A block whose launches are predicted beside what they took: `with watch(queue) as block: ...`.

        queues    those that are watched, else every one; one that does not profile gives no times
        observe   reports what launches took, so that later answers rest on it

        `print(block)` is a table, `block.rows` are records. The block ends when its launches are over.
        """
        return Block(self, queues, observe)


_default: Optional[Bridge] = None
_default_lock = threading.Lock()


def default() -> Bridge:
    """The bridge of this module's functions, which connects when it first asks."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Bridge()
        return _default


def device_key(device: Any) -> str:
    """See `Bridge.device_key`."""
    return default().device_key(device)


def predict(
    kernel: Any, queue: Any, global_size: Sizes, local_size: Optional[Sizes], *args: Any, **options: Any
) -> Prediction:
    """See `Bridge.predict`."""
    return default().predict(kernel, queue, global_size, local_size, *args, **options)


def enqueue(
    kernel: Any, queue: Any, global_size: Sizes, local_size: Optional[Sizes], *args: Any, **options: Any
) -> Any:
    """See `Bridge.enqueue`."""
    return default().enqueue(kernel, queue, global_size, local_size, *args, **options)


def observe(event: Any, *launch: Any, **options: Any) -> None:
    """See `Bridge.observe`."""
    default().observe(event, *launch, **options)


def flush(timeout_s: float = 30.0) -> None:
    """See `Bridge.flush`."""
    default().flush(timeout_s)


def watch(*queues: Any, observe: bool = False) -> Block:
    """See `Bridge.watch`."""
    return default().watch(*queues, observe=observe)
