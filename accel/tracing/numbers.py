"""`TracedNumber`: a number that each call of a fused function passes anew, and what is computed from such numbers."""

import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from accel.errors import FuseError
from accel.support.call_sites import call_site
from accel.xp.array_library import recorder

__all__ = ["TracedNumber"]

_PYTHONS = (bool, int, float, complex)
_NUMBERS = (*_PYTHONS, np.generic)
_FACTS = frozenset({"dtype", "itemsize", "nbytes", "ndim", "shape", "size"})
"""What is known of a scalar of NumPy, whatever its value is."""


class TracedNumber:
    """A number of Python while a function is traced; what Python computes from it is computed anew in each call.

    `isinstance` takes it for one of its ``kind``, if that is of Python.

    Attributes
    ----------
    evaluate : callable
        Returns the number, from all numbers of a call.
    kind : type
        Its type: bool, int, float or complex, or that of a scalar of NumPy.
    """

    __slots__ = ("_sample", "evaluate", "kind")
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __init__(self, evaluate: Callable[[Sequence[Any]], Any], sample: Any) -> None:
        self.evaluate: Callable[[Sequence[Any]], Any] = evaluate
        self._sample = sample
        self.kind: type = type(sample)

    @property
    def __class__(self) -> type:
        return self.kind if self.kind in _PYTHONS else TracedNumber

    @__class__.setter
    def __class__(self, _: type) -> None:
        raise TypeError("the class of a number cannot be set")

    def refuse(self, what: str) -> NoReturn:
        """Refuse to be used as a value."""
        raise FuseError(
            f"a number is passed anew in each call of a fused function, and has no value while it is traced; found "
            f"{what} at {call_site()}: write static= with the name of the argument; the function is then traced for "
            f"each value"
        )

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        """Compute a function of NumPy: of numbers a number, and with arrays an array."""
        if (
            all(isinstance(each, (TracedNumber, *_NUMBERS)) for each in inputs)
            and method == "__call__"
            and not keywords
        ):
            return _computed(function, inputs)
        library: Any = recorder.get()
        arrays = [library.array(library.accept(each)) if type(each) in _OPERANDS else each for each in inputs]
        return getattr(function, method)(*arrays, **keywords)

    def __bool__(self) -> bool:  # noqa: PLE0304 - it raises
        self.refuse("its truth value, as of if or while")

    def __int__(self) -> int:
        self.refuse("int(number)")

    def __float__(self) -> float:
        self.refuse("float(number), which functions of math call")

    def __complex__(self) -> complex:
        self.refuse("complex(number)")

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        self.refuse("an array of NumPy")

    def __index__(self) -> int:  # noqa: PLE0305 - it raises
        self.refuse("the number as an index, as a size or in range")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self._sample, name)  # an AttributeError is that of the number
        if name in _FACTS:
            return value
        if callable(value):
            self.refuse(f"its method {name}")
        return TracedNumber(lambda numbers: getattr(self.evaluate(numbers), name), value)

    def __repr__(self) -> str:
        return f"<a traced {self.kind.__name__}>"


_OPERANDS = (TracedNumber, np.ndarray)


def _add_operators() -> None:  # noqa: C901 - a function for each kind of operator
    def binary(function: Callable[..., Any], *, reflected: bool) -> Callable[..., Any]:
        def method(self: TracedNumber, other: Any) -> Any:
            if not isinstance(other, (TracedNumber, *_NUMBERS)):
                return NotImplemented
            return _computed(function, (other, self) if reflected else (self, other))

        return method

    def unary(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self: TracedNumber(lambda numbers: function(self.evaluate(numbers)), function(self._sample))

    def comparison(sign: str) -> Callable[..., Any]:
        def method(self: TracedNumber, other: Any) -> Any:
            if isinstance(other, (TracedNumber, *_NUMBERS)):
                self.refuse(f"a comparison by {sign}")
            return NotImplemented

        return method

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
        function, word = getattr(operator, name), name.rstrip("_")
        setattr(TracedNumber, f"__{word}__", binary(function, reflected=False))
        setattr(TracedNumber, f"__r{word}__", binary(function, reflected=True))
    for name in ("neg", "pos", "abs", "invert"):
        setattr(TracedNumber, f"__{name}__", unary(getattr(operator, name)))
    for name, sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")):
        setattr(TracedNumber, f"__{name}__", comparison(sign))


def _computed(function: Callable[..., Any], operands: Sequence[Any]) -> TracedNumber:
    def evaluate(numbers: Sequence[Any]) -> Any:
        return function(*[_value(each, numbers) for each in operands])

    return TracedNumber(evaluate, function(*map(_sample, operands)))


def _sample(value: Any) -> Any:
    return value._sample if isinstance(value, TracedNumber) else value


def _value(value: Any, numbers: Sequence[Any]) -> Any:
    return value.evaluate(numbers) if isinstance(value, TracedNumber) else value


_add_operators()
