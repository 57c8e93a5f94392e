# SPDX-License-Identifier: Apache-2.0
"""Text of files, names and drivers as it may be shown: without what a terminal or a page acts upon."""

from __future__ import annotations

import unicodedata

# controls, what changes the direction of writing and is not seen, and bytes that are no UTF-8
_UNSEEN = ("Cc", "Cf", "Cs")


def printable(text: str, instead: str = "?") -> str:
    """Lines and tabs stay; `instead` stands for any other character that is none to be seen."""
    if text.isprintable():
        return text
    return "".join(one if one in "\n\t" or unicodedata.category(one) not in _UNSEEN else instead for one in text)


def in_line(text: str) -> str:
    """The same on one line, as of a file whose name has several."""
    return " ".join(printable(text).splitlines())
