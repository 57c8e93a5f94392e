# SPDX-License-Identifier: Apache-2.0
"""Splits of the kernels in tests/kernels beside a sweep of predictions in 2.5 % steps.

sweep.py DEVICE DEVICE   fails where a step ends sooner than the split by more than 2 %

Each launch is 64 times what the kernel's comment says, so that there is something to split. Passed
over are kernels with images, those that are not to be split, and launches that a device refuses.
Environment: PREDICTCTL, PREDICTD_SOCKET, SOURCE_ROOT.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator

import predictd

TIMES, STEPS = 64, 40
CLOSE = 0.02  # where a part takes longer than a larger one, the split takes both as the longer
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def launches(folder: pathlib.Path) -> Iterator[tuple[pathlib.Path, str, list[int], str, list[str]]]:
    for path in sorted(folder.glob("*.cl")):
        text = path.read_text()
        launch = re.search(r"^// launch: global=([\d,]+) local=([\d,]+) args=(\S+)", text, re.M)
        kernel = re.search(r"^// expect: kernel (\w+)", text, re.M)
        if launch is None or kernel is None or "image" in launch[3]:
            continue
        sizes = [int(size) for size in launch[1].split(",")]
        sizes[0] *= TIMES
        arguments = re.split(r",(?=[a-z])", launch[3])
        for i, argument in enumerate(arguments):
            buffer = re.fullmatch(r"buffer:(\d+)([KMG]?)(:.*)?", argument)
            if buffer is not None:
                size = int(buffer[1]) * UNITS[buffer[2]] * TIMES
                arguments[i] = f"buffer:{size}{buffer[3] or ''}"
        yield path, kernel[1], sizes, launch[2], arguments


def message(argument: str) -> predictd.Argument:
    kind, *rest = argument.split(":")
    if kind == "buffer":
        limits = [tuple(map(int, part.split(".."))) for part in rest if ".." in part]
        access = next((part for part in rest if part in ("r", "w", "rw")), "rw")
        return predictd.Buffer(int(rest[0]), access, limits[0] if limits else None)
    if kind == "local":
        return predictd.Local(int(rest[0]))
    value = float(rest[0]) if kind.startswith(("float", "double", "half")) else int(rest[0])
    return predictd.Scalar(kind, value)


def main() -> int:
    devices, ratios, split_count = sys.argv[1:3], [], 0
    with predictd.connect() as daemon:
        for path, kernel, sizes, local, arguments in launches(pathlib.Path(os.environ["SOURCE_ROOT"]) / "tests/kernels"):
            words = [os.environ["PREDICTCTL"], "split", f"{path}:{kernel}", "--json", "--local", local]
            words += ["--global", ",".join(map(str, sizes))]
            for device in devices:
                words += ["--device", device]
            for argument in arguments:
                words += ["--arg", argument]
            ended = subprocess.run(words, capture_output=True, text=True, check=False)
            try:
                messages = [message(argument) for argument in arguments]
            except ValueError:
                continue  # a vector, or a size with a unit
            if ended.returncode != 0:
                continue
            split = json.loads(ended.stdout)
            program = daemon.load(path)
            best = split["best_device_key"]
            other = next(share["device_key"] for share in split["shares"] if share["device_key"] != best)
            all_granules, granule = split["granules"], split["granule_items"]
            steps = sorted({round(all_granules * i / STEPS) for i in range(1, STEPS)} - {0, all_granules})

            def ends(device: str, parts: list[tuple[int, int]]) -> list[float]:
                asked = [
                    predictd.Launch(
                        program,
                        [end - begin] + sizes[1:],
                        [int(size) for size in local.split(",")],
                        messages,
                        kernel,
                        [begin] + [0] * (len(sizes) - 1),
                    )
                    for begin, end in parts
                ]
                answers = daemon.predict_many(asked, device)
                return [answer.launch_time_s + answer.kernel_time_s for answer in answers]

            first = ends(best, [(0, step * granule) for step in steps])
            second = ends(other, [(step * granule, sizes[0]) for step in steps])
            alone = [share["alone_time_s"] for share in split["shares"]]
            ratios.append((split["time_s"] / min([*map(max, first, second), *alone]), path.name))
            split_count += all(share["granules"] > 0 for share in split["shares"])
    worse = [f"{name} by {100 * ratio - 100:.2f} %" for ratio, name in ratios if ratio > 1 + CLOSE]
    said = f"{len(ratios)} kernels, {split_count} split, median {statistics.median(r for r, _ in ratios):.3f}"
    last, name = max(ratios)
    print(f"the split's time over the best of a sweep: {said}, worst {last:.3f} ({name}){''.join(map(', '.__add__, worse))}")
    return 1 if worse or len(ratios) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
