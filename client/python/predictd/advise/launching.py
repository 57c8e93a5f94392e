# SPDX-License-Identifier: Apache-2.0
"""What-ifs of a build and of what is around a launch: options, literals, copies, many launches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterator, Optional, Union

from .. import errors
from ..arguments import Buffer, Image
from ..client import Connection
from ..source import Source
from ..values import Device, Launch, Prediction, Program

# what relaxes least first: a further one is told where it brings as much again
OPTIONS = ("-cl-mad-enable", "-cl-denorms-are-zero", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math")
SINGLE = "-cl-single-precision-constant"
CHUNKS = (2, 4, 8)


@dataclass(frozen=True)
class Changed:
    """A launch after a change, beside the same without: seconds."""

    rule: str
    what: str
    is_sure: bool
    before_s: tuple[float, float, float]  # the time, and the ends of its interval
    after_s: tuple[float, float, float]


def times_of(one: Prediction, beside_s: float = 0.0) -> tuple[float, float, float]:
    return one.kernel_time_s + beside_s, one.low_s + beside_s, one.high_s + beside_s


def _answer(daemon: Connection, program: Union[Program, errors.Error], launch: Launch, device: str) -> Optional[Prediction]:
    if isinstance(program, errors.Error):
        return None
    try:
        return daemon.predict(replace(launch, program=program), device, static_only=True)
    except (errors.Invalid, errors.Unsupported, errors.NotFound):
        return None


def of_build(
    daemon: Connection, source: Source, launch: Launch, device: str, before: Prediction, has_doubles: bool
) -> Iterator[Changed]:
    """Options that are not given yet. A literal that is made a float is what an option does to all of them."""
    given = source.options.split()
    wanted = [one for one in OPTIONS if one not in given and "-cl-fast-relaxed-math" not in given]
    if has_doubles and SINGLE not in given:
        wanted.append(SINGLE)
    if "-cl-opt-disable" in given:
        wanted.append("-cl-opt-disable")
    if not wanted:
        return
    texts = [" ".join(one for one in given if one != wish) if wish in given else " ".join([*given, wish]) for wish in wanted]
    programs = daemon.register_variants(replace(source, options=""), texts)
    best_s = before.kernel_time_s
    for wish, program in zip(wanted, programs):
        after = _answer(daemon, program, launch, device)
        if after is None:
            continue
        made = times_of(before), times_of(after)
        if wish == SINGLE:
            yield Changed("float", "write floating literals with the suffix f: they make doubles of what is computed with them", True, *made)
        elif wish in given:
            yield Changed("options", f"build without {wish}", True, *made)
        elif after.kernel_time_s < 0.97 * best_s:
            best_s = after.kernel_time_s
            yield Changed("options", f"build with {wish}, if its rules of arithmetic are enough", True, *made)


def _copied(launch: Launch) -> tuple[int, int]:
    """Buffers and images that go to the device, and from it."""
    copied = [one for one in launch.arguments if isinstance(one, (Buffer, Image))]
    return sum("r" in one.access for one in copied), sum("w" in one.access for one in copied)


def of_transfers(daemon: Connection, launch: Launch, device: Device) -> Iterator[Changed]:
    """What copies before and after the launch add. Each is the whole: copies, launch, kernel."""
    before = daemon.predict(launch, device.key, static_only=True, transfers=True)
    beside_s = before.h2d_time_s + before.launch_time_s + before.d2h_time_s
    whole = times_of(before, beside_s)
    pinned = daemon.predict(launch, device.key, static_only=True, transfers=True, pinned=True)
    yield Changed(
        "pinned", "copy from and to memory that the driver allocated: CL_MEM_ALLOC_HOST_PTR, mapped", True, whole,
        times_of(pinned, pinned.h2d_time_s + pinned.launch_time_s + pinned.d2h_time_s),
    )  # fmt: skip
    latencies = [device.coefficients.get(f"transfer.{way}.latency_s", 0.0) for way in ("h2d", "d2h")]
    ways = _copied(launch)
    saved_s = sum(max(count - 1, 0) * latency_s for count, latency_s in zip(ways, latencies))
    yield Changed(
        "copies", f"copy {sum(ways)} buffers as one each way: each copy takes time to begin", False, whole,
        tuple(one - saved_s for one in whole),  # type: ignore[arg-type]
    )  # fmt: skip
    # a pipeline of equal parts: all of the first, then the slowest stage of each other one
    parts = [before.h2d_time_s - latencies[0] * ways[0], before.kernel_time_s, before.d2h_time_s - latencies[1] * ways[1]]
    fixed_s = [latencies[0] * ways[0], before.launch_time_s, latencies[1] * ways[1]]
    times = []
    for chunks in CHUNKS:
        stages = [max(part, 0) / chunks + fixed for part, fixed in zip(parts, fixed_s)]
        times.append((sum(stages) + (chunks - 1) * max(stages), chunks))
    time_s, chunks = min(times)
    scale = time_s / whole[0]
    yield Changed(
        "overlap", f"copy and run {chunks} parts in turn, so that copies overlap the kernel, if parts do not need each other", False,
        whole, tuple(one * scale for one in whole),  # type: ignore[arg-type]
    )  # fmt: skip


def of_launches(before: Prediction, launches: int) -> Iterator[Changed]:
    """Of so many launches that follow each other over the same data: one in their place begins once, and moves
    the data once. What is computed remains."""
    if launches < 2:
        return
    begin_s = before.launch_time_s
    computed = min(max(before.elasticities.get("arithmetic", 0.0), 0.0), 1.0)
    whole = times_of(before, begin_s)
    share = (begin_s + before.kernel_time_s * (1 + (launches - 1) * computed)) / (launches * whole[0])
    yield Changed(
        "fuse", f"make one launch of {launches}, if they go over the same data: each takes {1e6 * begin_s:.3g} us to begin", False,
        whole, tuple(one * share for one in whole),  # type: ignore[arg-type]
    )  # fmt: skip
