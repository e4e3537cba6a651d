"""DLPack capsules: making, reading and taking them over.

The deleter of a capsule may be called by any thread at any time, also while the interpreter shuts down and Python code
cannot run. So NumPy makes all capsules: its deleter is written in C. For memory of an accelerator NumPy gets an array
with the device address, which it never reads. Fields that NumPy cannot set are then written into the capsule.
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
from accel.support.locks import open_after_fork

__all__ = ["MAX_VERSION", "CapsuleContents", "make_capsule", "read_capsule", "take_capsule"]

MAX_VERSION = (1, 1)
"""The newest version of DLPack capsules that is read."""

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

_CPU = Device.CPU  # a global is read faster than a member of an enum
_READ_ONLY, _IS_COPIED = 1, 2
_MOST_AXES = 64
_MOST_BYTES = 2**63 - 1

# Reentrant: a garbage collection may run another library's code.
_lock = open_after_fork(threading.RLock())


def make_capsule(array: "np.ndarray[Any, DType]", device: Device, versioned: bool, copied: bool = False) -> object:
    """Return a capsule on the memory of an array, which may be an accelerator's; it keeps the array alive.

    Raises
    ------
    InterchangeError
        If DLPack cannot express it: strides of no whole elements, or read-only memory in a legacy capsule.
    """
    of_numpy = array.dtype.isbuiltin == 1
    exported = array if of_numpy else array.view(f"u{array.itemsize}")
    try:
        capsule: object = exported.__dlpack__(max_version=(1, 0) if versioned else None)
    except BufferError as error:
        raise InterchangeError(f"DLPack cannot carry this memory as it is: {error} Write copy=True") from None
    if of_numpy and device is _CPU and not copied:
        return capsule
    _amend(capsule, VERSIONED if versioned else LEGACY, _CODES.get(array.dtype.name), device, copied)
    return capsule


def _amend(capsule: object, form: Form, codes: tuple[int, int] | None, device: Device, copied: bool) -> None:
    """Write the fields of a capsule that NumPy cannot set."""
    managed: Any = form.holds.from_address(pointer(capsule, form.name))
    managed.tensor.device = DLDevice(*device.dlpack)
    if device is not _CPU and 0 in managed.tensor.shape[: managed.tensor.ndim]:
        managed.tensor.data = None  # NumPy put an address of the host there
    if codes is not None:
        managed.tensor.dtype = DLDataType(*codes, 1)
    if form is VERSIONED:
        managed.minor = MAX_VERSION[1]
        managed.flags |= _IS_COPIED * copied


class CapsuleContents(NamedTuple):
    """The fields of a capsule, checked as far as possible without access to the memory.

    Attributes
    ----------
    address : int
        Address of the lowest byte; 0 if there are no bytes.
    start, nbytes : int
        Offset of the first element from there, and size of all memory that the elements span, in bytes.
    dtype : numpy.dtype
        Type of the elements.
    shape, strides : tuple of int
        Extent of each axis, and distance in bytes between neighbours along it.
    device : tuple of int
        DLPack's numbers for the device.
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


def read_capsule(capsule: object) -> CapsuleContents:
    """Read a capsule without taking it over.

    Raises
    ------
    InterchangeError
        If it is no capsule, was taken over before, or its fields are impossible.
    DTypeError
        If its elements are of a type that cannot be exchanged.
    """
    with _lock:  # another thread that takes it over may free what is read here
        return _contents(capsule)


def _contents(capsule: object) -> CapsuleContents:
    form = _form_of(capsule)
    managed: Any = form.holds.from_address(pointer(capsule, form.name))
    if form is VERSIONED and managed.major != MAX_VERSION[0]:
        raise InterchangeError(f"the capsule is of version {managed.major}.{managed.minor}; {MAX_VERSION[0]} is known")
    tensor, flags = managed.tensor, managed.flags
    dtype = _dtype_of(tensor.dtype)
    shape, strides = _layout_of(tensor, dtype.itemsize)
    address, start, nbytes = _span(tensor, dtype, shape, strides)
    device = tensor.device.type, tensor.device.index
    return CapsuleContents(
        address, start, nbytes, dtype, shape, strides, device, bool(flags & _READ_ONLY), bool(flags & _IS_COPIED)
    )


def _form_of(capsule: object) -> Form:
    for form in (VERSIONED, LEGACY):
        if is_valid(capsule, form.name):
            return form
        if is_valid(capsule, form.used):
            raise InterchangeError(
                "the capsule was taken over before; export again for a new capsule, for one consumer each"
            )
    raise InterchangeError(f"a DLPack capsule is needed; found {type(capsule).__name__}")


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
    if math.prod(max(extent, 1) for extent in shape) * itemsize > _MOST_BYTES:
        raise InterchangeError(f"the shape {shape} of elements of {itemsize} bytes overflows")
    if tensor.strides and 0 not in shape:
        return shape, tuple(step * itemsize for step in tensor.strides[:ndim])
    return shape, tuple(accumulate(shape[:0:-1], mul, initial=itemsize))[::-1][:ndim]


def _span(tensor: Any, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int, int]:
    """Return the lowest address, the offset of the first element from it, and the size, in bytes."""
    if 0 in shape:
        return 0, 0, 0
    ends = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    below, above = -sum(end for end in ends if end < 0), sum(end for end in ends if end > 0)
    if not tensor.data:
        raise InterchangeError(f"it has elements (shape {shape}) and a null pointer for them")
    first = tensor.data + tensor.byte_offset
    if first <= below or max(first + above + dtype.itemsize, *map(abs, strides), 0) > _MOST_BYTES:
        raise InterchangeError(f"shape {shape} with strides {strides} in bytes from {first:#x} on leaves all memory")
    if first % dtype.alignment:
        raise InterchangeError(f"its first element at {first:#x} is not aligned for {dtype.name}")
    return first - below, below, below + above + dtype.itemsize


def take_capsule(capsule: object) -> Deleter | None:
    """Take over a capsule that was read; return its deleter, to be called once after the last use of its memory.

    Raises
    ------
    InterchangeError
        If another consumer took it first.
    """
    with _lock:
        form = _form_of(capsule)
        address = pointer(capsule, form.name)
        rename(capsule, form.used)
    deleter = form.holds.from_address(address).deleter
    return partial(deleter_at(deleter), address) if deleter else None
