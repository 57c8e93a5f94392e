# SPDX-License-Identifier: Apache-2.0
"""A daemon for the time of a report, with one recorded calibration."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from reporting.cases import Failure


def calibration_of(folder: Path) -> Path:
    """The one that the folder holds."""
    calibrations = sorted(folder.glob("*.calibration"))
    if len(calibrations) != 1:
        raise Failure(f"{folder}: want one *.calibration, have {len(calibrations)}")
    return calibrations[0]


@contextlib.contextmanager
def daemon_of(build: Path, calibration: Path) -> Iterator[str]:
    """A daemon of a build directory that knows one device; gives the path of predictctl."""
    build = build.resolve()
    predictctl = str(build / "client/predictctl")
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["PREDICTD_SOCKET"] = f"{scratch}/predictd.sock"
        os.environ["PREDICTD_LIBEXECDIR"] = f"{build}/daemon/analyser:{build}/daemon/calibrator"
        # no device of this machine takes the place of the one that was measured
        os.environ["OCL_ICD_VENDORS"] = "/nonexistent"
        with open(f"{scratch}/log", "w+") as log:
            daemon = subprocess.Popen(
                [build / "daemon/predictd", "--config", Path(__file__).resolve().parent.parent / "predictd.conf", "--socket", os.environ["PREDICTD_SOCKET"], "--state", f"{scratch}/state"],
                stderr=log,
            )
            try:
                for _ in range(200):
                    if subprocess.run([predictctl, "status"], capture_output=True, check=False).returncode == 0:
                        break
                    time.sleep(0.05)
                told = subprocess.run(
                    [predictctl, "import", str(calibration)], capture_output=True, text=True, check=False
                )
                if told.returncode != 0:
                    log.seek(0)
                    raise Failure(f"{calibration}: {told.stderr.strip()} {log.read().strip()}")
                yield predictctl
            finally:
                daemon.terminate()
                daemon.wait()
