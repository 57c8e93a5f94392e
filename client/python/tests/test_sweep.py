# SPDX-License-Identifier: Apache-2.0
"""One question over sizes, macros, devices and models: words, points, and what the command prints."""

import contextlib
import csv
import io
import json
import math
import unittest

from own_daemon import DEVICE, KERNEL, OwnDaemon

import predictd
from predictd.sweep import __main__ as command
from predictd.sweep import read, sweep
from predictd.sweep.reading import parameter, plain
from predictd.sweep.showing import plot, time_of

COPY = {"arguments": ["buffer:4*n:r", "buffer:4*n:w"], "global_size": "n", "local_size": "64"}


class Words(unittest.TestCase):
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
            ({"arguments": ["buffer:n:x"]}, "--arg 1: want r, w or rw"),
            ({"arguments": ["n"]}, "--arg 1: want buffer:BYTES"),
            ({"arguments": ["uint:open('x')"]}, "is not allowed"),
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

    def test_times_have_three_digits(self) -> None:
        self.assertEqual([time_of(one) for one in (1.2345, 1.2e-5, 3.4567e-9, math.nan)], ["1.23 s", "12 us", "3.46 ns", "-"])


class Points(OwnDaemon):
    def open(self) -> predictd.Connection:
        return predictd.connect(self.socket)

    def command(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command.main([str(KERNEL), "--socket", self.socket, *words])
        return code, out.getvalue(), err.getvalue()

    WORDS = ("--over", "n=1K..64K:x4", "--global", "n", "--local", "64", "--arg", "buffer:4*n:r", "--arg", "buffer:4*n:w")

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
        (point,) = sweep(question, self.open, measure=True)
        self.assertEqual(point.measured_why, "the device is away")

    def test_errors_are_sentences(self) -> None:
        for words, code, says in (
            (("--over", "n=9..1", "--global", "n"), 1, "predictctl: sweep: --over n: want A..B:xK"),
            ((*self.WORDS, "--device", "nothing"), 1, "device 'nothing': none is called so"),
            ((*self.WORDS, "--where", "n < 0"), 1, "no point is left by --where"),
            ((*self.WORDS, "--csv", "/nonexistent/file"), 1, "/nonexistent/file: No such file"),
            ((*self.WORDS, "--socket", "/nonexistent"), 3, "/nonexistent"),
        ):
            got, _, complaint = self.command(*words)
            self.assertEqual((got, says in complaint), (code, True), complaint)
        self.assertEqual(self.command("--global", "64", "--arg", "buffer:256")[0], 1)  # two arguments are wanted


if __name__ == "__main__":
    unittest.main()
