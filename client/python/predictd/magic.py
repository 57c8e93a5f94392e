# SPDX-License-Identifier: Apache-2.0
"""`%%predictd`: a cell whose launches are predicted beside what they took, in IPython and Jupyter."""

from __future__ import annotations

from typing import Any


def register(shell: Any) -> None:
    """Of an `IPython.core.interactiveshell.InteractiveShell`; IPython itself is not imported."""

    def predictd(line: str, cell: str) -> None:
        """%%predictd [--observe]: runs the cell, and prints each kernel's predicted and observed time.

        --observe reports the times, so that later answers rest on them.
        """
        from .pyopencl import watch

        words = line.split()
        if set(words) - {"--observe"}:
            raise ValueError(f"%%predictd: want nothing or --observe, have {line.strip()!r}")
        with watch(observe="--observe" in words) as block:
            shell.run_cell(cell, store_history=False)
        print(block)

    shell.register_magic_function(predictd, "cell", "predictd")
