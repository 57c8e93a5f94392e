# SPDX-License-Identifier: Apache-2.0
"""The analysis of the corpus, as the build runs it: what it writes, and what it refuses.

    corpus_analyse.py ANALYSE

Environment: PYTHONPATH with the built package.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from predictd import predictd_pb2

tests = 0
failures = 0


def report(is_ok: bool, sentence: str, said: str = "") -> None:
    global tests, failures
    tests += 1
    failures += not is_ok
    print(f"{'ok' if is_ok else 'not ok'} {tests} - {sentence}", flush=True)
    if not is_ok:
        print("# " + said.replace("\n", "\n# "), flush=True)


def corpus_of(*sources: str) -> bytes:
    corpus = predictd_pb2.Corpus()
    for number, source in enumerate(sources):
        case = corpus.cases.add(family="test")
        case.what.program.name = f"{number}.cl"
        case.what.program.source = source.encode()
    return corpus.SerializeToString()


def main() -> int:
    folder = tempfile.TemporaryDirectory(prefix="predictd-corpus.")
    given, packed, assembly = (Path(folder.name) / name for name in ("in", "out.bin", "out.S"))
    kernel = "kernel void one(global int *a) { a[0] = 1; }\n"

    def analyse(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)

    def refused(sentence: str, part: str, *arguments: str, status: int = 1) -> None:
        result = analyse(*arguments)
        report(result.returncode == status and part in result.stderr, sentence, f"{result.returncode}: {result.stderr}")

    paths = [str(given), str(packed), str(assembly)]
    given.write_bytes(corpus_of(kernel, "kernel void two() {}"))
    result = analyse(*paths)
    report(result.returncode == 0, "two kernels are analysed", result.stderr)
    written = predictd_pb2.Corpus.FromString(packed.read_bytes())
    report([case.ir.name for case in written.cases] == ["one", "two"], "and their IR is with them")
    report(f'.incbin "{packed.resolve()}"' in assembly.read_text(), "and what puts them into a program names them")

    refused("without paths it says what it wants", "Usage", status=2)
    refused("a file that is not there", "cannot be read", str(given) + ".none", *paths[1:])
    refused("an output that cannot be written", "/nonexistent/out: cannot be written", paths[0], "/nonexistent/out", paths[2])
    refused("an assembly that cannot be written", "/nonexistent/S: cannot be written", *paths[:2], "/nonexistent/S")
    for sentence, part, content in (
        ("an empty file", "cannot be read", b""),
        ("one that is too large", "too large", bytes(16 << 20)),
        ("noise", "no corpus", b"\xff\xff\xff"),
        ("a source that is wrong", "0.cl", corpus_of("kernel void broken( {")),
        ("two kernels in one source", "want one kernel", corpus_of(kernel + kernel.replace("one", "two"))),
        ("a kernel outside the language", "1.cl", corpus_of(kernel, "kernel void one(global int *a) { a[0] = nobody(); }")),
    ):
        given.write_bytes(content)
        refused(f"{sentence} is refused by name", part, *paths)
    print(f"1..{tests}")
    folder.cleanup()
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
