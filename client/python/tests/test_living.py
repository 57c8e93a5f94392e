# SPDX-License-Identifier: Apache-2.0
"""A process that lives with the daemon, which is restarted and stopped meanwhile; started by
tests/integration/python.sh. The daemon is its own."""

import os
import random
import signal
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path

import predictd
from own_daemon import CALIBRATION, DEVICE, KERNEL, OwnDaemon, launch

THREADS, EACH, GAP_MAX_S, CHILD = 3, 60, 0.05, 10
VARIED = """
kernel void copy(global const float *a, global float *b) {
  for (int i = 0; i < ITEMS; i++)
    b[get_global_id(0) + i * GAP] = a[get_global_id(0) * ITEMS + i];
}
"""
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

    def test_variants_are_what_registering_each_gives(self) -> None:
        options = [f"-DITEMS={1 << i % 7} -DGAP={i}" for i in range(60)]
        options[7], options[31] = "-DITEMS=(", "--option-that-nobody-knows"
        together = self.daemon.register_variants(VARIED, options)
        # what is kept would answer for both: another daemon has no variant yet
        fresh = OwnDaemon()
        self.addCleanup(fresh.doCleanups)
        fresh.setUp()
        for place, (one, own) in enumerate(zip(together, options)):
            if place in (7, 31):
                with self.assertRaises(type(one)) as failure:
                    fresh.daemon.register(VARIED, own)
                self.assertEqual(str(failure.exception), str(one))
                self.assertIsInstance(one, predictd.SyntaxFailure if place == 7 else predictd.Invalid)
                continue
            assert isinstance(one, predictd.Program)
            alone = fresh.daemon.register(VARIED, own)
            self.assertEqual((alone.kernels, alone.source), (one.kernels, one.source))
            first = self.daemon.predict(launch(one), DEVICE, explain=True, explain_ir=True)
            second = fresh.daemon.predict(launch(alone), DEVICE, explain=True, explain_ir=True)
            self.assertEqual(first, second)

    def test_variants_outlive_a_restart_and_are_given_over_it(self) -> None:
        options = [f"-DITEMS=4 -DGAP={i}" for i in range(300)]
        before = [one for one in self.daemon.register_variants(VARIED, options) if isinstance(one, predictd.Program)]
        self.assertEqual(len(before), len(options))
        super().end(signal.SIGKILL)
        self.start()
        answers = self.daemon.predict_many([launch(one) for one in before], DEVICE)
        self.assertTrue(all(isinstance(one, predictd.Prediction) for one in answers), answers)
        self.end()
        self.start()
        again = self.daemon.register_variants(VARIED, options)
        self.assertTrue(all(isinstance(one, predictd.Program) for one in again))

    def test_variants_find_headers_that_some_of_them_name(self) -> None:
        with tempfile.TemporaryDirectory(prefix="predictd-test.") as folder:
            for name in ("one", "two"):
                Path(folder, f"{name}.h").write_text(f"float {name}(float x) {{ return x; }}\n")
            file = Path(folder, "varied.cl")
            file.write_text("#include NAME\nkernel void k(global float *a) { a[0] = CALL(a[1]); }\n")
            source = predictd.source.load(file, f"-I{folder}")
            wanted = [f'-DNAME=\\"{name}.h\\" -DCALL={name} -DI={i}' for i in range(20) for name in ("one", "two")]
            wanted.append('-DNAME=\\"three.h\\" -DCALL=three')
            *found, lost = self.daemon.register_variants(source, wanted)
        for one in found:
            self.assertIsInstance(one, predictd.Program, one)
        assert isinstance(lost, predictd.SyntaxFailure)
        self.assertEqual(lost.header, "three.h")

    def test_every_call_ends_while_the_daemon_is_stopped(self) -> None:
        asked = launch(self.program, 64)
        calls: list[Callable[[], object]] = [
            self.daemon.status,
            self.daemon.devices,
            self.daemon.export,
            lambda: self.daemon.load(KERNEL),
            lambda: self.daemon.register_variants(VARIED, ["-DITEMS=1 -DGAP=0"]),
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
