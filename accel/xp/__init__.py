"""The Python array standard as one namespace for all devices.

``import accel.xp as xp``. Functions compute on the device of their arrays; functions that create arrays take
``device=``. The library of the device computes: NumPy on the CPU, CuPy on GPUs. The signatures are in ``__init__.pyi``.

The names are those of the standard, and names of NumPy that the standard does not have, for code that was written for
NumPy: `accel.xp.numpy_signatures` lists these. A function of both, such as `sort`, is the standard's; its options can
be given by position where NumPy takes them so.

Examples
--------
>>> import accel.xp as xp
>>> x = xp.linspace(0, 1, 5)
>>> float(xp.sum(x * x))
1.875
"""

from math import e, inf, nan, pi

from numpy import (
    bool_,
    complexfloating,
    dtype,
    errstate,
    float16,
    floating,
    generic,
    index_exp,
    inexact,
    integer,
    intp,
    issubdtype,
    ndindex,
    number,
    promote_types,
    s_,
    signedinteger,
    unsignedinteger,
)

from accel.device import Device
from accel.support.lazy import LazyNames
from accel.xp import fft, linalg, numpy_functions
from accel.xp.array_functions import diff, reshape, where
from accel.xp.array_library import default_device
from accel.xp.arrays import API_VERSIONS, Array
from accel.xp.arrays_like import empty_like, full_like, ones_like, zeros_like
from accel.xp.creation import asarray, astype, from_dlpack
from accel.xp.data_types import (
    bool,
    broadcast_shapes,
    can_cast,
    complex64,
    complex128,
    finfo,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from accel.xp.filled_arrays import empty, full, ones, zeros
from accel.xp.functions import bind as _bind
from accel.xp.functions import core as _compiled
from accel.xp.generated_code import fetch_from
from accel.xp.grids import mgrid, ndarray, ogrid
from accel.xp.host_access import host_copies
from accel.xp.info import namespace_info as __array_namespace_info__
from accel.xp.missing_members import describe_missing as _describe_missing
from accel.xp.numpy_functions import array, copy, ndim, shape, size
from accel.xp.numpy_keywords import with_keywords as _with_keywords
from accel.xp.registrations import await_libraries as _await_libraries
from accel.xp.spaced_numbers import arange, eye, linspace

__array_api_version__ = API_VERSIONS[-1]
newaxis = None

_bind(with_keywords=_with_keywords)
_functions = _compiled()
_of_numpy = numpy_functions.core()

# fmt: off
__all__ = [
    "Array", "Device", "__array_api_version__", "__array_namespace_info__", "arange", "asarray", "astype", "bool",
    "broadcast_shapes", "can_cast", "complex64", "complex128", "cuda", "default_device", "diff", "e", "empty",
    "empty_like", "eye", "fft", "finfo", "float32", "float64", "from_dlpack", "full", "full_like", "host_copies",
    "iinfo", "inf", "int8", "int16", "int32", "int64", "isdtype", "linalg", "linspace", "nan", "newaxis", "ones",
    "ones_like", "pi", "reshape", "result_type", "special", "uint8", "uint16", "uint32", "uint64", "where", "zeros",
    "zeros_like",
    # NumPy's
    "array", "bool_", "complexfloating", "copy", "dtype", "errstate", "float16", "floating", "generic", "index_exp",
    "inexact", "integer", "intp", "issubdtype", "mgrid", "ndarray", "ndim", "ndindex", "number", "ogrid",
    "promote_types", "random", "s_", "shape", "signedinteger", "size", "unsignedinteger",
    *sorted(_functions), *sorted(_of_numpy),
]
# fmt: on

_LAZY = {"cuda": "accel.xp.cuda", "random": "accel.xp.random", "special": "accel.xp.special"}
_extensions = LazyNames(__name__, _LAZY, __all__, "accel.xp.missing_names")
__getattr__, __dir__ = fetch_from(_extensions, _functions, _of_numpy), _extensions.listed

_describe_missing(Array, __all__)
_await_libraries()
