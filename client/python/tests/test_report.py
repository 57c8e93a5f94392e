# SPDX-License-Identifier: Apache-2.0
"""The page about a kernel: it stands by itself, what is in it is text, and its numbers are the daemon's."""

import contextlib
import html.parser
import io
import json
import os
import re
import subprocess
import tempfile
import unicodedata
import unittest
from pathlib import Path

from own_daemon import DEVICE, KERNEL, OwnDaemon

import predictd
from predictd.page import document, percent, seconds, table, tag
from predictd.page.svg import padded, ticks
from predictd.report import __main__ as command
from predictd.cases import read_cases as read_cases_of
from predictd.report import page, read_cases, run_page
from predictd.report.work import bound_of, least_time_s, portability, work_of
from predictd.sweep import read

HOSTILE = '</pre></script><script>alert(1)</script><img src="http://elsewhere/x" onerror="alert(2)">'
SOURCE = f"""// {HOSTILE}
kernel void axpy(global const float *a, global float *b, float by)
{{
	size_t i = get_global_id(0);
	b[i] = a[i] * by + b[i];
}}
"""
VOID = {"meta", "line", "rect", "circle", "polyline"}


class Reader(html.parser.HTMLParser):
    """Elements and their attributes; what is not closed where it was opened is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag != "meta":
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.text += data


class Elements(unittest.TestCase):
    def test_what_is_not_markup_is_text(self) -> None:
        self.assertEqual(tag("p", "<b>", tag("i", "&"), class_='"'), '<p class="&quot;">&lt;b&gt;<i>&amp;</i></p>')
        self.assertNotIn("<script", document("<script>", table(["<script>"], [["<script>"]])))

    def test_axes_have_what_they_are_of(self) -> None:
        for values in ([3.0], [1.0, 1.0], [1e-9, 1e12], [5e-4, 6e-4]):
            low, high = padded(values)
            self.assertTrue(low < min(values) and max(values) < high and high / low >= 9.99)
            self.assertTrue(1 <= len(ticks(low, high)) <= 12, (low, high))

    def test_portability_is_a_harmonic_mean(self) -> None:
        self.assertAlmostEqual(portability([1.0, 0.5]), 2 / 3)
        self.assertEqual(portability([1.0, None]), 0)
        self.assertEqual(portability([]), 0)


class Pages(OwnDaemon):
    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="predictd-test.")
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "axpy.cl"
        self.file.write_text(SOURCE)

    def open(self) -> predictd.Connection:
        return predictd.connect(self.socket)

    def question(self, *over: str) -> "object":
        return read(str(self.file), over, "n", "64", ["buffer:4*n:r", "buffer:4*n:rw", "float:2"])

    def test_a_page_asks_nobody_and_runs_nothing(self) -> None:
        made = page([[self.question("n=1K..4M:x4")]], self.open, ["all"], title=HOSTILE)  # type: ignore[list-item]
        read_back = Reader(made)
        self.assertEqual({"script", "img", "link", "iframe", "object", "embed", "base", "form"} & set(read_back.tags), set())
        self.assertEqual([one for one in read_back.attributes if one[1] in ("src", "href", "srcset", "action") or one[1].startswith("on")], [])
        self.assertIn(HOSTILE, read_back.text)
        self.assertIn("default-src 'none'", made)
        for word in ("Launches", "Rooflines", "Where the time goes", "Source", "4194304", "Occupancy", "limited by"):
            self.assertIn(word, read_back.text)

    def test_lines_have_their_share_beside_them(self) -> None:
        made = page([[self.question("n=4M")]], self.open, ["all"])  # type: ignore[list-item]
        rows = {found[2]: found[1] for found in re.finditer(r'<tr>(<td[^>]*>[^<]*</td>)<td class="faint">(\d+)</td>', made)}
        arguments = [predictd.Buffer(4 << 22, "r"), predictd.Buffer(4 << 22), predictd.Scalar("float", 2)]
        answer = self.daemon.predict(predictd.Launch(self.daemon.load(self.file), 1 << 22, 64, arguments), DEVICE, lines=True)
        (largest,) = [one for one in answer.lines if one.line == 5]
        self.assertIn(percent(largest.time_s / answer.kernel_time_s), rows["5"])
        self.assertIn("color-mix", rows["5"])
        self.assertEqual(rows["3"], "<td></td>")
        assert answer.occupancy is not None
        self.assertTrue(0 < answer.occupancy.share <= 1)

    def test_runs_have_pages_and_what_is_none_is_refused(self) -> None:
        file = self.file.with_suffix(".json")
        shape = {"global": [64], "local": None, "launches": 2, "total_time_s": 2e-3, "observed_time_s": 1e-3, "ratio": 1.5,
                 "predicted": {"time_s": 1.5e-3, "bottleneck": HOSTILE}}  # fmt: skip
        kernel = {"name": HOSTILE, "device": "a GPU", "device_key": "key", "total_time_s": 2e-3, "share": 1, "shapes": [shape]}
        run = {"schema": 1, "program": f"/opt/{HOSTILE}", "launches": 2, "kernels": [kernel], "devices": [{"name": HOSTILE, "launch_time_s": 4e-6}]}
        file.write_text(json.dumps(run))
        read_back = Reader(run_page(file))
        self.assertEqual({"script", "img"} & set(read_back.tags), set())
        for word in (HOSTILE[:30], "Predicted and observed", "1.5 ms", "4 µs"):
            self.assertIn(word, read_back.text)
        # numbers and lists that are none, and what is left out
        file.write_text(json.dumps({"schema": 1, "kernels": [3, {"shapes": [None, {"global": "x", "predicted": [], "observed_time_s": "1"}]}]}))
        self.assertIn("launched nothing", Reader(run_page(file)).text)
        for text, says in (("{", "no JSON"), ("[]", "schema 1"), ('{"schema": 2, "kernels": []}', "schema 1")):
            file.write_text(text)
            with self.assertRaisesRegex(predictd.Invalid, says):
                run_page(file)
        with self.assertRaises(predictd.InputOutput):
            run_page(file.with_name("none.json"))

    def test_its_numbers_are_the_answer(self) -> None:
        n = 1 << 20
        program = self.daemon.load(self.file)
        launch = predictd.Launch(program, n, 64, [predictd.Buffer(4 * n, "r"), predictd.Buffer(4 * n), predictd.Scalar("float", 2)])
        answer = self.daemon.predict(launch, DEVICE, explain=True)
        self.assertAlmostEqual(sum(answer.elasticities.values()), 1, delta=0.1)
        work = work_of(answer, n)
        self.assertEqual((work.type, work.operations, work.functions), ("float", 2.0 * n, set()))
        moved = sum(work.bytes_from.values())
        self.assertTrue(0 < moved < 200 * n)
        self.assertEqual(work.intensity, work.operations / work.bytes_from[work.level])
        (device,) = self.daemon.devices(coefficients=True)
        bound, least = bound_of(device, work), least_time_s(device, work)
        assert bound is not None and least is not None
        self.assertTrue(0 < bound and 0 < least <= answer.high_s)
        self.assertAlmostEqual(bound * least, work.operations, delta=work.operations * 1e-9)

    def test_what_cannot_run_and_what_has_no_reals_have_pages_too(self) -> None:
        made = page([[read(str(KERNEL), ["n=64K", "l=64,1M"], "n", "l", ["buffer:4*n:r", "buffer:4*n:w"])]], self.open, ["all"])
        text = Reader(made).text
        self.assertIn("work-group", text)
        several = page([[self.question("n=64K")], [self.question("n=128K")]], self.open, ["all"])  # type: ignore[list-item]
        self.assertEqual(Reader(several).text.count("Where the time goes"), 2)

    def test_a_cases_file_is_a_page_with_a_part_a_kernel(self) -> None:
        def case(name: str, n: int, **more: object) -> dict[str, object]:
            buffers = [{"buffer": 4 * n, "access": "r"}, {"buffer": 4 * n, "access": "rw", "init": "zero"}]
            return {"id": name, "file": "axpy.cl", "global": [n], "local": [64], "args": [*buffers, {"scalar": "float", "value": 2}], **more}

        file = self.file.with_suffix(".json")
        file.write_text(json.dumps([case("small", 1 << 12), case("large", 1 << 20), case("other", 1 << 12, options="-cl-mad-enable")]))
        text = Reader(page(read_cases(file), self.open, ["all"])).text
        self.assertEqual(text.count("Where the time goes"), 2)
        for word in ("small", "large", "other", "1048576"):
            self.assertIn(word, text)
        for value, says in (
            ([], "want a list of cases"),
            ([case("a", 64, **{"global": []})], "'global': want one to three sizes"),
            ([case("a", 64, args=[{"image": [0, 1]}])], "argument 0: want an image's size"),
            ([case("a", 64, args=[{"scalar": "struct x"}])], "argument 0: want a scalar or vector type"),
            ([{"id": 3}], "case 0: 'id': want a text"),
            ("x", "want a list of cases"),
        ):
            file.write_text(json.dumps(value))
            with self.assertRaisesRegex(predictd.Error, says):
                read_cases(file)
        file.write_text("[")
        with self.assertRaisesRegex(predictd.Invalid, "no JSON"):
            read_cases(file)

    def test_images_hints_and_offsets_of_cases_are_those_of_predict(self) -> None:
        self.file.write_text(
            "kernel void rows(read_only image2d_t from, global float *to, int n)\n{\n"
            "\tconst sampler_t s = CLK_FILTER_NEAREST;\n\tfloat sum = 0;\n\tfor (int i = 0; i < to[i]; i++)\n"
            "\t\tsum += read_imagef(from, s, (int2)(get_global_id(0), i)).x;\n\tto[get_global_id(0)] = sum;\n}\n"
        )
        arguments = [{"image": [4096, 64], "format": "r32f"}, {"buffer": 32768}, {"scalar": "int", "value": 64}]
        case = {"id": "one", "file": "axpy.cl", "global": [4096], "local": [64], "args": arguments, "offset": [4096], "hints": {"loop:5": 500}}
        file = self.file.with_suffix(".json")
        file.write_text(json.dumps([case]))
        text = Reader(page(read_cases(file), self.open, ["all"])).text
        launch = predictd.Launch(
            self.daemon.load(self.file), 4096, 64,
            [predictd.Image(4096, 64, "r32f"), predictd.Buffer(32768), predictd.Scalar("int", 64)],
            offset=4096, hints=[predictd.LoopHint(5, 500)],
        )  # fmt: skip
        self.assertIn(seconds(self.daemon.predict(launch, DEVICE).kernel_time_s), text)
        with self.assertRaisesRegex(predictd.Unsupported, "predictctl measure"):
            page(read_cases(file), self.open, ["all"], measure=True)
        run = {"id": "two", "file": str(KERNEL), "global": [4096], "local": [64], "args": [{"buffer": 16384}] * 2}
        file.write_text(json.dumps([case, run]))
        text = Reader(page(read_cases(file), self.open, ["all"], measure=True)).text
        self.assertIn("not run here: `predictctl measure` does", text)
        self.assertIn("the device is away", text)

    def test_a_case_may_be_of_its_data(self) -> None:
        self.file.write_text(
            "kernel void rows(global const int *start, global float *to)\n{\n\tfloat sum = 0;\n"
            "\tfor (int i = start[get_global_id(0)]; i < start[get_global_id(0) + 1]; i++)\n"
            "\t\tsum += sqrt((float)i);\n\tto[get_global_id(0)] = sum;\n}\n"
        )
        start = {"buffer": 16388, "access": "r", "init": "csr_rowptr:4096:2000"}
        case = {"id": "one", "file": "axpy.cl", "global": [4096], "local": [64], "args": [start, {"buffer": 16384, "access": "w"}]}
        file = self.file.with_suffix(".json")
        times = []
        for sample in (False, True):
            start["sample"] = sample
            file.write_text(json.dumps([case]))
            (one,) = read_cases_of(file)
            times.append(self.daemon.predict(one.launch(self.daemon.load(self.file)), DEVICE).kernel_time_s)
            self.assertIn(seconds(times[-1]), Reader(page(read_cases(file), self.open, [DEVICE])).text)
        self.assertLess(10 * times[0], times[1])

    def test_what_no_reader_sees_stands_in_no_page(self) -> None:
        self.file.write_bytes(
            "\ufeff// \x1b[31m \x9b31m \0 \u202e turned \u00e9\r\nkernel void f(global float *a)\r\n{ a[0] = 1; }".encode() + b" // \xe9\r\n"
        )
        question = read(str(self.file), [], "64", "", ["buffer:256"])
        made = page([[question]], self.open, ["all"], title="a\x1b\udcff")
        text = Reader(made).text
        self.assertEqual([one for one in made if unicodedata.category(one) in ("Cc", "Cf", "Cs") and one != "\n"], [])
        self.assertIn("// \ufffd[31m \ufffd31m \ufffd \ufffd turned \u00e9", text)
        self.assertIn("a\ufffd\ufffd", text)
        self.assertIn(">{ a[0] = 1; } // \ufffd<", made)
        ran = subprocess.run(
            [os.environ["PREDICTCTL"], "report", str(self.file), "--socket", self.socket, "--global", "64", "--arg", "buffer:256", "-d", DEVICE],
            capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        self.assertEqual((ran.returncode, ran.stderr), (0, b""))
        self.assertIn("turned", Reader(ran.stdout.decode()).text)

    def test_the_command_writes_a_file(self) -> None:
        words = [f"{self.file}:axpy", "--socket", self.socket, "--device", DEVICE, "--over", "n=64K,1M", "--global", "n", "--arg", "buffer:4*n:r",
                 "--arg", "buffer:4*n", "--arg", "float:2"]  # fmt: skip
        out = self.file.with_suffix(".html")
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(command.main([*words, "--output", str(out)]), 0)
            self.assertIn("axpy: predicted", Reader(out.read_text()).text)
            self.assertEqual(command.main([*words, "--output", "/nonexistent/page.html"]), 1)
            self.assertEqual(command.main([*words, "--device", "nothing"]), 1)
            self.assertEqual(command.main([*words[:-2]]), 1)
        self.assertIn("want 3 arguments", err.getvalue())
        self.assertIn("/nonexistent/page.html: No such file", err.getvalue())
        self.assertIn("none is called so", err.getvalue())


if __name__ == "__main__":
    unittest.main()
