"""What the docstrings of functions say that create arrays of one value, or without values."""

__all__ = ["LIKE_OTHERS", "OF_SHAPES"]

OF_SHAPES = """
Parameters
----------
shape : int or sequence of int
    The extent of each axis.
dtype : dtype_like, optional
    The dtype of the elements; by default float64.
order : str, default "C"
    The order of the elements in memory: C's or Fortran's.
device : Device or str, optional
    The device of the array; by default the current one.
like : Array, optional
    An array on the device of the new one, if there is no ``device``.

Returns
-------
Array
    The array.

Raises
------
DeviceUnavailableError
    If the device is not available.
"""

LIKE_OTHERS = """
Parameters
----------
a : Array
    The array whose shape, dtype and device are taken.
dtype : dtype_like, optional
    The dtype of the elements; by default that of the array.
order : str, default "K"
    Checked, and without effect: the order in memory is that of the library.
subok : bool, default True
    Without effect: arrays have no subclasses.
shape : int or sequence of int, optional
    The shape of the result; by default that of the array.
device : Device or str, optional
    The device of the result; by default that of the array.

Returns
-------
Array
    The new array.

Raises
------
DeviceUnavailableError
    If the device is not available.
"""
