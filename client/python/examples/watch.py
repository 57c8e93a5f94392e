#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""watch.py [ROUNDS]: live pyopencl objects as questions; what launches took, beside what was predicted.

A matrix is transposed with tiles of three sizes. The fastest is chosen before anything has run. Then all are
launched ROUNDS times (100), and the table says how they did. What they took is reported.

Needs pyopencl (python3-pyopencl in Debian) and a daemon with a calibrated device.
"""

from __future__ import annotations

import sys

try:
    import numpy
    import pyopencl as cl
except ImportError as error:
    sys.exit(f"watch.py: {error}; type `apt-get install python3-pyopencl` or `pip install pyopencl`")

import predictd
import predictd.pyopencl as bridge

SIDE = 1024
SOURCE = """
kernel void transpose(global const float *in, global float *out, int side, local float *tile)
{
	int x = get_global_id(0), y = get_global_id(1), size = get_local_size(0);
	tile[get_local_id(1) * (size + 1) + get_local_id(0)] = in[y * side + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	x = get_group_id(1) * size + get_local_id(0);
	y = get_group_id(0) * size + get_local_id(1);
	out[y * side + x] = tile[get_local_id(0) * (size + 1) + get_local_id(1)];
}
"""


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    transpose = cl.Kernel(cl.Program(context, SOURCE).build(), "transpose")
    host = numpy.random.default_rng(1).random((SIDE, SIDE), dtype=numpy.float32)
    flags = cl.mem_flags
    given = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=host)
    made = cl.Buffer(context, flags.WRITE_ONLY, host.nbytes)

    def launch(size: int) -> tuple[object, ...]:
        local = cl.LocalMemory(4 * size * (size + 1))
        return (SIDE, SIDE), (size, size), given, made, numpy.int32(SIDE), local

    sizes = (4, 8, 16)
    answers = {size: bridge.predict(transpose, queue, *launch(size)) for size in sizes}
    best = min(sizes, key=lambda size: answers[size].kernel_time_s)
    print(f"before any has run, tiles of {best} are said to be the fastest on {queue.device.name}")

    with bridge.watch(queue, observe=True) as block:
        for _ in range(rounds):
            for size in sizes:
                transpose(queue, *launch(size))
    print(block)
    bridge.flush()

    after = {size: bridge.predict(transpose, queue, *launch(size)) for size in sizes}
    best = min(sizes, key=lambda size: after[size].kernel_time_s)
    print(f"from what they took, tiles of {best} are")
    result = numpy.empty_like(host)
    cl.enqueue_copy(queue, result, made)
    if not numpy.array_equal(result, host.T):
        sys.exit("watch.py: the matrix is not transposed")


if __name__ == "__main__":
    try:
        main()
    except predictd.Error as failure:
        sys.exit(f"watch.py: {failure}")
