"""Calls functions, operators and ufuncs with unsupported values for each argument, and prints the wrong outcomes.

``python hostile_values.py DEVICE``. A right outcome is an array of a supported dtype, an `AccelError`, or a TypeError,
ValueError or ArithmeticError. It runs in a process of its own, because a wrong outcome may crash the interpreter.
"""

import ast
import faulthandler
import inspect
import operator
import sys
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

import accel
from accel import xp
from accel.dtypes import supported
from accel.errors import AccelError
from accel.xp import signatures
from accel.xp.signatures import parsed

HOSTILE = {
    "huge": 10**30,
    "huge negative": -(10**30),
    "beyond every float": 10**400,
    "of 64 bits": 1 << 63,
    "object": object(),
    "fraction": Fraction(1, 3),
    "decimal": Decimal(1),
    "list": [10**30],
    "text": "3",
    "bytes": b"3",
    "datetime": np.datetime64(1, "s"),
    "timedelta": np.timedelta64(1, "s"),
    "long double": np.longdouble(1.5),
    "complex long double": np.clongdouble(1),
    "structure": np.zeros((), [("field", "f4")])[()],
    "objects": np.array([10**30, None], object),
    "huge objects": np.array([10**30, 1], object),
    "datetimes": np.array([1, 2], "M8[s]"),
    "texts": np.array(["a", "b"]),
    "long doubles": np.ones(2, np.longdouble),
    "structures": np.zeros(2, [("field", "f4")]),
    "swapped": np.ones(2, np.dtype("f8").newbyteorder()),
}
DTYPES = ("float64", "int64", "bool")
RIGHT = (AccelError, TypeError, ValueError, ArithmeticError)
MATRIX = [[2, 1], [1, 3]]
OTHERS = {
    "axes": (1, 0),
    "axis": 0,
    "destination": 1,
    "n": 2,
    "reps": (2,),
    "shape": (3, 2, 2),
    "shift": 1,
    "source": 0,
}
CREATION = {
    "arange": [3, 9, 2],
    "asarray": [MATRIX],
    "astype": [MATRIX, "float32"],
    "can_cast": ["int8", "float32"],
    "empty": [2],
    "empty_like": [MATRIX],
    "eye": [2, 2],
    "finfo": ["float32"],
    "from_dlpack": [MATRIX],
    "full": [2, 1],
    "full_like": [MATRIX, 1],
    "iinfo": ["int8"],
    "linspace": [0, 1, 3],
    "ones": [2],
    "ones_like": [MATRIX],
    "reshape": [MATRIX, (4,)],
    "result_type": ["int8", "float32"],
    "zeros": [2],
    "zeros_like": [MATRIX],
}
ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
BITWISE = ("and_", "or_", "xor", "lshift", "rshift")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UFUNCS = (np.add, np.less, np.logical_and, np.maximum, np.power, np.left_shift, np.matmul, np.sqrt, np.modf, np.divmod)

Case = tuple[str, Callable[[], object]]


def array(dtype: str = "float64", values: Any = MATRIX) -> Any:
    return xp.asarray(np.asarray(values, dtype))


def with_each(name: str, function: Callable[..., Any], values: list[Any], keywords: list[str]) -> Iterator[Case]:
    """Yield calls of a function: each replaces one argument by one of the hostile values."""
    for kind, value in HOSTILE.items():
        for place in range(len(values)):
            changed = [*values[:place], value, *values[place + 1 :]]
            yield f"{name}, argument {place}: {kind}", lambda changed=changed: function(*changed)
            if type(values[place]) is list and values[place] and type(values[place][0]) is xp.Array:
                changed = [*values[:place], [values[place][0], value], *values[place + 1 :]]
                yield f"{name}, among the arrays: {kind}", lambda changed=changed: function(*changed)
        for keyword in keywords:
            yield f"{name}, {keyword}: {kind}", lambda key=keyword, value=value: function(*values, **{key: value})


def argument(parameter: ast.arg, dtype: str) -> Any:
    annotation = ast.unparse(parameter.annotation)
    if annotation == "Sequence[Array]":
        return [array(dtype), array(dtype)]
    if parameter.arg in ("indices", "repeats"):
        return array("int64", [0, 1])
    return array(dtype) if "Array" in annotation else OTHERS[parameter.arg]


def optional(takes: ast.arguments) -> list[ast.arg]:
    return takes.args[len(takes.args) - len(takes.defaults) :]


def of_tables() -> Iterator[Case]:
    for room, table in (
        (xp, signatures.elementwise() + signatures.FUNCTIONS),
        (xp, signatures.METHODS),
        (xp.linalg, signatures.LINALG),
        (xp.fft, signatures.FFT),
    ):
        for function in parsed(table):
            takes = function.args
            for dtype in DTYPES:
                options = [each for each in optional(takes) if "Array" not in ast.unparse(each.annotation)]
                values = [argument(each, dtype) for each in (*takes.posonlyargs, *takes.args) if each not in options]
                values += [array(dtype), array(dtype)] if takes.vararg else []
                keywords = [each.arg for each in (*options, *takes.kwonlyargs)]
                yield from with_each(function.name, getattr(room, function.name), values, keywords)


def of_creation() -> Iterator[Case]:
    for name, values in CREATION.items():
        function = getattr(xp, name)
        parameters = inspect.signature(function).parameters.values()
        keywords = [each.name for each in parameters if each.name in ("dtype", "copy", "endpoint", "k")]
        arguments = [array() if value is MATRIX else value for value in values]
        yield from with_each(name, function, arguments, keywords)
    yield "range of huge numbers", lambda: xp.arange(10**30, 10**30 + 3)


def of_operators() -> Iterator[Case]:
    for dtype in supported():
        x = xp.astype(array("bool"), dtype)
        for kind, value in HOSTILE.items():
            for name in ARITHMETIC + BITWISE + COMPARISONS:
                apply = getattr(operator, name)
                yield f"{dtype} {name}: {kind}", lambda f=apply, x=x, y=value: f(x, y)
                # `str % x` and `bytes % x` format any operand.
                if (name, kind) not in (("mod", "text"), ("mod", "bytes")):
                    yield f"{name} {dtype}: {kind}", lambda f=apply, x=x, y=value: f(y, x)
            for name in ARITHMETIC + BITWISE:
                apply = getattr(operator, f"i{name.rstrip('_')}")
                yield f"{dtype} {name} in place: {kind}", lambda f=apply, x=x, y=value: f(x.__copy__(), y)
            yield f"{dtype}, index: {kind}", lambda x=x, y=value: x[y]
            yield f"{dtype}, slice: {kind}", lambda x=x, y=value: x[y:]
            yield f"{dtype}, written at: {kind}", lambda x=x, y=value: x.__copy__().__setitem__(y, 1)
            yield f"{dtype}, written: {kind}", lambda x=x, y=value: x.__copy__().__setitem__(..., y)


def of_ufuncs() -> Iterator[Case]:
    """Yield calls of NumPy's ufuncs, which compute with arrays on the host only."""
    for dtype in DTYPES:
        for function in UFUNCS:
            name, x = f"numpy.{function.__name__} {dtype}", array(dtype, [1, 1])
            values, targets = [x] * function.nin, (x,) * function.nout
            for kind, value in HOSTILE.items():
                yield f"{name}: {kind}", lambda f=function, a=values, y=value: f(*a[1:], y) if a[1:] else None
                yield f"{name}, where: {kind}", lambda f=function, a=values, y=value: f(*a, where=y)
                yield (
                    f"{name}, into ours: {kind}",
                    lambda f=function, a=values, o=targets, y=value: f(*[y] * len(a), out=o),
                )
                yield (
                    f"{name}, dtype: {kind}",
                    lambda f=function, a=values, y=value: f(*a, dtype=getattr(y, "dtype", y)),
                )
                if function.nin == 2 and function.signature is None:
                    yield f"{name}.outer: {kind}", lambda f=function, x=x, y=value: f.outer(y, x)
                    yield f"{name}.reduceat: {kind}", lambda f=function, x=x, y=value: f.reduceat(x, y)
                    if function.nout == 1:
                        yield f"{name}.reduce: {kind}", lambda f=function, x=x, y=value: f.reduce(x, initial=y)
                        yield f"{name}.at: {kind}", lambda f=function, x=x, y=value: f.at(x.__copy__(), 0, y)


def parts(result: object) -> Iterator[Any]:
    if isinstance(result, tuple | list):
        for part in result:
            yield from parts(part)
    else:
        yield result


def wrong(call: Callable[[], object]) -> str:
    """Return a description of a wrong outcome of a call, or an empty text."""
    try:
        result = [part for part in parts(call()) if isinstance(part, xp.Array | np.ndarray | np.generic)]
        dtypes = [part.dtype for part in result if part.dtype not in supported()]
        for part in result:
            repr(part)
    except RIGHT:
        return ""
    except Exception as error:
        return repr(error)
    return f"it has dtype {dtypes[0]}" if dtypes else ""


def main(device: str) -> None:
    faulthandler.enable()
    faulthandler.dump_traceback_later(240, exit=True)
    warnings.simplefilter("ignore")
    accel.configure(device=device)
    count = 0
    for cases in (of_tables, of_creation, of_operators, *([of_ufuncs] if device == "cpu" else [])):
        for name, call in cases():
            count += 1
            result = wrong(call)
            if result:
                sys.stdout.write(f"{name}; {result}\n")
    sys.stdout.write(f"{count > 10_000}\n")


if __name__ == "__main__":
    main(sys.argv[1])
