# SPDX-License-Identifier: Apache-2.0
"""A daemon of a test's own, with a recorded device, which the test may end and start again."""

import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import predictd

ROOT = Path(os.environ["SOURCE_ROOT"])
KERNEL = ROOT / "tests" / "kernels" / "copy.cl"
CALIBRATION = ROOT / "tests" / "accuracy" / "data" / "pocl-2" / "device.calibration"
DEVICE = "pthread-skylake"  # recorded, and never on this node
ITEMS = 1 << 16


def launch(program: predictd.Program, items: int = ITEMS) -> predictd.Launch:
    return predictd.Launch(program, items, 64, [predictd.Buffer(4 << 20, "r"), predictd.Buffer(4 << 20, "w")])


class OwnDaemon(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="predictd-test.")
        self.addCleanup(folder.cleanup)
        self.socket = os.path.join(folder.name, "sock")
        self.config = os.path.join(folder.name, "conf")
        Path(self.config).write_text(
            f"[calibration]\nat_start = never\n[daemon]\nsocket = {self.socket}\nstate = {folder.name}/state\nlog_level = warning\n"
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

    def end(self, how: int = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait()
