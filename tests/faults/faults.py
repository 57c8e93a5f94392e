# SPDX-License-Identifier: Apache-2.0
"""Every call of a kind that the daemon makes failing once: it ends with a sentence, or goes on.

    faults.py [--kind memory|descriptor|disk|process|loop] [--places N] [--sample N] [--from N] [--to N] [--rounds N]

For each n a fresh daemon whose n-th call of that kind fails (fail_call.c says which those are)
gets the same requests; and for each place in the daemon's code a daemon in which the first call
that is reached through it fails. It may refuse to start (status 1, with a sentence on stderr) or refuse a
request by name; it must not die of a signal, and then must give the answer that it always gives
and end with 0. From meson, as TAP, a sample; without --sample all of them. Environment: see
tests/integration/common.sh; besides FAIL_CALL, the library to preload.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import predictd

ROOT = Path(os.environ["SOURCE_ROOT"])
ITEMS = 1 << 16
DEVICE = "Simulated device"
RECOVERY_S = 15
SOURCE = """
kernel void scale(global const float *in, global float *out, float factor, int n)
{
	int i = get_global_id(0);
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += in[(i + k) & 65535] * factor;
	out[i] = sum;
}
"""


class Failure(Exception):
    """What the daemon did and may not do."""


class Scratch:
    """A folder with a configuration, and the state of a daemon that knows a calibrated device."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="predictd-faults."))
        self.socket = str(self.folder / "s")
        self.state = self.folder / "state"
        self.kept = self.folder / "kept"
        self.log = self.folder / "log"
        self.config = self.folder / "predictd.conf"
        # a calibrator whose device needs no time
        self.libexec = self.folder / "libexec"
        self.libexec.mkdir()
        (self.libexec / "predictd-calibrator").symlink_to(os.environ["SIMULATED_CALIBRATOR"])
        # the list of what is preloaded has spaces and colons between: none in this path
        self.fail_call = self.folder / "fail_call.so"
        self.fail_call.symlink_to(os.environ["FAIL_CALL"])
        self.config.write_text(f"[calibration]\nat_start = never\n[daemon]\nsocket = {self.socket}\nstate = {self.state}\n")

    def start(
        self, fail_at: int, kind: str = "", every: int = 0, last: int = 0, place: str = ""
    ) -> subprocess.Popen[bytes]:
        if self.kept.exists():
            shutil.rmtree(self.state, ignore_errors=True)
            shutil.copytree(self.kept, self.state)
        environment = {
            **os.environ,
            "OCL_ICD_VENDORS": "/nonexistent",
            "PREDICTD_LIBEXECDIR": f"{self.libexec}:{os.environ['PREDICTD_LIBEXECDIR']}",
            "LD_PRELOAD": str(self.fail_call),
            "FAIL_KIND": kind,
            "FAIL_AT": str(fail_at),
            "FAIL_EVERY": str(every),
            "FAIL_LAST": str(last),
            "FAIL_PLACE": place,
            "COUNT_TO": str(self.folder / "count"),
        }
        with self.log.open("wb") as log:
            return subprocess.Popen(
                [os.environ["PREDICTD"], "--config", str(self.config)], env=environment, stdout=log, stderr=log
            )

    def counted(self) -> tuple[int, list[str]]:
        """How many calls the last daemon made, and places that they came from first."""
        words = (self.folder / "count").read_text().split()
        return int(words[0]), words[1:]

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]


def reach(scratch: Scratch, daemon: subprocess.Popen[bytes]) -> bool:
    """Waits until the daemon answers; False when it has ended."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if daemon.poll() is not None:
            return False
        with predictd.Connection(scratch.socket, timeout_s=10) as connection:
            try:
                connection.status()
                return True
            except predictd.Error:
                time.sleep(0.01)
    raise Failure("does not answer")


def launch_of(program: predictd.Program) -> predictd.Launch:
    buffers = [predictd.Buffer(4 * ITEMS, "r"), predictd.Buffer(4 * ITEMS, "w")]
    return predictd.Launch(program, ITEMS, 64, [*buffers, predictd.Scalar("float", 2), predictd.Scalar("int", 9)])


def answer(connection: predictd.Connection) -> float:
    program = connection.register(SOURCE)
    return connection.predict(launch_of(program), DEVICE, static_only=True).kernel_time_s


def ask_everything(connection: predictd.Connection) -> None:
    """Each request once; every one may be refused by name."""

    def refused(ask: object) -> None:
        try:
            ask()  # type: ignore[operator]
        except predictd.Error:
            pass

    def explained() -> None:
        program = connection.register(SOURCE, options="-DUNUSED=1")
        connection.predict_many([launch_of(program)] * 3, DEVICE, explain=True, explain_ir=True)

    def sent_on() -> None:
        connection.import_calibration(connection.export(0))

    def placed() -> None:
        connection.place([launch_of(connection.register(SOURCE))])

    def observed() -> None:
        program = connection.register(SOURCE)
        launch = launch_of(program)
        connection.observe([predictd.Observation(launch, 1e-3, device=DEVICE), predictd.Observation(launch, -1)])
        connection.predict(launch, DEVICE)
        connection.history(program)

    refused(lambda: connection.devices(coefficients=True))
    refused(observed)
    refused(explained)
    refused(placed)
    refused(lambda: connection.register("kernel void broken( {"))
    refused(lambda: connection.calibrate(DEVICE, quick=True))
    refused(sent_on)
    refused(connection.status)


def run(
    scratch: Scratch, kind: str, fail_at: int, wanted: float, every: int = 0, last: int = 0, place: str = ""
) -> str:
    """One daemon; what came of it."""
    daemon = scratch.start(fail_at, kind, every, last, place)
    try:
        if not reach(scratch, daemon):
            # libuv aborts when the threads of its pool cannot be made, which happens once, at the start
            if daemon.returncode == -signal.SIGABRT and not scratch.said():
                return "refused to start, by libuv"
            if daemon.returncode != 1 or not scratch.said().strip():
                raise Failure(f"ended with {daemon.returncode}, saying: {scratch.said()}")
            return "refused to start"
        with predictd.Connection(scratch.socket, timeout_s=20) as connection:
            ask_everything(connection)
        if daemon.poll() is not None:
            raise Failure(f"ended with {daemon.returncode}, saying: {scratch.said()}")
        # what one does about a refusal: take back what was observed, ask again, and have a state that could not be read, read again
        got, end = None, time.monotonic() + RECOVERY_S
        for attempt in itertools.count():
            with predictd.Connection(scratch.socket, timeout_s=20) as connection:
                try:
                    connection.forget()
                    got = answer(connection)
                    break
                except predictd.Error as error:
                    refusal = error
            if time.monotonic() > end:
                break
            if attempt == 1:
                daemon.send_signal(signal.SIGHUP)
            time.sleep(0.05 * min(attempt, 10))
        if got is None:
            raise Failure(f"does not recover: {refusal}, saying: {scratch.said()}")
        if wanted and got != wanted:
            raise Failure(f"answers {got}, not {wanted}")
        daemon.terminate()
        if daemon.wait(20) != 0:
            raise Failure(f"ended with {daemon.returncode} at SIGTERM, saying: {scratch.said()}")
        return "went on"
    finally:
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait()


def prepare(scratch: Scratch) -> float:
    """Imports a calibration and makes one, keeps the state for every run, and gives the answer to expect."""
    daemon = scratch.start(0)
    try:
        if not reach(scratch, daemon):
            raise Failure(f"does not start: {scratch.said()}")
        calibration = ROOT / "tests/accuracy/data/pocl-2/device.calibration"
        with predictd.Connection(scratch.socket) as connection:
            connection.import_calibration(calibration.read_bytes())
            connection.calibrate(DEVICE, quick=True)
            wanted = answer(connection)
        daemon.terminate()
        daemon.wait(20)
    finally:
        if daemon.poll() is None:
            daemon.kill()
    shutil.copytree(scratch.state, scratch.kept)
    return wanted


def started(scratch: Scratch, kind: str) -> int:
    """So many calls does a daemon make that is started and stopped."""
    daemon = scratch.start(0, kind)
    try:
        if not reach(scratch, daemon):
            raise Failure(f"does not start: {scratch.said()}")
        daemon.terminate()
        daemon.wait(20)
    finally:
        if daemon.poll() is None:
            daemon.kill()
    return scratch.counted()[0]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", default="memory", choices=("memory", "descriptor", "disk", "process", "loop"))
    parser.add_argument("--sample", type=int, default=0, help="so many of them, spread evenly; 0: all")
    parser.add_argument("--rounds", type=int, default=8, help="so many daemons whose calls fail again and again")
    parser.add_argument("--places", type=int, default=0, help="so many places, spread evenly; 0: all")
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("--to", dest="last", type=int, default=0)
    options = parser.parse_args()

    scratch = Scratch()
    failures = 0
    tests = 0

    def report(is_ok: bool, sentence: str) -> None:
        nonlocal tests, failures
        tests += 1
        failures += not is_ok
        print(f"{'ok' if is_ok else 'not ok'} {tests} - {sentence}", flush=True)

    try:
        wanted = prepare(scratch)
        run(scratch, options.kind, 0, wanted)
        total, places = scratch.counted()
        report(total > 0, f"a daemon without faults answers everything, with {total} calls ({options.kind})")
        wrong: list[object] = []
        step = max(len(places) / options.places, 1) if options.places else 1
        chosen = [places[int(i * step)] for i in range(int(len(places) / step))]
        for place in chosen:
            try:
                run(scratch, options.kind, 0, wanted, place=place)
            except Failure as failure:
                wrong.append(place)
                said = str(failure).replace("\n", "\n#   ")
                print(f"# place {place} ({options.kind}): {said}", flush=True)
        report(not wrong, f"a call from each of {len(chosen)} places of {len(places)} may fail")
        last = options.last or total
        step = max((last - options.first) / options.sample, 1) if options.sample else 1
        points = sorted({int(options.first + i * step) for i in range(int((last - options.first) / step) + 1)})
        outcomes: dict[str, int] = {}
        wrong.clear()
        for n in points:
            try:
                outcome = run(scratch, options.kind, n, wanted)
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
            except Failure as failure:
                wrong.append(n)
                said = str(failure).replace("\n", "\n#   ")
                print(f"# call {n} ({options.kind}): {said}", flush=True)
        for outcome, count in outcomes.items():
            print(f"# {outcome}: {count} of {len(points)}", flush=True)
        report(not wrong, "a call that fails ends the daemon with a sentence, or one request by name")
        first = started(scratch, options.kind) + 1
        wrong.clear()
        for every in range(7, 7 + 6 * options.rounds, 6):
            try:
                # a dozen, spread differently each time
                run(scratch, options.kind, first + 11 * every, wanted, every, first + 22 * every)
            except Failure as failure:
                wrong.append(every)
                said = str(failure).replace("\n", "\n#   ")
                print(f"# every {every} calls ({options.kind}): {said}", flush=True)
        report(not wrong, "calls that fail again and again end requests by name, and the daemon goes on after them")
    except Failure as failure:
        report(False, str(failure).replace("\n", " "))
    finally:
        shutil.rmtree(scratch.folder, ignore_errors=True)
    print(f"1..{tests}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
