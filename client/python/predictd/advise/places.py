# SPDX-License-Identifier: Apache-2.0
"""Where in a source what the model speaks of stands: calls, literals, divisors, the kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HIDDEN = re.compile(r"//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
# of double type: a point or an exponent, and no suffix (C11, 6.4.4.2)
_DOUBLE = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])|(?<![\w.])\d+[eE][+-]?\d+(?![\w.])")


@dataclass(frozen=True)
class Place:
    """A line of a source, from 1 on; 0: none. Columns, from 1 on, where they are known: 0 otherwise."""

    line: int
    column: int = 0
    end_column: int = 0


class Places:
    """A source whose comments and strings are blank, of which one kernel is meant."""

    def __init__(self, text: str, kernel: str) -> None:
        # of the same length, with the same lines
        self._text = _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
        self._begins = [0] + [found.end() for found in re.finditer("\n", self._text)]
        self.lines = len(self._begins)
        word = re.escape(kernel) if kernel else r"\w+"
        found = re.search(rf"\bkernel\b[^;{{}}]*?\b({word})\s*\(|\b__kernel\b[^;{{}}]*?\b({word})\s*\(", self._text)
        self._from, self._to = 0, len(self._text)
        # a macro may stand for what makes it a kernel: what is defined then is a function
        found = found or re.search(rf"\bvoid\b[^;{{}}()]*?\b({word})()\s*\([^;{{}}]*\{{", self._text)
        self.kernel = self.line(1)
        self.has_kernel = found is not None
        if found:
            self._from, self._to = found.start(), self._end(found.end(1) if found[1] else found.end(2))
            self.kernel = self._place(*found.span(1 if found[1] else 2))

    def _end(self, at: int) -> int:
        depth = 0
        for found in re.finditer(r"[{}]", self._text[at:]):
            depth += 1 if found[0] == "{" else -1
            if depth <= 0:
                return at + found.end()
        return len(self._text)

    def _place(self, at: int, end: int) -> Place:
        line = self._text.count("\n", 0, at)
        begin = self._begins[line]
        return Place(line + 1, at - begin + 1, end - begin + 1 if "\n" not in self._text[at:end] else 0)

    def _first(self, pattern: str) -> Place:
        """In the kernel, or else in what it may call."""
        compiled = re.compile(pattern)
        found = compiled.search(self._text, self._from, self._to) or compiled.search(self._text)
        return self._place(*found.span()) if found else self.kernel

    def line(self, line: int) -> Place:
        """A line that the model told, without the space that it begins with."""
        if not 0 < line <= self.lines:
            return self.kernel
        begin = self._begins[line - 1]
        text = self._text[begin:].split("\n", 1)[0]
        if not text.strip():
            return Place(line)
        return Place(line, len(text) - len(text.lstrip()) + 1, len(text.rstrip()) + 1)

    def call(self, name: str) -> Place:
        """The first call of a function, or division."""
        if name == "/":
            return self._first(r"/(?!=?\s*\d+\b[^.eE])")
        return self._first(rf"\b{re.escape(name)}\b(?=\s*\()")

    def divisor(self, name: str) -> Place:
        return self._first(rf"[/%]=?\s*\(?\s*(?:\(\w+\)\s*)?{re.escape(name)}\b")

    def double_literals(self) -> list[Place]:
        """Those of the kernel, then those of what it may call."""
        found = list(_DOUBLE.finditer(self._text))
        found.sort(key=lambda one: not self._from <= one.start() < self._to)
        return [self._place(*one.span()) for one in found]
