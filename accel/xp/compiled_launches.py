"""The function of Python that launches the compiled loops of a function, for arrays of any size of one form.

A graph is lowered for an array whose extents and strides are different primes. So each number in the launches of its
loops says of which extents and strides it is the product, and is written as this product into the text.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.fusion.index_maps import Axis
from accel.fusion.launches import HostLaunch, compiled, host_launch, launch_text
from accel.fusion.lowering import lowered
from accel.fusion.nodes import Constant, Input, Node, Operation, Reduction, Scalar, View
from accel.fusion.regions import Buffer, Memory, Region
from accel.fusion.schedules import scheduled
from accel.fusion.statistics import STATISTICS, Elements, count_of_numbers
from accel.xp.generated_code import run

__all__ = ["COUNTED", "Launch", "launch_of"]

COUNTED = frozenset({"nanmean", "nanstd", "nanvar"})
"""The functions whose results tell nothing from a NaN among the elements, and of which NumPy warns where all are."""

Launch = Callable[..., Any]
"""Takes an array, the extents and the strides of its layout, the numbers of the function and how many threads may work.

Returns the array of the result, and for functions of `COUNTED` how many elements of each result are not NaN. If nothing
is reduced, the array of the result is given, after the first one.
"""

_EXTENTS = (10007, 10009, 10037)
_STRIDES = (1000003, 100003, 20011)
"""Longest first, as those of a layout; the extents are those of long loops."""


def launch_of(name: str, dtype: DType, computed: DType, pattern: str) -> Launch:
    """Compile the loops of a function, and return what launches them.

    Parameters
    ----------
    name : str
        One of `STATISTICS`.
    dtype, computed : numpy.dtype
        Of the elements, and in which the function computes.
    pattern : str
        That of the `Layout`.

    Raises
    ------
    CapabilityError
        If the host's compiler is missing or broken.
    """
    loops = pattern.rstrip("1")
    strides = (*_STRIDES[: len(loops) - 1], 1 if pattern.endswith("1") else _STRIDES[len(loops) - 1])
    axes = tuple([place for place, each in enumerate(loops) if each == "r"])
    source = Input(_EXTENTS[: len(loops)], dtype, 0, strides, "x")
    x = source if dtype == computed else _made("cast", "", (source,), computed)
    # Equal nodes are one.
    elements = Elements(x, cache(_made), cache(partial(Scalar, computed)), cache(partial(_total, axes)))
    found = [STATISTICS[name](elements), *([count_of_numbers(elements)] if name in COUNTED else ())]
    results = [each.source if isinstance(each, View) else each for each in found]
    schedule, program = scheduled(results, ()), name.split(maxsplit=1)[0]
    launches = []
    for step in schedule.steps:
        assert isinstance(step, Region), "the graphs have no calls"
        launches += [_launch(kernel) for kernel in lowered(step, schedule.memory, program, vectors=True)]
    return _function(name, launches, schedule.memory, source, results)


def _made(kind: Any, name: Any, operands: Sequence[Node], dtype: DType) -> Node:
    """Return an operation, or for ``constant`` a number, which is ``name``."""
    if kind == "constant":
        return Constant(dtype.type(name).item(), dtype)
    shape = np.broadcast_shapes(*[each.shape for each in operands])
    return Operation(kind, name, tuple(operands), shape, dtype)


def _total(axes: tuple[int, ...], x: Node, op: Any) -> Node:
    """Return elements combined along axes, which stay, with extent 1."""
    reduction = Reduction(x, op, axes)
    kept = [axis for axis in range(len(x.shape)) if axis not in axes]
    shape = tuple([1 if axis in axes else extent for axis, extent in enumerate(x.shape)])
    return View(reduction, tuple([Axis(0, ((axis, 1),)) for axis in kept]), shape) if kept else reduction


def _launch(kernel: Any) -> HostLaunch:
    prepared = compiled(kernel, Device.CPU).prepared
    assert prepared is not None, "the loops report nothing, and their numbers are real"
    return host_launch(kernel, prepared)


def _function(
    name: str, launches: list[HostLaunch], memory: dict[Node, Memory], source: Node, results: list[Node]
) -> Launch:
    rank = len(source.shape)
    parameters = [f"{kind}{place}" for kind in "es" for place in range(rank)]
    scalars = sorted({each for launch in launches for each in launch.scalars}, key=lambda each: each.number)
    count = 1 + max([each.number for each in scalars], default=-1)
    numbers = [f"n{place}" for place in range(count)]
    scope: dict[str, Any] = {"empty": np.empty}
    natives: dict[Memory, str] = {source: "x"}  # type: ignore[dict-item]
    lines = []
    if results[0].shape == source.shape:
        parameters.insert(0, "out")
        natives[memory[results[0]]] = "out"
    for place, buffer in enumerate(dict.fromkeys(each for each in memory.values() if isinstance(each, Buffer))):
        if buffer in natives:
            continue
        natives[buffer] = f"b{place}"
        scope[f"d{place}"] = buffer.dtype
        shape = "".join([f"{_written(extent)}, " for extent in buffer.shape])
        lines.append(f"b{place} = empty(({shape}), d{place})")
    names: dict[Scalar, str] = {each: f"n{each.number}" for each in scalars}
    for place, launch in enumerate(launches):
        scope[f"l{place}"] = launch.launch
        lines.append(launch_text(launch, natives, names, f"l{place}", _written))
    lines.append(f"return {', '.join([natives[memory[each]] for each in results])}")
    body = "\n".join([f"    {line}" for line in lines])
    head = f"def launch({', '.join(['x', *parameters, *numbers, 'threads'])}):"
    found: Launch = run(f"{head}\n{body}\n", "accel.xp", scope, title=f"loops of {name}")["launch"]
    return found


def _written(number: int) -> str:
    """Write a number of a launch as the product of the extents and the strides that it is of."""
    factors = []
    for kind, primes in (("e", _EXTENTS), ("s", _STRIDES)):
        for place, prime in enumerate(primes):
            while number and number % prime == 0:
                number //= prime
                factors.append(f"{kind}{place}")
    assert number in (0, 1), "a launch has only extents, strides and their products"
    return " * ".join(factors) or str(number)
