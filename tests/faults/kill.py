# SPDX-License-Identifier: Apache-2.0
"""The daemon killed under load, again and again: no acknowledged observation may be lost.

    kill.py [--kills N] [--power]

Writers report observations in batches, each waiting for its acknowledgement. Some time later the
daemon gets SIGKILL; its database must then be whole (PRAGMA integrity_check of a copy), and the next
daemon must know, of every launch, at least the observations that were ever acknowledged and at most
those that were ever sent. As TAP. --power: with `durability = power`. Environment: see
tests/integration/common.sh.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import predictd
from predictd import predictd_pb2 as pb

ROOT = Path(os.environ["SOURCE_ROOT"])
WRITERS = 4
LAUNCHES = 8  # of a writer's kernel: fewer than the daemon keeps
SOURCE = """
kernel void scale{number}(global const float *in, global float *out)
{{
	int i = get_global_id(0);
	out[i] = in[i] * {number}.0f;
}}
"""


class Failure(Exception):
    """What the daemon did and may not do."""


class Writer:
    """Reports observations of one kernel, and counts them by launch."""

    def __init__(self, number: int, socket: str, seed: int) -> None:
        self.random = random.Random(seed + number)
        self.connection = predictd.Connection(socket, timeout_s=20)
        self.source = SOURCE.format(number=number + 1)
        self.sent = [0] * LAUNCHES
        self.acknowledged = [0] * LAUNCHES
        self.program: predictd.Program | None = None
        self.surprise = ""

    def launches(self) -> list[predictd.Launch]:
        if self.program is None:
            self.program = self.connection.register(self.source)
        return [
            predictd.Launch(
                self.program,
                4096 << i,
                64,
                [predictd.Buffer(16384 << i, "r"), predictd.Buffer(16384 << i, "w")],
            )
            for i in range(LAUNCHES)
        ]

    def write(self, connected: threading.Barrier) -> None:
        """Until the daemon is gone."""
        try:
            launches = self.launches()
            connected.wait(30)
            while True:
                which = [self.random.randrange(LAUNCHES) for _ in range(self.random.randint(1, 200))]
                batch = [
                    predictd.Observation(launches[i], self.random.uniform(1e-4, 2e-4) * (1 + i), device=0)
                    for i in which
                ]
                for i in which:
                    self.sent[i] += 1
                for i, error in zip(which, self.connection.observe(batch)):
                    if error is not None:
                        raise Failure(f"an observation was refused: {error}")
                    self.acknowledged[i] += 1
        except predictd.Unavailable:
            self.connection.close()
        except (Failure, predictd.Error, threading.BrokenBarrierError) as failure:
            self.surprise = f"{type(failure).__name__}: {failure}"

    def check(self, connection: predictd.Connection) -> None:
        """What a daemon knows lies between what was acknowledged and what was sent."""
        program = connection.register(self.source)
        for i, launch in enumerate(self.launches()):
            question = pb.History(handle=program._handle, device="0", launch=launch._message(), count_max=1)
            known = connection._transport.call(pb.Request(history=question), "history").history.total
            if not self.acknowledged[i] <= known <= self.sent[i]:
                raise Failure(
                    f"launch {i}: {self.acknowledged[i]} acknowledged, {self.sent[i]} sent, {known} known"
                )


class Daemon:
    """Daemons one after the other, of one state."""

    def __init__(self, folder: Path, durability: str) -> None:
        self.folder = folder
        self.socket = str(folder / "s")
        self.state = folder / "state"
        self.config = folder / "predictd.conf"
        self.config.write_text(
            f"[calibration]\nat_start = never\n[daemon]\nsocket = {self.socket}\nstate = {self.state}\nlog_level = warning\n"
            f"[store]\ndurability = {durability}\n"
        )
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        environment = {**os.environ, "OCL_ICD_VENDORS": "/nonexistent"}
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [os.environ["PREDICTD"], "--config", str(self.config)],
                env=environment,
                stdout=log,
                stderr=log,
            )

    def reach(self) -> predictd.Connection:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.process is not None and self.process.poll() is not None:
                break
            connection = predictd.Connection(self.socket, timeout_s=60)
            try:
                connection.status()
                return connection
            except predictd.Error:
                connection.close()
                time.sleep(0.005)
        raise Failure(f"does not answer, saying: {(self.folder / 'log').read_text(errors='replace')[-1000:]}")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def check_database(self) -> None:
        """Of a copy: what opening it mends is the next daemon's to mend."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for suffix in ("", "-wal"):
            file = self.state / f"predictd.db{suffix}"
            if file.exists():
                shutil.copyfile(file, copy / file.name)
        database = sqlite3.connect(copy / "predictd.db")
        (answer,) = database.execute("PRAGMA integrity_check").fetchone()
        database.close()
        if answer != "ok":
            raise Failure(f"integrity_check: {answer}")


def run(folder: Path, kills: int, durability: str, seed: int) -> None:
    daemon = Daemon(folder, durability)
    chance = random.Random(seed)
    writers = [Writer(number, daemon.socket, seed) for number in range(WRITERS)]
    try:
        daemon.start()
        with daemon.reach() as connection:
            calibration = ROOT / "tests/accuracy/data/pocl-2/device.calibration"
            connection.import_calibration(calibration.read_bytes())
        for kill in range(kills):
            connected = threading.Barrier(WRITERS + 1)
            threads = [threading.Thread(target=writer.write, args=(connected,)) for writer in writers]
            for thread in threads:
                thread.start()
            connected.wait(30)
            time.sleep(chance.uniform(0.001, 0.1))
            daemon.kill()
            for thread in threads:
                thread.join(30)
            surprises = [writer.surprise for writer in writers if writer.surprise]
            if surprises:
                raise Failure(f"kill {kill}: {surprises[0]}")
            daemon.check_database()
            daemon.start()
            with daemon.reach() as connection:
                for writer in writers:
                    writer.check(connection)
            for writer in writers:
                writer.connection.close()
                writer.connection = predictd.Connection(daemon.socket, timeout_s=20)
                writer.program = None
            if (kill + 1) % 100 == 0:
                count = sum(sum(writer.acknowledged) for writer in writers)
                print(f"# {kill + 1} kills, {count} observations acknowledged", flush=True)
    finally:
        daemon.kill()
    acknowledged = sum(sum(writer.acknowledged) for writer in writers)
    if acknowledged == 0:
        raise Failure("nothing was ever acknowledged")
    print(f"# {kills} kills, {acknowledged} observations acknowledged, none lost", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--power", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="predictd-kill."))
    sentence = "no acknowledged observation is lost to SIGKILL, and the database stays whole"
    print("1..1")
    try:
        run(folder, options.kills, "power" if options.power else "process", options.seed)
        print(f"ok 1 - {sentence}")
        return 0
    except Failure as failure:
        print(f"not ok 1 - {sentence}\n# {failure}")
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
