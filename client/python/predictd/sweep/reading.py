# SPDX-License-Identifier: Apache-2.0
"""The words of a sweep: what it is over, sizes, arguments and macros, as expressions over names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Callable, Mapping, Optional, Sequence

from ..arguments import Argument, BranchHint, Hint, Image, LoopHint, Sampler, Struct
from ..arguments import Scalar as Value
from ..cases import checked, file_and_kernel, range_of
from ..errors import Invalid, Limit
from ..tune.expressions import Expression, size_of
from ..tune.predicting import bytes_of, lanes_of
from ..tune.reading import TYPE
from ..tune.space import Parameter, Problem, Scalar, Space, TunedArgument, TunedKernel

POINTS_MAX = 100_000
VALUES_MAX = 10_000
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE = re.compile(r"(?<![\w.])(\d+)([KMG])\b")


def plain(text: str) -> str:
    """64K as a number, wherever it stands."""
    return _SIZE.sub(lambda found: str(int(found[1]) * _UNITS[found[2]]), text)


def _number(text: str, where: str) -> int:
    try:
        return int(plain(text.strip()))
    except ValueError:
        raise Invalid(f"{where}: want a whole number, such as 64K, have {text.strip()!r:.40}") from None


def _range(text: str, where: str) -> list[int]:
    """A..B, A..B:xK or A..B:+K: from A to B, each K times as much, or K more; x2 where nothing is said."""
    bounds, _, step = text.partition(":")
    first, last = (_number(one, where) for one in bounds.split("..", 1))
    kind, size = (step[:1] or "x"), _number(step[1:] or "2", where)
    if kind not in "x+" or first > last or size < (2 if kind == "x" else 1) or (kind == "x" and first < 1):
        raise Invalid(f"{where}: want A..B:xK with K of 2 or more, or A..B:+K, A not above B, have {text!r:.60}")
    values = []
    while first <= last:
        values.append(first)
        if len(values) > VALUES_MAX:
            raise Limit(f"{where}: more than {VALUES_MAX} values")
        first = first * size if kind == "x" else first + size
    return values


def _value(text: str, where: str) -> Scalar:
    """A number; anything else is a macro's body."""
    text = text.strip()
    if re.fullmatch(r"-?\d+[KMG]?", text):
        return _number(text, where)
    if re.fullmatch(r"-?\d*\.\d+(e-?\d+)?|-?\d+e-?\d+", text):
        return float(text)
    if not text:
        raise Invalid(f"{where}: a value is missing")
    return text


def parameter(text: str, option: str) -> Parameter:
    """NAME=VALUES: a range, or values with commas between."""
    name, has_values, values = text.partition("=")
    where = f"{option} {name:.40}"
    if not has_values or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise Invalid(f"{option}: want NAME=A..B:x2 or NAME=A,B,C, have {text!r:.60}")
    made: list[Scalar] = []
    for part in values.split(","):
        if ".." in part:
            made.extend(_range(part, where))
        else:
            made.append(_value(part, where))
    return Parameter(name, tuple(dict.fromkeys(made)))


ACCESSES = ("r", "w", "rw")


def _other(where: str, make: Callable[[Mapping[str, Scalar]], Argument]) -> TunedArgument:
    return TunedArgument("other", "", where, made=make)


def _lengths(text: str, where: str, known: Sequence[str]) -> list[Expression]:
    """WIDTHxHEIGHT[xDEPTH], where an x may be part of a name: where each part is an expression."""
    parts = text.split("x")
    places = range(1, len(parts))
    cuts = [(), *((a,) for a in places), *((a, b) for a in places for b in places if a < b)]
    failure: Optional[Invalid] = None
    for cut in cuts if len(parts) <= 16 else ():
        ends = [0, *cut, len(parts)]
        try:
            return [Expression(plain("x".join(parts[a:b])), where, known) for a, b in zip(ends, ends[1:])]
        except Invalid as error:
            failure = error if len(cut) == 1 or failure is None else failure
    raise failure or Invalid(f"{where}: want WIDTHxHEIGHT[xDEPTH], have {text!r:.60}")


def _image(parts: list[str], where: str, known: Sequence[str]) -> TunedArgument:
    access = parts.pop() if parts[1:] and parts[-1] in ACCESSES else "r"
    if not parts or len(parts) > 2:
        raise Invalid(f"{where}: want image:WIDTHxHEIGHT[xDEPTH][:FORMAT][:ACCESS]")
    lengths = _lengths(parts[0], where, known)
    texel = parts[1] if parts[1:] else "rgba8"

    def make(names: Mapping[str, Scalar]) -> Argument:
        made = [size_of(one(names), where) for one in lengths]
        width, height, depth = (*made, *(0, 1, 0)[len(made) :])
        return Image(width, height, texel, access, depth)

    return _other(where, make)


def _buffer(parts: list[str], place: int, where: str, known: Sequence[str]) -> TunedArgument:
    access = parts.pop(1) if parts[1:] and parts[1] in ACCESSES else "rw"
    limits = range_of(parts.pop(1), where) if parts[1:] else None
    if len(parts) != 1:
        raise Invalid(f"{where}: want buffer:BYTES[:r|w|rw][:LOW..HIGH]")
    return TunedArgument("buffer", "uchar", f"#{place}", Expression(plain(parts[0]), where, known), access, range=limits)


def _argument(text: str, place: int, known: Sequence[str]) -> TunedArgument:
    """As predictctl's --arg, with expressions for numbers, but for what `measure` fills a buffer with."""
    where = f"--arg {place}"  # counted as by clSetKernelArg
    kind, *parts = text.split(":")
    if kind == "sampler":
        sampler = checked(where, lambda: Sampler(*parts[:1]))
        return _other(where, lambda names: sampler)
    if not parts or not parts[0] or kind not in ("buffer", "image") and len(parts) > 1:
        raise Invalid(f"{where}: want buffer:BYTES, local:BYTES, bytes:BYTES, image:WxH, sampler or TYPE:VALUE, have {text!r:.60}")
    if kind == "buffer":
        return _buffer(parts, place, where, known)
    if kind == "image":
        return _image(parts, where, known)
    if kind == "bytes":
        size = Expression(plain(parts[0]), where, known)
        return _other(where, lambda names: Struct(size_of(size(names), where)))
    if kind == "local":
        return TunedArgument("local", "uchar", count=Expression(plain(parts[0]), where, known))
    if not TYPE.fullmatch(kind):
        raise Invalid(f"{where}: want buffer, local, bytes, image, sampler or a type of OpenCL C, have {kind!r:.60}")
    value = Expression(plain(parts[0]), where, known)
    if kind[-1].isdigit() and "," in parts[0]:
        return _other(where, lambda names: Value(kind, _list_of(value(names))))
    return TunedArgument("scalar", kind, value=value)


def _hint(text: str, known: Sequence[str]) -> Callable[[Mapping[str, Scalar]], Hint]:
    found = re.fullmatch(r"(loop|branch):(\d{1,9})=(.+)", text)
    if not found:
        raise Invalid(f"--hint: want loop:LINE=TRIPS or branch:LINE=SHARE, have {text!r:.60}")
    kind, line, value = found[1], int(found[2]), Expression(plain(found[3]), "--hint", known)

    def make(names: Mapping[str, Scalar]) -> Hint:
        told = value(names)
        if isinstance(told, bool) or not isinstance(told, (int, float)):
            raise Invalid(f"--hint: want a number, have {told!r:.40}")
        number = float(told)

        def hinted() -> Hint:
            return LoopHint(line, number) if kind == "loop" else BranchHint(line, number)

        return checked(f"--hint {text}", hinted)

    return make


def _list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def typed(argument: TunedArgument, told: str, known: Sequence[str]) -> TunedArgument:
    """A buffer as one of the elements that its kernel has ("buffer float"), with contents that are safe for any
    kernel: reals between 0 and 1, integers of 0, which is an index wherever one is. One with an `init` keeps that."""
    kind, _, element = told.partition(" ")
    if argument.init is not None or argument.kind != "buffer" or kind != "buffer" or not TYPE.fullmatch(element):
        return argument
    assert argument.count is not None
    count = Expression(f"({argument.count.text}) // {bytes_of(element)}", "a buffer's elements", known)
    is_real = lanes_of(element)[0] in ("half", "float", "double")
    return replace(argument, type=element, count=count, fill="random" if is_real else "zero", fill_value=1)


def _sizes(text: str, option: str, known: Sequence[str]) -> tuple[Expression, ...]:
    parts = [one for one in text.split(",") if one.strip()]
    if len(parts) > 3:
        raise Invalid(f"{option}: want three sizes at most, have {len(parts)}")
    return tuple(Expression(plain(one), option, known) for one in parts)


def read(
    file: str,
    over: Sequence[str],
    global_size: str,
    local_size: str = "",
    arguments: Sequence[str] = (),
    macros: Sequence[str] = (),
    options: str = "",
    conditions: Sequence[str] = (),
    hints: Sequence[str] = (),
) -> Problem:
    """A sweep of a kernel of a file, "FILE.cl" or "FILE.cl:KERNEL".

    over        "n=256..8192:x2", "n=0..100:+25", "n=1K,1M": names, and the values that they take
    global_size, local_size   sizes with commas between, which may hang on these names; "": the runtime chooses
    arguments   "buffer:4*n*n:r", "local:4*l", "float:2", "uint:n", "image:nxn:r32f", "sampler", "bytes:12"
    macros      "NAME=VALUES" as of `over`: a name that is a macro, too; "NAME:=EXPRESSION": over the names
    conditions  points for which one of these is false are left out
    hints       "loop:LINE=TRIPS", "branch:LINE=SHARE": "loop:12=n"
    """
    parameters = [parameter(one, "--over") for one in over]
    given: list[tuple[str, str]] = []
    for one in macros:
        name, is_derived, body = one.partition(":=")
        if is_derived:
            given.append((name, body))
            continue
        if "=" not in one:
            one += "=1"
        parameters.append(parameter(one, "-D"))
        given.append((parameters[-1].name, parameters[-1].name))
    known = [one.name for one in parameters]
    path, kernel = file_and_kernel(file)
    sizes, local = _sizes(global_size, "--global", known), _sizes(local_size, "--local", known)
    if not sizes:
        raise Invalid("want --global, the NDRange: a size, or two or three with commas between")
    if local and len(local) != len(sizes):
        raise Invalid(f"--local: want {len(sizes)} sizes as in --global, have {len(local)}")
    space = Space(parameters, [Expression(plain(one), "--where", known) for one in conditions])
    tuned = TunedKernel(
        path,
        kernel,
        tuple(_argument(one, place, known) for place, one in enumerate(arguments)),
        sizes,
        local,
        options,
        parameters=(),
        macros=tuple((name, Expression(plain(body), f"-D {name}", known)) for name, body in given),
        hints=tuple(_hint(one, known) for one in hints),
    )
    return Problem(space, (tuned,))
