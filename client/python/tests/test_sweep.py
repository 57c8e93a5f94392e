# SPDX-License-Identifier: Apache-2.0
"""One question over sizes, macros, devices and models: words, points, and what the command prints."""

import contextlib
import csv
import io
import json
import math
import os
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from own_daemon import DEVICE, KERNEL, OwnDaemon

import predictd
from predictd.sweep import __main__ as command
from predictd.sweep import read, sweep
from predictd.sweep.reading import parameter, plain
from predictd.sweep.showing import plot, time_of

COPY = {"arguments": ["buffer:4*n:r", "buffer:4*n:w"], "global_size": "n", "local_size": "64"}


class Words(unittest.TestCase):
    def test_sizes_that_are_none_are_named(self) -> None:
        for words, says in {
            ("-5", ""): r"copy.cl: global size: want a whole number of 1 or more, have -5",
            ("n", "0"): r"copy.cl: local size: want a whole number of 1 or more, have 0",
            ("10**20", ""): r"copy.cl: global size: want less than 2\^63, have 1",
        }.items():
            problem = read(KERNEL, over=["n=64"], global_size=words[0], local_size=words[1])
            with self.assertRaisesRegex(predictd.Invalid, says):
                problem.kernels[0].sizes(problem.space.named(next(iter(problem.space))))

    def test_ranges_and_lists(self) -> None:
        self.assertEqual(parameter("n=1K..8K", "--over").values, (1024, 2048, 4096, 8192))
        self.assertEqual(parameter("n=10..90:x3", "--over").values, (10, 30, 90))
        self.assertEqual(parameter("n=0..10:+4", "--over").values, (0, 4, 8))
        self.assertEqual(parameter("n=7,2..8:x2,1M,7", "--over").values, (7, 2, 4, 8, 1 << 20))
        self.assertEqual(parameter("T=float,double", "-D").values, ("float", "double"))
        self.assertEqual(parameter("x=0.5,2", "-D").values, (0.5, 2))
        self.assertEqual(plain("2*64K + n2K + 3M*n"), "2*65536 + n2K + 3145728*n")

    def test_mistakes_say_where(self) -> None:
        for text, says in {
            "n": "want NAME=A..B",
            "2n=1": "want NAME=A..B",
            "n=8..1": "--over n: want A..B:xK",
            "n=1..8:x1": "--over n: want A..B:xK",
            "n=0..8": "--over n: want A..B:xK",
            "n=1..8:-2": "--over n: want A..B:xK",
            "n=1..z": "--over n: want a whole number",
            "n=1,,2": "--over n: a value is missing",
        }.items():
            with self.assertRaisesRegex(predictd.Invalid, says.replace(".", r"\.")):
                parameter(text, "--over")
        with self.assertRaisesRegex(predictd.Limit, "more than 10000 values"):
            parameter("n=1..1000000:+1", "--over")
        for words, says in (
            ({"global_size": ""}, "want --global"),
            ({"global_size": "n,n,n,n"}, "three sizes at most"),
            ({"global_size": "m"}, "no parameter 'm'"),
            ({"global_size": "n", "local_size": "8,8"}, "--local: want 1 sizes"),
            ({"arguments": ["buffer:n:x"]}, "--arg 0: want r, w, rw or LOW..HIGH"),
            ({"arguments": ["n"]}, "--arg 0: want buffer:BYTES"),
            ({"arguments": ["uint:open('x')"]}, "is not allowed"),
            ({"arguments": ["image:"]}, "--arg 0: want buffer:BYTES"),
            ({"arguments": ["image:nxm"]}, "there is no parameter 'm'"),
            ({"arguments": ["image:n:r32f:r:r"]}, "--arg 0: want image:WIDTHxHEIGHT"),
            ({"arguments": ["sampler:cubic"]}, "--arg 0: want a sampler nearest or linear"),
            ({"arguments": ["buffer:n:r:1"]}, "want r, w, rw or LOW..HIGH, have '1'"),
            ({"arguments": ["local:n:r"]}, "--arg 0: want buffer:BYTES"),
            ({"hints": ["loop:n=1"]}, "--hint: want loop:LINE=TRIPS"),
            ({"hints": ["loop:1=m"]}, "there is no parameter 'm'"),
        ):
            with self.assertRaisesRegex(predictd.Invalid, says):
                read(str(KERNEL), ["n=1,2"], **{**COPY, **words})  # type: ignore[arg-type]

    def test_macros_are_swept_or_follow(self) -> None:
        made = read(str(KERNEL), ["n=64,128"], "n", macros=["TILE=8,16", "HALF:=TILE // 2 + n", "FLAG"])
        kernel = made.kernels[0]
        configurations = list(made.space)
        self.assertEqual(made.space.names, ("n", "TILE", "FLAG"))
        self.assertEqual(len(configurations), 4)
        # n is no macro: a program that has a variable n stays what it is
        self.assertEqual(kernel.defines(made.space.named(configurations[1]), "int n, TILE, FLAG;"), "-DTILE=16 -DHALF=72 -DFLAG=1")

    def test_an_x_of_an_image_may_be_part_of_a_name(self) -> None:
        made = read(str(KERNEL), ["nx=64", "ny=8"], "nx", arguments=["image:nxxny:r32f", "image:max(nx,9)x2xny:w", "image:nx*2"])
        images = [one.made({"nx": 64, "ny": 8}) for one in made.kernels[0].arguments if one.made is not None]
        self.assertEqual(images, [predictd.Image(64, 8, "r32f"), predictd.Image(64, 2, "rgba8", "w", 8), predictd.Image(128)])

    def test_times_have_three_digits(self) -> None:
        self.assertEqual([time_of(one) for one in (1.2345, 1.2e-5, 3.4567e-9, math.nan)], ["1.23 s", "12 us", "3.46 ns", "-"])


class Points(OwnDaemon):
    def open(self) -> predictd.Connection:
        return predictd.connect(self.socket)

    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="predictd-test.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def command(self, *words: str) -> tuple[int, str, str]:
        return self.run_command(str(KERNEL), "--socket", self.socket, *words)

    def run_command(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command.main(list(words))
        return code, out.getvalue(), err.getvalue()

    WORDS = ("--over", "n=1K..64K:x4", "--global", "n", "--local", "64", "--arg", "buffer:4*n:r", "--arg", "buffer:4*n:w",
             "--device", DEVICE)  # fmt: skip

    def test_each_point_is_what_the_daemon_answers(self) -> None:
        question = read(str(KERNEL), ["n=1K..256K:x4"], **COPY)  # type: ignore[arg-type]
        points = sweep(question, self.open, [DEVICE], ["default", "pattern"])
        self.assertEqual([one.names["n"] for one in points], [1024, 4096, 16384, 65536, 262144] * 2)
        for point in points:
            n = int(point.names["n"])
            launch = predictd.Launch(self.program, n, 64, [predictd.Buffer(4 * n, "r"), predictd.Buffer(4 * n, "w")])
            want = self.daemon.predict(launch, DEVICE, point.model)
            self.assertEqual(point.time_s, want.kernel_time_s)
            self.assertEqual(point.device_name, self.daemon.devices()[0].name)
        drawn = plot(question, points)
        assert drawn is not None
        self.assertIn("o default", drawn)
        self.assertIn("x pattern", drawn)
        with unittest.mock.patch.dict(os.environ, {"COLUMNS": "40"}):
            narrow = (plot(question, points) or "").splitlines()
        self.assertEqual(max(map(len, narrow)), 40)
        self.assertRegex(narrow[-3], "^ +1024 +n +262144$")

    def test_any_argument_of_predict_may_follow_from_names(self) -> None:
        text = """
            struct pair { float a; int n; };
            kernel void mixed(read_only image2d_t from, sampler_t how, struct pair by, float4 weight, global int *to)
            {
                int x = get_global_id(0);
                float sum = by.a;
                for (int i = 0; i < by.n; i++)
                    sum += dot(read_imagef(from, how, (int2)(x, i)), weight);
                to[x] = sum;
            }"""
        file = self.folder / "mixed.cl"
        file.write_text(text)
        words = ["image:nx8:rgba32f", "sampler:linear", "bytes:n // n * 8", "float4:1,n,3,4", "buffer:4*n:w:0..9"]
        question = read(str(file), ["n=1K,16K"], "n", "64", words, hints=["loop:7=n // 1024 * 4"])
        program = self.daemon.load(file)
        points = sweep(question, self.open, [DEVICE])
        for point, trips in zip(points, (4, 64)):
            n = int(point.names["n"])
            arguments = [predictd.Image(n, 8, "rgba32f"), predictd.Sampler("linear"), predictd.Struct(8),
                         predictd.Scalar("float4", [1, n, 3, 4]), predictd.Buffer(4 * n, "w", (0, 9))]  # fmt: skip
            launch = predictd.Launch(program, n, 64, arguments, hints=[predictd.LoopHint(7, trips)])
            self.assertEqual(point.time_s, self.daemon.predict(launch, DEVICE).kernel_time_s)
        self.assertEqual(len(points), 2)
        with self.assertRaisesRegex(predictd.Unsupported, "predictctl measure"):
            sweep(question, self.open, [DEVICE], measure=True)

    def test_a_value_that_does_not_fit_is_that_points_own(self) -> None:
        question = read(str(KERNEL), ["n=64K,0"], "64K", "64", ["buffer:4*n", "buffer:4*n"])
        points = sweep(question, self.open, [DEVICE])
        self.assertEqual([one.prediction is not None for one in points], [True, False])
        self.assertIn("want a whole number of 1 or more", points[1].why)
        question = read(str(KERNEL), ["n=1"], "64K", "64", ["uint:-n", "buffer:4*n"])
        self.assertIn("-1 does not fit uint", sweep(question, self.open, [DEVICE])[0].why)

    def test_notes_stand_below_and_a_mistake_of_all_points_is_told_once(self) -> None:
        code, shown, _ = self.command(*self.WORDS)
        self.assertEqual((code, shown.count("the device is away")), (0, 1))
        file = self.folder / "macro.cl"
        file.write_text("kernel void one(global float *a) { a[get_global_id(0)] = WHAT; }\nkernel void two(global float *a) { *a = 1; }\n")
        words = ("--socket", self.socket, "--over", "n=64,128", "--global", "n", "--arg", "buffer:4*n", "--device", DEVICE)
        code, shown, complaint = self.run_command(str(file), *words)
        self.assertEqual((code, shown, complaint.count("\n")), (1, "", 1))
        self.assertIn("the source has 2: one, two", complaint)
        code, shown, _ = self.run_command(f"{file}:one", *words)
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"(?m)^  fallback: .*WHAT is defined nowhere")
        # a value may begin with a dash, as for other commands
        code, shown, complaint = self.run_command(f"{file}:one", *words, "--options", "-DWHAT=3")
        self.assertEqual((code, complaint), (0, ""))
        self.assertNotIn("fallback", shown)

    def test_names_reach_the_terminal_as_text(self) -> None:
        code, _, complaint = self.run_command("no\x1b[31m\udcff.cl", "--global", "1", "--socket", self.socket)
        self.assertEqual((code, complaint), (1, "predictctl: sweep: no?[31m?.cl: No such file or directory\n"))
        file = self.folder / "copy\udcff.cl"
        file.write_bytes(KERNEL.read_bytes())
        code, shown, complaint = self.run_command(str(file), "--socket", self.socket, *self.WORDS)
        self.assertEqual((code, complaint), (0, ""))
        code, _, complaint = self.command(*self.WORDS, "--options", "-DX=\udcff")
        self.assertEqual((code, complaint), (1, "predictctl: sweep: want build options in UTF-8\n"))

    def test_predictctl_imports_nothing_of_the_folder_that_it_is_called_in(self) -> None:
        for name in ("predictd", "struct", "json"):
            (self.folder / f"{name}.py").write_text("raise SystemExit('imported')\n")
        ran = subprocess.run([os.environ["PREDICTCTL"], "sweep", str(KERNEL), "--socket", self.socket, *self.WORDS],
                             cwd=self.folder, capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("65536", ran.stdout)

    def test_what_cannot_run_is_told_beside_the_others(self) -> None:
        question = read(str(KERNEL), ["n=64K", "l=64,128,1M"], "n", "l", COPY["arguments"])  # type: ignore[arg-type]
        points = sweep(question, self.open, ["all"])
        self.assertEqual([one.prediction is not None for one in points], [True, True, False])
        self.assertIn("work-group", points[2].why)

    def test_tables_csv_and_json_have_the_same(self) -> None:
        code, shown, _ = self.command(*self.WORDS, "--plot")
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"(?m)^ +n  local +predicted")
        self.assertRegex(shown, r"(?m)^ *65536  64x1x1 ")
        self.assertIn("o predicted", shown)
        code, text, _ = self.command(*self.WORDS, "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(text)))
        code, told, _ = self.command(*self.WORDS, "--json")
        points = json.loads(told)["points"]
        self.assertEqual([int(one["n"]) for one in rows], [one["n"] for one in points])
        self.assertEqual([float(one["predicted_s"]) for one in rows], [one["predicted_s"] for one in points])
        self.assertIsNone(points[0]["measured_s"])

    def test_a_device_that_is_away_is_not_measured(self) -> None:
        question = read(str(KERNEL), ["n=64K"], **COPY)  # type: ignore[arg-type]
        (point,) = sweep(question, self.open, [DEVICE], measure=True)
        self.assertEqual(point.measured_why, "the device is away")

    def test_errors_are_sentences(self) -> None:
        for words, code, says in (
            (("--over", "n=9..1", "--global", "n"), 2, "predictctl: sweep: --over n: want A..B:xK"),
            ((*self.WORDS, "--json", "--csv", "-"), 2, "--json and --csv - both print"),
            ((*self.WORDS, "--timeout", "nan"), 2, "--timeout: want more than 0"),
            ((*self.WORDS, "--device", "nothing"), 1, "device 'nothing': none is called so"),
            ((*self.WORDS, "--where", "n < 0"), 1, "no point is left by --where"),
            ((*self.WORDS, "--csv", "/nonexistent/file"), 1, "/nonexistent/file: No such file"),
            ((*self.WORDS, "--socket", "/nonexistent"), 3, "/nonexistent"),
        ):
            got, _, complaint = self.command(*words)
            self.assertEqual((got, says in complaint), (code, True), complaint)
        for name, says in (("/dev/zero", "not a file"), (".", "not a file"), ("/nonexistent.cl", "No such file")):
            code, _, complaint = self.run_command(name, "--socket", self.socket, *self.WORDS)
            self.assertEqual((code, complaint), (1, f"predictctl: sweep: {name}: {says}{' or directory' if says[0] == 'N' else ''}\n"))
        code, shown, _ = self.command(*self.WORDS[:4], *self.WORDS[6:])  # without --local
        self.assertEqual((code, shown.count("local sizes were assumed\n"), shown.count("assumed local size")), (0, 1, 0))
        self.assertEqual(self.command("--global", "64", "--arg", "buffer:256", "--device", DEVICE)[0], 1)  # two arguments are wanted


if __name__ == "__main__":
    unittest.main()
