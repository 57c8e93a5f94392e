# SPDX-License-Identifier: Apache-2.0
"""Cases of a cases file run by PyOpenCL, to see what they write. Data comes from what a case calls
`init`, by the argument's position, so that two cases get the same."""

import warnings
from pathlib import Path
from typing import Any

import numpy
import pyopencl

ADVISE = Path(__file__).resolve().parent
TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "long": "i8", "ulong": "u8", "half": "f2", "float": "f4", "double": "f8",
}  # fmt: skip
CHANNELS = {"r32f": ("R", "FLOAT", 1, "f4"), "rgba32f": ("RGBA", "FLOAT", 4, "f4"), "rgba8": ("RGBA", "UNORM_INT8", 4, "u1")}


def element(type_name: str) -> numpy.dtype:
    """Of `uchar16*`, or `const float*`: what one number of it is."""
    base = type_name.replace("const", "").strip().rstrip("*").strip().rstrip("0123456789")
    return numpy.dtype(TYPES.get(base, "u1"))


def made(init: str, size_bytes: int, position: int) -> numpy.ndarray:
    """What a cases file calls `init`, as bytes; the same for each launch."""
    source = numpy.random.default_rng(position)
    name, *bounds = init.split(":")
    if name == "zero":
        return numpy.zeros(size_bytes, "u1")
    if name == "iota":
        return numpy.arange(size_bytes // 4, dtype="i4").view("u1")
    if name in ("rand_float", "rand_double"):
        low, high = map(float, bounds or (0, 1))
        kind = "f4" if name == "rand_float" else "f8"
        count = size_bytes // numpy.dtype(kind).itemsize
        return (low + (high - low) * source.random(count)).astype(kind).view("u1")
    if name == "rand_u32":
        return source.integers(0, 1 << 32, -(-size_bytes // 4), "u4").view("u1")[:size_bytes].copy()
    if name == "rand_index":
        return source.integers(0, int(bounds[0]), size_bytes // 4, "i4").view("u1")
    if name == "csr_rowptr":
        rows, each = map(int, bounds)
        return (numpy.arange(rows + 1, dtype="i4") * each).view("u1")
    raise ValueError(f"{init}: no such data")


class Launches:
    """Launches one after the other: buffers at the same position are one buffer."""

    def __init__(self, context: pyopencl.Context, cases: list[dict[str, Any]]) -> None:
        self.context, self.queue, self.cases = context, pyopencl.CommandQueue(context), cases
        self.kernels = []
        for case in cases:
            source = (ADVISE / case["file"]).read_text()
            options = case.get("options", "").split() + ["-cl-kernel-arg-info"]
            self.kernels.append(pyopencl.Kernel(pyopencl.Program(context, source).build(options), case["kernel"]))
        first = self.kernels[0]
        self.kinds = [element(first.get_arg_info(i, pyopencl.kernel_arg_info.TYPE_NAME)) for i in range(first.num_args)]
        self.memory: dict[int, Any] = {}

    def data(self) -> dict[int, numpy.ndarray]:
        found = {}
        for i, argument in enumerate(self.cases[0]["args"]):
            if "buffer" in argument:
                found[i] = made(argument["init"], argument["buffer"], i)
            elif "image" in argument:
                _, _, channels, kind = CHANNELS[argument["format"]]
                width, height = argument["image"]
                found[i] = made(argument.get("init", "zero"), width * height * channels * numpy.dtype(kind).itemsize, i)
        return found

    def argument(self, i: int, argument: dict[str, Any], data: dict[int, numpy.ndarray]) -> Any:
        flags = pyopencl.mem_flags
        if "scalar" in argument:
            kind = argument["scalar"]
            base, width = kind.rstrip("0123456789"), kind[len(kind.rstrip("0123456789")) :]
            if width:
                values = numpy.array(argument["value"], TYPES[base])
                return numpy.resize(values, 4) if width == "3" else values
            return numpy.dtype(TYPES[base]).type(argument["value"])
        if "local" in argument:
            return pyopencl.LocalMemory(argument["local"])
        if "sampler" in argument:
            linear = argument["sampler"] == "linear"
            mode = pyopencl.filter_mode.LINEAR if linear else pyopencl.filter_mode.NEAREST
            return pyopencl.Sampler(self.context, False, pyopencl.addressing_mode.CLAMP_TO_EDGE, mode)
        if i not in self.memory and "image" in argument:
            order, channel, channels, kind = CHANNELS[argument["format"]]
            layout = pyopencl.ImageFormat(getattr(pyopencl.channel_order, order), getattr(pyopencl.channel_type, channel))
            self.memory[i] = pyopencl.Image(
                self.context, flags.READ_WRITE | flags.COPY_HOST_PTR, layout,
                tuple(argument["image"]), hostbuf=data[i],
            )  # fmt: skip
        elif i not in self.memory:
            self.memory[i] = pyopencl.Buffer(self.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=data[i])
        return self.memory[i]

    def run(self, data: dict[int, numpy.ndarray]) -> dict[int, numpy.ndarray]:
        for case, kernel in zip(self.cases, self.kernels):
            kernel.set_args(*(self.argument(i, a, data) for i, a in enumerate(case["args"])))
            local = tuple(case["local"]) if "local" in case else None
            pyopencl.enqueue_nd_range_kernel(self.queue, kernel, tuple(case["global"]), local)
        written = {}
        for i, memory in self.memory.items():
            if not any(case["args"][i]["access"] != "r" for case in self.cases):
                continue
            if isinstance(memory, pyopencl.Image):
                written[i] = numpy.empty_like(data[i])
                pyopencl.enqueue_copy(
                    self.queue, written[i], memory, origin=(0, 0), region=tuple(self.cases[0]["args"][i]["image"])
                )
            else:
                written[i] = numpy.empty(memory.size, "u1")
                pyopencl.enqueue_copy(self.queue, written[i], memory)
        self.queue.finish()
        for memory in self.memory.values():
            memory.release()
        self.memory.clear()
        return written


def context_of(name: str) -> pyopencl.Context | None:
    """Of the first device whose name has this in it."""
    warnings.filterwarnings("ignore", category=pyopencl.CompilerWarning)
    devices = [d for p in pyopencl.get_platforms() for d in p.get_devices() if name in d.name]
    return pyopencl.Context(devices[:1]) if devices else None
