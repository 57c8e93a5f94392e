# SPDX-License-Identifier: Apache-2.0
"""What predictctl's commands in Python share: words, complaints, exit statuses, a line of progress."""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import contextmanager
from typing import Iterator, NoReturn, Optional, Sequence

from . import errors
from .printable import in_line

ARGUMENT = (
    "buffer:BYTES[:r|w|rw][:LOW..HIGH], TYPE:VALUE[,VALUE...], local:BYTES, bytes:BYTES, image:WxH[:FORMAT][:r|w], sampler[:linear]; in order"
)
SECONDS_MAX = 86400.0
# whose value may begin with a dash, as predictctl's other commands take it; argparse wants a = before such a one
_DASHED = ("--options", "--where", "--title")


class Usage(errors.Invalid):
    """A word of the command line is missing or wrong."""


_EXIT = {Usage: 2, errors.Unavailable: 3, errors.Timeout: 3, errors.Uncalibrated: 4}  # as predictctl's


@contextmanager
def words() -> Iterator[None]:
    """What is wrong with what is read in here is wrong with the command's words."""
    try:
        yield
    except (errors.Invalid, errors.Limit) as error:
        raise Usage(str(error)) from error


def complain(command: str, error: errors.Error) -> int:
    """Says it; the command's exit status."""
    print(f"predictctl: {command}: {in_line(str(error))}", file=sys.stderr)
    return next((code for kind, code in _EXIT.items() if isinstance(error, kind)), 1)


class Parser(argparse.ArgumentParser):
    """Complains of words as predictctl's other commands do."""

    def __init__(self, command: str, description: str, epilog: Optional[str] = None) -> None:
        super().__init__(prog=f"predictctl {command}", description=description, epilog=epilog)
        self._command = command

    def error(self, message: str) -> NoReturn:
        self.exit(complain(self._command, Usage(message)), f"`predictctl help {self._command}` lists the options.\n")


def joined(given: Optional[Sequence[str]]) -> list[str]:
    """The command's words, those with a value that begins with a dash in one: --options=-cl-mad-enable."""
    made: list[str] = []
    for word in sys.argv[1:] if given is None else given:
        if made and made[-1] in _DASHED:
            made[-1] += f"={word}"
        else:
            made.append(word)
    return made


def refuse(options: argparse.Namespace, names: Sequence[str], why: str = "a cases file says it of each launch") -> None:
    """Options that say what another file says here."""
    if given := [name for name in names if getattr(options, name)]:
        called = {"global_size": "--global", "macros": "-D"}.get(given[0], f"--{given[0]}")
        raise Usage(f"{called}: it goes with FILE.cl: {why}")


def want_seconds(option: str, value: float, least: float = math.nextafter(0, 1)) -> None:
    if not least <= value <= SECONDS_MAX:
        low = "0 or more" if least == 0 else "more than 0"
        raise Usage(f"{option}: want {low} and at most {SECONDS_MAX:g} seconds, have {value:g}")


def time_text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


class Line:
    """A line of progress, where somebody looks at it."""

    def __init__(self) -> None:
        self._is_watched, self._is_there = sys.stderr.isatty(), False

    def told(self, text: str) -> None:
        if self._is_watched:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
            self._is_there = True

    def end(self) -> None:
        if self._is_there:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._is_there = False
