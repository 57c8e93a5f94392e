# SPDX-License-Identifier: Apache-2.0
"""Writes the messages' module from proto/predictd.proto before the package is built."""

import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto" / "predictd.proto"


class BuildWithMessages(build_py):
    """build_py that calls protoc first, in a checkout; a source archive has the module."""

    def run(self) -> None:
        if PROTO.exists():
            package = HERE / "predictd"
            try:
                subprocess.run(
                    ["protoc", f"-I{PROTO.parent}", f"--python_out={package}", f"--pyi_out={package}", PROTO.name],
                    check=True,
                )
            except FileNotFoundError as error:
                raise SystemExit("predictd: protoc is missing: apt-get install protobuf-compiler") from error
        super().run()


setup(cmdclass={"build_py": BuildWithMessages})
