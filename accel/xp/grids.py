"""`mgrid`, `ogrid` and `ndarray`: objects of NumPy's namespace that create arrays by an index or by a call."""

from collections.abc import Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any

import numpy as np

from accel.dtypes import DTypeLike
from accel.errors import CapabilityError
from accel.xp.arrays import Array
from accel.xp.creation import asarray
from accel.xp.filled_arrays import empty
from accel.xp.functions import standard

__all__ = ["mgrid", "ndarray", "ogrid"]


class Grid:
    """Coordinates of a grid on the default device, by slices in brackets as for `numpy.mgrid`.

    The step of a slice is a complex number ``nj`` for n coordinates, the last of which is the stop.

    Examples
    --------
    >>> import accel.xp as xp
    >>> y, x = xp.mgrid[0:2, 0:3]
    >>> (10 * y + x).tolist()
    [[0, 1, 2], [10, 11, 12]]
    """

    def __init__(self, *, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        """Return an array with the coordinates along each axis; if sparse, a tuple of arrays that broadcast."""
        if isinstance(key, slice):
            return asarray(np.ogrid[_plain(key)])
        # Only the coordinates along each axis cross to the device; the grid is made there.
        axes = tuple(asarray(axis) for axis in np.ogrid[tuple(map(_plain, key))])
        return axes if self._sparse or not axes else standard("stack")(standard("broadcast_arrays")(*axes))

    def __repr__(self) -> str:
        return f"<accel.xp.{'ogrid' if self._sparse else 'mgrid'}>"


def _plain(part: slice) -> slice:
    """Return a slice with Python numbers in place of arrays."""
    return slice(*(end.item() if isinstance(end, Array) else end for end in (part.start, part.stop, part.step)))


mgrid: Grid = Grid(sparse=False)
ogrid: Grid = Grid(sparse=True)

if TYPE_CHECKING:
    ndarray = Array
else:

    class _OfArrays(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, Array)

        def __subclasscheck__(cls, kind: type) -> bool:
            return issubclass(kind, Array)

    class ndarray(metaclass=_OfArrays):  # noqa: N801 - NumPy's name
        """NumPy's name of the class of arrays: arrays are its instances, and calls of it are those of `empty`.

        Examples
        --------
        >>> import accel.xp as xp
        >>> x = xp.ndarray((2, 3), dtype="float32")
        >>> isinstance(x, xp.ndarray), x.shape
        (True, (2, 3))
        """

        __class_getitem__ = classmethod(GenericAlias)  # for annotations, as ``xp.ndarray[Any, Any]``

        def __new__(
            cls,
            shape: int | Sequence[int],
            dtype: DTypeLike = "float64",
            buffer: Any = None,
            offset: int = 0,
            strides: Sequence[int] | None = None,
        ) -> Array:
            """Return an array with uninitialised elements on the default device.

            Raises
            ------
            CapabilityError
                If memory or strides are given, which other functions take.
            """
            if buffer is not None or offset or strides is not None:
                raise CapabilityError(
                    "xp.ndarray makes new arrays only; for memory that exists write xp.asarray(buffer) or "
                    "xp.from_dlpack(array), and views of it by indices"
                )
            return empty(shape, dtype)
