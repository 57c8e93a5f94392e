# SPDX-License-Identifier: Apache-2.0
"""Expressions over parameters, in Python's syntax, of which an allowlist is evaluated.

What is not in the list is refused when an expression is read: attributes, subscripts of names, lambdas,
comprehensions, calls of anything but a few functions. Numbers, texts and lists are bounded, so that an
expression from a file cannot take the machine's memory or time.
"""

from __future__ import annotations

import ast
import math
import operator
from typing import Any, Callable, Mapping, Sequence, Union

from ..errors import Invalid

TEXT_MAX = 4096
NODES_MAX = 512
DEPTH_MAX = 50
INTEGER_BITS_MAX = 128
ELEMENTS_MAX = 1 << 16

Value = Union[int, float, bool, str, list[Any], tuple[Any, ...], range]
Names = Mapping[str, Any]
_Function = Callable[[Names], Any]


class _Refused(Exception):
    """Why an expression is not evaluated, without the expression."""


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > INTEGER_BITS_MAX:
        raise _Refused(f"a number of more than {INTEGER_BITS_MAX} bits")
    if isinstance(value, (str, list, tuple, range)) and len(value) > ELEMENTS_MAX:
        raise _Refused(f"more than {ELEMENTS_MAX} elements")
    return value


def _multiply(a: Any, b: Any) -> Any:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, (str, list, tuple)) and isinstance(other, int) and len(one) * other > ELEMENTS_MAX:
            raise _Refused(f"more than {ELEMENTS_MAX} elements")
    return a * b


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and b > 0 and a.bit_length() * b > 2 * INTEGER_BITS_MAX:
        raise _Refused(f"a number of more than {INTEGER_BITS_MAX} bits")
    return a**b


def _shift(a: Any, b: Any) -> Any:
    if isinstance(b, int) and b > INTEGER_BITS_MAX:
        raise _Refused(f"a number of more than {INTEGER_BITS_MAX} bits")
    return a << b


def _remainder(a: Any, b: Any) -> Any:
    if isinstance(a, str):
        raise _Refused("texts are not formatted")
    return a % b


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _remainder,
    ast.Pow: _power,
    ast.LShift: _shift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "bool": bool,
    "ceil": math.ceil,
    "float": float,
    "floor": math.floor,
    "int": int,
    "len": len,
    "list": list,
    "log2": math.log2,
    "max": max,
    "min": min,
    "pow": _power,
    "range": range,
    "round": round,
    "sqrt": math.sqrt,
    "sum": sum,
    "tuple": tuple,
}
CONSTANTS: dict[str, Any] = {"True": True, "False": False}


class _Reader:
    """Makes a function of a tree, and notes the names in it."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.nodes = 0

    def read(self, node: ast.AST, depth: int = 0) -> _Function:
        self.nodes += 1
        if depth > DEPTH_MAX or self.nodes > NODES_MAX:
            raise _Refused("it is too long")
        reader = getattr(self, "_" + type(node).__name__, None)
        if reader is None:
            raise _Refused(f"{type(node).__name__} is not allowed")
        made: _Function = reader(node, depth + 1)
        return made

    def _Constant(self, node: ast.Constant, depth: int) -> _Function:
        value = node.value
        if not isinstance(value, (bool, int, float, str)):
            raise _Refused(f"{value!r} is not allowed")
        _bounded(value)
        return lambda names: value

    def _Name(self, node: ast.Name, depth: int) -> _Function:
        name = node.id
        self.names.add(name)
        return lambda names: names[name]

    def _BinOp(self, node: ast.BinOp, depth: int) -> _Function:
        left, right = self.read(node.left, depth), self.read(node.right, depth)
        function = _BINARY.get(type(node.op))
        if function is None:
            raise _Refused(f"{type(node.op).__name__} is not allowed")
        done = function
        return lambda names: _bounded(done(left(names), right(names)))

    def _UnaryOp(self, node: ast.UnaryOp, depth: int) -> _Function:
        operand, function = self.read(node.operand, depth), _UNARY[type(node.op)]
        return lambda names: function(operand(names))

    def _BoolOp(self, node: ast.BoolOp, depth: int) -> _Function:
        parts = [self.read(part, depth) for part in node.values]
        ends_at = isinstance(node.op, ast.Or)

        def evaluate(names: Names) -> Any:
            value: Any = not ends_at
            for part in parts:
                value = part(names)
                if bool(value) == ends_at:
                    break
            return value

        return evaluate

    def _Compare(self, node: ast.Compare, depth: int) -> _Function:
        first, rest = self.read(node.left, depth), []
        for kind, right in zip(node.ops, node.comparators):
            if type(kind) not in _COMPARED:
                raise _Refused(f"{type(kind).__name__} is not allowed")
            rest.append((_COMPARED[type(kind)], self.read(right, depth)))

        def evaluate(names: Names) -> bool:
            left = first(names)
            for compared, read in rest:
                right = read(names)
                if not compared(left, right):
                    return False
                left = right
            return True

        return evaluate

    def _IfExp(self, node: ast.IfExp, depth: int) -> _Function:
        test, body, other = (self.read(part, depth) for part in (node.test, node.body, node.orelse))
        return lambda names: body(names) if test(names) else other(names)

    def _List(self, node: Union[ast.List, ast.Tuple], depth: int) -> _Function:
        parts = [self.read(part, depth) for part in node.elts]
        return lambda names: [part(names) for part in parts]

    _Tuple = _List

    def _Call(self, node: ast.Call, depth: int) -> _Function:
        if not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS or node.keywords:
            called = ast.unparse(node.func)[:40]
            raise _Refused(f"{called}() is not allowed; {', '.join(sorted(_FUNCTIONS))} are")
        function, parts = _FUNCTIONS[node.func.id], [self.read(part, depth) for part in node.args]

        def evaluate(names: Names) -> Any:
            values = [part(names) for part in parts]
            if function in (list, tuple, sum, max, min):  # before they are made
                for value in values:
                    _bounded(value)
            return _bounded(function(*values))

        return evaluate


class Expression:
    """One that was read. `names`: the parameters that it needs."""

    def __init__(self, text: str, where: str = "an expression", known: Sequence[str] = ()) -> None:
        """`known`: the names that there are; others are refused. Raises `Invalid`, which names `where`."""
        self.text, self._where = text, where
        reader = _Reader()
        try:
            if len(text) > TEXT_MAX:
                raise _Refused(f"it has more than {TEXT_MAX} characters")
            self._function = reader.read(ast.parse(text.strip(), mode="eval").body)
        except _Refused as error:
            raise Invalid(f"{where}: {text[:80]!r}: {error}") from None
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Invalid(f"{where}: {text[:80]!r} is no expression: {error}") from None
        self.names = frozenset(reader.names - set(CONSTANTS))
        unknown = sorted(self.names - set(known))
        if unknown:
            raise Invalid(f"{where}: {text[:80]!r}: there is no parameter {unknown[0]!r}")

    def __call__(self, names: Names) -> Any:
        """Its value. `Invalid` where it has none: a division by zero, a text that is added to a number."""
        try:
            return self._function(names)
        except (_Refused, ArithmeticError, TypeError, ValueError) as error:
            raise Invalid(f"{self._where}: {self.text[:80]!r}: {error}") from None

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def size_of(value: Any, where: str, at_least: int = 1) -> int:
    """A size that an expression gave: a whole number, which may be written as a real one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
        raise Invalid(f"{where}: want a whole number of {at_least} or more, have {value!r:.80}")
    if value >= 1 << 63:
        raise Invalid(f"{where}: want less than 2^63, have {value!r:.80}")
    return value
