"""Large computations of NumPy on the host, in parts that several threads take.

Where an array is cut depends on its shape, and on what is computed, so results are the same for each number of threads.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from math import gcd, prod
from typing import Any

import numpy as np

from accel.xp.array_library import ArrayLibrary

__all__ = ["SHARED", "are_shared", "compute", "copy", "cost", "cut", "run", "run_all", "shared", "step_along", "wanted"]

SHARED = 1 << 25
"""Bytes from which threads share what is as fast as an addition: that takes twenty times a thread's wake."""

PART = 1 << 22
"""Bytes that the addition of one part moves."""

MOST = 256
"""The most parts: handing them out takes longer for more."""

_RUN = 8192
"""Elements of the smallest part of one row: NumPy casts so many at a time.

Larger ones are powers of two, which NumPy adds fastest: it halves them until it has 128 elements or less.
"""

_VECTOR = 64
"""Elements: each part begins where NumPy, without parts, would begin a vector of the processor."""

_SLOW = frozenset({"sqrt"})
"""Functions that take three times as long as an addition for each byte, or longer."""

_SLOWEST = frozenset(
    {"arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cos", "cosh", "exp", "exp2", "expm1"}
    | {"floor_divide", "fmod", "hypot", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "power"}
    | {"cbrt", "float_power", "remainder", "sin", "sinh", "tan", "tanh"}
)
"""Functions that take eight times as long, or longer."""

_MOST_COST = 8

_KINDS = {"divide": "divide by zero", "over": "overflow", "under": "underflow", "invalid": "invalid value"}
"""NumPy's floating-point errors, in the order in which it reports them, with their words."""

_Call = Callable[..., object]


def compute(
    function: Any,
    library: ArrayLibrary,
    operands: Sequence[Any],
    out: Any,
    name: str = "",
    share: Callable[..., bool] | None = None,
) -> bool:
    """Call an elementwise function with ``out=``, an array that shares no memory with the operands, or is one of them.

    NumPy's name of the function, if it has another, is for warnings. ``share`` is by default that of the library.
    Returns False, with nothing computed, if one thread should do it; so do `copy` and `shared`.
    """
    if not are_shared(_MOST_COST, (out, *operands)):  # before the function is looked at
        return False
    name = name or function.__name__
    return shared(_into(function), name, library, cost(name), out, operands, share)


def copy(library: ArrayLibrary, out: Any, array: Any) -> bool:
    """Copy elements to an array that shares no memory with them, and cast them."""

    def call(into: Any, part: Any) -> None:
        np.copyto(into, part, casting="unsafe")

    return shared(call, "cast", library, 1, out, (array,))


def are_shared(times: int, arrays: Sequence[Any]) -> bool:
    """Tell whether threads share what takes so many times as long as an addition for each byte of its arrays."""
    return times * _bytes(arrays) >= SHARED


def _bytes(arrays: Sequence[Any]) -> int:
    nbytes = 0
    for each in arrays:
        if type(each) is np.ndarray:
            nbytes += each.nbytes
    return nbytes


def _into(function: Any) -> _Call:
    def call(into: Any, *parts: Any) -> None:
        function(*parts, out=into)

    return call


def cost(name: str) -> int:
    """Return how many times as long as an addition a function of NumPy takes for each byte."""
    return _MOST_COST if name in _SLOWEST else 3 if name in _SLOW else 1


def shared(
    call: _Call,
    name: str,
    library: ArrayLibrary,
    times: int,
    out: Any,
    operands: Sequence[Any],
    share: Callable[..., bool] | None = None,
) -> bool:
    """Call a function for each part of its result and operands, in several threads; False if one should do all."""
    share = share or library.share
    work = times * _bytes((out, *operands))
    if share is None or work < SHARED:
        return False
    parts = cut((out, *operands), wanted(work))
    if parts is None:
        return False
    count, part = parts
    return run(lambda number: call(*part(number)), name, share, count)


def wanted(work: int) -> int:
    """Return how many parts are good for work that takes as long as an addition that moves so many bytes."""
    return max(min(work // PART, MOST), 1)


def run(
    task: Callable[[int], object],
    name: str,
    share: Callable[..., bool],
    count: int,
    finish: Callable[[], object] | None = None,
) -> bool:
    """Call a task for each part, and report floating-point errors once, as NumPy reports those of one call.

    ``finish`` is called after the parts. Returns False, with nothing called, if one thread should do all.
    """
    modes = np.geterr()
    if not {*modes.values()} <= {"ignore", "warn", "raise"}:  # NumPy prints, logs or calls in the thread of the error
        return False
    watched: Any = {kind: "ignore" if mode == "ignore" else "call" for kind, mode in modes.items()}
    found: set[str] = set()

    def watch(function: Callable[..., object], *arguments: Any) -> None:
        with np.errstate(**watched, call=lambda kind, _: found.add(kind)):
            function(*arguments)

    if not share(partial(watch, task), count):
        return False
    if finish is not None:
        watch(finish)
    for kind, words in _KINDS.items():
        if words in found:
            text = f"{words} encountered in {name}"
            if modes[kind] == "raise":  # type: ignore[literal-required]
                raise FloatingPointError(text)
            warnings.warn(text, RuntimeWarning, stacklevel=4)
    return True


def run_all(task: Callable[[int], object], name: str, library: ArrayLibrary, work: int, count: int) -> None:
    """Call a task for each part, as `run`; in one thread if there is less work than threads share, or none is free."""
    if work < SHARED or library.share is None or not run(task, name, library.share, count):
        for number in range(count):
            task(number)


def cut(arrays: Sequence[Any], most: int) -> tuple[int, Callable[[int], list[Any]]] | None:
    """Return the number of parts, and what returns those of one number; None if there would be one.

    The first array has the shape to which the others are broadcast.
    """
    flat = _flat(arrays)
    if flat is not None:
        arrays = flat
    shape = arrays[0].shape
    steps = [step_along(shape, axis, most) for axis in range(len(shape))]
    counts = [-(-extent // step) for extent, step in zip(shape, steps, strict=True)]
    count = max(counts, default=1)
    if count < 2:
        return None
    axis = counts.index(count)
    step, behind = steps[axis], len(shape) - axis

    def part(number: int) -> list[Any]:
        places = slice(number * step, (number + 1) * step)
        return [_part_of(each, behind, places) for each in arrays]

    return count, part


def step_along(shape: tuple[int, ...], axis: int, most: int) -> int:
    """Return the extent of a part along an axis, for at most so many parts."""
    least = max(shape[axis] // most, 1)
    if axis == len(shape) - 1:
        return max(1 << (least - 1).bit_length(), _RUN)
    unit = _VECTOR // gcd(prod(shape[axis + 1 :]), _VECTOR)
    return -(-least // unit) * unit


def _flat(arrays: Sequence[Any]) -> list[Any] | None:
    """Return arrays that are alike as arrays of one axis; None if they are not alike."""
    shape = arrays[0].shape
    with_axes = [each for each in arrays if type(each) is np.ndarray and each.ndim]
    if any(each.shape != shape for each in with_axes):
        return None
    if all(each.flags.c_contiguous for each in with_axes):
        return [each.reshape(-1) if type(each) is np.ndarray and each.ndim else each for each in arrays]
    if all(each.flags.f_contiguous for each in with_axes):
        return [each.T.reshape(-1) if type(each) is np.ndarray and each.ndim else each for each in arrays]
    return None


def _part_of(array: Any, behind: int, places: slice) -> Any:
    """Return the part of an operand along the axis that has ``behind - 1`` axes behind it."""
    if type(array) is not np.ndarray or array.ndim < behind or array.shape[-behind] == 1:
        return array
    key: tuple[Any, ...] = (..., places, *[slice(None)] * (behind - 1))
    return array[key]
