# SPDX-License-Identifier: Apache-2.0
"""What would make a launch faster: words, places in a source, and what the command prints."""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from own_daemon import ROOT, OwnDaemon

import predictd
from predictd.advise import GAIN_LEAST, RULES, __main__ as command
from predictd.advise import advise, read, read_cases
from predictd.advise.places import Places
from predictd.cases import argument, hint
from predictd.fill import Fill

GPU = ROOT / "tests" / "accuracy" / "data" / "h200" / "device.calibration"
SOURCE = """/* kernel void unused(float x) { x = 1.0; } */
float scaled(float x) { return x * 0.5; }
kernel void strided(global const float *a, global float *b, int s)
{
	size_t i = get_global_id(0);
	b[i] = a[i * s];
}
kernel void trig(global const float *a, global float *b)
{
	size_t i = get_global_id(0);
	float x = a[i];  // sin(x) in words, and 3.0
	for (int k = 0; k < 16; k++)
		x = sin(x) * 1.5f;
	b[i] = x;
}
kernel void literals(global const float *a, global float *b)
{
	size_t i = get_global_id(0);
	float x = a[i];
	for (int k = 0; k < 64; k++)
		x = x * 0.99 + 0.01f;
	b[i] = x;
}
kernel void columns(global const float *a, global float *b, int n)
{
	size_t row = get_global_id(0), col = get_global_id(1);
	b[row * n + col] = a[row * n + col];
}
kernel void divided(global const uint *a, global uint *b, uint n)
{
	size_t i = get_global_id(0);
	uint s = a[i];
	for (int k = 0; k < 64; k++)
		s = s / n + k;
	b[i] = s;
}
kernel void good(global const float *a, global float *b)
{
	size_t i = get_global_id(0);
	b[i] = a[i] + 1.0f;
}
"""
ROWS = """kernel void rows(global const int *start, global const float *value, global float *sums, int count)
{
	int row = get_global_id(0);
	float sum = 0;
	if (row < count)
		for (int i = start[row]; i < start[row + 1]; i++)
			sum += value[i];
	sums[row] = sum;
}
"""
LINE = ["--global", "4M", "--local", "256", "--arg", "buffer:16M:r", "--arg", "buffer:16M:w"]


class Words(unittest.TestCase):
    def test_arguments_are_those_of_predict(self) -> None:
        for text, want in {
            "buffer:64M:r": predictd.Buffer(64 << 20, "r"),
            "buffer:16": predictd.Buffer(16),
            "buffer:1K:w:-3..9": predictd.Buffer(1024, "w", (-3, 9)),
            "buffer:1K:0..9:rand_index:10": predictd.Buffer(1024, "rw", (0, 9)),
            "buffer:1K:rw:rand_float": predictd.Buffer(1024),
            "buffer:1K:@nobody looks": predictd.Buffer(1024),
            "local:256": predictd.Local(256),
            "bytes:12": predictd.Struct(12),
            "image:64x32:rgba8:w": predictd.Image(64, 32, "rgba8", "w"),
            "image:8x4x2": predictd.Image(8, 4, depth=2),
            "sampler:linear,clamp": predictd.Sampler("linear,clamp"),
            "int:-7": predictd.Scalar("int", -7),
            "float4:1,2,3,4.5": predictd.Scalar("float4", [1, 2, 3, 4.5]),
        }.items():
            self.assertEqual(argument(text, "--arg"), want, text)
        self.assertEqual(hint("loop:3=12.5", ""), predictd.LoopHint(3, 12.5))
        self.assertEqual(hint("branch:4=.5", ""), predictd.BranchHint(4, 0.5))

    def test_mistakes_say_where(self) -> None:
        for text in ("buffer", "buffer:x", "buffer:1:q:z", "buffer:0", "local:1:2", "int", "int:x", "int:1:2", "float:1,2", "image:0x1",
                     "image:1x2x3x4", "sampler:cubic", "blob:1", "uchar:256"):  # fmt: skip
            with self.assertRaisesRegex(predictd.Invalid, "^--arg 1: ", msg=text):
                argument(text, "--arg 1")
        for text in ("rand_index", "rand_index:0", "rand_float:2:1", "iota:1", "csr_rowptr:65536:65536"):
            with self.assertRaisesRegex(predictd.Invalid, "^--arg 0: init .*: want zero, iota", msg=text):
                read("k.cl", "8", arguments=[f"buffer:8:{text}"])
        for text in ("loop:3", "loop:0=1", "branch:1=2", "loop:a=1", ""):
            with self.assertRaises(predictd.Invalid, msg=text):
                hint(text, "--hint")
        for size, local, says in (("", "", "want --global"), ("1,2,3,4", "", "one to three sizes"), ("8,8", "4", "--local: want 2 sizes"),
                                  ("0", "", "of 1 or more"), ("1k", "", "want a size")):  # fmt: skip
            with self.assertRaisesRegex(predictd.Invalid, says):
                read("k.cl", size, local)

    def test_cases_are_read_and_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cases.json"
            good = {"id": "a", "file": "k.cl:x", "global": [64], "local": [8], "hints": {"loop:3": 4}, "offset": [2], "idle_s": 0.5,
                    "args": [{"buffer": 64, "access": "r", "range": [0, 9]}, {"scalar": "int2", "value": [1, 2]}, {"local": 8},
                             {"bytes": 4}, {"image": [4, 4], "format": "r32f"}, {"sampler": "nearest"}]}  # fmt: skip
            path.write_text(json.dumps([good, {"id": "known", "name": "without source", "global": [1]}]))
            (case,) = read_cases(path)
            self.assertEqual((case.name, case.global_size, case.local_size, case.offset), ("a", (64,), (8,), (2,)))
            self.assertEqual(case.arguments[0], predictd.Buffer(64, "r", (0, 9)))
            self.assertEqual(case.hints, (predictd.LoopHint(3, 4),))
            good["args"][0].update(init="rand_index:9", sample=True)
            path.write_text(json.dumps([good]))
            self.assertEqual(read_cases(path)[0].fills[:2], (Fill("rand_index:9", 0, path.parent), None))
            for key, value, says in (("init", "rand", "want zero, iota"), ("init", 3, "'init': want a text"), ("init", None, "want an 'init'"),
                                     ("sample", 1, "want true or false")):  # fmt: skip
                path.write_text(json.dumps([{**good, "args": [{**good["args"][0], key: value}]}]))
                with self.assertRaisesRegex(predictd.Invalid, says):
                    read_cases(path)
            for text in ("", "{}", "[]", "[1]", '[{"id": 1}]', '[{"id": "a", "file": "k", "global": 3}]',
                         '[{"id": "a", "file": "k", "global": [true]}]', '[{"id": "a", "file": "k", "global": [1], "args": [{}]}]',
                         '[{"id": "a", "file": "k", "global": [1], "hints": []}]', '[{"id": "a", "file": 3, "global": [1]}]',
                         '[{"id": "a", "file": "k", "global": [1], "args": {}}]', "[" * 100000):  # fmt: skip
                path.write_text(text)
                with self.assertRaises(predictd.Invalid, msg=text[:60]):
                    read_cases(path)
        with self.assertRaisesRegex(predictd.InputOutput, "No such file"):
            read_cases(Path("/nonexistent/cases.json"))

    def test_places_are_of_the_kernel_and_of_no_comment(self) -> None:
        places = Places(SOURCE, "trig")
        self.assertEqual(places.kernel.line, 8)
        self.assertEqual((places.call("sin").line, places.call("sin").column), (13, 7))
        self.assertEqual(Places(SOURCE, "literals").double_literals()[0].line, 21)
        self.assertEqual([one.line for one in places.double_literals()], [2, 21])
        self.assertEqual(Places(SOURCE, "divided").divisor("n").line, 34)
        self.assertEqual(Places("", "k").kernel.line, 1)
        self.assertEqual(Places("/* open", "k").line(7).line, 1)
        self.assertEqual(places.line(13).column, 3)


class Advised(OwnDaemon):
    def setUp(self) -> None:
        super().setUp()
        self.daemon.import_calibration(GPU.read_bytes())
        folder = tempfile.TemporaryDirectory(prefix="predictd-test.")
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "with space.cl"
        self.file.write_text(SOURCE)

    def command(self, kernel: str, *words: str, file: str = "") -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command.main([f"{file or self.file}:{kernel}", "--socket", self.socket, "--device", "H200", *words])
        return code, out.getvalue(), err.getvalue()

    def predictctl(self, *words: str) -> str:
        done = subprocess.run([os.environ["PREDICTCTL"], *words, "--socket", self.socket], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def told(self, kernel: str, *words: str) -> list[dict[str, object]]:
        code, out, err = self.command(kernel, "--json", *words)
        self.assertEqual(code, 0, err)
        advice: list[dict[str, object]] = json.loads(out)["advice"]
        return advice

    def test_each_ill_has_its_cure_at_its_line(self) -> None:
        square = ["--global", "2K,2K", "--local", "16,16", "--arg", "buffer:16M:r", "--arg", "buffer:16M:w", "--arg", "int:2048"]
        for kernel, words, rule, line, sureness in (
            ("strided", ["--global", "1M", "--local", "256", "--arg", "buffer:64M:r", "--arg", "buffer:4M:w", "--arg", "int:16"], "layout", 6, "likely"),
            ("trig", LINE, "native", 13, "sure"),
            ("literals", LINE, "float", 21, "sure"),
            ("columns", square, "exchange", 27, "sure"),
            ("divided", [*LINE, "--arg", "uint:64"], "macro", 34, "sure"),
        ):  # fmt: skip
            first = self.told(kernel, *words)[0]
            self.assertEqual((first["rule"], first["line"], first["sureness"]), (rule, line, sureness), kernel)

    def test_data_tell_what_a_change_brings(self) -> None:
        placed = (
            "kernel void placed(global const float *a, global const int *at, global float *b) { size_t i = get_global_id(0); b[i] = a[at[i]]; }"
        )
        self.file.write_text(placed)
        beside = "--global 4M --local 256 --arg buffer:16M:r --arg buffer:16M:r:iota --arg buffer:16M:w"
        apart = beside.replace("iota", "rand_index:4194304")
        asked = []
        for words in (beside, apart):
            made = read(str(self.file), *words.split()[1:4:2], words.split()[5::2], is_sampled=True)
            launch = made.launch(self.daemon.load(self.file))
            asked.append(self.daemon.predict(launch, "H200", static_only=True).kernel_time_s)
        self.assertLess(2 * asked[0], asked[1])
        self.file.write_text(ROWS)
        words = [*("--global 64K --local 128 --arg buffer:262148:r:csr_rowptr:65536:8 --arg buffer:2M:r:rand_float").split(),
                 *("--arg buffer:256K:w --arg int:65536").split()]  # fmt: skip
        (one,) = self.told("rows", *words, "--sample")
        self.assertEqual((one["rule"], one["line"]), ("layout", 7))
        words[words.index("buffer:262148:r:csr_rowptr:65536:8")] = "buffer:262148:r:zero"  # nothing is read at line 7
        self.assertEqual(self.told("rows", *words, "--sample"), [])

    def test_samples_are_what_predictctl_takes(self) -> None:
        data = self.file.parent / "some bytes"
        data.write_bytes(bytes(range(100)))
        for init in ("zero", "iota", "rand_float", "rand_float:-2:3.5", "rand_double", "rand_u32", "rand_index:1000", "csr_rowptr:9:7", f"@{data}"):
            for size_bytes in (52, 65536, 1000004):
                arguments = (f"buffer:{size_bytes}:r:{init}", f"buffer:{size_bytes}:w")
                file = f"{self.file}:trig"
                words = [word for one in arguments for word in ("--arg", one)] + ["--time-s", "1ms"] * 3
                self.predictctl("observe", file, "--device", "H200", "--global", "8", "--local", "8", "--sample", *words)
                made = read(file, "8", "8", arguments, is_sampled=True)
                self.assertEqual(self.daemon.predict(made.launch(self.daemon.load(made.file)), "H200").basis, "observed", f"{init} of {size_bytes} bytes")

    def test_what_a_work_item_does_and_where_data_lie_is_told_in_words(self) -> None:
        # of kernels that a person made faster by the change
        cases = {one.name: one for one in read_cases(ROOT / "tests" / "advise" / "pairs.json")}
        for pair, rule, line, words in (
            ("row_sums", "spread", 10, "let 32 neighbouring work-items share this loop, each 1 of 32 iterations"),
            ("window_of_65", "window", 14, "load what the group's windows of in cover, 1280 bytes, into local memory"),
            ("hoarded_local", "reserve", 12, "make words as small as what a group uses of it: 16640 bytes"),
            ("uneven_trips", "balance", 10, "a warp goes 2.0 times as often through it as its work-items do"),
            ("turned_picture", "image", 10, "read in as an image of 4096 texels a row"),
            ("byte_offset", "width", 5, "arguments that point to vectors of 16, and 1/16 of the work-items"),
            ("local_particles", "skew", 18, "pad the structures of near by a word, or have an array for each component"),
            ("private_counts", "near", 14, "let the group have its work-items' counts in local memory, 8192 bytes"),
            ("one_group_sums", "groups", 14, "launch 128 times as many work-groups, among which this loop is shared"),
            ("halving_strides", "tree", 21, "let partners lie 128 elements apart first, then half as far"),
            ("records_of_bytes", "beside", 10, "load the 16 elements that this loop reads as one vector, by a pointer to vectors of 16"),
            ("late_exit", "select", 11, "choose values in each iteration, x = done ? x : next"),
        ):
            (one,) = [one for one in advise(self.daemon, cases[f"{pair}.bad"], "H200") if one.rule == rule]
            self.assertEqual(one.place.line, line, pair)
            self.assertIn(words, one.what)

    def test_what_costs_on_cores_is_told_in_words(self) -> None:
        known = {one.key for one in self.daemon.devices() if one.is_calibrated}
        self.daemon.import_calibration((ROOT / "tests" / "tune" / "data" / "pocl-16" / "device.calibration").read_bytes())
        (cores,) = {one.key for one in self.daemon.devices() if one.is_calibrated} - known
        cases = {one.name: one for one in read_cases(ROOT / "tests" / "advise" / "pairs.json")}
        for pair, rule, line, words in (
            ("horner_by_degree", "width", 5, "8 neighbouring results: arguments that point to vectors"),
            ("energy_of_one_sum", "sums", 10, "add up in 8 sums, each of every 8th iteration, or a float8"),
            ("staged_window", "direct", 11, "read the buffer itself instead of tile, which only holds a copy of it"),
            ("grid_stride_scale", "chunk", 7, "let each work-item go through 128 neighbouring elements in this loop"),
            ("longest_chain", "sums", 10, "add up in 8 sums, each of every 8th iteration"),
            ("wrapped_phase", "remainder", 8, "compute remainders by arithmetic, x - y * trunc(x / y) for fmod"),
            ("records_of_bytes", "beside", 10, "load the 16 elements that this loop reads as one vector, by a pointer to vectors of 16"),
            ("escape_times", "width", 6, "let a work-item compute 8 neighbouring results: arguments that point to vectors of 8"),
            ("group_of_row", "strip", 13, "add up 4 elements that lie beside each other in each iteration of this loop, by a pointer to vectors of 4"),
            ("ratio_of_numbers", "quotient", 10, "divide as floats, (int)((float)a / (float)b), if numbers are below 2^23"),
        ):
            (one,) = [one for one in advise(self.daemon, cases[f"{pair}.bad"], cores) if one.rule == rule]
            self.assertEqual(one.place.line, line, pair)
            self.assertIn(words, one.what)

    def test_counters_of_a_group_are_told_to_be_in_local_memory(self) -> None:
        file = self.file.with_name("counted.cl")
        file.write_text("kernel void k(global const uint *in, volatile global uint *sum)\n{\n\tatomic_add(sum, in[get_global_id(0)]);\n}\n")
        made = advise(self.daemon, read(file, "1M", "256", ["buffer:4M:r", "buffer:4"]), "H200")
        (one,) = [one for one in made if one.rule == "table"]
        self.assertEqual(one.place.line, 3)
        self.assertIn("let each group have sum in local memory while it uses its 4 bytes", one.what)
        self.assertIn("added to the buffer at last", one.what)

    def test_a_good_kernel_is_left_alone(self) -> None:
        self.assertEqual(self.told("good", *LINE), [])
        self.assertEqual(self.command("good", *LINE)[1], "no change of which the model predicts 3 % or more\n")

    def test_what_gains_most_comes_first_and_little_not_at_all(self) -> None:
        for kernel, words in (("trig", LINE), ("literals", LINE), ("divided", [*LINE, "--arg", "uint:100"])):
            gains = [float(str(one["gain"])) for one in self.told(kernel, *words)]
            self.assertEqual(gains, sorted(gains, reverse=True))
            self.assertTrue(all(one >= GAIN_LEAST for one in gains))

    def test_a_cure_is_predicted_as_the_cured_source_is(self) -> None:
        case = read(f"{self.file}:trig", "4M", "256", ["buffer:16M:r", "buffer:16M:w"])
        (advice,) = [one for one in advise(self.daemon, case, "H200") if one.rule == "native"]
        self.file.write_text(SOURCE.replace(" sin(x) * ", " native_sin(x) * "))
        program = self.daemon.load(self.file)
        launch = predictd.Launch(program, 4 << 20, 256, case.arguments, "trig")
        self.assertAlmostEqual(advice.after_s / self.daemon.predict(launch, "H200").kernel_time_s, 1, 6)

    def test_cures_take_what_cured_kernels_took(self) -> None:
        """Of kernels of the library that have a cured twin: what a GPU took for the twin, recorded."""
        folder = ROOT / "tests" / "accuracy"
        with (folder / "data" / "h200" / "library.csv").open() as file:
            took = {row["case"]: float(row["kernel_time_s"]) for row in csv.DictReader(file) if not row["error"]}
        cases = {one.name: one for one in read_cases(folder / "cases" / "library.json")}
        for rule, ill, cured in (
            ("layout", "gemv.1024.64", "gemv_transposed.1024.64"),
            ("layout", "gemv.2048.64", "gemv_transposed.2048.64"),
            ("tile", "transpose_naive.1024.16x16", "transpose_tiled.1024.16x16"),
            ("tile", "transpose_naive.2048.16x16", "transpose_tiled.2048.16x16"),
            ("stage", "gemm_naive.384.16x16", "gemm_tiled.384.16x16"),
            ("stage", "gemm_naive.768.16x16", "gemm_tiled.768.16x16"),
        ):
            (advice,) = [one for one in advise(self.daemon, cases[f"linalg.{ill}"], "H200") if one.rule == rule]
            gain = 1 - took[f"linalg.{cured}"] / took[f"linalg.{ill}"]
            self.assertGreater(gain, 0, ill)
            self.assertTrue(0.7 < advice.after_s / took[f"linalg.{cured}"] < 1.3, ill)
            rules = {one.rule for one in advise(self.daemon, cases[f"linalg.{cured}"], "H200")}
            # a work-item a row is too few of them for this device, and one an element reads much again
            self.assertLessEqual(rules, {"spread"} if "gemv" in cured else {"block"} if "gemm" in cured else set(), cured)

    def test_copies_and_launches_are_advised_where_they_are_asked_about(self) -> None:
        rules = [one["rule"] for one in self.told("good", *LINE, "--transfers")]
        self.assertIn("pinned", rules)
        self.assertIn("overlap", rules)
        short = ["--global", "256", "--local", "256", "--arg", "buffer:1K:r", "--arg", "buffer:1K:w"]
        self.assertEqual(self.told("good", *short), [])
        (fused,) = self.told("good", *short, "--launches", "10")
        self.assertEqual(fused["rule"], "fuse")

    def test_text_has_the_line_and_both_times(self) -> None:
        code, text, _ = self.command("literals", *LINE)
        self.assertEqual(code, 0)
        self.assertRegex(text, rf"(?m)^{re.escape(str(self.file))}:21: write floating literals")
        self.assertRegex(text, r"(?m)^    \d+ % less, sure: \d.* \(.* \.\. .*\) -> \d.* \(.* \.\. .*\)$")

    def test_sarif_has_what_its_schema_requires(self) -> None:
        code, text, _ = self.command("trig", "--sarif", *LINE)
        self.assertEqual(code, 0)
        log = json.loads(text)
        self.assertEqual((log["version"], sorted(log)), ("2.1.0", ["$schema", "runs", "version"]))
        (run,) = log["runs"]
        driver = run["tool"]["driver"]  # SARIF 2.1.0, 3.14, 3.18, 3.19: tool, driver and name are required
        self.assertTrue(driver["name"])
        self.assertEqual([one["id"] for one in driver["rules"]], list(RULES))
        self.assertGreater(len(run["results"]), 0)
        for one in run["results"]:  # 3.27: message is required; 3.29, 3.30: lines and columns begin with 1
            self.assertTrue(one["message"]["text"])
            self.assertIn(one["level"], ("none", "note", "warning", "error"))
            self.assertEqual(driver["rules"][one["ruleIndex"]]["id"], one["ruleId"])
            self.assertTrue(0 <= one["rank"] <= 100)
            (place,) = one["locations"]
            self.assertIn("with%20space.cl", place["physicalLocation"]["artifactLocation"]["uri"])
            region = place["physicalLocation"]["region"]
            self.assertEqual(set(region), {"startLine", "endLine", "startColumn", "endColumn"})
            self.assertGreaterEqual(min(region.values()), 1)
            self.assertTrue(all(isinstance(number, int) for number in region.values()))
            self.assertGreater(region["endColumn"], region["startColumn"])
            self.assertEqual(len(one["partialFingerprints"]["advice/v1"]), 64)
            # the schema has additionalProperties false
            self.assertLessEqual(set(one), {"ruleId", "ruleIndex", "level", "message", "locations", "rank", "partialFingerprints", "properties"})
        # what GitHub's code scanning wants of a rule besides its id
        for rule in driver["rules"]:
            self.assertEqual(set(rule), {"id", "name", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"})
            for key in ("shortDescription", "fullDescription", "help"):
                self.assertTrue(0 < len(rule[key]["text"]) <= 1024)
            self.assertIn(rule["defaultConfiguration"]["level"], ("none", "note", "warning", "error"))
            self.assertLessEqual(len(rule["properties"]["tags"]), 10)
        self.assertEqual(set(run), {"tool", "columnKind", "results"})
        self.assertEqual(set(driver), {"name", "semanticVersion", "rules"})

    def test_names_of_cases_are_those_that_predict_takes(self) -> None:
        file = self.file.with_suffix(".json")
        for name in ("a\x1b[31m", "a\nb", "\u202e"):
            file.write_text(json.dumps([{"id": name, "file": self.file.name, "global": [64], "args": []}]))
            with self.assertRaisesRegex(predictd.Invalid, "'id': want a text without control"):
                read_cases(file)

    def test_files_are_relative_to_where_it_is_called(self) -> None:
        def uris(name: str) -> set[str]:
            code, text, complaint = self.command("trig", "--sarif", *LINE, file=name)
            self.assertEqual((code, complaint), (0, ""))
            results = json.loads(text)["runs"][0]["results"]
            self.assertGreater(len(results), 0)
            return {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results}

        folder = Path(self.file.parent).resolve()
        other = folder / "\u00e9\udcff#.cl"
        other.write_bytes(self.file.read_bytes())
        before = Path.cwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder)
        for name in (str(folder / self.file.name), self.file.name, f"./{self.file.name}"):
            self.assertEqual(uris(name), {"with%20space.cl"})
        self.assertEqual(uris(other.name), {"%C3%A9%FF%23.cl"})
        os.chdir(before)
        self.assertEqual(uris(str(other)), {f"{folder.as_uri()}/%C3%A9%FF%23.cl"})
        _, text, _ = self.command("trig", *LINE, file=str(other))
        self.assertIn("\u00e9?#.cl:", text)
        _, text, _ = self.command("trig", "--json", *LINE, file=str(other))
        self.assertTrue(all(one["file"].endswith("\u00e9?#.cl") for one in json.loads(text)["advice"]))

    def test_kernels_that_macros_make_have_their_line(self) -> None:
        text = "#define KERNEL kernel void\r\n#define NAMED(x) x##_all\r\nKERNEL %s(global const float *a, global float *b)\r\n"
        text += "{\r\n\tfloat x = a[get_global_id(0)];\r\n\tfor (int k = 0; k < 64; k++)\r\n\t\tx = sin(x);\r\n\tb[get_global_id(0)] = x;\r\n}"
        for name in ("NAMED(sin)", "sin_all"):
            self.file.write_text(text % name, newline="")
            code, told, complaint = self.command("sin_all", "--json", *LINE, "--transfers")
            self.assertEqual((code, complaint), (0, ""))
            advice = {one["rule"]: one for one in json.loads(told)["advice"]}
            self.assertEqual((advice["native"]["line"], advice["native"]["column"], advice["native"]["end_column"]), (7, 3, 14))
            self.assertIn(advice["pinned"]["line"], (3, 5))
        places = Places("#define K kernel\nK void f(global int *a) { f2(a); }\nvoid f2(global int *a);", "f")
        self.assertEqual((places.kernel.line, places.kernel.column, places.kernel.end_column), (2, 8, 9))

    def test_of_cures_of_one_ill_the_best_is_told(self) -> None:
        rules = [one["rule"] for one in self.told("columns", "--global", "2K,2K", "--local", "16,16", "--arg", "buffer:16M:r",
                                                  "--arg", "buffer:16M:w", "--arg", "int:2048")]  # fmt: skip
        self.assertEqual(len({"layout", "exchange", "tile"} & set(rules)), 1, rules)

    def test_a_change_that_is_none_is_refused(self) -> None:
        program = self.daemon.load(self.file)
        launch = predictd.Launch(program, 1 << 20, 256, [predictd.Buffer(4 << 20, "r"), predictd.Buffer(4 << 20, "w")], "good")
        for kind in (1, 2, 4, 12, 99, 1 << 31):
            with self.assertRaises(predictd.Invalid):
                self.daemon.predict_changed(launch, predictd.WhatIf("", "", 0, True, 0.0, kind, 77), "H200")
        before = self.daemon.what_ifs(launch, "H200")
        self.assertEqual(before.kernel_time_s, self.daemon.predict(launch, "H200", static_only=True).kernel_time_s)

    def test_errors_are_sentences(self) -> None:
        for words, code, says in (
            (("--global", "0"), 2, "predictctl: advise: --global"),
            ((*LINE, "--launches", "0"), 2, "--launches: want 1 to"),
            ((*LINE, "--cases", "x.json"), 2, "want FILE.cl or --cases"),
            ((*LINE, "--device", "nothing"), 1, "device 'nothing': none is called so"),
            ((*LINE, "--arg", "int:1"), 1, "predictctl: advise: "),
            ((*LINE, "--socket", "/nonexistent"), 3, "/nonexistent"),
        ):
            got, _, complaint = self.command("good", *words)
            self.assertEqual((got, says in complaint), (code, True), complaint)


if __name__ == "__main__":
    unittest.main()
