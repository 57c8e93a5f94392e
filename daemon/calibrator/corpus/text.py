# SPDX-License-Identifier: Apache-2.0
"""Cases files and their sources as predictd.Corpus in protobuf's text form.

    text.py CASES.json...

Launches with more than 256 MB of buffers are left out: a calibration has two minutes."""

import json
import sys
from pathlib import Path
from typing import Any

BYTES_MAX = 256 << 20
ACCESS = {"r": 1, "w": 2, "rw": 3}


def quoted(text: str) -> str:
    octal = "".join(c if c.isprintable() and c.isascii() and c not in '"\\' else f"\\{ord(c):03o}" for c in text)
    return f'"{octal}"'


def argument(given: dict[str, Any]) -> str:
    fields: list[str] = []
    if "buffer" in given:
        fields += ["kind: 0", f"size_bytes: {given['buffer']}", f"access: {ACCESS[given.get('access', 'rw')]}"]
        if "range" in given:
            low, high = given["range"]
            fields += ["has_range: true", f"low: {low}", f"high: {high}"]
    elif "scalar" in given:
        kind = given["scalar"]
        value = given["value"]
        is_real = kind.startswith(("float", "double", "half"))
        fields += ["kind: 1", f"type: {quoted(kind)}"]
        for lane in value if isinstance(value, list) else [value]:
            fields.append(f"{'reals' if is_real else 'integers'}: {lane}")
    elif "local" in given:
        fields += ["kind: 2", f"size_bytes: {given['local']}"]
    else:
        raise SystemExit(f"text.py: an argument of another kind: {given}")
    if "init" in given:
        fields.append(f"init: {quoted(given['init'])}")
    return f"arguments {{ {' '.join(fields)} }}"


def case(given: dict[str, Any], folder: Path) -> str:
    source = (folder / given["file"]).read_text(encoding="ascii")
    name = Path(given["file"]).name
    program = f"program {{ name: {quoted(name)} source: {quoted(source)} options: {quoted(given.get('options', ''))} }}"
    sizes = [f"global_items: {size}" for size in given["global"]]
    sizes += [f"local_items: {size}" for size in given.get("local", [])]
    launch = f"launch {{ {' '.join(sizes + [argument(one) for one in given['args']])} }}"
    what = f"what {{ {program} kernel: {quoted(given['kernel'])} {launch} }}"
    return f"cases {{ family: {quoted(given['class'])} {what} }}"


def main() -> None:
    for path in map(Path, sys.argv[1:]):
        seen: dict[str, int] = {}
        for i, given in enumerate(json.loads(path.read_text(encoding="ascii"))):
            if (first := seen.setdefault(given["id"], i)) != i:
                raise SystemExit(f"text.py: {path}: case {i}: id '{given['id']}' is that of case {first} too")
            if sum(one.get("buffer", 0) for one in given["args"]) <= BYTES_MAX:
                print(case(given, path.parent))


main()
