# SPDX-License-Identifier: Apache-2.0
"""What would make a launch faster: changes whose gain the model predicts.

    import predictd
    from predictd.advise import advise, read

    case = read("saxpy.cl", "1M", "256", ["buffer:4M:r", "buffer:4M", "float:2"])
    with predictd.connect() as daemon:
        for one in advise(daemon, case, device="H200"):
            print(one.place.line, one.what, one.gain)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from .. import errors, source
from ..cases import Case, read, read_cases
from ..client import Connection
from ..values import Device, Launch, Prediction, WhatIf
from .launching import Changed, of_build, of_launches, of_transfers, times_of
from .places import Place, Places
from .wording import RULES, is_cure_of_strides, is_of_size, place_of, sentence_of

__all__ = ["GAIN_LEAST", "RULES", "Advice", "Case", "Place", "advise", "read", "read_cases"]

GAIN_LEAST = 0.03  # below, what differs between two runs of the same launch is as much
# Of two shapes of a group the model tells the faster one in 65 % of pairs that it has 3 to 6 % apart, and in 96 %
# of those 20 % apart: 493 pairs of measured launches, on a GPU and a CPU.
# Conflicts of sets are told less surely than the rest. Of seven loops that PoCL was told to unroll, predicted to
# gain 20 to 62 %, four gained and three lost.
_LEAST = {"align": 0.1, "beside": 0.1, "block": 0.1, "group": 0.25, "image": 0.2, "pitch": 0.2, "skew": 0.1, "strip": 0.1, "sums": 0.2, "turns": 0.3, "unroll": 0.1, "width": 0.3}
_LEAST_ON_CPU = {"beside": GAIN_LEAST, "unroll": 0.4, "width": 0.2}
# A warp's access to narrower elements leaves parts of a line of memory to others.
_WARP_ELEMENT_BYTES, _NARROW_WIDTH_LEAST = 4, 0.2


@dataclass(frozen=True)
class Advice:
    """One change, and what it brings. Times are those of the launch with what the change is about."""

    rule: str  # of RULES
    what: str
    file: Path
    place: Place
    is_sure: bool  # the change is of what the model sees; else it hangs on data, precision or the program around
    before_s: float
    before_low_s: float
    before_high_s: float
    after_s: float
    after_low_s: float
    after_high_s: float
    device: Device
    case: Case

    @property
    def gain(self) -> float:
        """The share of the time that goes."""
        return 1 - self.after_s / self.before_s

    @property
    def sureness(self) -> str:
        return "sure" if self.is_sure else "likely"


def _changed(daemon: Connection, launch: Launch, before: Prediction, device: Device) -> list[tuple[WhatIf, Prediction]]:
    """What each change of the model's list brings, but for those that it finds no launch for."""
    found = []
    for what_if in before.what_ifs:
        try:
            after = daemon.predict_changed(launch, what_if, device.key)
        except (errors.Invalid, errors.Limit, errors.Unsupported):
            continue
        least = _LEAST.get(what_if.word, GAIN_LEAST)
        if what_if.word == "width" and what_if.detail < _WARP_ELEMENT_BYTES:
            least = _NARROW_WIDTH_LEAST
        if device.type != "GPU":
            least = _LEAST_ON_CPU.get(what_if.word, least)
        if after.kernel_time_s < (1 - least) * before.kernel_time_s:
            found.append((what_if, after))
    return found


def _best(found: Sequence[tuple[WhatIf, Prediction]]) -> list[tuple[WhatIf, Prediction]]:
    """Of shapes of a group the best one; of cures of strides the best of a line, or one that is of all lines."""
    kept: dict[object, tuple[WhatIf, Prediction]] = {}
    for place, (one, after) in enumerate(sorted(found, key=lambda each: each[1].kernel_time_s)):
        key: object = place
        if one.word == "group":
            key = "group"
        elif one.word == "spread":
            key = ("spread", one.line)
        elif is_of_size(one.word):
            key = "size"
        elif is_cure_of_strides(one.word):
            has_line = any(isinstance(each, tuple) and each[0] == "line" for each in kept)
            if "exchange" in kept or (one.word == "exchange" and has_line):
                continue
            key = "exchange" if one.word == "exchange" else ("line", one.line)
        kept.setdefault(key, (one, after))
    return list(kept.values())


def _device(daemon: Connection, name: str) -> Device:
    from ..sweep import devices_of

    (chosen, *_) = devices_of(daemon, [name] if name else [])
    return next(one for one in daemon.devices(coefficients=True) if one.key == chosen.key)


def advise(
    daemon: Connection,
    case: Case,
    device: str = "",
    transfers: bool = False,
    launches: int = 1,
) -> list[Advice]:
    """Advice about one launch, what gains most first; none that gains less than 3 %.

    A program of several kernels needs one of them named. Raises the question's error.

    device     a key, an index or part of a name; "": the first calibrated one that is here
    transfers  also of copies, where buffers are copied for this launch alone
    launches   how many such launches follow each other
    """
    loaded = source.load(case.file, case.options)
    chosen = _device(daemon, device)
    program = daemon.register(loaded)
    launch = case.launch(program)
    before = daemon.what_ifs(launch, chosen.key)
    if before.basis == "fallback":
        return []
    kernel = case.kernel or (program.kernels[0].name if program.kernels else "")
    places = Places(loaded.text.decode("utf-8", "replace"), kernel)
    if not places.has_kernel:  # macros made its name
        costs = daemon.predict(launch, chosen.key, static_only=True, lines=True).lines
        places.kernel = places.line(min((one.line for one in costs if not one.file), default=1))
    made: list[Advice] = []

    def add(changed: Changed, place: Place) -> None:
        one = Advice(changed.rule, changed.what, case.file, place, changed.is_sure, *changed.before_s, *changed.after_s, chosen, case)
        if one.gain >= GAIN_LEAST:
            made.append(one)

    for what_if, after in _best(_changed(daemon, launch, before, chosen)):
        changed = Changed(what_if.word, sentence_of(what_if, launch), what_if.is_sure, times_of(before), times_of(after))
        add(changed, place_of(what_if, places))
    literals = places.double_literals()
    for changed in of_build(daemon, loaded, launch, chosen.key, before, bool(literals)):
        add(changed, literals[0] if changed.rule == "float" else places.kernel)
    if transfers:
        for changed in of_transfers(daemon, launch, chosen):
            add(changed, places.kernel)
    for changed in of_launches(before, launches):
        add(changed, places.kernel)
    return sorted(made, key=lambda one: -one.gain)
