# SPDX-License-Identifier: Apache-2.0
"""A kernel's source and the headers that it includes, read with the caller's rights.

The daemon opens no file: headers travel along, under the name that the include directive
reaches them by. One that is not found is left out (its directive may stand in a dead branch),
and the analysis says if it was needed. The rules are those of client/source.c.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from .errors import InputOutput, Limit

BYTES_MAX = 16 << 20
HEADERS_MAX = 256
DEPTH_MAX = 32

_OPAQUE = re.compile(rb'//[^\n]*|/\*.*?(?:\*/|\Z)|(?P<text>"(?:\\.|[^"\\\n])*"?|\'(?:\\.|[^\'\\\n])*\'?)', re.DOTALL)
_DIRECTIVE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>)', re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """What is analysed: text, clBuildProgram options and headers by name."""

    text: bytes
    name: str = "kernel.cl"
    options: str = ""
    headers: dict[str, bytes] = field(default_factory=dict)


def _read(path: Path, room: int) -> bytes:
    try:
        if not path.is_file():
            raise InputOutput(f"{path}: not a file")
        with path.open("rb") as file:
            text = file.read(room + 1)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from error
    if len(text) > room:
        raise Limit(f"{path}: source and headers over {BYTES_MAX >> 20} MiB")
    return text


def _folders(options: str) -> list[Path]:
    try:
        words = shlex.split(options)
    except ValueError:
        words = options.split()
    folders = []
    for position, word in enumerate(words):
        if word == "-I" and position + 1 < len(words):
            folders.append(Path(words[position + 1]))
        elif word.startswith("-I") and len(word) > 2:
            folders.append(Path(word[2:]))
    return folders


def _includes(text: bytes) -> list[tuple[str, bool]]:
    """(name, is quoted) of each directive outside comments; names keep their quotes as texts."""
    bare = _OPAQUE.sub(lambda match: match.group(0) if match.group("text") else b" ", text)
    found = []
    for match in _DIRECTIVE.finditer(bare):
        name = match.group("quoted") or match.group("angled")
        found.append((name.decode("utf-8", "surrogateescape"), match.group("quoted") is not None))
    return found


def load(file: Union[str, Path], options: str = "") -> Source:
    """Reads FILE and the headers that it includes from its folder and from -I folders of options."""
    path = Path(file)
    folders = _folders(options)
    text = _read(path, BYTES_MAX)
    headers: dict[str, bytes] = {}
    total = len(text)

    def follow(where: Path, known_as: str, body: bytes, depth: int) -> None:
        nonlocal total
        for name, is_quoted in _includes(body):
            if name.startswith("/"):
                continue
            candidates = [(folder / name, name) for folder in folders]
            if is_quoted:
                prefix = known_as[: known_as.rfind("/") + 1]
                candidates.insert(0, (where.parent / name, prefix + name))
            for candidate, called in candidates:
                if candidate.is_file():
                    break
            else:
                continue
            if called in headers:
                continue
            if depth == DEPTH_MAX:
                raise Limit(f"{where}: includes nest deeper than {DEPTH_MAX}")
            if len(headers) == HEADERS_MAX:
                raise Limit(f"{candidate}: more than {HEADERS_MAX} headers")
            headers[called] = _read(candidate, BYTES_MAX - total)
            total += len(headers[called])
            follow(candidate, called, headers[called], depth + 1)

    follow(path, path.name, text, 0)
    return Source(text=text, name=path.name, options=options, headers=headers)
