# SPDX-License-Identifier: Apache-2.0
"""memo.py DEVICE [COUNT]: what a question costs in Python, kept and asked, interleaved.

PREDICTD_SOCKET names the daemon.

    launch kept    of a launch that is made once
    launch made    of a launch that is made anew each time
    asked          over the socket, each time
    live           from a live pyopencl kernel, where pyopencl and a device of that key are here
"""

from __future__ import annotations

import sys
import time
from typing import Callable

import predictd

SOURCE = """
kernel void saxpy(global float *y, global const float *x, float a, int n)
{
	int i = get_global_id(0);
	if (i < n)
		y[i] += a * x[i];
}
"""
ITEMS, GROUP = 1 << 20, 64
ROUND = 100  # questions of one way, before those of the next


def live_question(device: predictd.Device) -> Callable[[], object]:
    """ImportError, LookupError: there is none."""
    import numpy
    import pyopencl as cl

    import predictd.pyopencl

    for platform in cl.get_platforms():
        for one in platform.get_devices():
            if predictd.pyopencl.device_key(one) != device.key:
                continue
            context = cl.Context([one])
            queue = cl.CommandQueue(context)
            kernel = cl.Kernel(cl.Program(context, SOURCE).build(), "saxpy")
            buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * ITEMS) for _ in range(2)]
            values = numpy.float32(2), numpy.int32(ITEMS)
            return lambda: predictd.pyopencl.predict(kernel, queue, (ITEMS,), (GROUP,), *buffers, *values)
    raise LookupError("no device of this process has the key")


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    name, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 20000
    with predictd.connect() as daemon:
        program = daemon.register(SOURCE)

        def made() -> predictd.Launch:
            arguments = [predictd.Buffer(4 * ITEMS), predictd.Buffer(4 * ITEMS, "r"),
                         predictd.Scalar("float", 2), predictd.Scalar("int", ITEMS)]
            return predictd.Launch(program, ITEMS, GROUP, arguments)

        launch = made()
        key = daemon.predict(launch, name).device_key
        device = next(one for one in daemon.devices() if one.key == key)
        ways: dict[str, Callable[[], object]] = {
            "launch kept": lambda: daemon.predict(launch, name),
            "launch made": lambda: daemon.predict(made(), name),
            "asked": lambda: daemon.predict(launch, name, explain=True),
        }
        try:
            ways["live"] = live_question(device)
        except (ImportError, LookupError) as error:
            print(f"live: left out, {error}")
        for ask in ways.values():
            ask()
        times_s: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(max(count // ROUND, 1)):
            for way, ask in ways.items():
                for _ in range(ROUND if way != "asked" else ROUND // 10):
                    begin = time.perf_counter()
                    ask()
                    times_s[way].append(time.perf_counter() - begin)
        for way, times in times_s.items():
            times.sort()
            middle, most = times[len(times) // 2], times[len(times) * 99 // 100]
            print(f"a question in Python, {way:12s} {1e6 * middle:8.2f} us, 99 % {1e6 * most:8.2f} us, of {len(times)}")


if __name__ == "__main__":
    main()
