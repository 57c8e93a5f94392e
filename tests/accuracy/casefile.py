# SPDX-License-Identifier: Apache-2.0
"""Cases files: results are found by a case's id, so that each comes once."""

import json
import sys
from pathlib import Path
from typing import Any


def cases_load(path: Path) -> list[dict[str, Any]]:
    """The cases of a file; ends the program, with both places, where an id comes twice."""
    cases: list[dict[str, Any]] = json.loads(path.read_text())
    seen: dict[str, int] = {}
    for i, case in enumerate(cases):
        first = seen.setdefault(case["id"], i)
        if first != i:
            sys.exit(f"{Path(sys.argv[0]).name}: {path}: case {i}: id '{case['id']}' is that of case {first} too")
    return cases
