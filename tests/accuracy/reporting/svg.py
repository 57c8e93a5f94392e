# SPDX-License-Identifier: Apache-2.0
"""Drawings as SVG text: histograms, scatter plots, bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from predictd.page import Markup
from predictd.page import svg as page_svg
from predictd.page.svg import FAINT, GRID, INK

COLOURS = {"default": "var(--c0)", "pattern": "var(--c1)", "uncached": "var(--c7)"}
FAMILY_COLOURS = page_svg.COLOURS
BAND = "color-mix(in srgb,var(--good) 12%,transparent)"

# The edges of the paper's Fig. 6; the last bin is open.
EDGES = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.3, 1.5, 2.0)


def text(x: float, y: float, words: str, anchor: str = "middle", size: int = 11, fill: str = FAINT) -> str:
    return page_svg.text(x, y, words, anchor, size, fill)


def drawing(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    whole = page_svg.drawing(width, height, title, [Markup(one) for one in parts])
    return whole.replace("<svg ", f'<svg style="width:{width}px" ', 1)


def bin_counts(ratios: Sequence[float]) -> list[int]:
    counts = [0] * len(EDGES)
    for ratio in ratios:
        counts[max(i for i, edge in enumerate(EDGES) if ratio >= edge)] += 1
    return counts


def histogram(title: str, ratios: Sequence[float], colour: str, highest: float) -> str:
    """Shares of predicted / measured in the paper's bins; `highest` share is the axis' end."""
    width, height, left, top, bottom = 330, 190, 38, 26, 44
    counts = bin_counts(ratios)
    step = (width - left - 6) / len(counts)
    scale = (height - top - bottom) / highest
    base = height - bottom
    inside = [i for i, edge in enumerate(EDGES) if 0.7 <= edge < 1.3]
    parts = [
        f'<rect x="{left + inside[0] * step:.1f}" y="{top}" width="{len(inside) * step:.1f}" '
        f'height="{base - top}" fill="{BAND}"/>',
        text(left, 14, title, "start", 12, INK),
    ]
    tick = 0.1 if highest <= 0.55 else 0.2
    for i in range(int(highest / tick + 1e-9) + 1):
        y = base - i * tick * scale
        parts.append(f'<line x1="{left}" x2="{width - 6}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GRID}"/>')
        parts.append(text(left - 5, y + 4, f"{100 * i * tick:.0f} %", "end", 10))
    for i, count in enumerate(counts):
        share = count / max(1, len(ratios))
        x, y = left + i * step, base - share * scale
        parts.append(
            f'<rect class="bin" x="{x + 1:.1f}" y="{y:.1f}" width="{step - 2:.1f}" height="{base - y:.1f}" '
            f'fill="{colour}"><title>{count} launches</title></rect>'
        )
        parts.append(text(x, base + 13, f"{EDGES[i]:g}", size=9))
    parts.append(text(left + len(counts) * step - 2, base + 13, "∞", size=10))
    parts.append(text(left + (width - left) / 2, height - 12, "predicted / measured", size=10))
    return drawing(width, height, title, parts)


def decades(low: float, high: float) -> list[int]:
    return list(range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1))


def time_label(exponent: int) -> str:
    for unit, power in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9)):
        if exponent >= power:
            return f"{10 ** (exponent - power):g} {unit}"
    return f"1e{exponent} s"


def count_label(exponent: int) -> str:
    for unit, power in (("G", 9), ("M", 6), ("k", 3)):
        if exponent >= power:
            return f"{10 ** (exponent - power):g} {unit}"
    return f"{10**exponent:g}"


@dataclass(frozen=True)
class Mark:
    """How the dots of a family look, and their square in the legend."""

    dot: str
    square: str


def family_mark(i: int) -> Mark:
    """Full, then hollow, then full with an edge: colours alone are too few for all families."""
    colour, kind = FAMILY_COLOURS[i % len(FAMILY_COLOURS)], i // len(FAMILY_COLOURS) % 3
    if kind == 0:
        return Mark(f'fill="{colour}" fill-opacity="0.65"', f"background:{colour}")
    if kind == 1:
        return Mark(f'fill="none" stroke="{colour}" stroke-width="1.3"', f"box-shadow:inset 0 0 0 2px {colour}")
    return Mark(
        f'fill="{colour}" stroke="{INK}" stroke-width="0.9"', f"background:{colour};box-shadow:inset 0 0 0 1.5px {INK}"
    )


Point = tuple[float, float, Mark, str]  # x, y, how it looks, words


def scatter(title: str, points: Sequence[Point], x_title: str, y_title: str, is_ratio: bool) -> str:
    """Both axes logarithmic; y is a ratio around one, or a time against the diagonal."""
    width, height, left, top, bottom, right = 520, 360, 58, 26, 44, 24
    xs = decades(min(p[0] for p in points), max(p[0] for p in points))
    low_x, high_x = xs[0], max(xs[-1], xs[0] + 1)
    low_y, high_y = float(low_x), float(high_x)
    if is_ratio:
        reach = max(1.0, max(abs(math.log10(p[1])) for p in points))
        low_y, high_y = -reach, reach

    def at_x(value: float) -> float:
        return left + (math.log10(value) - low_x) / (high_x - low_x) * (width - left - right)

    def at_y(value: float) -> float:
        clipped = min(max(math.log10(value), low_y), high_y)
        return height - bottom - (clipped - low_y) / (high_y - low_y) * (height - top - bottom)

    parts = [text(left, 14, title, "start", 12, INK)]
    for exponent in range(low_x, high_x + 1):
        x = at_x(10.0**exponent)
        label = count_label(exponent) if is_ratio else time_label(exponent)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{height - bottom}" stroke="{GRID}"/>')
        parts.append(text(x, height - bottom + 14, label, size=10))
    if is_ratio:
        band = at_y(1 / 1.5) - at_y(1.5)
        parts.insert(0, f'<rect x="{left}" y="{at_y(1.5):.1f}" width="{width - left - right}" height="{band:.1f}" fill="{BAND}"/>')
        marks = [m for m in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low_y <= math.log10(m) <= high_y]
        for mark in marks:
            y = at_y(mark)
            stroke = INK if mark == 1 else GRID
            parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{stroke}"/>')
            parts.append(text(left - 6, y + 4, f"x{mark:g}", "end", 10))
    else:
        for exponent in range(low_x, high_x + 1):
            y = at_y(10.0**exponent)
            parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GRID}"/>')
            parts.append(text(left - 6, y + 4, time_label(exponent), "end", 10))
        ends = (10.0**low_x, 10.0**high_x)
        parts.append(
            f'<line x1="{at_x(ends[0]):.1f}" y1="{at_y(ends[0]):.1f}" x2="{at_x(ends[1]):.1f}" '
            f'y2="{at_y(ends[1]):.1f}" stroke="{INK}"/>'
        )
    for x, y, mark_of_point, words in points:
        parts.append(
            f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="2.6" {mark_of_point.dot}>'
            f"<title>{escape(words)}</title></circle>"
        )
    parts.append(text((left + width - right) / 2, height - 12, x_title, size=10))
    parts.append(
        f'<g transform="translate(11 {(top + height - bottom) / 2:.0f}) rotate(-90)">{text(0, 0, y_title, size=10)}</g>'
    )
    return drawing(width, height, title, parts)


def legend(names: Sequence[tuple[str, Mark]]) -> str:
    """Names with their marks, as HTML."""
    return (
        '<p class="legend">'
        + "".join(f'<span><i style="{mark.square}"></i>{escape(name)}</span>' for name, mark in names)
        + "</p>"
    )


def spread(groups: Sequence[tuple[str, Sequence[float]]]) -> str:
    """By group: the ratios' 5th to 95th percentile as a line, the middle half as a bar, the median."""
    row, left, width, top = 24, 178, 640, 8
    bottom, right = 34, 16
    height = top + row * len(groups) + bottom
    reach = max(0.6, max(abs(math.log10(r)) for _, ratios in groups for r in quantiles(ratios)))

    def at(ratio: float) -> float:
        return left + (math.log10(ratio) + reach) / (2 * reach) * (width - left - right)

    base = height - bottom
    parts = [f'<rect x="{at(1 / 1.5):.1f}" y="{top}" width="{at(1.5) - at(1 / 1.5):.1f}" height="{base - top}" fill="{BAND}"/>']
    for mark in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20):
        if abs(math.log10(mark)) <= reach:
            x = at(mark)
            stroke = INK if mark == 1 else GRID
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{base}" stroke="{stroke}"/>')
            parts.append(text(x, base + 14, f"x{mark:g}", size=10))
    for i, (name, ratios) in enumerate(groups):
        y = top + row * i + row / 2
        p5, p25, p50, p75, p95 = quantiles(ratios)
        parts.append(text(left - 8, y + 4, f"{name} ({len(ratios)})", "end", 11, INK))
        parts.append(f'<line x1="{at(p5):.1f}" x2="{at(p95):.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{FAINT}"/>')
        parts.append(
            f'<rect x="{at(p25):.1f}" y="{y - 6:.1f}" width="{max(1.5, at(p75) - at(p25)):.1f}" height="12" '
            f'fill="{COLOURS["default"]}" fill-opacity="0.55"/>'
        )
        parts.append(f'<line x1="{at(p50):.1f}" x2="{at(p50):.1f}" y1="{y - 8:.1f}" y2="{y + 8:.1f}" stroke="{INK}" stroke-width="2"/>')
    parts.append(text((left + width - right) / 2, height - 4, "predicted / measured", size=10))
    return drawing(width, height, "predicted / measured by group", parts)


def quantiles(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    result = []
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        at = share * (len(ordered) - 1)
        low = int(at)
        high = min(low + 1, len(ordered) - 1)
        result.append(ordered[low] + (at - low) * (ordered[high] - ordered[low]))
    return result
