# SPDX-License-Identifier: Apache-2.0
"""What every configuration is predicted to take, before any is compiled."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence, Union

from .. import errors
from ..arguments import Argument, Buffer, Local, Scalar
from ..client import Connection
from ..fill import sampled
from ..samples import SCALAR_BYTES
from ..source import folders
from ..source import load as load_source
from ..values import Launch, Prediction, Program
from .expressions import size_of
from .space import Configuration, Problem, TunedArgument, TunedKernel
from .space import Scalar as Value

_BATCH = 256


@dataclass(frozen=True)
class Expected:
    """Kernels of a configuration, one after the other. Infinite: it cannot run, and `why`."""

    time_s: float
    low_s: float
    high_s: float
    why: str = ""


def lanes_of(type_name: str) -> tuple[str, int]:
    """An OpenCL type's element, and how many it has."""
    element = type_name.rstrip("0123456789")
    return element, int(type_name[len(element) :] or 1)


def bytes_of(type_name: str) -> int:
    element, lanes = lanes_of(type_name)
    return SCALAR_BYTES[element] * (4 if lanes == 3 else lanes)


def count_of(argument: TunedArgument, names: Mapping[str, Value]) -> int:
    assert argument.count is not None
    return size_of(argument.count(names), f"argument {argument.name or argument.type}: count")


def scalar_of(argument: TunedArgument, names: Mapping[str, Value]) -> Union[int, float]:
    assert argument.value is not None
    value = argument.value(names)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise errors.Invalid(f"argument {argument.name or argument.type}: want a number, have {value!r:.60}")
    is_real = lanes_of(argument.type)[0] in ("half", "float", "double")
    if is_real:
        return float(value)
    return size_of(value, f"argument {argument.name or argument.type}", at_least=-(1 << 63))


def _argument(argument: TunedArgument, names: Mapping[str, Value]) -> Argument:
    try:
        if argument.made is not None:
            return argument.made(names)
        if argument.kind == "scalar":
            return Scalar(argument.type, scalar_of(argument, names))
        size = count_of(argument, names) * bytes_of(argument.type)
        return Local(size) if argument.kind == "local" else Buffer(size, argument.access, argument.range)
    except (ValueError, TypeError, OverflowError) as error:
        raise errors.Invalid(f"argument {argument.name or argument.type}: {error}") from None


# a variant that is wrong; anything else ends the tuning
_VARIANTS_OWN = (
    errors.Invalid,
    errors.Unsupported,
    errors.Limit,
    errors.SyntaxFailure,
    errors.NotFound,
)


class _Connections:
    """One a thread."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._local = threading.local()
        self._made: list[Connection] = []
        self._lock = threading.Lock()

    def own(self) -> Connection:
        """This thread's."""
        connection: Optional[Connection] = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
            with self._lock:
                self._made.append(connection)
        return connection

    def close(self) -> None:
        for connection in self._made:
            connection.close()


class _Programs:
    """Programs of the variants of a batch, each registered once: those of one text together."""

    def __init__(self) -> None:
        # by file and text, and folders of headers: by options, None until it is registered
        self._texts: dict[tuple[Path, str, tuple[Path, ...]], dict[str, Union[Program, errors.Error, None]]] = {}

    def want(self, kernel: TunedKernel, text: str, options: str) -> Callable[[], Program]:
        """What gives the program, or raises why it is none, once `register` was called."""
        variants = self._texts.setdefault((kernel.file, text, tuple(folders(options))), {})
        variants.setdefault(options, None)

        def given() -> Program:
            program = variants[options]
            assert program is not None
            if isinstance(program, errors.Error):
                raise type(program)(*program.args)  # a traceback is not shared
            return program

        return given

    def register(self, connection: Connection) -> None:
        for (file, text, _), variants in self._texts.items():
            wanted = list(variants)
            try:
                source = replace(load_source(file, wanted[0], text), options="")
                programs = connection.register_variants(source, wanted)
            except _VARIANTS_OWN as error:
                programs = [error] * len(wanted)
            for program in programs:
                if isinstance(program, errors.Error) and not isinstance(program, _VARIANTS_OWN):
                    raise program
            variants.update(zip(wanted, programs))


def _launch(kernel: TunedKernel, program: Program, names: Mapping[str, Value]) -> Launch:
    global_size, local_size = kernel.sizes(names)
    return Launch(
        program,
        global_size,
        local_size or None,
        sampled(
            [_argument(argument, names) for argument in kernel.arguments],
            [argument.holds for argument in kernel.arguments],
            program,
            kernel.name,
        ),
        kernel.name,
        kernel.offset or None,
        [one(names) for one in kernel.hints],
        kernel.idle_s,
    )


def _sum(predictions: Sequence[Union[Prediction, errors.Error]]) -> Expected:
    time_s = low_s = high_s = 0.0
    for one in predictions:
        if isinstance(one, errors.Error):
            return Expected(math.inf, math.inf, math.inf, str(one))
        time_s += one.kernel_time_s
        low_s += one.low_s
        high_s += one.high_s
    return Expected(time_s, low_s, high_s)


Answers = list[Union[Prediction, errors.Error]]  # of a configuration's kernels, or of what it has no launch for


def answers(
    problem: Problem,
    configurations: Sequence[Configuration],
    connect: Callable[[], Connection],
    device: Optional[str],
    model: str = "default",
    static_only: bool = False,
    explain: bool = False,
    told: Callable[[int], None] = lambda done: None,
) -> list[Answers]:
    """Answers a configuration. `connect` opens a connection; two are used at once.

    Variants that are the same text with the same options are analysed once. `told` hears how many are done.
    """
    texts = [kernel.read() for kernel in problem.kernels]
    found: list[Answers] = [[] for _ in configurations]
    connections = _Connections(connect)
    done, lock = 0, threading.Lock()

    def batch(first: int) -> None:
        nonlocal done
        connection = connections.own()
        places = range(first, min(first + _BATCH, len(configurations)))
        programs = _Programs()
        wanted: dict[int, list[Callable[[], Program]]] = {}
        launches: list[Launch] = []
        owners: list[int] = []
        for place in places:
            names = problem.space.named(configurations[place])
            try:
                wanted[place] = [
                    programs.want(kernel, kernel.text(names, text), kernel.defines(names, text))
                    for kernel, text in zip(problem.kernels, texts)
                ]
            except _VARIANTS_OWN as error:
                found[place] = [error]
        programs.register(connection)
        for place, given in wanted.items():
            names = problem.space.named(configurations[place])
            try:
                own = [_launch(kernel, program(), names) for kernel, program in zip(problem.kernels, given)]
            except _VARIANTS_OWN as error:
                found[place] = [error]
                continue
            launches += own
            owners += [place] * len(own)
        asked = connection.predict_many(launches, device, model, explain=explain, static_only=static_only, lines=explain)
        for place, one in zip(owners, asked):
            if isinstance(one, errors.Error) and not isinstance(one, _VARIANTS_OWN):
                raise one
            found[place].append(one)
        with lock:
            done += len(places)
            told(done)

    try:
        # the daemon analyses on all processors; the other thread puts its own questions meanwhile
        with ThreadPoolExecutor(2) as pool:
            # neighbours differ in the last parameters, which often are of launches alone
            for future in [pool.submit(batch, first) for first in range(0, len(configurations), _BATCH)]:
                future.result()
    finally:
        connections.close()
    return found


def predict(
    problem: Problem,
    configurations: Sequence[Configuration],
    connect: Callable[[], Connection],
    device: Optional[str],
    told: Callable[[int], None] = lambda done: None,
) -> list[Expected]:
    """What each configuration takes as a whole: see `answers`."""
    return [_sum(one) for one in answers(problem, configurations, connect, device, told=told)]
