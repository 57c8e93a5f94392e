# SPDX-License-Identifier: Apache-2.0
"""Drawings as SVG: axes, lines, points, bars. Colours are the page's, so that they follow light and dark."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable, Sequence

from . import Markup, list_of, tag

INK, FAINT, GRID = "var(--ink)", "var(--faint)", "var(--grid)"
COLOURS = tuple(f"var(--c{i})" for i in range(8))


def colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def text(x: float, y: float, words: str, anchor: str = "middle", size: int = 12, fill: str = FAINT) -> Markup:
    return tag("text", words, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, font_size=size, fill=fill)


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = GRID, width: float = 1, dash: str = "") -> Markup:
    more = {"stroke_dasharray": dash} if dash else {}
    return tag("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", stroke=stroke, stroke_width=width, **more)


def drawing(width: int, height: int, title: str, parts: Sequence[Markup]) -> Markup:
    return tag("svg", tag("title", title), *parts, viewBox=f"0 0 {width} {height}", role="img")


def legend(names: Sequence[tuple[str, str]]) -> Markup:
    """Names with their colours."""
    return tag("p", *(tag("span", tag("i", style=f"background:{shade}"), name) for name, shade in names), class_="legend")


def ticks(low: float, high: float) -> list[float]:
    """Of a logarithmic axis: decades, and 2 and 5 where there are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1.0,) if last - first > 3 else (1.0, 2.0, 5.0)
    every = max(1, (last - first) // 8)
    made = [step * 10.0**exponent for exponent in range(first, last + 1, every) for step in steps]
    return [one for one in made if low * 0.999 <= one <= high * 1.001]


@dataclass
class Chart:
    """Two logarithmic axes in a frame. Parts are added in the order in which they cover each other."""

    title: str
    x: tuple[float, float]
    y: tuple[float, float]
    x_title: str
    y_title: str
    x_label: Callable[[float], str]
    y_label: Callable[[float], str]
    width: int = 800
    height: int = 440
    right: int = 200  # room for labels beside the frame
    parts: list[Markup] = field(default_factory=list)
    _labels: list[float] = field(default_factory=list)
    _inside: list[float] = field(default_factory=list)

    LEFT, TOP, BOTTOM = 84, 14, 50

    def __post_init__(self) -> None:
        base = self.height - self.BOTTOM
        for at in ticks(*self.x):
            x = self.at_x(at)
            self.parts += [line(x, self.TOP, x, base), text(x, base + 18, self.x_label(at))]
        for at in ticks(*self.y):
            y = self.at_y(at)
            self.parts += [line(self.LEFT, y, self.end, y), text(self.LEFT - 8, y + 4, self.y_label(at), "end")]
        middle = (self.TOP + base) / 2
        self.parts.append(text((self.LEFT + self.end) / 2, self.height - 10, self.x_title))
        self.parts.append(tag("g", text(0, 0, self.y_title), transform=f"translate(14 {middle:.0f}) rotate(-90)"))

    @property
    def end(self) -> float:
        return self.width - self.right

    def at_x(self, value: float) -> float:
        low, high = (math.log10(one) for one in self.x)
        return self.LEFT + (math.log10(value) - low) / (high - low) * (self.end - self.LEFT)

    def at_y(self, value: float) -> float:
        low, high = (math.log10(one) for one in self.y)
        base = self.height - self.BOTTOM
        return base - (math.log10(value) - low) / (high - low) * (base - self.TOP)

    def segment(self, first: tuple[float, float], last: tuple[float, float], shade: str, dash: str = "", width: float = 1.6) -> None:
        """A straight line of the logarithms, cut to the frame."""
        (x1, y1), (x2, y2) = ((math.log10(one[0]), math.log10(one[1])) for one in (first, last))
        low, high = (math.log10(one) for one in self.y)
        if x2 > x1 and y2 != y1:
            slope = (y2 - y1) / (x2 - x1)
            for bound, is_first in ((low, y1 < low), (high, y2 > high)):
                if is_first and bound == low:
                    x1, y1 = x1 + (low - y1) / slope, low
                elif is_first:
                    x2, y2 = x1 + (high - y1) / slope, high
        if max(y1, y2) < low or min(y1, y2) > high or x1 >= x2:
            return
        self.parts.append(line(self.at_x(10**x1), self.at_y(10**y1), self.at_x(10**x2), self.at_y(10**y2), shade, width, dash))

    def label(self, y: float, words: str, shade: str = FAINT) -> None:
        """Beside the frame at a height, or as near to it as others leave room."""
        wanted = min(max(self.at_y(min(max(y, self.y[0]), self.y[1])), self.TOP + 6), self.height - self.BOTTOM)
        for step in range(60):
            for place in (wanted + 7 * step, wanted - 7 * step):
                if self.TOP <= place <= self.height - self.BOTTOM and all(abs(place - one) >= 14 for one in self._labels):
                    self._labels.append(place)
                    self.parts.append(text(self.end + 8, place + 4, words, "start", 11, shade))
                    return

    def label_inside(self, y: float, words: str) -> bool:
        """Where a line begins on the left, above it; false: there is no room."""
        place = self.at_y(y) - 5 if self.y[0] < y < self.y[1] else self.height
        if place > self.height - self.BOTTOM - 4 or any(abs(place - one) < 13 for one in self._inside):
            return False
        self._inside.append(place)
        self.parts.append(text(self.LEFT + 6, place, words, "start", 11))
        return True

    def point(self, x: float, y: float, shade: str, words: str, low: float = 0, high: float = 0, is_hollow: bool = False) -> None:
        """With an interval, where there is one."""
        column = self.at_x(x)
        if 0 < low < high:
            self.parts.append(line(column, self.at_y(max(low, self.y[0])), column, self.at_y(min(high, self.y[1])), shade, 1.4))
        look = {"fill": "var(--back)", "stroke": shade, "stroke_width": 1.8} if is_hollow else {"fill": shade}
        self.parts.append(tag("circle", tag("title", words), cx=f"{column:.1f}", cy=f"{self.at_y(y):.1f}", r=4.2, **look))

    def path(self, points: Sequence[tuple[float, float]], shade: str, dash: str = "") -> None:
        made = " ".join(f"{self.at_x(x):.1f},{self.at_y(y):.1f}" for x, y in points)
        more = {"stroke_dasharray": dash} if dash else {}
        self.parts.append(tag("polyline", points=made, fill="none", stroke=shade, stroke_width=1.6, **more))

    def svg(self) -> Markup:
        return drawing(self.width, self.height, self.title, self.parts)


def bars(title: str, rows: Sequence[tuple[str, float, str, str]], width: int = 760) -> Markup:
    """Horizontal bars: name, length (of the longest: 1), words behind it, colour."""
    step, left, right, top = 24, 250, 130, 4
    longest = max((length for _, length, _, _ in rows), default=1) or 1
    parts = []
    for place, (name, length, words, shade) in enumerate(rows):
        y = top + step * place
        size = length / longest * (width - left - right)
        shown = name if len(name) <= 38 else name[:36] + "…"
        parts.append(text(left - 8, y + 16, shown, "end", 12, INK))
        parts.append(tag("rect", tag("title", f"{name}: {words}"), x=left, y=y + 4, width=f"{max(size, 0.5):.1f}", height=16, fill=shade))
        parts.append(text(left + size + 6, y + 16, words, "start", 12))
    return drawing(width, top * 2 + step * len(rows), title, parts)


def padded(values: Sequence[float], room: float = 1.6) -> tuple[float, float]:
    """The ends of a logarithmic axis that has all of them inside, and is of a decade at least."""
    low, high = min(values) / room, max(values) * room
    if high / low < 10:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(10), middle * math.sqrt(10)
    return low, high


__all__ = ["Chart", "bars", "colour", "drawing", "legend", "line", "list_of", "padded", "text", "ticks"]
