# SPDX-License-Identifier: Apache-2.0
"""The bridge for live pyopencl objects, on a real driver and a daemon with a calibrated device; started by
tests/integration/python.sh."""

import contextlib
import dataclasses
import gc
import io
import statistics
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import pyopencl as cl
import pyopencl._cl as _cl
import pyopencl.array
import pyopencl.cltypes

import predictd
import predictd.pyopencl
from predictd import live, taps, watching

ITEMS, GROUP = 1 << 14, 64
SAXPY = """
kernel void saxpy(global float *y, global const float *x, float a, int n)
{
	int i = get_global_id(0);
	if (i < n)
		y[i] += a * x[i];
}
"""
GPU = predictd.Device(
    0, "k", "H", "P", "V", "", "GPU", 132, True, True, False, False, False, 0, "", {}, uuid="0" * 31 + "1", pci="0000:3b:00.0"
)


class Words(unittest.TestCase):
    """What needs no device."""

    def test_a_device_is_known_by_its_uuid_then_its_place_then_its_names(self) -> None:
        mine = live.Identity("P", "V", "H", 132, "0" * 31 + "1", "0000:3b:00.0")
        self.assertTrue(mine.is_like(GPU))
        self.assertTrue(mine.is_like(dataclasses.replace(GPU, pci="0000:3c:00.0")))
        self.assertFalse(mine.is_like(dataclasses.replace(GPU, uuid="0" * 31 + "2")))
        self.assertFalse(mine.is_like(dataclasses.replace(GPU, uuid="f" * 32, pci="0000:3c:00.0")))
        self.assertTrue(mine.is_like(dataclasses.replace(GPU, uuid="", pci="0000:00:00.0")))
        for changes in ({"platform": "Q"}, {"vendor": "W"}, {"name": "I"}, {"compute_units": 66}):
            self.assertFalse(mine.is_like(dataclasses.replace(GPU, **changes)))
        long = dataclasses.replace(mine, name="n" * 200)
        self.assertTrue(long.is_like(dataclasses.replace(GPU, name="n" * 127)))

    def test_equals_are_told_by_their_number(self) -> None:
        for key, number in (("name:00ff", 0), ("name:00ff.2", 2), ("pci:0000:3b:00.0-00ff", 0), ("pci:0000:3b:00.0-00ff.1", 1)):
            self.assertEqual(live._ordinal(key), number)

    def test_sizes_are_those_that_opencl_gets(self) -> None:
        self.assertEqual(live.shape_of(64, None, None, False), ((64,), (), ()))
        self.assertEqual(live.shape_of((numpy.int64(8), 4), [2, 2], (1, 0), False), ((8, 4), (2, 2), (1, 0)))
        self.assertEqual(live.shape_of((8, 4), (2,), None, True), ((16, 4), (2, 1), ()))
        for wrong in ("64", 1.5, (1, 2.5)):
            with self.assertRaisesRegex(TypeError, "global size: want an integer or up to three"):
                live.shape_of(wrong, None, None, False)  # type: ignore[arg-type]

    def test_as_many_launches_are_reported_as_by_the_layer(self) -> None:
        reported = [number for number in range(1, 200) if watching.is_reported(number)]
        self.assertEqual(reported, [*range(1, 17), 24, 32, 48, 64, 96, 128, 192])
        self.assertEqual(sum(map(watching.is_reported, range(1, 1000001))), 47)

    def test_values_are_read_as_declared(self) -> None:
        kernel = predictd.Kernel("k", "", ("a",) * 6, ("scalar uchar4", "scalar half", "scalar bool", "struct 24", "scalar int3", "scalar 7"), ())
        read = lambda at, value: live.declared(kernel, at, live.see(value))
        self.assertEqual(read(0, numpy.uint32(0x04030201)), predictd.Scalar("uchar4", (1, 2, 3, 4)))
        self.assertEqual(read(1, numpy.float16(1.5)), predictd.Scalar("half", 1.5))
        self.assertEqual(read(2, True), predictd.Scalar("uchar", 1))
        self.assertEqual(read(3, b"x" * 24), predictd.Struct(24))
        self.assertEqual(read(4, pyopencl.cltypes.make_int3(1, 2, 3)), predictd.Scalar("int3", (1, 2, 3)))
        for at, value, text in ((0, numpy.uint8(1), "want 4 bytes of uchar4, have 1"), (3, b"x", "want 24 bytes of a struct, have 1"),
                                (1, None, "want a scalar, have memory"), (2, 1.5, "want bool, have 1.5")):
            with self.assertRaisesRegex(predictd.Invalid, rf"argument {at} \(a\).*{text}"):
                read(at, value)
        with self.assertRaisesRegex(predictd.Unsupported, "bytes do not tell"):
            read(5, b"x" * 7)


class Live(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")
        self.context = cl.create_some_context(interactive=False)
        self.device = self.context.devices[0]
        self.queue = self.make_queue()
        self.daemon = predictd.connect()
        self.addCleanup(self.daemon.close)
        self.reporting = mock.Mock(wraps=self.daemon.report)
        self.daemon.report = self.reporting  # type: ignore[method-assign]
        self.bridge = predictd.pyopencl.Bridge(self.daemon)
        self.buffers = [cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4 * ITEMS) for _ in range(2)]
        self.arguments = (*self.buffers, numpy.float32(2), numpy.int32(ITEMS))
        # a name of its own: what other tests observed counts for their programs
        self.text = f"// {self.id()}\n{SAXPY}"
        self.kernel = self.build(self.text).saxpy
        self.addCleanup(self.daemon.forget)

    def make_queue(self, is_profiling: bool = True) -> Any:
        properties = cl.command_queue_properties.PROFILING_ENABLE if is_profiling else 0
        return cl.CommandQueue(self.context, properties=properties)

    def build(self, text: str, options: Any = ()) -> Any:
        return cl.Program(self.context, text).build(list(options))

    def predict(self, *args: Any, **options: Any) -> predictd.Prediction:
        return self.bridge.predict(self.kernel, self.queue, (ITEMS,), (GROUP,), *args, **options)

    def launch(self, *args: Any) -> Any:
        return self.kernel(self.queue, (ITEMS,), (GROUP,), *args)

    @property
    def reported(self) -> list[predictd.Observation]:
        """What the bridge has told its connection."""
        return [call.args[0] for call in self.reporting.call_args_list]


class Asking(Live):
    def test_a_device_has_the_daemons_key(self) -> None:
        (mine,) = [one for one in self.daemon.devices() if one.name == self.device.name and one.is_present][:1]
        self.assertEqual(self.bridge.device_key(self.device), mine.key)
        if self.device.max_compute_units > 1:
            (part, *_) = self.device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
            with self.assertRaisesRegex(predictd.NotFound, "no sub-device like"):
                self.bridge.device_key(part)

    def test_an_answer_is_that_of_the_plain_question(self) -> None:
        program = self.daemon.register(self.text, live.options_of(self.kernel, self.device))
        plain = predictd.Launch(
            program, ITEMS, GROUP,
            [predictd.Buffer(4 * ITEMS), predictd.Buffer(4 * ITEMS), predictd.Scalar("float", 2), predictd.Scalar("int", ITEMS)],
        )  # fmt: skip
        key = self.bridge.device_key(self.device)
        self.assertEqual(self.predict(*self.arguments), self.daemon.predict(plain, key))
        self.assertEqual(self.predict(*self.arguments[:2], 2.0, ITEMS), self.daemon.predict(plain, key))
        offset = dataclasses.replace(plain, global_size=GROUP, offset=GROUP)
        answer = self.bridge.predict(self.kernel, self.queue, (1,), (GROUP,), *self.arguments, g_times_l=True, global_offset=(GROUP,))
        self.assertEqual(answer, self.daemon.predict(offset, key))
        free = self.bridge.predict(self.kernel, self.queue, ITEMS, None, *self.arguments)
        self.assertEqual(free, self.daemon.predict(dataclasses.replace(plain, local_size=None), key))
        self.assertGreater(len(self.predict(*self.arguments, explain=True).rows), 0)
        self.assertGreater(self.predict(*self.arguments, transfers=True).h2d_time_s, 0)

    def test_a_repeated_question_is_answered_by_what_is_kept(self) -> None:
        first = self.predict(*self.arguments)
        before = self.daemon.status().predictions
        self.assertIs(self.predict(*self.arguments), first)
        self.assertIs(self.bridge.predict(cl.Kernel(self.kernel.program, "saxpy"), self.queue, (ITEMS,), (GROUP,), *self.arguments), first)
        self.assertEqual(self.daemon.status().predictions, before)

    def test_every_kind_of_argument_is_taken(self) -> None:
        kernel = self.build("""
            typedef struct { float a; int b; } pair;
            kernel void every(global float *a, global float *null, constant float *c, local float *l, float4 v, pair p,
                            uchar u, long n, read_only image2d_t i, sampler_t s, write_only image2d_array_t o)
            {
                int at = get_global_id(0);
                l[get_local_id(0)] = c[at & 15];
                barrier(CLK_LOCAL_MEM_FENCE);
                float4 t = read_imagef(i, s, (int2)(at, 0));
                write_imagef(o, (int4)(at, 0, 1, 0), t);
                a[at] = l[0] + v.x + p.a + u + n + t.x + (null != 0);
            }""").every
        flags, form = cl.mem_flags, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
        image = cl.Image(self.context, flags.READ_ONLY, form, (GROUP, 8))
        layers = cl.Image(self.context, flags.WRITE_ONLY, form, (GROUP, 8, 2), is_array=True)
        sampler = cl.Sampler(self.context, True, cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR)
        pair = numpy.zeros((), numpy.dtype([("a", numpy.float32), ("b", numpy.int32)]))
        arguments = [
            pyopencl.array.zeros(self.queue, GROUP, numpy.float32), None, self.buffers[0], cl.LocalMemory(4 * GROUP),
            pyopencl.cltypes.make_float4(1, 2, 3, 4), pair, numpy.uint8(3), numpy.int64(-1), image, sampler, layers,
        ]  # fmt: skip
        key = self.bridge.device_key(self.device)
        asked = self.bridge.ask_about(self.bridge._launched(kernel, self.queue, GROUP, GROUP, arguments, None, None, False))
        self.assertEqual(asked.device, key)
        self.assertEqual(asked.launch.arguments, (
            predictd.Buffer(4 * GROUP), predictd.Buffer(1), predictd.Buffer(4 * ITEMS), predictd.Local(4 * GROUP),
            predictd.Scalar("float4", (1.0, 2.0, 3.0, 4.0)), predictd.Struct(8), predictd.Scalar("uchar", 3),
            predictd.Scalar("long", -1), predictd.Image(GROUP, 8, "rgba8", "r"),
            predictd.Sampler("linear,normalized,repeat"), predictd.Image(GROUP, 8, "rgba8", "w", 2),
        ))  # fmt: skip
        answer = self.bridge.predict(kernel, self.queue, GROUP, GROUP, *arguments)
        self.assertGreater(answer.kernel_time_s, 0)
        self.assertNotEqual(answer.basis, "fallback")

    def test_shared_memory_and_pools_are_buffers(self) -> None:
        pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(self.queue))
        self.assertEqual(live.see(pool.allocate(4 * ITEMS)).kind, "memory")
        self.assertGreaterEqual(live.see(pool.allocate(4 * ITEMS)).size_bytes, 4 * ITEMS)
        self.assertEqual(live.see(self.buffers[0][256:1280]).size_bytes, 1024)
        if hasattr(cl, "SVM"):
            array = numpy.zeros(ITEMS, numpy.float32)
            self.assertEqual(live.see(cl.SVM(array)), live.Seen("memory", 4 * ITEMS))

    def test_a_program_from_the_binaries_that_pyopencl_kept_has_its_source(self) -> None:
        first = self.predict(*self.arguments)
        again = self.build(self.text)  # pyopencl finds its binaries
        self.assertEqual(again.get_info(cl.program_info.SOURCE), "")
        for kernel in (again.saxpy, cl.Kernel(again, "saxpy"), *again.all_kernels()):
            bridge = predictd.pyopencl.Bridge(self.daemon)
            self.assertEqual(bridge.predict(kernel, self.queue, (ITEMS,), (GROUP,), *self.arguments), first)

    def test_a_kernel_outlives_the_program_that_had_its_source(self) -> None:
        first = self.predict(*self.arguments)
        for make in (lambda: cl.Kernel(self.build(self.text), "saxpy"), lambda: self.build(self.text).saxpy):
            kernel = make()
            self.assertEqual(kernel.program.get_info(cl.program_info.SOURCE), "")
            self.kernel = None
            gc.collect()
            bridge = predictd.pyopencl.Bridge(self.daemon)
            self.assertEqual(bridge.predict(kernel, self.queue, (ITEMS,), (GROUP,), *self.arguments), first)

    def test_one_without_source_is_answered_by_what_was_observed(self) -> None:
        binaries = self.kernel.program.get_info(cl.program_info.BINARIES)
        self.kernel = cl.Kernel(cl.Program(self.context, [self.device], binaries).build(), "saxpy")
        with self.assertRaisesRegex(predictd.NotFound, "saxpy@[0-9a-f]{16}"):
            self.predict(*self.arguments)
        for _ in range(4):
            event = self.bridge.enqueue(self.kernel, self.queue, (ITEMS,), (GROUP,), *self.arguments)
            event.wait()
            self.bridge.observe(event)
        self.bridge.flush()
        self.assertEqual(self.daemon.report_counts().reported, 4)
        self.assertEqual(self.predict(*self.arguments).basis, "observed")
        others = self.bridge.predict(self.kernel, self.queue, (2 * ITEMS,), (GROUP,), *self.arguments)
        self.assertEqual(others.basis, "history")

    def test_build_options_and_headers_come_along(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "trips.h").write_text("#define TRIPS (100 * FACTOR)\n")
            text = '#include "trips.h"\nkernel void k(global float *a) { float b = a[0]; ' \
                   "for (int i = 0; i < TRIPS; i++) b = b * b + 1; a[get_global_id(0)] = b; }"
            few, many = (self.build(text, ["-I", folder, f"-DFACTOR={n}"]).k for n in (1, 100))
            times = [self.bridge.predict(one, self.queue, ITEMS, GROUP, self.buffers[0]).kernel_time_s for one in (few, many)]
        self.assertGreater(times[1], 10 * times[0])

    def test_samples_tell_what_buffers_hold(self) -> None:
        kernel = self.build("kernel void k(global const int *trips, global float *a) { int at = get_global_id(0); float b = at; "
                            "for (int i = 0; i < trips[at]; i++) b = b * b + 1; a[at] = b; }").k
        ask = lambda held, **options: self.bridge.predict(kernel, self.queue, ITEMS, GROUP, held, self.buffers[1], **options)
        few, many = (numpy.full(ITEMS, trips, numpy.int32) for trips in (1, 1000))
        self.assertGreater(ask(many).kernel_time_s, 10 * ask(few).kernel_time_s)
        self.assertEqual(ask(self.buffers[0], samples={0: many}), ask(many))
        self.assertEqual(ask(self.buffers[0], samples={0: predictd.Sample(few)}), ask(few))
        with self.assertRaisesRegex(ValueError, "want a sample of 65536 bytes, have one of 400"):
            ask(self.buffers[0], samples={0: few[:100]})
        with self.assertRaisesRegex(predictd.Invalid, "a sample of argument 7: k was given 2 arguments"):
            ask(self.buffers[0], samples={7: few})
        with self.assertRaisesRegex(predictd.Invalid, "want a buffer for a sample"):
            self.predict(*self.arguments, samples={2: b"abcd"})

    def test_what_is_wrong_is_said(self) -> None:
        y, x, a, n = self.arguments
        with self.assertRaisesRegex(predictd.Invalid, "saxpy takes 4 arguments, was given 3"):
            self.predict(y, x, a)
        with self.assertRaisesRegex(predictd.Invalid, r"argument 2 \(a\): want 4 bytes of float, have 8"):
            self.predict(y, x, numpy.float64(2), n)
        with self.assertRaisesRegex(predictd.Invalid, r"argument 0 \(y\): want a buffer, have value"):
            self.predict(numpy.float32(1), x, a, n)
        with self.assertRaisesRegex(predictd.Invalid, r"argument 1 \(x\): want a buffer, have local"):
            self.predict(y, cl.LocalMemory(4), a, n)
        with self.assertRaisesRegex(predictd.Invalid, r"argument 3 \(n\): want int, have 1.5"):
            self.predict(y, x, a, 1.5)
        with self.assertRaisesRegex(ValueError, "does not fit int"):
            self.predict(y, x, a, 1 << 40)
        with self.assertRaisesRegex(TypeError, "argument 3: want a pyopencl Buffer, .*have dict"):
            self.predict(y, x, a, {})
        with self.assertRaisesRegex(TypeError, "global size: want an integer or up to three, have '64'"):
            self.bridge.predict(self.kernel, self.queue, "64", None, *self.arguments)
        with self.assertRaisesRegex(ValueError, "one to three sizes of the NDRange, have 4"):
            self.bridge.predict(self.kernel, self.queue, (1, 1, 1, 1), None, *self.arguments)
        with self.assertRaisesRegex(TypeError, "want a pyopencl.Kernel, have str"):
            self.bridge.predict("saxpy", self.queue, ITEMS, None)
        with self.assertRaisesRegex(TypeError, "want a pyopencl.CommandQueue, have Context"):
            self.bridge.predict(self.kernel, self.context, ITEMS, None, *self.arguments)
        with self.assertRaises(predictd.Unavailable):
            away = predictd.pyopencl.Bridge(predictd.Connection("/nonexistent/sock"))
            away.predict(self.kernel, self.queue, ITEMS, None, *self.arguments)

    def test_a_program_that_is_gone_is_not_taken_for_another(self) -> None:
        times = []
        for trips in (1, 10000):
            text = f"kernel void k(global float *a) {{ float b = a[0]; for (int i = 0; i < {trips}; i++) b = b * b + 1; *a = b; }}"
            times.append(self.bridge.predict(self.build(text).k, self.queue, ITEMS, GROUP, self.buffers[0]).kernel_time_s)
        self.assertGreater(times[1], 10 * times[0])

    def test_threads_share_a_bridge(self) -> None:
        right = self.predict(*self.arguments)
        wrong: list[Any] = []

        def ask() -> None:
            kernel = cl.Kernel(self.kernel.program, "saxpy")
            for _ in range(200):
                answer = self.bridge.predict(kernel, self.queue, (ITEMS,), (GROUP,), *self.arguments)
                if answer != right:
                    wrong.append(answer)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Observing(Live):
    def test_observing_waits_for_nothing(self) -> None:
        gate = cl.UserEvent(self.context)
        event = self.bridge.enqueue(self.kernel, self.queue, (ITEMS,), (GROUP,), *self.arguments, wait_for=[gate])
        try:
            self.bridge.observe(event)
            self.assertGreater(event.command_execution_status, 0)
            with self.assertRaisesRegex(predictd.Timeout, "1 launches are not reported after"):
                self.bridge.flush(0.05)
            self.assertEqual(self.daemon.report_counts(), predictd.ReportCounts(0, 0, 0, 0))
        finally:
            gate.set_status(0)
        self.queue.finish()
        self.bridge.flush()
        self.assertEqual(self.daemon.report_counts(), predictd.ReportCounts(1, 0, 0, 0))

    def test_first_runs_are_flagged_and_times_are_the_events(self) -> None:
        events = []
        for items in (ITEMS, ITEMS, ITEMS // 2):
            events.append(self.bridge.enqueue(self.kernel, self.queue, (items,), (GROUP,), *self.arguments))
            events[-1].wait()
            self.bridge.observe(events[-1])
            self.bridge.flush()
        self.assertEqual([one.flags for one in self.reported], [predictd.FIRST_RUN, 0, predictd.FIRST_RUN])
        for one, event in zip(self.reported, events):
            self.assertAlmostEqual(one.kernel_time_s, 1e-9 * (event.profile.end - event.profile.start), delta=1e-12)
        self.assertEqual(self.daemon.report_counts().reported, 3)

    def test_without_a_daemon_launches_go_on_and_are_reported_later(self) -> None:
        with predictd.Connection("/nonexistent/sock") as away:
            bridge = predictd.pyopencl.Bridge(away)
            for _ in range(3):
                event = bridge.enqueue(self.kernel, self.queue, (ITEMS,), (GROUP,), *self.arguments)
                bridge.observe(event)
            self.queue.finish()
            with self.assertRaisesRegex(predictd.Timeout, "3 launches are not reported after 0.1 s"):
                bridge.flush(0.1)
            self.assertRegex(bridge.problem, "/nonexistent/sock")
            bridge.daemon = self.daemon
            bridge.flush()
        self.assertEqual([one.flags & predictd.FIRST_RUN for one in self.reported], [1, 0, 0])

    def test_what_cannot_be_reported_has_its_reason(self) -> None:
        event = self.launch(*self.arguments)
        self.bridge.observe(event, self.kernel, (ITEMS,), (GROUP,), *self.buffers)
        self.bridge.flush()
        self.assertEqual((self.reported, self.bridge.problem), ([], "saxpy takes 4 arguments, was given 2"))

    def test_a_launch_that_fails_is_not_reported(self) -> None:
        gate = cl.UserEvent(self.context)
        event = self.bridge.enqueue(self.kernel, self.queue, (ITEMS,), (GROUP,), *self.arguments, wait_for=[gate])
        self.bridge.observe(event)
        gate.set_status(-1)
        with contextlib.suppress(cl.Error):
            event.wait()
        self.bridge.flush()
        self.assertEqual(self.reported, [])
        self.assertRegex(self.bridge.problem, "^a launch failed: ")

    def test_an_event_of_another_call_is_named(self) -> None:
        event = self.launch(*self.arguments)
        with self.assertRaisesRegex(ValueError, "an event that enqueue.. returned, once"):
            self.bridge.observe(event)
        self.bridge.observe(event, self.kernel, (ITEMS,), (GROUP,), *self.arguments)
        event = self.bridge.enqueue(self.kernel, self.queue, (ITEMS,), (GROUP,), *self.arguments)
        self.bridge.observe(event)
        with self.assertRaisesRegex(ValueError, "once"):
            self.bridge.observe(event)
        self.bridge.flush()
        self.assertEqual(self.daemon.report_counts().reported, 2)

    def test_a_queue_without_profiles_is_told(self) -> None:
        event = self.bridge.enqueue(self.kernel, self.make_queue(False), (ITEMS,), (GROUP,), *self.arguments)
        with self.assertRaisesRegex(ValueError, "PROFILING_ENABLE"):
            self.bridge.observe(event)

    def test_overlapped_launches_are_flagged(self) -> None:
        asked = self.bridge.ask_about(
            self.bridge._launched(self.kernel, self.queue, (ITEMS,), (GROUP,), self.arguments, None, None, False)
        )
        for begin, end in ((1000, 2000), (2000, 3000), (2500, 4000)):
            self.bridge.report(asked, begin, end, 0)
            self.bridge.flush()
        self.assertEqual([one.flags for one in self.reported], [0, 0, predictd.OVERLAPPED])


class Watching(Live):
    def test_launches_of_a_block_are_beside_their_predictions(self) -> None:
        originals = _cl.enqueue_nd_range_kernel, cl.Kernel.set_arg, cl.Kernel._set_arg_multi
        with self.bridge.watch(self.queue) as block:
            for _ in range(5):
                self.launch(*self.arguments)
            self.kernel.set_args(*self.arguments[:3], numpy.int32(1))
            self.kernel.set_arg(3, numpy.int32(ITEMS // 2))
            cl.enqueue_nd_range_kernel(self.queue, self.kernel, (ITEMS,), (GROUP,))
        self.assertEqual((_cl.enqueue_nd_range_kernel, cl.Kernel.set_arg, cl.Kernel._set_arg_multi), originals)
        self.assertEqual(cl.enqueue_nd_range_kernel, originals[0])
        many, one = sorted(block.rows, key=lambda row: -row.launches)
        self.assertEqual((many.kernel, many.global_size, many.local_size, many.launches), ("saxpy", (ITEMS,), (GROUP,), 5))
        self.assertEqual((one.launches, one.untimed, one.why), (1, 0, ""))
        self.assertEqual(many.prediction, self.predict(*self.arguments))
        self.assertEqual(one.prediction, self.predict(*self.arguments[:3], numpy.int32(ITEMS // 2)))
        self.assertEqual((len(many.times_s), many.flags), (5, [predictd.FIRST_RUN, 0, 0, 0, 0]))
        self.assertEqual(many.observed_time_s, statistics.median(many.times_s[1:]))
        self.assertAlmostEqual(many.ratio, many.prediction.kernel_time_s / many.observed_time_s)
        head, *lines = str(block).splitlines()
        self.assertRegex(head, r"^kernel +global +local +launches +predicted +observed +ratio +total +bottleneck$")
        self.assertEqual(len(lines), 1)  # of both values of n
        self.assertRegex(lines[0], rf"^saxpy +{ITEMS} +{GROUP} +6 +[0-9.]+ [mu]?s +[0-9.]+ [mu]?s +[0-9.]+ ")
        self.assertEqual(self.daemon.report_counts(), predictd.ReportCounts(0, 0, 0, 0))

    def test_what_pyopencl_launches_by_itself_is_seen(self) -> None:
        array = pyopencl.array.to_device(self.queue, numpy.arange(ITEMS, dtype=numpy.float32))
        with self.bridge.watch() as block:
            total = float(pyopencl.array.sum(2 * array).get())
        self.assertEqual(total, float(ITEMS) * (ITEMS - 1))
        self.assertGreaterEqual(len(block.rows), 2)
        self.assertEqual([row.why for row in block.rows], [""] * len(block.rows))
        self.assertTrue(all(row.prediction is not None and row.observed_time_s for row in block.rows))

    def test_scalars_of_declared_types_are_read(self) -> None:
        kernel = cl.Kernel(self.kernel.program, "saxpy")
        kernel.set_scalar_arg_dtypes([None, None, numpy.float32, numpy.int32])
        with self.bridge.watch() as block:
            kernel(self.queue, (ITEMS,), (GROUP,), *self.buffers, 2, ITEMS)
        (row,) = block.rows
        self.assertEqual(row.prediction, self.predict(*self.arguments))

    def test_only_the_queues_that_were_named_are_watched(self) -> None:
        with self.bridge.watch(self.make_queue()) as other, self.bridge.watch() as every:
            self.launch(*self.arguments)
        self.assertEqual((other.rows, [row.launches for row in every.rows]), ([], [1]))
        self.assertEqual(str(other), "nothing was launched")
        with self.assertRaisesRegex(TypeError, "want a pyopencl.CommandQueue, have Device"):
            self.bridge.watch(self.device)

    def test_times_are_reported_where_that_is_asked_for(self) -> None:
        with self.bridge.watch(self.queue, observe=True) as block:
            for _ in range(20):
                self.launch(*self.arguments)
        self.bridge.flush()
        self.assertEqual(block.rows[0].launches, 20)
        self.assertEqual(self.daemon.report_counts(), predictd.ReportCounts(16, 0, 0, 0))
        self.assertEqual([one.flags for one in self.reported], [predictd.FIRST_RUN] + [0] * 15)
        self.assertEqual([one.kernel_time_s for one in self.reported], block.rows[0].times_s[:16])

    def test_a_block_that_fails_is_not_waited_for(self) -> None:
        gate = cl.UserEvent(self.context)
        try:
            with self.assertRaisesRegex(KeyError, "of the block"), self.bridge.watch(self.queue) as block:
                self.kernel(self.queue, (ITEMS,), (GROUP,), *self.arguments, wait_for=[gate])
                raise KeyError("of the block")
        finally:
            gate.set_status(0)
        self.assertEqual([(row.launches, row.untimed) for row in block.rows], [(1, 1)])
        self.assertEqual(taps._listeners, [])

    def test_a_launch_that_is_refused_is_the_programs(self) -> None:
        with self.bridge.watch() as block:
            with self.assertRaises(cl.Error):
                self.kernel(self.queue, (ITEMS,), (ITEMS * 1024,), *self.arguments)
        self.assertEqual(block.rows, [])

    def test_without_times_or_a_daemon_the_table_says_why(self) -> None:
        bridge = predictd.pyopencl.Bridge(predictd.Connection("/nonexistent/sock"))
        queue = self.make_queue(False)
        with bridge.watch(queue, observe=True) as block:
            self.kernel(queue, (ITEMS,), (GROUP,), *self.arguments)
        (row,) = block.rows
        self.assertEqual((row.launches, row.untimed, row.prediction, row.observed_time_s, row.ratio), (1, 1, None, None, None))
        self.assertRegex(str(block), "saxpy has no prediction: cannot reach predictd at /nonexistent/sock")
        self.assertRegex(str(block), "1 launches have no time: make the queue with PROFILING_ENABLE")

    def test_arguments_of_before_the_block_are_not_known(self) -> None:
        self.kernel.set_args(*self.arguments)
        with self.bridge.watch() as block:
            cl.enqueue_nd_range_kernel(self.queue, self.kernel, (ITEMS,), (GROUP,))
        self.assertEqual(block.rows[0].why, "argument 0 was not seen to be set")

    def test_a_listener_that_fails_is_no_failure_of_the_program(self) -> None:
        listener = mock.Mock(side_effect=RuntimeError)
        taps.add(listener)
        self.addCleanup(taps.remove, listener)
        self.launch(*self.arguments).wait()
        listener.assert_called_once()

    def test_many_launches_are_followed_in_bounded_memory(self) -> None:
        with mock.patch.object(watching, "_PENDING_MAX", 8), mock.patch.object(watching, "ROWS_MAX", 1):
            with self.bridge.watch(self.queue) as block:
                for _ in range(100):
                    self.launch(*self.arguments).wait()
                    self.assertLess(len(block._pending), 9)
                self.kernel(self.queue, (2 * ITEMS,), (GROUP,), *self.arguments)
        self.assertEqual((block.rows[0].launches, len(block.rows[0].times_s), block.lost), (100, 100, 1))
        self.assertIn("1 launches were not followed", str(block))


class Shell:
    """As much of IPython's as an extension sees."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None:
        self.magics[magic_kind + magic_name] = function

    def run_cell(self, cell: str, store_history: bool = True) -> None:
        exec(cell, self.names)


class Magic(Live):
    def test_a_cell_ends_with_its_table(self) -> None:
        shell = Shell({"run": lambda: self.launch(*self.arguments)})
        predictd.load_ipython_extension(shell)
        self.assertNotIn("IPython", sys.modules)
        out = io.StringIO()
        with contextlib.redirect_stdout(out), mock.patch.object(predictd.pyopencl, "_default", self.bridge):
            shell.magics["cellpredictd"](" --observe ", "a = 1\nrun().wait()")
            self.bridge.flush()
        self.assertEqual(shell.names["a"], 1)
        self.assertRegex(out.getvalue(), r"(?m)^saxpy +16384 +64 +1 ")
        self.assertEqual(self.daemon.report_counts().reported, 1)
        with self.assertRaisesRegex(ValueError, "want nothing or --observe, have '--what'"):
            shell.magics["cellpredictd"]("--what", "")


if __name__ == "__main__":
    unittest.main()
