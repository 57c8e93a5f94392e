# SPDX-License-Identifier: Apache-2.0
"""Hostile sources: how long each takes to be answered, and what they cost another user.

    sources.py [--source NAME]... [--few] [--busy N] [--flood S]

Each source of hostile.py is registered with a daemon; the answer is the program, or a refusal that says why. With
--busy N, so many processes that never rest run beside. With --flood S, one user registers all of them for so many
seconds, again and again, while another registers small new kernels. Times are printed. Asserted is that each is
answered by kernels or a refusal that says why, that what is the source's own fault is found out once, and that the
daemon lives. To be other users takes root. Environment: see tests/integration/common.sh.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import predictd
from attacks import ATTACKER, PAUSE_S, VICTIM, Wire, child_of, received, wires
from hostile import SOURCES
from predictd import predictd_pb2 as pb

CONNECTIONS = 16
FEW = 4
INVALID, SYNTAX, LIMIT, TIMEOUT = 1, 2, 4, 10  # model/status.h
ANSWER_S = 60  # then it counts as not answered at all
GOAL_S = 3  # slower ones are marked
SMALL = "kernel void k(global float *a) {{ a[get_global_id(0)] *= {number}.0f; }}\n"


def program(name: str) -> pb.Program:
    made = SOURCES[name]()
    if isinstance(made, str):
        made = pb.Program(source=made.encode())
    made.name = "h.cl"
    return made


@contextmanager
def daemon(scratch: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    path = str(scratch / "predictd.sock")
    config = scratch / "predictd.conf"
    config.write_text(f"[calibration]\nat_start = never\n[daemon]\nsocket = {path}\nstate = {scratch}/state\nsocket_mode = 0666\n")
    with (scratch / "log").open("wb") as log:
        process = subprocess.Popen(
            [os.environ["PREDICTD"], "--config", str(config)],
            env={**os.environ, "OCL_ICD_VENDORS": "/nonexistent"},
            stdout=log,
            stderr=log,
        )
    try:
        for _ in range(300):
            try:
                with predictd.Connection(path, timeout_s=10) as connection:
                    connection.register(SMALL.format(number=0))
                break
            except predictd.Error:
                time.sleep(0.1)
        yield process, path
        if process.poll() is not None:
            print((scratch / "log").read_text(errors="replace")[-4000:])
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(60)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that never rest."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def answered(wire: Wire, what: pb.Program) -> tuple[float, pb.Response]:
    wire.socket.settimeout(ANSWER_S)
    begin = time.monotonic()
    wire.say(pb.Request(id=2, register_program=pb.RegisterProgram(program=what)))
    answer = wire.read()
    return time.monotonic() - begin, answer


def outcome(answer: pb.Response) -> str:
    """What came of it, in a line."""
    if answer.HasField("error"):
        return f"{answer.error.status}: {answer.error.text}"
    told = answer.register_program
    unsupported = [kernel.unsupported for kernel in told.kernels if kernel.unsupported]
    why = f", {len(unsupported)} of them not: {unsupported[0][:100]}" if unsupported else ""
    return f"{len(told.kernels)} kernels{why}"


def analyses(wire: Wire) -> int:
    wire.say(pb.Request(id=3, status=pb.Status()))
    return wire.read().status.analyses


def is_found_out_once(wire: Wire, what: pb.Program, first: pb.Response) -> bool:
    """The same source gets the same answer, without an analysis."""
    before = analyses(wire)
    again = answered(wire, what)[1]
    if "the analyser gave up" in first.error.text:  # it could not say why
        return True
    return again.error == first.error and analyses(wire) == before


def each(path: str, names: list[str]) -> Iterator[tuple[bool, str]]:
    """Each source, one after the other; each on a connection of its own."""
    times = []
    for name in names:
        what = program(name)
        took, text, is_clear = float(ANSWER_S), "not answered", False
        try:
            wire = Wire(path)
            took, answer = answered(wire, what)
            text, status = outcome(answer), answer.error.status
            is_clear = status in (0, INVALID, SYNTAX, LIMIT, TIMEOUT)
            if is_clear and status != TIMEOUT:
                is_clear = is_found_out_once(wire, what, answer)
        except (OSError, EOFError) as error:
            text = f"not answered: {error!r}"
        times.append(took)
        slow = "  SLOW" if took > GOAL_S else ""
        print(f"# {name:30} {len(what.source):>9} bytes {took:8.3f} s  {text}{slow}", flush=True)
        yield is_clear, f"{name}: {text}"
    times.sort()
    print(
        f"# {len(times)} sources: median {times[len(times) // 2]:.3f} s, at most {times[-1]:.3f} s, "
        f"{sum(took > GOAL_S for took in times)} above {GOAL_S} s",
        flush=True,
    )


def attack(path: str, names: list[str], under_way: int) -> None:
    """All of them, again and again, on many connections; new ones each time but for every other round."""
    programs = [program(name) for name in names]
    connections = wires(path, CONNECTIONS)
    os.write(under_way, b".")
    for number in range(1 << 30):
        what = programs[number % len(programs)]
        if number // len(programs) % 2:
            what = pb.Program(name=what.name, source=b"// %d\n" % number + what.source, headers=what.headers)
        wire = connections[number % len(connections)]
        try:
            if number >= len(connections):
                wire.socket.settimeout(ANSWER_S)
                wire.read()
            wire.say(pb.Request(id=number + 2, register_program=pb.RegisterProgram(program=what)))
        except (OSError, EOFError):
            connections[number % len(connections)] = Wire(path)


def register_small(path: str, seconds: float, done: socket.socket) -> None:
    """Registers new small kernels for so long; sends how long each took."""
    times: list[float] = []
    end = time.monotonic() + seconds
    with predictd.Connection(path, timeout_s=ANSWER_S) as connection:
        while time.monotonic() < end:
            source = SMALL.format(number=len(times) + 1)
            begin = time.monotonic()
            connection.register(source)
            times.append(time.monotonic() - begin)
            time.sleep(PAUSE_S)
    done.sendall(struct.pack(f"<{len(times)}d", *times))


def flood(path: str, names: list[str], seconds: float) -> Iterator[tuple[bool, str]]:
    under_way, told = os.pipe()
    attacker = child_of(ATTACKER, lambda: attack(path, names, told))
    os.close(told)
    try:
        is_under_way = os.read(under_way, 1) != b""
        time.sleep(seconds / 4)
        ours, theirs = socket.socketpair()
        victim = child_of(VICTIM, lambda: register_small(path, seconds, theirs))
        theirs.close()
        times = received(ours)
        status = os.waitpid(victim, 0)[1]
        is_under_way = is_under_way and os.waitpid(attacker, os.WNOHANG) == (0, 0)
    finally:
        os.kill(attacker, signal.SIGKILL)
    if times:
        first = times[0]
        times.sort()
        print(
            f"# flood: another user's {len(times)} small kernels: the first {1e3 * first:.1f} ms, median {1e3 * times[len(times) // 2]:.1f} ms, "
            f"99 % {1e3 * times[len(times) * 99 // 100]:.1f} ms, at most {1e3 * times[-1]:.1f} ms",
            flush=True,
        )
    yield is_under_way, "flood: the attack went on"
    yield status == 0 and len(times) > 0, "flood: the other user is answered"


def tests(options: argparse.Namespace, scratch: Path) -> Iterator[tuple[bool, str]]:
    names = options.source or list(SOURCES)[:: FEW if options.few else 1]
    with daemon(scratch) as (process, path), busy(options.busy):
        if options.flood == 0:
            yield from each(path, names)
        elif os.geteuid() == 0:
            yield from flood(path, names, options.flood)
        with predictd.Connection(path, timeout_s=ANSWER_S) as connection:
            connection.register(SMALL.format(number=1 << 20))
        yield process.poll() is None, "the daemon lives and answers"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", choices=SOURCES, action="append", metavar="NAME", help="of hostile.py; all")
    parser.add_argument("--few", action="store_true", help=f"one in {FEW} of all")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="processes beside that never rest")
    parser.add_argument("--flood", type=float, default=0, metavar="S", help="all of them at once, for so long")
    options = parser.parse_args()
    number = failures = 0
    with tempfile.TemporaryDirectory(prefix="predictd-sources.") as folder:
        os.chmod(folder, 0o755)
        for is_ok, sentence in tests(options, Path(folder)):
            number += 1
            failures += not is_ok
            print(f"{'ok' if is_ok else 'not ok'} {number} - {sentence}", flush=True)
    print(f"1..{number}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
