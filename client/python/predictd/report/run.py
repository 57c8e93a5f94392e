# SPDX-License-Identifier: Apache-2.0
"""One page about a run of a program: what `predictctl run --json` wrote. It is read as hostile input."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Iterator, Sequence

from ..errors import Invalid
from ..page import Markup, document, number, percent, section, seconds, table, tag
from ..page.svg import FAINT, Chart, bars, colour, legend, padded
from ..files import read_json

BYTES_MAX = 64 << 20
KERNELS_MAX = 200  # shown, of the longest
SHAPES_MAX = 400
BARS_MAX = 16


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300 else math.nan


def _text(value: Any) -> str:
    return value[:200] if isinstance(value, str) else "–"


def _list(value: Any, key: str) -> Iterator[dict[str, Any]]:
    """The objects of a list; what is none is left out."""
    found = value.get(key)
    return (one for one in (found if isinstance(found, list) else ()) if isinstance(one, dict))


def _count(value: Any) -> str:
    found = _number(value)
    return "–" if not math.isfinite(found) else f"{found:.0f}"


def _sizes(value: Any) -> str:
    return "×".join(_count(one) for one in value[:3]) if isinstance(value, list) and value else "–"


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"


def _read(path: Path) -> dict[str, Any]:
    value = read_json(path, BYTES_MAX)
    if not isinstance(value, dict) or value.get("schema") != 1 or not isinstance(value.get("kernels"), list):
        raise Invalid(f"{path}: want what `predictctl run --json` writes, schema 1")
    return value


def _summary(run: dict[str, Any]) -> Markup:
    launches = _number(run.get("launches"))
    shares = [("launches", "predicted_launches"), ("distinct", "predicted_distinct")]
    rows = [
        ["launches", _count(run.get("launches"))],
        ["kernels' time, observed", seconds(_number(run.get("kernel_time_s")))],
        ["the program's time", seconds(_number(run.get("time_s")))],
        ["exit status", _count(run.get("exit_status"))],
    ]
    for whole, part in shares:
        all_of, some = _number(run.get(whole)), _number(run.get(part))
        if all_of > 0:
            what = "launches" if whole == "launches" else "kernels with their sizes"
            rows.append([f"{what}, predicted", f"{_count(some)}, {percent(some / all_of)}"])
    if not launches > 0:
        rows.append(["", "the program launched nothing"])
    return table(["", ""], rows, words=(0,))


def _ratios(kernels: Sequence[dict[str, Any]]) -> list[object]:
    """Predicted over observed, a point a shape."""
    points = []
    for kernel in kernels:
        for shape in _list(kernel, "shapes"):
            predicted = shape.get("predicted")
            time_s, observed_s = _number(predicted.get("time_s") if isinstance(predicted, dict) else None), _number(shape.get("observed_time_s"))
            if 0 < time_s < 1e9 and 0 < observed_s < 1e9:
                words = f"{_short(_text(kernel.get('name')))}, {_sizes(shape.get('global'))}: predicted {seconds(time_s)}, took {seconds(observed_s)}"
                points.append((observed_s, time_s, _text(kernel.get("device_key")), words))
    if not points:
        return []
    points = points[:SHAPES_MAX]
    axis = padded([one for x, y, _, _ in points for one in (x, y)])
    chart = Chart("Predicted over observed times", axis, axis, "observed", "predicted", seconds, seconds, height=460, right=120)
    chart.segment((axis[0], axis[0]), (axis[1], axis[1]), FAINT)
    for factor in (1 / 1.5, 1.5):
        low, high = max(axis[0], axis[0] / factor), min(axis[1], axis[1] / factor)
        chart.segment((low, low * factor), (high, high * factor), FAINT, "5 4")
    keys = list(dict.fromkeys(key for _, _, key, _ in points))
    for x, y, key, words in points:
        chart.point(x, y, colour(keys.index(key)), words)
    by_key = {_text(one.get("device_key")): _text(one.get("device")) for one in kernels}
    shades = [(by_key[key], colour(place)) for place, key in enumerate(keys)]
    caption = "Each point is a kernel with its sizes. On the line the first answer was right; dashed: a factor of 1.5."
    return [section("Predicted and observed", tag("figure", tag("div", chart.svg(), class_="wide"), legend(shades), tag("figcaption", caption)))]


def _kernels(kernels: Sequence[dict[str, Any]]) -> list[object]:
    longest = [one for one in kernels if _number(one.get("total_time_s")) > 0][:BARS_MAX]
    parts: list[object] = []
    if longest:
        drawn = [
            (_text(one.get("name")), _number(one.get("total_time_s")),
             f"{seconds(_number(one.get('total_time_s')))}, {percent(_number(one.get('share')))}", colour(0))
            for one in longest
        ]  # fmt: skip
        parts.append(tag("figure", tag("div", bars("Total time of each kernel", drawn), class_="wide"), tag("figcaption", "All launches of each kernel, as observed.")))
    rows: list[list[object]] = []
    for one in kernels[:KERNELS_MAX]:
        for shape in list(_list(one, "shapes"))[:8]:
            predicted = shape.get("predicted")
            answer = predicted if isinstance(predicted, dict) else {}
            ratio = _number(shape.get("ratio"))
            why = _text(shape.get("why")) if not answer else _text(answer.get("bottleneck"))
            rows.append(
                [
                    _short(_text(one.get("name"))), _short(_text(one.get("device"))), _sizes(shape.get("global")), _sizes(shape.get("local")),
                    _count(shape.get("launches")), seconds(_number(answer.get("time_s"))), seconds(_number(shape.get("observed_time_s"))),
                    "–" if not math.isfinite(ratio) else f"{ratio:.2f}", seconds(_number(shape.get("total_time_s"))), why,
                ]
            )  # fmt: skip
            if len(rows) == SHAPES_MAX:
                break
    heads = ["kernel", "device", "NDRange", "group", "launches", "predicted", "observed", "ratio", "total", "follows"]
    parts.append(table(heads, rows, words=(0, 1, 9), long=(9,)))
    return [section("Kernels", *parts)]


def _devices(run: dict[str, Any]) -> list[object]:
    """Busy and idle, how long launches waited, and transfers."""
    rows, copies = [], []
    for one in _list(run, "devices"):
        name = _short(_text(one.get("name")))
        rows.append(
            [
                name, _count(one.get("launches")), seconds(_number(one.get("kernel_time_s"))), seconds(_number(one.get("span_s"))),
                seconds(_number(one.get("idle_s"))), seconds(_number(one.get("unqueued_s"))), _count(one.get("launches_when_idle")),
                seconds(_number(one.get("launch_time_s"))),
            ]
        )  # fmt: skip
        for kind in _list(one, "transfers"):
            copies.append([name, _text(kind.get("kind")), _count(kind.get("count")), number(_number(kind.get("bytes")), "B"),
                           seconds(_number(kind.get("time_s"))), number(_number(kind.get("bytes_per_s")), "B/s")])  # fmt: skip
    heads = ["device", "launches", "kernels", "first start to last end", "idle", "of that, nothing queued", "launches when idle", "queued to start"]
    parts: list[object] = [table(heads, rows)]
    if copies:
        parts.append(table(["device", "copies", "count", "bytes", "time", "rate"], copies, words=(0, 1)))
    parts.append(tag("p", "Queued to start: the median of launches that found the device idle, which waited for no other.", class_="faint"))
    return [section("Devices", *parts)]


def run_page(path: Path, title: str = "") -> str:
    """The page of a run; every text of it is taken for one."""
    run = _read(path)
    kernels = list(_list(run, "kernels"))
    name = _text(run.get("program"))
    unpredicted = [[_text(one.get("why")), _count(one.get("launches")), _count(one.get("shapes"))] for one in _list(run, "unpredicted")][:50]
    parts: list[object] = [_summary(run), *_kernels(kernels), *_ratios(kernels), *_devices(run)]
    if unpredicted:
        parts.append(section("Without a prediction", table(["why", "launches", "kernels with sizes"], unpredicted, long=(0,))))
    return document(title or f"{name.rsplit('/', 1)[-1]}: a run", *parts)
