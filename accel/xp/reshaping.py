"""`reshape`, as a function."""

from collections.abc import Sequence

from accel.xp.arrays import Array
from accel.xp.operands import library_of
from accel.xp.shape_methods import reshaped

__all__ = ["reshape"]


def reshape(x: Array, /, shape: int | Sequence[int], *, copy: bool | None = None) -> Array:
    """Return the elements of an array, in C order, in another shape: a view if strides can describe it, else a copy.

    Parameters
    ----------
    x : Array
        The elements.
    shape : int or sequence of int
        Extents, with the product ``x.size``. One of them may be -1 and is then computed from the others.
    copy : bool, optional
        True: always copy. False: never copy. None: copy if needed.

    Raises
    ------
    ValueError
        If the sizes differ, or if ``copy=False`` and a copy is needed.
    """
    library_of(x)  # refuses an object that is not an array
    return reshaped(x, shape, copy)
