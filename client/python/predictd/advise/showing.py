# SPDX-License-Identifier: Apache-2.0
"""Advice as text, as JSON for editors, and as SARIF 2.1.0 for code hosts (OASIS, 2020)."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Sequence
from urllib.parse import quote

from .. import __version__
from ..printable import in_line, printable
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
        lines.append(in_line(f"{one.file}:{one.place.line}: {one.what}{of_case}"))
        lines.append(f"    {100 * one.gain:.0f} % less, {one.sureness}: {before} -> {after}")
    return "".join(f"{line}\n" for line in lines)


def _time(time_s: float, low_s: float, high_s: float) -> dict[str, float]:
    return {"time_s": time_s, "low_s": low_s, "high_s": high_s}


def as_json(made: Sequence[Advice]) -> str:
    records = [
        {
            "rule": one.rule,
            "file": printable(str(one.file)),
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
    region = {"startLine": one.place.line, "endLine": one.place.line}
    if one.place.column > 0:
        region["startColumn"] = one.place.column
    if one.place.end_column > one.place.column:
        region["endColumn"] = one.place.end_column
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(Path(one.file))}, "region": region}}


def _uri(path: Path) -> str:
    """Relative to the current folder where it lies below: code hosts want it relative to the repository's root."""
    here = Path.cwd()
    if path.is_absolute() and path.is_relative_to(here):
        path = path.relative_to(here)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


def _result(one: Advice, rules: Sequence[str]) -> dict[str, Any]:
    before = _interval(one.before_s, one.before_low_s, one.before_high_s)
    after = _interval(one.after_s, one.after_low_s, one.after_high_s)
    text = f"{one.what[0].upper()}{one.what[1:]}. On {one.device.name} {before} become {after}: {100 * one.gain:.0f} % less, {one.sureness}."
    mark = hashlib.sha256("\0".join((one.rule, one.file.name, one.case.kernel, one.what)).encode(errors="surrogateescape")).hexdigest()
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


def _rule(rule: str, text: str) -> dict[str, Any]:
    more = f"{text} The gain of each place is what predictd's model predicts for the launch before and after. docs/advice.md says how."
    return {
        "id": rule,
        "name": f"{rule[0].upper()}{rule[1:]}",
        "shortDescription": {"text": text},
        "fullDescription": {"text": more},
        "help": {"text": more},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["performance", "opencl"]},
    }


def as_sarif(made: Sequence[Advice]) -> str:
    """One run, with a rule for each kind of advice that there is."""
    rules = list(RULES)
    driver = {
        "name": "predictctl advise",
        "semanticVersion": __version__,
        "rules": [_rule(rule, text) for rule, text in RULES.items()],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(one, rules) for one in made]}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, allow_nan=False) + "\n"
