# SPDX-License-Identifier: Apache-2.0
"""The page of one device: sections in the order in which a reader asks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape

from predictd.page import Markup, document, seconds, tag
from reporting import svg
from reporting.cases import MODELS, QUOTED, UNSEEN, Case, Report
from reporting.score import Score, ceiling, interval, score, score_ratios, shift_of_others, spearman

# Classes of random kernels: shares within 30 % in the paper; "must" and goal, on a GPU and on a CPU.
RANDOM_GOALS: tuple[tuple[str, str, dict[str, tuple[float, float]]], ...] = (
    ("realistic", "71 %, 63 %", {"gpu": (0.94, 0.98), "cpu": (0.88, 0.95)}),
    ("unrestricted", "43 %, 50 %", {"gpu": (0.82, 0.92), "cpu": (0.75, 0.88)}),
    ("rich", "–", {"gpu": (0.65, 0.85), "cpu": (0.65, 0.85)}),
)
LARGE_LESS = 0.04  # of large launches "must" is that much lower
RANDOM_CLASSES = tuple(goal[0] for goal in RANDOM_GOALS)
WORST = 20

# beside the page's own style: small drawings stand beside each other, rows of sums and heads of sets
STYLE = """
svg{display:inline-block;width:auto;min-width:0;max-width:100%;margin:4px 10px 4px 0;vertical-align:top}
tr.sum td{font-weight:600;border-top:1px solid var(--grid)}tr.set td{color:var(--faint);background:var(--panel);font-weight:600}
td.words{white-space:normal}th:first-child,td:first-child{text-align:left}.fair{color:var(--ink)}
"""


def percent(share: float, digits: int = 0) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.{digits}f} %"


def times(ratio: float) -> str:
    return "–" if math.isnan(ratio) else f"x{ratio:.2f}"


def row(cells: Sequence[str], style: str = "", words: Sequence[int] = ()) -> str:
    tag = f' class="{style}"' if style else ""
    inner = "".join(f'<td class="words">{c}</td>' if i in words else f"<td>{c}</td>" for i, c in enumerate(cells))
    return f"<tr{tag}>{inner}</tr>"


def table(heads: Sequence[str], rows: Sequence[str], words: Sequence[int] = ()) -> str:
    head = "".join(f'<th class="words">{h}</th>' if i in words else f"<th>{h}</th>" for i, h in enumerate(heads))
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def large(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.is_large]


def families(cases: Sequence[Case]) -> list[str]:
    return list(dict.fromkeys(case.family for case in cases))


def score_row(name: str, cases: Sequence[Case], model: str, style: str = "") -> str:
    whole, big, noise, bounds = score(cases, model), score(large(cases), model), ceiling(cases), interval(cases, model)
    return row(
        [
            escape(name), model, str(whole.count), percent(whole.within30), percent(noise.within30),
            percent(whole.within15), percent(noise.within15), percent(whole.median_error),
            percent(whole.mean_error), str(big.count), percent(big.within30),
            f"{spearman(cases, model):.3f}", percent(bounds.covered), times(bounds.width),
        ],
        style, (1,),
    )  # fmt: skip


SCORE_HEADS = (
    "launches", "model", "count", "30 %", "ceiling", "x1.5", "ceiling", "median err", "mean err", "large",
    "30 %", "Spearman", "covered", "width",
)  # fmt: skip


def section_summary(report: Report) -> str:
    rows = []
    for name in report.sets():
        cases = report.of_set(name)
        rows += [score_row(name, cases, model, "sum" if model == "default" else "") for model in MODELS]
    return (
        "<h2>In all</h2><p>Shares of launches whose predicted time lies within 30 % of the measured one, and within "
        "a factor of 1.5; beside them the <i>ceiling</i>: what one half of a launch's repeats reaches in predicting "
        "the other, where repeats were kept apart. <i>Large</i>: three times an empty launch or longer. <i>Covered</i>: "
        f"measured within the nominal 90 % interval.</p>{table(SCORE_HEADS, rows, (1,))}"
    )


def section_histograms(report: Report) -> str:
    parts = ["<h2>Predicted / measured</h2><p>As the paper's Fig. 6. The shaded bins are those within 30 %.</p>"]
    for name in report.sets():
        cases = report.of_set(name)
        counts = [svg.bin_counts([c.ratio(model) for c in cases]) for model in MODELS]
        highest = math.ceil(10 * max(max(c) for c in counts) / len(cases)) / 10
        parts.append(f"<h3>{escape(name)}, {len(cases)} launches</h3>")
        parts += [
            svg.histogram(model, [c.ratio(model) for c in cases], svg.COLOURS[model], highest) for model in MODELS
        ]
    return "".join(parts)


def section_scatter(report: Report) -> str:
    parts = ["<h2>Over size</h2><p>The default model; a dot is a launch, and says which where the pointer rests.</p>"]
    for name in report.sets():
        cases = report.of_set(name)
        names = families(cases)
        marks = {f: svg.family_mark(i) for i, f in enumerate(names)}

        def points(
            x: Callable[[Case], float], y: Callable[[Case], float], chosen: list[Case], mark: dict[str, svg.Mark]
        ) -> list[svg.Point]:
            return [
                (
                    x(c), y(c), mark[c.family],
                    f"{c.family if c.is_left_out else c.id}: {seconds(c.by_model['default'].time_s)} predicted, "
                    f"{seconds(c.measured_s)} measured",
                )
                for c in chosen
            ]  # fmt: skip

        parts.append(f"<h3>{escape(name)}</h3>")
        parts.append(
            svg.scatter(
                "predicted / measured", points(lambda c: c.items, lambda c: c.ratio(), cases, marks),
                "work-items", "ratio", True,
            )
        )  # fmt: skip
        parts.append(
            svg.scatter(
                "predicted over measured",
                points(lambda c: c.measured_s, lambda c: c.by_model["default"].time_s, cases, marks),
                "measured", "predicted", False,
            )
        )  # fmt: skip
        parts.append(svg.legend([(f, marks[f]) for f in names]))
    return "".join(parts)


def distance(case: Case) -> float:
    return abs(math.log(case.ratio()))


def breakdown(case: Case) -> str:
    prediction = case.by_model["default"]
    rows = [
        row([escape(r.what), f"{r.count:.4g}" if r.count else "", f"{1e6 * r.time_s:.4g}"]) for r in prediction.rows
    ]
    note = f"<p class='faint'>{escape(prediction.note)}</p>" if prediction.note else ""
    return note + table(("cost", "a work-item", "µs"), rows)


def section_worst(report: Report) -> str:
    """One launch a kernel: the sizes of one mistake would fill the list."""
    chosen: dict[str, Case] = {}
    for case in sorted(report.cases, key=distance, reverse=True):
        if not case.is_left_out:
            chosen.setdefault(case.kernel, case)
    parts = [
        f"<h2>The worst {WORST}</h2><p>The launch of each kernel that is farthest off by the default model, with what "
        "the model made of it (rows may overlap in time and then do not add up). Of the set <i>unseen</i> totals alone "
        "are told.</p>"
    ]
    for case in list(chosen.values())[:WORST]:
        prediction = case.by_model["default"]
        parts.append(
            f'<details><summary><b class="bad">{times(case.ratio())}</b>   {escape(case.id)}   '
            f'<span class="faint">{seconds(prediction.time_s)} predicted, {seconds(case.measured_s)} measured, '
            f"bottleneck {escape(prediction.bottleneck)}</span></summary>{breakdown(case)}</details>"
        )
    return "".join(parts)


def grouped(cases: Sequence[Case], keys: Callable[[Case], list[str]]) -> list[tuple[str, list[Case]]]:
    groups: dict[str, list[Case]] = {}
    for case in cases:
        for key in keys(case):
            groups.setdefault(key, []).append(case)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def group_table(what: str, groups: list[tuple[str, list[Case]]]) -> str:
    rows = []
    for name, cases in groups:
        s = score(cases)
        median = score_median(cases)
        rows.append(row([escape(name), str(s.count), percent(s.within30), percent(s.within15), percent(s.median_error),
                         times(median)]))  # fmt: skip
    return table((what, "launches", "30 %", "x1.5", "median err", "median ratio"), rows)


def score_median(cases: Sequence[Case]) -> float:
    ordered = sorted(case.ratio() for case in cases)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else math.sqrt(ordered[middle - 1] * ordered[middle])


def section_causes(report: Report) -> str:
    by_bottleneck = grouped(report.cases, lambda c: [c.by_model["default"].bottleneck])
    by_pattern = grouped(report.cases, lambda c: c.patterns() or ["no global access"])
    parts = [
        "<h2>By bottleneck</h2><p>What the default model takes for the bottleneck. A bar is the middle half of the "
        "ratios, the stroke in it their median, the line reaches from the 5th to the 95th percentile.</p>"
    ]
    parts.append(svg.spread([(name, [c.ratio() for c in cases]) for name, cases in by_bottleneck]))
    parts.append(group_table("bottleneck", by_bottleneck))
    parts.append(
        "<h2>By access pattern</h2><p>The paper's patterns; a launch counts for each that its kernel has.</p>"
    )
    parts.append(svg.spread([(name, [c.ratio() for c in cases]) for name, cases in by_pattern]))
    parts.append(group_table("pattern", by_pattern))
    return "".join(parts)


def section_families(report: Report) -> str:
    rows = []
    for name in report.sets():
        cases = report.of_set(name)
        rows.append(f'<tr class="set"><td colspan="{len(SCORE_HEADS)}">{escape(name)}</td></tr>')
        rows += [score_row(f, [c for c in cases if c.family == f], "default") for f in families(cases)]
    return f"<h2>By class</h2>{table(SCORE_HEADS, rows, (1,))}"


def section_interval(report: Report) -> str:
    rows = []
    for name in report.sets():
        cases = report.of_set(name)
        groups = [(name, cases), *[(f, [c for c in cases if c.family == f]) for f in families(cases)]]
        for i, (group, members) in enumerate(groups):
            b = interval(members)
            rows.append(row([escape(group), str(len(members)), percent(b.covered), percent(b.below), percent(b.above),
                             times(b.width)], "sum" if i == 0 else ""))  # fmt: skip
    return (
        "<h2>The interval</h2><p>Nominally 90 % of launches end within it: 5 % faster, 5 % slower. Width: high over "
        f"low, the median.</p>{table(('class', 'launches', 'covered', 'faster', 'slower', 'width'), rows)}"
    )


def section_left_out(report: Report) -> str:
    cases = [case for case in report.cases if case.family not in RANDOM_CLASSES]
    names = families(cases)
    if len(names) < 2:
        return ""
    rows = []
    corrected: list[float] = []
    for family in names:
        members = [case for case in cases if case.family == family]
        shift = shift_of_others(cases, family)
        ratios = [case.ratio() / shift for case in members]
        corrected += ratios
        plain, moved = score(members), score_ratios(ratios)
        rows.append(left_out_row(family, plain, moved, times(1 / shift)))
    rows.append(left_out_row("all", score(cases), score_ratios(corrected), "", "sum"))
    heads = ("family left out", "launches", "mean err", "x1.5", "correction", "mean err then", "x1.5 then")
    return (
        "<h2>Families left out</h2><p>Answers are static: coefficients come from micro-benchmarks, and no family has a "
        "part in them. The right half shows what fitting would add: the median of all other families' ratios is "
        f"corrected, and the family itself left out.</p>{table(heads, rows)}"
    )


def left_out_row(name: str, plain: Score, moved: Score, shift: str, style: str = "") -> str:
    return row([escape(name), str(plain.count), percent(plain.mean_error), percent(plain.within15), shift,
                percent(moved.mean_error), percent(moved.within15)], style)  # fmt: skip


def judged(value: str, is_met: bool, is_enough: bool) -> str:
    return f'<span class="{"good" if is_met else "fair" if is_enough else "bad"}">{value}</span>'


def share_judged(share: float, must: float, goal: float, noise: float) -> str:
    """Nobody has to be better than the noise ceiling."""
    if math.isnan(share):
        return "not measured"
    most = 1.0 if math.isnan(noise) else noise
    return judged(percent(share), share >= min(goal, most), share >= min(must, most))


def left_out_of(cases: Sequence[Case], set_name: str) -> list[Case]:
    """Those of the set that is quoted; without it, all."""
    chosen = [case for case in cases if case.set_name == set_name]
    return chosen or list(cases)


def random_goal_rows(cases: Sequence[Case], device_type: str) -> list[str]:
    rows = []
    for kind, paper, shares in RANDOM_GOALS:
        of_kind = [c for c in cases if c.family == kind]
        big = large(of_kind)
        must, goal = shares["gpu" if device_type == "gpu" else "cpu"]
        noise, noise_big = ceiling(of_kind).within30, ceiling(big).within30
        rows.append(goal_row(
            f"{kind} random kernels, within 30 %", paper, percent(must), percent(goal),
            share_judged(score(of_kind).within30, must, goal, noise),
            share_judged(score(big).within30, must - LARGE_LESS, goal, noise_big), percent(noise),
        ))  # fmt: skip
    return rows


def real_goal_rows(real: Sequence[Case], name: str) -> list[str]:
    whole, noise, big, rho = score(real), ceiling(real), score(large(real)), spearman(real)

    def error_judged(error: float) -> str:
        return "not measured" if math.isnan(error) else judged(percent(error), error <= 0.15, error <= 0.25)

    return [
        goal_row(f"{name}: mean error", "17–46 % (others)", "25 %", "15 %", error_judged(whole.mean_error),
                 error_judged(big.mean_error), percent(noise.mean_error)),
        goal_row(f"{name}: within x1.5", "–", "80 %", "90 %", share_judged(whole.within15, 0.8, 0.9, noise.within15),
                 share_judged(big.within15, 0.8, 0.9, noise.within15), percent(noise.within15)),
        goal_row(f"{name}: rank correlation", "–", "0.95", "0.98",
                 "not measured" if math.isnan(rho) else judged(f"{rho:.3f}", rho >= 0.98, rho >= 0.95)),
    ]  # fmt: skip


def interval_goal_rows(cases: Sequence[Case], name: str) -> list[str]:
    if not cases:
        return []
    bounds = interval(cases)
    return [
        goal_row(f"{name}: the 90 % interval covers", "–", "85–95 %", "87–93 %",
                 judged(percent(bounds.covered), 0.87 <= bounds.covered <= 0.93, 0.85 <= bounds.covered <= 0.95)),
        goal_row(f"{name}: its width, high over low", "–", "x3", "x2",
                 judged(times(bounds.width), bounds.width <= 2, bounds.width <= 3)),
    ]  # fmt: skip


# What times of single launches do not tell, and what does.
OTHER_GOALS = (
    ("after 1 / 3 / 10 runs, same launch: median error", "5 / 3 / 2 %", "tests/accuracy/refine"),
    ("unseen size, three sizes seen: median error", "7 %", "tests/accuracy/refine"),
    ("which of two devices is faster", "97 %", "tests/accuracy/faster"),
    ("cold question, small kernel, 300 lines", "3, 6 ms", "tests/bench/run"),
    ("repeated question over the socket, over a bare echo", "x1.25", "tests/bench/run"),
    ("repeated question in the caller's process", "150 ns", "tests/bench/run"),
    ("pipelined questions, over Redis GETs", "x1", "tests/bench/run"),
    ("daemon's memory, 10,000 kernels known", "32 MB", "tests/bench/run"),
)


def section_goals(report: Report) -> str:
    """The rows of the project's goals (design, section 8) that measured times decide; where to find the others."""
    random = left_out_of([c for c in report.cases if c.family in RANDOM_CLASSES], QUOTED)
    real = [c for c in report.cases if c.set_name in (UNSEEN, "library")]
    unseen = [c for c in real if c.set_name == UNSEEN]
    name = "real kernels left out" if unseen else "library (developed on)"
    seeds = ", ".join(dict.fromkeys(c.set_name for c in random)) or "none"
    rows = random_goal_rows(random, report.device_type) + real_goal_rows(unseen or real, name)
    both = [*random, *(unseen or real)]
    for model in MODELS[1:]:
        gain = score(both).within30 - score(both, model).within30
        here = "not measured" if math.isnan(gain) else judged(f"{100 * gain:.0f}", gain >= 0.2, gain > 0)
        rows.append(goal_row(f"points within 30 % over {model}", "10 (over uncached)", "–", "20", here))
    rows += interval_goal_rows(random, "random") + interval_goal_rows(unseen or real, name)
    if not math.isnan(report.calibration_s):
        most = 15.0 if report.is_quick else 120.0
        took = judged(seconds(report.calibration_s), report.calibration_s <= most, False)
        rows.append(goal_row("calibration" + (", quick" if report.is_quick else ""), "–", "–", seconds(most), took))
    rows += [goal_row(what, "–", "–", goal, where) for what, goal, where in OTHER_GOALS]
    heads = ("", "the paper", "must", "goal", "here", "large ones", "noise ceiling")
    return (
        f"<h2>Against the goals</h2><p>Random kernels: {escape(seeds)}. <i>Must</i> is four points lower over large "
        "launches, and nothing has to be better than the noise ceiling. Green: the goal; "
        f"black: must; red: neither.</p>{table(heads, rows)}"
    )


def goal_row(what: str, paper: str, must: str, goal: str, here: str, big: str = "–", noise: str = "–") -> str:
    return row([escape(what), paper, must, goal, here, big, noise])


def section_failures(report: Report) -> str:
    if not report.failures:
        return ""
    lines = "".join(f"<li>{escape(line)}</li>" for line in report.failures[:50])
    return f"<h2>Without a prediction</h2><ul>{lines}</ul>"


def page(report: Report) -> str:
    bases = Counter(case.by_model["default"].basis for case in report.cases)
    counted = ", ".join(f"{count} {basis}" for basis, count in bases.most_common())
    empty = "" if math.isnan(report.empty_s) else f" An empty launch takes {seconds(report.empty_s)}."
    body = "".join(
        section(report)
        for section in (
            section_goals, section_summary, section_histograms, section_scatter, section_families, section_worst,
            section_causes, section_interval, section_left_out, section_failures,
        )
    )  # fmt: skip
    about = tag(
        "p",
        f"{report.name}: {len(report.cases)} launches of {len({c.kernel for c in report.cases})} kernels measured. "
        f"Answers: {counted}.{empty}",
        class_="faint",
    )
    return document(report.device, about, Markup(body), style=STYLE)
