# SPDX-License-Identifier: Apache-2.0
"""A process that lives with the daemon, which is restarted and stopped meanwhile; started by
tests/integration/python.sh. The daemon is its own."""

import os
import random
import signal
import threading
import time
import unittest
from collections.abc import Callable

import predictd
from own_daemon import CALIBRATION, DEVICE, KERNEL, OwnDaemon, launch

THREADS, EACH, GAP_MAX_S, CHILD = 3, 60, 0.05, 10
LAUNCHES = 8  # few: of these the daemon counts every run


class Living(OwnDaemon):
    def end(self, how: int = signal.SIGTERM) -> None:
        super().end(how)
        self.assertEqual(self.process.returncode, 0)

    def observe(self, seed: int, count: int) -> None:
        """Now and then, and again while the daemon is away."""
        chance = random.Random(seed)
        for _ in range(count):
            time.sleep(chance.random() * GAP_MAX_S)
            one = predictd.Observation(launch(self.program, 64 * (1 + chance.randrange(LAUNCHES))), 1e-3, device=DEVICE)
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
        asked = launch(self.program, 64)
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
