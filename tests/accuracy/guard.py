#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of a file on a CPU device with each buffer between pages that nobody may touch.

    tests/accuracy/guard.py CASES [BYTES_MAX]

An access outside a buffer ends the process with SIGSEGV, a division of integers by zero with SIGFPE;
the last line printed names the case. Each case runs twice: buffers begin, then end, at such a page.
Integers are drawn from their `range`, ends included; of what has none, `init` says what it holds. Cases whose
buffers take more than BYTES_MAX (64 MiB) are left out."""

import array
import ctypes
import random
import sys
from pathlib import Path
from typing import Any

from casefile import cases_load

PAGE = 4096
PROT_NONE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS = 0, 3, 0x22
CL_DEVICE_TYPE_CPU, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR = 2, 1, 8
SCALARS: dict[str, Any] = {
    "char": ctypes.c_int8,
    "uchar": ctypes.c_uint8,
    "short": ctypes.c_int16,
    "ushort": ctypes.c_uint16,
    "int": ctypes.c_int,
    "uint": ctypes.c_uint,
    "long": ctypes.c_int64,
    "ulong": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Guarded:
    """Memory with an inaccessible page before and after it."""

    def __init__(self, size: int, is_at_end: bool) -> None:
        inner = -(-size // PAGE) * PAGE
        self.whole = inner + 2 * PAGE
        self.base = libc.mmap(None, self.whole, PROT_NONE, MAP_PRIVATE_ANONYMOUS, -1, 0)
        if self.base in (None, ctypes.c_void_p(-1).value):
            raise MemoryError
        libc.mprotect(self.base + PAGE, inner, PROT_READ_WRITE)
        self.address = self.base + PAGE + (inner - size if is_at_end else 0)

    def free(self) -> None:
        libc.munmap(self.base, self.whole)


def contents(argument: dict[str, Any]) -> bytes:
    """What the buffer starts with: for integers a cycle through random values and both ends."""
    size = argument["buffer"]
    init = argument.get("init", "zero")
    draw = random.Random(init)
    what, *numbers = init.split(":")
    if init == "zero":
        return bytes(size)
    if what == "iota":
        return array.array("i", range(size // 4)).tobytes()
    if what == "csr_rowptr":
        return row_starts(int(numbers[0]), int(numbers[1]), draw)
    if "range" in argument or what == "rand_index":
        low, high = argument.get("range") or (0, int(numbers[0]) - 1)
        cycle = array.array("i", [high, low] + [draw.randint(low, high) for _ in range(1021)])
    elif what == "rand_u32":
        cycle = array.array("I", [draw.getrandbits(32) for _ in range(1023)])
    elif numbers:
        bounds = [float(number) for number in numbers]
        cycle = array.array("f", bounds + [draw.uniform(*bounds) for _ in range(1021)])
    else:
        cycle = array.array("d" if init == "rand_double" else "f", [1 + draw.random() for _ in range(1023)])
    return (cycle.tobytes() * (size // (len(cycle) * cycle.itemsize) + 1))[:size]


def row_starts(rows: int, each: int, draw: random.Random) -> bytes:
    """Rows of any length, rows * each entries in all."""
    starts = [0] + sorted(draw.randint(0, rows * each) for _ in range(rows - 1)) + [rows * each]
    return array.array("i", starts).tobytes()


def scalar(argument: dict[str, Any]) -> Any:
    """A number, or one of OpenCL's vectors, as it goes to the kernel."""
    name = argument["scalar"]
    base = SCALARS[name.rstrip("0123456789")]
    if not isinstance(argument["value"], list):
        return base(argument["value"])
    values = argument["value"]
    return (base * (4 if len(values) == 3 else len(values)))(*values)


class Device:
    """The first CPU of any platform."""

    def __init__(self) -> None:
        self.cl = ctypes.CDLL("libOpenCL.so.1")
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource"):
            getattr(self.cl, name).restype = ctypes.c_void_p
        for name in ("clCreateKernel", "clCreateBuffer"):
            getattr(self.cl, name).restype = ctypes.c_void_p
        count = ctypes.c_uint()
        platforms = (ctypes.c_void_p * 16)()
        self.device = ctypes.c_void_p()
        if self.cl.clGetPlatformIDs(16, platforms, ctypes.byref(count)) != 0:
            count.value = 0
        for platform in platforms[: count.value]:
            arguments = (ctypes.c_void_p(platform), ctypes.c_ulong(CL_DEVICE_TYPE_CPU), 1)
            if self.cl.clGetDeviceIDs(*arguments, ctypes.byref(self.device), None) == 0:
                break
        else:
            sys.exit("guard.py: no CPU device")
        code = ctypes.c_int()
        self.context = ctypes.c_void_p(
            self.cl.clCreateContext(None, 1, ctypes.byref(self.device), None, None, ctypes.byref(code))
        )
        self.queue = ctypes.c_void_p(
            self.cl.clCreateCommandQueue(self.context, self.device, ctypes.c_ulong(0), ctypes.byref(code))
        )
        self.check("no queue", code.value)

    @staticmethod
    def check(what: str, code: int) -> None:
        if code != 0:
            sys.exit(f"guard.py: {what}: {code}")

    def kernel(self, path: Path, name: str, options: str) -> ctypes.c_void_p:
        code = ctypes.c_int()
        text = ctypes.c_char_p(path.read_bytes())
        program = ctypes.c_void_p(
            self.cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text), None, ctypes.byref(code))
        )
        built = self.cl.clBuildProgram(program, 0, None, options.encode(), None, None)
        if built != 0:
            log = ctypes.create_string_buffer(4096)
            self.cl.clGetProgramBuildInfo(program, self.device, 0x1183, ctypes.c_size_t(4096), log, None)
            sys.exit(f"guard.py: {path}: {log.value.decode(errors='replace')}")
        kernel = ctypes.c_void_p(self.cl.clCreateKernel(program, name.encode(), ctypes.byref(code)))
        self.check(f"{path}: no kernel", code.value)
        return kernel

    def buffer(self, memory: Guarded, size: int) -> ctypes.c_void_p:
        code = ctypes.c_int()
        flags = ctypes.c_ulong(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR)
        where = ctypes.c_void_p(memory.address)
        handle = self.cl.clCreateBuffer(self.context, flags, ctypes.c_size_t(size), where, ctypes.byref(code))
        self.check("no buffer", code.value)
        return ctypes.c_void_p(handle)

    def run(self, case: dict[str, Any], kernel: ctypes.c_void_p, is_at_end: bool) -> None:
        guarded: list[Guarded] = []
        handles: list[ctypes.c_void_p] = []
        for i, argument in enumerate(case["args"]):
            if "buffer" in argument:
                size = argument["buffer"]
                guarded.append(Guarded(size, is_at_end))
                ctypes.memmove(guarded[-1].address, contents(argument), size)
                handles.append(self.buffer(guarded[-1], size))
                value: Any = handles[-1]
            elif "local" in argument:
                self.check(f"argument {i}", self.cl.clSetKernelArg(kernel, i, ctypes.c_size_t(argument["local"]), None))
                continue
            else:
                value = scalar(argument)
            width = ctypes.c_size_t(ctypes.sizeof(value))
            self.check(f"argument {i}", self.cl.clSetKernelArg(kernel, i, width, ctypes.byref(value)))
        dimensions = len(case["global"])
        sizes = [(ctypes.c_size_t * 3)(*case[key]) for key in ("global", "local")]
        enqueued = self.cl.clEnqueueNDRangeKernel(
            self.queue, kernel, dimensions, None, *sizes, 0, None, None
        )
        self.check("clEnqueueNDRangeKernel", enqueued)
        self.check("clFinish", self.cl.clFinish(self.queue))
        for handle in handles:
            self.cl.clReleaseMemObject(handle)
        for memory in guarded:
            memory.free()


def main() -> None:
    path = Path(sys.argv[1])
    bytes_max = int(sys.argv[2]) if len(sys.argv) > 2 else 64 << 20
    cases = cases_load(path)
    device = Device()
    ran = 0
    for case in cases:
        if sum(argument.get("buffer", 0) for argument in case["args"]) > bytes_max:
            continue
        print(case["id"], flush=True)
        kernel = device.kernel(path.parent / case["file"], case["kernel"], case.get("options", ""))
        for is_at_end in (False, True):
            device.run(case, kernel, is_at_end)
        ran += 1
    print(f"ran {ran} cases")


if __name__ == "__main__":
    main()
