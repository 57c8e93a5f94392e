# SPDX-License-Identifier: Apache-2.0
"""Spaces and what is read of them, searches over recorded times, results. Nothing runs on a device here."""

import contextlib
import csv
import io
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import predictd
import predictd.tune
from own_daemon import DEVICE, OwnDaemon
from predictd.tune import __main__ as command
from predictd.tune import expressions, measuring, reading, results, searching, space

KERNEL = """
kernel void fill(global float *out, int n)
{
	for (int i = 0; i < WORK; i++)
		out[get_global_id(0) * WORK + i] = n;
}
"""


def short(**more: object) -> dict:
    return {
        "file": "fill.cl",
        "kernel": "fill",
        "parameters": {"WORK": [1, 2, 4, 8], "GROUP": [32, 64, 128]},
        "constraints": ["WORK * GROUP <= 512"],
        "constants": {"N": 1 << 16},
        "global": ["N // WORK"],
        "local": ["GROUP"],
        "args": [{"buffer": "float", "count": "N", "access": "w", "name": "out"}, {"scalar": "int", "value": "N"}],
        **more,
    }


def t1(**more: object) -> dict:
    return {
        "ConfigurationSpace": {
            "TuningParameters": [
                {"Name": "WORK", "Type": "int", "Values": "list(range(1, 9))"},
                {"Name": "GROUP", "Type": "int", "Values": "[32, 64, 128]", "Default": 64},
            ],
            "Conditions": [
                {"Parameters": ["WORK", "GROUP"], "Expression": "65536 // WORK % GROUP == 0 and WORK != 3"},
                {"Parameters": ["GROUP"], "Expression": "32 <= GROUP < 100"},
            ],
        },
        "General": {"FormatVersion": 1},
        "Search": {"Name": "GeneticAlgorithm"},
        "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 7}],
        "KernelSpecification": {
            "Language": "OpenCL",
            "CompilerOptions": ["-cl-mad-enable"],
            "KernelName": "fill",
            "KernelFile": "fill.cl",
            "GlobalSize": {"X": "65536 // WORK"},
            "LocalSize": {"X": "GROUP"},
            "Arguments": [
                {"Name": "out", "Type": "float", "Size": 65536, "MemoryType": "Vector", "AccessType": "WriteOnly"},
                {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 7},
            ],
            **more,
        },
    }


class Expressions(unittest.TestCase):
    def test_values_are_python_s(self) -> None:
        names = {"a": 7, "b": 3, "c": 0.5, "s": "x"}
        for text in (
            "a // b", "a % b == 1 and b != 0", "a if b > 2 else c", "not a", "-a ** 2", "~a & 6 | 8 ^ 3", "a << b >> 1",
            "a < b <= 9", "1 <= b < a", "b in [1, 2, 3]", "s not in ('y', 'z')", "list(range(1, 9))", "max(a, b, 2)",
            "sum([a, b]) / 4", "round(a / b)", "ceil(a / b)", "int(c * 4)", "a or 1 // 0", "b > 5 and 1 // 0", "s == 'x'",
            "len([1, 2])", "True", "[a, b] * 2",
        ):  # fmt: skip
            with self.subTest(text):
                wanted = eval(text, {"ceil": math.ceil, **names})  # the test's own texts
                self.assertEqual(expressions.Expression(text, known=list(names))(names), wanted)

    def test_what_is_not_in_the_list_is_refused(self) -> None:
        for text in (
            "__import__('os').system('true')", "open('x')", "a.real", "(lambda: 1)()", "[x for x in [1]]", "a[0]",
            "f'{a}'", "{1: 2}", "{1}", "a := 1", "print(a)", "getattr(a, 'b')", "b''", "None", "...", "1j", "*a, 1",
            "a is b", "a @ b", "int('9', base=2)", "exec('1')", "(yield)", "await a", "x = 1", "1;2", "", "(", "a b",
            "'%s' % " * 3, "\x00",
        ):  # fmt: skip
            with self.subTest(text), self.assertRaises(predictd.Invalid):
                expressions.Expression(text, "here", ["a", "b"])({"a": 1, "b": 2})

    def test_an_expression_is_bounded(self) -> None:
        for text in (
            "9 ** 9 ** 9", "2 ** 1000", "1 << 100000", "[0] * 10 ** 9", "'a' * 10 ** 9", "list(range(10 ** 9))",
            "sum(range(10 ** 12))", "10 ** 9 * [1]", "'%0999999999d' % 1", "+" * 100000 + "1", "(" * 5000 + "1" + ")" * 5000,
            "1+" * 3000 + "1", "7" * 5000, "0.0 ** -1", "1 // 0", "1 % 0", "'a' + 1", "sqrt(-1)", "int('x')",
            "max(list(range(70000)))", "pow(2, 10 ** 9)", "-(-9) ** 10 ** 8",
        ):  # fmt: skip
            with self.subTest(text[:40]), self.assertRaises(predictd.Invalid):
                expressions.Expression(text)({})

    def test_unknown_names_are_named(self) -> None:
        with self.assertRaisesRegex(predictd.Invalid, "constraint: 'a < z': there is no parameter 'z'"):
            expressions.Expression("a < z", "constraint", ["a"])


class Spaces(unittest.TestCase):
    def test_configurations_are_those_for_which_all_holds(self) -> None:
        chosen = random.Random(1)
        parts = ["{} % 2 == 0", "{} + {} < 9", "{} * {} != 6", "{} <= {} or {} > 3", "{} != 4", "1 < 2"]
        for _ in range(200):
            names = [f"p{i}" for i in range(chosen.randint(1, 4))]
            parameters = [space.Parameter(name, tuple(chosen.sample(range(9), chosen.randint(1, 5)))) for name in names]
            texts = []
            for _ in range(chosen.randint(0, 4)):
                part = chosen.choice(parts)
                texts.append(part.format(*(chosen.choice(names) for _ in range(part.count("{}")))))
            made = space.Space(parameters, [expressions.Expression(text, known=names) for text in texts])
            wanted = [
                values
                for values in itertools.product(*(one.values for one in parameters))
                if all(eval(text, dict(zip(names, values))) for text in texts)
            ]
            self.assertEqual(list(made), wanted)

    def test_what_cannot_hold_is_not_enumerated_further(self) -> None:
        wide = [space.Parameter(f"p{i}", tuple(range(50))) for i in range(20)]
        names = [one.name for one in wide]
        narrow = [expressions.Expression(f"p{i} == {i}", known=names) for i in range(20)]
        self.assertEqual(list(space.Space(wide, narrow)), [tuple(range(20))])
        with self.assertRaisesRegex(predictd.Limit, "more than 1048576 configurations"):
            for _ in space.Space(wide, []):
                pass
        with unittest.mock.patch.object(space, "VISITS_MAX", 10000), self.assertRaisesRegex(predictd.Limit, "were tried"):
            list(space.Space(wide, [expressions.Expression("p19 > 99", known=names)]))

    def test_wrong_parameters_are_refused(self) -> None:
        one = space.Parameter("a", (1,))
        for parameters, said in (([one, one], "twice"), ([space.Parameter("a b", (1,))], "name"), ([space.Parameter("a", ())], "no value")):
            with self.assertRaisesRegex(predictd.Invalid, said):
                space.Space(parameters, [])
        with self.assertRaises(predictd.Limit):
            space.Space([space.Parameter(f"p{i}", (1,)) for i in range(65)], [])


class OwnFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="predictd-test.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "fill.cl").write_text(KERNEL)

    def load(self, value: object) -> predictd.tune.Problem:
        path = self.folder / "space.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return reading.load(path)


class Files(OwnFolder):
    def test_kernel_tuner_s_format_is_read(self) -> None:
        problem = self.load(t1())
        found = [dict(zip(problem.space.names, one)) for one in problem.space]
        wanted = [
            {"WORK": work, "GROUP": group}
            for work in range(1, 9)
            for group in (32, 64, 128)
            if 65536 // work % group == 0 and work != 3 and 32 <= group < 100
        ]
        self.assertEqual(found, wanted)
        self.assertEqual((problem.runs, problem.time_s), (7, 0))
        kernel = problem.kernels[0]
        self.assertEqual(kernel.sizes({"WORK": 4, "GROUP": 64}), ((16384,), (64,)))
        self.assertEqual(kernel.defines({"WORK": 4, "GROUP": 64}, KERNEL), "-cl-mad-enable -DWORK=4")
        self.assertEqual([one.kind for one in kernel.arguments], ["buffer", "scalar"])
        self.assertEqual(kernel.arguments[0].access, "w")
        groups = self.load(t1(GlobalSizeType="CUDA", GlobalSize={"X": "65536 // WORK // GROUP"})).kernels[0]
        self.assertEqual(groups.sizes({"WORK": 4, "GROUP": 64}), ((16384,), (64,)))

    def test_kernel_tuner_enumerates_the_same(self) -> None:
        try:
            import kernel_tuner.searchspace
        except ImportError:
            self.skipTest("kernel_tuner is not installed")
        value = t1()
        problem = self.load(value)
        values = {one["Name"]: eval(one["Values"]) for one in value["ConfigurationSpace"]["TuningParameters"]}
        conditions = [one["Expression"] for one in value["ConfigurationSpace"]["Conditions"]]
        theirs = kernel_tuner.searchspace.Searchspace(values, conditions, 1024)
        self.assertEqual(sorted(theirs.list), sorted(problem.space))

    def test_files_of_kernel_tuner_s_schema_go_both_ways(self) -> None:
        try:
            import jsonschema
            import kernel_tuner.file_utils as utils
        except ImportError:
            self.skipTest("kernel_tuner is not installed")
        jsonschema.validate(t1(), utils.input_file_schema()[1])
        problem = self.load(t1())
        one = next(iter(problem.space))
        rows = [
            (one, predictd.tune.Expected(1e-3, 1e-4, 1e-2), measuring.Measured(status, time_s, (time_s,)))
            for status, time_s in (("correct", 1e-3), ("timeout", math.inf))
        ]
        schema = Path(utils.__file__).parent / "schema/T4/1.0.0/results-schema.json"
        jsonschema.validate(json.loads(json.dumps(results.t4(problem.space, rows))), json.loads(schema.read_text()))

    def test_other_languages_and_fills_are_refused_by_name(self) -> None:
        argument = {"Name": "a", "Type": "float", "MemoryType": "Vector", "Size": 4}
        for more, said in (
            ({"Language": "CUDA"}, "kernels in CUDA are not tuned"),
            ({"Arguments": [{**argument, "FillType": "Script"}]}, "Script"),
            ({"Arguments": [{**argument, "FillType": "BinaryHDF"}]}, "BinaryHDF"),
            ({"Arguments": [{**argument, "MemoryType": "Symbol"}]}, "Symbol"),
            ({"Arguments": [{**argument, "Type": "custom"}]}, "custom"),
            ({"ReferenceArguments": [{"Name": "r", "TargetName": "a", "FillType": "Generator"}]}, "Generator"),
        ):
            with self.subTest(said), self.assertRaisesRegex(predictd.Unsupported, said):
                self.load(t1(**more))

    def test_the_short_form_is_read(self) -> None:
        problem = self.load(short(runs=3, time_s=0.5, device="H100"))
        self.assertEqual(problem.space.names, ("N", "WORK", "GROUP"))
        self.assertEqual(len(list(problem.space)), 11)
        self.assertEqual((problem.runs, problem.time_s, problem.device), (3, 0.5, "H100"))
        names = {"N": 65536, "WORK": 2, "GROUP": 32}
        self.assertEqual(problem.kernels[0].sizes(names), ((32768,), (32,)))

    def test_a_template_is_filled(self) -> None:
        kernel = self.load(short(template=True)).kernels[0]
        self.assertEqual(kernel.text({"WORK": 4}, "x[${WORK}] = $$;"), "x[4] = $;")
        self.assertEqual(kernel.defines({"WORK": 4}, KERNEL), "")
        with self.assertRaisesRegex(predictd.Invalid, "fill.cl: a template of WORK"):
            kernel.text({"WORK": 4}, "${OTHER}")

    def test_kernels_of_a_composition_have_their_parameters(self) -> None:
        parts = {key: short()[key] for key in ("file", "kernel", "args")}
        value = {key: one for key, one in short().items() if key not in ("file", "kernel", "args", "global", "local")}
        value["kernels"] = [
            {**parts, "global": ["N // WORK"], "parameters": ["WORK"]},
            {**parts, "global": ["N"], "local": ["GROUP"]},
        ]
        first, second = self.load(value).kernels
        self.assertEqual(first.defines({"WORK": 2, "GROUP": 3}, "WORK GROUP"), "-DWORK=2")
        self.assertEqual(second.defines({"WORK": 2, "GROUP": 3}, "WORK GROUP"), "-DWORK=2 -DGROUP=3")
        value["kernels"][0]["global"] = ["N // GROUP"]
        with self.assertRaisesRegex(predictd.Invalid, "there is no parameter 'GROUP'"):
            self.load(value)

    def test_what_is_wrong_is_said_with_its_place(self) -> None:
        argument = short()["args"][0]
        for value, said in (
            ("{", "no JSON"),
            ("[]", "want an object"),
            ("[" * 100000, "no JSON"),
            (short(globl=[1]), "'globl' is not known"),
            (short(parameters={"WORK": []}, constraints=[], local=[1]), "'WORK' has no value"),
            (short(parameters={"WORK": [[1]]}), "want numbers and texts"),
            (short(parameters={"WORK": "range(10 ** 9)"}), "more than 65536"),
            (short(parameters=[1]), "'parameters': want an object"),
            (short(constraints=["WORK +"]), "'constraints': 'WORK \\+' is no expression"),
            (short(constraints=["WORK.real"]), "Attribute is not allowed"),
            (short(**{"global": []}), "'global' is missing"),
            (short(local=[1, 1]), "'local': want 1 sizes"),
            (short(args=[{}]), "args\\[0\\]: want one of 'buffer'"),
            (short(args=[{**argument, "buffer": "floaty"}]), "want a type of OpenCL C"),
            (short(args=[{**argument, "access": "x"}]), "'access': want one of r, w, rw"),
            (short(args=[{**argument, "count": True}]), "'count': want"),
            (short(references=[{"argument": "other", "file": "x"}]), "no buffer has that name"),
            (short(references=[{"argument": "out"}]), "want one of 'file', 'kernel' and 'command'"),
            (short(references=[{"argument": "out", "file": "x", "method": "near"}]), "'method': want one of"),
            (short(references=[{"argument": "out", "file": "x", "tolerance": -1}]), "tolerance of -1"),
            (short(runs=-1), "not negative"),
            (short(constants={"WORK": 1}), "a parameter and a constant"),
        ):
            with self.subTest(said), self.assertRaisesRegex(predictd.Invalid, said):
                self.load(value)
        with self.assertRaises(predictd.InputOutput):
            reading.load(self.folder / "none.json")

    def test_no_bytes_end_it(self) -> None:
        chosen = random.Random(2)
        texts = [json.dumps(t1()), json.dumps(short(references=[{"argument": "out", "file": "x"}]))]
        for _ in range(1500):
            text = list(chosen.choice(texts))
            for _ in range(chosen.randint(1, 4)):
                place, size = chosen.randrange(len(text)), chosen.randint(0, 6)
                text[place : place + size] = chosen.choice(['"', "[", "{}", "1e999", "-1", "null", ":", "true", "", '"X"'])
            with contextlib.suppress(predictd.Error):
                problem = self.load("".join(text))
                for number, one in enumerate(problem.space):
                    if number > 3:
                        break
                    problem.kernels[0].sizes(problem.space.named(one))


class Online(OwnDaemon):
    """A program that works: 36 variants, of which one is wrong; the daemon knows no choice at first."""

    CONFIGURATIONS = [(work, group) for work in (1, 2, 4, 8, 16, 32) for group in ("a", "b", "c", "d", "e", "f")]
    WRONG = 7

    def setUp(self) -> None:
        super().setUp()
        self.factor = 1.0
        chosen = random.Random(4)
        self.predicted = [1e-3 * math.exp(chosen.gauss(0, 0.3)) for _ in self.CONFIGURATIONS]
        self.times = [one * math.exp(chosen.gauss(0, 0.1)) for one in self.predicted]
        self.times[self.WRONG] = 1e-5
        self.predicted[self.WRONG] = min(self.predicted) / 2
        self.predicted[0] = math.inf

    def online(self, **more: object) -> predictd.tune.Online:
        return predictd.tune.Online(self.CONFIGURATIONS, self.predicted, **more)

    def work(self, online: predictd.tune.Online, launches: int) -> list:
        numbers = []
        for _ in range(launches):
            before = online.standing()
            one = online.next()
            self.assertEqual(one.configuration, self.CONFIGURATIONS[one.number])
            self.assertEqual(one.is_best, one.configuration == before.best)
            if before.best is not None:
                self.assertLessEqual(one.expected_s, 1.3 * before.best_s * (1 + 1e-9))
            is_wrong = one.is_new and one.number == self.WRONG
            online.report(one.number, math.inf if is_wrong else self.factor * self.times[one.number])
            numbers.append(one.number)
        return numbers

    def test_a_program_is_tuned_while_it_works_and_begins_with_its_choice_again(self) -> None:
        able = [time for number, time in enumerate(self.times) if number not in (0, self.WRONG)]
        with self.online() as online:
            self.assertFalse(online.find(self.daemon, "work", DEVICE, [7, 1 << 63]))
            numbers = self.work(online, 300)
            standing = online.standing()
            self.assertEqual(numbers[0], self.WRONG)
            self.assertEqual(numbers.count(self.WRONG), 1)
            self.assertEqual((standing.is_over, standing.failed, standing.drifts), (True, 1, 0))
            self.assertLess(standing.best_s, 1.1 * min(able))
            self.assertTrue(online.keep(self.daemon, "work", DEVICE, [7, 1 << 63]))
        self.end()
        self.start()
        with self.online() as online:
            self.assertFalse(online.find(self.daemon, "other work", DEVICE, [7, 1 << 63]))
            self.assertFalse(online.find(self.daemon, "work", DEVICE, [7]))
            self.assertTrue(online.find(self.daemon, "work", DEVICE, [7, 1 << 63]))
            self.assertEqual({self.CONFIGURATIONS[one] for one in self.work(online, 100)}, {standing.best})
            self.factor = 2.0
            self.work(online, 100)
            self.assertEqual(online.standing().drifts, 1)
        with predictd.tune.Online(self.CONFIGURATIONS[1:], self.predicted[1:]) as other:
            self.assertFalse(other.find(self.daemon, "work", DEVICE, [7, 1 << 63]))

    def test_without_a_daemon_it_works_too(self) -> None:
        self.end()
        for daemon in (None, self.daemon):
            with self.online() as online:
                self.assertFalse(online.find(daemon, "work"))
                self.work(online, 100)
                self.assertFalse(online.keep(daemon, "work"))

    def test_what_is_wrong_is_said(self) -> None:
        for wrong, said in (
            (lambda: predictd.tune.Online([(1,), (2, 3)], [1, 1]), "2 configurations of 1 values"),
            (lambda: predictd.tune.Online([(1,)], [1, 1]), "1 configurations"),
            (lambda: predictd.tune.Online([], []), "at least one"),
            (lambda: self.online(low_s=[1]), "intervals"),
            (lambda: self.online().report(99, 1), "configuration 99"),
            (lambda: self.online().report(-1, 1), "configuration -1"),
            (lambda: self.online().find(self.daemon, ""), "name of 0 bytes"),
            (lambda: self.online().find(self.daemon, "n" * 128), "name of 128 bytes"),
            (lambda: self.online().find(self.daemon, "n", sizes=[-1]), "sizes"),
            (lambda: self.online().find(self.daemon, "n", sizes=[1] * 17), "17 sizes"),
        ):
            with self.subTest(said), self.assertRaisesRegex(predictd.Invalid, said):
                wrong()


class Searches(unittest.TestCase):
    def setUp(self) -> None:
        parameters = [space.Parameter(name, tuple(range(6))) for name in "abc"]
        self.space = space.Space(parameters, [])
        self.configurations = list(self.space)
        chosen = random.Random(3)
        costs = [[chosen.gauss(0, 0.4) for _ in range(6)] for _ in "abc"]
        errors = [[chosen.gauss(0, 0.1) for _ in range(6)] for _ in "abc"]

        def of(table: list, one: tuple) -> float:
            return sum(row[value] for row, value in zip(table, one))

        predicted = [math.exp(of(costs, one) - 7) for one in self.configurations]
        self.expected = [predictd.tune.Expected(one, one / 2, one * 2) for one in predicted]
        self.expected[5] = predictd.tune.Expected(math.inf, math.inf, math.inf, "too large")
        self.times = [one * math.exp(of(errors, values)) for one, values in zip(predicted, self.configurations)]

    def run_all(self, strategy: str, **more: object) -> tuple[searching.Progress, list[int]]:
        made = searching.search(strategy, self.space, self.configurations, self.expected, **more)
        order = []
        with contextlib.closing(made):
            while (place := made.next()) is not None:
                order.append(place)
                made.report(place, self.times[place])
            return made.progress(), order

    def test_led_by_predictions_few_are_measured(self) -> None:
        able = [one for place, one in enumerate(self.times) if place != 5]
        progress, order = self.run_all("predicted")
        self.assertLess(progress.measured, len(self.times) / 4)
        self.assertLess(progress.best_s, 1.02 * min(able))
        self.assertLess(progress.gain_chance, 0.1)
        self.assertNotIn(5, order)
        self.assertEqual(order[0], min(range(len(self.expected)), key=lambda place: self.expected[place].time_s))

    def test_others_measure_each_once(self) -> None:
        for strategy in ("exhaustive", "random", "annealing"):
            with self.subTest(strategy):
                progress, order = self.run_all(strategy)
                self.assertEqual(sorted(order), [place for place in range(len(self.times)) if place != 5])
                self.assertEqual(progress.best, min((p for p in order), key=lambda p: self.times[p]))
                self.assertEqual(len(self.run_all(strategy, measured_max=9)[1]), 9)
        self.assertEqual(self.run_all("random", seed=4)[1], self.run_all("random", seed=4)[1])
        self.assertNotEqual(self.run_all("random", seed=4)[1], self.run_all("random", seed=5)[1])
        with self.assertRaises(predictd.Invalid):
            self.run_all("best")


class Results(OwnFolder):
    def rows(self) -> tuple:
        problem = self.load(short())
        configurations = list(problem.space)
        expected = [predictd.tune.Expected(1e-3, 1e-4, 1e-2)] * len(configurations)
        measured = {configurations[0]: measuring.Measured("correct", 2e-3, (1e-3, 2e-3, 3e-3), "", 0.5, 0.25, 1e9)}
        measured[configurations[1]] = measuring.Measured("correctness", why="argument out: 1 of 2, differ")
        return problem, [(one, told, measured.get(one)) for one, told in zip(configurations, expected)]

    def test_csv_has_a_row_a_configuration(self) -> None:
        problem, rows = self.rows()
        read = list(csv.DictReader(io.StringIO(results.table(problem.space, rows))))
        self.assertEqual(len(read), len(rows))
        self.assertEqual((read[0]["status"], float(read[0]["time_s"])), ("correct", 2e-3))
        self.assertEqual((read[1]["time_s"], read[1]["why"]), ("", "argument out: 1 of 2, differ"))
        self.assertEqual((read[2]["status"], float(read[2]["predicted_s"])), ("", 1e-3))

    def test_t4_has_what_was_measured(self) -> None:
        problem, rows = self.rows()
        first, second = results.t4(problem.space, rows)["results"]
        self.assertEqual(first["times"]["runtimes"], [1, 2, 3])
        self.assertEqual(first["measurements"][0], {"name": "time", "value": 2, "unit": "ms"})
        self.assertEqual((second["invalidity"], second["correctness"]), ("correctness", 0))

    def test_a_log_is_resumed(self) -> None:
        problem, rows = self.rows()
        path = self.folder / "log"
        with results.Log(path, problem.space, "x") as log:
            for configuration, _, measured in rows[:2]:
                log.add(configuration, measured)
        with path.open("a") as file:
            file.write('{"configuration": {"WO')  # what a crash leaves
        with results.Log(path, problem.space, "x") as log:
            self.assertEqual(log.known, {rows[0][0]: rows[0][2], rows[1][0]: rows[1][2]})
            log.add(rows[2][0], rows[0][2])
        with results.Log(path, problem.space, "x") as log:
            self.assertEqual(len(log.known), 3)
        with self.assertRaisesRegex(predictd.Invalid, "of other sources"):
            results.Log(path, problem.space, "y")
        path.write_text(path.read_text().replace('"correct"', '"fine"'))
        with self.assertRaisesRegex(predictd.Corrupt, "log:2: no line"):
            results.Log(path, problem.space, "x")

    def test_what_times_belong_to_has_a_fingerprint(self) -> None:
        marks = {results.fingerprint(self.load(short()), "d")}
        marks.add(results.fingerprint(self.load(short()), "e"))
        marks.add(results.fingerprint(self.load(short(local=["GROUP * 2"])), "d"))
        marks.add(results.fingerprint(self.load(short(options="-cl-mad-enable")), "d"))
        (self.folder / "fill.cl").write_text(KERNEL + " ")
        marks.add(results.fingerprint(self.load(short()), "d"))
        self.assertEqual(len(marks), 5)
        self.assertEqual(results.fingerprint(self.load(short()), "d"), results.fingerprint(self.load(short()), "d"))


class Predictions(OwnDaemon):
    """Every configuration is predicted by a daemon, for a device that is not here."""

    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="predictd-test.")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "space.json"
        (Path(folder.name) / "fill.cl").write_text(KERNEL)

    def command(self, value: object, *options: str) -> tuple[int, str, str]:
        self.path.write_text(json.dumps(value))
        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            code = command.main([str(self.path), "--socket", self.socket, "--device", DEVICE, *options])
        return code, out.getvalue(), said.getvalue()

    def test_each_is_as_the_daemon_says(self) -> None:
        code, out, said = self.command(short(), "--predict-only", "--json")
        self.assertEqual((code, said), (0, ""))
        report = json.loads(out)
        self.assertEqual(len(report["configurations"]), 11)
        for one in report["configurations"]:
            names = one["configuration"]
            program = self.daemon.register(KERNEL, f"-DWORK={names['WORK']}")
            asked = predictd.Launch(
                program, 65536 // names["WORK"], names["GROUP"],
                [predictd.Buffer(4 * 65536, "w"), predictd.Scalar("int", 65536)],
            )  # fmt: skip
            self.assertAlmostEqual(one["predicted_s"], self.daemon.predict(asked, DEVICE).kernel_time_s)
        least = min(report["configurations"], key=lambda one: one["predicted_s"])
        self.assertEqual((report["best"], report["best_s"]), (least["configuration"], least["predicted_s"]))

    def test_what_cannot_run_is_known_before_it_is_compiled(self) -> None:
        value = short(parameters={"WORK": [1], "GROUP": [64, 8192]}, constraints=[])
        code, out, _ = self.command(value, "--predict-only", "--json")
        able, large = json.loads(out)["configurations"]
        self.assertEqual(code, 0)
        self.assertGreater(able["predicted_s"], 0)
        self.assertIsNone(large["predicted_s"])
        self.assertRegex(large["why"], "8192")
        value = short(parameters={"WORK": [1, "x y"], "GROUP": [64]}, constraints=[])
        code, out, _ = self.command(value, "--predict-only", "--json")
        self.assertEqual((code, [one["predicted_s"] is None for one in json.loads(out)["configurations"]]), (0, [False, True]))

    def test_what_is_wrong_ends_it(self) -> None:
        self.assertEqual(self.command(short(device="x", constraints=["WORK > 99"]), "--predict-only")[0], 1)
        code, _, said = self.command(short(file="none.cl"), "--predict-only")
        self.assertEqual(code, 1)
        self.assertIn("none.cl", said)
        self.end()
        self.assertEqual(self.command(short(), "--predict-only")[0], 3)
        self.start()

    def test_predictctl_tune_is_it(self) -> None:
        self.path.write_text(json.dumps(short()))
        ran = subprocess.run(
            [os.environ["PREDICTCTL"], "tune", str(self.path), "--socket", self.socket, "--device", DEVICE, "--predict-only"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertRegex(ran.stdout, r"11 configurations\n(  WORK=\d GROUP=\d+: predicted .*\n){10}best: WORK")
        without = {**os.environ, "PYTHONPATH": "", "PATH": "/nonexistent"}
        ran = subprocess.run([os.environ["PREDICTCTL"], "tune", "x"], env=without, capture_output=True, text=True, check=False)
        if ran.returncode == 1 and "Python" in ran.stderr:  # the distribution's python3 has none
            self.assertRegex(ran.stderr, "needs predictd's Python package")


if __name__ == "__main__":
    unittest.main()
