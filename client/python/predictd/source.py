# SPDX-License-Identifier: Apache-2.0
"""A kernel's source and the headers that it includes, read with the caller's rights.

The daemon opens no file: headers travel along, under the name that the include directive
reaches them by. One that is not found is left out (its directive may stand in a dead branch),
and the analysis says if it was needed. The rules are those of client/library/source.c.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Optional, Union

from .errors import Limit
from .files import read_regular
from .printable import printable

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
    # gives all headers with one more, by its name and what includes it ("": the program), or None
    find_header: Optional[Callable[[str, str], Optional[dict[str, bytes]]]] = field(
        default=None, repr=False, compare=False
    )

    def with_header(self, name: str, known_as: str) -> Optional[Source]:
        """The same with a header that only the preprocessor could name; None: there is none."""
        headers = self.find_header(name, known_as) if self.find_header is not None else None
        return None if headers is None else replace(self, headers=headers)


def _read(path: Path, room: int) -> bytes:
    return read_regular(path, room, Limit(f"{path}: source and headers over {BYTES_MAX >> 20} MiB"))


def folders(options: str) -> list[Path]:
    if "-I" not in options:
        return []
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


class _Loader:
    """The headers of one program, as far as they have been asked for."""

    def __init__(self, path: Path, options: str, text: Optional[bytes] = None) -> None:
        self.path = path
        self.folders = folders(options)
        self.headers: dict[str, bytes] = {}
        self.paths: dict[str, Path] = {}  # where each was found
        self.text = _read(path, BYTES_MAX) if text is None else text
        self.total = len(self.text)

    def find(self, where: Path, known_as: str, name: str, is_quoted: bool) -> Optional[tuple[Path, str]]:
        """The file that a directive in `where` means, and what the daemon knows it as."""
        if name.startswith("/"):
            candidates = [(Path(name), name)]
        else:
            candidates = [(folder / name, name) for folder in self.folders]
            if is_quoted:
                prefix = known_as[: known_as.rfind("/") + 1]
                candidates.insert(0, (where.parent / name, prefix + name))
        return next((found for found in candidates if found[0].is_file()), None)

    def add(self, where: Path, candidate: Path, called: str, depth: int) -> None:
        """Reads a header and those that it includes, each once."""
        if called in self.headers:
            return
        if depth == DEPTH_MAX:
            raise Limit(f"{where}: includes nest deeper than {DEPTH_MAX}")
        if len(self.headers) == HEADERS_MAX:
            raise Limit(f"{candidate}: more than {HEADERS_MAX} headers")
        self.headers[called] = _read(candidate, BYTES_MAX - self.total)
        self.paths[called] = candidate
        self.total += len(self.headers[called])
        self.follow(candidate, called, self.headers[called], depth + 1)

    def follow(self, where: Path, known_as: str, body: bytes, depth: int) -> None:
        for name, is_quoted in _includes(body):
            found = self.find(where, known_as, name, is_quoted)
            if found is not None:
                self.add(where, *found, depth)

    def want(self, name: str, known_as: str) -> bool:
        """A header that only the preprocessor could name; nobody says whether it stood in quotes."""
        where = self.paths.get(known_as, self.path)
        found = self.find(where, known_as or self.path.name, name, True)
        if found is None or found[1] in self.headers:
            return False
        self.add(where, *found, 0)
        return True


def load(file: Union[str, Path], options: str = "", text: Optional[str] = None) -> Source:
    """Reads FILE and the headers that it includes from its folder and from -I folders of options.

    text: what it holds, of a program that is no file; FILE says where its headers are looked for.
    """
    path = Path(file)
    loader = _Loader(path, options, None if text is None else text.encode("utf-8", "surrogateescape"))
    loader.follow(path, path.name, loader.text, 0)

    def find_header(name: str, known_as: str) -> Optional[dict[str, bytes]]:
        return dict(loader.headers) if loader.want(name, known_as) else None

    return Source(
        text=loader.text, name=printable(path.name), options=options, headers=dict(loader.headers), find_header=find_header
    )
