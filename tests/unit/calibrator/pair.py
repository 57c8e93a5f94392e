#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs are driven in step: sides of this test's own, which need no device, in place of drivers.

Usage: pair.py CALIBRATOR
"""
import os
import subprocess
import sys
import tempfile
import unittest

CALIBRATOR = sys.argv.pop(1)
LOADS = ("compute", "memory", "transfer")

# A side whose rate is RATE alone, the first 3 of 12 phases, and RATE over SLOWER beside another.
SIDE = r"""
import sys
rate, slower, last, how = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
print("ready", sys.argv[5], flush=True)
for number, line in enumerate(sys.stdin):
    word, load, begin, length = line.split()
    assert word == "run" and load in ("compute", "memory", "transfer") and int(length) > 0
    if number == last:
        exec(how)
    print("done", rate if number % 12 < 3 else rate / slower, flush=True)
"""


class Pair(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.side = os.path.join(folder.name, "side.py")
        with open(self.side, "w", encoding="ascii") as file:
            file.write(SIDE)

    def command(self, slower, last=-1, how="", name="fake"):
        return f"exec {sys.executable} {self.side} 100 {slower} {last} '{how}' {name}"

    def run_pair(self, *commands):
        arguments = [CALIBRATOR, "--pair"]
        for command in commands:
            arguments += ["--command", command]
        return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)

    def slowdowns(self, *commands):
        done = self.run_pair(*commands)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
        return {(int(side), own, other): float(value) for side, own, other, value in lines}

    def test_each_side_is_slower_beside_the_other_by_its_own_factor(self):
        found = self.slowdowns(self.command(2), self.command(1.25))
        self.assertEqual(len(found), 18)
        for own in LOADS:
            for other in LOADS:
                self.assertAlmostEqual(found[0, own, other], 2)
                self.assertAlmostEqual(found[1, own, other], 1.25)

    def test_a_side_that_is_faster_beside_another_is_noise(self):
        found = self.slowdowns(self.command(0.8), self.command(1))
        self.assertEqual(set(found.values()), {1.0})

    def test_a_crash_is_said_with_the_device_and_what_it_did(self):
        done = self.run_pair(self.command(2),
                             self.command(2, 4, "import os; os.kill(os.getpid(), 11)", "weak"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("weak: its driver crashed at memory beside compute (signal 11",
                      done.stderr)

    def test_a_hang_is_said_and_nothing_is_left_behind(self):
        pid_file = self.side + ".pid"
        how = f'import os, time; open("{pid_file}", "w").write(str(os.getpid())); time.sleep(99)'
        done = self.run_pair(self.command(2, 1, how, "stuck"), self.command(2))
        self.assertEqual(done.returncode, 1)
        self.assertIn("stuck: its driver does not answer at memory, alone", done.stderr)
        with open(pid_file, encoding="ascii") as file:
            with self.assertRaises(ProcessLookupError):
                os.kill(int(file.read()), 0)

    def test_a_side_that_cannot_start_is_said(self):
        done = self.run_pair("exit 3", self.command(2))
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit 3: its process ended as it prepared its loads (status 3)", done.stderr)

    def test_what_a_side_fails_with_is_said(self):
        done = self.run_pair("echo failed no such device", self.command(2))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such device", done.stderr)

    def test_answers_of_another_kind_are_refused(self):
        for answer in ("done nan", "done -1", "done inf", "done", "hello", "done 0", "x" * 600):
            done = self.run_pair(self.command(2, 0, f'print("{answer}", flush=True); input()'),
                                 self.command(2))
            self.assertEqual(done.returncode, 1, answer)
            self.assertIn("predictd-calibrator: fake: ", done.stderr)

    def test_pairs_have_two_sides(self):
        for sides in ([], ["--device", "0"], ["--device", "0"] * 3):
            done = subprocess.run([CALIBRATOR, "--pair", *sides], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
