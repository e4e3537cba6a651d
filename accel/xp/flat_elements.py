"""`FlatElements`: the elements of an array in C order, as NumPy's ``flat`` has them."""

from operator import index
from typing import Any, ClassVar, Literal, Self

import numpy as np

from accel.dtypes import DType, DTypeLike
from accel.errors import BoundsError
from accel.xp import indexing
from accel.xp.array_base import ArrayBase
from accel.xp.shape_methods import is_in_c_order

__all__ = ["FlatElements", "flat", "put"]


_MODES = frozenset({"raise", "wrap", "clip"})


class FlatElements:
    """The elements of an array in C order, as one axis: ``x.flat``; also an iterator over them, as NumPy's.

    What is assigned is written to the array. Values are repeated if there are too few. Selected elements are a copy.

    Examples
    --------
    >>> import accel.xp as xp
    >>> x = xp.zeros((2, 3))
    >>> x.flat[1::2] = [1, 2]
    >>> x
    Array([[0., 1., 0.],
           [2., 0., 1.]], dtype=float64, device=cpu)
    """

    __slots__ = ("_base", "_index", "_view")
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __init__(self, base: Any) -> None:
        self._base = base
        self._index = 0
        # A view, unless only a copy has the elements as one axis.
        self._view = base.reshape(-1) if base.ndim == 1 or is_in_c_order(base) else None

    @property
    def base(self) -> Any:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """The number of the next element."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """The index of the next element in the array."""
        return self._coordinates(self._index)

    def __len__(self) -> int:
        return self._base.size  # type: ignore[no-any-return]

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        position = self._index
        if position >= len(self):
            raise StopIteration
        self._index = position + 1
        return self._element(position)

    def __getitem__(self, key: Any) -> Any:
        key = _plain(key)
        if _is_integer(key):
            return self._element(self._position(key))
        selected = self._one_axis()[key]
        return selected.copy() if isinstance(key, slice) else selected

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, tuple) and not key:
            raise BoundsError("x.flat[()] is not assigned to; write x.flat = values")
        key, base = _plain(key), self._base
        values = self._assigned(value)
        if _is_integer(key):
            position = self._position(key)
            if values.ndim:
                raise ValueError(f"x.flat[{position}] is one element; found values of shape {values.shape}")
            target, place = (base, self._coordinates(position)) if self._view is None else (self._view, position)
            target[place] = values
            return
        elements = self._one_axis()
        shape = elements[key].shape
        if not values.size:
            return
        elements[key] = _repeated(values, shape)
        if self._view is None:
            base[...] = elements.reshape(base.shape)

    def copy(self) -> Any:
        """Return a copy of the elements as an array of one axis."""
        return self._base.flatten()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, DType]:
        return self._one_axis().__array__(dtype, copy)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> Any:
        return self._one_axis() == _operand(other)

    def __ne__(self, other: object) -> Any:
        return self._one_axis() != _operand(other)

    def __lt__(self, other: Any) -> Any:
        return self._one_axis() < _operand(other)

    def __le__(self, other: Any) -> Any:
        return self._one_axis() <= _operand(other)

    def __gt__(self, other: Any) -> Any:
        return self._one_axis() > _operand(other)

    def __ge__(self, other: Any) -> Any:
        return self._one_axis() >= _operand(other)

    def _one_axis(self) -> Any:
        return self._base.reshape(-1) if self._view is None else self._view

    def _element(self, position: int) -> Any:
        return self._base[self._coordinates(position)] if self._view is None else self._view[position]

    def _position(self, key: Any) -> int:
        position, size = index(key), len(self)
        if not -size <= position < size:
            raise BoundsError(f"index {position} of x.flat, which has {size} elements; write one in [{-size}, {size})")
        return position % size

    def _coordinates(self, position: int) -> tuple[int, ...]:
        coordinates: list[int] = []
        for extent in reversed(self._base.shape[1:]):
            position, rest = divmod(position, extent or 1)
            coordinates.append(rest)
        return (position, *reversed(coordinates)) if self._base.ndim else ()

    def _assigned(self, value: Any) -> Any:
        base = self._base
        if isinstance(value, FlatElements):
            value = value._one_axis()
        return base._wrap(base._library, base._library.as_array(indexing.assigned(base._library, base.dtype, value)))


def _plain(key: Any) -> Any:
    """Return an index of one axis without the tuple around it."""
    if isinstance(key, tuple) and len(key) < 2:
        key = key[0] if key else ...
    if key is ...:
        return slice(None)
    if key is None or isinstance(key, tuple):
        raise BoundsError(f"x.flat has one axis, and takes an integer, a slice or an array; found {key!r}")
    return key


def _is_integer(key: Any) -> bool:
    if isinstance(key, ArrayBase):
        return key.ndim == 0 and key.dtype.kind in "iu"
    return isinstance(key, int | np.integer) and not isinstance(key, bool)


def _operand(value: Any) -> Any:
    return value._one_axis() if isinstance(value, FlatElements) else value


def _repeated(values: Any, shape: tuple[int, ...]) -> Any:
    """Return values for a shape, repeated from the first on if there are too few."""
    if values.size == 1:
        return values.reshape(())
    values, size = values.reshape(-1), int(np.prod(shape))
    if values.size < size:
        values = values.__array_namespace__().tile(values, -(-size // values.size))
    return values[:size].reshape(shape)


def _set_flat(x: ArrayBase, values: Any) -> None:
    FlatElements(x)[...] = values


def put(x: ArrayBase, indices: Any, values: Any, mode: Literal["raise", "wrap", "clip"] = "raise") -> None:
    """Set elements of the flat array; values are repeated if there are too few.

    Parameters
    ----------
    indices : Array, int or sequence of int
        Which elements.
    values : Array, number or sequence of numbers
        What they are set to.
    mode : {"raise", "wrap", "clip"}
        What an index out of bounds is: an error, with no element set; one that begins anew; or the nearest one.

    Raises
    ------
    BoundsError
        If an index is out of bounds.
    TypeError
        If the indices are no integers.
    """
    xp = x.__array_namespace__()
    places = xp.asarray(indices, device=x.device).reshape(-1)
    if not places.size:
        return
    if not np.can_cast(places.dtype, np.int64):
        raise TypeError(f"indices are integers; found {places.dtype.name}: write xp.astype(indices, 'int64')")
    places = places.astype(np.int64, copy=False)
    if mode not in _MODES:
        raise ValueError(f"mode={mode!r} is not known; write mode='raise', mode='wrap' or mode='clip'")
    if x.size and mode != "raise":
        places = places % x.size if mode == "wrap" else places.clip(0, x.size - 1)
    FlatElements(x)[places] = values


flat: property = property(
    FlatElements, _set_flat, doc="The elements in C order, as one axis; what is assigned to it is repeated."
)
"""The attribute of arrays."""
