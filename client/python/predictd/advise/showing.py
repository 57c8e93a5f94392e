# SPDX-License-Identifier: Apache-2.0
"""Advice as text, as JSON for editors, and as SARIF 2.1.0 for code hosts (OASIS, 2020)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Sequence
from urllib.parse import quote

from .. import __version__
from ..sweep.showing import time_of
from . import Advice
from .wording import RULES

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def _interval(time_s: float, low_s: float, high_s: float) -> str:
    return f"{time_of(time_s)} ({time_of(low_s)} .. {time_of(high_s)})"


def as_text(made: Sequence[Advice]) -> str:
    """A line of what and where, and one of times, for each."""
    lines = []
    for one in made:
        before = _interval(one.before_s, one.before_low_s, one.before_high_s)
        after = _interval(one.after_s, one.after_low_s, one.after_high_s)
        of_case = f" [{one.case.name}]" if one.case.name else ""
        lines.append(f"{one.file}:{one.place.line}: {one.what}{of_case}")
        lines.append(f"    {100 * one.gain:.0f} % less, {one.sureness}: {before} -> {after}")
    return "".join(f"{line}\n" for line in lines)


def _time(time_s: float, low_s: float, high_s: float) -> dict[str, float]:
    return {"time_s": time_s, "low_s": low_s, "high_s": high_s}


def as_json(made: Sequence[Advice]) -> str:
    records = [
        {
            "rule": one.rule,
            "file": str(one.file),
            "line": one.place.line,
            "column": one.place.column or None,
            "end_column": one.place.end_column or None,
            "what": one.what,
            "sureness": one.sureness,
            "gain": one.gain,
            "before": _time(one.before_s, one.before_low_s, one.before_high_s),
            "after": _time(one.after_s, one.after_low_s, one.after_high_s),
            "device": one.device.key,
            "device_name": one.device.name,
            "case": one.case.name or None,
        }
        for one in made
    ]
    return json.dumps({"advice": records}, indent=1, allow_nan=False) + "\n"


def _location(one: Advice) -> dict[str, Any]:
    region = {"startLine": one.place.line}
    if one.place.column > 0:
        region["startColumn"] = one.place.column
    if one.place.end_column > one.place.column:
        region["endColumn"] = one.place.end_column
    path = Path(one.file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _result(one: Advice, rules: Sequence[str]) -> dict[str, Any]:
    before = _interval(one.before_s, one.before_low_s, one.before_high_s)
    after = _interval(one.after_s, one.after_low_s, one.after_high_s)
    text = f"{one.what[0].upper()}{one.what[1:]}. On {one.device.name} {before} become {after}: {100 * one.gain:.0f} % less, {one.sureness}."
    mark = hashlib.sha256("\0".join((one.rule, one.file.name, one.case.kernel, one.what)).encode()).hexdigest()
    return {
        "ruleId": one.rule,
        "ruleIndex": rules.index(one.rule),
        "level": "warning" if one.is_sure else "note",
        "message": {"text": text},
        "locations": [_location(one)],
        "rank": round(100 * one.gain, 1),
        "partialFingerprints": {"advice/v1": mark},
        "properties": {
            "gain": one.gain,
            "sureness": one.sureness,
            "before": _time(one.before_s, one.before_low_s, one.before_high_s),
            "after": _time(one.after_s, one.after_low_s, one.after_high_s),
            "device": one.device.key,
        },
    }


def as_sarif(made: Sequence[Advice]) -> str:
    """One run, with a rule for each kind of advice that there is."""
    rules = list(RULES)
    driver = {
        "name": "predictctl advise",
        "semanticVersion": __version__,
        "rules": [{"id": rule, "shortDescription": {"text": text}} for rule, text in RULES.items()],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(one, rules) for one in made]}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, allow_nan=False) + "\n"
