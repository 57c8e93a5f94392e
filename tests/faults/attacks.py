# SPDX-License-Identifier: Apache-2.0
"""What a hostile user costs the others: memory of the daemon, and another user's status.

    attacks.py [--attack NAME] [--seconds S]

Each attack runs as one user on many connections; another user asks for the status every few milliseconds.
Bounds are asserted of memory, during the attack and after it; times are printed. To be other users takes root.
Environment: see tests/integration/common.sh.
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
from collections.abc import Callable, Iterator
from pathlib import Path

import predictd
from hostile import loops_in_a_row, nested_ternaries
from predictd import predictd_pb2 as pb

ROOT = Path(os.environ["SOURCE_ROOT"])
ATTACKER, VICTIM = 65534, 65533
CONNECTIONS = 124
MEBI = 1 << 20
RESIDENT_MAX = 256 * MEBI
LEFT_MAX = 32 * MEBI
PAUSE_S = 0.005
SETTLED_S = 20
DEVICE = "pthread-skylake"  # of the calibration that is imported


# ---- the wire ------------------------------------------------------------------------------------


def framed(request: pb.Request) -> bytes:
    data = request.SerializeToString()
    return struct.pack("<I", len(data)) + data


class Wire:
    """A connection that says what it likes, and reads when it likes."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.say(pb.Request(id=1, hello=pb.Hello(protocol=1, client="attack")))
        self.read()

    def say(self, request: pb.Request) -> None:
        self.socket.sendall(framed(request))

    def read(self) -> pb.Response:
        size = struct.unpack("<I", self.exactly(4))[0]
        return pb.Response.FromString(self.exactly(size))

    def exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            got = self.socket.recv(min(size - len(data), MEBI))
            if not got:
                raise EOFError("the daemon closed the connection")
            data += got
        return bytes(data)


def wires(path: str, count: int) -> list[Wire]:
    return [Wire(path) for _ in range(count)]


# ---- attacks: each yields once it is under way, and lasts until it is told off ------------------------


def kernels(count: int, arguments: int, length: int) -> str:
    """So many kernels of a short source, with so many arguments of such long names."""
    names = [f"{'a' * length}{number}" for number in range(arguments - 1)]
    return (
        f"#define ARGUMENTS global int *o, {', '.join(f'global float *{name}' for name in names)}\n"
        "#define K(n) kernel void k##n(ARGUMENTS) { o[get_global_id(0)] = n; }\n"
        + " ".join(f"K({number})" for number in range(count))
        + "\n"
    )


Ready = Callable[[], None]


def registrations(path: str, ready: Ready) -> None:
    """Registers one new program of 900 kernels four times on each of thirty connections, again and again."""
    for number in range(1 << 20):
        program = pb.Program(name="a.cl", source=f"// {os.getpid()} {number}\n{kernels(900, 64, 120)}".encode())
        connections = wires(path, 30)
        for identity in range(2, 6):
            for connection in connections:
                try:
                    connection.say(pb.Request(id=identity, register_program=pb.RegisterProgram(program=program)))
                except OSError:
                    pass
        ready()
        told: dict[str, int] = {}
        for connection in connections:
            for _ in range(4):
                try:
                    answer = connection.read()
                    what = answer.error.text or f"{answer.ByteSize() / MEBI:.1f} MiB"
                except (OSError, EOFError) as error:
                    what = repr(error)
                told[what[-40:]] = told.get(what[-40:], 0) + 1
        print(f"# registrations: {told}", flush=True)


def unread(path: str, ready: Ready) -> None:
    """Asks for answers of megabytes on every connection, and reads none."""
    first = Wire(path)
    source = kernels(900, 64, 120)
    program = pb.Program(name="u.cl", source=source.encode())
    first.say(pb.Request(id=2, register_program=pb.RegisterProgram(program=program)))
    print(f"# unread: an answer has {first.read().ByteSize() / MEBI:.1f} MiB", flush=True)
    connections = wires(path, CONNECTIONS - 1)
    ready()
    for identity in range(2, 1 << 20):
        for number, connection in enumerate(connections):
            connection.socket.setblocking(False)
            try:
                connection.say(pb.Request(id=identity, register_program=pb.RegisterProgram(program=program)))
            except BlockingIOError:
                pass
            except OSError:
                connections[number] = Wire(path)
        time.sleep(0.05)


def unfinished(path: str, ready: Ready) -> None:
    """Announces the largest message on every connection, and sends all of it but a byte."""
    connections = wires(path, CONNECTIONS)
    zeros = bytes(MEBI)
    ready()
    for connection in connections:
        connection.socket.setblocking(False)
        connection.socket.send(struct.pack("<I", 31 * MEBI))
    for _ in range(1 << 20):
        for connection in connections:
            try:
                connection.socket.send(zeros)
            except OSError:
                pass
        time.sleep(0.001)


def bombs(path: str, ready: Ready) -> None:
    """Sends messages of some megabytes that are many times as large once they are unpacked."""
    inner = b"\x0a\x00" * (8 * MEBI)  # PredictBatch.predictions, empty ones
    data = b"\x08\x02" + b"\x2a" + varint(len(inner)) + inner
    ready()
    while True:
        connection = Wire(path)
        try:
            connection.socket.sendall(struct.pack("<I", len(data)) + data)
            connection.read()
        except (OSError, EOFError):
            pass


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def sources(path: str, ready: Ready) -> None:
    """Registers sources of sixteen megabytes, each another one, on every connection."""
    connections = wires(path, CONNECTIONS)
    text = b"// " + b"x" * (15 * MEBI) + b"\nkernel void k(global float *a) { a[0] = 1; }\n"
    ready()
    for number in range(1 << 20):
        program = pb.Program(name="s.cl", source=b"// %d\n" % number + text)
        message = framed(pb.Request(id=number + 2, register_program=pb.RegisterProgram(program=program)))
        connection = connections[number % len(connections)]
        try:
            connection.socket.settimeout(1)
            connection.socket.sendall(message)
        except OSError:
            connections[number % len(connections)] = Wire(path)


def observed(path: str) -> int:
    """The handle of a program, of whose kernel launches of 1024 sizes were observed."""
    first = Wire(path)
    program = pb.Program(name="h.cl", source=b"kernel void k(global float *a) { a[get_global_id(0)] = 1; }")
    first.say(pb.Request(id=2, register_program=pb.RegisterProgram(program=program)))
    handle = first.read().register_program.handle
    argument = pb.Argument(kind=0, access=3, size_bytes=MEBI)
    launches = [pb.Launch(global_items=[64 * (size + 1)], local_items=[64], arguments=[argument]) for size in range(1024)]
    observations = [pb.Observation(handle=handle, device=DEVICE, launch=launch, kernel_time_s=1e-4) for launch in launches]
    first.say(pb.Request(id=3, observe=pb.Observe(observations=observations, acknowledge=True)))
    print(f"# {first.read().observe.kept} observations were kept", flush=True)
    return handle


def histories(path: str, ready: Ready) -> None:
    """Asks for the history of a kernel on every connection, and reads none."""
    question = pb.History(handle=observed(path), device=DEVICE, count_max=10000)
    connections = wires(path, CONNECTIONS)
    ready()
    for identity in range(2, 1 << 20):
        message = framed(pb.Request(id=identity, history=question))
        for number, connection in enumerate(connections):
            connection.socket.setblocking(False)
            try:
                connection.socket.sendall(message)
            except BlockingIOError:
                pass
            except OSError:
                connections[number] = Wire(path)
        time.sleep(0.001)


def departures(path: str, ready: Ready) -> None:
    """Asks for histories, and to forget by name, five hundred times each on a connection, and leaves it."""
    question = pb.History(handle=observed(path), device=DEVICE)
    requests = [pb.Request(id=identity, history=question) for identity in range(2, 502)]
    requests += [pb.Request(id=identity, forget=pb.Forget(kernel="no such one")) for identity in range(502, 1002)]
    message = b"".join(framed(request) for request in requests)
    ready()
    while True:
        try:
            connection = Wire(path)
            connection.socket.settimeout(2)
            connection.socket.sendall(message)
            connection.socket.close()
        except (OSError, EOFError):
            pass


def large_kernels(path: str, ready: Ready) -> None:
    """Asks about kernels of fifty thousand operations, and for their text, each time on other sizes."""
    connections = wires(path, 8)
    source = nested_ternaries(11) + loops_in_a_row(1000).replace("void k(", "void l(")
    program = pb.Program(name="l.cl", source=source.encode())
    connections[0].say(pb.Request(id=2, register_program=pb.RegisterProgram(program=program)))
    handle = connections[0].read().register_program.handle
    buffer, scalar = pb.Argument(kind=0, access=3, size_bytes=MEBI), pb.Argument(kind=1, type="int", integers=[3])
    ready()
    for number in range(1 << 20):
        launch = pb.Launch(global_items=[64 * (number + 1)], local_items=[64], arguments=[buffer, scalar])
        question = pb.Predict(
            handle=handle, kernel="kl"[number % 2], device=DEVICE, explain_ir=True, launch=launch
        )
        connection = connections[number % len(connections)]
        if number >= len(connections):
            connection.read()
        connection.say(pb.Request(id=number + 3, predict=question))


def variants(path: str, ready: Ready) -> None:
    """Registers a thousand new variants at a time on each of several connections, some of which take long."""
    connections = wires(path, 8)
    source = "kernel void k(global float *a) { for (int i = 0; i < N; i++) a[i * S] += i; }"
    program = pb.Program(name="v.cl", source=source.encode())
    ready()
    for number in range(1 << 20):
        options = [f"-DN={i % 32 + 1} -DS={number * 1024 + i}" for i in range(1024)]
        # macros that double without end, which only a deadline stops
        options[number % 1024] += "".join(f" -D{a}={b},{b},{b},{b}" for a, b in zip("ABCDEFGHIJK", "BCDEFGHIJKL")) + " -DN=A"
        connection = connections[number % len(connections)]
        if number >= len(connections):
            connection.read()
        asked = pb.RegisterVariants(program=program, options=options)
        connection.say(pb.Request(id=number + 2, register_variants=asked))


def large_programs(path: str, ready: Ready) -> None:
    """Registers programs of ten kernels, each of which has four thousand blocks."""
    connections = wires(path, 4)
    ready()
    for number in range(1 << 20):
        source = f"// {number}\n" + "".join(nested_ternaries(12).replace("void k(", f"void k{k}(") for k in range(10))
        program = pb.Program(name="p.cl", source=source.encode())
        connection = connections[number % len(connections)]
        if number >= len(connections):
            connection.read()
        connection.say(pb.Request(id=number + 2, register_program=pb.RegisterProgram(program=program)))


SAMPLE_BYTES = 65536
STAMP = bytes(range(1, 17))  # in a message, for what is another one each time
WORD = b"0123456789abcdef" * 2  # the same in a text


def flood(path: str, ready: Ready, message: bytes, ahead: int = 4) -> None:
    """Sends a request on every connection, another one each time, so many before an answer is read."""
    connections = wires(path, CONNECTIONS)
    stamp = STAMP if STAMP in message else WORD
    at = message.index(stamp)
    number = answers = 0
    ready()
    for turn in range(1 << 30):
        for place, connection in enumerate(connections):
            number += 1
            pair = struct.pack("<QQ", os.getpid(), number)
            data = message[:at] + (pair if stamp == STAMP else pair.hex().encode()) + message[at + len(stamp) :]
            try:
                connection.socket.settimeout(1)
                connection.socket.sendall(data)
                if turn >= ahead:
                    connection.read()
                    answers += 1
            except (OSError, EOFError):
                connections[place] = Wire(path)
        if turn % 64 == 63:
            print(f"# flood: {answers} answers", flush=True)


def keeping(sample: pb.Sample) -> bytes:
    return framed(pb.Request(id=2, keep_sample=pb.KeepSample(sample=sample)))


def sample_of(data: bytes) -> pb.Sample:
    return pb.Sample(
        size_bytes=len(data), type="uchar", offsets_bytes=[0], lengths_bytes=[len(data)], bytes=data
    )


def samples(path: str, ready: Ready) -> None:
    """Sends the largest samples, of the most elements, each another one: each displaces another."""
    flood(path, ready, keeping(sample_of(STAMP + bytes(SAMPLE_BYTES - len(STAMP)))))


def kept_samples(path: str, ready: Ready) -> None:
    """The same where samples are kept on disk."""
    samples(path, ready)


def small_samples(path: str, ready: Ready) -> None:
    """Sends samples of sixteen bytes."""
    flood(path, ready, keeping(sample_of(STAMP)))


def many_runs(path: str, ready: Ready) -> None:
    """Sends samples of half a million runs, of which none is kept."""
    sample = pb.Sample(size_bytes=1 << 63, offsets_bytes=range(0, 1 << 20, 2), bytes=STAMP)
    sample.lengths_bytes.extend([1] * (1 << 19))
    flood(path, ready, keeping(sample))


def names_of_others(path: str, ready: Ready) -> None:
    """Asks with names of samples that are not his."""
    first = Wire(path)
    program = pb.Program(name="n.cl", source=b"kernel void k(global int *a) { a[get_global_id(0)] = 1; }")
    first.say(pb.Request(id=2, register_program=pb.RegisterProgram(program=program)))
    handle = first.read().register_program.handle
    launch = pb.Launch(global_items=[64], arguments=[pb.Argument(size_bytes=4096, sample=STAMP)])
    question = pb.Predict(handle=handle, device=DEVICE, kernel="k", launch=launch)
    flood(path, ready, framed(pb.Request(id=2, predict=question)))


def without_source(path: str, ready: Ready, name: bytes, device: bytes) -> None:
    launch = pb.Launch(global_items=[64])
    one = pb.Observation(handle=(1 << 64) - 1, kernel=name.decode(), device=device.decode(), launch=launch)
    one.kernel_time_s = one.task_time_s = 1e-3
    flood(path, ready, framed(pb.Request(id=2, observe=pb.Observe(observations=[one], acknowledge=True))))


def names(path: str, ready: Ready) -> None:
    """Observes kernels without source, another one each time."""
    without_source(path, ready, WORD, b"cpu:0")


def keys(path: str, ready: Ready) -> None:
    """The same of one kernel on another device each time."""
    without_source(path, ready, b"gemm", b"cpu:" + WORD)


def choices(path: str, ready: Ready) -> None:
    """Keeps choices of configurations, another one each time: each is a transaction of the store."""
    choice = pb.Choice(name=WORD.decode(), space=bytes(16), device=DEVICE)
    flood(path, ready, framed(pb.Request(id=2, keep_choice=pb.KeepChoice(choice=choice, configuration=1, time_s=1))))


ATTACKS: dict[str, Callable[[str, Ready], None]] = {
    attack.__name__: attack
    for attack in (
        registrations,
        unread,
        unfinished,
        bombs,
        sources,
        histories,
        departures,
        large_kernels,
        large_programs,
        variants,
        samples,
        kept_samples,
        small_samples,
        many_runs,
        names_of_others,
        names,
        keys,
        choices,
    )
}


# ---- the daemon, and who is beside -------------------------------------------------------------------


def resident(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def watch(pid: int, most: int, has_ended: Callable[[], bool], seconds: float) -> int:
    """The most that was resident, until it has ended, or for so long."""
    end = time.monotonic() + seconds
    while not has_ended() and time.monotonic() < end:
        most = max(most, resident(pid))
        time.sleep(0.01)
    return most


def child_of(user: int, run: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setgid(user)
            os.setuid(user)
            run()
            status = 0
        except (OSError, EOFError, predictd.Error) as error:
            print(f"# {error!r}", flush=True)
        finally:
            os._exit(status)
    return pid


def asked(path: str, seconds: float, done: socket.socket) -> None:
    """Asks for the status for so long; sends how long each took."""
    times = []
    end = time.monotonic() + seconds
    with predictd.Connection(path, timeout_s=60) as connection:
        connection.status()
        while time.monotonic() < end:
            begin = time.monotonic()
            connection.status()
            times.append(time.monotonic() - begin)
            time.sleep(PAUSE_S)
    done.sendall(struct.pack(f"<{len(times)}d", *times))


def received(end: socket.socket) -> list[float]:
    data = b""
    while got := end.recv(65536):
        data += got
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def tests(scratch: Path, names: list[str], seconds: float) -> Iterator[tuple[bool, str]]:
    """Each attack on a daemon of its own."""
    for name in names:
        path = str(scratch / f"{name}.sock")
        config = scratch / f"{name}.conf"
        config.write_text(
            f"[calibration]\nat_start = never\n[daemon]\nsocket = {path}\nstate = {scratch}/{name}.state\nsocket_mode = 0666\n"
            f"[samples]\nkeep = {'yes' if ATTACKS[name] == kept_samples else 'no'}\n"
        )
        environment = {**os.environ, "OCL_ICD_VENDORS": "/nonexistent"}
        with (scratch / f"{name}.log").open("wb") as log:
            daemon = subprocess.Popen(
                [os.environ["PREDICTD"], "--config", str(config)], env=environment, stdout=log, stderr=log
            )
        try:
            with predictd.Connection(path, timeout_s=30) as connection:
                for _ in range(100):
                    try:
                        connection.status()
                        break
                    except predictd.Error:
                        time.sleep(0.1)
                calibration = ROOT / "tests/accuracy/data/pocl-2/device.calibration"
                connection.import_calibration(calibration.read_bytes())
            yield from one(daemon, path, name, seconds)
            lives = daemon.poll() is None
            if not lives:
                print((scratch / f"{name}.log").read_text(errors="replace")[-4000:])
            yield lives, f"{name}: the daemon lives"
        finally:
            if daemon.poll() is None:
                daemon.terminate()
                daemon.wait(60)


def one(daemon: subprocess.Popen[bytes], path: str, name: str, seconds: float) -> Iterator[tuple[bool, str]]:
    before = resident(daemon.pid)
    under_way, told = os.pipe()
    attack = child_of(ATTACKER, lambda: ATTACKS[name](path, lambda: os.write(told, b".") and None))
    os.close(told)
    os.read(under_way, 1)
    most = watch(daemon.pid, before, lambda: False, seconds / 2)
    ours, theirs = socket.socketpair()
    victim = child_of(VICTIM, lambda: asked(path, seconds, theirs))
    theirs.close()
    most = watch(daemon.pid, most, lambda: os.waitpid(victim, os.WNOHANG) != (0, 0), 600)
    times = sorted(received(ours))
    ended = os.waitpid(attack, os.WNOHANG) != (0, 0)
    if not ended:
        os.kill(attack, signal.SIGKILL)
        os.waitpid(attack, 0)
    end = time.monotonic() + SETTLED_S
    while resident(daemon.pid) > before + LEFT_MAX and time.monotonic() < end:
        time.sleep(0.1)
    after = resident(daemon.pid)
    print(
        f"# {name}: {len(times)} times status of another user, "
        f"median {1e3 * times[len(times) // 2]:.2f} ms, 99 % {1e3 * times[len(times) * 99 // 100]:.2f} ms, "
        f"at most {1e3 * times[-1]:.2f} ms; resident {before / MEBI:.0f} MiB before, "
        f"{most / MEBI:.0f} during, {after / MEBI:.0f} after",
        flush=True,
    )
    yield not ended, f"{name}: the attack went on"
    yield most <= RESIDENT_MAX, f"{name}: {most / MEBI:.0f} MiB resident, at most {RESIDENT_MAX / MEBI:.0f}"
    yield after <= before + LEFT_MAX, f"{name}: {after / MEBI:.0f} MiB are left of {before / MEBI:.0f} before"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--attack", choices=ATTACKS, action="append")
    parser.add_argument("--seconds", type=float, default=10, help="of each")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("1..0 # SKIP to be other users takes root")
        return 0
    number = failures = 0
    with tempfile.TemporaryDirectory(prefix="predictd-attacks.") as folder:
        os.chmod(folder, 0o755)
        for is_ok, sentence in tests(Path(folder), options.attack or list(ATTACKS), options.seconds):
            number += 1
            failures += not is_ok
            print(f"{'ok' if is_ok else 'not ok'} {number} - {sentence}", flush=True)
    print(f"1..{number}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
