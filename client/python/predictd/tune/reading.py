# SPDX-License-Identifier: Apache-2.0
"""Problems from files: Kernel Tuner's format (T1, version 1.0.0 of its schema), and a short form of predictd's."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from ..errors import Invalid, Unsupported
from .expressions import Expression
from .space import FILLS, METHODS, Parameter, Problem, Reference, Scalar, Space, TunedArgument, TunedKernel
from ..files import read_json

BYTES_MAX = 16 << 20
VALUES_MAX = 1 << 16


class _Object:
    """A JSON object whose keys are asked for by name; what nobody asked for is refused."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise Invalid(f"{where}: want an object, have {value!r:.60}")
        self.where, self._value, self._asked = where, value, set[str]()

    def __contains__(self, key: str) -> bool:
        return key in self._value

    def get(self, key: str, kinds: Any, default: Any = None) -> Any:
        self._asked.add(key)
        if key not in self._value:
            return default
        value = self._value[key]
        if kinds is object or isinstance(value, kinds) and not (isinstance(value, bool) and kinds is not bool):
            return value
        wanted = {str: "a text", list: "an array", dict: "an object", bool: "true or false"}.get(kinds, "a number")
        raise Invalid(f"{self.where}: '{key}': want {wanted}, have {value!r:.60}")

    def want(self, key: str, kinds: Any) -> Any:
        if key not in self._value:
            raise Invalid(f"{self.where}: '{key}' is missing")
        return self.get(key, kinds)

    def one_of(self, key: str, words: Sequence[str], default: str) -> str:
        value: str = self.get(key, str, default)
        if value not in words:
            raise Invalid(f"{self.where}: '{key}': want one of {', '.join(words)}, have {value!r:.60}")
        return value

    def inside(self, key: str) -> _Object:
        return _Object(self.get(key, dict, {}), f"{self.where}: '{key}'")

    def each(self, key: str) -> list[_Object]:
        parts: list[Any] = self.get(key, list, [])
        return [_Object(one, f"{self.where}: {key}[{place}]") for place, one in enumerate(parts)]

    def done(self) -> None:
        for key in self._value:
            if key not in self._asked:
                raise Invalid(f"{self.where}: '{key}' is not known")


def _expression(value: Any, where: str, known: Sequence[str]) -> Expression:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise Invalid(f"{where}: want a number or an expression, have {value!r:.60}")
    return Expression(str(value), where, known)


def _values(value: Any, where: str) -> tuple[Scalar, ...]:
    """A parameter's values: an array, or an expression of one."""
    if isinstance(value, str):
        value = Expression(value, where, ())({})
    if isinstance(value, (range, tuple)):
        value = list(value)
    if not isinstance(value, list):
        value = [value]
    if len(value) > VALUES_MAX:
        raise Invalid(f"{where}: {len(value)} values: want {VALUES_MAX} at most")
    for one in value:
        if not isinstance(one, (bool, int, float, str)) or isinstance(one, float) and not math.isfinite(one):
            raise Invalid(f"{where}: want numbers and texts, have {one!r:.60}")
    return tuple(dict.fromkeys(value))


def _path(folder: Path, name: str) -> Path:
    """A path of a file is relative to it."""
    if "\0" in name or not name:
        raise Invalid(f"want the path of a file, have {name!r:.60}")
    return folder / name


# ---- Kernel Tuner's ------------------------------------------------------------------------------

_T1_TYPES = {
    "bool": "uchar",
    "int8": "char",
    "uint8": "uchar",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "int64": "long",
    "uint64": "ulong",
    **{f"{base}{lanes}": f"{base}{lanes}" for base in ("half", "float", "double") for lanes in ("", 2, 4, 8, 16)},
}
_T1_ACCESS = {"ReadOnly": "r", "WriteOnly": "w", "ReadWrite": "rw"}
_T1_FILLS = {"Constant": "constant", "Random": "random", "BinaryRaw": "file"}
_T1_METHODS = {
    "AbsoluteDifference": "absolute",
    "SideBySideComparison": "side-by-side",
    "SideBySideRelativeComparison": "side-by-side-relative",
}


def _t1_argument(one: _Object, folder: Path, known: Sequence[str]) -> TunedArgument:
    name, type_name, memory = one.get("Name", str, ""), one.want("Type", str), one.want("MemoryType", str)
    where = f"{one.where} {name}".rstrip()
    if type_name not in _T1_TYPES:
        raise Unsupported(f"{where}: arguments of type {type_name!r:.40} are not launched")
    if memory not in ("Scalar", "Vector", "Local"):
        raise Unsupported(f"{where}: OpenCL has no memory {memory!r:.40}")
    fill = one.get("FillType", str, "Constant")
    if fill not in _T1_FILLS:
        raise Unsupported(f"{where}: a fill of {fill!r:.40} is not made; {', '.join(_T1_FILLS)} are")
    value, size = one.get("FillValue", (int, float), 0), one.get("Size", (int, str), 1)
    one.get("TypeSize", int)
    source = one.get("DataSource", str, "")
    if _T1_FILLS[fill] == "file" and not source:
        raise Invalid(f"{where}: 'DataSource' is missing")
    made = TunedArgument(
        kind={"Scalar": "scalar", "Vector": "buffer", "Local": "local"}[memory],
        type=_T1_TYPES[type_name],
        name=name,
        count=_expression(size, f"{where}: Size", known),
        access=_T1_ACCESS[one.one_of("AccessType", list(_T1_ACCESS), "ReadWrite")],
        value=_expression(value, f"{where}: FillValue", known),
        fill=_T1_FILLS[fill],
        fill_value=value,
        seed=one.get("RandomSeed", int, 0),
        file=_path(folder, source) if source else None,
    )
    one.done()
    return made


def _t1_sizes(one: _Object, key: str, known: Sequence[str]) -> tuple[Expression, ...]:
    sizes = one.inside(key)
    made = [
        _expression(sizes.want(axis, (str, int)), f"{sizes.where}: {axis}", known) for axis in "XYZ" if axis in sizes
    ]
    sizes.want("X", (str, int))
    sizes.done()
    return tuple(made)


def t1(value: Any, folder: Path, where: str) -> Problem:
    """A problem in Kernel Tuner's format; names are relative to `folder`."""
    top = _Object(value, where)
    configured, kernel = top.inside("ConfigurationSpace"), top.inside("KernelSpecification")
    parameters = []
    for one in configured.each("TuningParameters"):
        name = one.want("Name", str)
        one.one_of("Type", ("int", "uint", "float", "bool", "string"), "int")
        one.get("Default", object)
        parameters.append(Parameter(name, _values(one.want("Values", (str, list)), f"{one.where} {name:.40}")))
        one.done()
    known = [one.name for one in parameters]
    conditions = []
    for one in configured.each("Conditions"):
        one.get("Parameters", list)
        conditions.append(Expression(one.want("Expression", str), one.where, known))
        one.done()
    language = kernel.want("Language", str)
    if language != "OpenCL":
        raise Unsupported(f"{where}: kernels in {language:.40} are not tuned: want OpenCL")
    local = _t1_sizes(kernel, "LocalSize", known)
    sizes = _t1_sizes(kernel, "GlobalSize", known)
    if kernel.one_of("GlobalSizeType", ("OpenCL", "CUDA", "Vulkan"), "OpenCL") != "OpenCL":
        # counts of work-groups
        grouped = zip(sizes, [*local, *[Expression("1")] * 3])
        sizes = tuple(Expression(f"({size.text}) * ({group.text})", where, known) for size, group in grouped)
    options = kernel.get("CompilerOptions", list, [])
    if not all(isinstance(one, str) for one in options):
        raise Invalid(f"{where}: 'CompilerOptions': want texts")
    tuned = TunedKernel(
        file=_path(folder, kernel.want("KernelFile", str)),
        name=kernel.want("KernelName", str),
        arguments=tuple(_t1_argument(one, folder, known) for one in kernel.each("Arguments")),
        global_size=sizes,
        local_size=local,
        options=" ".join(options),
    )
    references = []
    for one in kernel.each("ReferenceArguments"):
        one.want("Name", str)
        fill = one.want("FillType", str)
        if fill != "BinaryRaw":
            raise Unsupported(f"{one.where}: a reference of {fill!r:.40} is not made; BinaryRaw is read")
        references.append(
            Reference(
                argument=one.want("TargetName", str),
                method=_T1_METHODS[one.one_of("ValidationMethod", list(_T1_METHODS), "SideBySideRelativeComparison")],
                tolerance=one.get("ValidationThreshold", (int, float), 1e-4),
                file=_path(folder, one.want("DataSource", str)),
            )
        )
        for key in ("FillValue", "RandomSeed"):
            one.get(key, (int, float))
        one.done()
    runs, time_s = 0, 0.0
    space = Space(parameters, conditions)
    for one in top.each("Budget"):
        kind, budget = one.want("Type", str), one.want("BudgetValue", (int, float))
        if kind == "ConfigurationCount":
            runs = int(budget)
        elif kind == "TuningDuration":
            time_s = float(budget)
        elif kind == "ConfigurationFraction":
            runs = max(1, int(budget * sum(1 for _ in space)))
        else:
            raise Invalid(f"{one.where}: {kind!r:.40} is no budget")
        one.done()
    device = kernel.inside("Device").get("Name", str, "")
    return _checked(Problem(space, (tuned,), tuple(references), device, runs, time_s), where)


# ---- the short form ------------------------------------------------------------------------------

TYPE = re.compile(r"(?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)?")


def _short_argument(one: _Object, folder: Path, known: Sequence[str]) -> TunedArgument:
    kinds = [kind for kind in ("buffer", "scalar", "local") if kind in one]
    if len(kinds) != 1:
        raise Invalid(f"{one.where}: want one of 'buffer', 'scalar' and 'local', have {kinds or 'none'}")
    kind = kinds[0]
    type_name = one.want(kind, str)
    if not TYPE.fullmatch(type_name):
        raise Invalid(f"{one.where}: '{kind}': want a type of OpenCL C, have {type_name!r:.40}")
    count = value = None
    if kind == "scalar":
        value = _expression(one.want("value", (int, float, str)), f"{one.where}: 'value'", known)
    else:
        count = _expression(one.want("count", (int, str)), f"{one.where}: 'count'", known)
    file = one.get("file", str, "")
    made = TunedArgument(
        kind=kind,
        type=type_name,
        name=one.get("name", str, ""),
        count=count,
        access=one.one_of("access", ("r", "w", "rw"), "rw"),
        value=value,
        fill="file" if file else one.one_of("fill", FILLS, "zero"),
        fill_value=one.get("fill_value", (int, float), 1),
        seed=one.get("seed", int, 0),
        file=_path(folder, file) if file else None,
    )
    one.done()
    return made


def _short_kernel(
    one: _Object, folder: Path, known: Sequence[str], own: Optional[Sequence[str]] = None
) -> TunedKernel:
    """`own`: its parameters and the shared ones; None: all."""
    for name in own or ():
        if name not in known:
            raise Invalid(f"{one.where}: 'parameters': there is no parameter {name!r:.40}")
    names = known if own is None else own

    def sizes(key: str) -> tuple[Expression, ...]:
        values: list[Any] = one.get(key, list, [])
        if len(values) > 3:
            raise Invalid(f"{one.where}: '{key}': want three sizes at most, have {len(values)}")
        return tuple(_expression(value, f"{one.where}: '{key}'", names) for value in values)

    global_size, local_size = sizes("global"), sizes("local")
    if not global_size:
        raise Invalid(f"{one.where}: 'global' is missing")
    if local_size and len(local_size) != len(global_size):
        raise Invalid(f"{one.where}: 'local': want {len(global_size)} sizes as in 'global', have {len(local_size)}")
    made = TunedKernel(
        file=_path(folder, one.want("file", str)),
        name=one.get("kernel", str, ""),
        arguments=tuple(_short_argument(argument, folder, names) for argument in one.each("args")),
        global_size=global_size,
        local_size=local_size,
        options=one.get("options", str, ""),
        is_template=one.get("template", bool, False),
        parameters=None if own is None else tuple(own),
    )
    return made


def _short_reference(one: _Object, folder: Path, known: Sequence[str]) -> Reference:
    kinds = [kind for kind in ("file", "kernel", "command") if kind in one]
    if len(kinds) != 1:
        raise Invalid(f"{one.where}: want one of 'file', 'kernel' and 'command', have {kinds or 'none'}")
    kernel: Optional[TunedKernel] = None
    if kinds == ["kernel"]:
        inner = _Object(one.want("kernel", dict), f"{one.where}: 'kernel'")
        kernel = _short_kernel(inner, folder, known)
        inner.done()
    command = one.get("command", str, "")
    made = Reference(
        argument=one.want("argument", str),
        method=one.one_of("method", METHODS, "side-by-side-relative"),
        tolerance=one.get("tolerance", (int, float), 1e-4),
        file=_path(folder, one.get("file", str)) if kinds == ["file"] else None,
        kernel=kernel,
        command=tuple(shlex.split(command)),
        configuration=one.get("configuration", dict),
    )
    one.done()
    return made


def short(value: Any, folder: Path, where: str) -> Problem:
    """A problem in predictd's short form; names are relative to `folder`."""
    top = _Object(value, where)
    given = top.inside("parameters")
    parameters = [Parameter(name, _values(given.get(name, object), f"{where}: '{name:.40}'")) for name in given._value]
    constants: Mapping[str, Any] = top.get("constants", dict, {})
    for name, constant in constants.items():
        if isinstance(constant, bool) or not isinstance(constant, (int, float, str)):
            raise Invalid(f"{where}: 'constants': '{name:.40}': want a number or a text")
        if any(one.name == name for one in parameters):
            raise Invalid(f"{where}: '{name:.40}' is a parameter and a constant")
    # a constant is a parameter with one value
    parameters = [*(Parameter(name, (one,)) for name, one in constants.items()), *parameters]
    known = [one.name for one in parameters]
    conditions: list[Any] = top.get("constraints", list, [])
    tried = [_expression(one, f"{where}: 'constraints'", known) for one in conditions]
    if "kernels" in top:
        kernels = []
        for one in top.each("kernels"):
            own: Optional[list[str]] = one.get("parameters", list)
            if own is not None:
                own = [*own, *constants]
            kernels.append(_short_kernel(one, folder, known, own))
            one.done()
    else:
        kernels = [_short_kernel(top, folder, known)]
    references = tuple(_short_reference(one, folder, known) for one in top.each("references"))
    device = top.get("device", str, "")
    runs, time_s = top.get("runs", int, 0), top.get("time_s", (int, float), 0)
    top.done()
    return _checked(
        Problem(Space(parameters, tried), tuple(kernels), references, device, runs, time_s, constants), where
    )


# ---- both ----------------------------------------------------------------------------------------


def _checked(problem: Problem, where: str) -> Problem:
    if not problem.kernels:
        raise Invalid(f"{where}: want at least one kernel")
    if problem.runs < 0 or problem.time_s < 0:
        raise Invalid(f"{where}: a budget is not negative")
    buffers = [one.name for kernel in problem.kernels for one in kernel.arguments if one.kind == "buffer"]
    for one in problem.references:
        if one.argument not in buffers or not one.argument:
            raise Invalid(f"{where}: a reference for {one.argument!r:.40}: no buffer has that name")
        if not (math.isfinite(one.tolerance) and one.tolerance >= 0):
            raise Invalid(f"{where}: a tolerance of {one.tolerance}: want 0 or more")
    return problem


def load(path: Path) -> Problem:
    """Reads a problem of either format."""
    value = read_json(path, BYTES_MAX, Invalid)
    is_t1 = isinstance(value, dict) and "ConfigurationSpace" in value
    return (t1 if is_t1 else short)(value, path.parent, str(path))
