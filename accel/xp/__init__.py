"""The Python array standard on every device: one namespace, whatever library computes.

``import accel.xp as xp``. Functions compute on the device of their arrays; those that create arrays take
``device=``. Computation is done by the library behind the device (NumPy on the CPU) through array-api-compat. The
signatures are in ``__init__.pyi``.

Examples
--------
>>> import accel.xp as xp
>>> x = xp.linspace(0, 1, 5)
>>> float(xp.sum(x * x))
1.875
"""

from math import e, inf, nan, pi

from accel.device import Device
from accel.xp import data_types as _data_types
from accel.xp import fft, linalg
from accel.xp.array import API_VERSIONS, Array
from accel.xp.array_library import default_device
from accel.xp.creation import (
    arange,
    asarray,
    astype,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from accel.xp.functions import core as _core
from accel.xp.info import namespace_info as __array_namespace_info__
from accel.xp.reshaping import reshape

__array_api_version__ = API_VERSIONS[-1]
newaxis = None

_functions = {**_core(), **{name: getattr(_data_types, name) for name in _data_types.__all__}}
globals().update(_functions)

# fmt: off
__all__ = [
    "Array", "Device", "__array_api_version__", "__array_namespace_info__", "arange", "asarray", "astype",
    "default_device", "e", "empty", "empty_like", "eye", "fft", "from_dlpack", "full", "full_like", "inf", "linalg",
    "linspace", "nan", "newaxis", "ones", "ones_like", "pi", "reshape", "zeros", "zeros_like", *sorted(_functions),
]
# fmt: on
