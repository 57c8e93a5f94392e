# SPDX-License-Identifier: Apache-2.0
"""Splits and schedules, which libpredictd computes: structures as it has them, answers and errors."""

import ctypes
import math
import os
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import predictd
from own_daemon import DEVICE, ROOT, OwnDaemon, launch
from predictd import native, scheduling, splitting
from predictd.tune import searching

OTHER = ROOT / "tests" / "accuracy" / "data" / "h200" / "device.calibration"


class Layouts(unittest.TestCase):
    """ctypes structures are the recorded interface's."""

    def test_structures_are_as_recorded(self) -> None:
        recorded = {
            one.get("name"): one
            for one in ElementTree.parse(ROOT / "client" / "abi" / "libpredictd.abi").iter("class-decl")
            if one.get("size-in-bits")
        }
        mine = [
            one
            for module in (native, splitting, scheduling, searching)
            for name, one in vars(module).items()
            if name.startswith("predictd_") and one.__module__ == module.__name__
        ]
        self.assertGreaterEqual(len(mine), 21)
        for one in mine:
            with self.subTest(one.__name__):
                there = recorded[one.__name__]
                members = [
                    (member.find("var-decl").get("name"), int(member.get("layout-offset-in-bits")))
                    for member in there.findall("data-member")
                ]
                self.assertEqual([(name, 8 * getattr(one, name).offset) for name, _ in one._fields_], members)
                self.assertEqual(8 * ctypes.sizeof(one), int(there.get("size-in-bits")))

    def test_a_key_has_room(self) -> None:
        self.assertIn(f"PREDICTD_KEY_BYTES = {native.KEY_BYTES} ", (ROOT / "client" / "predictd.h").read_text())


class Several(OwnDaemon):
    def setUp(self) -> None:
        super().setUp()
        self.daemon.import_calibration(OTHER.read_bytes())
        self.keys = [one.key for one in self.daemon.devices() if one.is_calibrated]
        self.assertEqual(len(self.keys), 2)

    def split(self, **more: object) -> predictd.Split:
        items = 1 << 24
        arguments = [predictd.Buffer(4 * items, "r"), predictd.Buffer(4 * items, "w")]
        whole = predictd.Launch(self.program, items, 64, arguments)
        return self.daemon.split(whole, self.keys, **{"buffers": {0: 0, 1: 0}, "transfers": True, **more})

    def test_shares_are_all_of_the_range_and_end_together(self) -> None:
        split = self.split(granule_items=4096)
        self.assertEqual(sum(share.items for share in split.shares), 1 << 24)
        self.assertEqual(split.granule_items, 4096)
        self.assertEqual([share.reason for share in split.shares], ["balanced", "balanced"])
        self.assertAlmostEqual(split.shares[0].time_s / split.shares[1].time_s, 1, delta=0.01)
        self.assertEqual(split.time_s, max(share.time_s for share in split.shares))
        self.assertAlmostEqual(split.gain * split.time_s, min(share.alone_s for share in split.shares))
        self.assertEqual(sorted(share.device for share in split.shares), sorted(self.keys))
        for share in split.shares:  # by the same daemon, asked from here
            whole = predictd.Launch(
                self.program, share.items, 64, [predictd.Buffer(4 << 24, "r"), predictd.Buffer(4 << 24, "w")],
                offset=share.begin,
            )
            self.assertEqual(share.kernel_time_s, self.daemon.predict(whole, share.device).kernel_time_s)

    def test_what_parts_need_follows_from_the_kernel(self) -> None:
        said, found = self.split(), self.split(buffers=None)
        self.assertEqual([share.items for share in found.shares], [share.items for share in said.shares])
        self.assertEqual(sum(share.h2d_bytes for share in found.shares), 4 << 24)
        source = "kernel void out(global int *a) { a[get_global_id(0) / 2] = 1; }"
        wrong = predictd.Launch(self.daemon.register(source), 1 << 16, 64, [predictd.Buffer(4 << 16, "w")])
        with self.assertRaisesRegex(predictd.Unsupported, "line 1"):
            self.daemon.split(wrong, self.keys)

    def test_slowdowns_move_work_away(self) -> None:
        alone = self.split()
        beside = self.split(slowdowns=[[1, 1.5], [1, 1]])
        self.assertTrue(beside.has_slowdowns)
        self.assertLess(beside.shares[0].items, alone.shares[0].items)
        self.assertGreater(beside.time_s, alone.time_s)

    def test_what_is_wrong_is_said(self) -> None:
        for wrong, kind, said in (
            ({"dimension": 1}, predictd.Invalid, "dimension 1 of 1"),
            ({"dimension": -1}, predictd.Invalid, "dimension: want 0"),
            ({"granule_items": 1 << 25}, predictd.Invalid, "larger than the range"),
            ({"slowdowns": [[1]]}, predictd.Invalid, "2 rows of 2"),
            ({"slowdowns": [[1, 0.5], [1, 1]]}, predictd.Invalid, "want 1 or more, have 0.5"),
            ({"buffers": {7: 0}}, predictd.Invalid, "argument 7 of 2"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(kind, said):
                self.split(**wrong)
        with self.assertRaisesRegex(predictd.Invalid, "want 1 to 16 devices"):
            self.daemon.split(launch(self.program), ["x"] * 17)
        with self.assertRaisesRegex(predictd.NotFound, "nothing"):
            self.daemon.split(launch(self.program), ["nothing"], buffers={1: 0})

    def test_a_sample_goes_along(self) -> None:
        data = predictd.Sample(bytes(1 << 20))
        arguments = [predictd.Buffer(1 << 20, "r", sample=data), predictd.Buffer(1 << 20, "w")]
        one = predictd.Launch(self.program, 1 << 18, 64, arguments)
        split = self.daemon.split(one, self.keys, buffers={0: 0, 1: 0})
        self.assertEqual(sum(share.items for share in split.shares), 1 << 18)

    def test_tasks_are_planned_in_their_order(self) -> None:
        with self.daemon.schedule([predictd.ScheduleDevice(key) for key in self.keys]) as schedule:
            first, second = schedule.buffer(4 << 20), schedule.buffer(4 << 20, is_on_host=False)
            numbers = schedule.add(
                [
                    predictd.Task(launch(self.program), name="copy", reads=[first], writes=[second]),
                    predictd.Task(times_s=[2, math.inf], name="after", reads=[second]),
                ]
            )
            self.assertEqual(numbers, [0, 1])
            self.assertEqual(schedule.add([predictd.Task(times_s=[1, 5], needs=[1])], now_s=1), [2])
            plan = schedule.plan
        copy, after, late = plan.tasks
        predicted = [self.daemon.predict(launch(self.program), key).task_time_s for key in self.keys]
        self.assertEqual(copy.end_s, min(copy.ends_s))
        self.assertAlmostEqual(copy.end_s - copy.start_s, predicted[copy.device])
        self.assertEqual((after.device, after.by), (0, "ability"))
        self.assertGreaterEqual(after.start_s, copy.end_s)
        self.assertEqual(late.start_s, after.end_s)
        self.assertEqual(plan.makespan_s, late.end_s)
        self.assertEqual(plan.critical, (0, 1, 2))
        self.assertEqual(plan.copies, ())  # they take no time

    def test_copies_go_by_way_of_the_host(self) -> None:
        devices = [
            predictd.ScheduleDevice(
                key, upload_latency_s=1, upload_bytes_per_s=100, download_latency_s=2, download_bytes_per_s=50
            )
            for key in self.keys
        ]
        with self.daemon.schedule(devices, method="fastest") as schedule:
            there = schedule.buffer(100, is_on_host=False, on_devices=[1])
            schedule.add([predictd.Task(times_s=[1, 2], reads=[there])])
            plan = schedule.plan
        self.assertEqual([(one.source, one.target) for one in plan.copies], [(1, None), (None, 0)])
        self.assertEqual([(one.start_s, one.end_s) for one in plan.copies], [(0, 4), (4, 6)])
        self.assertEqual(plan.makespan_s, 7)

    def test_what_cannot_be_planned_is_said(self) -> None:
        with self.daemon.schedule([predictd.ScheduleDevice("", memory_bytes=10)]) as schedule:
            big = schedule.buffer(100)
            task = predictd.Task
            for wrong, kind, said in (
                ([task(times_s=[1], needs=[1]), task(times_s=[1], needs=[0])], predictd.Invalid, "a cycle"),
                ([task(times_s=[1], needs=[5])], predictd.Invalid, "need 5 of 1"),
                ([task(times_s=[1], reads=[1])], predictd.Invalid, "buffer 1 of 1"),
                ([task(times_s=[1, 2])], predictd.Invalid, "want 1 times, have 2"),
                ([task(times_s=[-1])], predictd.Invalid, ""),
                ([task()], predictd.Invalid, "a launch or times"),
                ([task(times_s=[math.inf])], predictd.Unsupported, ""),
            ):
                with self.subTest(said), self.assertRaisesRegex(kind, said):
                    schedule.add(wrong)
            self.assertEqual(schedule.plan.tasks, ())
            schedule.add([task(times_s=[1], reads=[big]), task(times_s=[1])])
            plan = schedule.plan
        self.assertEqual([one.error for one in plan.tasks], [predictd.Limit, None])
        self.assertEqual((plan.tasks[0].device, plan.tasks[0].end_s), (None, math.inf))
        with self.assertRaisesRegex(predictd.Invalid, "want a method"):
            self.daemon.schedule(self.keys, method="best")
        with self.assertRaisesRegex(predictd.NotFound, "away|nothing"):
            self.daemon.schedule(self.keys)  # they are recorded ones: nothing runs there

    def test_without_the_library_it_is_named(self) -> None:
        with unittest.mock.patch.dict(os.environ, {"PREDICTD_LIBRARY": "/nonexistent/libpredictd.so"}):
            with self.assertRaisesRegex(predictd.Unavailable, "libpredictd.so.0"):
                self.split()
        self.split()


if __name__ == "__main__":
    unittest.main()
