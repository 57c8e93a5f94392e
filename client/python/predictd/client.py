# SPDX-License-Identifier: Apache-2.0
"""Questions to predictd. Times are seconds, sizes bytes."""

from __future__ import annotations

import math
import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Generic, Mapping, Optional, Sequence, TypeVar, Union

from google.protobuf.message import DecodeError

from . import errors
from . import predictd_pb2 as pb
from . import source as sources
from .arguments import Buffer
from .memo import Answer, key_of
from .reports import ReportCounts, Reports
from .samples import Sample
from .transport import Transport
from .values import (
    MODELS,
    SOURCELESS,
    Device,
    DeviceName,
    HistoryEntry,
    Kernel,
    Launch,
    Observation,
    Placement,
    Prediction,
    Program,
    Removal,
    Status,
    WhatIf,
    device_of,
    prediction_of,
)

if TYPE_CHECKING:  # those who ask for no split and no schedule do not wait for what they need
    from .native import Native
    from .scheduling import Schedule, ScheduleDevice
    from .splitting import Split

_BATCH_MAX = 1024
_UNREGISTERED, _UNSAMPLED = 17, 18  # PREDICTD_UNREGISTERED, ... of predictd.h
_ATTEMPTS_MAX = 10  # PROGRAM_ATTEMPTS_MAX of client/library/program.h
_HEADERS_WANTED_MAX = 64
_VARIANTS = 256  # in one request, of the 1024 that the daemon takes: it has its own deadline


def _kernel(program: Optional[Program], kernel: str) -> str:
    """As a message names it: "" where it is the program's only one."""
    return program.kernels[0].name if program is not None and program._handle == SOURCELESS and not kernel else kernel


def _name(device: DeviceName) -> str:
    return "" if device is None else str(device)


def _message(source: sources.Source) -> pb.Program:
    """Without options."""
    try:
        headers = [pb.Header(name=name, text=text) for name, text in source.headers.items()]
        return pb.Program(name=source.name, source=source.text, headers=headers)
    except UnicodeEncodeError:
        raise errors.Invalid(f"{source.name}: want names of headers in UTF-8") from None


def _check_options(options: str) -> str:
    try:
        options.encode()
    except UnicodeEncodeError:
        raise errors.Invalid("want build options in UTF-8") from None
    return options


def _program(source: sources.Source, reply: pb.RegisterReply, serial: int) -> Program:
    kernels = tuple(
        Kernel(
            name=kernel.name,
            unsupported=kernel.unsupported,
            argument_names=tuple(kernel.argument_names),
            argument_types=tuple(kernel.argument_types),
            required_local=tuple(kernel.required_local),
        )
        for kernel in reply.kernels
    )
    return Program(source, kernels, reply.analysis_time_s, reply.handle, serial, reply.undefined, reply.left_out)


def _observed(one: Observation, question: pb.Predict) -> pb.Observation:
    return pb.Observation(
        handle=question.handle,
        kernel=question.kernel,
        device=_name(one.device),
        launch=question.launch,
        kernel_time_s=one.kernel_time_s,
        task_time_s=one.task_time_s,
        h2d_time_s=one.h2d_time_s,
        d2h_time_s=one.d2h_time_s,
        launch_time_s=one.launch_time_s,
        flags=one.flags,
        measured_at_s=one.measured_at_s,
    )


def _check(observation: Observation) -> None:
    """`Invalid` where it is wrong whatever the daemon knows."""
    for what, time_s, is_needed in (
        ("kernel", observation.kernel_time_s, observation.task_time_s == 0),
        ("task", observation.task_time_s, False),
    ):
        if not (math.isfinite(time_s) and time_s > 0 or time_s == 0 and not is_needed):
            raise errors.Invalid(f"{what} time: want a positive number of seconds, have {time_s:g}")
    try:
        _observed(observation, pb.Predict(launch=observation.launch._message()))
    except (ValueError, TypeError) as error:
        raise errors.Invalid(str(error)) from error


def _samples(launch: Launch) -> list[Sample]:
    return [one.sample for one in launch.arguments if isinstance(one, Buffer) and one.sample is not None]


def _lost_status(error: Optional[errors.Error]) -> int:
    if isinstance(error, errors.Unregistered):
        return _UNREGISTERED
    return _UNSAMPLED if isinstance(error, errors.Unsampled) else 0


_Answer = TypeVar("_Answer")


class _Asking(Generic[_Answer]):
    """Launches that are asked about until the daemon knows every program and sample, or takes none."""

    def __init__(self, launches: Sequence[Launch], with_samples: bool) -> None:
        self._launches = launches
        self._attempts = 0
        self._answers: dict[int, _Answer] = {}
        self.pending = list(range(len(launches)))  # places of those to be asked about
        self.with_samples = with_samples
        self.is_unregistered = self.is_unsampled = False  # why they were not answered

    def goes_on(self) -> bool:
        return bool(self.pending) and self._attempts < _ATTEMPTS_MAX

    def launches(self) -> list[Launch]:
        return [self._launches[place] for place in self.pending]

    def samples(self) -> list[Sample]:
        return [sample for launch in self.launches() for sample in _samples(launch)]

    def take(self, answers: Sequence[_Answer], statuses: Sequence[int]) -> None:
        """The answers to those that were pending."""
        self._answers.update(zip(self.pending, answers))
        lost = [place for place, status in zip(self.pending, statuses) if status in (_UNREGISTERED, _UNSAMPLED)]
        was_sent = self.is_unsampled
        self.is_unregistered, self.is_unsampled = _UNREGISTERED in statuses, _UNSAMPLED in statuses
        if was_sent and self.is_unsampled and len(lost) == len(self.pending):
            self.with_samples = False  # more than there is room for
        self.pending = lost
        self._attempts += 1

    @property
    def answers(self) -> list[_Answer]:
        return [self._answers[place] for place in range(len(self._launches))]


class Connection:
    """A connection to the daemon. Threads may share it; calls take turns.

    socket_path  None: $PREDICTD_SOCKET, the user's own daemon, or the system's
    timeout_s    how long a call may take, with its turn, connecting and registering again; 0: for ever.
                 Calibrations have no deadline.
    samples      False, or PREDICTD_SAMPLES=no in the environment: the daemon is told nothing of what buffers hold
    memo         False: no answer is kept, and every question is asked

    It connects when first asked, so that a program may start before the daemon, and again after the
    daemon was restarted; while the daemon is away calls raise `Unavailable` at once, and `Timeout`
    where it does not answer.
    """

    def __init__(
        self, socket_path: Optional[str] = None, timeout_s: float = 30.0, samples: bool = True, memo: bool = True
    ) -> None:
        self._sends_samples = samples and os.environ.get("PREDICTD_SAMPLES") != "no"
        self._keeps_answers = memo
        self._transport = Transport(socket_path, timeout_s)
        self._reports = Reports(self._reach, self.observe)
        self._timeout_s = timeout_s
        self._made_native: Optional[Native] = None

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Sends what was reported, for a second at most, and drops the rest."""
        if not self._reports.end():
            self._transport.interrupt()
        self._transport.close()
        if self._made_native is not None:
            self._made_native.close()
            self._made_native = None

    @property
    def _native(self) -> Native:
        if self._made_native is None:
            from .native import Native

            self._made_native = Native(self.socket_path, self._timeout_s, self._sends_samples)
        return self._made_native

    def _reach(self) -> None:
        with self._transport.turn():
            pass

    @property
    def socket_path(self) -> str:
        return self._transport.path

    # ---- programs ------------------------------------------------------------------------------

    def load(self, file: Union[str, Path], options: str = "") -> Program:
        """Registers the program of a file; headers are found beside it and in -I folders of options."""
        return self.register(sources.load(file, options))

    def register(self, source: Union[str, sources.Source], options: str = "", name: str = "kernel.cl") -> Program:
        """Registers a program given as text, or as a `Source`. `SyntaxFailure` has line and column."""
        if isinstance(source, str):
            source = sources.Source(text=source.encode(), name=name, options=options)
        with self._transport.turn():
            source, reply = self._register_with_headers(source)
            return _program(source, reply, self._transport.serial)

    def register_variants(
        self, source: Union[str, sources.Source], options: Sequence[str], name: str = "kernel.cl"
    ) -> list[Union[Program, errors.Error]]:
        """Registers one source under many build options: for each a program, or the error that it got.

        Each is what `register` would give, sooner: they are analysed several at a time, on all processors. A
        source's own options stand before each.
        """
        if isinstance(source, str):
            source = sources.Source(text=source.encode(), name=name)
        whole = [_check_options(f"{source.options} {own}" if source.options else own) for own in options]
        results: list[Union[Program, errors.Error]] = []
        for first in range(0, len(whole), _VARIANTS):
            with self._transport.turn():
                source, some = self._register_some(source, whole[first : first + _VARIANTS])
            results += some
        return results

    def _register_some(
        self, source: sources.Source, options: list[str]
    ) -> tuple[sources.Source, list[Union[Program, errors.Error]]]:
        """Of one request; those that lack a header are sent again with it, and those of another language."""
        results: dict[int, Union[Program, errors.Error]] = {}
        pending = list(range(len(options)))
        headers = attempts = 0
        while pending:
            replies = self._variants(source, [options[place] for place in pending])
            more: Optional[sources.Source] = None
            again: list[int] = []
            attempts += 1
            for place, reply in zip(pending, replies):
                status = reply.error.status
                if reply.WhichOneof("body") == "register_program":
                    own = replace(source, options=options[place])
                    results[place] = _program(own, reply.register_program, self._transport.serial)
                    continue
                results[place] = failure = errors.of_status(status, reply.error.text)
                if status == _UNREGISTERED and attempts < _ATTEMPTS_MAX + headers:
                    again.append(place)
                elif isinstance(failure, errors.SyntaxFailure) and reply.error.header:
                    failure.header, failure.header_from = reply.error.header, reply.error.header_from
                    if more is None and headers < _HEADERS_WANTED_MAX:
                        more = source.with_header(failure.header, failure.header_from)
                    if more is not None:
                        again.append(place)
            headers += more is not None
            source = more or source
            pending = again
        return source, [results[place] for place in range(len(options))]

    def _variants(self, source: sources.Source, options: list[str]) -> list[pb.Response]:
        message = pb.RegisterVariants(program=_message(source), options=options)
        request = pb.Request(register_variants=message)
        reply = self._transport.call(request, "register_variants").register_variants
        if len(reply.replies) != len(options):
            raise errors.Corrupt(f"want {len(options)} answers, got {len(reply.replies)}")
        try:
            return [pb.Response.FromString(one) for one in reply.replies]
        except DecodeError as error:
            raise errors.Corrupt(f"a variant's answer: {error}") from error

    def _register_with_headers(self, source: sources.Source) -> tuple[sources.Source, pb.RegisterReply]:
        """Registers a source, with the headers that only the preprocessor could name added to it."""
        for _ in range(_HEADERS_WANTED_MAX):
            try:
                return source, self._register(source)
            except errors.SyntaxFailure as failure:
                more = source.with_header(failure.header, failure.header_from) if failure.header else None
                if more is None:
                    raise
                source = more
        return source, self._register(source)

    def _register(self, source: sources.Source) -> pb.RegisterReply:
        program = _message(source)
        program.options = _check_options(source.options)
        request = pb.Request(register_program=pb.RegisterProgram(program=program))
        for _ in range(_ATTEMPTS_MAX - 1):
            try:
                return self._transport.call(request, "register_program").register_program
            except errors.Unregistered:
                pass  # refused in one device's language: another's comes next
        return self._transport.call(request, "register_program").register_program

    def register_without_source(self, name: str) -> Program:
        """A kernel without source (a CPU's or CUDA's code, a library's call) under a name of your choice.

        It stands where a program does. A launch's global size is that of the task, whose product its time is
        expected to follow; its device may be any key of yours with a colon, such as "cpu:0". Answers follow
        from your own observations alone; before the first one, `NotFound` says "unknown".
        """
        if not 0 < len(name.encode()) < 256 or not name.isprintable():
            raise errors.Invalid("want a name of 1 to 255 bytes without control characters")
        kernel = Kernel(name=name, unsupported="", argument_names=(), argument_types=(), required_local=())
        return Program(
            source=sources.Source(text=b"", name=name),
            kernels=(kernel,),
            analysis_time_s=0,
            _handle=SOURCELESS,
            _serial=0,
        )

    def _handle(self, program: Program, again: bool = False) -> int:
        """Of this turn's link: another daemon gives the number to another program."""
        if program._handle == SOURCELESS:
            return SOURCELESS
        if again or program._serial != self._transport.serial:
            program._handle = self._register(program.source).handle
            program._serial = self._transport.serial
        return program._handle

    # ---- predictions ---------------------------------------------------------------------------

    def predict(
        self,
        launch: Launch,
        device: DeviceName = None,
        model: str = "default",
        transfers: bool = False,
        explain: bool = False,
        explain_ir: bool = False,
        static_only: bool = False,
        pinned: bool = False,
        lines: bool = False,
    ) -> Prediction:
        """One answer; device: a key, an index or part of a name, None: the first calibrated one that is
        here. Raises the question's error.

        A question that was answered before is not asked again while its answer stands: until the device is
        calibrated, an observation moves the answer by more than 2 %, or the daemon ends. With explain,
        explain_ir or lines it always is asked.

        static_only: as if nothing had been observed; pinned: transfers of memory that the driver allocated;
        lines: what each line of the source adds, too.
        """
        answer: Optional[Answer] = None
        if not (explain or explain_ir or lines):
            answer = self._transport.memo.find(key_of(launch, _name(device), model, transfers, static_only, pinned))
        if answer is None:
            (answer,) = self.predict_many(
                [launch], device, model, transfers, explain, explain_ir, static_only, pinned, lines
            )
        if isinstance(answer, errors.Error):
            raise type(answer)(*answer.args)  # a traceback is not shared
        return answer

    def predict_many(
        self,
        launches: Sequence[Launch],
        device: DeviceName = None,
        model: str = "default",
        transfers: bool = False,
        explain: bool = False,
        explain_ir: bool = False,
        static_only: bool = False,
        pinned: bool = False,
        lines: bool = False,
    ) -> list[Union[Prediction, errors.Error]]:
        """Many answers, in few exchanges: for each launch a prediction, or the error that it got."""
        if model not in MODELS:
            raise ValueError(f"want a model of {', '.join(MODELS)}, have {model!r}")
        memo = self._transport.memo
        keys = [
            None
            if explain or explain_ir or lines
            else key_of(launch, _name(device), model, transfers, static_only, pinned)
            for launch in launches
        ]
        answers: list[Optional[Answer]] = [memo.find(key) for key in keys]
        unknown = [place for place, answer in enumerate(answers) if answer is None]
        kept: list[tuple[int, int, int]] = []  # place, slot and value of the epoch
        with self._transport.turn() if unknown else nullcontext():
            for first in range(0, len(unknown), _BATCH_MAX):
                places = unknown[first : first + _BATCH_MAX]
                batch = [launches[place] for place in places]
                options = pb.Predict(
                    device=_name(device),
                    model=MODELS.index(model),
                    with_transfers=transfers or pinned,
                    pinned_transfers=pinned,
                    explain=explain,
                    explain_ir=explain_ir,
                    explain_lines=lines,
                    static_only=static_only,
                )
                asking: _Asking[pb.BatchEntry] = _Asking(batch, self._sends_samples)
                while asking.goes_on():
                    entries = self._batch(asking, options)
                    asking.take(entries, [entry.error.status for entry in entries])
                for place, entry in zip(places, asking.answers):
                    told: Union[pb.Prediction, pb.Error] = entry.error
                    if entry.WhichOneof("result") == "prediction":
                        told = entry.prediction
                        answers[place] = prediction_of(entry.prediction)
                    else:
                        answers[place] = errors.of_status(entry.error.status, entry.error.text)
                    # what was asked without the launch's samples is no answer to keep for it
                    if asking.with_samples or not self._sends_samples or not _samples(launches[place]):
                        kept.append((place, told.epoch_slot, told.epoch_value))
            if self._keeps_answers and any(value for _, _, value in kept):
                self._transport.watch()
            for place, slot, value in kept:
                key, answer = keys[place], answers[place]
                if key is not None and answer is not None:
                    memo.keep(key, launches[place].program, slot, value, answer)
        return [answer for answer in answers if answer is not None]

    def what_ifs(self, launch: Launch, device: DeviceName = None) -> Prediction:
        """The static answer, with changes that the kernel could follow, whatever they bring: `what_ifs`."""
        return self._ask(launch, pb.Predict(device=_name(device), static_only=True, with_what_ifs=True))

    def predict_changed(self, launch: Launch, what_if: WhatIf, device: DeviceName = None) -> Prediction:
        """The static answer for a launch after one change of those that `what_ifs` told of it."""
        return self._ask(launch, pb.Predict(device=_name(device), static_only=True, what_if=what_if._message()))

    def _ask(self, launch: Launch, options: pb.Predict) -> Prediction:
        asking: _Asking[pb.BatchEntry] = _Asking([launch], self._sends_samples)
        with self._transport.turn():
            while asking.goes_on():
                entries = self._batch(asking, options)
                asking.take(entries, [entry.error.status for entry in entries])
        (entry,) = asking.answers
        if entry.WhichOneof("result") != "prediction":
            raise errors.of_status(entry.error.status, entry.error.text)
        return prediction_of(entry.prediction)

    def _questions(self, asking: _Asking[Any], options: pb.Predict) -> list[pb.Predict]:
        questions = []
        renewed: set[int] = set()
        self._send_samples(asking)
        for launch in asking.launches():
            question = pb.Predict()
            question.CopyFrom(options)
            program = launch.program
            question.handle = self._handle(program, asking.is_unregistered and id(program) not in renewed)
            renewed.add(id(program))
            question.kernel = _kernel(program, launch.kernel)
            question.launch.CopyFrom(launch._message())
            if not asking.with_samples:
                for argument in question.launch.arguments:
                    argument.ClearField("sample")
            questions.append(question)
        return questions

    def _send_samples(self, asking: _Asking[Any]) -> None:
        """Those that have no name yet, or all where the daemon lacks one; or sees that it takes none."""
        sent: set[int] = set()
        for sample in asking.samples() if asking.with_samples else ():
            if id(sample) in sent or (sample._name and not asking.is_unsampled):
                continue
            sent.add(id(sample))
            try:
                request = pb.Request(keep_sample=pb.KeepSample(sample=sample._message))
                sample._name = self._transport.call(request, "keep_sample").keep_sample.name
            except (errors.Denied, errors.Unsupported, errors.Limit, errors.Invalid, errors.NoMemory):
                asking.with_samples = False
                return

    def _batch(self, asking: _Asking[pb.BatchEntry], options: pb.Predict) -> list[pb.BatchEntry]:
        batch = pb.PredictBatch(predictions=self._questions(asking, options))
        reply = self._transport.call(pb.Request(predict_batch=batch), "predict_batch").predict_batch
        if len(reply.entries) != len(batch.predictions):
            raise errors.Corrupt(f"want {len(batch.predictions)} answers, got {len(reply.entries)}")
        return list(reply.entries)

    def place(
        self, launches: Sequence[Launch], devices: Sequence[Union[str, int]] = (), transfers: bool = False
    ) -> list[Union[Placement, errors.Error]]:
        """For each launch the fastest of `devices`, or of every calibrated device; none that is away."""
        placements: list[Union[Placement, errors.Error]] = []
        if not launches:
            return placements
        with self._transport.turn():
            for first in range(0, len(launches), _BATCH_MAX):
                batch = launches[first : first + _BATCH_MAX]
                asking: _Asking[pb.Placement] = _Asking(batch, self._sends_samples)
                while asking.goes_on():
                    questions = self._questions(asking, pb.Predict(with_transfers=transfers))
                    request = pb.Request(place=pb.Place(launches=questions, devices=[_name(one) for one in devices]))
                    found = list(self._transport.call(request, "place").place.placements)
                    asking.take(found, [one.error.status for one in found])
                for one in asking.answers:
                    if one.error.status:
                        placements.append(errors.of_status(one.error.status, one.error.text))
                    else:
                        answer = prediction_of(one.prediction)
                        placements.append(Placement(one.device, one.index, one.device_key, answer))
        return placements

    # ---- several devices -----------------------------------------------------------------------

    def split(
        self,
        launch: Launch,
        devices: Sequence[Union[str, int]] = (),
        dimension: int = 0,
        granule_items: int = 0,
        buffers: Optional[Mapping[int, int]] = None,
        slowdowns: Optional[Sequence[Sequence[float]]] = None,
        transfers: bool = False,
        pinned: bool = False,
    ) -> Split:
        """The shares of one launch with which it ends first on several devices. libpredictd computes it.

        devices        keys, indices or parts of names; (): every calibrated one that is here
        dimension      along which it is split
        granule_items  a part is a multiple of so many work-items, and of the work-group's size
        buffers        what you know better than the model: by argument, bytes of a buffer that belong to a
                       granule; 0: in proportion. Of these each device needs its own part alone
        slowdowns      [i][j]: by how much device i takes longer while device j works; None: as measured
        """
        names = [_name(one) for one in devices] or [
            one.key for one in self.devices() if one.is_calibrated and one.is_present
        ]
        from .splitting import split

        return split(
            self._native, launch, names, dimension, granule_items, buffers or {}, slowdowns, transfers, pinned
        )

    def schedule(
        self,
        devices: Sequence[Union[str, ScheduleDevice]] = (),
        method: str = "heft",
        slowdowns: Optional[Sequence[Sequence[float]]] = None,
    ) -> Schedule:
        """An empty schedule of tasks over devices: names, whose copies are predicted, or what you know of
        them; (): every calibrated one that is here. method: "heft", "min-min" or "fastest"."""
        from .scheduling import Schedule

        return Schedule(self._native, devices, method, slowdowns)

    # ---- observations --------------------------------------------------------------------------

    def observe(self, observations: Sequence[Observation]) -> list[Optional[errors.Error]]:
        """Reports measured times; returns when they are kept: for each None, or why it was not."""
        results: list[Optional[errors.Error]] = []
        if not observations:
            return results
        with self._transport.turn():
            for first in range(0, len(observations), _BATCH_MAX):
                batch = observations[first : first + _BATCH_MAX]
                launches = [one.launch for one in batch]
                asking: _Asking[Optional[errors.Error]] = _Asking(launches, self._sends_samples)
                while asking.goes_on():
                    answers = self._observe(asking, batch)
                    asking.take(answers, [_lost_status(answer) for answer in answers])
                results.extend(asking.answers)
        return results

    def _observe(
        self, asking: _Asking[Optional[errors.Error]], batch: Sequence[Observation]
    ) -> list[Optional[errors.Error]]:
        messages = []
        observations = [batch[position] for position in asking.pending]
        questions = self._questions(asking, pb.Predict())
        for one, question in zip(observations, questions):
            messages.append(_observed(one, question))
        request = pb.Request(observe=pb.Observe(observations=messages, acknowledge=True))
        reply = self._transport.call(request, "observe").observe
        problem = reply.store_problem
        unkept = errors.of_status(12, f"it counts, but is not kept: {problem}") if problem else None
        answers: list[Optional[errors.Error]] = [unkept] * len(observations)
        for position, entry in enumerate(reply.entries[: len(answers)]):
            if entry.error.status:
                answers[position] = errors.of_status(entry.error.status, entry.error.text)
        return answers

    def report(self, observation: Observation) -> None:
        """Reports measured times without waiting: queued, sent in the background with others, and again when
        the daemon was away meanwhile. `observe` is for those who have to know that they were kept.

        Raises `Invalid` where it is wrong by itself, `Busy` where 4096 wait: this one is dropped.
        """
        try:
            _check(observation)
        except Exception:
            self._reports.refuse()
            raise
        self._reports.put(observation)

    def flush(self) -> None:
        """Sends what was reported before, and waits for it. `Timeout`: some still wait."""
        timeout_s = self._transport.timeout_s
        if not self._reports.flush(timeout_s):
            raise errors.Timeout(f"{self._reports.counts().waiting} reports still wait after {timeout_s:g} s")

    def report_counts(self) -> ReportCounts:
        """What became of what was reported on this connection."""
        return self._reports.counts()

    def forget(
        self,
        program: Optional[Program] = None,
        kernel: str = "",
        device: DeviceName = None,
        uid: Optional[int] = None,
        age_s: float = 0,
    ) -> int:
        """Forgets the observations that meet every condition; how many. Those of others take an admin."""
        message = pb.Forget(kernel=_kernel(program, kernel), device=_name(device), age_s=age_s)
        message.has_uid, message.uid = uid is not None, uid or 0
        return self._about(program, message, "forget").forget.forgotten

    def _about(self, program: Optional[Program], message: Union[pb.Forget, pb.History], body: str) -> pb.Response:
        """A request about a program, which is registered again where the daemon has forgotten it."""
        with self._transport.turn():
            for attempt in range(_ATTEMPTS_MAX):
                if program is not None:
                    message.handle = self._handle(program, attempt > 0)
                try:
                    return self._transport.call(pb.Request(**{body: message}), body)
                except errors.Unregistered:
                    if program is None or attempt == _ATTEMPTS_MAX - 1:
                        raise
        raise AssertionError("the last time returns or raises")

    def history(
        self, program: Program, kernel: str = "", device: DeviceName = None, count_max: int = 0
    ) -> list[HistoryEntry]:
        """Measured times of a kernel on a device, the newest first."""
        message = pb.History(kernel=_kernel(program, kernel), device=_name(device), count_max=count_max)
        reply = self._about(program, message, "history").history
        return [
            HistoryEntry(
                measured_at_s=entry.measured_at_s,
                uid=entry.uid,
                flags=entry.flags,
                global_size=tuple(entry.global_items),
                local_size=tuple(entry.local_items),
                arguments=entry.arguments,
                observed_time_s=entry.observed_time_s,
                static_time_s=entry.static_time_s,
                predicted_time_s=entry.predicted_time_s,
                low_s=entry.low_s,
                high_s=entry.high_s,
                is_task=entry.is_task,
            )
            for entry in reply.entries
        ]

    # ---- devices and the daemon ----------------------------------------------------------------

    def devices(self, coefficients: bool = False) -> list[Device]:
        """The node's devices, and those whose calibration is known."""
        request = pb.Request(list_devices=pb.ListDevices(verbose=coefficients))
        return [device_of(device) for device in self._transport.call(request, "devices").devices.devices]

    def calibrate(
        self,
        device: Union[str, int] = 0,
        quick: bool = False,
        progress: Optional[Callable[[float, float, str], bool]] = None,
    ) -> Device:
        """Calibrates a device and waits. `progress` sees the share done, the seconds left and what is
        done; when it returns False the calibration is cancelled and changes nothing."""
        transport = self._transport
        is_cancelled = False

        def more(response: pb.Response) -> bool:
            nonlocal is_cancelled
            reply = response.calibrate
            if reply.HasField("device"):
                return True
            if progress is not None and not is_cancelled:
                is_cancelled = not progress(reply.progress, reply.left_s, reply.stage)
                if is_cancelled:
                    transport.send(pb.Request(cancel=pb.Cancel(id=response.id)))
            return False

        request = pb.Request(calibrate=pb.Calibrate(device=_name(device), quick=quick))
        return device_of(transport.call(request, "calibrate", more).calibrate.device)

    def remove_calibration(self, device: Union[str, int]) -> Removal:
        """Takes away the calibrations that serve a device; it needs an admin. What was observed on it
        stays, unless it is away and so leaves the list."""
        request = pb.Request(remove_calibration=pb.RemoveCalibration(device=_name(device)))
        reply = self._transport.call(request, "remove_calibration").remove_calibration
        return Removal(reply.device.key, reply.removed, reply.forgotten)

    def export(self, device: Union[str, int] = 0) -> bytes:
        """A calibration as the bytes of one file."""
        request = pb.Request(export=pb.Export(device=_name(device)))
        return bytes(self._transport.call(request, "export").export.calibration)

    def import_calibration(self, calibration: bytes) -> Device:
        """Keeps an exported calibration for a device of the same model."""
        request = pb.Request()
        getattr(request, "import").calibration = calibration
        response = self._transport.call(request, "import")
        return device_of(getattr(response, "import").device)

    def status(self) -> Status:
        reply = self._transport.call(pb.Request(status=pb.Status()), "status").status
        problems = (
            reply.store_problem,
            reply.analyser_problem,
            reply.jail_problem,
            reply.device_problem,
            *reply.drifts,
        )
        return Status(
            version=reply.version,
            uptime_s=reply.uptime_s,
            connections=reply.connections,
            requests=reply.requests,
            predictions=reply.predictions,
            programs=reply.programs,
            observations=reply.observations,
            resident_bytes=reply.resident_bytes,
            socket=reply.socket,
            state_directory=reply.state_directory,
            problems=tuple(problem for problem in problems if problem),
            background=reply.background,
        )


def connect(
    socket_path: Optional[str] = None, timeout_s: float = 30.0, samples: bool = True, memo: bool = True
) -> Connection:
    """A connection that has reached the daemon; `Unavailable` says what to do when there is none."""
    connection = Connection(socket_path, timeout_s, samples, memo)
    try:
        connection.status()
    except errors.Error:
        connection.close()
        raise
    return connection
