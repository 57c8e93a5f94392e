# SPDX-License-Identifier: Apache-2.0
"""The parts of a page about a kernel, in the order in which a reader asks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, Sequence

from ..page import Markup, list_of, number, percent, section, seconds, table, tag
from ..page.svg import FAINT, INK, Chart, bars, colour, legend, padded
from ..sweep import Point
from ..tune.space import Problem
from ..values import Device
from .work import LEVEL_NAMES, Work, bound_of, ceilings_of, least_time_s, portability, work_of

SOURCE_LINES_MAX = 2000


@dataclass(frozen=True)
class Shown:
    """A point with what its launch is."""

    point: Point
    items: int
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]

    @property
    def work(self) -> Optional[Work]:
        return None if self.point.prediction is None else work_of(self.point.prediction, self.items)


def _sizes(sizes: Sequence[int]) -> str:
    """Without what follows of ones."""
    kept = list(sizes)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "×".join(map(str, kept))


def _short(name: str) -> str:
    return name if len(name) <= 26 else name[:25] + "…"


def _label(shown: Shown) -> str:
    names = shown.point.names
    if list(names) == ["case"]:
        return str(names["case"])
    return ", ".join(f"{name} {value}" for name, value in names.items()) or _sizes(shown.global_size)


def _figure(drawn: Markup, caption: str, more: Markup = Markup("")) -> Markup:
    return tag("figure", tag("div", drawn, class_="wide"), more, tag("figcaption", caption))


def about(devices: Sequence[Device]) -> Markup:
    rows = []
    for one in devices:
        state = [word for word, holds in (("away", not one.is_present), ("quick calibration", one.is_quick), ("busy when calibrated", one.was_busy),
                                          ("driver changed since", one.is_stale), (f"borrowed from {one.borrowed_nodes} nodes", one.borrowed_nodes > 0)) if holds]  # fmt: skip
        known = one.coefficients
        fused = known.get("op.vector.float.fma.time_s", 0)
        rows.append(
            [
                one.name, one.type, one.compute_units, number(2 / fused if fused > 0 else math.nan, "FLOP/s"),
                number(known.get("memory.dram.read_bytes_per_s", math.nan), "B/s"),
                seconds(known.get("launch.base.time_s", math.nan)), one.driver, ", ".join(state) or "–",
            ]
        )  # fmt: skip
    heads = ["device", "type", "units", "float, found", "memory, found", "empty kernel", "driver", "state"]
    doubts = [tag("p", f"{one.name}: doubted: {doubt}", class_="faint") for one in devices for doubt in one.doubts]
    return list_of([table(heads, rows, words=(0, 1, 6, 7)), *doubts])


# ---- rooflines -----------------------------------------------------------------------------------


def _roofline(device: Device, shown: Sequence[Shown], shade: str) -> Optional[Markup]:
    placed = []
    for one in shown:
        work = one.work
        if work is not None and work.operations > 0 and math.isfinite(work.intensity) and one.point.prediction is not None:
            placed.append((one, work))
    if not placed:
        return None
    type_name = placed[-1][1].type
    functions = set().union(*(work.functions for _, work in placed))
    ceilings = ceilings_of(device, type_name, functions)
    peak = max((one.rate for one in ceilings if not one.is_slanted), default=0)
    if peak <= 0:
        return None
    rates = [work.operations / one.point.time_s for one, work in placed]
    rates += [work.operations / one.point.measured_s for one, work in placed if math.isfinite(one.point.measured_s)]
    slants = [one.rate for one in ceilings if one.is_slanted]
    ridge = peak / min(slants) if slants else 1
    x = padded([*(work.intensity for _, work in placed), ridge, 0.1])
    y = padded([*rates, peak, *(one.rate for one in ceilings if not one.is_slanted)])
    unit = "FLOP" if type_name != "int" else "op"
    chart = Chart(
        f"Roofline of {device.name}", x, y, f"arithmetic intensity, {unit}/byte", f"{unit}/s",
        lambda value: f"{value:g}", number, right=230,
    )  # fmt: skip
    for ceiling in sorted(ceilings, key=lambda one: -one.rate):
        stroke = INK if ceiling.is_outer else FAINT
        dash = "" if ceiling.is_outer else "5 4"
        if ceiling.is_slanted:
            # to where the highest ceiling cuts it
            ends = min(x[1], peak / ceiling.rate)
            if ends > x[0]:
                chart.segment((x[0], x[0] * ceiling.rate), (ends, ends * ceiling.rate), stroke, dash)
                words = f"{ceiling.name}, {number(ceiling.rate, 'B/s')}"
                if not chart.label_inside(x[0] * ceiling.rate, words):
                    chart.label(min(peak, ceiling.rate * ends), words)
        else:
            starts = max(x[0], ceiling.rate / max(slants)) if slants else x[0]
            if starts < x[1]:
                chart.segment((starts, ceiling.rate), (x[1], ceiling.rate), stroke, dash)
                chart.label(ceiling.rate, f"{ceiling.name}, {number(ceiling.rate)}")
    for one, work in placed:
        prediction = one.point.prediction
        assert prediction is not None
        words = f"{_label(one)}: {seconds(prediction.kernel_time_s)}, {number(work.operations / prediction.kernel_time_s, unit + '/s')}"
        chart.point(work.intensity, work.operations / prediction.kernel_time_s, shade, words,
                    work.operations / prediction.high_s, work.operations / prediction.low_s)  # fmt: skip
        if math.isfinite(one.point.measured_s):
            chart.point(work.intensity, work.operations / one.point.measured_s, shade,
                        f"{_label(one)}: measured {seconds(one.point.measured_s)}", is_hollow=True)  # fmt: skip
    levels = sorted({LEVEL_NAMES[work.level] for _, work in placed})
    caption = (
        f"{device.name}. Each point is a size, with its 90 % interval; bytes are those from {' or '.join(levels)}, "
        f"the lowest level that moves any. A fused multiply-add is two {unit}s, a function one."
    )
    if any(math.isfinite(one.point.measured_s) for one in shown):
        caption += " Hollow points were measured."
    return _figure(chart.svg(), caption)


# ---- over sizes and devices ----------------------------------------------------------------------


def _across(problem: Problem) -> Optional[str]:
    """The first name whose values are numbers above 0, and more than one."""
    for one in problem.space.parameters:
        if len(one.values) > 1 and all(isinstance(value, (int, float)) and value > 0 for value in one.values):
            return one.name
    return None


def _times(problem: Problem, devices: Sequence[Device], shown: Sequence[Shown]) -> Optional[Markup]:
    across = _across(problem)
    known = [one for one in shown if one.point.prediction is not None]
    if across is None or len(known) < 2:
        return None
    values = [float(one.point.names[across]) for one in known]
    times = [one.point.time_s for one in known] + [one.point.measured_s for one in known if math.isfinite(one.point.measured_s)]
    chart = Chart("Time over " + across, padded(values, 1.3), padded(times), across, "time", lambda value: number(value), seconds, height=380)
    for place, device in enumerate(devices):
        own = [one for one in known if one.point.device == device.key]
        for one in own:
            prediction = one.point.prediction
            assert prediction is not None
            x = float(one.point.names[across])
            chart.point(x, prediction.kernel_time_s, colour(place), f"{device.name}, {_label(one)}: {seconds(prediction.kernel_time_s)}",
                        prediction.low_s, prediction.high_s)  # fmt: skip
            if math.isfinite(one.point.measured_s):
                chart.point(x, one.point.measured_s, colour(place), f"{device.name}, {_label(one)}: measured {seconds(one.point.measured_s)}",
                            is_hollow=True)  # fmt: skip
        if own:
            chart.label(own[-1].point.time_s, _short(device.name), colour(place))
    shades = [(one.name, colour(place)) for place, one in enumerate(devices)]
    return _figure(chart.svg(), f"Predicted times over {across}, with 90 % intervals.", legend(shades))


def _efficiency(device: Device, shown: Shown) -> Optional[float]:
    """The least time that the roofline allows, over the predicted one."""
    work = shown.work
    least = least_time_s(device, work) if work is not None else None
    return None if least is None or shown.point.prediction is None else min(1.0, least / shown.point.time_s)


def _table(devices: Sequence[Device], shown: Sequence[Shown]) -> Markup:
    by_key = {one.key: one for one in devices}
    is_measured = any(math.isfinite(one.point.measured_s) or one.point.measured_why for one in shown)
    rows = []
    for one in shown:
        device, prediction, work = by_key[one.point.device], one.point.prediction, one.work
        row: list[object] = [_label(one), _short(device.name), _sizes(one.global_size)]
        if prediction is None or work is None:
            rows.append([*row, "–", "–", one.point.why, *[""] * (4 + 2 * is_measured)])
            continue
        moved = work.bytes_from.get("dram", 0)
        memory = device.coefficients.get("memory.dram.read_bytes_per_s", math.nan)
        bound = bound_of(device, work)
        rate = work.operations / prediction.kernel_time_s
        row += [_sizes([n for n in prediction.local_size if n] or one.local_size), seconds(prediction.kernel_time_s),
                f"{seconds(prediction.low_s)} – {seconds(prediction.high_s)}", prediction.bottleneck]  # fmt: skip
        row += [f"{number(moved / prediction.kernel_time_s, 'B/s')}, {percent(moved / prediction.kernel_time_s / memory)}",
                f"{number(rate, 'FLOP/s' if work.type != 'int' else 'op/s')}, {percent(rate / bound) if bound else '–'}",
                seconds(prediction.launch_time_s)]  # fmt: skip
        if is_measured:
            row += [one.point.measured_why or seconds(one.point.measured_s), percent(prediction.kernel_time_s / one.point.measured_s - 1)]
        rows.append(row)
    heads = ["launch", "device", "NDRange", "group", "predicted", "90 % interval", "follows", "from memory", "operations", "to start", *(["measured", "error"] if is_measured else [])]  # fmt: skip
    words = (
        "Shares are of the bandwidth that calibration found, and of the rate that the roofline allows; a launch takes the time "
        "from enqueue to start besides."
    )
    return list_of([table(heads, rows, words=(0, 1, 6)), tag("p", words, class_="faint")])


def _relative(devices: Sequence[Device], shown: Sequence[Shown]) -> Optional[Markup]:
    """Over devices: how near each is to the fastest, and to what its roofline allows."""
    if len(devices) < 2:
        return None
    launches: dict[str, dict[str, Shown]] = {}
    for one in shown:
        launches.setdefault(_label(one), {})[one.point.device] = one
    rows = []
    for label, by_device in launches.items():
        times = {key: one.point.time_s for key, one in by_device.items() if one.point.prediction is not None}
        if not times:
            continue
        fastest = min(times.values())
        own = [by_device.get(one.key) for one in devices]
        near = [fastest / times[one.key] if one.key in times else None for one in devices]
        allowed = [_efficiency(device, one) if one is not None else None for device, one in zip(devices, own)]
        cells = [f"{percent(a) if a else '–'}, {percent(b) if b else '–'}" for a, b in zip(near, allowed)]
        rows.append([label, *cells, percent(portability(near)), percent(portability(allowed))])
    heads = ["launch", *(_short(one.name) for one in devices), "portability, by the fastest", "by the roofline"]
    return list_of(
        [
            table(heads, rows),
            tag("p", "Of each device: its performance beside the fastest device's, and beside what its roofline allows. Portability is the "
                     "harmonic mean over devices (Pennycook et al., 2016), and 0 where one of them cannot run the launch.", class_="faint"),
        ]
    )  # fmt: skip


# ---- where the time goes -------------------------------------------------------------------------


def _rows(one: Shown) -> Markup:
    prediction = one.point.prediction
    assert prediction is not None
    costs = [row for row in prediction.rows if row.time_s > 0]
    longest = sorted(costs, key=lambda row: -row.time_s)[:14]
    follows = sorted(prediction.elasticities.items(), key=lambda pair: -abs(pair[1]))
    drawn = bars("What each would take alone", [(row.what, row.time_s, f"{seconds(row.time_s)}", colour(0)) for row in longest])
    followed = bars("What the time follows", [(name, max(share, 0), percent(share), colour(2)) for name, share in follows if share > 0.005])
    notes = [tag("p", note) for note in filter(None, [prediction.note, *prediction.warnings])]
    return list_of(
        [
            _figure(drawn, "Each row by itself, as if the launch did nothing else; they overlap, so that their sum is more than the launch."),
            _figure(followed, "The time follows: where 1 % of a resource makes 0.4 % of the launch, it says 40 %.") if follows else "",
            *notes,
        ]
    )


def _time_goes(devices: Sequence[Device], shown: Sequence[Shown]) -> list[object]:
    parts: list[object] = []
    for device in devices:
        own = [one for one in shown if one.point.device == device.key and one.point.prediction is not None]
        if not own:
            continue
        largest = max(own, key=lambda one: one.point.time_s)
        parts += [tag("h3", f"{device.name}, {_label(largest)}: {seconds(largest.point.time_s)}"), _rows(largest)]
        others = [one for one in own if one is not largest]
        if others:
            smallest = min(others, key=lambda one: one.point.time_s)
            parts.append(tag("details", tag("summary", f"{_label(smallest)}: {seconds(smallest.point.time_s)}"), _rows(smallest)))
    return parts


# ---- lines, occupancy, events --------------------------------------------------------------------


def _largest(device: Device, shown: Sequence[Shown]) -> Optional[Shown]:
    own = [one for one in shown if one.point.device == device.key and one.point.prediction is not None]
    return max(own, key=lambda one: one.point.time_s) if own else None


def _cost(share: float, time_s: float, shade: str) -> Markup:
    """A cell whose heat is its share of the kernel's time."""
    heat = round(70 * share**0.5)
    style = f"background:color-mix(in srgb,{shade} {heat}%,transparent)"
    return tag("td", percent(share) if share >= 0.0005 else "<0.1 %", style=style, title=seconds(time_s))


def _heat(devices: Sequence[Device], shown: Sequence[Shown], text: str) -> list[object]:
    """The source, and beside each line its share of the longest launch on each device."""
    told = []  # of each device: its costs by file and line
    for place, device in enumerate(devices):
        one = _largest(device, shown)
        prediction = one.point.prediction if one is not None else None
        if one is not None and prediction is not None and prediction.lines:
            told.append((colour(place), device, one, prediction, {(cost.file, cost.line): cost for cost in prediction.lines}))
    lines = [one.rstrip("\r") for one in text.lstrip("\ufeff").split("\n")]
    if lines[-1] == "":
        lines.pop()  # of the last line's end

    def cells(file: str, line: int) -> list[Markup]:
        made = []
        for shade, _, _, prediction, costs in told:
            cost = costs.get((file, line))
            made.append(_cost(cost.time_s / prediction.kernel_time_s, cost.time_s, shade) if cost is not None else tag("td"))
        return made

    rows = [
        tag("tr", *cells("", number_of), tag("td", number_of, class_="faint"), tag("td", code, class_="code"))
        for number_of, code in enumerate(lines[:SOURCE_LINES_MAX], 1)
    ]
    if len(lines) > SOURCE_LINES_MAX:
        rows.append(tag("tr", *[tag("td")] * (len(told) + 1), tag("td", f"and {len(lines) - SOURCE_LINES_MAX} lines more", class_="code")))
    others = sorted({key for *_, costs in told for key in costs if key[0]})
    for file, line in others:
        rows.append(tag("tr", *cells(file, line), tag("td", line, class_="faint"), tag("td", file, class_="code")))
    heads = [*(tag("td", _short(device.name), class_="faint") for _, device, *_ in told), tag("td"), tag("td")]
    body = tag("div", tag("table", tag("tr", *heads), *rows, class_="source"), class_="wide")
    words = []
    for _, device, largest, prediction, _ in told:
        rest = f", {percent(prediction.lines_rest_s / prediction.kernel_time_s)} to further lines" if prediction.lines_rest_s > 0 else ""
        words.append(
            f"{_short(device.name)}, {_label(largest)}: {percent(prediction.lines_elsewhere_s / prediction.kernel_time_s)} "
            f"belongs to no line, as the launch and work-groups{rest}."
        )
    if told:
        words.append("Where all that a line does takes 1 % longer, the kernel takes that share of 1 % longer.")
    return [body, *(tag("p", sentence, class_="faint") for sentence in words)]


def _occupancy(devices: Sequence[Device], shown: Sequence[Shown]) -> Optional[Markup]:
    by_key = {one.key: one for one in devices}
    rows = []
    for one in shown:
        prediction = one.point.prediction
        fills = prediction.occupancy if prediction is not None else None
        if prediction is None or fills is None:
            continue
        items = math.prod(n for n in prediction.local_size if n)
        group = f"{items}, no multiple" if fills.multiple > 1 and items % fills.multiple else f"{items}"
        rows.append(
            [
                _label(one), _short(by_key[one.point.device].name), percent(fills.share), f"{fills.groups:.0f}", fills.limit, group,
                f"{fills.multiple}" if fills.multiple > 1 else "any", f"{fills.registers}" if fills.registers else "–",
                number(fills.local_bytes, "B"),
            ]
        )  # fmt: skip
    if not rows:
        return None
    heads = ["launch", "device", "occupancy", "groups of a unit", "limited by", "group", "preferred multiple", "registers", "local memory"]
    words = (
        "Occupancy: of a GPU the share of a unit's room for work-items that is taken, of a CPU the share of its cores that have a "
        "work-group. Registers are an upper bound, as of a work-item. The preferred multiple is what runs in lockstep: a warp, or a vector."
    )
    return list_of([table(heads, rows, words=(0, 1, 4)), tag("p", words, class_="faint")])


EVENTS = ("queued to submitted", "submitted to start", "start to end")


def _events(devices: Sequence[Device], shown: Sequence[Shown]) -> Optional[Markup]:
    """Where runs were observed: what lies between a launch's four event times."""
    by_key = {one.key: one for one in devices}
    rows: list[list[object]] = []
    for one in shown:
        if len(one.point.events_s) != len(EVENTS) or one.point.prediction is None:
            continue
        to_start = one.point.prediction.launch_time_s
        rows.append([_label(one), _short(by_key[one.point.device].name), *map(seconds, one.point.events_s), seconds(to_start)])
    if not rows:
        return None
    words = "Medians of runs one behind the other, by the device's clock. Predicted to start: from queued, on an idle device."
    return list_of(
        [table(["launch", "device", *EVENTS, "predicted to start"], rows, words=(0, 1)), tag("p", words, class_="faint")]
    )


def kernel_sections(
    name: str, problem: Problem, devices: Sequence[Device], shown: Sequence[Shown], text: str, is_alone: bool
) -> list[object]:
    parts: list[object] = []
    if not is_alone:
        parts.append(tag("h2", name))
    rooflines = []
    for place, device in enumerate(devices):
        drawn = _roofline(device, [one for one in shown if one.point.device == device.key], colour(place))
        if drawn is not None:
            rooflines.append(drawn)
    timed = _times(problem, devices, shown)
    parts.append(section("Launches", *([timed] if timed is not None else []), _table(devices, shown)))
    if rooflines:
        parts.append(section("Rooflines", *rooflines))
    relative = _relative(devices, shown)
    if relative is not None:
        parts.append(section("Devices beside each other", relative))
    parts.append(section("Where the time goes", *_time_goes(devices, shown)))
    for title, made in (("Occupancy", _occupancy(devices, shown)), ("Event times", _events(devices, shown))):
        if made is not None:
            parts.append(section(title, made))
    parts.append(section("Source", *_heat(devices, shown, text)))
    return parts
