# SPDX-License-Identifier: Apache-2.0
"""Texts of this system, and their words: licences are prose, headers are code."""

import re
from functools import cache
from pathlib import Path

import numpy

LICENCES = ("GPL-3", "LGPL-2.1", "MPL-1.1", "LGPL-2", "GFDL-1.3", "GPL-2", "MPL-2.0", "Apache-2.0", "Artistic")
HEADERS = ("sqlite3.h", "GL/glext.h", "GL/glcorearb.h", "xcb/xproto.h")


@cache
def licences() -> bytes:
    return b"".join((Path("/usr/share/common-licenses") / name).read_bytes() for name in LICENCES)


@cache
def header(name: str) -> bytes:
    return (Path("/usr/include") / name).read_bytes()


@cache
def headers() -> bytes:
    return b"".join(header(name) for name in HEADERS)


def words(text: bytes, pattern: bytes = rb"[A-Za-z_]+") -> list[bytes]:
    return re.findall(pattern, text)


def filled(data: bytes, size: int) -> numpy.ndarray:
    """The text again and again, up to `size` bytes."""
    return numpy.resize(numpy.frombuffer(data, numpy.uint8), size)


def numbered(of: list[bytes]) -> tuple[numpy.ndarray, list[bytes]]:
    """Each word's number, by first appearance, and the distinct words."""
    number: dict[bytes, int] = {}
    return numpy.array([number.setdefault(word, len(number)) for word in of]), list(number)


def hashed(word: bytes) -> int:
    """FNV-1a of 32 bits; never 0."""
    sum_of = 2166136261
    for byte in word:
        sum_of = (sum_of ^ byte) * 16777619 & 0xFFFFFFFF
    return sum_of or 1
