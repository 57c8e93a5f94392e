# SPDX-License-Identifier: Apache-2.0
"""Samples of buffer objects: what they hold, and questions with them; started by tests/integration/python.sh."""

import array
import mmap
import os
import unittest
from pathlib import Path
from unittest import mock

import predictd

ROOT = Path(os.environ["SOURCE_ROOT"])
ITEMS = 1 << 12


class Taking(unittest.TestCase):
    def test_a_small_buffer_is_read_whole(self) -> None:
        data = array.array("i", range(100))
        sample = predictd.Sample(data)
        self.assertEqual((sample.type, sample.size_bytes), ("int", 400))
        self.assertEqual(sample._message.bytes, data.tobytes())
        self.assertEqual(list(sample._message.lengths_bytes), [400])

    def test_a_large_one_in_runs_from_its_beginning_to_its_end(self) -> None:
        for count in (16385, 17500, 1 << 20):
            data = array.array("I", range(count))
            message = predictd.Sample(data)._message
            self.assertEqual(message.offsets_bytes[0], 0)
            self.assertEqual(message.offsets_bytes[-1] + message.lengths_bytes[-1], 4 * count)
            self.assertEqual(len(message.bytes), 65536)
            at = end = 0
            for offset, length in zip(message.offsets_bytes, message.lengths_bytes):
                self.assertTrue(offset > end or offset == 0)
                end = offset + length
                self.assertEqual(message.bytes[at : at + length], data.tobytes()[offset:end])
                at += length

    def test_types_are_those_of_the_buffer_object(self) -> None:
        for code, name in (("b", "char"), ("B", "uchar"), ("h", "short"), ("H", "ushort"), ("i", "int"), ("I", "uint"),
                           ("q", "long"), ("Q", "ulong"), ("f", "float"), ("d", "double")):
            self.assertEqual(predictd.Sample(array.array(code, [1, 2])).type, name)
        self.assertEqual(predictd.Sample(b"abcd", "int").type, "int")
        with self.assertRaisesRegex(ValueError, "scalar type"):
            predictd.Sample(b"abcd", "int4")
        with self.assertRaisesRegex(ValueError, "contiguous"):
            predictd.Sample(memoryview(b"abcdefgh")[::2])
        with self.assertRaisesRegex(ValueError, "an element or more, have 3 bytes"):
            predictd.Sample(b"abc", "int")

    @unittest.skipUnless(mmap.PAGESIZE == 4096, "of other pages other runs are left")
    def test_pages_that_nobody_touched_are_left_alone(self) -> None:
        size = 1 << 26
        with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as data:
            data.madvise(mmap.MADV_NOHUGEPAGE)
            with self.assertRaisesRegex(ValueError, "a page that is in memory, have none"):
                predictd.Sample(data)
            data[:4096] = b"a" * 4096
            for _ in range(2):
                message = predictd.Sample(data)._message
                self.assertEqual(list(message.offsets_bytes), [0])
                self.assertEqual(message.bytes, b"a" * 4096)
            touched = predictd.Sample(data, touch=True)._message
            self.assertEqual(len(touched.bytes), 65536)
            self.assertEqual(len(predictd.Sample(memoryview(data).toreadonly())._message.bytes), 65536)

    @unittest.skipUnless(mmap.PAGESIZE == 4096, "of other pages other runs are left")
    def test_of_a_small_one_what_was_touched(self) -> None:
        with mmap.mmap(-1, 40960, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as data:
            data[8192] = data[16384] = data[20480] = 1
            message = predictd.Sample(data)._message
            self.assertEqual(list(message.offsets_bytes), [8192, 16384])
            self.assertEqual(list(message.lengths_bytes), [4096, 8192])

    def test_it_is_of_its_buffer(self) -> None:
        with self.assertRaisesRegex(ValueError, "want a sample of 8 bytes, have one of 4"):
            predictd.Buffer(8, sample=predictd.Sample(b"abcd"))


class Asking(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = predictd.connect()
        self.addCleanup(self.daemon.close)
        self.copy = self.daemon.load(ROOT / "tests" / "kernels" / "copy.cl")

    def launch(self, first: int, items: int = ITEMS) -> predictd.Launch:
        data = array.array("I", range(first, first + items))
        source = predictd.Buffer(4 * items, "r", sample=predictd.Sample(data))
        return predictd.Launch(self.copy, items, 64, [source, predictd.Buffer(4 * items, "w")])

    def test_an_answer_says_what_was_sampled(self) -> None:
        launch = self.launch(0)
        for _ in range(2):
            self.assertIn("sampled: ", self.daemon.predict(launch).note)
        (placement,) = self.daemon.place([self.launch(1)])
        assert isinstance(placement, predictd.Placement)
        self.assertIn("sampled: ", placement.prediction.note)

    def test_what_was_forgotten_is_sent_again(self) -> None:
        launch = self.launch(2)
        self.daemon.predict(launch)
        self.daemon.forget()
        self.assertIn("sampled: ", self.daemon.predict(launch, explain=True).note)

    def test_a_batch_of_more_than_are_kept_is_answered(self) -> None:
        launches = [self.launch(1000 + i) for i in range(150)]
        for answer in self.daemon.predict_many(launches):
            assert isinstance(answer, predictd.Prediction)
            self.assertIn("sampled: ", answer.note)

    def test_what_is_observed_is_of_that_data(self) -> None:
        launch, other = self.launch(3, 1 << 10), self.launch(4, 1 << 10)
        self.assertEqual(self.daemon.observe([predictd.Observation(launch, 0.125)] * 4), [None] * 4)
        self.assertEqual(self.daemon.predict(launch).basis, "observed")
        self.assertNotEqual(self.daemon.predict(other).basis, "observed")

    def test_they_are_switched_off(self) -> None:
        launch = self.launch(5)
        with predictd.connect(samples=False) as daemon:
            self.assertNotIn("sampled", daemon.predict(launch).note)
        with mock.patch.dict(os.environ, {"PREDICTD_SAMPLES": "no"}), predictd.connect() as daemon:
            self.assertNotIn("sampled", daemon.predict(launch).note)


if __name__ == "__main__":
    unittest.main()
