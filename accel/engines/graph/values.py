"""The memory of a value of a graph, and how the value is written to a file and read back."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from accel.engines.memory_budget.spill_file import Extent, SpillFile

__all__ = ["Spilled", "buffers_of", "discard", "nbytes_of", "restored", "spillable", "spilled"]


class Spilled(NamedTuple):
    """An array in the file."""

    extent: Extent
    shape: tuple[int, ...]
    stored: tuple[int, ...]
    dtype: np.dtype[Any]


def buffers_of(value: Any) -> dict[int, int]:
    """Return the buffers that a value keeps alive.

    A view keeps all of its base alive, so two views of one array have the same buffer.
    """
    buffers: dict[int, int] = {}
    for part in _leaves(value):
        if isinstance(part, np.ndarray):
            owner, nbytes = _owner(part)
            buffers[owner] = max(nbytes, buffers.get(owner, 0))
        elif nbytes := _nbytes(part):
            buffers[id(part)] = nbytes
    return buffers


def nbytes_of(value: Any) -> int:
    """Return the bytes of a value alone, without the rest of the arrays that it is a view of."""
    return sum([_nbytes(_distinct(part) if isinstance(part, np.ndarray) else part) for part in _leaves(value)])


def spillable(value: Any) -> bool:
    """Tell whether a value can wait in a file: arrays of NumPy, and tuples, lists and dicts of them."""
    return all(not _nbytes(part) or _is_plain(part) for part in _leaves(value))


def spilled(value: Any, file: SpillFile) -> Any:
    """Write the arrays of a value to a file, and return what `restored` makes the value from."""
    written: list[Extent] = []

    def write(array: np.ndarray) -> Spilled:
        written.append(file.write(_distinct(array)))
        return Spilled(written[-1], array.shape, _distinct(array).shape, array.dtype)

    try:
        return _mapped(value, np.ndarray, write)
    except BaseException:
        for extent in written:
            file.free(extent)
        raise


def restored(token: Any, file: SpillFile) -> Any:
    """Read a value that was spilled; it stays in the file."""

    def read(place: Spilled) -> np.ndarray:
        array = np.empty(place.stored, place.dtype)
        file.read(place.extent, array)
        return array if place.stored == place.shape else np.broadcast_to(array, place.shape)

    return _mapped(token, Spilled, read)


def discard(token: Any, file: SpillFile) -> None:
    """Remove a value from the file."""
    _mapped(token, Spilled, lambda place: file.free(place.extent))


def _leaves(value: Any) -> Iterator[Any]:
    kind = type(value)
    if kind is tuple or kind is list:
        for each in value:
            yield from _leaves(each)
    elif kind is dict:
        for each in value.values():
            yield from _leaves(each)
    else:
        yield value


def _mapped(value: Any, kind: type, action: Any) -> Any:
    """Return a value of the same structure, with the result of an action in place of each part of a type."""
    if type(value) is kind:
        return action(value)
    if type(value) is tuple or type(value) is list:
        return type(value)([_mapped(each, kind, action) for each in value])
    if type(value) is dict:
        return {key: _mapped(each, kind, action) for key, each in value.items()}
    return value


def _is_plain(part: Any) -> bool:
    return type(part) is np.ndarray and not part.dtype.hasobject


def _distinct(array: np.ndarray) -> np.ndarray:
    """Return the part of a broadcast array that is not repeated."""
    if 0 not in array.strides or not array.size:
        return array
    part: np.ndarray = array[tuple([slice(None if stride else 1) for stride in array.strides])]
    return part


def _owner(array: np.ndarray) -> tuple[int, int]:
    """Return the identity of what owns the memory of an array, and its size."""
    owner: Any = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return id(owner if owner.base is None else owner.base), owner.nbytes


def _nbytes(part: Any) -> int:
    """Return the bytes of an object; single numbers, and objects that tell no size, count as none."""
    nbytes: Any = 0 if isinstance(part, np.generic) else getattr(part, "nbytes", 0)
    return nbytes if isinstance(nbytes, int) else 0
