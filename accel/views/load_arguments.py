"""Arguments of `load` and `store` of all views: coordinates, values, width and alignment."""

from typing import Any, SupportsIndex

import numpy as np

from accel.dtypes import DType, exact_cast
from accel.errors import BoundsError, LayoutError
from accel.memory.host_storage import HostArray
from accel.memory.sizes import as_size

__all__ = ["as_vector", "refuse_misaligned", "split_coordinates", "split_values"]


def split_coordinates(
    arguments: tuple[Any, ...], rank: int, names: tuple[str, ...], values: tuple[Any, ...], *, nested: bool = False
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Split positional arguments into coordinates and the arguments that follow.

    Parameters
    ----------
    arguments : tuple
        The positional arguments: coordinates one by one or in one tuple or list, then optionally the others.
    rank : int
        Number of coordinates.
    names, values : tuple
        Names of the other arguments in their order, and their values by keyword; None if not given.
    nested : bool
        Whether the first coordinate may itself be a tuple.

    Returns
    -------
    tuple of tuple
        The coordinates, and the values of the other arguments.

    Raises
    ------
    BoundsError
        If there are fewer or more coordinates.
    TypeError
        If an argument is given by position and by keyword.
    """
    if len(arguments) == rank and (not rank or type(arguments[0]) is int):
        return arguments, values
    together = bool(arguments) and isinstance(arguments[0], tuple | list) and not (nested and len(arguments) >= rank)
    coordinates, others = (tuple(arguments[0]), arguments[1:]) if together else (arguments[:rank], arguments[rank:])
    if len(coordinates) != rank or len(others) > len(names):
        count = len(coordinates) if together else len(arguments)
        raise BoundsError(
            f"{rank} coordinates are needed, one for each axis{''.join([', then ' + name for name in names])}; found "
            f"{count}: {arguments}"
        )
    for name, value, twice in zip(names, values, others, strict=False):
        if value is not None:
            raise TypeError(f"{name} is given twice: {twice!r} after the coordinates, and {value!r} by name")
    return coordinates, (*others, *values[len(others) :])


def split_values(
    arguments: tuple[Any, ...], rank: int, values: Any, alignment: Any, *, nested: bool = False
) -> tuple[tuple[Any, ...], Any, Any]:
    """Return coordinates, values and alignment; as `split_coordinates`.

    Raises
    ------
    BoundsError
        If there are no values, or fewer coordinates than axes.
    """
    if values is None and len(arguments) == rank + 1 and type(arguments[0]) is int and rank:
        return arguments[:-1], arguments[-1], alignment
    where, (numbers, boundary) = split_coordinates(
        arguments, rank, ("values", "alignment"), (values, alignment), nested=nested
    )
    if numbers is None:
        raise BoundsError(
            f"{rank} coordinates are needed, one for each axis, then values; found {len(arguments)} arguments: "
            f"{arguments}"
        )
    return where, numbers, boundary


def as_vector(values: Any, width: SupportsIndex | None, dtype: DType) -> HostArray:
    """Return values as a 1-D array in row-major order; a single value is repeated ``width`` times.

    Raises
    ------
    ValueError
        If the number of values is neither the width nor 1.
    DTypeError, OverflowError
        If the dtype cannot hold one of them.
    """
    vector = exact_cast(values, dtype).reshape(-1)
    if width is None:
        return vector
    count = as_size(width, dtype.itemsize)
    if vector.size not in (1, count):
        raise ValueError(f"a vector of width {count} takes {count} values, or one for all; found {vector.size}")
    return np.broadcast_to(vector, count) if vector.size != count else vector


def refuse_misaligned(address: int, alignment: int) -> None:
    """Raise `LayoutError` if an address is not a multiple of an alignment."""
    if address % alignment:
        raise LayoutError(
            f"the address {address:#x} is no multiple of {alignment} bytes; write load or store without alignment=, "
            f"or take memory of Buffer.aligned_stack_allocation({alignment}, size, dtype)"
        )
