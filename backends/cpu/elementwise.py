"""Elementwise functions of NumPy, computed in parts by several threads where one thread would take long."""

import warnings
from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np

from accel import config
from accel.support.call_sites import stack_level
from accel.support.locks import in_child

from ..common import numpy_copy

__all__ = ["SHARED", "compute"]

SHARED = 1 << 25
"""Bytes from which threads share a function that is as fast as an addition: that takes twenty times a thread's wake."""

_COSTS = dict.fromkeys(
    (
        *("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cos", "cosh", "exp"),
        *("exp2", "expm1", "float_power", "floor_divide", "fmod", "hypot", "log", "log10", "log1p", "log2"),
        *("logaddexp", "logaddexp2", "power", "remainder", "sin", "sinh", "tan", "tanh"),
    ),
    8,
) | {"sqrt": 3}
"""How many times longer than an addition these take for a byte."""

_ERRORS = {"divide": "divide by zero", "over": "overflow", "under": "underflow", "invalid": "invalid value"}
"""The names of floating-point errors in `numpy.errstate`, and in NumPy's messages, in the order of its checks."""

_busy = Lock()
"""Held by the call that the threads share: another one at the same time computes alone."""


def _after_fork() -> None:
    global _busy
    _busy = Lock()


in_child(_after_fork)


def compute(function: np.ufunc, operands: Sequence[Any], out: Any) -> None:
    """Write the results of an elementwise function to an array of their dtype and shape.

    Each element is computed as in a call of NumPy. `numpy.errstate` of the caller holds for all parts, and a kind of
    floating-point errors is reported once.
    """
    arrays = [each for each in operands if type(each) is np.ndarray and each.ndim]
    nbytes = (out.nbytes + sum(each.nbytes for each in arrays)) * _COSTS.get(function.__name__, 1)
    if nbytes < SHARED or config.current().threads == 1:
        function(*operands, out=out)
        return
    modes = np.geterr()
    busy = _busy  # a signal handler may compute too
    if not {"ignore", "warn", "raise"}.issuperset(modes.values()) or not busy.acquire(blocking=False):
        function(*operands, out=out)
        return
    try:
        _report(function, modes, _shared(function, operands, out, nbytes, modes))
    finally:
        busy.release()


def _shared(function: np.ufunc, operands: Sequence[Any], out: Any, nbytes: int, modes: Any) -> set[str]:
    """Compute in parts; return the floating-point errors, in the words of NumPy."""
    errors: set[str] = set()
    states: Any = {name: "ignore" if mode == "ignore" else "call" for name, mode in modes.items()}
    places = [place for place, each in enumerate(operands) if type(each) is np.ndarray and each.ndim]
    arrays = [operands[place] for place in places]
    whole = [each if each.shape == out.shape else np.broadcast_to(each, out.shape) for each in arrays]

    def part(target: Any, *sources: Any) -> None:
        values = list(operands)
        for place, source in zip(places, sources, strict=True):
            values[place] = source
        with np.errstate(**states, call=lambda error, _: errors.add(error)):
            function(*values, out=target)

    numpy_copy.shared(part, out, *whole, nbytes=nbytes)
    return errors


def _report(function: np.ufunc, modes: Any, errors: set[str]) -> None:
    """Warn of floating-point errors, or raise the first, as `numpy.errstate` says."""
    for name, error in _ERRORS.items():
        if error in errors:
            text = f"{error} encountered in {function.__name__}"
            if modes[name] == "raise":
                raise FloatingPointError(text)
            warnings.warn(text, RuntimeWarning, stacklevel=stack_level())
