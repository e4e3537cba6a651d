"""`reshape`, whose copies on the host are made by `accel.copies`."""

from accel import copies
from accel.device import Device
from accel.xp.array import Array, native, wrap
from accel.xp.functions import library_of

__all__ = ["reshape"]


def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    """Return the elements of an array, in C order, in another shape: a view if strides can describe it, else a copy.

    Parameters
    ----------
    x : Array
        The elements.
    shape : tuple of int
        Extents, with the product ``x.size``. One of them may be -1 and is then computed from the others.
    copy : bool, optional
        True: always copy. False: never copy. None: copy if needed.

    Raises
    ------
    ValueError
        If the sizes differ, or if ``copy=False`` and a copy is needed.
    """
    library = library_of(x)
    array = native(library, x)
    if library.device is Device.CPU and copy is None and not array.flags.c_contiguous:
        try:
            return wrap(library, library.namespace.reshape(array, shape, copy=False), x)
        except ValueError:  # a copy is needed, or the sizes differ, which the last line reports
            array = copies.in_c_order(array)
    return wrap(library, library.namespace.reshape(array, shape, copy=copy), x)
