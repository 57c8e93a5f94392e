# SPDX-License-Identifier: Apache-2.0
"""Cases files: results are found by a case's id, so that each comes once."""

import json
import sys
from pathlib import Path
from typing import Any


def cases_load(path: Path) -> list[dict[str, Any]]:
    """The cases of a file; ends the program with a line that says why where there are none, and with both
    places where an id comes twice."""
    program = Path(sys.argv[0]).name
    try:
        cases: list[dict[str, Any]] = json.loads(path.read_text())
    except OSError as why:
        sys.exit(f"{program}: {path}: {why.strerror}")
    except ValueError as why:
        sys.exit(f"{program}: {path}: {why}")
    if not isinstance(cases, list) or not cases:
        sys.exit(f"{program}: {path}: want an array of cases, one or more")
    seen: dict[str, int] = {}
    for i, case in enumerate(cases):
        if not isinstance(case, dict) or not {"id", "file", "global"} <= case.keys():
            sys.exit(f"{program}: {path}: case {i}: want an object with id, file and global")
        first = seen.setdefault(case["id"], i)
        if first != i:
            sys.exit(f"{program}: {path}: case {i}: id '{case['id']}' is that of case {first} too")
    return cases
