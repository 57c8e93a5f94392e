# SPDX-License-Identifier: Apache-2.0
"""What is tuned: kernels, their parameters, what holds between them, and how a variant is launched."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from ..arguments import Argument, Hint
from ..errors import Invalid, Limit
from ..files import read_regular
from ..fill import Fill
from ..printable import printable
from ..source import BYTES_MAX as SOURCE_BYTES_MAX
from .expressions import Expression, size_of

CONFIGURATIONS_MAX = 1 << 20  # PREDICTD_TUNE_CONFIGURATIONS_MAX
PARAMETERS_MAX = 64  # PREDICTD_TUNE_PARAMETERS_MAX
VISITS_MAX = 50_000_000

Scalar = Union[int, float, bool, str]
Configuration = tuple[Scalar, ...]  # a value for each parameter, in their order


@dataclass(frozen=True)
class Parameter:
    name: str
    values: tuple[Scalar, ...]


class Space:
    """Parameters and conditions. Iterating gives every configuration for which all conditions hold.

    A condition is tried as soon as its last parameter has a value, so that what cannot hold is not
    enumerated further.
    """

    def __init__(self, parameters: Sequence[Parameter], conditions: Sequence[Expression]) -> None:
        if len(parameters) > PARAMETERS_MAX:
            raise Limit(f"{len(parameters)} parameters: want {PARAMETERS_MAX} at most")
        names = [one.name for one in parameters]
        for place, one in enumerate(parameters):
            if one.name in names[:place]:
                raise Invalid(f"parameter {one.name!r} is there twice")
            if not re.fullmatch(r"[A-Za-z_]\w*", one.name):
                raise Invalid(f"want a name of letters, digits and _, have {one.name!r:.80}")
            if not one.values:
                raise Invalid(f"parameter {one.name!r} has no value")
            if any(isinstance(value, str) and printable(value) != value for value in one.values):
                raise Invalid(f"parameter {one.name!r}: want values without control characters, in UTF-8")
        self.parameters = tuple(parameters)
        self.conditions = tuple(conditions)
        last = {name: place for place, name in enumerate(names)}
        self._tried_at: list[list[Expression]] = [[] for _ in parameters]
        self._always: list[Expression] = []
        for condition in conditions:
            places = [last[name] for name in condition.names if name in last]
            (self._tried_at[max(places)] if places else self._always).append(condition)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.parameters)

    def named(self, configuration: Configuration) -> dict[str, Scalar]:
        return dict(zip(self.names, configuration))

    def __iter__(self) -> Iterator[Configuration]:
        if not all(condition({}) for condition in self._always):
            return
        values: dict[str, Scalar] = {}
        counts = [0] * (len(self.parameters) + 1)  # how many values were tried at each depth
        depth, visits, found = 0, 0, 0
        while depth >= 0:
            if depth == len(self.parameters):
                found += 1
                if found > CONFIGURATIONS_MAX:
                    raise Limit(f"more than {CONFIGURATIONS_MAX} configurations: constrain the space")
                yield tuple(values.values())
                depth -= 1
                continue
            one = self.parameters[depth]
            if counts[depth] == len(one.values):
                counts[depth] = 0
                values.pop(one.name, None)
                depth -= 1
                continue
            visits += 1
            if visits > VISITS_MAX:
                raise Limit(f"more than {VISITS_MAX} combinations were tried: put what constrains most first")
            values.pop(one.name, None)  # so that values stay in the parameters' order
            values[one.name] = one.values[counts[depth]]
            counts[depth] += 1
            if all(condition(values) for condition in self._tried_at[depth]):
                depth += 1


FILLS = ("zero", "iota", "constant", "random", "file")


@dataclass(frozen=True)
class TunedArgument:
    """An argument of a kernel. Sizes are of elements, and may hang on parameters."""

    kind: str  # "buffer", "scalar", "local"; "other": what is predicted, and never run
    type: str  # of OpenCL C: "float", "int4", ...
    name: str = ""
    count: Optional[Expression] = None  # buffer, local: elements
    access: str = "rw"
    value: Optional[Expression] = None  # scalar
    fill: str = "zero"  # buffer; "init": as `init` says
    fill_value: float = 0  # of a constant; of random, values are from 0 to it
    seed: int = 0
    file: Optional[Path] = None
    init: Optional[Fill] = None
    range: Optional[tuple[int, int]] = None  # buffer: what its integers lie in
    holds: Optional[Fill] = None  # buffer: what predictions may look at of
    made: Optional[Callable[[Mapping[str, Scalar]], Argument]] = None  # other


@lru_cache(maxsize=16)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_]\w*", text))


@dataclass(frozen=True)
class TunedKernel:
    """A kernel of a composition, in the order in which they run."""

    file: Path
    name: str
    arguments: tuple[TunedArgument, ...]
    global_size: tuple[Expression, ...]
    local_size: tuple[Expression, ...] = ()  # (): the runtime chooses
    options: str = ""
    is_template: bool = False  # ${NAME} in the text stands for a parameter; else -D NAME=value does
    parameters: Optional[tuple[str, ...]] = None  # its own and shared ones; None: all
    macros: tuple[tuple[str, Expression], ...] = ()  # -D NAME=value besides
    hints: tuple[Callable[[Mapping[str, Scalar]], Hint], ...] = ()
    offset: tuple[int, ...] = ()
    idle_s: float = 0.0

    def read(self) -> str:
        """The file's text, with its bytes kept."""
        text = read_regular(self.file, SOURCE_BYTES_MAX, Limit(f"{self.file}: more than {SOURCE_BYTES_MAX >> 20} MiB"))
        return text.decode("utf-8", "surrogateescape")

    def defines(self, names: Mapping[str, Scalar], text: str) -> str:
        """The -D options of a configuration: of those parameters that the text has, so that variants
        which differ in others alone are one program."""
        words = _words(text)
        parts = [
            f"-D{name}={_defined(value)}"
            for name, value in names.items()
            if name in words and (self.parameters is None or name in self.parameters)
        ]
        macros = [f"-D{name}={_defined(value(names))}" for name, value in self.macros]
        return " ".join(filter(None, [self.options, *([] if self.is_template else parts), *macros]))

    def text(self, names: Mapping[str, Scalar], text: str) -> str:
        """What is compiled."""
        if not self.is_template:
            return text
        try:
            return Template(text).substitute({name: _defined(value) for name, value in names.items()})
        except (KeyError, ValueError) as error:
            raise Invalid(f"{self.file}: a template of {', '.join(names)}: {error}") from None

    def sizes(self, names: Mapping[str, Scalar]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Global and local size of a configuration."""
        called = self.name or self.file.name
        return (
            tuple(size_of(one(names), f"{called}: global size") for one in self.global_size),
            tuple(size_of(one(names), f"{called}: local size") for one in self.local_size),
        )


def _defined(value: Scalar) -> str:
    """As a macro's body."""
    if isinstance(value, bool):
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


METHODS = ("absolute", "relative", "side-by-side", "side-by-side-relative")


@dataclass(frozen=True)
class Reference:
    """What an argument has to hold after a variant has run: a file, or what a kernel or a command makes.

    absolute: the sum of differences is at most `tolerance`; relative: over the sum of the reference;
    side by side: each difference is at most `tolerance`, or relative to its reference.
    """

    argument: str
    method: str = "side-by-side-relative"
    tolerance: float = 1e-4
    file: Optional[Path] = None
    kernel: Optional[TunedKernel] = None
    command: tuple[str, ...] = ()
    configuration: Optional[Mapping[str, Scalar]] = None  # of `kernel`; else of the tuned one


@dataclass(frozen=True)
class Problem:
    space: Space
    kernels: tuple[TunedKernel, ...]
    references: tuple[Reference, ...] = ()
    device: str = ""
    runs: int = 0  # that are measured at most; 0: as many as it takes
    time_s: float = 0  # that measuring takes at most; 0: as long as it takes
    constants: Mapping[str, Any] = field(default_factory=dict)
