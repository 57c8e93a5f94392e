#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks through docs/extending.md: applies its edits to a copy of the tree, builds it, runs its sessions.
README.md's session comes first.

    tests/extending/walk.py

A fenced block is an edit or a session. An edit's first line is one of

    ```c FILE: new                 the file's text
    ```c FILE: after TEXT          lines behind the statement or row that begins with TEXT
    ```c FILE: replace TEXT        lines in place of the one line that begins with TEXT
    ```c FILE: every TEXT          text in place of each TEXT

and TEXT must be there once, but for `every`. A `session` has commands after `$`, and behind each the
lines that it must print, in this order, others between them; `...` is any text. TAP."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/extending.md"
README = ROOT / "README.md"
PROGRAMS = (
    "daemon/predictd",
    "daemon/analyser/predictd-analyser",
    "daemon/calibrator/predictd-calibrator",
    "client/predictctl",
    "client/python/predictd/predictd_pb2.py",
)


class Wrong(Exception):
    """The page and the tree do not fit."""


@dataclass
class Block:
    page: str
    line: int
    head: str
    text: str


def blocks(page: Path) -> list[Block]:
    """A page's fenced blocks, in order."""
    found: list[Block] = []
    inside: list[str] | None = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```") and inside is None:
            inside, start, head = [], number, line[3:].strip()
        elif line.startswith("```") and inside is not None:
            found.append(Block(page.name, start, head, "\n".join(inside) + "\n"))
            inside = None
        elif inside is not None:
            inside.append(line)
    return found


def end_of(text: str, start: int) -> int:
    """Behind the statement or row that begins there: it ends at a `;`, a `,` or a `\\` in no bracket."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
        elif text[at] == "\n" and depth <= 0:
            return at + 1
    return len(text)


def edit(tree: Path, block: Block) -> None:
    """Applies one edit to the copy."""
    match = re.fullmatch(r"c (\S+): (new|after|replace|every) ?(.*)", block.head)
    if match is None:
        raise Wrong(f"{block.page}:{block.line}: want an edit or a session, have {block.head!r}")
    name, way, anchor = match.groups()
    file = tree / name
    if way == "new":
        if file.exists():
            raise Wrong(f"{block.page}:{block.line}: {name} is there already")
        file.write_text(block.text, encoding="utf-8")
        return
    if not file.exists():
        raise Wrong(f"{block.page}:{block.line}: there is no {name}")
    text = file.read_text(encoding="utf-8")
    if way == "every":
        count = len(re.findall(rf"\b{re.escape(anchor)}\b", text))
    else:
        places = [found.end() for found in re.finditer(rf"^[ \t]*(?={re.escape(anchor)})", text, re.MULTILINE)]
        count = len(places)
    if count == 0 or (count > 1 and way != "every"):
        raise Wrong(f"{block.page}:{block.line}: {name}: want {anchor!r} once, have it {count} times")
    if way == "every":
        text = re.sub(rf"\b{re.escape(anchor)}\b", block.text.strip(), text)
    else:
        start = text.rfind("\n", 0, places[0]) + 1
        end = end_of(text, places[0])
        text = text[: end if way == "after" else start] + block.text + text[end:]
    file.write_text(text, encoding="utf-8")


def copy(tree: Path) -> None:
    """All that git knows of."""
    names = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z"], text=True).split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)


def run(command: list[str], cwd: Path) -> None:
    """A command that has to succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Wrong(f"{' '.join(command)}: status {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}")


def with_coefficient(tree: Path, name: str, value: str, source: str, target: str) -> None:
    """Writes a calibration's file with one coefficient more."""
    program = """
import hashlib, sys
import predictd_pb2 as messages
name, value, source, target = sys.argv[1:]
calibration = messages.Calibration.FromString(open(source, "rb").read())
calibration.device.coefficients.add(name=name, value=float(value), standard_error=0.01)
calibration.sha256 = hashlib.sha256(calibration.device.SerializeToString()).digest()
open(target, "wb").write(calibration.SerializeToString())
"""
    environment = os.environ | {"PYTHONPATH": str(tree / "build/client/python/predictd")}
    done = subprocess.run(
        [sys.executable, "-c", program, name, value, source, target],
        cwd=tree, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise Wrong(f"with_coefficient {name}: {done.stderr}")


def session(tree: Path, block: Block) -> list[str]:
    """Runs a session's commands; what is wrong with their output."""
    wrong = []
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *wanted = part.replace("\\\n", " ").splitlines()
        words = shlex.split(command)
        if words[0] == "with_coefficient":
            with_coefficient(tree, *words[1:])
            continue
        words[0] = str(tree / "build/client" / words[0])
        done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        lines = iter(said.splitlines())
        for want in wanted:
            pattern = re.compile(".*".join(re.escape(piece) for piece in want.strip().split("...")))
            if not any(pattern.match(line.strip()) for line in lines):
                wrong.append(f"$ {command}\nwant {want}\ngot\n{said}")
                break
        if done.returncode != 0:
            wrong.append(f"$ {command}\nwant status 0, got {done.returncode}\n{said}")
    return wrong


def walk(scratch: Path) -> list[tuple[str, list[str]]]:
    """Every session's command, with what was wrong."""
    tree = scratch / "tree"
    tree.mkdir()
    copy(tree)
    walked = blocks(PAGE)
    for block in walked:
        if block.head != "session":
            edit(tree, block)
    sessions = [block for block in blocks(README) + walked if block.head == "session"]
    run(["meson", "setup", "build"], tree)
    run(["ninja", "-C", "build", *PROGRAMS], tree)
    os.environ |= {
        "PREDICTD_SOCKET": str(scratch / "socket"),
        "PREDICTD_LIBEXECDIR": f"{tree}/build/daemon/analyser:{tree}/build/daemon/calibrator",
        # answers come from recorded calibrations alone
        "OCL_ICD_VENDORS": "/nonexistent",
        "NO_COLOR": "1",
    }
    with open(scratch / "log", "w+", encoding="utf-8") as log:
        daemon = subprocess.Popen(
            [tree / "build/daemon/predictd", "--socket", scratch / "socket", "--state", scratch / "state"], stderr=log
        )
        try:
            for _ in range(600):
                status = subprocess.run([tree / "build/client/predictctl", "status"], capture_output=True, check=False)
                if status.returncode == 0:
                    break
                time.sleep(0.1)
            told = [
                (f"{block.page}:{block.line}: prints what the page says", session(tree, block))
                for block in sessions
            ]
            if any(wrong for _, wrong in told):
                log.seek(0)
                told[-1][1].append(f"the daemon said\n{log.read()}")
            return told
        finally:
            daemon.terminate()
            daemon.wait()


def main() -> int:
    # what ends the test ends its daemon, too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="predictd-extending.") as scratch:
        try:
            told = walk(Path(scratch))
        except Wrong as why:
            print(f"Bail out! {why}")
            return 1
    for number, (sentence, wrong) in enumerate(told, 1):
        for text in wrong:
            print("\n".join(f"# {line}" for line in text.splitlines()))
        print(f"{'not ok' if wrong else 'ok'} {number} - {sentence}")
    print(f"1..{len(told)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
