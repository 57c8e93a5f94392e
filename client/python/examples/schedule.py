#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schedule.py [STEPS]: a scheduler of tasks that depend on each other, on real OpenCL devices.

Tasks are those of a ring of tiles: in each step a tile is made of itself and its right neighbour,
with much arithmetic in every second task. A task goes where it will be finished first: when the
device is free, its inputs are made and have been copied there, and the launch has taken what
predictd says. One thread a device runs what was placed there; what it took is reported.

Needs pyopencl (python3-pyopencl in Debian) and a daemon with a calibrated device.
"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import predictd

try:
    import numpy
    import pyopencl as cl
except ImportError as error:
    sys.exit(f"schedule.py: {error}; type `apt-get install python3-pyopencl` or `pip install pyopencl`")

TILES, ITEMS, GROUP = 8, 65536, 64
TRIPS = (1, 200)
SOURCE = """
kernel void relax(global const float *a, global const float *b, global float *out, int trips)
{
	int i = get_global_id(0);
	float y = 0.5f * (a[i] + b[i]);
	for (int trip = 0; trip < trips; trip++)
		y = y + 0.125f * (1 - y * y);
	out[i] = y;
}
"""


@dataclass(frozen=True)
class Task:
    step: int
    tile: int

    @property
    def trips(self) -> int:
        return TRIPS[(self.step + self.tile) % 2]

    @property
    def inputs(self) -> list[int]:
        """Buffers; a step reads one half of them and writes the other."""
        return [self.step % 2 * TILES + (self.tile + right) % TILES for right in (0, 1)]

    @property
    def output(self) -> int:
        return (self.step + 1) % 2 * TILES + self.tile

    @property
    def before(self) -> list[Task]:
        """Those that made the inputs, or read what this one overwrites."""
        return [Task(self.step - 1, (self.tile + i) % TILES) for i in (-1, 0, 1)] if self.step > 0 else []


class Device:
    """A device with a queue of its own, and another for those who fetch from it."""

    def __init__(self, device: Any, known: predictd.Device) -> None:
        self.name, self.key = known.name, known.key
        self.upload_s = self.download_s = 0.0
        self.times_s: dict[int, float] = {}  # of a task, by its trips
        context = cl.Context([device])
        self.queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self.copies = cl.CommandQueue(context)
        self.kernel = cl.Kernel(cl.Program(context, SOURCE).build(), "relax")
        self.buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * ITEMS) for _ in range(2 * TILES)]

    def launch(self, task: Task) -> tuple[float, float]:
        """Seconds: of the kernel by its event, and of the whole task."""
        begin_s = time.perf_counter()
        inputs = [self.buffers[i] for i in task.inputs]
        self.kernel.set_args(*inputs, self.buffers[task.output], numpy.int32(task.trips))
        event = cl.enqueue_nd_range_kernel(self.queue, self.kernel, (ITEMS,), (GROUP,))
        event.wait()
        return 1e-9 * (event.profile.end - event.profile.start), time.perf_counter() - begin_s


def find_devices(daemon: predictd.Connection) -> list[Device]:
    """This process's devices that predictd has calibrated; of equals, one by one in their order."""
    known = [device for device in daemon.devices() if device.is_present and device.is_calibrated]
    found = []
    for platform in cl.get_platforms():
        for device in platform.get_devices():
            same = [one for one in known if (one.platform, one.name) == (platform.name, device.name)]
            if same:
                known.remove(same[0])
                found.append(Device(device, same[0]))
    return found


def question(program: predictd.Program, trips: int) -> predictd.Launch:
    tile = 4 * ITEMS
    buffers = [predictd.Buffer(tile, "r"), predictd.Buffer(tile, "r"), predictd.Buffer(tile, "w")]
    return predictd.Launch(program, ITEMS, GROUP, [*buffers, predictd.Scalar("int", trips)])


def ask(daemon: predictd.Connection, program: predictd.Program, devices: list[Device]) -> None:
    """What a task takes on each device, and what a tile takes there and back."""
    for device in devices:
        for trips in TRIPS:
            launch = question(program, trips)
            device.times_s[trips] = daemon.predict(launch, device=device.key).task_time_s
        moved = daemon.predict(launch, device=device.key, transfers=True)
        device.upload_s, device.download_s = moved.h2d_time_s / 2, moved.d2h_time_s


@dataclass
class Places:
    """Who holds a tile's value: numbers of devices, and None for the host."""

    of: list[set[int | None]] = field(default_factory=lambda: [{None} for _ in range(2 * TILES)])

    def move_s(self, buffer: int, to: int, devices: list[Device]) -> float:
        if to in self.of[buffer]:
            return 0
        holders = [devices[i] for i in self.of[buffer] if i is not None]
        down_s = 0 if None in self.of[buffer] else min(holder.download_s for holder in holders)
        return down_s + devices[to].upload_s


def plan(tasks: list[Task], devices: list[Device], count: int) -> tuple[dict[Task, int], float]:
    """Each task's device among the first `count`, where it is finished first; the makespan so."""
    places, chosen = Places(), {}
    free_at_s, ends_s = [0.0] * len(devices), dict[Task, float]()
    for task in tasks:
        ready_s = max((ends_s[before] for before in task.before), default=0)

        def end_s(i: int) -> float:
            moves_s = sum(places.move_s(buffer, i, devices) for buffer in task.inputs)
            return max(free_at_s[i], ready_s) + moves_s + devices[i].times_s[task.trips]

        best = min(range(count), key=end_s)
        chosen[task], free_at_s[best], ends_s[task] = best, end_s(best), end_s(best)
        for buffer in task.inputs:
            places.of[buffer] |= {best} if best in places.of[buffer] else {best, None}
        places.of[task.output] = {best}
    return chosen, max(ends_s.values())


class Run:
    """One run of a schedule, with a thread a device."""

    def __init__(self, devices: list[Device], chosen: dict[Task, int]) -> None:
        self.devices, self.chosen = devices, chosen
        self.hosts = [((numpy.arange(ITEMS) + i) % 100 / 100).astype(numpy.float32) for i in range(2 * TILES)]
        self.places = Places()
        self.copying = [threading.Lock() for _ in self.hosts]
        self.done = {task: threading.Event() for task in chosen}
        self.took: dict[Task, tuple[float, float]] = {}
        self.failure: Exception | None = None

    def to_host(self, buffer: int) -> None:
        if None not in self.places.of[buffer]:
            holder = self.devices[next(i for i in self.places.of[buffer] if i is not None)]
            cl.enqueue_copy(holder.copies, self.hosts[buffer], holder.buffers[buffer])
            self.places.of[buffer].add(None)

    def fetch(self, buffer: int, to: int) -> None:
        with self.copying[buffer]:
            if to not in self.places.of[buffer]:
                self.to_host(buffer)
                cl.enqueue_copy(self.devices[to].queue, self.devices[to].buffers[buffer], self.hosts[buffer])
                self.places.of[buffer].add(to)

    def work(self, on: int) -> None:
        try:
            self.run_tasks(on)
        except Exception as failure:
            self.failure = failure
            for done in self.done.values():  # nobody waits for what does not come
                done.set()

    def run_tasks(self, on: int) -> None:
        for task in (task for task, device in self.chosen.items() if device == on):
            for before in task.before:
                self.done[before].wait()
            for buffer in task.inputs:
                self.fetch(buffer, on)
            self.took[task] = self.devices[on].launch(task)
            self.places.of[task.output] = {on}
            self.done[task].set()

    def __call__(self) -> tuple[float, Any]:
        """Seconds, and the last step's tiles."""
        threads = [threading.Thread(target=self.work, args=(i,)) for i in range(len(self.devices))]
        begin_s = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failure is not None:
            raise self.failure
        makespan_s = time.perf_counter() - begin_s
        outputs = [task.output for task in list(self.chosen)[-TILES:]]
        for buffer in outputs:
            self.to_host(buffer)
        return makespan_s, numpy.concatenate([self.hosts[buffer] for buffer in outputs])


def main(steps: int) -> None:
    tasks = [Task(step, tile) for step in range(steps) for tile in range(TILES)]
    with predictd.connect() as daemon:
        devices = find_devices(daemon)
        if not devices:
            sys.exit('schedule.py: no calibrated OpenCL device: type "predictctl calibrate"')
        program = daemon.register(SOURCE, name="relax.cl")
        for device in devices:
            device.launch(tasks[0])  # compiles: nobody's to learn from
        alone = None
        for title in ("first device alone", "before any observation", "after one run", "after two runs"):
            ask(daemon, program, devices)
            chosen, predicted_s = plan(tasks, devices, 1 if alone is None else len(devices))
            run = Run(devices, chosen)
            measured_s, result = run()
            if alone is None:
                alone = result
            if not numpy.allclose(result, alone, rtol=1e-4):
                sys.exit("schedule.py: want the results of one device, got others")
            shares = [f"{list(chosen.values()).count(i)} tasks on {one.name}" for i, one in enumerate(devices)]
            times = f"predicted {1e3 * predicted_s:.2f} ms, measured {1e3 * measured_s:.2f} ms"
            print(f"{title}: {times};", ", ".join(shares))
            observations = [
                predictd.Observation(
                    question(program, task.trips),
                    kernel_time_s=run.took[task][0],
                    task_time_s=run.took[task][1],
                    device=devices[on].key,
                )
                for task, on in chosen.items()
            ]
            for refusal in filter(None, daemon.observe(observations)):
                raise refusal


if __name__ == "__main__":
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and not sys.argv[1].isdigit()) or sys.argv[1:] == ["0"]:
        sys.exit("usage: schedule.py [STEPS]")
    main(int(sys.argv[1]) if len(sys.argv) == 2 else 25)
