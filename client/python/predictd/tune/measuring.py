# SPDX-License-Identifier: Apache-2.0
"""Variants are run in a worker process, which a crash or a hang ends, and which is started again."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Mapping, Optional, Sequence

from .. import errors
from .predicting import count_of, scalar_of
from .space import Configuration, Problem, Reference, TunedArgument, TunedKernel
from .space import Scalar as Value

START_S = 60  # that opening a device may take
STATUSES = ("correct", "compile", "runtime", "correctness", "timeout", "constraints")  # of the T4 schema


@dataclass(frozen=True)
class Measured:
    """What became of a configuration. `status`: one of STATUSES."""

    status: str
    time_s: float = math.inf  # the median of its runs
    times_s: tuple[float, ...] = ()
    why: str = ""
    compile_s: float = 0
    check_s: float = 0
    at_s: float = field(default_factory=time.time)
    events_s: tuple[float, ...] = ()  # from queued to submitted, from there to START, from there to END: medians


def _argument(argument: TunedArgument, names: Mapping[str, Value]) -> dict[str, Any]:
    made: dict[str, Any] = {"kind": argument.kind, "type": argument.type, "name": argument.name}
    if argument.kind == "scalar":
        made["value"] = scalar_of(argument, names)
        return made
    made["count"] = count_of(argument, names)
    if argument.kind == "buffer":
        made |= {"fill": argument.fill, "fill_value": argument.fill_value, "seed": argument.seed}
        made |= {"file": str(argument.file) if argument.file is not None else "", "access": argument.access}
        if argument.init is not None:
            made |= {"init": argument.init.text, "seed": argument.init.seed, "folder": str(argument.init.folder)}
    return made


def _kernel(kernel: TunedKernel, names: Mapping[str, Value], texts: dict[Path, str], headers: str) -> dict[str, Any]:
    """headers: the folder of the kernel's file, as a compiler's option can name it."""
    if kernel.file not in texts:
        texts[kernel.file] = kernel.read()
    text = texts[kernel.file]
    global_size, local_size = kernel.sizes(names)
    options = f"{kernel.defines(names, text)} -I{headers}"
    return {
        "text": kernel.text(names, text),
        "options": options.strip(),
        "kernel": kernel.name,
        "global": global_size,
        "local": local_size,
        "offset": kernel.offset,
        "args": [_argument(argument, names) for argument in kernel.arguments],
    }


class Runner:
    """Runs configurations of a problem on a device. Use it in a `with` block."""

    def __init__(
        self,
        problem: Problem,
        platform: int,
        device: int,
        timeout_s: float = 30,
        runs: int = 7,
        budget_s: float = 0.5,
        allow_commands: bool = False,
    ) -> None:
        if importlib.util.find_spec("pyopencl") is None:
            raise errors.Unavailable("pyopencl is not installed, which runs variants: apt install python3-pyopencl")
        self._problem, self._place = problem, {"platform": platform, "device": device}
        self._timeout_s, self._runs, self._budget_s = timeout_s, runs, budget_s
        self._texts: dict[Path, str] = {}
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._read = b""
        self._folder = tempfile.TemporaryDirectory(prefix="predictd-tune.")
        try:
            self._references = [self._reference(one, allow_commands) for one in problem.references]
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        self._end()
        self._folder.cleanup()

    # ---- the worker ----------------------------------------------------------------------------

    def _start(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "predictd.tune.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C is for the parent, which then ends it
        )
        self._read = b""
        answer = self._ask(self._place, START_S)
        if answer is None or answer.get("status") != "ready":
            self._end()
            raise errors.DeviceFailure("the device cannot be opened: what its driver said is above")

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
        self._process = None

    def _ask(self, message: Mapping[str, Any], timeout_s: float) -> Optional[dict[str, Any]]:
        """The worker's answer; None: it has ended. `TimeoutError`: it has none in time."""
        assert self._process is not None and self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        end = time.monotonic() + timeout_s
        while b"\n" not in self._read:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise TimeoutError
            more = os.read(self._process.stdout.fileno(), 1 << 16)
            if not more:
                return None
            self._read += more
        line, self._read = self._read.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _run(self, variant: dict[str, Any]) -> Measured:
        if self._process is None:
            self._start()
        try:
            answer = self._ask(variant, self._timeout_s)
        except TimeoutError:
            self._end()
            return Measured("timeout", why=f"it did not end within {self._timeout_s:g} s")
        if answer is None:
            assert self._process is not None
            code = self._process.wait()
            self._end()
            return Measured("runtime", why=f"its process ended: {f'signal {-code}' if code < 0 else f'status {code}'}")
        return Measured(
            answer["status"],
            answer.get("time_s", math.inf),
            tuple(answer.get("times_s", ())),
            answer.get("why", ""),
            answer.get("compile_s", 0),
            answer.get("check_s", 0),
            events_s=tuple(answer.get("events_s", ())),
        )

    def _headers_of(self, kernel: TunedKernel) -> str:
        """The folder's path; a link to it where a blank in it would end the option."""
        folder = str(kernel.file.parent)
        if not re.search(r"[\s\"'\\]", folder):
            return folder
        link = Path(self._folder.name) / f"headers.{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
        if not link.is_symlink():
            link.symlink_to(kernel.file.parent.resolve(), target_is_directory=True)
        return str(link)

    def _variant(self, kernels: Sequence[TunedKernel], names: Mapping[str, Value]) -> dict[str, Any]:
        return {
            "kernels": [_kernel(kernel, names, self._texts, self._headers_of(kernel)) for kernel in kernels],
            "references": [],
            "runs": self._runs,
            "budget_s": self._budget_s,
            # what a kernel both reads and writes changes from run to run
            "refill": any(
                argument.kind == "buffer" and argument.access == "rw" and argument.fill != "zero"
                for kernel in kernels
                for argument in kernel.arguments
            ),
        }

    # ---- references ----------------------------------------------------------------------------

    def _reference(self, one: Reference, allow_commands: bool) -> dict[str, Any]:
        path = one.file
        if one.command:
            if not allow_commands:
                raise errors.Denied(f"the reference runs a command ({one.command[0]}): --allow-commands lets it")
            path = Path(self._folder.name) / one.argument
            with path.open("wb") as file:
                done = subprocess.run(one.command, stdout=file, stdin=subprocess.DEVNULL, timeout=600, check=False)
            if done.returncode != 0:
                raise errors.InputOutput(f"the reference's command {one.command[0]} ended with {done.returncode}")
        elif one.kernel is not None:
            path = self._made_by_kernel(one, one.kernel)
        assert path is not None
        if not path.is_file():
            raise errors.InputOutput(f"{path}: the reference is no file")
        return {"argument": one.argument, "file": str(path), "method": one.method, "tolerance": one.tolerance}

    def _made_by_kernel(self, one: Reference, kernel: TunedKernel) -> Path:
        path = Path(self._folder.name) / one.argument
        first = next(iter(self._problem.space), None)
        if first is None:
            raise errors.Invalid("no configuration holds all constraints")
        names = {**self._problem.space.named(first), **(one.configuration or {})}
        variant = self._variant([kernel], names)
        variant |= {"runs": 0, "save": {one.argument: str(path)}}
        measured = self._run(variant)
        if measured.status != "correct":
            raise errors.DeviceFailure(f"the reference kernel {kernel.name}: {measured.status}: {measured.why}")
        return path

    # ---- what is tuned -------------------------------------------------------------------------

    def run(self, configuration: Configuration) -> Measured:
        """Builds, runs, checks and times a configuration. What goes wrong with it is in its status."""
        try:
            variant = self._variant(self._problem.kernels, self._problem.space.named(configuration))
        except errors.Invalid as error:
            return Measured("constraints", why=str(error))
        variant["references"] = self._references
        return self._run(variant)
