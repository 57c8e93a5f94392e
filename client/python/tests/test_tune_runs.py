# SPDX-License-Identifier: Apache-2.0
"""Tuning on a real device: variants that are right, wrong, do not compile, crash and hang."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock
from dataclasses import replace
from pathlib import Path

import numpy

import predictd
import predictd.tune
from predictd.fill import Fill
from predictd.report import __main__ as report_command
from predictd.report import read_cases
from predictd.sweep import read, sweep
from predictd.tune import __main__ as command
from predictd.tune import worker
from predictd.tune.measuring import Runner
from predictd.tune.space import Reference

# what a variant does follows from KIND
KERNEL = """
kernel void twice(global const float *in, global float *out, int n)
{
	for (int i = get_global_id(0) * WORK; i < (int)(get_global_id(0) + 1) * WORK; i++) {
#if KIND == 1
		out[i] = 2 * in[i] + (i == 7);
#elif KIND == 2
		out[i] = undeclared;
#elif KIND == 3
		((global volatile int *)(long)n)[(i - n) * 1000000L] = 1;
#elif KIND == 4
		while (((global volatile float *)out)[i] >= 0)
			out[i] = 0;
#else
		out[i] = 2 * in[i];
#endif
	}
}
kernel void reference(global const float *in, global float *out, int n)
{
	out[get_global_id(0)] = in[get_global_id(0)] + in[get_global_id(0)];
}
"""
N = 4096
ARGUMENTS = [
    {"buffer": "float", "count": "N", "access": "r", "fill": "random", "seed": 3, "name": "in"},
    {"buffer": "float", "count": "N", "access": "w", "name": "out"},
    {"scalar": "int", "value": "N"},
]


class Tuning(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="predictd-test.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "twice.cl").write_text(KERNEL)

    def problem(self, **more: object) -> Path:
        path = self.folder / "space.json"
        value = {
            "file": "twice.cl",
            "kernel": "twice",
            "parameters": {"WORK": [1, 2, 4], "KIND": [0]},
            "constants": {"N": N},
            "global": ["N // WORK"],
            "local": [64],
            "args": ARGUMENTS,
            "references": [
                {
                    "argument": "out",
                    "tolerance": 0,
                    "kernel": {"file": "twice.cl", "kernel": "reference", "global": ["N"], "args": ARGUMENTS},
                    "configuration": {"KIND": 0},
                }
            ],
            **more,
        }
        path.write_text(json.dumps(value))
        return path

    def run_command(self, path: Path, *options: str) -> tuple[int, dict, str]:
        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            code = command.main([str(path), "--json", *options])
        return code, json.loads(out.getvalue() or "{}"), said.getvalue()

    def test_what_is_right_is_measured_and_chosen(self) -> None:
        code, report, _ = self.run_command(self.problem(), "--strategy", "exhaustive")
        self.assertEqual((code, report["measured"]), (0, 3))
        self.assertEqual({one["status"] for one in report["configurations"]}, {"correct"})
        self.assertEqual(report["best_s"], min(one["time_s"] for one in report["configurations"]))
        code, report, _ = self.run_command(self.problem())
        self.assertTrue(code == 0 and report["is_over"] and report["is_measured"])

    def test_what_goes_wrong_is_never_best_and_ends_nothing(self) -> None:
        path = self.problem(parameters={"KIND": [1, 2, 3, 4, 0], "WORK": [1]})
        code, report, _ = self.run_command(path, "--strategy", "exhaustive", "--timeout", "6")
        self.assertEqual(code, 0)
        self.assertEqual(report["best"]["KIND"], 0)
        rows = {one["configuration"]["KIND"]: one for one in report["configurations"]}
        self.assertEqual(rows[0]["status"], "correct")
        self.assertEqual(rows[1]["status"], "correctness")
        self.assertRegex(rows[1]["why"], r"argument out: 1 of 4096 elements differ; \[7\] is")
        # one that does not compile is known from its analysis
        self.assertTrue(rows[2]["status"] in (None, "compile") and rows[2]["why"])
        self.assertRegex(f"{rows[3]['status']}: {rows[3]['why']}", "runtime: its process ended: signal|timeout")
        self.assertEqual(rows[4]["status"], "timeout")

    def test_buffers_of_cases_hold_what_the_cases_say(self) -> None:
        words = ["zero", "iota", "rand_float:-1:3", "rand_double", "rand_u32", "rand_index:7", "csr_rowptr:100:3", "@some.raw"]
        size = 4099  # no whole number of elements
        (self.folder / "some.raw").write_bytes(bytes(range(251)))
        (self.folder / "copy.cl").write_text(
            "kernel void copy(global const uchar *in, global uchar *out)\n{\n\tsize_t i = get_global_id(0);\n\tout[i] = in[i];\n}\n"
        )
        cases = [
            {"id": word, "file": "copy.cl", "global": [size - 5], "local": [1], "offset": [5],
             "args": [{"buffer": size, "access": "r", "init": word}, {"buffer": size, "access": "w"}]} for word in words
        ]  # fmt: skip
        file = self.folder / "cases.json"
        file.write_text(json.dumps(cases))
        wanted = self.folder / "wanted.raw"
        for word, problem in zip(words, read_cases(file)[0]):
            with unittest.mock.patch.object(predictd.Sample, "read", lambda read, size_bytes, type: read(0, size_bytes)):
                read = Fill(word, 0, self.folder).sample(size)
            content = Fill(word, 0, self.folder).content(size).tobytes()
            self.assertEqual(content, read, word)
            self.assertTrue(word == "zero" or any(content))
            if word not in ("zero", "rand_index:7", "@some.raw"):  # each is a process
                continue
            wanted.write_bytes(bytes(5) + content[5:])  # the launch begins at 5
            checked = replace(problem, references=(Reference("#1", tolerance=0, file=wanted),))
            with Runner(checked, 0, 0) as runner:
                got = runner.run(next(iter(problem.space)))
            self.assertEqual((got.status, got.why), ("correct", ""), word)

    def test_a_command_makes_a_reference_when_it_is_allowed_to(self) -> None:
        script = self.folder / "make.py"
        script.write_text(
            "import numpy, sys\n"
            f"data = (numpy.random.default_rng(3).random({N}) * 1).astype('f4')\n"
            "sys.stdout.buffer.write((2 * data).tobytes())\n"
        )
        reference = {"argument": "out", "tolerance": 0, "command": f"{sys.executable} {script}"}
        path = self.problem(references=[reference])
        code, _, said = self.run_command(path)
        self.assertEqual(code, 1)
        self.assertIn("--allow-commands", said)
        code, report, _ = self.run_command(path, "--allow-commands", "--runs", "1")
        self.assertEqual((code, report["measured"]), (0, 1))
        path = self.problem(references=[{**reference, "command": "false"}])
        self.assertIn("false ended with 1", self.run_command(path, "--allow-commands")[2])

    def test_kernels_run_one_after_the_other(self) -> None:
        parts = {"file": "twice.cl", "global": ["N // WORK"], "local": [64]}
        between = {"buffer": "float", "count": "N", "name": "between"}
        kernels = [
            {**parts, "kernel": "twice", "args": [ARGUMENTS[0], between, ARGUMENTS[2]]},
            {**parts, "kernel": "twice", "args": [between, ARGUMENTS[1], ARGUMENTS[2]]},
        ]
        data = (numpy.random.default_rng(3).random(N) * 1).astype("f4")
        (4 * data).tofile(self.folder / "four.raw")
        value = json.loads(self.problem(references=[{"argument": "out", "tolerance": 0, "file": "four.raw"}]).read_text())
        for key in ("file", "kernel", "global", "local", "args"):
            value.pop(key)
        path = self.folder / "two.json"
        path.write_text(json.dumps({**value, "kernels": kernels}))
        code, report, said = self.run_command(path, "--strategy", "exhaustive")
        self.assertEqual((code, said), (0, ""))
        self.assertEqual([one["status"] for one in report["configurations"]], ["correct"] * 3)

    def test_a_log_is_gone_on_with(self) -> None:
        log = str(self.folder / "log")
        self.run_command(self.problem(), "--strategy", "exhaustive", "--runs", "2", "--log", log)
        before = Path(log).read_text()
        code, report, _ = self.run_command(self.problem(), "--strategy", "exhaustive", "--log", log)
        after = Path(log).read_text()
        self.assertEqual((code, report["measured"]), (0, 3))
        self.assertTrue(after.startswith(before))
        self.assertEqual(len(after.splitlines()), 4)

    def test_a_device_that_is_not_here_is_named(self) -> None:
        self.assertIn("no device here is called 'nothing'", self.run_command(self.problem(), "--device", "nothing")[2])


class Results(unittest.TestCase):
    """What counts as right."""

    def test_methods(self) -> None:
        wanted = numpy.array([1, -2, 0, 100], "f4")
        near = numpy.array([1.001, -2.002, 0, 100.1], "f4")
        for method, enough, too_little in (
            ("absolute", 0.11, 0.1),
            ("relative", 1.1e-3, 9e-4),
            ("side-by-side", 0.11, 0.09),
            ("side-by-side-relative", 1.1e-3, 9e-4),
        ):
            with self.subTest(method):
                self.assertIsNone(worker.wrong(near, wanted, method, enough))
                self.assertIsNotNone(worker.wrong(near, wanted, method, too_little))
                self.assertIsNone(worker.wrong(wanted, wanted, method, 0))
                for bad in (numpy.nan, numpy.inf):
                    self.assertIsNotNone(worker.wrong(numpy.array([1, bad, 0, 100], "f4"), wanted, method, 1e9))
        self.assertIsNone(worker.wrong(numpy.array([numpy.nan]), numpy.array([numpy.nan]), "side-by-side", 0))
        self.assertRegex(worker.wrong(wanted[:3], wanted, "absolute", 1), "3 elements where the reference has 4")
        self.assertIsNotNone(worker.wrong(numpy.array([1e-9]), numpy.array([0.0]), "side-by-side-relative", 1e9))


class Sweeping(unittest.TestCase):
    def test_measured_times_stand_beside_predicted_ones(self) -> None:
        with tempfile.TemporaryDirectory(prefix="predictd-test.") as folder:
            file = Path(folder) / "scale.cl"
            file.write_text(
                "kernel void scale(global const float4 *a, global const int *at, global float4 *b, float by)"
                "{ size_t i = get_global_id(0); b[i] = a[at[i]] * by * WIDE; }"
            )
            question = read(
                str(file), ["n=1K,64K"], "n", "64", ["buffer:16*n:r", "buffer:4*n:r", "buffer:16*n:w", "float:2"], ["WIDE=1,2"]
            )
            points = sweep(question, predictd.connect, measure=True)
        self.assertEqual(len(points), 4)
        for point in points:
            self.assertEqual(point.measured_why, "")
            self.assertGreater(point.measured_s, 0)

    def test_an_interrupt_ends_all_measuring_of_a_page(self) -> None:
        with tempfile.TemporaryDirectory(prefix="predictd-test.") as folder:
            file, cases, page = (Path(folder) / name for name in ("set.cl", "cases.json", "page.html"))
            file.write_text("kernel void set(global float *a) { a[get_global_id(0)] = 1; }")
            buffers = {"file": "set.cl", "local": [64], "args": [{"buffer": 1 << 20}]}
            cases.write_text(json.dumps([{"id": f"of {n}", "global": [n], **buffers} for n in (64, 128, 256, 512)]))
            given, said = [Runner.run, None], io.StringIO()

            def run(runner: Runner, configuration: object) -> object:
                if len(given) == 1:
                    raise KeyboardInterrupt
                return given.pop(0)(runner, configuration)  # type: ignore[misc,arg-type]

            with unittest.mock.patch.object(Runner, "run", run), contextlib.redirect_stderr(said):
                code = report_command.main(["--cases", str(cases), "--measure", "--output", str(page)])
            self.assertEqual((code, said.getvalue()), (130, "predictctl: report: interrupted: not every point was measured\n"))
            text = page.read_text()
        measured = text.partition("Event times")[2].partition("</table>")[0]
        self.assertEqual([n for n in (64, 128, 256, 512) if f"of {n}<" in measured], [64])
        self.assertIn("of 512<", text)


if __name__ == "__main__":
    unittest.main()
