# SPDX-License-Identifier: Apache-2.0
"""A space of `spaces` at another size: the file's constants, but those that are given."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Mapping

import predictd.tune
from predictd.tune.space import Problem

_folders: list[tempfile.TemporaryDirectory[str]] = []


def load_with(space: Path, constants: Mapping[str, int]) -> Problem:
    told = json.loads(space.read_text())
    told["constants"] |= {name: value for name, value in constants.items() if name in told["constants"]}
    _folders.append(tempfile.TemporaryDirectory(prefix="predictd-space."))
    folder = Path(_folders[-1].name)
    shutil.copy(space.parent / told["file"], folder)
    (folder / space.name).write_text(json.dumps(told))
    return predictd.tune.load(folder / space.name)
