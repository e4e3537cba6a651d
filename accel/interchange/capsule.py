"""DLPack's capsules: how one is made, read, and taken over.

The deleter of a capsule may be called by any thread at any time, also while the interpreter is going down, where
nothing written in Python can run. All capsules are therefore made by NumPy, whose deleter is C: also those for memory
of an accelerator, whose addresses NumPy is shown and never follows. What NumPy cannot say is then written into them.
"""

import math
import threading
from functools import partial
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from accel.abc.external import Deleter
from accel.device import Device
from accel.dtypes import DType, as_dtype
from accel.errors import DTypeError, InterchangeError
from accel.interchange.abi import LEGACY, VERSIONED, DLDataType, DLDevice, Form, deleter_at, is_valid, pointer, rename
from accel.locks import open_after_fork

__all__ = ["MAX_VERSION", "Contents", "make_capsule", "read_capsule", "take_capsule"]

MAX_VERSION = (1, 1)
"""The version of DLPack up to which capsules are understood."""

_FAMILIES = (
    ("int", 0, (8, 16, 32, 64)),
    ("uint", 1, (8, 16, 32, 64)),
    ("float", 2, (16, 32, 64)),
    ("complex", 5, (64, 128)),
)
_NUMPY = {(code, bits): f"{name}{bits}" for name, code, widths in _FAMILIES for bits in widths} | {(6, 8): "bool"}
_ML_DTYPES = {(4, 16): "bfloat16", (10, 8): "float8_e4m3fn", (12, 8): "float8_e5m2"}
_NAMES = _NUMPY | _ML_DTYPES
_CODES = {name: codes for codes, name in _ML_DTYPES.items()}

_CPU = Device.CPU  # an enum's member costs more to reach than a global
_READ_ONLY, _IS_COPIED = 1, 2
_MOST_AXES = 64
_MOST = 2**63 - 1

# Reentrant, for a collection may run another library's code.
_taking = open_after_fork(threading.RLock())


def make_capsule(array: "np.ndarray[Any, DType]", device: Device, versioned: bool, copied: bool = False) -> object:
    """Return a capsule on the memory that an array has, or pretends to have, and keep the array until it is let go.

    Raises
    ------
    InterchangeError
        If DLPack has no words for it: steps that are no whole elements, or read-only memory in a legacy capsule.
    """
    known = array.dtype.isbuiltin == 1
    shown = array if known else array.view(f"u{array.itemsize}")
    try:
        capsule: object = shown.__dlpack__(max_version=(1, 0) if versioned else None)
    except BufferError as error:
        raise InterchangeError(f"DLPack cannot carry this memory as it is: {error} Write copy=True") from None
    if known and device is _CPU and not copied:
        return capsule
    _amend(capsule, VERSIONED if versioned else LEGACY, _CODES.get(array.dtype.name), device, copied)
    return capsule


def _amend(capsule: object, form: Form, codes: tuple[int, int] | None, device: Device, copied: bool) -> None:
    """Write into a capsule what NumPy could not say."""
    managed: Any = form.holds.from_address(pointer(capsule, form.name))
    managed.tensor.device = DLDevice(*device.dlpack)
    if device is not _CPU and 0 in managed.tensor.shape[: managed.tensor.ndim]:
        managed.tensor.data = None  # NumPy put an address of the host there
    if codes is not None:
        managed.tensor.dtype = DLDataType(*codes, 1)
    if form is VERSIONED:
        managed.minor = MAX_VERSION[1]
        managed.flags |= _IS_COPIED * copied


class Contents(NamedTuple):
    """What a capsule says of its memory, as far as that can be checked without touching it.

    Attributes
    ----------
    address : int
        Of the lowest byte; 0 where there are no bytes.
    start, nbytes : int
        Where the first element lies above that, and how many bytes there are up to the end of the highest.
    dtype : numpy.dtype
        Type of the elements.
    shape, strides : tuple of int
        Extent of each axis, and distance in bytes between neighbours along it.
    device : tuple of int
        DLPack's numbers for where it is.
    readonly, copied : bool
        Whether writing is forbidden, and whether it was copied for this exchange.
    """

    address: int
    start: int
    nbytes: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: tuple[int, int]
    readonly: bool
    copied: bool


def read_capsule(capsule: object) -> Contents:
    """Read a capsule without taking it over.

    Raises
    ------
    InterchangeError
        If it is no capsule, was taken before, or says what cannot be.
    DTypeError
        If its elements are of a type that cannot be exchanged.
    """
    with _taking:  # whoever takes it meanwhile may let go of what is read here
        return _contents(capsule)


def _contents(capsule: object) -> Contents:
    form = _form_of(capsule)
    managed: Any = form.holds.from_address(pointer(capsule, form.name))
    if form is VERSIONED and managed.major != MAX_VERSION[0]:
        raise InterchangeError(f"the capsule is of version {managed.major}.{managed.minor}; {MAX_VERSION[0]} is known")
    tensor, flags = managed.tensor, managed.flags
    dtype = _dtype_of(tensor.dtype)
    shape, strides = _layout_of(tensor, dtype.itemsize)
    address, start, nbytes = _reach(tensor, dtype, shape, strides)
    device = tensor.device.type, tensor.device.index
    return Contents(
        address, start, nbytes, dtype, shape, strides, device, bool(flags & _READ_ONLY), bool(flags & _IS_COPIED)
    )


def _form_of(capsule: object) -> Form:
    for form in (VERSIONED, LEGACY):
        if is_valid(capsule, form.name):
            return form
        if is_valid(capsule, form.used):
            raise InterchangeError("the capsule was taken over before; each export makes one, for one taker")
    raise InterchangeError(f"a capsule of DLPack is needed; found {type(capsule).__name__}")


def _dtype_of(dtype: Any) -> DType:
    name = _NAMES.get((dtype.code, dtype.bits))
    if name is None or dtype.lanes != 1:
        raise DTypeError(
            f"elements of type code {dtype.code}, {dtype.bits} bits and {dtype.lanes} lanes cannot be exchanged; "
            f"these can: {', '.join(_NAMES.values())}"
        )
    return as_dtype(name)


def _layout_of(tensor: Any, itemsize: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the extents, and the strides in bytes."""
    ndim = tensor.ndim
    if not 0 <= ndim <= _MOST_AXES:
        raise InterchangeError(f"it has {ndim} axes; 0 to {_MOST_AXES} are possible")
    if ndim and not tensor.shape:
        raise InterchangeError("it has axes and a null pointer for their extents")
    shape = tuple(tensor.shape[:ndim])
    if min(shape, default=0) < 0:
        raise InterchangeError(f"the shape {shape} is negative")
    if math.prod(max(extent, 1) for extent in shape) * itemsize > _MOST:
        raise InterchangeError(f"the shape {shape} of elements of {itemsize} bytes overflows")
    if tensor.strides and 0 not in shape:
        return shape, tuple(step * itemsize for step in tensor.strides[:ndim])
    return shape, tuple(accumulate(shape[:0:-1], mul, initial=itemsize))[::-1][:ndim]


def _reach(tensor: Any, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int, int]:
    """Return the lowest address, how far the first element lies above it, and how many bytes there are."""
    if 0 in shape:
        return 0, 0, 0
    ends = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    below, above = -sum(end for end in ends if end < 0), sum(end for end in ends if end > 0)
    if not tensor.data:
        raise InterchangeError(f"it has elements (shape {shape}) and a null pointer for them")
    first = tensor.data + tensor.byte_offset
    if first <= below or max(first + above + dtype.itemsize, *map(abs, strides), 0) > _MOST:
        raise InterchangeError(f"shape {shape} with strides {strides} in bytes from {first:#x} on leaves all memory")
    if first % dtype.alignment:
        raise InterchangeError(f"its first element at {first:#x} is not aligned for {dtype.name}")
    return first - below, below, below + above + dtype.itemsize


def take_capsule(capsule: object) -> Deleter | None:
    """Take over a capsule that was read; return what must be called once, after the last use of its memory.

    Raises
    ------
    InterchangeError
        If somebody else took it first.
    """
    with _taking:
        form = _form_of(capsule)
        address = pointer(capsule, form.name)
        rename(capsule, form.used)
    deleter = form.holds.from_address(address).deleter
    return partial(deleter_at(deleter), address) if deleter else None
