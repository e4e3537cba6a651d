"""The operators of `Array`, compiled from three templates.

The templates repeat the fast path of `live`, `native` and `wrap`, because each call would add to the time of ``x + y``.
"""

from typing import TYPE_CHECKING, Any, Self, TypeAlias

from accel.xp.generated import run

__all__ = ["Operators", "Scalar", "attach"]

Scalar: TypeAlias = bool | int | float | complex
"""A Python number, which adapts to the dtype of the other operand."""

# The owner of a handle is None after a release, and has hazards while work is in flight. Only then is `live` needed.
_SELF = """\
    if self._shared is not None and (handle := self._shared.handle) is not None:
        if (owner := handle._owner) is None or owner.hazard_record.hazards is not None:
            live(self)
"""
_OTHER = """\
    library = self._library
    if type(other) is Array:
        if other._library is not library:
            library.refuse(other._library)
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
    if type(result) is not library.array_type:
        result = library.as_array(result)
    made = Array()
    made._native = result
    made._library = library
    made._shared = None
    return made
"""
_COMPUTE = """\
        if library.within is None:
            {statement}
        else:
            with library.within({operands}):
                {statement}
"""
_COMPUTE_NEW = f"""\
    try:
{_COMPUTE}
    except (MemoryError, OverflowError) as error:
        raise failure(error) from None
"""

_UNARY = f"""
def __{{name}}__(self, /):
{_SELF}
    library = self._library
{_COMPUTE_NEW}
{_RESULT}
"""
_BINARY = f"""
def __{{name}}__(self, other, /):
{_OTHER}
{_SELF}
{_COMPUTE_NEW}
{_RESULT}
"""
_IN_PLACE = f"""
def __{{name}}__(self, other, /):
{_OTHER}
    array = live(self, writing=True)
    try:
{_COMPUTE}
    except (MemoryError, OverflowError, TypeError, ValueError) as error:
        raise bad_write(library, array, error) from None
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
# NumPy's own operators differ from the functions: -0.0 ** 0.5 is -0.0, and inf // 2 is NaN.
_BY_FUNCTION = {"floordiv": "floor_divide", "pow": "pow"}


class Operators:
    """The operators of an array; the other operand is an array on the same device or a Python number."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __abs__(self) -> Self: ...
        def __neg__(self) -> Self: ...
        def __pos__(self) -> Self: ...
        def __invert__(self) -> Self: ...
        def __add__(self, other: Self | Scalar, /) -> Self: ...
        def __radd__(self, other: Self | Scalar, /) -> Self: ...
        def __iadd__(self, other: Self | Scalar, /) -> Self: ...
        def __sub__(self, other: Self | Scalar, /) -> Self: ...
        def __rsub__(self, other: Self | Scalar, /) -> Self: ...
        def __isub__(self, other: Self | Scalar, /) -> Self: ...
        def __mul__(self, other: Self | Scalar, /) -> Self: ...
        def __rmul__(self, other: Self | Scalar, /) -> Self: ...
        def __imul__(self, other: Self | Scalar, /) -> Self: ...
        def __truediv__(self, other: Self | Scalar, /) -> Self: ...
        def __rtruediv__(self, other: Self | Scalar, /) -> Self: ...
        def __itruediv__(self, other: Self | Scalar, /) -> Self: ...
        def __floordiv__(self, other: Self | Scalar, /) -> Self: ...
        def __rfloordiv__(self, other: Self | Scalar, /) -> Self: ...
        def __ifloordiv__(self, other: Self | Scalar, /) -> Self: ...
        def __mod__(self, other: Self | Scalar, /) -> Self: ...
        def __rmod__(self, other: Self | Scalar, /) -> Self: ...
        def __imod__(self, other: Self | Scalar, /) -> Self: ...
        def __pow__(self, other: Self | Scalar, /) -> Self: ...
        def __rpow__(self, other: Self | Scalar, /) -> Self: ...
        def __ipow__(self, other: Self | Scalar, /) -> Self: ...
        def __matmul__(self, other: Self, /) -> Self: ...
        def __rmatmul__(self, other: Self, /) -> Self: ...
        def __imatmul__(self, other: Self, /) -> Self: ...
        def __and__(self, other: Self | int, /) -> Self: ...
        def __rand__(self, other: Self | int, /) -> Self: ...
        def __iand__(self, other: Self | int, /) -> Self: ...
        def __or__(self, other: Self | int, /) -> Self: ...
        def __ror__(self, other: Self | int, /) -> Self: ...
        def __ior__(self, other: Self | int, /) -> Self: ...
        def __xor__(self, other: Self | int, /) -> Self: ...
        def __rxor__(self, other: Self | int, /) -> Self: ...
        def __ixor__(self, other: Self | int, /) -> Self: ...
        def __lshift__(self, other: Self | int, /) -> Self: ...
        def __rlshift__(self, other: Self | int, /) -> Self: ...
        def __ilshift__(self, other: Self | int, /) -> Self: ...
        def __rshift__(self, other: Self | int, /) -> Self: ...
        def __rrshift__(self, other: Self | int, /) -> Self: ...
        def __irshift__(self, other: Self | int, /) -> Self: ...
        def __eq__(self, other: object, /) -> Self: ...  # type: ignore[override]
        def __ne__(self, other: object, /) -> Self: ...  # type: ignore[override]
        def __lt__(self, other: Self | Scalar, /) -> Self: ...
        def __le__(self, other: Self | Scalar, /) -> Self: ...
        def __gt__(self, other: Self | Scalar, /) -> Self: ...
        def __ge__(self, other: Self | Scalar, /) -> Self: ...


def _source() -> str:
    written = [_written(_UNARY, name, f"result = {text}", "self._native") for name, text in _UNARY_OPERATORS.items()]
    for name, sign in (_COMPARISONS | _ARITHMETIC).items():
        written.append(_written(_BINARY, name, f"result = self._native {sign} other"))
    for name, sign in _ARITHMETIC.items():
        written.append(_written(_BINARY, f"r{name}", f"result = other {sign} self._native"))
        written.append(_written(_IN_PLACE, f"i{name}", f"array {sign}= other"))
    for name, function in _BY_FUNCTION.items():
        compute = f"library.namespace.{function}"
        written.append(_written(_BINARY, name, f"result = {compute}(self._native, other)"))
        written.append(_written(_BINARY, f"r{name}", f"result = {compute}(other, self._native)"))
        written.append(_written(_IN_PLACE, f"i{name}", f"{compute}(array, other, out=array)"))
    return "".join(written)


def _written(template: str, name: str, statement: str, operands: str = "self._native, other") -> str:
    return template.format(name=name, statement=statement, operands=operands)


def attach(module: str, **names: Any) -> None:
    """Compile all operators as functions of a module, with the given names as their globals."""
    for name, method in run(_source(), module, names).items():
        method.__qualname__ = f"Array.{name}"
        setattr(Operators, name, method)
