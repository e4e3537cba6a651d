"""Statements of random programs: each returns an expression or a line, for the values that there are."""

import re
from typing import Any

import numpy as np

from .operands import DTYPES, drawn_index, drawn_shape

__all__ = ["INEXACT", "STATEMENTS", "WRITES"]

OPERATORS = ("+", "-", "*", "/", "+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
BINARY = (
    *("minimum", "maximum", "logical_and", "logical_or", "logical_xor", "copysign", "add", "subtract", "multiply"),
    *("divide", "floor_divide", "remainder", "nextafter", "bitwise_and", "bitwise_or", "not_equal", "equal"),
)
UNARY = (
    *("abs", "negative", "positive", "square", "sign", "floor", "ceil", "trunc", "round", "sqrt", "isnan", "isfinite"),
    *("isinf", "logical_not", "conj", "real", "reciprocal", "bitwise_invert"),
)
REDUCTIONS = ("max", "min", "any", "all", "count_nonzero", "argmax", "argmin")
FUNCTIONS = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "exp", "exp2", "expm1", "log", "log10"),
    *("log1p", "log2", "sin", "sinh", "tan", "tanh"),
)
SUMS = ("sum", "prod", "sum", "mean")
SCANS = (
    *("xp.cumulative_sum", "xp.cumulative_sum", "xp.cumulative_prod", "xp.cumsum", "xp.cumprod"),
    *("np.maximum.accumulate", "np.minimum.accumulate"),
)


def _fits(shape: Any) -> Any:
    def accepted(x: Any) -> bool:
        try:
            return bool(np.broadcast_shapes(shape, x.shape) or True)
        except ValueError:
            return False

    return accepted


def _other(w: Any, name: str) -> str:
    """Return an operand beside an array: mostly one whose shape fits."""
    if w.chance(30):
        return w.number()
    shape = w.values[name].shape
    other = w.array(_fits(shape)) if w.chance(97) else w.array()
    return f"{other}[{drawn_index(w.random, w.values[other].shape)}]" if w.chance(8) else other


def _axis(w: Any, x: Any, *, several: bool = True) -> str:
    if not x.ndim or w.chance(25):
        return "None"
    if several and w.chance(25):
        return str(tuple(w.random.sample(range(x.ndim), w.random.randrange(1, x.ndim + 1))))
    return str(w.random.randrange(-x.ndim, x.ndim))


def _small(name: str) -> str:
    """Return an expression of whole numbers, whose sums are exact in any order."""
    return f"xp.round(xp.where(xp.abs({name}) < 50, {name}, 1))"


def binary(w):
    name = w.array()
    pair = [name, _other(w, name)]
    if w.chance(40):
        w.random.shuffle(pair)
    kind = w.random.randrange(10)
    if w.chance(4):
        return _exact(w, f"{name} ** {w.random.choice([2, -1, 0.5, 3 if w.values[name].dtype.kind in 'iub' else 2])}")
    if kind < 6:
        return _exact(w, f"{pair[0]} {w.random.choice(OPERATORS)} {pair[1]}")
    if kind < 8:
        return f"{pair[0]} {w.random.choice(COMPARISONS)} {pair[1]}"
    function = w.random.choice(BINARY)
    if function in ("minimum", "maximum"):
        pair = [_unsigned(w, each) for each in pair]
    return _exact(w, f"xp.{function}({pair[0]}, {pair[1]})")


def unary(w):
    return _exact(w, f"xp.{w.random.choice(UNARY)}({w.array()})")


def _exact(w, line):
    """Return a line, or None: the last bits of products and lengths of complex numbers depend on the processor."""
    if not re.search(r"\*|multiply|abs|square", line):
        return line
    values = [w.values.get(name) for name in re.findall(r"\w+", line)]
    is_complex = any(isinstance(each, complex) or getattr(each, "dtype", np.dtype(bool)).kind == "c" for each in values)
    return None if is_complex or "j" in line else line


def choice(w):
    name = w.array()
    condition = w.array(_fits(w.values[name].shape))
    return f"xp.where({condition} {w.random.choice(COMPARISONS)} {w.number()}, {name}, {_other(w, name)})"


def limits(w):
    name = w.array()
    low, high = (w.random.choice(["None", _other(w, name)]) for _ in range(2))
    return f"xp.clip({_unsigned(w, name)}, {_unsigned(w, low)}, {_unsigned(w, high)})"


def _unsigned(w, name):
    """Return an expression of floats without -0.0: which of two zeros is the least depends on the processor."""
    kind = getattr(w.values.get(name), "dtype", np.dtype(bool)).kind
    return f"({name} + 0)" if kind in "fc" else name.replace("-0.0", "0.0")


def cast(w):
    name, dtype = w.array(), w.random.choice(DTYPES)
    x = w.values[name]
    if x.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        name = f"xp.real({name})"
    if x.dtype.kind in "fc" and np.dtype(dtype).kind in "iu":
        name = f"xp.where(xp.abs({name}) < 100, xp.abs({name}), 3)"
    return f"xp.astype({name}, xp.{dtype})"


def view(w):
    name = w.array()
    x = w.values[name]
    return w.random.choice([_sliced, _sliced, _sliced, _turned, _turned, _reshaped, _reshaped, _widened])(w, name, x)


def _sliced(w, name, x):
    return f"{name}[{drawn_index(w.random, x.shape)}]"


def _turned(w, name, x):
    order = w.random.sample(range(x.ndim), x.ndim)
    axis = _axis(w, x)
    choices = [f"xp.permute_dims({name}, {tuple(order)})", f"{name}.T", f"xp.flip({name}, axis={axis})", f"{name}.mT"]
    choices += [
        f"{name}.imag" if x.dtype.kind == "c" else f"{name}.real",
        f"xp.real({name})",
        f"xp.moveaxis({name}, 0, -1)",
        f"{name}.transpose()",
    ]
    return w.random.choice(choices)


def _reshaped(w, name, x):
    shape = [*x.shape]
    if w.chance(30):
        return f"xp.reshape({name}, (-1,))"
    if len(shape) > 1 and w.chance(50):
        place = w.random.randrange(len(shape) - 1)
        shape[place : place + 2] = [shape[place] * shape[place + 1]]
    elif shape:
        place = w.random.randrange(len(shape))
        factors = [each for each in range(1, shape[place] + 1) if shape[place] % each == 0] or [1]
        factor = w.random.choice(factors)
        shape[place : place + 1] = [factor, shape[place] // factor]
    return f"{name}.reshape({tuple(shape)})" if w.chance(50) else f"xp.reshape({name}, {tuple(shape)})"


def _widened(w, name, x):
    ones = tuple([axis for axis, extent in enumerate(x.shape) if extent == 1])
    choices = [f"xp.expand_dims({name}, axis={w.random.randrange(x.ndim + 1)})", f"xp.squeeze({name}, axis={ones})"]
    choices += [f"xp.broadcast_to({name}, {(2, *x.shape)})", f"{name}[None]"]
    return w.random.choice(choices)


def written(w):
    name = w.array(lambda x: x.flags.writeable) if w.chance(97) else w.array()
    if name is None:
        return None
    x = w.values[name]
    operator = w.random.choice(["=", "=", "+=", "-=", "*=", "&=", "/=", "//=", "|="])
    if w.chance(25) and operator != "=":
        return _exact(w, f"{name} {operator} {_other(w, name)}")
    index = drawn_index(w.random, x.shape) if w.chance(80) else "..."
    part = eval(f"x[{index}]", {"x": x})
    other = w.array(_fits(part.shape)) if w.chance(60) else w.number()
    return _exact(w, f"{name}[{index}] {operator} {other}")


def masked(w):
    name = w.array(lambda x: x.flags.writeable and x.ndim)
    return None if name is None else f"{name}[{name} {w.random.choice(COMPARISONS)} {w.number()}] = {w.number()}"


def reduction(w):
    name = w.array(lambda x: x.size)
    if name is None:
        return None
    x = w.values[name]
    if w.chance(60):
        function = w.random.choice(REDUCTIONS)
        axis = _axis(w, x, several=function not in ("argmax", "argmin"))
        operand = _unsigned(w, name) if function in ("max", "min") else name
        return f"xp.{function}({operand}, axis={axis}, keepdims={w.chance(40)})"
    if w.chance(40):
        return _scan(w, name, x)
    function = w.random.choice(SUMS)
    operand = _small(name) if x.dtype.kind in "fc" else name
    axis = _axis(w, x)
    return f"xp.{function}({operand}, axis={axis}, keepdims={w.chance(40)})"


def _scan(w, name, x):
    """Return what combines elements in order; so sums and products are exact, too."""
    function, options = w.random.choice(SCANS), ""
    axis = w.random.randrange(-x.ndim, x.ndim) if x.ndim else None
    if function.startswith("np."):
        name = _unsigned(w, name)
    elif function.startswith("xp.cumulative") and w.chance(30):
        options = ", include_initial=True"
    elif w.chance(20):
        axis = None
    return _exact(w, f"{function}({name}, axis={axis}{options})")


def joined(w):
    name = w.array(lambda x: x.ndim)
    if name is None:
        return None
    x = w.values[name]
    axis = w.random.randrange(x.ndim)
    rest = (*x.shape[:axis], -1, *x.shape[axis + 1 :])
    other = w.array(lambda y: y.ndim == x.ndim and (*y.shape[:axis], -1, *y.shape[axis + 1 :]) == rest)
    same = w.array(lambda y: y.shape == x.shape)
    choices = [f"xp.concat([{name}, {other}], axis={axis})", f"xp.stack([{name}, {same}], axis={axis})"]
    choices += [f"xp.concat([{name}, {same}], axis=None)", f"xp.roll({name}, {w.random.randrange(-3, 4)}, axis={axis})"]
    choices += [f"xp.roll({name}, {w.random.randrange(-3, 4)})", f"xp.tile({name}, 2)", f"xp.diff({name}, axis={axis})"]
    choices += [f"xp.repeat({name}, 2, axis={axis})", f"xp.pad({name}, 1)"]
    if x.shape[axis]:
        places = [w.random.randrange(x.shape[axis]) for _ in range(3)]
        choices += [f"xp.take({name}, xp.asarray({places}), axis={axis})"]
        choices += [f"{name}[{':, ' * axis}xp.asarray({places})]"]
    return w.random.choice(choices)


def library(w):
    name = w.array(lambda x: x.ndim)
    if name is None:
        return None
    x = w.values[name]
    choices = [f"xp.sort({name}, axis={w.random.randrange(x.ndim)})", f"xp.argsort({name}, stable=True)"]
    choices += [f"xp.tril({name})", f"xp.triu({name}, k=1)"]
    small = _small(name) if x.dtype.kind in "fc" else name
    choices += [f"{small} @ {small}.T" if x.ndim == 2 else f"xp.sum({small})"]
    if x.ndim == 2:
        choices += [f"xp.matmul({small}.T, {small})", f"xp.einsum('ij,ij->i', {small}, {small})"]
    return w.random.choice(choices)


def created(w):
    name, dtype, shape = w.array(), w.random.choice(DTYPES), drawn_shape(w.random)
    choices = [f"xp.zeros_like({name})", f"xp.ones({shape}, dtype=xp.{dtype})", f"xp.full_like({name}, {w.number()})"]
    choices += [
        f"xp.full({shape}, {w.number()})",
        f"xp.arange({w.random.randrange(20)})",
        f"xp.eye(3, dtype=xp.{dtype})",
    ]
    choices += [f"xp.arange(-5, 7, 2, dtype=xp.{dtype})", f"xp.zeros({shape})", "xp.linspace(0, 1, 5)"]
    return w.random.choice(choices)


def copied(w):
    name = w.array()
    choices = [name, f"{name}.copy()", f"xp.asarray({name}, copy=True)", f"xp.asarray({name})"]
    return w.random.choice([*choices, f"xp.astype({name}, {name}.dtype, copy=False)"])


def numbers(w):
    name = next((each for each in w.values if each.startswith("n")), None)
    return (
        None if name is None else f"{name} = {name} {w.random.choice(['+', '*', '-'])} {w.random.choice([1, 2, 0.5])}"
    )


def mathematics(w):
    name = w.array(lambda x: x.dtype.name in ("float32", "float64"))
    if name is None:
        return None
    if w.chance(25):
        return f"xp.{w.random.choice(['atan2', 'hypot', 'pow'])}({name}, {_other(w, name)})"
    return f"xp.{w.random.choice(FUNCTIONS)}({name})"


def total(w):
    name = w.array(lambda x: x.size and x.dtype.name in ("float32", "float64"))
    if name is None:
        return None
    function = w.random.choice(["sum", "mean", "var", "std", "prod"])
    return f"xp.{function}({name}, axis={_axis(w, w.values[name])}, keepdims={w.chance(40)})"


WRITES = (written, masked, numbers)
"""These return a line, and the others an expression."""

STATEMENTS = (
    *(binary,) * 6,
    *(unary, view, written) * 2,
    *(choice, limits, cast, view, view, written, written, masked, reduction, reduction, joined, joined, library),
    *(created, copied, numbers),
)

INEXACT = (mathematics,) * 8 + (total,) * 4
"""Statements whose results may differ in the last bits."""
