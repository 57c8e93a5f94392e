# SPDX-License-Identifier: Apache-2.0
"""Launches that are asked about: in the words of `predictctl predict`, or in a cases file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

from .arguments import Argument, BranchHint, Buffer, Hint, Image, Local, LoopHint, Sampler, Scalar, Struct
from .errors import Invalid, Limit
from .fill import Fill, sampled
from .printable import in_line
from .files import read_json
from .values import Launch, Program

CASES_BYTES_MAX = 16 << 20
CASES_MAX = 10_000
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_INIT = re.compile(r"zero|iota|rand_|csr_rowptr|@")  # as predictctl(1) has them
_T = TypeVar("_T")


@dataclass(frozen=True)
class Case:
    """One kernel and one launch of it."""

    file: Path
    kernel: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] = ()
    arguments: tuple[Argument, ...] = ()
    hints: tuple[Hint, ...] = ()
    offset: tuple[int, ...] = ()
    options: str = ""
    idle_s: float = 0.0
    name: str = ""
    fills: tuple[Optional[Fill], ...] = ()  # what predictions may look at of what buffers hold
    inits: tuple[Optional[Fill], ...] = ()  # what buffers hold where the launch is run

    def launch(self, program: Program) -> Launch:
        arguments = sampled(self.arguments, self.fills, program, self.kernel)
        return Launch(
            program, self.global_size, self.local_size or None, arguments, self.kernel, self.offset or None, self.hints, self.idle_s
        )


def checked(where: str, make: Callable[[], _T]) -> _T:
    try:
        return make()
    except (ValueError, TypeError, OverflowError) as error:
        raise Invalid(f"{where}: {error}") from None


def file_and_kernel(text: Union[str, Path]) -> tuple[Path, str]:
    """FILE.cl or FILE.cl:KERNEL, whose path may have a colon, too."""
    path, colon, kernel = str(text).rpartition(":")
    return (Path(text), "") if not colon or "/" in kernel or Path(text).exists() else (Path(path), kernel)


def size(text: str, where: str) -> int:
    found = re.fullmatch(r"(\d{1,20})([KMG]?)", text)
    if not found:
        raise Invalid(f"{where}: want a size such as 4096 or 16K, have {text!r:.40}")
    return int(found[1]) * _UNITS[found[2]]


def sizes(text: str, where: str, at_least: int = 1) -> tuple[int, ...]:
    made = tuple(size(one, where) for one in text.split(",")) if text else ()
    if len(made) > 3 or any(one < at_least for one in made):
        raise Invalid(f"{where}: want one to three sizes of {at_least} or more, have {text!r:.40}")
    return made


def range_of(text: str, where: str) -> tuple[int, int]:
    found = re.fullmatch(r"(-?\d{1,20})\.\.(-?\d{1,20})", text)
    if not found:
        raise Invalid(f"{where}: want r, w, rw or LOW..HIGH, have {text!r:.40}")
    return int(found[1]), int(found[2])


def _numbers(text: str, where: str) -> list[Any]:
    try:
        return [int(one, 0) if re.fullmatch(r"[+-]?(0x[0-9a-fA-F]+|\d+)", one) else float(one) for one in text.split(",")]
    except ValueError:
        raise Invalid(f"{where}: want numbers with commas between, have {text!r:.40}") from None


def _sized(kind: str, size_bytes: int, where: str) -> Argument:
    def make() -> Argument:
        return Local(size_bytes) if kind == "local" else Struct(size_bytes)

    return checked(where, make)


def _image(lengths: Sequence[int], texel: str, access: str, where: str) -> Argument:
    width, height, depth = (*lengths, *(0, 1, 0)[len(lengths) :])
    return checked(where, lambda: Image(width, height, texel, access, depth))


def argument(text: str, where: str) -> Argument:
    """buffer:BYTES[:r|w|rw][:LOW..HIGH][:INIT], local:BYTES, bytes:BYTES, image:WxH[xD][:FORMAT][:ACCESS], sampler[:WORDS], TYPE:VALUE."""
    kind, *parts = text.split(":")
    if kind == "buffer":
        access, limits = "rw", None
        if parts[1:] and parts[1] in ("r", "w", "rw"):
            access = parts.pop(1)
        if parts[1:] and re.match(r"[-\d.]", parts[1]):
            limits = range_of(parts.pop(1), where)
        if parts[1:] and _INIT.match(parts[1]):
            del parts[1:]  # a fill, as `_fill` has it
        if len(parts) != 1:
            raise Invalid(f"{where}: want buffer:SIZE[:ACCESS][:LOW..HIGH], have {text!r:.60}")
        return checked(where, lambda: Buffer(size(parts[0], where), access, limits))
    if kind in ("local", "bytes"):
        if len(parts) != 1:
            raise Invalid(f"{where}: want {kind}:SIZE, have {text!r:.60}")
        return _sized(kind, size(parts[0], where), where)
    if kind == "image":
        lengths = [size(one, where) for one in (parts or [""])[0].split("x")]
        access = parts.pop() if parts[1:] and parts[-1] in ("r", "w", "rw") else "r"
        if len(lengths) > 3 or parts[2:]:
            raise Invalid(f"{where}: want image:WIDTHxHEIGHT[xDEPTH][:FORMAT][:ACCESS], have {text!r:.60}")
        return _image(lengths, parts[1] if parts[1:] else "rgba8", access, where)
    if kind == "sampler":
        return checked(where, lambda: Sampler(parts[0] if parts else "nearest"))
    if len(parts) != 1:
        raise Invalid(f"{where}: want buffer:SIZE, local:SIZE, image:WxH, sampler or TYPE:VALUE, have {text!r:.60}")
    values = _numbers(parts[0], where)
    return checked(where, lambda: Scalar(kind, values if len(values) > 1 else values[0]))


def _fill(text: str, place: int, where: str) -> Optional[Fill]:
    """INIT of a buffer's word."""
    kind, *parts = text.split(":")
    at = next((i for i, part in enumerate(parts) if i > 0 and _INIT.match(part)), None) if kind == "buffer" else None
    return None if at is None else checked(where, lambda: Fill(":".join(parts[at:]), place))


def hint(text: str, where: str) -> Hint:
    found = re.fullmatch(r"(loop|branch):(\d{1,9})=(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)", text)
    if not found:
        raise Invalid(f"{where}: want loop:LINE=TRIPS or branch:LINE=SHARE, have {text!r:.60}")
    kind, line, value = found[1], int(found[2]), float(found[3])

    def make() -> Hint:
        return LoopHint(line, value) if kind == "loop" else BranchHint(line, value)

    return checked(where, make)


def read(
    file: str,
    global_size: str,
    local_size: str = "",
    arguments: Sequence[str] = (),
    hints: Sequence[str] = (),
    options: str = "",
    idle_s: float = 0.0,
    is_sampled: bool = False,
) -> Case:
    """A launch of "FILE.cl" or "FILE.cl:KERNEL", in the words of the command line.

    is_sampled   predictions may look at samples of what INIT makes of the buffers
    """
    path, kernel = file_and_kernel(file)
    made, local = sizes(global_size, "--global"), sizes(local_size, "--local")
    if not made:
        raise Invalid("want --global, the NDRange: a size, or two or three with commas between")
    if local and len(local) != len(made):
        raise Invalid(f"--local: want {len(made)} sizes as in --global, have {len(local)}")
    fills = tuple(_fill(one, place, f"--arg {place}") for place, one in enumerate(arguments))
    return Case(
        path, kernel, made, local,
        tuple(argument(one, f"--arg {place}") for place, one in enumerate(arguments)),
        tuple(hint(one, "--hint") for one in hints),
        options=options, idle_s=idle_s, fills=fills if is_sampled else (), inits=fills,
    )  # fmt: skip


# ---- cases files ---------------------------------------------------------------------------------


def _integer(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Invalid(f"{where}: want a whole number, have {value!r:.40}")
    return value


def _case_sizes(value: Any, where: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= 3:
        raise Invalid(f"{where}: want one to three sizes, have {value!r:.40}")
    return tuple(_integer(one, where) for one in value)


def _case_argument(value: Any, where: str) -> Argument:
    if not isinstance(value, dict):
        raise Invalid(f"{where}: want an object, have {value!r:.40}")
    if "buffer" in value:
        limits = value.get("range")
        if limits is not None and (not isinstance(limits, list) or len(limits) != 2):
            raise Invalid(f"{where}: 'range': want two numbers, have {limits!r:.40}")
        pair = None if limits is None else (_integer(limits[0], where), _integer(limits[1], where))
        return checked(where, lambda: Buffer(_integer(value["buffer"], where), value.get("access", "rw"), pair))
    if "scalar" in value:
        return checked(where, lambda: Scalar(str(value["scalar"]), value.get("value", 0)))
    if "local" in value or "bytes" in value:
        kind = "local" if "local" in value else "bytes"
        return _sized(kind, _integer(value[kind], where), where)
    if "image" in value:
        return _image(_case_sizes(value["image"], where), str(value.get("format", "rgba8")), str(value.get("access", "r")), where)
    if "sampler" in value:
        return checked(where, lambda: Sampler(str(value["sampler"])))
    raise Invalid(f"{where}: want a buffer, scalar, local, bytes, image or sampler")


def _case_init(value: Any, folder: Path, place: int, where: str) -> Optional[Fill]:
    init, sample = value.get("init"), value.get("sample", False)
    if not isinstance(sample, bool):
        raise Invalid(f"{where}: 'sample': want true or false")
    if sample and init is None:
        raise Invalid(f"{where}: 'sample': want an 'init' to take it of")
    if init is None or "buffer" not in value:
        return None
    if not isinstance(init, str):
        raise Invalid(f"{where}: 'init': want a text")
    return checked(where, lambda: Fill(init, place, folder))


def _list(value: Mapping[str, Any], key: str, where: str) -> list[Any]:
    found = value.get(key, [])
    if not isinstance(found, list):
        raise Invalid(f"{where}: '{key}': want a list, have {found!r:.40}")
    return found


def _case_hints(value: Any, where: str) -> tuple[Hint, ...]:
    if not isinstance(value, dict):
        raise Invalid(f"{where}: 'hints': want {{\"loop:LINE\": TRIPS}}, have {value!r:.40}")
    return tuple(hint(f"{key}={one}", where) for key, one in value.items())


def _case(value: Any, folder: Path, is_sampled: bool, where: str) -> Optional[Case]:
    if not isinstance(value, dict):
        raise Invalid(f"{where}: want an object, have {value!r:.40}")
    if not isinstance(value.get("id"), str):
        raise Invalid(f"{where}: 'id': want a text")
    if in_line(value["id"]) != value["id"]:
        raise Invalid(f"{where}: 'id': want a text without control characters")
    where = f"{where}: {value['id']:.60}"
    for key in ("file", "kernel", "options"):
        if not isinstance(value.get(key, ""), str):
            raise Invalid(f"{where}: '{key}': want a text")
        if key != "options" and in_line(value.get(key, "")) != value.get(key, ""):
            raise Invalid(f"{where}: '{key}': want a text without control characters")
    if "file" not in value:
        return None  # of a kernel without source there is nothing to advise
    idle_s = value.get("idle_s", 0)
    if isinstance(idle_s, bool) or not isinstance(idle_s, (int, float)):
        raise Invalid(f"{where}: 'idle_s': want a number of seconds")
    arguments = _list(value, "args", where)
    made = tuple(_case_argument(one, f"{where}: argument {place}") for place, one in enumerate(arguments))
    inits = tuple(_case_init(one, folder, place, f"{where}: argument {place}") for place, one in enumerate(arguments))
    return Case(
        folder / value["file"], value.get("kernel", ""),
        _case_sizes(value.get("global"), f"{where}: 'global'"),
        _case_sizes(value["local"], f"{where}: 'local'") if value.get("local") is not None else (),
        made,
        _case_hints(value.get("hints", {}), where),
        _case_sizes(value["offset"], f"{where}: 'offset'") if value.get("offset") is not None else (),
        value.get("options", ""), float(idle_s), value["id"],
        tuple(init if is_sampled or one.get("sample", False) else None for init, one in zip(inits, arguments)),
        inits,
    )  # fmt: skip


def read_cases(path: Path, is_sampled: bool = False) -> list[Case]:
    """The launches of a cases file, but those of kernels without source.

    is_sampled   as if each buffer that has an `init` said `sample`
    """
    value = read_json(path, CASES_BYTES_MAX)
    if not isinstance(value, list) or not value:
        raise Invalid(f"{path}: want a list of cases")
    if len(value) > CASES_MAX:
        raise Limit(f"{path}: more than {CASES_MAX} cases")
    made = [_case(one, path.parent, is_sampled, f"{path}: case {place}") for place, one in enumerate(value)]
    return [one for one in made if one is not None]
