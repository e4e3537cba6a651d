# Written by ci/stubs. Do not edit.
from builtins import bool as _bool
from collections.abc import Sequence
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import Any, Literal, TypeAlias

from numpy import bool_ as bool_
from numpy import complexfloating as complexfloating
from numpy import dtype as dtype
from numpy import errstate as errstate
from numpy import float16 as float16
from numpy import floating as floating
from numpy import generic as generic
from numpy import index_exp as index_exp
from numpy import inexact as inexact
from numpy import integer as integer
from numpy import intp as intp
from numpy import issubdtype as issubdtype
from numpy import ndindex as ndindex
from numpy import number as number
from numpy import promote_types as promote_types
from numpy import s_ as s_
from numpy import signedinteger as signedinteger
from numpy import unsignedinteger as unsignedinteger

from accel.device import Device as Device
from accel.device import DeviceLike
from accel.dtypes import DTypeLike
from accel.xp import cuda as cuda
from accel.xp import fft as fft
from accel.xp import linalg as linalg
from accel.xp import random as random
from accel.xp import special as special
from accel.xp.array_functions import diff as diff
from accel.xp.array_functions import reshape as reshape
from accel.xp.array_functions import where as where
from accel.xp.array_library import default_device as default_device
from accel.xp.arrays import Array as Array
from accel.xp.creation import asarray as asarray
from accel.xp.creation import astype as astype
from accel.xp.creation import from_dlpack as from_dlpack
from accel.xp.data_types import bool as bool
from accel.xp.data_types import broadcast_shapes as broadcast_shapes
from accel.xp.data_types import can_cast as can_cast
from accel.xp.data_types import complex64 as complex64
from accel.xp.data_types import complex128 as complex128
from accel.xp.data_types import finfo as finfo
from accel.xp.data_types import float32 as float32
from accel.xp.data_types import float64 as float64
from accel.xp.data_types import iinfo as iinfo
from accel.xp.data_types import int8 as int8
from accel.xp.data_types import int16 as int16
from accel.xp.data_types import int32 as int32
from accel.xp.data_types import int64 as int64
from accel.xp.data_types import isdtype as isdtype
from accel.xp.data_types import result_type as result_type
from accel.xp.data_types import uint8 as uint8
from accel.xp.data_types import uint16 as uint16
from accel.xp.data_types import uint32 as uint32
from accel.xp.data_types import uint64 as uint64
from accel.xp.filled_arrays import Shape
from accel.xp.grids import mgrid as mgrid
from accel.xp.grids import ndarray as ndarray
from accel.xp.grids import ogrid as ogrid
from accel.xp.host_access import host_copies as host_copies
from accel.xp.info import namespace_info
from accel.xp.numpy_functions import array as array
from accel.xp.numpy_functions import copy as copy
from accel.xp.numpy_functions import ndim as ndim
from accel.xp.numpy_functions import shape as shape
from accel.xp.numpy_functions import size as size
from accel.xp.operators import Scalar
from accel.xp.placement import ArrayOrder, MemoryOrder
from accel.xp.results import UniqueAll, UniqueCounts, UniqueInverse
from accel.xp.spaced_numbers import arange as arange
from accel.xp.spaced_numbers import eye as eye
from accel.xp.spaced_numbers import linspace as linspace

__array_namespace_info__ = namespace_info
__array_api_version__: str
newaxis: None
_Axes: TypeAlias = Sequence[int] | None
_Axis: TypeAlias = int | tuple[int, ...] | None
__all__ = [
    "Array",
    "Device",
    "__array_api_version__",
    "__array_namespace_info__",
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "append",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argwhere",
    "around",
    "array",
    "array_equal",
    "array_split",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bartlett",
    "bincount",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman",
    "bool",
    "bool_",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "cbrt",
    "ceil",
    "choose",
    "clip",
    "column_stack",
    "complex64",
    "complex128",
    "complexfloating",
    "compress",
    "concat",
    "concatenate",
    "conj",
    "conjugate",
    "convolve",
    "copy",
    "copysign",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cross",
    "cuda",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "default_device",
    "deg2rad",
    "degrees",
    "delete",
    "diag",
    "diagflat",
    "diagonal",
    "diff",
    "digitize",
    "divide",
    "divmod",
    "dot",
    "dsplit",
    "dstack",
    "dtype",
    "e",
    "ediff1d",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "errstate",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "extract",
    "eye",
    "fabs",
    "fft",
    "finfo",
    "flatnonzero",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floating",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "from_dlpack",
    "full",
    "full_like",
    "gcd",
    "generic",
    "geomspace",
    "gradient",
    "greater",
    "greater_equal",
    "hamming",
    "hanning",
    "heaviside",
    "histogram",
    "histogram2d",
    "host_copies",
    "hsplit",
    "hstack",
    "hypot",
    "identity",
    "iinfo",
    "imag",
    "index_exp",
    "indices",
    "inexact",
    "inf",
    "inner",
    "insert",
    "int8",
    "int16",
    "int32",
    "int64",
    "integer",
    "interp",
    "intersect1d",
    "intp",
    "invert",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "issubdtype",
    "ix_",
    "kaiser",
    "kron",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "lexsort",
    "linalg",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "mgrid",
    "min",
    "minimum",
    "mod",
    "modf",
    "moveaxis",
    "multiply",
    "nan",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "ndarray",
    "ndim",
    "ndindex",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "number",
    "ogrid",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "partition",
    "percentile",
    "permute_dims",
    "pi",
    "polyfit",
    "polyval",
    "positive",
    "pow",
    "power",
    "prod",
    "promote_types",
    "ptp",
    "quantile",
    "rad2deg",
    "radians",
    "random",
    "ravel",
    "ravel_multi_index",
    "real",
    "real_if_close",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "resize",
    "result_type",
    "right_shift",
    "rint",
    "roll",
    "rollaxis",
    "rot90",
    "round",
    "s_",
    "searchsorted",
    "select",
    "setdiff1d",
    "setxor1d",
    "shape",
    "sign",
    "signbit",
    "signedinteger",
    "sin",
    "sinc",
    "sinh",
    "size",
    "sort",
    "special",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "trace",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "tril_indices",
    "trim_zeros",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unravel_index",
    "unsignedinteger",
    "unstack",
    "unwrap",
    "vander",
    "var",
    "vdot",
    "vecdot",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

def empty(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array with uninitialised elements.

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
        The array; read no element before it is written.

    Raises
    ------
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.empty((2, 3)).shape
    (2, 3)
    """

def empty_like(
    x: Array,
    /,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: _bool = True,
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return an array with the shape, dtype and device of another, and uninitialised elements.

    Parameters
    ----------
    x : Array
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
        The new array; read no element before it is written.

    Raises
    ------
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.empty_like(xp.zeros((2, 3), dtype="int8")).dtype
    dtype('int8')
    """

def full(
    shape: Shape,
    fill_value: Scalar,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array of one value; its dtype is by default that of the value.

    Parameters
    ----------
    shape : int or sequence of int
        The extent of each axis.
    fill_value : scalar
        The value of all elements.
    dtype : dtype_like, optional
        The dtype of the elements; by default that of the value.
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
    DTypeError
        If the value is of a higher kind than the dtype, such as 1.5 for integers.
    OverflowError
        If an integer is out of the range of the dtype.
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.full((2, 2), 7)
    Array([[7, 7],
           [7, 7]], dtype=int64, device=cpu)
    """

def full_like(
    a: Array,
    fill_value: Scalar,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: _bool = True,
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return an array of one value, with the shape, dtype and device of another array.

    Parameters
    ----------
    a : Array
        The array whose shape, dtype and device are taken.
    fill_value : scalar
        The value of all elements.
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
    DTypeError
        If the value is of a higher kind than the dtype, such as 1.5 for integers.
    OverflowError
        If an integer is out of the range of the dtype.
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.full_like(xp.asarray([1, 2]), 7)
    Array([7, 7], dtype=int64, device=cpu)
    """

def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array of ones.

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

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.ones(3, dtype="int32")
    Array([1, 1, 1], dtype=int32, device=cpu)
    """

def ones_like(
    a: Array,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: _bool = True,
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return ones with the shape, dtype and device of another array.

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

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.ones_like(xp.asarray([1.5, 2.5]))
    Array([1., 1.], dtype=float64, device=cpu)
    """

def zeros(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array of zeros.

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

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.zeros((2, 2))
    Array([[0., 0.],
           [0., 0.]], dtype=float64, device=cpu)
    """

def zeros_like(
    a: Array,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: _bool = True,
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return zeros with the shape, dtype and device of another array.

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

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.zeros_like(xp.asarray([1, 2]))
    Array([0, 0], dtype=int64, device=cpu)
    """

def abs(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the absolute values.

    Of a complex number this is its magnitude, and the result is real. The least signed integer stays as it is.

    `abs` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.abs.html

    >>> xp.abs(xp.asarray([-3, 0, 2]))
    Array([3, 0, 2], dtype=int64, device=cpu)
    """

def acos(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse cosines, in radians.

    The results are in the interval [0, pi]; outside of [-1, 1] they are nan.

    `acos` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.acos.html

    >>> xp.acos(xp.asarray([-1.0, 0.0, 1.0]))
    Array([3.14159265, 1.57079633, 0.        ], dtype=float64, device=cpu)
    """

def acosh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse hyperbolic cosines.

    Below 1 the results are nan.

    `acosh` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.acosh.html

    >>> xp.acosh(xp.asarray([1.0, 2.0]))
    Array([0.       , 1.3169579], dtype=float64, device=cpu)
    """

def asin(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse sines, in radians.

    The results are in the interval [-pi/2, pi/2]; outside of [-1, 1] they are nan.

    `asin` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.asin.html

    >>> xp.asin(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-1.57079633,  0.        ,  1.57079633], dtype=float64, device=cpu)
    """

def asinh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse hyperbolic sines.

    `asinh` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.asinh.html

    >>> xp.asinh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-0.88137359,  0.        ,  0.88137359], dtype=float64, device=cpu)
    """

def atan(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse tangents, in radians.

    The results are in the interval [-pi/2, pi/2].

    `atan` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.atan.html

    >>> xp.atan(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-0.78539816,  0.        ,  0.78539816], dtype=float64, device=cpu)
    """

def atanh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse hyperbolic tangents.

    Of -1 and 1 the results are infinite; outside of [-1, 1] they are nan.

    `atanh` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.atanh.html

    >>> xp.atanh(xp.asarray([-0.5, 0.0, 0.5]))
    Array([-0.54930614,  0.        ,  0.54930614], dtype=float64, device=cpu)
    """

def bitwise_invert(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the integers with every bit inverted; of booleans the negation.

    `bitwise_invert` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.bitwise_invert.html

    >>> xp.bitwise_invert(xp.asarray([0, 1, 255]))
    Array([  -1,   -2, -256], dtype=int64, device=cpu)
    """

def ceil(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the smallest integers that are not less than the elements, in the same dtype.

    `ceil` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.ceil.html

    >>> xp.ceil(xp.asarray([-1.5, 0.2, 2.0]))
    Array([-1.,  1.,  2.], dtype=float64, device=cpu)
    """

def conj(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the complex conjugates; of real numbers the numbers themselves.

    `conj` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.conj.html

    >>> xp.conj(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1.-2.j, 3.+4.j], dtype=complex128, device=cpu)
    """

def cos(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the cosines of angles in radians.

    `cos` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.cos.html

    >>> xp.cos(xp.asarray([0.0, xp.pi / 3, xp.pi]))
    Array([ 1. ,  0.5, -1. ], dtype=float64, device=cpu)
    """

def cosh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the hyperbolic cosines.

    `cosh` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.cosh.html

    >>> xp.cosh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([1.54308063, 1.        , 1.54308063], dtype=float64, device=cpu)
    """

def exp(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return e to the power of each element.

    Of negative infinity the result is 0.

    `exp` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.exp.html

    >>> xp.exp(xp.asarray([0.0, 1.0, 2.0]))
    Array([1.        , 2.71828183, 7.3890561 ], dtype=float64, device=cpu)
    """

def expm1(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return ``exp(x) - 1``, also precise for small numbers.

    `expm1` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.expm1.html

    >>> xp.expm1(xp.asarray([0.0, 1e-12, 1.0]))
    Array([0.00000000e+00, 1.00000000e-12, 1.71828183e+00], dtype=float64, device=cpu)
    """

def floor(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the largest integers that are not greater than the elements, in the same dtype.

    `floor` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.floor.html

    >>> xp.floor(xp.asarray([-1.5, 0.2, 2.0]))
    Array([-2.,  0.,  2.], dtype=float64, device=cpu)
    """

def imag(val: Array) -> Array:
    """Return the imaginary parts.

    Of complex numbers the result is a view of the array's memory.

    `imag` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.imag.html

    >>> xp.imag(xp.asarray([1 + 2j, 3 - 4j]))
    Array([ 2., -4.], dtype=float64, device=cpu)
    """

def isfinite(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Tell which elements are neither infinite nor nan.

    `isfinite` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.isfinite.html

    >>> xp.isfinite(xp.asarray([1.0, xp.inf, xp.nan]))
    Array([ True, False, False], dtype=bool, device=cpu)
    """

def isinf(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Tell which elements are infinite, of either sign.

    `isinf` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.isinf.html

    >>> xp.isinf(xp.asarray([1.0, -xp.inf, xp.nan]))
    Array([False,  True, False], dtype=bool, device=cpu)
    """

def isnan(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Tell which elements are nan.

    `isnan` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.isnan.html

    >>> xp.isnan(xp.asarray([1.0, xp.inf, xp.nan]))
    Array([False, False,  True], dtype=bool, device=cpu)
    """

def log(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the natural logarithms.

    Of 0 the result is negative infinity, and of negative numbers nan.

    `log` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.log.html

    >>> xp.log(xp.asarray([1.0, xp.e, 10.0]))
    Array([0.        , 1.        , 2.30258509], dtype=float64, device=cpu)
    """

def log10(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the logarithms to base 10.

    Of 0 the result is negative infinity, and of negative numbers nan.

    `log10` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.log10.html

    >>> xp.log10(xp.asarray([1.0, 1000.0]))
    Array([0., 3.], dtype=float64, device=cpu)
    """

def log1p(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return ``log(1 + x)``, also precise for small numbers.

    Of -1 the result is negative infinity, and of lesser numbers nan.

    `log1p` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.log1p.html

    >>> xp.log1p(xp.asarray([0.0, 1e-12, 1.0]))
    Array([0.00000000e+00, 1.00000000e-12, 6.93147181e-01], dtype=float64, device=cpu)
    """

def log2(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the logarithms to base 2.

    Of 0 the result is negative infinity, and of negative numbers nan.

    `log2` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.log2.html

    >>> xp.log2(xp.asarray([1.0, 8.0]))
    Array([0., 3.], dtype=float64, device=cpu)
    """

def logical_not(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where the elements are false: zero.

    `logical_not` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.logical_not.html

    >>> xp.logical_not(xp.asarray([True, False]))
    Array([False,  True], dtype=bool, device=cpu)
    """

def negative(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the elements with the opposite sign.

    `negative` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.negative.html

    >>> xp.negative(xp.asarray([1, -2]))
    Array([-1,  2], dtype=int64, device=cpu)
    """

def positive(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the elements as they are, as a new array.

    `positive` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.positive.html

    >>> xp.positive(xp.asarray([1, -2]))
    Array([ 1, -2], dtype=int64, device=cpu)
    """

def real(val: Array) -> Array:
    """Return the real parts.

    Of complex numbers the result is a view of the array's memory, and of real numbers the array itself.

    `real` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.real.html

    >>> xp.real(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1., 3.], dtype=float64, device=cpu)
    """

def reciprocal(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return 1 divided by each element.

    `reciprocal` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.reciprocal.html

    >>> xp.reciprocal(xp.asarray([1.0, 2.0, 4.0]))
    Array([1.  , 0.5 , 0.25], dtype=float64, device=cpu)
    """

def sign(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return -1, 0 or 1 for the sign of each element; of complex numbers ``x / abs(x)``.

    `sign` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.sign.html

    >>> xp.sign(xp.asarray([-3, 0, 2]))
    Array([-1,  0,  1], dtype=int64, device=cpu)
    """

def signbit(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Tell which elements have their sign bit set: negative numbers and -0.0.

    `signbit` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.signbit.html

    >>> xp.signbit(xp.asarray([-1.0, -0.0, 0.0]))
    Array([ True,  True, False], dtype=bool, device=cpu)
    """

def sin(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the sines of angles in radians.

    `sin` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.sin.html

    >>> xp.sin(xp.asarray([0.0, xp.pi / 6, xp.pi / 2]))
    Array([0. , 0.5, 1. ], dtype=float64, device=cpu)
    """

def sinh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the hyperbolic sines.

    `sinh` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.sinh.html

    >>> xp.sinh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-1.17520119,  0.        ,  1.17520119], dtype=float64, device=cpu)
    """

def sqrt(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the square roots.

    Of negative real numbers they are nan; of complex numbers the roots have no negative real part.

    `sqrt` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.sqrt.html

    >>> xp.sqrt(xp.asarray([1.0, 4.0, 2.0]))
    Array([1.        , 2.        , 1.41421356], dtype=float64, device=cpu)
    """

def square(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the squares.

    `square` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.square.html

    >>> xp.square(xp.asarray([1, -2, 3]))
    Array([1, 4, 9], dtype=int64, device=cpu)
    """

def tan(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the tangents of angles in radians.

    `tan` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.tan.html

    >>> xp.tan(xp.asarray([0.0, xp.pi / 4]))
    Array([0., 1.], dtype=float64, device=cpu)
    """

def tanh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the hyperbolic tangents.

    `tanh` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.tanh.html

    >>> xp.tanh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-0.76159416,  0.        ,  0.76159416], dtype=float64, device=cpu)
    """

def trunc(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the elements without their fractions, in the same dtype.

    `trunc` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.trunc.html

    >>> xp.trunc(xp.asarray([-1.5, 0.2, 2.9]))
    Array([-1.,  0.,  2.], dtype=float64, device=cpu)
    """

def add(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the sums of two operands, element by element.

    Integers wrap around at the limits of their dtype.

    `add` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.add.html

    >>> xp.add(xp.asarray([1, 2, 3]), 10)
    Array([11, 12, 13], dtype=int64, device=cpu)
    """

def atan2(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the angles of the points ``(x2, x1)``, in radians.

    The results are in the interval [-pi, pi]; the signs of both operands choose the quadrant.

    `atan2` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.atan2.html

    >>> xp.atan2(xp.asarray([1.0, -1.0]), xp.asarray([-1.0, -1.0]))
    Array([ 2.35619449, -2.35619449], dtype=float64, device=cpu)
    """

def bitwise_and(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the bits that are set in both operands.

    `bitwise_and` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.bitwise_and.html

    >>> xp.bitwise_and(xp.asarray([12, 10]), 6)
    Array([4, 2], dtype=int64, device=cpu)
    """

def bitwise_left_shift(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the integers with their bits shifted to the left.

    `bitwise_left_shift` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.bitwise_left_shift.html

    >>> xp.bitwise_left_shift(xp.asarray([1, 2, 3]), 4)
    Array([16, 32, 48], dtype=int64, device=cpu)
    """

def bitwise_or(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the bits that are set in one operand or in both.

    `bitwise_or` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.bitwise_or.html

    >>> xp.bitwise_or(xp.asarray([12, 10]), 6)
    Array([14, 14], dtype=int64, device=cpu)
    """

def bitwise_right_shift(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the integers with their bits shifted to the right; the sign stays.

    `bitwise_right_shift` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.bitwise_right_shift.html

    >>> xp.bitwise_right_shift(xp.asarray([16, 32, -16]), 4)
    Array([ 1,  2, -1], dtype=int64, device=cpu)
    """

def bitwise_xor(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the bits that are set in exactly one of the operands.

    `bitwise_xor` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.bitwise_xor.html

    >>> xp.bitwise_xor(xp.asarray([12, 10]), 6)
    Array([10, 12], dtype=int64, device=cpu)
    """

def copysign(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the magnitudes of ``x1`` with the signs of ``x2``.

    Zeros and nan have a sign too.

    `copysign` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.copysign.html

    >>> xp.copysign(xp.asarray([1.0, 2.0]), xp.asarray([-0.0, 3.0]))
    Array([-1.,  2.], dtype=float64, device=cpu)
    """

def divide(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the quotients of two operands, element by element.

    Quotients of integers are floating-point numbers. A number divided by 0 is infinite, and 0 divided by 0 is nan.

    `divide` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.divide.html

    >>> xp.divide(xp.asarray([1, 4]), 2)
    Array([0.5, 2. ], dtype=float64, device=cpu)
    """

def equal(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where two operands are equal.

    A nan is equal to nothing, not even to itself.

    `equal` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.equal.html

    >>> xp.equal(xp.asarray([1, 2, 3]), 2)
    Array([False,  True, False], dtype=bool, device=cpu)
    """

def floor_divide(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the quotients, rounded towards negative infinity.

    `floor_divide` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.floor_divide.html

    >>> xp.floor_divide(xp.asarray([7, -7]), 2)
    Array([ 3, -4], dtype=int64, device=cpu)
    """

def greater(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where the first operand is greater than the second.

    `greater` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.greater.html

    >>> xp.greater(xp.asarray([1, 2, 3]), 2)
    Array([False, False,  True], dtype=bool, device=cpu)
    """

def greater_equal(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where the first operand is greater than the second, or equal to it.

    `greater_equal` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.greater_equal.html

    >>> xp.greater_equal(xp.asarray([1, 2, 3]), 2)
    Array([False,  True,  True], dtype=bool, device=cpu)
    """

def hypot(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the lengths of the hypotenuses: the roots of ``x1**2 + x2**2``, without overflow of the squares.

    `hypot` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.hypot.html

    >>> xp.hypot(xp.asarray([3.0, 5.0]), xp.asarray([4.0, 12.0]))
    Array([ 5., 13.], dtype=float64, device=cpu)
    """

def less(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where the first operand is less than the second.

    `less` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.less.html

    >>> xp.less(xp.asarray([1, 2, 3]), 2)
    Array([ True, False, False], dtype=bool, device=cpu)
    """

def less_equal(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where the first operand is less than the second, or equal to it.

    `less_equal` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.less_equal.html

    >>> xp.less_equal(xp.asarray([1, 2, 3]), 2)
    Array([ True,  True, False], dtype=bool, device=cpu)
    """

def logaddexp(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return ``log(exp(x1) + exp(x2))`` without overflow of the powers.

    `logaddexp` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.logaddexp.html

    >>> xp.logaddexp(xp.asarray([0.0, 1000.0]), xp.asarray([0.0, 1000.0]))
    Array([6.93147181e-01, 1.00069315e+03], dtype=float64, device=cpu)
    """

def logical_and(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where both operands are true: not zero.

    `logical_and` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.logical_and.html

    >>> xp.logical_and(xp.asarray([True, True]), xp.asarray([True, False]))
    Array([ True, False], dtype=bool, device=cpu)
    """

def logical_or(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where one operand or both are true: not zero.

    `logical_or` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.logical_or.html

    >>> xp.logical_or(xp.asarray([True, False]), xp.asarray([False, False]))
    Array([ True, False], dtype=bool, device=cpu)
    """

def logical_xor(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where exactly one operand is true: not zero.

    `logical_xor` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.logical_xor.html

    >>> xp.logical_xor(xp.asarray([True, True]), xp.asarray([True, False]))
    Array([False,  True], dtype=bool, device=cpu)
    """

def maximum(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the greater of two operands, element by element; if one is nan, nan.

    `maximum` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.maximum.html

    >>> xp.maximum(xp.asarray([1, 5]), 3)
    Array([3, 5], dtype=int64, device=cpu)
    """

def minimum(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the lesser of two operands, element by element; if one is nan, nan.

    `minimum` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.minimum.html

    >>> xp.minimum(xp.asarray([1, 5]), 3)
    Array([1, 3], dtype=int64, device=cpu)
    """

def multiply(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the products of two operands, element by element.

    Integers wrap around at the limits of their dtype.

    `multiply` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.multiply.html

    >>> xp.multiply(xp.asarray([1, 2, 3]), 10)
    Array([10, 20, 30], dtype=int64, device=cpu)
    """

def nextafter(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the next floating-point numbers after ``x1`` towards ``x2``.

    `nextafter` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.nextafter.html

    >>> xp.nextafter(xp.asarray([1.0, 2.0]), 9.0) - xp.asarray([1.0, 2.0])
    Array([2.22044605e-16, 4.44089210e-16], dtype=float64, device=cpu)
    """

def not_equal(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Tell where two operands differ.

    A nan differs from everything, even from itself.

    `not_equal` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.not_equal.html

    >>> xp.not_equal(xp.asarray([1, 2, 3]), 2)
    Array([ True, False,  True], dtype=bool, device=cpu)
    """

def pow(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the first operand to the power of the second.

    Of integers the powers are integers, which wrap around; a negative exponent of an integer is refused.

    `pow` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.pow.html

    >>> xp.pow(xp.asarray([1.0, 2.0, 3.0]), 2)
    Array([1., 4., 9.], dtype=float64, device=cpu)
    """

def remainder(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the remainders of divisions that round down: they have the signs of the divisors.

    `remainder` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.remainder.html

    >>> xp.remainder(xp.asarray([7, -7]), 3)
    Array([1, 2], dtype=int64, device=cpu)
    """

def subtract(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the differences of two operands, element by element.

    `subtract` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.subtract.html

    >>> xp.subtract(xp.asarray([10, 20]), xp.asarray([1, 2]))
    Array([ 9, 18], dtype=int64, device=cpu)
    """

def argmax(
    a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: _bool = False, **options: Any
) -> Array:
    """Return the indices of the greatest elements; of equal ones the first.

    Without an axis it is the index into the flattened array.

    `argmax` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.argmax.html

    >>> xp.argmax(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([1, 0], dtype=int64, device=cpu)
    """

def argmin(
    a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: _bool = False, **options: Any
) -> Array:
    """Return the indices of the least elements; of equal ones the first.

    Without an axis it is the index into the flattened array.

    `argmin` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.argmin.html

    >>> xp.argmin(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([0, 1], dtype=int64, device=cpu)
    """

def argsort(a: Array, axis: int = -1, *, descending: _bool = False, stable: _bool = True, **options: Any) -> Array:
    """Return the indices that would sort an array along an axis.

    Equal elements keep their order.

    `argsort` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.argsort.html

    >>> xp.argsort(xp.asarray([30, 10, 20]))
    Array([1, 2, 0], dtype=int64, device=cpu)
    """

def broadcast_arrays(*arrays: Array, **options: Any) -> tuple[Array, ...]:
    """Return arrays as views of one common shape.

    `broadcast_arrays` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.broadcast_arrays.html

    >>> xp.broadcast_arrays(xp.asarray([1, 2]), xp.asarray([[3], [4]]))[0]
    Array([[1, 2],
           [1, 2]], dtype=int64, device=cpu)
    """

def broadcast_to(x: Array, /, shape: int | Sequence[int], **options: Any) -> Array:
    """Return an array as a view of another shape: axes of extent 1 are repeated, and new axes come first.

    `broadcast_to` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.broadcast_to.html

    >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
    Array([[1, 2],
           [1, 2]], dtype=int64, device=cpu)
    """

def clip(a: Array, min: Array | Scalar | None = None, max: Array | Scalar | None = None, **options: Any) -> Array:
    """Return the elements, limited to an interval.

    `clip` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.clip.html

    >>> xp.clip(xp.asarray([1, 5, 9]), 2, 6)
    Array([2, 5, 6], dtype=int64, device=cpu)
    """

def concat(arrays: Sequence[Array], /, axis: int | None = 0, **options: Any) -> Array:
    """Join arrays along an axis that they have.

    `concat` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.concat.html

    >>> xp.concat([xp.asarray([[1, 2]]), xp.asarray([[3, 4]])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device=cpu)
    """

def count_nonzero(a: Array, axis: _Axis = None, *, keepdims: _bool = False) -> Array:
    """Count the elements that are not zero: of the whole array, or along axes.

    `count_nonzero` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.count_nonzero.html

    >>> xp.count_nonzero(xp.asarray([[0, 1], [2, 3]]), axis=0)
    Array([1, 2], dtype=int64, device=cpu)
    """

def cumulative_prod(
    x: Array,
    /,
    axis: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: _bool = False,
    **options: Any,
) -> Array:
    """Return the products of all elements up to each, along an axis.

    `cumulative_prod` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.cumulative_prod.html

    >>> xp.cumulative_prod(xp.asarray([1, 2, 3, 4]))
    Array([ 1,  2,  6, 24], dtype=int64, device=cpu)
    """

def cumulative_sum(
    x: Array,
    /,
    axis: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: _bool = False,
    **options: Any,
) -> Array:
    """Return the sums of all elements up to each, along an axis.

    `cumulative_sum` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.cumulative_sum.html

    >>> xp.cumulative_sum(xp.asarray([1, 2, 3, 4]))
    Array([ 1,  3,  6, 10], dtype=int64, device=cpu)
    """

def expand_dims(a: Array, axis: int | tuple[int, ...]) -> Array:
    """Return an array with new axes of extent 1.

    `expand_dims` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.expand_dims.html

    >>> xp.expand_dims(xp.asarray([1, 2]), 0)
    Array([[1, 2]], dtype=int64, device=cpu)
    """

def flip(m: Array, axis: _Axis = None) -> Array:
    """Return the elements in reverse order along axes.

    `flip` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.flip.html

    >>> xp.flip(xp.asarray([1, 2, 3]))
    Array([3, 2, 1], dtype=int64, device=cpu)
    """

def isin(element: Array | Scalar, test_elements: Array | Scalar, *, invert: _bool = False, **options: Any) -> Array:
    """Tell which elements are among others.

    `isin` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.isin.html

    >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1]))
    Array([ True, False,  True], dtype=bool, device=cpu)
    """

def matmul(x1: Array, x2: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the matrix product.

    The matrices are on the last two axes, and the other axes broadcast.
    An operand of one axis is a vector: that axis is not in the result.

    `matmul` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.matmul.html

    >>> xp.matmul(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43], dtype=int64, device=cpu)
    """

def matrix_transpose(x: Array, /) -> Array:
    """Return matrices with their rows and columns exchanged.

    `matrix_transpose` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.matrix_transpose.html

    >>> xp.matrix_transpose(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 3],
           [2, 4]], dtype=int64, device=cpu)
    """

def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy", **options: Any) -> tuple[Array, ...]:
    """Return the coordinates of the points of a grid, from those along each axis.

    `meshgrid` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.meshgrid.html

    >>> xp.meshgrid(xp.asarray([1, 2]), xp.asarray([3, 4]))[0]
    Array([[1, 2],
           [1, 2]], dtype=int64, device=cpu)
    """

def moveaxis(a: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Array:
    """Return an array with some axes at other places; the rest keep their order.

    `moveaxis` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.moveaxis.html

    >>> xp.moveaxis(xp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """

def nonzero(a: Array) -> tuple[Array, ...]:
    """Return the indices of the elements that are not zero, as one array for each axis.

    The tuple is an index: ``a[xp.nonzero(a)]`` are these elements.

    `nonzero` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.nonzero.html

    >>> xp.nonzero(xp.asarray([[0, 1], [2, 0]]))
    (Array([0, 1], dtype=int64, device=cpu), Array([1, 0], dtype=int64, device=cpu))
    """

def permute_dims(a: Array, axes: Sequence[int]) -> Array:
    """Return an array with its axes in another order.

    `permute_dims` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.permute_dims.html

    >>> xp.permute_dims(xp.ones((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """

def repeat(a: Array, repeats: int | Array, axis: int | None = None) -> Array:
    """Return an array with each element repeated.

    `repeat` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.repeat.html

    >>> xp.repeat(xp.asarray([1, 2]), 2)
    Array([1, 1, 2, 2], dtype=int64, device=cpu)
    """

def roll(a: Array, shift: int | tuple[int, ...], axis: _Axis = None) -> Array:
    """Return the elements moved along axes; those that pass the end come first.

    `roll` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.roll.html

    >>> xp.roll(xp.asarray([1, 2, 3]), 1)
    Array([3, 1, 2], dtype=int64, device=cpu)
    """

def round(a: Array, decimals: int = 0, out: Array | None = None, **options: Any) -> Array:
    """Return the elements, rounded to a number of decimals; of two the even one.

    `round` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.round.html

    >>> xp.round(xp.asarray([0.5, 1.5, 2.567]), 1)
    Array([0.5, 1.5, 2.6], dtype=float64, device=cpu)
    """

def searchsorted(
    a: Array, v: Array | Scalar, side: Literal["left", "right"] = "left", *, sorter: Array | None = None
) -> Array:
    """Return the indices at which elements would be inserted into a sorted array, such that it stays sorted.

    `searchsorted` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.searchsorted.html

    >>> xp.searchsorted(xp.asarray([10, 20, 30]), xp.asarray([5, 20, 35]))
    Array([0, 1, 3], dtype=int64, device=cpu)
    """

def sort(a: Array, axis: int = -1, *, descending: _bool = False, stable: _bool = True, **options: Any) -> Array:
    """Return the elements in order along an axis.

    Equal elements keep their order, and nan comes last.

    `sort` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.sort.html

    >>> xp.sort(xp.asarray([30, 10, 20]), descending=True)
    Array([30, 20, 10], dtype=int64, device=cpu)
    """

def squeeze(a: Array, axis: int | tuple[int, ...] | None = None) -> Array:
    """Return an array without axes of extent 1.

    `squeeze` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.squeeze.html

    >>> xp.squeeze(xp.asarray([[1, 2]]))
    Array([1, 2], dtype=int64, device=cpu)
    """

def stack(arrays: Sequence[Array], axis: int = 0, **options: Any) -> Array:
    """Join arrays of equal shapes along a new axis.

    `stack` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.stack.html

    >>> xp.stack([xp.asarray([1, 2]), xp.asarray([3, 4])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device=cpu)
    """

def std(a: Array, axis: _Axis = None, *, correction: float = 0.0, keepdims: _bool = False, **options: Any) -> Array:
    """Return the standard deviations of the elements: of the whole array, or along axes.

    It is the root of the variance; the divisor is ``n - correction``.

    `std` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.std.html

    >>> xp.std(xp.asarray([1.0, 3.0]), correction=1)
    Array(1.41421356, dtype=float64, device=cpu)
    """

def take(a: Array, indices: Array, axis: int | None = None, **options: Any) -> Array:
    """Return the elements at indices along an axis.

    `take` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.take.html

    >>> xp.take(xp.asarray([10, 20, 30]), xp.asarray([2, 0]))
    Array([30, 10], dtype=int64, device=cpu)
    """

def take_along_axis(arr: Array, indices: Array, axis: int = -1) -> Array:
    """Return elements at indices that are their own for each place beside the axis, as `argsort` returns them.

    `take_along_axis` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.take_along_axis.html

    >>> xp.take_along_axis(xp.asarray([[3, 1], [2, 4]]), xp.asarray([[1], [0]]), axis=1)
    Array([[1],
           [2]], dtype=int64, device=cpu)
    """

def tensordot(a: Array, b: Array, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """Return the sums of products over several axes of two arrays.

    `tensordot` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.tensordot.html

    >>> xp.tensordot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]), axes=1)
    Array([21, 43], dtype=int64, device=cpu)
    """

def tile(A: Array, reps: int | Sequence[int]) -> Array:
    """Return an array, repeated along each axis.

    `tile` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.tile.html

    >>> xp.tile(xp.asarray([1, 2]), 2)
    Array([1, 2, 1, 2], dtype=int64, device=cpu)
    """

def tril(m: Array, k: int = 0) -> Array:
    """Return the lower triangles of matrices; the elements above the diagonal are 0.

    `tril` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.tril.html

    >>> xp.tril(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 0],
           [3, 4]], dtype=int64, device=cpu)
    """

def triu(m: Array, k: int = 0) -> Array:
    """Return the upper triangles of matrices; the elements below the diagonal are 0.

    `triu` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.triu.html

    >>> xp.triu(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 2],
           [0, 4]], dtype=int64, device=cpu)
    """

def unique_all(x: Array, /) -> UniqueAll:
    """Return the unique elements, where each occurs first, the inverse, and how often each occurs.

    `unique_all` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.unique_all.html

    >>> xp.unique_all(xp.asarray([3, 1, 3])).counts
    Array([1, 2], dtype=int64, device=cpu)
    """

def unique_counts(x: Array, /) -> UniqueCounts:
    """Return the unique elements and how often each occurs.

    `unique_counts` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.unique_counts.html

    >>> xp.unique_counts(xp.asarray([3, 1, 3])).counts
    Array([1, 2], dtype=int64, device=cpu)
    """

def unique_inverse(x: Array, /) -> UniqueInverse:
    """Return the unique elements, and for each element the index of its value among them.

    `unique_inverse` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.unique_inverse.html

    >>> xp.unique_inverse(xp.asarray([3, 1, 3])).inverse_indices
    Array([1, 0, 1], dtype=int64, device=cpu)
    """

def unique_values(x: Array, /) -> Array:
    """Return the unique elements, sorted.

    `unique_values` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.unique_values.html

    >>> xp.unique_values(xp.asarray([3, 1, 3, 2]))
    Array([1, 2, 3], dtype=int64, device=cpu)
    """

def unstack(x: Array, /, axis: int = 0) -> tuple[Array, ...]:
    """Return the slices along an axis.

    `unstack` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.unstack.html

    >>> xp.unstack(xp.asarray([[1, 2], [3, 4]]))
    (Array([1, 2], dtype=int64, device=cpu), Array([3, 4], dtype=int64, device=cpu))
    """

def var(a: Array, axis: _Axis = None, *, correction: float = 0.0, keepdims: _bool = False, **options: Any) -> Array:
    """Return the variances of the elements: of the whole array, or along axes.

    It is the mean of the squared distances from the mean; the divisor is ``n - correction``.

    `var` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.var.html

    >>> xp.var(xp.asarray([1.0, 3.0]), correction=1)
    Array(2., dtype=float64, device=cpu)
    """

def vecdot(x1: Array, x2: Array, /, *, axis: int = -1, **options: Any) -> Array:
    """Return the sums of products of vectors; those of the first operand are conjugated.

    `vecdot` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.vecdot.html

    >>> xp.vecdot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43], dtype=int64, device=cpu)
    """

def all(a: Array, axis: _Axis = None, out: Array | None = None, keepdims: _bool = False, **options: Any) -> Array:
    """Tell whether all elements are true: of the whole array, or along axes.

    Of no elements the result is True.

    `all` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.all.html

    >>> xp.all(xp.asarray([[True, False], [True, True]]), axis=1)
    Array([False,  True], dtype=bool, device=cpu)
    """

def any(a: Array, axis: _Axis = None, out: Array | None = None, keepdims: _bool = False, **options: Any) -> Array:
    """Tell whether any element is true: of the whole array, or along axes.

    Of no elements the result is False.

    `any` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.any.html

    >>> xp.any(xp.asarray([[True, False], [False, False]]), axis=1)
    Array([ True, False], dtype=bool, device=cpu)
    """

def max(a: Array, axis: _Axis = None, out: Array | None = None, keepdims: _bool = False, **options: Any) -> Array:
    """Return the greatest elements: of the whole array, or along axes.

    If an element is nan, so is the result. There has to be an element, or ``initial=``.

    `max` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.max.html

    >>> xp.max(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([5, 7], dtype=int64, device=cpu)
    """

def mean(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: _bool = False,
    **options: Any,
) -> Array:
    """Return the means of the elements: of the whole array, or along axes.

    The mean of integers is a floating-point number, and the mean of no elements is nan.

    `mean` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.mean.html

    >>> xp.mean(xp.asarray([[1, 2], [3, 5]]), axis=0)
    Array([2. , 3.5], dtype=float64, device=cpu)
    """

def min(a: Array, axis: _Axis = None, out: Array | None = None, keepdims: _bool = False, **options: Any) -> Array:
    """Return the least elements: of the whole array, or along axes.

    If an element is nan, so is the result. There has to be an element, or ``initial=``.

    `min` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.min.html

    >>> xp.min(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([1, 2], dtype=int64, device=cpu)
    """

def prod(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: _bool = False,
    **options: Any,
) -> Array:
    """Return the products of the elements: of the whole array, or along axes.

    Integers are multiplied in 64 bits by default, and wrap around. The product of no elements is 1.

    `prod` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.prod.html

    >>> xp.prod(xp.asarray([[1, 2], [3, 4]]), axis=0)
    Array([3, 8], dtype=int64, device=cpu)
    """

def sum(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: _bool = False,
    **options: Any,
) -> Array:
    """Return the sums of the elements: of the whole array, or along axes.

    Integers are summed in 64 bits by default, and wrap around. The sum of no elements is 0.

    `sum` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.sum.html

    >>> xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=0)
    Array([4, 6], dtype=int64, device=cpu)
    """

def divmod(
    x1: Array | Scalar,
    x2: Array | Scalar,
    /,
    out: tuple[Array | None, Array | None] = (None, None),
    *,
    where: Array | _bool = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: _bool = True,
    signature: Any = None,
) -> tuple[Array, Array]:
    """Return the quotients, rounded down, and the remainders.

    `divmod` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.divmod.html

    >>> xp.divmod(xp.asarray([7, -7]), 3)
    (Array([ 2, -3], dtype=int64, device=cpu), Array([1, 2], dtype=int64, device=cpu))
    """

def float_power(
    x1: Array | Scalar,
    x2: Array | Scalar,
    /,
    out: Array | None = None,
    *,
    where: Array | _bool = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: _bool = True,
    signature: Any = None,
) -> Array:
    """Return the first operand to the power of the second, in float64 at least.

    `float_power` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.float_power.html

    >>> xp.float_power(xp.asarray([2, 3]), -1)
    Array([0.5       , 0.33333333], dtype=float64, device=cpu)
    """

def frexp(
    x: Array,
    /,
    out: tuple[Array | None, Array | None] = (None, None),
    *,
    where: Array | _bool = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: _bool = True,
    signature: Any = None,
) -> tuple[Array, Array]:
    """Split numbers into fractions and powers of two: ``x = fraction * 2**exponent``.

    `frexp` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.frexp.html

    >>> xp.frexp(xp.asarray([8.0, 3.0]))
    (Array([0.5 , 0.75], dtype=float64, device=cpu), Array([4, 2], dtype=int32, device=cpu))
    """

def gcd(
    x1: Array | Scalar,
    x2: Array | Scalar,
    /,
    out: Array | None = None,
    *,
    where: Array | _bool = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: _bool = True,
    signature: Any = None,
) -> Array:
    """Return the greatest common divisors of integers.

    `gcd` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.gcd.html

    >>> xp.gcd(xp.asarray([12, 18]), 8)
    Array([4, 2], dtype=int64, device=cpu)
    """

def lcm(
    x1: Array | Scalar,
    x2: Array | Scalar,
    /,
    out: Array | None = None,
    *,
    where: Array | _bool = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: _bool = True,
    signature: Any = None,
) -> Array:
    """Return the least common multiples of integers.

    `lcm` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.lcm.html

    >>> xp.lcm(xp.asarray([4, 6]), 10)
    Array([20, 30], dtype=int64, device=cpu)
    """

def ldexp(
    x1: Array | Scalar,
    x2: Array | Scalar,
    /,
    out: Array | None = None,
    *,
    where: Array | _bool = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: _bool = True,
    signature: Any = None,
) -> Array:
    """Return ``x1 * 2**x2``.

    `ldexp` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.ldexp.html

    >>> xp.ldexp(xp.asarray([0.5, 3.0]), xp.asarray([4, 1]))
    Array([8., 6.], dtype=float64, device=cpu)
    """

def modf(
    x: Array,
    /,
    out: tuple[Array | None, Array | None] = (None, None),
    *,
    where: Array | _bool = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: _bool = True,
    signature: Any = None,
) -> tuple[Array, Array]:
    """Split numbers into fractions and integers.

    `modf` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.modf.html

    >>> xp.modf(xp.asarray([1.5, -2.25]))
    (Array([ 0.5 , -0.25], dtype=float64, device=cpu), Array([ 1., -2.], dtype=float64, device=cpu))
    """

def amax(
    a: Array,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: _bool = ...,
    initial: Scalar = ...,
    where: Array | _bool = ...,
) -> Array:
    """Return the greatest elements: of the whole array, or along axes.

    The same as `max`.
    If an element is nan, so is the result. There has to be an element, or ``initial=``.

    `amax` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.amax.html

    >>> xp.amax(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([5, 7], dtype=int64, device=cpu)
    """

def amin(
    a: Array,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: _bool = ...,
    initial: Scalar = ...,
    where: Array | _bool = ...,
) -> Array:
    """Return the least elements: of the whole array, or along axes.

    The same as `min`.
    If an element is nan, so is the result. There has to be an element, or ``initial=``.

    `amin` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.amin.html

    >>> xp.amin(xp.asarray([[1, 5, 3], [7, 2, 4]]), axis=1)
    Array([1, 2], dtype=int64, device=cpu)
    """

def angle(z: Array, deg: _bool = False) -> Array:
    """Return the angles of complex numbers, in radians.

    `angle` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.angle.html

    >>> xp.angle(xp.asarray([1 + 0j, 1j]), deg=True)
    Array([ 0., 90.], dtype=float64, device=cpu)
    """

def append(arr: Array, values: Any, axis: int | None = None) -> Array:
    """Return an array with values after its elements.

    `append` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.append.html

    >>> xp.append(xp.asarray([1, 2]), xp.asarray([3]))
    Array([1, 2, 3], dtype=int64, device=cpu)
    """

def argpartition(
    a: Array, kth: int | Sequence[int], axis: int | None = -1, kind: str = "introselect", order: None = None
) -> Array:
    """Return the indices that would partition an array: smaller elements come before the ``kth``, larger ones after it.

    `argpartition` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.argpartition.html

    >>> xp.argpartition(xp.asarray([30, 10, 20]), 0)[0]
    Array(1, dtype=int64, device=cpu)
    """

def argwhere(a: Array) -> Array:
    """Return the indices of the elements that are not zero, one row for each.

    `argwhere` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.argwhere.html

    >>> xp.argwhere(xp.asarray([[0, 1], [2, 0]]))
    Array([[0, 1],
           [1, 0]], dtype=int64, device=cpu)
    """

def around(a: Array, decimals: int = 0, out: Array | None = None) -> Array:
    """Return the elements, rounded to a number of decimals; of two the even one.

    The same as `round`.

    `around` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.around.html

    >>> xp.around(xp.asarray([0.5, 1.5, 2.567]), 1)
    Array([0.5, 1.5, 2.6], dtype=float64, device=cpu)
    """

def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """Count how often each number from 0 to the greatest occurs in an array of integers.

    `bincount` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.bincount.html

    >>> xp.bincount(xp.asarray([0, 1, 1, 3]))
    Array([1, 2, 0, 1], dtype=int64, device=cpu)
    """

def choose(
    a: Array,
    choices: Array | Sequence[Array],
    out: Array | None = None,
    mode: Literal["raise", "wrap", "clip"] = "raise",
) -> Array:
    """Return for each element the one at its place in that of several arrays of which it is the index.

    `choose` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.choose.html

    >>> xp.choose(xp.asarray([0, 1, 0]), xp.asarray([[1, 2, 3], [10, 20, 30]]))
    Array([ 1, 20,  3], dtype=int64, device=cpu)
    """

def column_stack(tup: Sequence[Array]) -> Array:
    """Join arrays of one axis as the columns of a matrix; matrices are joined as they are.

    `column_stack` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.column_stack.html

    >>> xp.column_stack([xp.asarray([1, 2]), xp.asarray([3, 4])])
    Array([[1, 3],
           [2, 4]], dtype=int64, device=cpu)
    """

def compress(condition: Any, a: Array, axis: int | None = None, out: Array | None = None) -> Array:
    """Return the slices along an axis for which a condition is true.

    `compress` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.compress.html

    >>> xp.compress([True, False, True], xp.asarray([10, 20, 30]))
    Array([10, 30], dtype=int64, device=cpu)
    """

def convolve(a: Array, v: Array, mode: Literal["full", "same", "valid"] = "full") -> Array:
    """Return the discrete convolution of two sequences.

    `convolve` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.convolve.html

    >>> xp.convolve(xp.asarray([1, 2, 3]), xp.asarray([1, 1]))
    Array([1, 3, 5, 3], dtype=int64, device=cpu)
    """

def corrcoef(x: Array, y: Array | None = None, rowvar: _bool = True, *, dtype: DTypeLike | None = None) -> Array:
    """Return the coefficients of correlation of variables.

    `corrcoef` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.corrcoef.html

    >>> xp.corrcoef(xp.asarray([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float64, device=cpu)
    """

def correlate(a: Array, v: Array, mode: Literal["full", "same", "valid"] = "valid") -> Array:
    """Return the cross-correlation of two sequences.

    `correlate` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.correlate.html

    >>> xp.correlate(xp.asarray([1, 2, 3]), xp.asarray([1, 1]))
    Array([3, 5], dtype=int64, device=cpu)
    """

def cov(
    m: Array,
    y: Array | None = None,
    rowvar: _bool = True,
    bias: _bool = False,
    ddof: int | None = None,
    fweights: Array | None = None,
    aweights: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Array:
    """Return the covariances of variables.

    `cov` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.cov.html

    >>> xp.cov(xp.asarray([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]))
    Array([[ 1., -2.],
           [-2.,  4.]], dtype=float64, device=cpu)
    """

def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """Return the cross products of vectors.

    `cross` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.cross.html

    >>> xp.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
    Array([0, 0, 1], dtype=int64, device=cpu)
    """

def delete(arr: Array, obj: Any, axis: int | None = None) -> Array:
    """Return an array without some of the slices along an axis.

    `delete` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.delete.html

    >>> xp.delete(xp.asarray([10, 20, 30]), 1)
    Array([10, 30], dtype=int64, device=cpu)
    """

def diagflat(v: Array, k: int = 0) -> Array:
    """Return the matrix that has the flattened elements as its diagonal.

    `diagflat` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.diagflat.html

    >>> xp.diagflat(xp.asarray([[1, 2]]))
    Array([[1, 0],
           [0, 2]], dtype=int64, device=cpu)
    """

def digitize(x: Array, bins: Array, right: _bool = False) -> Array:
    """Return the indices of the bins to which the elements belong.

    `digitize` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.digitize.html

    >>> xp.digitize(xp.asarray([0.5, 1.0, 9.0]), xp.asarray([0.0, 1.0, 2.0]))
    Array([1, 2, 3], dtype=int64, device=cpu)
    """

def dstack(tup: Sequence[Array]) -> Array:
    """Join arrays along the third axis.

    `dstack` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.dstack.html

    >>> xp.dstack([xp.asarray([1, 2]), xp.asarray([3, 4])])
    Array([[[1, 3],
            [2, 4]]], dtype=int64, device=cpu)
    """

def ediff1d(ary: Array, to_end: Any = None, to_begin: Any = None) -> Array:
    """Return the differences of neighbours in the flattened array.

    `ediff1d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.ediff1d.html

    >>> xp.ediff1d(xp.asarray([1, 4, 9]))
    Array([3, 5], dtype=int64, device=cpu)
    """

def einsum(*operands: Any, out: Array | None = None, optimize: Any = False, **kwargs: Any) -> Array:
    """Compute a sum of products, written in Einstein's notation.

    `einsum` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.einsum.html

    >>> xp.einsum("ij,j->i", xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43], dtype=int64, device=cpu)
    """

def extract(condition: Array, arr: Array) -> Array:
    """Return the elements for which a condition is true.

    `extract` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.extract.html

    >>> xp.extract(xp.asarray([True, False, True]), xp.asarray([10, 20, 30]))
    Array([10, 30], dtype=int64, device=cpu)
    """

def flatnonzero(a: Array) -> Array:
    """Return the indices into the flattened array of the elements that are not zero.

    `flatnonzero` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.flatnonzero.html

    >>> xp.flatnonzero(xp.asarray([[0, 1], [2, 0]]))
    Array([1, 2], dtype=int64, device=cpu)
    """

def fliplr(m: Array) -> Array:
    """Return the elements in reverse order along the second axis.

    `fliplr` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.fliplr.html

    >>> xp.fliplr(xp.asarray([[1, 2], [3, 4]]))
    Array([[2, 1],
           [4, 3]], dtype=int64, device=cpu)
    """

def flipud(m: Array) -> Array:
    """Return the elements in reverse order along the first axis.

    `flipud` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.flipud.html

    >>> xp.flipud(xp.asarray([[1, 2], [3, 4]]))
    Array([[3, 4],
           [1, 2]], dtype=int64, device=cpu)
    """

def insert(arr: Array, obj: Any, values: Any, axis: int | None = None) -> Array:
    """Return an array with values before the given indices along an axis.

    `insert` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.insert.html

    >>> xp.insert(xp.asarray([10, 20]), 1, 15)
    Array([10, 15, 20], dtype=int64, device=cpu)
    """

def interp(
    x: Array | Scalar,
    xp: Array,
    fp: Array,
    left: float | None = None,
    right: float | None = None,
    period: float | None = None,
) -> Array:
    """Return the values at points of a function that is linear between samples.

    `interp` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.interp.html

    >>> xp.interp(xp.asarray([0.5, 1.0]), xp.asarray([0.0, 1.0]), xp.asarray([10.0, 20.0]))
    Array([15., 20.], dtype=float64, device=cpu)
    """

def intersect1d(ar1: Array, ar2: Array, assume_unique: _bool = False, return_indices: _bool = False) -> Any:
    """Return the elements that are in both arrays, sorted.

    `intersect1d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.intersect1d.html

    >>> xp.intersect1d(xp.asarray([1, 2, 3]), xp.asarray([3, 2, 7]))
    Array([2, 3], dtype=int64, device=cpu)
    """

def isclose(
    a: Array | Scalar, b: Array | Scalar, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False
) -> Array:
    """Tell which elements of two arrays are equal within tolerances.

    `isclose` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.isclose.html

    >>> xp.isclose(xp.asarray([1.0, 2.0]), xp.asarray([1.0, 2.1]))
    Array([ True, False], dtype=bool, device=cpu)
    """

def iscomplex(x: Array) -> Array:
    """Tell which elements have an imaginary part.

    `iscomplex` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.iscomplex.html

    >>> xp.iscomplex(xp.asarray([1 + 0j, 1j]))
    Array([False,  True], dtype=bool, device=cpu)
    """

def isneginf(x: Array, out: Array | None = None) -> Array:
    """Tell which elements are negative infinity.

    `isneginf` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.isneginf.html

    >>> xp.isneginf(xp.asarray([-xp.inf, xp.inf, 1.0]))
    Array([ True, False, False], dtype=bool, device=cpu)
    """

def isposinf(x: Array, out: Array | None = None) -> Array:
    """Tell which elements are positive infinity.

    `isposinf` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.isposinf.html

    >>> xp.isposinf(xp.asarray([-xp.inf, xp.inf, 1.0]))
    Array([False,  True, False], dtype=bool, device=cpu)
    """

def isreal(x: Array) -> Array:
    """Tell which elements have no imaginary part.

    `isreal` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.isreal.html

    >>> xp.isreal(xp.asarray([1 + 0j, 1j]))
    Array([ True, False], dtype=bool, device=cpu)
    """

def lexsort(keys: Array | Sequence[Array], axis: int = -1) -> Array:
    """Return the indices that sort by several keys; the last key is the first criterion.

    `lexsort` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.lexsort.html

    >>> xp.lexsort(xp.asarray([[1, 2, 3], [1, 1, 0]]))
    Array([2, 0, 1], dtype=int64, device=cpu)
    """

def median(
    a: Array, axis: _Axis = None, out: Array | None = None, overwrite_input: _bool = False, keepdims: _bool = False
) -> Array:
    """Return the medians of the elements: of the whole array, or along axes.

    Of an even number of elements it is the mean of the two in the middle.

    `median` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.median.html

    >>> xp.median(xp.asarray([3.0, 1.0, 2.0, 10.0]))
    Array(2.5, dtype=float64, device=cpu)
    """

def nan_to_num(
    x: Array, copy: _bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """Return the elements with nan and infinities replaced by numbers.

    `nan_to_num` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nan_to_num.html

    >>> xp.nan_to_num(xp.asarray([1.0, xp.nan]), nan=-1.0)
    Array([ 1., -1.], dtype=float64, device=cpu)
    """

def nanargmax(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: _bool = ...) -> Array:
    """Return the indices of the greatest elements that are not nan.

    `nanargmax` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanargmax.html

    >>> xp.nanargmax(xp.asarray([1.0, xp.nan, 3.0]))
    Array(2, dtype=int64, device=cpu)
    """

def nanargmin(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: _bool = ...) -> Array:
    """Return the indices of the least elements that are not nan.

    `nanargmin` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanargmin.html

    >>> xp.nanargmin(xp.asarray([xp.nan, 2.0, 1.0]))
    Array(2, dtype=int64, device=cpu)
    """

def nancumprod(a: Array, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
    """Return the products of all elements up to each, where nan counts as 1.

    `nancumprod` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nancumprod.html

    >>> xp.nancumprod(xp.asarray([2.0, xp.nan, 3.0]))
    Array([2., 2., 6.], dtype=float64, device=cpu)
    """

def nancumsum(a: Array, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
    """Return the sums of all elements up to each, where nan counts as 0.

    `nancumsum` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nancumsum.html

    >>> xp.nancumsum(xp.asarray([2.0, xp.nan, 3.0]))
    Array([2., 2., 5.], dtype=float64, device=cpu)
    """

def nanmax(
    a: Array,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: _bool = ...,
    initial: Scalar = ...,
    where: Array | _bool = ...,
) -> Array:
    """Return the greatest elements that are not nan: of the whole array, or along axes.

    `nanmax` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanmax.html

    >>> xp.nanmax(xp.asarray([1.0, xp.nan, 3.0]))
    Array(3., dtype=float64, device=cpu)
    """

def nanmean(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: _bool = ...,
    *,
    where: Array | _bool = ...,
) -> Array:
    """Return the means of the elements that are not nan: of the whole array, or along axes.

    `nanmean` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanmean.html

    >>> xp.nanmean(xp.asarray([1.0, xp.nan, 3.0]))
    Array(2., dtype=float64, device=cpu)
    """

def nanmedian(
    a: Array, axis: _Axis = None, out: Array | None = None, overwrite_input: _bool = False, keepdims: _bool = ...
) -> Array:
    """Return the medians of the elements that are not nan: of the whole array, or along axes.

    `nanmedian` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanmedian.html

    >>> xp.nanmedian(xp.asarray([1.0, xp.nan, 3.0, 5.0]))
    Array(3., dtype=float64, device=cpu)
    """

def nanmin(
    a: Array,
    axis: _Axis = None,
    out: Array | None = None,
    keepdims: _bool = ...,
    initial: Scalar = ...,
    where: Array | _bool = ...,
) -> Array:
    """Return the least elements that are not nan: of the whole array, or along axes.

    `nanmin` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanmin.html

    >>> xp.nanmin(xp.asarray([1.0, xp.nan, 3.0]))
    Array(1., dtype=float64, device=cpu)
    """

def nanpercentile(
    a: Array,
    q: Array | float,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: _bool = False,
    method: str = "linear",
    keepdims: _bool = ...,
    *,
    weights: Array | None = None,
) -> Array:
    """Return percentiles of the elements that are not nan.

    `nanpercentile` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanpercentile.html

    >>> xp.nanpercentile(xp.asarray([1.0, xp.nan, 3.0, 5.0]), 50)
    Array(3., dtype=float64, device=cpu)
    """

def nanprod(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: _bool = ...,
    initial: Scalar = ...,
    where: Array | _bool = ...,
) -> Array:
    """Return the products of the elements, where nan counts as 1: of the whole array, or along axes.

    `nanprod` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanprod.html

    >>> xp.nanprod(xp.asarray([2.0, xp.nan, 3.0]))
    Array(6., dtype=float64, device=cpu)
    """

def nanquantile(
    a: Array,
    q: Array | float,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: _bool = False,
    method: str = "linear",
    keepdims: _bool = ...,
    *,
    weights: Array | None = None,
) -> Array:
    """Return quantiles of the elements that are not nan.

    `nanquantile` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanquantile.html

    >>> xp.nanquantile(xp.asarray([1.0, xp.nan, 3.0, 5.0]), 0.5)
    Array(3., dtype=float64, device=cpu)
    """

def nanstd(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: _bool = ...,
    *,
    where: Array | _bool = ...,
    mean: Array = ...,
    correction: float = ...,
) -> Array:
    """Return the standard deviations of the elements that are not nan: of the whole array, or along axes.

    `nanstd` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanstd.html

    >>> xp.nanstd(xp.asarray([1.0, xp.nan, 3.0]))
    Array(1., dtype=float64, device=cpu)
    """

def nansum(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: _bool = ...,
    initial: Scalar = ...,
    where: Array | _bool = ...,
) -> Array:
    """Return the sums of the elements, where nan counts as 0: of the whole array, or along axes.

    `nansum` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nansum.html

    >>> xp.nansum(xp.asarray([2.0, xp.nan, 3.0]))
    Array(5., dtype=float64, device=cpu)
    """

def nanvar(
    a: Array,
    axis: _Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: _bool = ...,
    *,
    where: Array | _bool = ...,
    mean: Array = ...,
    correction: float = ...,
) -> Array:
    """Return the variances of the elements that are not nan: of the whole array, or along axes.

    `nanvar` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.nanvar.html

    >>> xp.nanvar(xp.asarray([1.0, xp.nan, 3.0]))
    Array(1., dtype=float64, device=cpu)
    """

def pad(array: Array, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Array:
    """Return an array with elements before and after it along each axis.

    `pad` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.pad.html

    >>> xp.pad(xp.asarray([1, 2]), 1)
    Array([0, 1, 2, 0], dtype=int64, device=cpu)
    """

def partition(
    a: Array, kth: int | Sequence[int], axis: int | None = -1, kind: str = "introselect", order: None = None
) -> Array:
    """Return a copy in which smaller elements come before the ``kth`` along an axis, and larger ones after it.

    `partition` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.partition.html

    >>> xp.partition(xp.asarray([30, 10, 20]), 0)[0]
    Array(10, dtype=int64, device=cpu)
    """

def percentile(
    a: Array,
    q: Array | float,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: _bool = False,
    method: str = "linear",
    keepdims: _bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Return percentiles of the elements: of the whole array, or along axes.

    `percentile` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.percentile.html

    >>> xp.percentile(xp.asarray([1.0, 2.0, 3.0, 4.0]), 50)
    Array(2.5, dtype=float64, device=cpu)
    """

def polyval(p: Array, x: Array | Scalar) -> Array:
    """Return the values of a polynomial.

    `polyval` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.polyval.html

    >>> xp.polyval(xp.asarray([2, 1]), xp.asarray([0, 1, 2]))
    Array([1, 3, 5], dtype=int64, device=cpu)
    """

def ptp(a: Array, axis: _Axis = None, out: Array | None = None, keepdims: _bool = ...) -> Array:
    """Return the differences between the greatest and the least elements: of the whole array, or along axes.

    `ptp` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.ptp.html

    >>> xp.ptp(xp.asarray([[1, 5], [7, 2]]), axis=1)
    Array([4, 5], dtype=int64, device=cpu)
    """

def quantile(
    a: Array,
    q: Array | float,
    axis: _Axis = None,
    out: Array | None = None,
    overwrite_input: _bool = False,
    method: str = "linear",
    keepdims: _bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Return quantiles of the elements: of the whole array, or along axes.

    `quantile` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.quantile.html

    >>> xp.quantile(xp.asarray([1.0, 2.0, 3.0, 4.0]), 0.5)
    Array(2.5, dtype=float64, device=cpu)
    """

def ravel_multi_index(
    multi_index: Array | tuple[Array, ...],
    dims: tuple[int, ...],
    mode: Literal["raise", "wrap", "clip"] = "raise",
    order: Literal["C", "F"] = "C",
) -> Array:
    """Return indices into a flattened array, from the indices along each axis.

    `ravel_multi_index` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.ravel_multi_index.html

    >>> xp.ravel_multi_index((xp.asarray([0, 1]), xp.asarray([2, 0])), (2, 3))
    Array([2, 3], dtype=int64, device=cpu)
    """

def real_if_close(a: Array, tol: float = 100) -> Array:
    """Return the real parts, if all imaginary parts are close to zero.

    `real_if_close` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.real_if_close.html

    >>> xp.real_if_close(xp.asarray([1 + 1e-15j]))
    Array([1.], dtype=float64, device=cpu)
    """

def resize(a: Array, new_shape: int | tuple[int, ...]) -> Array:
    """Return a new array of a shape: the elements over and over, as many as fit.

    `resize` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.resize.html

    >>> xp.resize(xp.asarray([1, 2, 3]), (2, 2))
    Array([[1, 2],
           [3, 1]], dtype=int64, device=cpu)
    """

def rollaxis(a: Array, axis: int, start: int = 0) -> Array:
    """Return an array with one axis before another place; `moveaxis` is easier to use.

    `rollaxis` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.rollaxis.html

    >>> xp.rollaxis(xp.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """

def rot90(m: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Return an array, turned by 90 degrees in the plane of two axes.

    `rot90` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.rot90.html

    >>> xp.rot90(xp.asarray([[1, 2], [3, 4]]))
    Array([[2, 4],
           [1, 3]], dtype=int64, device=cpu)
    """

def select(condlist: Sequence[Array], choicelist: Sequence[Array | Scalar], default: Array | Scalar = 0) -> Array:
    """Return elements of several arrays: for each place that of the first whose condition is true.

    `select` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.select.html

    >>> x = xp.arange(5)
    >>> xp.select([x < 2, x > 3], [x, x * 10], default=-1)
    Array([ 0,  1, -1, -1, 40], dtype=int64, device=cpu)
    """

def setdiff1d(ar1: Array, ar2: Array, assume_unique: _bool = False) -> Array:
    """Return the elements of the first array that are not in the second, sorted.

    `setdiff1d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.setdiff1d.html

    >>> xp.setdiff1d(xp.asarray([1, 2, 3]), xp.asarray([2]))
    Array([1, 3], dtype=int64, device=cpu)
    """

def setxor1d(ar1: Array, ar2: Array, assume_unique: _bool = False) -> Array:
    """Return the elements that are in exactly one of two arrays, sorted.

    `setxor1d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.setxor1d.html

    >>> xp.setxor1d(xp.asarray([1, 2]), xp.asarray([2, 3]))
    Array([1, 3], dtype=int64, device=cpu)
    """

def sinc(x: Array) -> Array:
    """Return ``sin(pi * x) / (pi * x)``; at 0 it is 1.

    `sinc` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.sinc.html

    >>> xp.sinc(xp.asarray([0.0, 0.5]))
    Array([1.        , 0.63661977], dtype=float64, device=cpu)
    """

def trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    """Integrate samples along an axis by the trapezoidal rule.

    `trapezoid` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.trapezoid.html

    >>> xp.trapezoid(xp.asarray([1.0, 2.0, 3.0]))
    Array(4., dtype=float64, device=cpu)
    """

def trim_zeros(filt: Array, trim: Literal["fb", "f", "b"] = "fb", axis: _Axis = None) -> Array:
    """Return an array without the zeros at its ends.

    `trim_zeros` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.trim_zeros.html

    >>> xp.trim_zeros(xp.asarray([0, 0, 1, 2, 0]))
    Array([1, 2], dtype=int64, device=cpu)
    """

def union1d(ar1: Array, ar2: Array) -> Array:
    """Return the elements that are in one of two arrays or in both, sorted.

    `union1d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.union1d.html

    >>> xp.union1d(xp.asarray([1, 2]), xp.asarray([2, 3]))
    Array([1, 2, 3], dtype=int64, device=cpu)
    """

def unwrap(p: Array, discont: float | None = None, axis: int = -1, *, period: float = ...) -> Array:
    """Return angles without jumps: each differs from the one before by at most half a period.

    `unwrap` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.unwrap.html

    >>> xp.unwrap(xp.asarray([170.0, -170.0]), period=360.0)
    Array([170., 190.], dtype=float64, device=cpu)
    """

def vander(x: Array, N: int | None = None, increasing: _bool = False) -> Array:
    """Return the matrix of the powers of each element.

    `vander` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.vander.html

    >>> xp.vander(xp.asarray([1, 2, 3]), 3)
    Array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]], dtype=int64, device=cpu)
    """

def array_split(ary: Array, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """Split an array into parts along an axis, which need not be of equal extent.

    `array_split` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.array_split.html

    >>> xp.array_split(xp.asarray([1, 2, 3]), 2)
    [Array([1, 2], dtype=int64, device=cpu), Array([3], dtype=int64, device=cpu)]
    """

def dsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Split an array into parts along the third axis.

    `dsplit` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.dsplit.html

    >>> len(xp.dsplit(xp.ones((2, 2, 4)), 2))
    2
    """

def hsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Split an array into parts along the second axis; of one axis along this.

    `hsplit` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.hsplit.html

    >>> xp.hsplit(xp.asarray([1, 2, 3, 4]), 2)
    [Array([1, 2], dtype=int64, device=cpu), Array([3, 4], dtype=int64, device=cpu)]
    """

def split(ary: Array, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]:
    """Split an array into parts of equal extent along an axis, or at indices.

    `split` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.split.html

    >>> xp.split(xp.asarray([1, 2, 3, 4]), 2)
    [Array([1, 2], dtype=int64, device=cpu), Array([3, 4], dtype=int64, device=cpu)]
    """

def vsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Split an array into parts along the first axis.

    `vsplit` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.vsplit.html

    >>> xp.vsplit(xp.asarray([[1, 2], [3, 4]]), 2)
    [Array([[1, 2]], dtype=int64, device=cpu), Array([[3, 4]], dtype=int64, device=cpu)]
    """

def atleast_1d(*arys: Array) -> Any:
    """Return arrays with at least one axis.

    `atleast_1d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.atleast_1d.html

    >>> xp.atleast_1d(xp.asarray(5))
    Array([5], dtype=int64, device=cpu)
    """

def atleast_2d(*arys: Array) -> Any:
    """Return arrays with at least two axes; new ones come first.

    `atleast_2d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.atleast_2d.html

    >>> xp.atleast_2d(xp.asarray([1, 2]))
    Array([[1, 2]], dtype=int64, device=cpu)
    """

def atleast_3d(*arys: Array) -> Any:
    """Return arrays with at least three axes.

    `atleast_3d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.atleast_3d.html

    >>> xp.atleast_3d(xp.asarray([1, 2])).shape
    (1, 2, 1)
    """

def average(
    a: Array, axis: _Axis = None, weights: Any = None, returned: _bool = False, *, keepdims: _bool = ...
) -> Any:
    """Return the average of the elements, weighted if there are weights.

    `average` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.average.html

    >>> xp.average(xp.asarray([1.0, 2.0, 4.0]), weights=xp.asarray([1.0, 1.0, 2.0]))
    Array(2.75, dtype=float64, device=cpu)
    """

def gradient(f: Array, *varargs: Array | Scalar, axis: _Axis = None, edge_order: Literal[1, 2] = 1) -> Any:
    """Return the gradient of samples, from the differences of their neighbours.

    `gradient` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.gradient.html

    >>> xp.gradient(xp.asarray([1.0, 4.0, 9.0]))
    Array([3., 4., 5.], dtype=float64, device=cpu)
    """

def histogram(
    a: Array,
    bins: Array | int = 10,
    range: tuple[float, float] | None = None,
    density: _bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """Count the elements in each of some bins; return the counts and the edges of the bins.

    `histogram` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.histogram.html

    >>> counts, edges = xp.histogram(xp.asarray([0.0, 1.0, 1.5, 4.0]), bins=2)
    >>> counts
    Array([3, 1], dtype=int64, device=cpu)
    >>> edges
    Array([0., 2., 4.], dtype=float64, device=cpu)
    """

def histogram2d(
    x: Array, y: Array, bins: Any = 10, range: Any = None, density: _bool | None = None, weights: Array | None = None
) -> tuple[Array, Array, Array]:
    """Count the points in each of the bins of a plane; return the counts and the edges along both axes.

    `histogram2d` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.histogram2d.html

    >>> xp.histogram2d(xp.asarray([0.0, 1.0, 2.0]), xp.asarray([0.0, 2.0, 2.0]), bins=2)[0]
    Array([[1., 0.],
           [0., 2.]], dtype=float64, device=cpu)
    """

def ix_(*args: Array) -> tuple[Array, ...]:
    """Return indices that select the rows, columns and so on of a grid.

    `ix_` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.ix_.html

    >>> xp.arange(9).reshape(3, 3)[xp.ix_(xp.asarray([0, 2]), xp.asarray([1, 2]))]
    Array([[1, 2],
           [7, 8]], dtype=int64, device=cpu)
    """

def polyfit(
    x: Array,
    y: Array,
    deg: int,
    rcond: float | None = None,
    full: _bool = False,
    w: Array | None = None,
    cov: _bool | str = False,
) -> Any:
    """Return the coefficients of the polynomial that fits points best, by least squares.

    `polyfit` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.polyfit.html

    >>> xp.polyfit(xp.asarray([0.0, 1.0]), xp.asarray([1.0, 3.0]), 1).round(6)
    Array([2., 1.], dtype=float64, device=cpu)
    """

def unique(
    ar: Array,
    return_index: _bool = False,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    axis: int | None = None,
    *,
    equal_nan: _bool = True,
    sorted: _bool = True,
) -> Any:
    """Return the unique elements, sorted.

    `unique` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.unique.html

    >>> xp.unique(xp.asarray([3, 1, 3, 2]))
    Array([1, 2, 3], dtype=int64, device=cpu)
    """

def unravel_index(indices: Array | int, shape: tuple[int, ...], order: Literal["C", "F"] = "C") -> tuple[Array, ...]:
    """Return the indices along each axis, from indices into a flattened array.

    `unravel_index` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.unravel_index.html

    >>> xp.unravel_index(xp.asarray([2, 3]), (2, 3))
    (Array([0, 1], dtype=int64, device=cpu), Array([2, 0], dtype=int64, device=cpu))
    """

def allclose(
    a: Array | Scalar, b: Array | Scalar, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False
) -> _bool:
    """Tell whether all elements of two arrays are equal within tolerances.

    `allclose` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.allclose.html

    >>> xp.allclose(xp.asarray([1.0, 2.0]), xp.asarray([1.0, 2.0 + 1e-9]))
    True
    """

def array_equal(a1: Array, a2: Array, equal_nan: _bool = False) -> _bool:
    """Tell whether two arrays have the same shape and equal elements.

    `array_equal` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.array_equal.html

    >>> xp.array_equal(xp.asarray([1, 2]), xp.asarray([1, 2]))
    True
    """

def iscomplexobj(x: Array) -> _bool:
    """Tell whether an array has a complex dtype.

    `iscomplexobj` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.iscomplexobj.html

    >>> xp.iscomplexobj(xp.asarray([1 + 0j]))
    True
    """

def isrealobj(x: Array) -> _bool:
    """Tell whether an array has a dtype that is not complex.

    `isrealobj` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.isrealobj.html

    >>> xp.isrealobj(xp.asarray([1.0]))
    True
    """

def bartlett(M: int, *, device: DeviceLike | None = None, like: Array | None = None) -> Array:
    """Return the Bartlett window, a triangle.

    `bartlett` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.bartlett.html

    >>> xp.bartlett(5)
    Array([0. , 0.5, 1. , 0.5, 0. ], dtype=float64, device=cpu)
    """

def blackman(M: int, *, device: DeviceLike | None = None, like: Array | None = None) -> Array:
    """Return the Blackman window.

    `blackman` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.blackman.html

    >>> xp.blackman(3).shape
    (3,)
    """

def geomspace(
    start: Array | complex,
    stop: Array | complex,
    num: int = 50,
    endpoint: _bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return numbers with equal ratios, from ``start`` to ``stop``.

    `geomspace` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.geomspace.html

    >>> xp.geomspace(1, 100, 3)
    Array([  1.,  10., 100.], dtype=float64, device=cpu)
    """

def hamming(M: int, *, device: DeviceLike | None = None, like: Array | None = None) -> Array:
    """Return the Hamming window.

    `hamming` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.hamming.html

    >>> xp.hamming(3)
    Array([0.08, 1.  , 0.08], dtype=float64, device=cpu)
    """

def hanning(M: int, *, device: DeviceLike | None = None, like: Array | None = None) -> Array:
    """Return the Hann window.

    `hanning` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.hanning.html

    >>> xp.hanning(3)
    Array([0., 1., 0.], dtype=float64, device=cpu)
    """

def identity(
    n: int, dtype: DTypeLike | None = None, *, device: DeviceLike | None = None, like: Array | None = None
) -> Array:
    """Return the identity matrix.

    `identity` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.identity.html

    >>> xp.identity(2)
    Array([[1., 0.],
           [0., 1.]], dtype=float64, device=cpu)
    """

def indices(
    dimensions: Sequence[int],
    dtype: DTypeLike | None = ...,
    sparse: _bool = False,
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Any:
    """Return the indices of all elements of a shape.

    `indices` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.indices.html

    >>> xp.indices((2, 2))[0]
    Array([[0, 0],
           [1, 1]], dtype=int64, device=cpu)
    """

def kaiser(M: int, beta: float, *, device: DeviceLike | None = None, like: Array | None = None) -> Array:
    """Return the Kaiser window.

    `kaiser` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.kaiser.html

    >>> xp.kaiser(3, 0.0)
    Array([1., 1., 1.], dtype=float64, device=cpu)
    """

def logspace(
    start: Array | complex,
    stop: Array | complex,
    num: int = 50,
    endpoint: _bool = True,
    base: Array | float = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return numbers with equal ratios, from ``base**start`` to ``base**stop``.

    `logspace` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.logspace.html

    >>> xp.logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float64, device=cpu)
    """

def tri(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = ...,
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return a matrix with ones at a diagonal and below, and zeros above.

    `tri` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.tri.html

    >>> xp.tri(2, 3)
    Array([[1., 0., 0.],
           [1., 1., 0.]], dtype=float64, device=cpu)
    """

def tril_indices(
    n: int, k: int = 0, m: int | None = None, *, device: DeviceLike | None = None, like: Array | None = None
) -> tuple[Array, Array]:
    """Return the indices of the lower triangle of a matrix.

    `tril_indices` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.tril_indices.html

    >>> xp.tril_indices(2)
    (Array([0, 1, 1], dtype=int64, device=cpu), Array([0, 0, 1], dtype=int64, device=cpu))
    """

def triu_indices(
    n: int, k: int = 0, m: int | None = None, *, device: DeviceLike | None = None, like: Array | None = None
) -> tuple[Array, Array]:
    """Return the indices of the upper triangle of a matrix.

    `triu_indices` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.triu_indices.html

    >>> xp.triu_indices(2)
    (Array([0, 0, 1], dtype=int64, device=cpu), Array([0, 1, 1], dtype=int64, device=cpu))
    """

def absolute(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the absolute values.

    The same as `abs`.
    Of a complex number this is its magnitude, and the result is real. The least signed integer stays as it is.

    `absolute` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.absolute.html

    >>> xp.absolute(xp.asarray([-3, 0, 2]))
    Array([3, 0, 2], dtype=int64, device=cpu)
    """

def arccos(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse cosines, in radians.

    The same as `acos`.
    The results are in the interval [0, pi]; outside of [-1, 1] they are nan.

    `arccos` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.arccos.html

    >>> xp.arccos(xp.asarray([-1.0, 0.0, 1.0]))
    Array([3.14159265, 1.57079633, 0.        ], dtype=float64, device=cpu)
    """

def arccosh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse hyperbolic cosines.

    The same as `acosh`.
    Below 1 the results are nan.

    `arccosh` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.arccosh.html

    >>> xp.arccosh(xp.asarray([1.0, 2.0]))
    Array([0.       , 1.3169579], dtype=float64, device=cpu)
    """

def arcsin(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse sines, in radians.

    The same as `asin`.
    The results are in the interval [-pi/2, pi/2]; outside of [-1, 1] they are nan.

    `arcsin` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.arcsin.html

    >>> xp.arcsin(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-1.57079633,  0.        ,  1.57079633], dtype=float64, device=cpu)
    """

def arcsinh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse hyperbolic sines.

    The same as `asinh`.

    `arcsinh` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.arcsinh.html

    >>> xp.arcsinh(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-0.88137359,  0.        ,  0.88137359], dtype=float64, device=cpu)
    """

def arctan(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse tangents, in radians.

    The same as `atan`.
    The results are in the interval [-pi/2, pi/2].

    `arctan` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.arctan.html

    >>> xp.arctan(xp.asarray([-1.0, 0.0, 1.0]))
    Array([-0.78539816,  0.        ,  0.78539816], dtype=float64, device=cpu)
    """

def arctanh(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the inverse hyperbolic tangents.

    The same as `atanh`.
    Of -1 and 1 the results are infinite; outside of [-1, 1] they are nan.

    `arctanh` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.arctanh.html

    >>> xp.arctanh(xp.asarray([-0.5, 0.0, 0.5]))
    Array([-0.54930614,  0.        ,  0.54930614], dtype=float64, device=cpu)
    """

def bitwise_not(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the integers with every bit inverted; of booleans the negation.

    The same as `bitwise_invert`.

    `bitwise_not` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.bitwise_not.html

    >>> xp.bitwise_not(xp.asarray([0, 1, 255]))
    Array([  -1,   -2, -256], dtype=int64, device=cpu)
    """

def cbrt(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the cube roots; of negative numbers too.

    `cbrt` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.cbrt.html

    >>> xp.cbrt(xp.asarray([-8.0, 27.0]))
    Array([-2.,  3.], dtype=float64, device=cpu)
    """

def conjugate(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the complex conjugates; of real numbers the numbers themselves.

    The same as `conj`.

    `conjugate` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.conjugate.html

    >>> xp.conjugate(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1.-2.j, 3.+4.j], dtype=complex128, device=cpu)
    """

def deg2rad(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return angles in radians that are given in degrees.

    The same as `radians`.

    `deg2rad` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.deg2rad.html

    >>> xp.deg2rad(xp.asarray([0.0, 180.0]))
    Array([0.        , 3.14159265], dtype=float64, device=cpu)
    """

def degrees(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return angles in degrees that are given in radians.

    `degrees` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.degrees.html

    >>> xp.degrees(xp.asarray([0.0, xp.pi]))
    Array([  0., 180.], dtype=float64, device=cpu)
    """

def exp2(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return 2 to the power of each element.

    `exp2` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.exp2.html

    >>> xp.exp2(xp.asarray([0.0, 3.0, -1.0]))
    Array([1. , 8. , 0.5], dtype=float64, device=cpu)
    """

def fabs(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the absolute values of real numbers, as floating-point numbers.

    `fabs` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.fabs.html

    >>> xp.fabs(xp.asarray([-1, 2]))
    Array([1., 2.], dtype=float64, device=cpu)
    """

def invert(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the integers with every bit inverted; of booleans the negation.

    The same as `bitwise_invert`.

    `invert` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.invert.html

    >>> xp.invert(xp.asarray([0, 1, 255]))
    Array([  -1,   -2, -256], dtype=int64, device=cpu)
    """

def rad2deg(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return angles in degrees that are given in radians.

    The same as `degrees`.

    `rad2deg` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.rad2deg.html

    >>> xp.rad2deg(xp.asarray([0.0, xp.pi]))
    Array([  0., 180.], dtype=float64, device=cpu)
    """

def radians(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return angles in radians that are given in degrees.

    `radians` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.radians.html

    >>> xp.radians(xp.asarray([0.0, 180.0]))
    Array([0.        , 3.14159265], dtype=float64, device=cpu)
    """

def rint(x: Array, /, out: Array | None = None, **options: Any) -> Array:
    """Return the nearest integers, in the same dtype; of two the even one.

    `rint` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.rint.html

    >>> xp.rint(xp.asarray([0.5, 1.5, 2.6]))
    Array([0., 2., 3.], dtype=float64, device=cpu)
    """

def arctan2(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the angles of the points ``(x2, x1)``, in radians.

    The same as `atan2`.
    The results are in the interval [-pi, pi]; the signs of both operands choose the quadrant.

    `arctan2` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.arctan2.html

    >>> xp.arctan2(xp.asarray([1.0, -1.0]), xp.asarray([-1.0, -1.0]))
    Array([ 2.35619449, -2.35619449], dtype=float64, device=cpu)
    """

def fmax(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the greater of two operands; if one is nan the other.

    `fmax` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.fmax.html

    >>> xp.fmax(xp.asarray([1.0, xp.nan]), 0.5)
    Array([1. , 0.5], dtype=float64, device=cpu)
    """

def fmin(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the lesser of two operands; if one is nan the other.

    `fmin` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.fmin.html

    >>> xp.fmin(xp.asarray([1.0, xp.nan]), 0.5)
    Array([0.5, 0.5], dtype=float64, device=cpu)
    """

def fmod(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the remainders of divisions that round towards zero: they have the signs of the dividends.

    `fmod` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.fmod.html

    >>> xp.fmod(xp.asarray([7, -7]), 3)
    Array([ 1, -1], dtype=int64, device=cpu)
    """

def heaviside(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the step function: 0 below zero, 1 above it, and ``x2`` at zero.

    `heaviside` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.heaviside.html

    >>> xp.heaviside(xp.asarray([-1.0, 0.0, 2.0]), 0.5)
    Array([0. , 0.5, 1. ], dtype=float64, device=cpu)
    """

def left_shift(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the integers with their bits shifted to the left.

    The same as `bitwise_left_shift`.

    `left_shift` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.left_shift.html

    >>> xp.left_shift(xp.asarray([1, 2, 3]), 4)
    Array([16, 32, 48], dtype=int64, device=cpu)
    """

def logaddexp2(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return ``log2(2**x1 + 2**x2)`` without overflow of the powers.

    `logaddexp2` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.logaddexp2.html

    >>> xp.logaddexp2(xp.asarray([0.0, 5000.0]), xp.asarray([0.0, 5000.0]))
    Array([1.000e+00, 5.001e+03], dtype=float64, device=cpu)
    """

def mod(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the remainders of divisions that round down: they have the signs of the divisors.

    The same as `remainder`.

    `mod` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.mod.html

    >>> xp.mod(xp.asarray([7, -7]), 3)
    Array([1, 2], dtype=int64, device=cpu)
    """

def power(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the first operand to the power of the second.

    The same as `pow`.
    Of integers the powers are integers, which wrap around; a negative exponent of an integer is refused.

    `power` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.power.html

    >>> xp.power(xp.asarray([1.0, 2.0, 3.0]), 2)
    Array([1., 4., 9.], dtype=float64, device=cpu)
    """

def right_shift(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the integers with their bits shifted to the right; the sign stays.

    The same as `bitwise_right_shift`.

    `right_shift` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.right_shift.html

    >>> xp.right_shift(xp.asarray([16, 32, -16]), 4)
    Array([ 1,  2, -1], dtype=int64, device=cpu)
    """

def true_divide(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array:
    """Return the quotients of two operands, element by element.

    The same as `divide`.
    Quotients of integers are floating-point numbers. A number divided by 0 is infinite, and 0 divided by 0 is nan.

    `true_divide` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.true_divide.html

    >>> xp.true_divide(xp.asarray([1, 4]), 2)
    Array([0.5, 2. ], dtype=float64, device=cpu)
    """

def concatenate(
    arrays: Sequence[Array],
    /,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
    **options: Any,
) -> Array:
    """Join arrays along an axis that they have.

    The same as `concat`.

    `concatenate` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.concatenate.html

    >>> xp.concatenate([xp.asarray([[1, 2]]), xp.asarray([[3, 4]])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device=cpu)
    """

def cumprod(
    a: Array, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None, **options: Any
) -> Array:
    """Return the products of all elements up to each; without an axis of the flattened array.

    `cumprod` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.cumprod.html

    >>> xp.cumprod(xp.asarray([[1, 2], [3, 4]]))
    Array([ 1,  2,  6, 24], dtype=int64, device=cpu)
    """

def cumsum(
    a: Array, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None, **options: Any
) -> Array:
    """Return the sums of all elements up to each; without an axis of the flattened array.

    `cumsum` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.cumsum.html

    >>> xp.cumsum(xp.asarray([[1, 2], [3, 4]]))
    Array([ 1,  3,  6, 10], dtype=int64, device=cpu)
    """

def diag(v: Array, k: int = 0) -> Array:
    """Return the diagonal of a matrix, or the matrix that has a vector as its diagonal.

    `diag` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.diag.html

    >>> xp.diag(xp.asarray([1, 2]))
    Array([[1, 0],
           [0, 2]], dtype=int64, device=cpu)
    """

def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the diagonals of matrices, the axes of which are ``axis1`` and ``axis2``.

    `diagonal` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.diagonal.html

    >>> xp.diagonal(xp.asarray([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int64, device=cpu)
    """

def dot(a: Array | Scalar, b: Array | Scalar, out: Array | None = None, **options: Any) -> Array:
    """Return the product of two arrays: of vectors the sum of products, of matrices the matrix product.

    `dot` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.dot.html

    >>> xp.dot(xp.asarray([1, 2]), xp.asarray([3, 4]))
    Array(11, dtype=int64, device=cpu)
    """

def hstack(tup: Sequence[Array], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array:
    """Join arrays along the second axis; those of one axis along this.

    `hstack` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.hstack.html

    >>> xp.hstack([xp.asarray([1, 2]), xp.asarray([3])])
    Array([1, 2, 3], dtype=int64, device=cpu)
    """

def inner(a: Array | Scalar, b: Array | Scalar, /) -> Array:
    """Return the sums of products over the last axes of two arrays.

    `inner` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.inner.html

    >>> xp.inner(xp.asarray([1, 2]), xp.asarray([3, 4]))
    Array(11, dtype=int64, device=cpu)
    """

def kron(a: Array | Scalar, b: Array | Scalar) -> Array:
    """Return the Kronecker product: each element of the first array, times the second array.

    `kron` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.kron.html

    >>> xp.kron(xp.asarray([1, 10]), xp.asarray([1, 2]))
    Array([ 1,  2, 10, 20], dtype=int64, device=cpu)
    """

def outer(a: Array | Scalar, b: Array | Scalar, out: Array | None = None, **options: Any) -> Array:
    """Return the products of all pairs of elements of two arrays, which are flattened.

    `outer` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.outer.html

    >>> xp.outer(xp.asarray([1, 2]), xp.asarray([1, 10]))
    Array([[ 1, 10],
           [ 2, 20]], dtype=int64, device=cpu)
    """

def ravel(a: Array, order: Literal["C", "F", "A", "K"] = "C") -> Array:
    """Return the elements on one axis.

    `ravel` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.ravel.html

    >>> xp.ravel(xp.asarray([[1, 2], [3, 4]]))
    Array([1, 2, 3, 4], dtype=int64, device=cpu)
    """

def swapaxes(a: Array, axis1: int, axis2: int) -> Array:
    """Return an array with two axes exchanged.

    `swapaxes` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.swapaxes.html

    >>> xp.swapaxes(xp.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """

def trace(
    a: Array,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    **options: Any,
) -> Array:
    """Return the sums along the diagonals of matrices.

    `trace` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.trace.html

    >>> xp.trace(xp.asarray([[1, 2], [3, 4]]))
    Array(5, dtype=int64, device=cpu)
    """

def transpose(a: Array, axes: _Axes = None) -> Array:
    """Return an array with its axes in reverse order, or in another.

    `transpose` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.transpose.html

    >>> xp.transpose(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 3],
           [2, 4]], dtype=int64, device=cpu)
    """

def vdot(a: Array | Scalar, b: Array | Scalar, /) -> Array:
    """Return the sum of products of two arrays, which are flattened; the first is conjugated.

    `vdot` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.vdot.html

    >>> xp.vdot(xp.asarray([1, 2]), xp.asarray([3, 4]))
    Array(11, dtype=int64, device=cpu)
    """

def vstack(tup: Sequence[Array], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array:
    """Join arrays along the first axis; those of one axis become rows.

    `vstack` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.vstack.html

    >>> xp.vstack([xp.asarray([1, 2]), xp.asarray([3, 4])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device=cpu)
    """
