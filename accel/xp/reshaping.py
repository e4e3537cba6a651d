"""`reshape`, whose copies are the engine's."""

from accel import copies
from accel.device import Device
from accel.xp.array import Array, native, wrap
from accel.xp.functions import library_of

__all__ = ["reshape"]


def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    """Return the elements of an array, in C order, in another shape: a view where strides lead through them.

    Parameters
    ----------
    x : Array
        The elements.
    shape : tuple of int
        Extents of the same product; one of them may be -1, for what is left.
    copy : bool, optional
        True: always memory of its own. False: never copy.

    Raises
    ------
    ValueError
        If the sizes differ, or ``copy=False`` and a copy is needed.
    """
    library = library_of(x)
    array = native(library, x)
    if library.device is Device.CPU and copy is None and not array.flags.c_contiguous:
        try:
            return wrap(library, library.namespace.reshape(array, shape, copy=False), x)
        except ValueError:  # as strides do not lead there, or the sizes differ, which is said below
            array = copies.in_c_order(array)
    return wrap(library, library.namespace.reshape(array, shape, copy=copy), x)
