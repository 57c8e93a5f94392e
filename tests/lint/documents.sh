#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: links of documents lead somewhere, prose has 100 columns at most, README 8 KB, and files that pages name exist
set -euo pipefail
cd "$(dirname "$0")/../.."

PYTHONDONTWRITEBYTECODE=1 python3 - <<'EOF'
import re
import subprocess
import sys
from pathlib import Path

COLUMNS, README_BYTES = 100, 8192
# history names files by the names that they had
HISTORY = {Path("docs/history.md"), Path("CHANGELOG.md")}
ROOTS = "client|daemon|docs|model|proto|store|systemd|tests"
bad = 0


def wrong(where: str, what: str) -> None:
    global bad
    bad = 1
    print(f"documents: {where}: {what}", file=sys.stderr)


def anchors(page: Path) -> set[str]:
    """Of headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


pages = [Path(name) for name in subprocess.check_output(["git", "ls-files", "*.md"], text=True).split()]
if not pages:
    wrong(".", "there are no documents")
for page in pages:
    is_code = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        where = f"{page}:{number}"
        if line.lstrip().startswith("```"):
            is_code = not is_code
            continue
        if is_code:
            continue
        if len(line) > COLUMNS and not line.startswith("|") and page.name != "CHANGELOG.md":
            wrong(where, f"want at most {COLUMNS} columns, have {len(line)}")
        for link in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = link.partition("#")
            target = page.parent / file if file else page
            if not target.exists():
                wrong(where, f"link to {file}, which does not exist")
            elif anchor and anchor not in anchors(target):
                wrong(where, f"link to #{anchor}, which {target} has no heading for")
        if page in HISTORY:
            continue
        for name in re.findall(rf"`((?:{ROOTS})/[\w./\-]+)`", line):
            if not Path(name).exists():
                wrong(where, f"names {name}, which does not exist")
size = Path("README.md").stat().st_size
if size > README_BYTES:
    wrong("README.md", f"want at most {README_BYTES} bytes, have {size}")
sys.exit(bad)
EOF
