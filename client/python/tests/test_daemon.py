# SPDX-License-Identifier: Apache-2.0
"""The package against a real daemon with a calibrated device; started by tests/integration/python.sh."""

import dataclasses
import json
import os
import threading
import time
import unittest
from pathlib import Path

import predictd

ROOT = Path(os.environ["SOURCE_ROOT"])
KERNELS = ROOT / "tests" / "kernels"
ITEMS = 1 << 20


def copy_launch(program: predictd.Program, items: int = ITEMS) -> predictd.Launch:
    return predictd.Launch(
        program, items, 64, [predictd.Buffer(4 * items, "r"), predictd.Buffer(4 * items, "w")]
    )


class Daemon(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = predictd.connect()
        self.addCleanup(self.daemon.close)
        self.copy = self.daemon.load(KERNELS / "copy.cl")

    def test_a_program_names_its_kernels_and_their_arguments(self) -> None:
        (kernel,) = self.copy.kernels
        self.assertEqual((kernel.name, kernel.unsupported, len(kernel.argument_names)), ("copy", "", 2))

    def test_an_answer_has_its_interval_breakdown_and_ir(self) -> None:
        answer = self.daemon.predict(copy_launch(self.copy), explain=True, explain_ir=True)
        self.assertGreater(answer.kernel_time_s, 0)
        self.assertLessEqual(answer.low_s, answer.kernel_time_s)
        self.assertGreaterEqual(answer.high_s, answer.kernel_time_s)
        self.assertIn(answer.basis, ("static", "refined", "observed"))
        self.assertEqual(answer.local_size, (64, 1, 1)[: len(answer.local_size)])
        self.assertTrue(any(row.what == "launch" for row in answer.rows))
        self.assertIn("copy", answer.ir)

    def test_lines_add_up_to_the_kernel(self) -> None:
        text = "#include <weigh.h>\nkernel void f(global float *a)\n{\n\tsize_t i = get_global_id(0);\n\ta[i] = weigh(a[i]);\n}\n"
        source = predictd.Source(text.encode(), headers={"weigh.h": b"float weigh(float x)\n{\n\treturn sin(x) / 3;\n}\n"})
        launch = predictd.Launch(self.daemon.register(source), 1 << 16, 64, [predictd.Buffer(4 << 16)])
        answer = self.daemon.predict(launch, lines=True)
        whole = sum(one.time_s for one in answer.lines) + answer.lines_rest_s + answer.lines_elsewhere_s
        self.assertAlmostEqual(whole, answer.kernel_time_s, delta=1e-4 * answer.kernel_time_s)
        self.assertEqual({(one.file, one.line) for one in answer.lines} & {("", 5), ("weigh.h", 3)}, {("", 5), ("weigh.h", 3)})
        self.assertTrue(all(one.time_s > 0 and one.bottleneck != "unknown" for one in answer.lines))
        self.assertEqual(self.daemon.predict(launch).lines, ())
        self.assertEqual(self.daemon.predict(launch, model="pattern", lines=True).lines, ())

    def test_a_pause_before_the_launch_is_said(self) -> None:
        launch = copy_launch(self.copy)
        # states that were measured without a disturbance: those of a busy machine may be alike
        recorded = ROOT / "tests" / "accuracy" / "short" / "pocl-16" / "device.calibration"
        key = self.daemon.import_calibration(recorded.read_bytes()).key
        self.addCleanup(self.daemon.remove_calibration, key)
        unsaid, said = self.daemon.predict_many([launch, dataclasses.replace(launch, idle_s=0.1)], key)
        self.assertGreater(unsaid.high_s, said.kernel_time_s)
        self.assertNotEqual(said.launch_time_s, unsaid.launch_time_s)
        with self.assertRaisesRegex(predictd.Error, "idle time: want 0 to"):
            self.daemon.predict(dataclasses.replace(launch, idle_s=-1.0))

    def test_transfers_are_asked_for(self) -> None:
        plain = self.daemon.predict(copy_launch(self.copy))
        whole = self.daemon.predict(copy_launch(self.copy), transfers=True)
        self.assertEqual(plain.h2d_time_s, 0)
        self.assertGreater(whole.h2d_time_s, 0)
        self.assertGreater(whole.total_time_s, plain.total_time_s)

    def test_every_model_answers(self) -> None:
        for model in ("default", "pattern", "uncached"):
            self.assertEqual(self.daemon.predict(copy_launch(self.copy), model=model).model, model)

    def test_a_batch_has_an_answer_or_an_error_for_each(self) -> None:
        wrong = predictd.Launch(self.copy, ITEMS, 64)
        launches = [copy_launch(self.copy, 1 << (10 + i % 10)) for i in range(1500)] + [wrong]
        answers = self.daemon.predict_many(launches)
        self.assertEqual(len(answers), 1501)
        self.assertTrue(all(isinstance(answer, predictd.Prediction) for answer in answers[:-1]))
        self.assertIsInstance(answers[-1], predictd.Invalid)

    def test_errors_have_their_class_and_sentence(self) -> None:
        with self.assertRaisesRegex(predictd.SyntaxFailure, "bad.cl:1:"):
            self.daemon.register("kernel void k( {", name="bad.cl")
        with self.assertRaisesRegex(predictd.NotFound, "copy"):
            self.daemon.predict(predictd.Launch(self.copy, 64, kernel="nothing"))
        with self.assertRaisesRegex(predictd.Error, "99"):
            self.daemon.predict(copy_launch(self.copy), device=99)
        with self.assertRaisesRegex(predictd.Invalid, "-include"):
            self.daemon.register("kernel void k() {}", options="-include /etc/passwd")

    def test_placement_names_a_device(self) -> None:
        (placement,) = self.daemon.place([copy_launch(self.copy)])
        assert isinstance(placement, predictd.Placement)
        self.assertGreater(placement.prediction.kernel_time_s, 0)

    def test_a_device_has_a_key_that_questions_take(self) -> None:
        device = next(one for one in self.daemon.devices() if one.is_calibrated)
        self.assertEqual(self.daemon.predict(copy_launch(self.copy), device=device.key).device_key, device.key)
        self.assertEqual(self.daemon.predict(copy_launch(self.copy), device=device.index).device_key, device.key)
        (placement,) = self.daemon.place([copy_launch(self.copy)], [device.key])
        assert isinstance(placement, predictd.Placement)
        self.assertEqual(placement.device_key, device.key)

    def test_a_calibration_is_taken_away(self) -> None:
        calibration = self.daemon.export(0)
        removal = self.daemon.remove_calibration(0)
        self.assertGreater(removal.calibrations, 0)
        with self.assertRaises(predictd.Uncalibrated):
            self.daemon.predict(copy_launch(self.copy), device=removal.device_key)
        with self.assertRaises(predictd.NotFound):
            self.daemon.remove_calibration(removal.device_key)
        self.assertTrue(self.daemon.import_calibration(calibration).is_calibrated)

    def test_devices_tell_their_coefficients(self) -> None:
        device = next(one for one in self.daemon.devices(coefficients=True) if one.is_calibrated)
        self.assertGreater(device.coefficients["launch.base.time_s"], 0)

    def test_devices_tell_what_their_compilers_make_of_sources(self) -> None:
        for device in self.daemon.devices():
            self.assertRegex(device.language, r"^OpenCL C [0-9.]+ by default, .*CL1\.2.*, [0-9]+ macros, as")
            if device.is_language_assumed:
                self.assertEqual(device.refused_options, ())
            else:
                self.assertIn("asked of the device's compiler", device.language)

    def test_a_calibration_goes_out_and_in(self) -> None:
        calibration = self.daemon.export(0)
        self.assertTrue(self.daemon.import_calibration(calibration).is_calibrated)
        broken = bytearray(calibration)
        broken[len(broken) // 2] ^= 1
        with self.assertRaises(predictd.Error):
            self.daemon.import_calibration(bytes(broken))

    def test_a_calibration_can_be_cancelled(self) -> None:
        if not any(device.is_present for device in self.daemon.devices()):
            self.skipTest("no OpenCL device")
        with self.assertRaises(predictd.Cancelled):
            self.daemon.calibrate(0, quick=True, progress=lambda share, left_s, stage: False)

    def test_observed_times_move_the_answer_and_stand_in_the_history(self) -> None:
        program = self.daemon.register(
            "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }", name=f"twice.{time.time_ns()}.cl"
        )
        launch = predictd.Launch(program, ITEMS, 64, [predictd.Buffer(4 * ITEMS)])
        before = self.daemon.predict(launch)
        self.assertEqual(before.basis, "static")
        observed_s = 3 * before.kernel_time_s
        results = self.daemon.observe([predictd.Observation(launch, observed_s) for _ in range(5)])
        self.assertEqual(results, [None] * 5)
        after = self.daemon.predict(launch)
        self.assertIn(after.basis, ("refined", "observed"))
        self.assertLess(abs(after.kernel_time_s / observed_s - 1), 0.2)
        static = self.daemon.predict(launch, static_only=True)
        self.assertEqual((static.basis, static.kernel_time_s), ("static", before.kernel_time_s))
        history = self.daemon.history(program)
        self.assertEqual(len(history), 5)
        self.assertAlmostEqual(history[0].observed_time_s / observed_s, 1, places=5)

    def test_tasks_are_observed_apart_from_kernels(self) -> None:
        program = self.daemon.register(
            "kernel void thrice(global float *x) { x[get_global_id(0)] *= 3; }", name=f"thrice.{time.time_ns()}.cl"
        )
        launch = predictd.Launch(program, ITEMS, 64, [predictd.Buffer(4 * ITEMS)])
        before = self.daemon.predict(launch)
        self.assertEqual(before.task_observation_count, 0)
        self.assertGreater(before.task_time_s, before.kernel_time_s)
        task_s = 4 * before.task_time_s
        observation = predictd.Observation(launch, task_time_s=task_s)
        self.assertEqual(self.daemon.observe([observation] * 5), [None] * 5)
        after = self.daemon.predict(launch)
        self.assertEqual(after.task_observation_count, 5)
        self.assertLess(abs(after.task_time_s / task_s - 1), 0.2)
        self.assertTrue(after.task_low_s < after.task_time_s < after.task_high_s)
        self.assertAlmostEqual(after.kernel_time_s / before.kernel_time_s, 1, places=5)
        self.assertEqual([entry.is_task for entry in self.daemon.history(program)], [True] * 5)
        self.assertIsInstance(self.daemon.observe([predictd.Observation(launch)])[0], predictd.Invalid)

    def test_kernels_without_source_are_known_by_their_history(self) -> None:
        gemm = self.daemon.register_without_source(f"gemm {time.time_ns()}")
        launch = predictd.Launch(gemm, (512, 512))
        with self.assertRaisesRegex(predictd.NotFound, "unknown"):
            self.daemon.predict(launch, device="cpu:7")
        observation = predictd.Observation(launch, 2e-3, device="cpu:7")
        self.assertEqual(self.daemon.observe([observation] * 3), [None] * 3)
        self.assertEqual(self.daemon.predict(launch, device="cpu:7").basis, "observed")
        larger = self.daemon.predict(predictd.Launch(gemm, (1024, 512)), device="cpu:7")
        self.assertEqual((larger.basis, larger.device_key), ("history", "cpu:7"))
        self.assertLess(abs(larger.kernel_time_s / 4e-3 - 1), 0.2)
        self.assertEqual(len(self.daemon.history(gemm, device="cpu:7")), 3)
        self.assertEqual(self.daemon.forget(gemm), 3)
        with self.assertRaises(predictd.NotFound):
            self.daemon.predict(launch, device="cpu:7")
        with self.assertRaises(predictd.Invalid):
            self.daemon.register_without_source("")

    def test_threads_share_a_connection(self) -> None:
        failures: list[BaseException] = []

        def ask() -> None:
            try:
                for items in range(10, 16):
                    self.daemon.predict(copy_launch(self.copy, 1 << items))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_the_status_names_the_socket(self) -> None:
        self.assertEqual(self.daemon.status().socket, self.daemon.socket_path)

    def test_the_notebook_ranks_the_variants(self) -> None:
        notebook = json.loads((ROOT / "client/python/examples/rank_variants.ipynb").read_text())
        names: dict[str, object] = {}
        here = os.getcwd()
        os.chdir(ROOT / "client/python/examples")
        self.addCleanup(os.chdir, here)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)  # the example is the project's own
        ranking = names["ranking"]
        assert isinstance(ranking, list)
        self.assertEqual(len(ranking), 8)
        self.assertEqual(ranking, sorted(ranking))


if __name__ == "__main__":
    unittest.main()
