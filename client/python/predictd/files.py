# SPDX-License-Identifier: Apache-2.0
"""Files that users name: bounded, and every error says which file."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from .errors import Error, InputOutput, Invalid, Limit


def read_bytes(path: Path, bytes_max: int, too_long: Error) -> bytes:
    """What the file holds; raises `too_long` where that is more than `bytes_max`."""
    try:
        with path.open("rb") as file:
            text = file.read(bytes_max + 1)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from error
    if len(text) > bytes_max:
        raise too_long
    return text


def read_regular(path: Path, bytes_max: int, too_long: Error) -> bytes:
    """The same, but of a pipe, which would be waited for, or a device, that it is no file."""
    if path.exists() and not path.is_file():
        raise InputOutput(f"{path}: not a file")
    return read_bytes(path, bytes_max, too_long)


def read_json(path: Path, bytes_max: int, too_long: type[Error] = Limit) -> Any:
    """The same of JSON; `too_long` where that is more than `bytes_max`, a multiple of 1 MiB."""
    text = read_bytes(path, bytes_max, too_long(f"{path}: more than {bytes_max >> 20} MiB"))
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{path}: no JSON: {error}") from None


def write_whole(path: Path, text: str) -> None:
    """All of it, or nothing. A pipe or a device stays what it is, and a link is followed."""
    name = ""
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", errors="replace")
            return
        meant = path.resolve()
        handle, name = tempfile.mkstemp(dir=meant.parent, prefix=f".{meant.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, meant)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        raise InputOutput(f"{path}: {error.strerror}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
