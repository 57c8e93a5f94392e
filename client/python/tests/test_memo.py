# SPDX-License-Identifier: Apache-2.0
"""Answers that are kept, and reports in the background, against a daemon of the tests' own, which is stopped,
killed and started again; started by tests/integration/python.sh."""

import dataclasses
import gc
import os
import signal
import subprocess
import threading
import time
import unittest
from unittest import mock

import predictd
from own_daemon import CALIBRATION, DEVICE, ITEMS, KERNEL, OwnDaemon, launch
from predictd import memo, reports


class Daemons(OwnDaemon):
    def asked(self) -> int:
        """Predictions that the daemon has made."""
        with predictd.connect(self.socket) as other:
            return other.status().predictions

    def predict(self, items: int = ITEMS, **options: object) -> predictd.Prediction:
        return self.daemon.predict(launch(self.program, items), DEVICE, **options)  # type: ignore[arg-type]


class Memo(Daemons):
    def test_a_repeated_question_is_not_asked_again(self) -> None:
        first = self.predict()
        before = self.asked()
        for _ in range(100):
            self.assertIs(self.predict(), first)  # of a launch made anew each time
        self.assertEqual(self.daemon.predict_many([launch(self.program)] * 5, DEVICE), [first] * 5)
        self.assertEqual(self.asked(), before)
        self.assertIsNot(self.predict(explain=True), first)
        self.assertEqual(self.asked(), before + 1)

    def test_without_a_memo_each_question_is_asked(self) -> None:
        with predictd.connect(self.socket, memo=False) as daemon:
            question = launch(daemon.load(KERNEL))
            before = self.asked()
            answers = [daemon.predict(question, DEVICE) for _ in range(5)]
            self.assertEqual(answers, [answers[0]] * 5)
            self.assertEqual(self.asked(), before + 5)

    def test_whatever_a_question_says_tells_it_from_others(self) -> None:
        base = launch(self.program)
        data, same, other = (predictd.Sample(bytes([n]) * (4 << 20)) for n in (1, 1, 2))
        sampled = predictd.Buffer(4 << 20, "r", sample=data)
        questions = [
            base,
            dataclasses.replace(base, global_size=2 * ITEMS),
            dataclasses.replace(base, global_size=(ITEMS, 1)),
            dataclasses.replace(base, local_size=32),
            dataclasses.replace(base, local_size=None),
            dataclasses.replace(base, offset=64),
            dataclasses.replace(base, idle_s=0.5),
            dataclasses.replace(base, hints=[predictd.LoopHint(1, 2)]),
            dataclasses.replace(base, hints=[predictd.LoopHint(1, 3)]),
            dataclasses.replace(base, kernel="copy"),
            dataclasses.replace(base, program=self.daemon.load(KERNEL)),
            dataclasses.replace(base, arguments=[predictd.Buffer(8 << 20, "r"), base.arguments[1]]),
            dataclasses.replace(base, arguments=[predictd.Buffer(4 << 20, "r", (0, 1)), base.arguments[1]]),
            dataclasses.replace(base, arguments=[sampled, base.arguments[1]]),
            dataclasses.replace(base, arguments=[dataclasses.replace(sampled, sample=other), base.arguments[1]]),
            dataclasses.replace(base, arguments=[predictd.Scalar("float", 0.0)]),
            dataclasses.replace(base, arguments=[predictd.Scalar("float", -0.0)]),
            dataclasses.replace(base, arguments=[predictd.Scalar("int", 0)]),
        ]
        keys = [memo.key_of(question, "", "default", False, False, False) for question in questions]
        keys += [memo.key_of(base, "1", "default", False, False, False)]
        keys += [memo.key_of(base, "", "pattern", False, False, False)]
        keys += [memo.key_of(base, "", "default", *flags) for flags in ((True, False, False), (False, True, False))]
        self.assertNotIn(None, keys)
        self.assertEqual(len(set(keys)), len(keys))
        alike = dataclasses.replace(base, arguments=[dataclasses.replace(sampled, sample=same), base.arguments[1]])
        self.assertEqual(memo.key_of(alike, "", "default", False, False, False), keys[13])

    def test_a_value_is_that_of_when_it_was_made(self) -> None:
        values = [1, 2, 3, 4]
        scalar = predictd.Scalar("int4", values)
        values[0] = 9
        self.assertEqual(list(scalar._message().integers), [1, 2, 3, 4])

    def test_whatever_holds_the_values_a_question_is_known(self) -> None:
        base = launch(self.program)
        key = lambda one: memo.key_of(one, "", "default", False, False, False)
        for one, other in (
            (predictd.Buffer(64, "r", (0, 9)), predictd.Buffer(64, "r", [0, 9])),  # type: ignore[arg-type]
            (predictd.Scalar("int4", [1, 2, 3, 4]), predictd.Scalar("int4", range(1, 5))),
            (predictd.Scalar("float", float("nan")), predictd.Scalar("float", float("nan"))),
        ):
            keys = [key(dataclasses.replace(base, arguments=[argument])) for argument in (one, other)]
            self.assertEqual(hash(keys[0]), hash(keys[1]))
            self.assertEqual(*keys)
        lists = dataclasses.replace(base, global_size=[ITEMS], local_size=[64], offset=[0], hints=[predictd.BranchHint(1, 1)])
        self.assertIsInstance(hash(key(lists)), int)

    def test_a_wrong_question_is_told_whatever_is_known(self) -> None:
        self.predict()
        for wrong in (float(ITEMS), "1"):
            with self.assertRaises((TypeError, ValueError)):
                self.daemon.predict(dataclasses.replace(launch(self.program), global_size=wrong), DEVICE)  # type: ignore

    def test_a_refusal_is_kept_and_raised_anew(self) -> None:
        removed = self.daemon.remove_calibration(DEVICE).device_key
        self.daemon.import_calibration(CALIBRATION.read_bytes())
        question = predictd.Launch(self.program, ITEMS, 64)  # without arguments
        caught = []
        for _ in range(2):
            with self.assertRaises(predictd.Invalid) as context:
                self.daemon.predict(question, removed)
            caught.append(context.exception)
        self.assertIsNot(caught[0], caught[1])
        self.assertEqual(str(caught[0]), str(caught[1]))

    def test_an_observation_ends_an_answer(self) -> None:
        before = self.predict()
        reporter = predictd.connect(self.socket)
        self.addCleanup(reporter.close)
        program = reporter.load(KERNEL)
        observation = predictd.Observation(launch(program), 3 * before.kernel_time_s, DEVICE)
        self.assertEqual(reporter.observe([observation] * 8), [None] * 8)
        after = self.predict()
        self.assertGreater(after.kernel_time_s, 1.5 * before.kernel_time_s)
        self.assertIs(self.predict(), after)

    def test_a_calibration_ends_an_answer(self) -> None:
        before = self.predict()
        self.daemon.import_calibration(CALIBRATION.read_bytes())
        after = self.predict()
        self.assertIsNot(after, before)
        self.assertIs(self.predict(), after)
        with predictd.connect(self.socket) as other:
            other.remove_calibration(DEVICE)
        with self.assertRaises(predictd.Error):
            self.predict()

    def test_a_daemon_that_ends_ends_its_answers(self) -> None:
        self.predict()
        descriptors = len(os.listdir("/proc/self/fd"))
        for how in (signal.SIGTERM, signal.SIGKILL):
            before = self.predict()
            self.assertIs(self.predict(), before)
            self.end(how)
            with self.assertRaises(predictd.Unavailable):
                self.predict()
            self.start()
            until = time.monotonic() + 30
            while True:
                try:
                    after = self.predict()
                    break
                except predictd.Unavailable:
                    self.assertLess(time.monotonic(), until)
                    time.sleep(0.02)
            self.assertIsNot(after, before)
            self.assertIs(self.predict(), after)
        self.assertEqual(len(os.listdir("/proc/self/fd")), descriptors)

    def test_a_child_of_a_fork_asks_for_itself(self) -> None:
        first = self.predict()
        child = os.fork()
        if child == 0:
            try:
                answer = self.predict()
                is_right = answer is not first and answer == first and self.predict() is answer
                os._exit(0 if is_right else 1)
            except BaseException:
                os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertIs(self.predict(), first)

    def test_another_program_is_not_taken_for_one_that_is_gone(self) -> None:
        for times in (1, 64):  # programs of one size, which the allocator puts in one place
            text = f"kernel void k(global float *a) {{ for (int i = 0; i < {times}; i++) a[i] += 1; }}"
            program = self.daemon.register(text)
            question = predictd.Launch(program, 64, 64, [predictd.Buffer(4096)])
            answer = self.daemon.predict(question, DEVICE)
            self.assertEqual(answer, self.daemon.predict(question, DEVICE, static_only=True))
            del program, question
            gc.collect()

    def test_so_many_are_kept(self) -> None:
        with mock.patch.object(memo, "ANSWERS_MAX", 8):
            first, *_, last = [self.predict(64 * n) for n in range(1, 20)]
            self.assertEqual(len(self.daemon._transport.memo._answers), 8)
            self.assertIs(self.predict(64 * 19), last)
            self.assertIsNot(self.predict(64), first)

    def test_threads_share_what_is_kept(self) -> None:
        wrong: list[object] = []
        right = {n: self.predict(64 * n) for n in range(1, 40)}

        def ask() -> None:
            for _ in range(50):
                for n, answer in right.items():
                    if self.predict(64 * n) != answer:
                        wrong.append(n)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_memory_that_may_shrink_is_not_read(self) -> None:
        descriptor = os.memfd_create("epochs", os.MFD_ALLOW_SEALING)
        self.addCleanup(os.close, descriptor)
        os.ftruncate(descriptor, 4096)
        with self.assertRaisesRegex(ValueError, "sealed memory of 512 epochs"):
            memo.Epochs(descriptor, 512, self.daemon._transport._socket)


class Reporting(Daemons):
    def observation(self, factor: float = 1.0, **changes: object) -> predictd.Observation:
        time_s = factor * self.predict(static_only=True).kernel_time_s
        return dataclasses.replace(predictd.Observation(launch(self.program), time_s, DEVICE), **changes)

    def counts(self) -> tuple[int, int, int, int]:
        counts = self.daemon.report_counts()
        return counts.reported, counts.refused, counts.dropped, counts.waiting

    def test_what_was_reported_is_known_after_a_flush(self) -> None:
        one = self.observation(2.0)
        for _ in range(300):
            self.daemon.report(one)
        self.daemon.flush()
        self.assertEqual(self.counts(), (300, 0, 0, 0))
        self.assertEqual(self.daemon.status().observations, 300)
        self.assertGreater(self.predict().kernel_time_s, 1.5 * one.kernel_time_s / 2)

    def test_a_wrong_one_is_refused_where_it_is_written(self) -> None:
        for changes in ({"kernel_time_s": 0}, {"kernel_time_s": -1.0}, {"task_time_s": float("inf")},
                        {"launch": dataclasses.replace(launch(self.program), global_size=0)}, {"flags": "first"}):
            with self.assertRaises(predictd.Invalid):
                self.daemon.report(self.observation(**changes))
        self.assertEqual(self.counts(), (0, 5, 0, 0))

    def test_one_that_the_daemon_refuses_takes_none_along(self) -> None:
        broken = dataclasses.replace(self.program, source=predictd.Source(b"kernel void k( {"), _serial=-1)
        self.daemon.report(self.observation())
        self.daemon.report(self.observation(device="nowhere"))
        self.daemon.report(self.observation(launch=launch(broken)))
        self.daemon.report(self.observation())
        self.daemon.flush()
        self.assertEqual(self.counts(), (2, 2, 0, 0))

    def test_a_daemon_that_is_away_gets_it_later(self) -> None:
        one = self.observation()
        self.end()
        for _ in range(3):
            self.daemon.report(one)
        time.sleep(0.2)
        self.assertEqual(self.counts(), (0, 0, 0, 3))
        self.start()
        self.daemon.flush()
        self.assertEqual(self.counts(), (3, 0, 0, 0))

    def test_a_full_queue_drops_and_says_so(self) -> None:
        one = self.observation()
        self.end()
        with mock.patch.object(reports, "WAITING_MAX", 4):
            for _ in range(4):
                self.daemon.report(one)
            with self.assertRaisesRegex(predictd.Busy, "4 reports wait"):
                self.daemon.report(one)
        self.assertEqual(self.counts(), (0, 0, 1, 4))
        with mock.patch.object(reports, "_CLOSE_S", 0.05):
            self.daemon.close()
        self.assertEqual(self.counts(), (0, 0, 5, 0))

    def test_a_flush_without_a_daemon_ends(self) -> None:
        one = self.observation()
        with predictd.Connection(self.socket, timeout_s=0.2) as daemon:
            self.end()
            daemon.report(one)
            with self.assertRaisesRegex(predictd.Timeout, "1 reports still wait"):
                daemon.flush()

    def test_what_is_left_at_the_end_of_a_process_is_sent(self) -> None:
        one = self.observation()
        code = (
            "import predictd, sys\n"
            "daemon = predictd.connect(sys.argv[1])\n"
            "program = daemon.load(sys.argv[2])\n"
            "launch = predictd.Launch(program, 65536, 64, [predictd.Buffer(4 << 20), predictd.Buffer(4 << 20)])\n"
            f"daemon.report(predictd.Observation(launch, {one.kernel_time_s!r}, {DEVICE!r}))\n"
        )
        subprocess.run([os.sys.executable, "-c", code, self.socket, str(KERNEL)], check=True, timeout=60)
        self.assertEqual(self.daemon.status().observations, 1)

    def test_the_thread_ends_when_there_is_nothing_to_do(self) -> None:
        with mock.patch.object(reports, "_IDLE_S", 0.01):
            self.daemon.report(self.observation())
            self.daemon.flush()
            thread = self.daemon._reports._thread
            if thread is not None:
                thread.join(10)
                self.assertFalse(thread.is_alive())
            self.daemon.report(self.observation())
            self.daemon.flush()
        self.assertEqual(self.counts(), (2, 0, 0, 0))

    def test_a_child_of_a_fork_has_none_of_its_parents(self) -> None:
        one = self.observation()
        self.end()
        self.daemon.report(one)
        child = os.fork()
        if child == 0:
            os._exit(0 if self.daemon.report_counts() == predictd.ReportCounts(0, 0, 0, 0) else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        with mock.patch.object(reports, "_CLOSE_S", 0.05):
            self.daemon.close()


if __name__ == "__main__":
    unittest.main()
