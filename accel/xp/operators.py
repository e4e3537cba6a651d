"""The operators of `Array`, compiled from three templates.

The templates repeat the fast path of `live`, `native` and `wrap`, because each call would add to the time of ``x + y``.
"""

import operator
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np

from accel.xp.generated_code import run

__all__ = ["Scalar", "arithmetic", "bind", "bitwise", "equality", "order", "product", "unary"]

Scalar: TypeAlias = bool | int | float | complex
"""A Python number, which adapts to the dtype of the other operand."""

_X = TypeVar("_X")

# The owner of a handle is None after a release, and has hazards while work is in flight. Only then is `live` needed.
_SELF = """\
    if self._shared is not None and (handle := self._shared.handle) is not None:
        if (owner := handle._owner) is None or owner.hazard_record.hazards is not None:
            live(self)
"""
_MOVED = """\
if leads(other, self):
                self, library = moved(other._library, self), other._library
            else:
                other = moved(library, other)"""
_OTHER = """\
    library, operand = self._library, other
    if type(other) is Array:
        if other._library is not library:
            {moved}
        if other._shared is not None and (handle := other._shared.handle) is not None:
            if (owner := handle._owner) is None or owner.hazard_record.hazards is not None:
                live(other)
        other = other._native
    elif type(other) not in scalars:
        other = library.accept(other)
        if other is NotImplemented:
            return NotImplemented
"""
_RESULT = """\
    if type(result) is not ndarray and type(result) not in library.native_types:
        result = library.as_array(result)
    array = Array()
    array._native = result
    array._library = library
    array._shared = None
    return array
"""
# To look at the size of the other operand too would take 60 ns. See `accel.xp.large_results`.
_LARGE = """\
    elif self._native.nbytes >= library.large:
        return large_operator({function}, library, ({arrays},), ({operands},), large_result)
"""
# Their results have a byte for each element.
_LARGE_COMPARISON = _LARGE.replace("nbytes", "size")
# A product with a vector is much smaller than the matrix.
_LARGE_PRODUCT = """\
    elif self._native.nbytes >= library.large and self._native.ndim > 1 < getattr(other, "ndim", 0):
        return large_result({function}, library, {operands})
"""
_LARGE_IN_PLACE = """\
        elif array.nbytes >= library.large and written({function}, library, (array, other), array):
            return self
"""
_COMPUTE = """\
    if library.within is not None:
        try:
            {within}
        except (MemoryError, OverflowError) as error:
            raise failure(error) from None
{large}\
    else:
        try:
            {statement}
        except (MemoryError, OverflowError) as error:
            raise failure(error) from None
"""

_UNARY = f"""
def __{{name}}__(self, /):
{_SELF}
    library = self._library
{_COMPUTE}
{_RESULT}
"""
_BINARY = f"""
def __{{name}}__(self, other, /):
{_OTHER.format(moved=_MOVED)}
{_SELF}
{_COMPUTE}
{_RESULT}
"""
_IN_PLACE = f"""
def __{{name}}__(self, other, /):
{_OTHER.format(moved="other = moved(library, other)")}
{_SELF.replace("live(self)", "live(self, writing=True)")}
    array = self._native
    try:
        if type(array) is not library.array_type:  # a scalar of NumPy, which cannot be changed
            result = {{computed}}
            # No call between the next two: another thread may make an array of the scalar.
            if type(result) is type(array) and self._native is array:
                self._native = result
                return self
            array = in_memory(self)
        if library.within is not None:
            refuse_read_only(library, array)
            {{within}}
{{large}}\
        else:
            {{statement}}
    except (MemoryError, OverflowError, TypeError, ValueError) as error:
        raise bad_write(library, in_memory(self), error) from None
    return self
"""

_UNARY_OPERATORS = {
    "abs": "abs(self._native)",
    "neg": "-self._native",
    "pos": "+self._native",
    "invert": "~self._native",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ARITHMETIC = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "mod": "%",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
# The functions that the operators of large arrays are computed by.
_UFUNCS = {
    "abs": "absolute",
    "neg": "negative",
    "pos": "positive",
    "invert": "invert",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "mod": "remainder",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
# NumPy's own operators differ from the functions: -0.0 ** 0.5 is -0.0, and inf // 2 is NaN.
_BY_FUNCTION = {"floordiv": "floor_divide", "pow": "pow"}


def _source() -> str:
    methods = [
        _method_source(_UNARY, name, f"result = {text}", f"operator.{name}", "self._native", f"numpy.{_UFUNCS[name]}")
        for name, text in _UNARY_OPERATORS.items()
    ]
    for name, sign in (_COMPARISONS | _ARITHMETIC).items():
        function, operands = f"numpy.{_UFUNCS[name]}", "self._native, other"
        statement = f"result = self._native {sign} other"
        methods.append(_method_source(_BINARY, name, statement, _operator(name), operands, function))
    for name, sign in _ARITHMETIC.items():
        function, operands = f"numpy.{_UFUNCS[name]}", "other, self._native"
        statement = f"result = other {sign} self._native"
        methods.append(_method_source(_BINARY, f"r{name}", statement, _operator(name), operands, function))
        within = f"library.compute(operator.i{name}, array, other)"
        methods.append(_in_place_source(name, f"array {sign}= other", within, f"array {sign} other", function))
    for name, function in _BY_FUNCTION.items():
        compute = f"library.namespace.{function}"
        for prefix, operands in ("", "self._native, other"), ("r", "other, self._native"):
            statement = f"result = {compute}({operands})"
            methods.append(_method_source(_BINARY, f"{prefix}{name}", statement, "", operands, compute))
        statement = f"{compute}(array, other, out=array)"
        methods.append(_in_place_source(name, statement, statement, f"{compute}(array, other)"))
    return "".join(methods)


def _operator(name: str) -> str:
    """Write the function of Python's that is an operator."""
    return f"operator.{name}_" if name in ("and", "or") else f"operator.{name}"


def _method_source(template: str, name: str, statement: str, computed: str, operands: str, function: str) -> str:
    """Write a method; ``computed`` is what computes it on a device, empty if the statement itself enters a context."""
    arrays = operands.replace("self._native", "self").replace("other", "operand")
    large = _LARGE_PRODUCT if name == "matmul" else _LARGE_COMPARISON if name in _COMPARISONS else _LARGE
    large = large.format(function=function, arrays=arrays, operands=operands)
    within = f"result = library.compute({computed}, {operands})" if computed else statement
    return template.format(name=name, statement=statement, within=within, large=large)


def _in_place_source(name: str, statement: str, within: str, computed: str, function: str = "") -> str:
    large = _LARGE_IN_PLACE.format(function=function) if function else ""
    return _IN_PLACE.format(name=f"i{name}", statement=statement, within=within, computed=computed, large=large)


_METHODS = run(
    _source(),
    "accel.xp.arrays",
    {"ndarray": np.ndarray, "numpy": np, "operator": operator, "scalars": frozenset({bool, int, float, complex})},
)
for _name, _method in _METHODS.items():
    _method.__qualname__ = f"Array.{_name}"


def bind(**names: Any) -> None:
    """Set the globals of the operators, which are defined after them: the class of arrays and its functions."""
    _METHODS["__add__"].__globals__.update(names)  # all operators have the same globals


def unary() -> tuple[Callable[[_X], _X], Callable[[_X], _X], Callable[[_X], _X], Callable[[_X], _X]]:
    """Return ``abs(x)``, ``-x``, ``+x`` and ``~x``."""
    absolute, negative, positive, invert = [_METHODS[f"__{name}__"] for name in _UNARY_OPERATORS]
    return absolute, negative, positive, invert


def arithmetic(
    name: str,
) -> tuple[Callable[[_X, _X | Scalar], _X], Callable[[_X, _X | Scalar], _X], Callable[[_X, _X | Scalar], _X]]:
    """Return an operator for an array and a number: with the array on the left, on the right, and in place."""
    return _forms(name)


def bitwise(
    name: str,
) -> tuple[Callable[[_X, _X | int], _X], Callable[[_X, _X | int], _X], Callable[[_X, _X | int], _X]]:
    """Return an operator for an array and an integer; as `arithmetic`."""
    return _forms(name)


def product() -> tuple[Callable[[_X, _X], _X], Callable[[_X, _X], _X], Callable[[_X, _X], _X]]:
    """Return the product of matrices; as `arithmetic`."""
    return _forms("matmul")


def _forms(name: str) -> tuple[Any, Any, Any]:
    return _METHODS[f"__{name}__"], _METHODS[f"__r{name}__"], _METHODS[f"__i{name}__"]


def equality() -> tuple[Callable[[_X, object], _X], Callable[[_X, object], _X]]:
    """Return ``==`` and ``!=``, element by element."""
    return _METHODS["__eq__"], _METHODS["__ne__"]


def order() -> tuple[
    Callable[[_X, _X | Scalar], _X],
    Callable[[_X, _X | Scalar], _X],
    Callable[[_X, _X | Scalar], _X],
    Callable[[_X, _X | Scalar], _X],
]:
    """Return ``<``, ``<=``, ``>`` and ``>=``, element by element."""
    return _METHODS["__lt__"], _METHODS["__le__"], _METHODS["__gt__"], _METHODS["__ge__"]
