# SPDX-License-Identifier: Apache-2.0
"""A process that lives with the daemon, which is restarted and stopped meanwhile; started by
tests/integration/python.sh. The daemon is its own."""

import os
import random
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path

import predictd

ROOT = Path(os.environ["SOURCE_ROOT"])
KERNEL = ROOT / "tests" / "kernels" / "copy.cl"
DEVICE = "pthread-skylake"  # recorded, and never on this node
CALIBRATION = ROOT / "tests" / "accuracy" / "data" / "pocl-2" / "device.calibration"
THREADS, EACH, GAP_MAX_S, CHILD = 3, 60, 0.05, 10
LAUNCHES = 8  # few: of these the daemon counts every run


def launch(program: predictd.Program, groups: int) -> predictd.Launch:
    return predictd.Launch(program, 64 * groups, 64, [predictd.Buffer(4 << 20, "r"), predictd.Buffer(4 << 20, "w")])


class Living(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="predictd-living.")
        self.addCleanup(folder.cleanup)
        self.socket = os.path.join(folder.name, "sock")
        self.config = os.path.join(folder.name, "conf")
        Path(self.config).write_text(
            f"[daemon]\nsocket = {self.socket}\nstate = {folder.name}/state\nlog_level = warning\n"
        )
        self.start()
        self.addCleanup(self.end)
        self.daemon = predictd.connect(self.socket)
        self.addCleanup(self.daemon.close)
        self.daemon.import_calibration(CALIBRATION.read_bytes())
        self.program = self.daemon.load(KERNEL)

    def start(self) -> None:
        environment = {**os.environ, "OCL_ICD_VENDORS": "/nonexistent"}
        self.process = subprocess.Popen([os.environ["PREDICTD"], "--config", self.config], env=environment)
        while True:
            self.assertIsNone(self.process.poll())
            try:
                predictd.connect(self.socket).close()
                return
            except predictd.Unavailable:
                time.sleep(0.02)

    def end(self) -> None:
        self.process.terminate()
        self.assertEqual(self.process.wait(), 0)

    def observe(self, seed: int, count: int) -> None:
        """Now and then, and again while the daemon is away."""
        chance = random.Random(seed)
        for _ in range(count):
            time.sleep(chance.random() * GAP_MAX_S)
            one = predictd.Observation(launch(self.program, 1 + chance.randrange(LAUNCHES)), 1e-3, device=DEVICE)
            while True:
                try:
                    self.failures.extend(failure for failure in self.daemon.observe([one]) if failure is not None)
                    break
                except predictd.Unavailable:
                    time.sleep(0.02)

    def test_every_observation_of_threads_and_children_is_kept(self) -> None:
        self.failures: list[predictd.Error] = []
        threads = [threading.Thread(target=self.observe, args=(seed, EACH)) for seed in range(THREADS)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        self.end()
        self.start()
        child = os.fork()
        if child == 0:
            try:
                self.observe(THREADS, CHILD)
                os._exit(len(self.failures))
            finally:
                os._exit(99)
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        self.process.send_signal(signal.SIGCONT)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        for thread in threads:
            thread.join()
        self.assertEqual(self.failures, [])
        self.assertEqual(self.daemon.status().observations, THREADS * EACH + CHILD)

    def test_every_call_ends_while_the_daemon_is_stopped(self) -> None:
        asked = launch(self.program, 1)
        calls: list[Callable[[], object]] = [
            self.daemon.status,
            self.daemon.devices,
            self.daemon.export,
            lambda: self.daemon.load(KERNEL),
            lambda: self.daemon.predict(asked, DEVICE),
            lambda: self.daemon.place([asked]),
            lambda: self.daemon.observe([predictd.Observation(asked, 1e-3, device=DEVICE)]),
            lambda: self.daemon.history(self.program, device=DEVICE),
            lambda: self.daemon.forget(self.program),
            lambda: self.daemon.import_calibration(CALIBRATION.read_bytes()),
            lambda: predictd.connect(self.socket, timeout_s=0.1),
        ]
        self.daemon._transport.timeout_s = 0.1
        self.process.send_signal(signal.SIGSTOP)
        try:
            for call in calls:
                self.assertRaises(predictd.Timeout, call)
        finally:
            self.process.send_signal(signal.SIGCONT)
        self.daemon._transport.timeout_s = 30
        self.assertGreater(self.daemon.predict(asked, DEVICE).kernel_time_s, 0)


if __name__ == "__main__":
    unittest.main()
