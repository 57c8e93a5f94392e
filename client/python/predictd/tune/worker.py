# SPDX-License-Identifier: Apache-2.0
"""Runs variants on a device, in a process of its own: a driver that crashes or hangs ends this one alone.

Comes in on standard input, a JSON object a line: first the device, then variants. Goes out on the descriptor
that standard output was: an object a line. What drivers and kernels print goes to standard error.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Optional, TextIO

import numpy
import pyopencl as cl

from .. import errors
from ..fill import Fill

_DTYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
    "half": "f2", "float": "f4", "double": "f8",
}  # fmt: skip


def _element(type_name: str) -> tuple[numpy.dtype[Any], int]:
    element = type_name.rstrip("0123456789")
    lanes = int(type_name[len(element) :] or 1)
    return numpy.dtype(_DTYPES[element]), 4 if lanes == 3 else lanes


def _filled(one: dict[str, Any]) -> Any:
    """What a buffer holds when the first kernel begins."""
    dtype, lanes = _element(one["type"])
    count, fill = one["count"] * lanes, one["fill"]
    if fill == "init":
        return Fill(one["init"], one["seed"], Path(one["folder"])).content(count * dtype.itemsize).view(dtype)
    if fill == "file":
        data = numpy.fromfile(one["file"], dtype)
        if data.size != count:
            raise ValueError(f"{one['file']}: want {count} elements, have {data.size}")
        return data
    if fill == "iota":
        return numpy.arange(count).astype(dtype)
    if fill == "random":
        return (numpy.random.default_rng(one["seed"]).random(count) * one["fill_value"]).astype(dtype)
    return numpy.full(count, one["fill_value"] if fill == "constant" else 0, dtype)


def wrong(made: Any, wanted: Any, method: str, tolerance: float) -> Optional[str]:
    """Why a result is not the reference's; None: it is. Values that are no numbers are wrong, but where
    the reference has the same."""
    if made.size < wanted.size:
        return f"{made.size} elements where the reference has {wanted.size}"
    first, second = made[: wanted.size].astype(numpy.float64), wanted.astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        same = (first == second) | (numpy.isnan(first) & numpy.isnan(second))
        differences = numpy.where(same, 0.0, numpy.abs(first - second))
        if method == "absolute":
            total = float(differences.sum())
            return None if total <= tolerance else f"differences add up to {total:g}: want {tolerance:g} at most"
        if method == "relative":
            total = float(differences.sum() / max(float(numpy.abs(second).sum()), 5e-324))
            return None if total <= tolerance else f"differences are {total:g} of the sum: want {tolerance:g} at most"
        if method == "side-by-side-relative":
            differences = numpy.where(same, 0.0, differences / numpy.abs(second))
    bad = numpy.flatnonzero(~(differences <= tolerance))
    if bad.size == 0:
        return None
    place = int(bad[0])
    return f"{bad.size} of {wanted.size} elements differ; [{place}] is {first[place]:g} where {second[place]:g} is right"


class _Device:
    def __init__(self, platform: int, device: int) -> None:
        self.device = cl.get_platforms()[platform].get_devices()[device]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self._filled: dict[str, numpy.ndarray[Any, Any]] = {}
        self._references: dict[str, numpy.ndarray[Any, Any]] = {}

    def buffers(self, variant: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
        """Buffers by name; those of one name are one."""
        made: dict[str, tuple[Any, Any]] = {}
        for kernel in variant["kernels"]:
            for place, one in enumerate(kernel["args"]):
                if one["kind"] != "buffer":
                    continue
                name = one["name"] or f"{kernel['kernel']}[{place}]"
                key = json.dumps({**one, "name": "", "access": ""}, sort_keys=True)
                if key not in self._filled:
                    self._filled[key] = _filled(one)
                if name not in made:
                    data = self._filled[key]
                    made[name] = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, data.nbytes), data
        return made

    def kernels(self, variant: dict[str, Any], buffers: dict[str, tuple[Any, Any]]) -> list[tuple[Any, Any, Any, Any]]:
        made = []
        programs: dict[tuple[str, str], Any] = {}
        for one in variant["kernels"]:
            key = one["text"], one["options"]
            if key not in programs:
                programs[key] = cl.Program(self.context, one["text"]).build(one["options"], cache_dir=False)
            program = programs[key]
            names = [kernel.function_name for kernel in program.all_kernels()]
            if not one["kernel"] and len(names) != 1:
                raise ValueError(f"want the name of one of the kernels {', '.join(names)}")
            kernel = cl.Kernel(program, one["kernel"] or names[0])
            for place, argument in enumerate(one["args"]):
                if argument["kind"] == "buffer":
                    kernel.set_arg(place, buffers[argument["name"] or f"{one['kernel']}[{place}]"][0])
                    continue
                dtype, lanes = _element(argument["type"])
                if argument["kind"] == "local":
                    kernel.set_arg(place, cl.LocalMemory(argument["count"] * lanes * dtype.itemsize))
                else:
                    kernel.set_arg(place, numpy.full(lanes, argument["value"], dtype).tobytes())
            made.append((kernel, tuple(one["global"]), tuple(one["local"]) or None, tuple(one["offset"]) or None))
        return made

    def once(self, kernels: list[tuple[Any, Any, Any, Any]]) -> tuple[float, float, float]:
        """Of all kernels, one behind the other: from queued to submitted, from there to START, START to END."""
        events = [cl.enqueue_nd_range_kernel(self.queue, *one) for one in kernels]
        events[-1].wait()
        told = [event.profile for event in events]
        ns = (
            sum(one.submit - one.queued for one in told),
            sum(one.start - one.submit for one in told),
            sum(one.end - one.start for one in told),
        )
        return ns[0] * 1e-9, ns[1] * 1e-9, ns[2] * 1e-9

    def check(self, variant: dict[str, Any], buffers: dict[str, tuple[Any, Any]]) -> Optional[str]:
        for one in variant["references"]:
            wanted = self._references.get(one["file"])
            buffer, data = buffers[one["argument"]]
            if wanted is None:
                wanted = self._references[one["file"]] = numpy.fromfile(one["file"], data.dtype)
            made = numpy.empty_like(data)
            cl.enqueue_copy(self.queue, made, buffer)
            why = wrong(made, wanted, one["method"], one["tolerance"])
            if why is not None:
                return f"argument {one['argument']}: {why}"
        return None

    def fill(self, buffers: dict[str, tuple[Any, Any]]) -> None:
        for buffer, data in buffers.values():
            cl.enqueue_copy(self.queue, buffer, data)
        self.queue.finish()

    def run(self, variant: dict[str, Any]) -> dict[str, Any]:
        started = time.monotonic()
        buffers = self.buffers(variant)
        try:
            kernels = self.kernels(variant, buffers)
        except (cl.Error, ValueError) as error:
            return {"status": "compile", "why": _sentence(error), "compile_s": time.monotonic() - started}
        compile_s = time.monotonic() - started
        try:
            self.fill(buffers)
            self.once(kernels)
            checked = time.monotonic()
            why = self.check(variant, buffers)
            if why is not None:
                return {"status": "correctness", "why": why, "compile_s": compile_s}
            check_s = time.monotonic() - checked
            if variant.get("save"):
                for name, path in variant["save"].items():
                    buffer, data = buffers[name]
                    made = numpy.empty_like(data)
                    cl.enqueue_copy(self.queue, made, buffer)
                    made.tofile(path)
            runs: list[tuple[float, float, float]] = []
            begin = time.monotonic()
            while len(runs) < variant["runs"] and (len(runs) < 3 or time.monotonic() - begin < variant["budget_s"]):
                if variant["refill"]:
                    self.fill(buffers)
                runs.append(self.once(kernels))
            times = [one[2] for one in runs]
        except cl.Error as error:
            return {"status": "runtime", "why": _sentence(error), "compile_s": compile_s}
        return {
            "status": "correct",
            "time_s": statistics.median(times) if times else 0,
            "times_s": times,
            "events_s": [statistics.median(one) for one in zip(*runs)],
            "compile_s": compile_s,
            "check_s": check_s,
        }


def _sentence(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:400]


def main() -> None:
    out: TextIO = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    device: Optional[_Device] = None
    for line in sys.stdin:
        asked = json.loads(line)
        if device is None:
            device = _Device(asked["platform"], asked["device"])
            print(json.dumps({"status": "ready"}), file=out, flush=True)
            continue
        try:
            answer = device.run(asked)
        except (cl.Error, errors.Error, ValueError, OSError, MemoryError) as error:
            answer = {"status": "runtime", "why": _sentence(error)}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
