"""`x[key]`, `x[key] = value` and iteration: basic indices, of which views are made, are written out, which saves calls.

`accel.xp.indexing` has all other indices.
"""

from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from accel.xp import indexing, refusals
from accel.xp.array_base import ArrayBase, live, shared_of
from accel.xp.array_library import HOST_SCALARS
from accel.xp.operators import Scalar
from accel.xp.refusals import LOSSLESS

__all__ = ["Key", "bind", "each", "item", "set_item"]

_Array = TypeVar("_Array", bound=ArrayBase)

_Basic: TypeAlias = "int | slice | EllipsisType | ArrayBase | list[Any] | np.ndarray[Any, Any] | None"
Key: TypeAlias = "_Basic | tuple[_Basic, ...]"
"""An index of an array."""

_BASIC = frozenset(
    {int, slice, type(None), EllipsisType, *(each for each in HOST_SCALARS if issubclass(each, np.integer))}
)
"""The types of basic indices: what they select of an array of NumPy is a view or a scalar."""
_NDARRAY = np.ndarray  # one look-up less
_FLOAT64 = np.dtype(np.float64)  # there is one object for each of NumPy's own dtypes

Array: type[ArrayBase]
"""The class of arrays; see `bind`."""


def bind(array: type[ArrayBase]) -> None:
    """Set the class of arrays, which is defined after these functions."""
    global Array
    Array = array


def item(self: _Array, key: Key, /) -> _Array:
    """Return the elements at an index."""
    shared, library = self._shared, self._library
    if (
        shared is not None
        and (handle := shared.handle) is not None
        and ((owner := handle._owner) is None or owner.hazard_record.hazards is not None)
    ):
        live(self)
    array = self._native
    if type(key) is not tuple:
        basic = type(key) in _BASIC
    elif len(key) == 2:
        first, second = key
        basic = type(first) in _BASIC and type(second) in _BASIC
    elif len(key) == 3:
        first, second, third = key
        basic = type(first) in _BASIC and type(second) in _BASIC and type(third) in _BASIC
    else:
        basic = _BASIC.issuperset(map(type, key))
    if not basic or (type(array) is not _NDARRAY and type(array) is not library.based):
        return indexing.selected(self, key)
    try:
        result = array[key]
    except IndexError as error:
        raise refusals.bad_key(array, error) from None
    item: Any = Array()
    item._native = result
    item._library = library
    if type(result) is _NDARRAY or (type(result) is library.based and result.base is not None):  # a view
        item._shared = shared or shared_of(self)
    else:
        item._shared = None
        if type(result) not in library.native_types:
            item._native = library.as_array(result)
    return item  # type: ignore[no-any-return]


def set_item(  # noqa: C901, PLR0912 - so written out
    self: ArrayBase, key: Key, value: "ArrayBase | Scalar | Sequence[Any]", /
) -> None:
    """Set the elements at an index."""
    shared, library = self._shared, self._library
    if (
        shared is not None
        and (handle := shared.handle) is not None
        and ((owner := handle._owner) is None or owner.hazard_record.hazards is not None)
    ):
        live(self, writing=True)
    array = self._native
    if type(key) is not tuple:
        basic = type(key) in _BASIC
    elif len(key) == 2:
        first, second = key
        basic = type(first) in _BASIC and type(second) in _BASIC
    elif len(key) == 3:
        first, second, third = key
        basic = type(first) in _BASIC and type(second) in _BASIC and type(third) in _BASIC
    else:
        basic = _BASIC.issuperset(map(type, key))
    if not basic or type(array) is not _NDARRAY:
        indexing.assign(self, key, value, basic=basic)
        return
    if type(value) is Array and value._library is library:
        if (
            (other := value._shared) is not None
            and (handle := other.handle) is not None
            and ((owner := handle._owner) is None or owner.hazard_record.hazards is not None)
        ):
            live(value)
        values: Any = value._native
        if values.dtype is not array.dtype:
            refusals.refuse_lossy(library, array.dtype, values)
        if type(values) is _NDARRAY:
            base, other_base = array.base, values.base
            if base is not None or other_base is not None or values is array:  # else both own their memory
                root = array if base is None else base
                source = values if other_base is None else other_base
                if (
                    root is source
                    or type(root) is not _NDARRAY
                    or type(source) is not _NDARRAY
                    or root.base is not None
                    or source.base is not None
                ):
                    values = indexing.apart(values, array, key)
    elif type(value) is float and array.dtype is _FLOAT64:  # noqa: SIM114 - in half the time of the next
        values = value
    elif (kind := type(value)) in LOSSLESS and array.dtype.kind in LOSSLESS[kind]:
        values = value
    else:
        values = indexing.apart(indexing.assigned(library, array.dtype, value), array, key)
    try:
        array[key] = values
    except (IndexError, MemoryError, OverflowError, ValueError) as error:
        raise refusals.bad_assignment(library, array, error) from None


def each(x: _Array, length: int) -> Iterator[_Array]:
    """Yield the elements along the first axis, as `item` returns them."""
    library, array = x._library, x._native
    if library.within is not None:
        for index in range(length):
            yield x[index]
        return
    for index in range(length):
        shared = x._shared
        if (
            shared is not None
            and (handle := shared.handle) is not None
            and ((owner := handle._owner) is None or owner.hazard_record.hazards is not None)
        ):
            live(x)
        element = array[index]
        item: Any = Array()
        item._native = element
        item._library = library
        item._shared = (shared or shared_of(x)) if type(element) is _NDARRAY else None
        yield item
