"""`Array` for numba: compiled functions take our arrays of the host as NumPy arrays on the same memory."""

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from accel.device import Device
from accel.xp.arrays import Array
from accel.xp.host_access import on_host

__all__ = ["register"]


def register(numba: ModuleType) -> None:
    """Register the type of arrays with numba, how they are read, and that results of it are NumPy's."""
    extending: Any = import_module(f"{numba.__name__}.extending")
    boxing: Any = import_module(f"{numba.__name__}.core.boxing")
    types: Any = import_module(f"{numba.__name__}.core.types")

    class ArrayType(types.Array):  # type: ignore[misc]
        """NumPy's type of the elements, whose values come from arrays of ours."""

        def __init__(self, plain: Any) -> None:
            self.plain = plain
            name = f"accel.{plain.name}"
            layout, fixed = plain.layout, not plain.mutable
            super().__init__(plain.dtype, plain.ndim, layout, readonly=fixed, name=name, aligned=plain.aligned)

    known: dict[object, ArrayType] = {}  # to make a type takes as long as a hundred calls of a compiled function

    def type_of(x: Array, c: Any) -> ArrayType:
        facts = _facts(x)
        kind = known.get(facts)
        if kind is None:
            kind = known[facts] = ArrayType(extending.typeof_impl(_alike(x), c))
        return kind

    def returned(kind: ArrayType, value: Any, c: Any) -> Any:
        return boxing.box_array(kind.plain, value, c)

    def as_plain(_context: Any, _builder: Any, _kind: ArrayType, _target: Any, value: Any) -> Any:
        return value  # both are the same structure

    extending.register_model(ArrayType)(extending.models.ArrayModel)
    extending.typeof_impl.register(Array)(type_of)
    extending.unbox(ArrayType)(_read)
    extending.box(ArrayType)(returned)
    extending.lower_cast(ArrayType, types.Array)(as_plain)


def _read(kind: Any, value: Any, c: Any) -> Any:
    """Write the code that reads an argument: a call of `_numpys`, and what numba writes for its result."""
    boxing: Any = import_module("numba.core.boxing")
    cgutils: Any = import_module("numba.core.cgutils")
    builder, python = c.builder, c.pyapi
    convert = python.unserialize(python.serialize_object(_numpys))
    array = python.call_function_objargs(convert, (value,))
    python.decref(convert)
    failed = cgutils.alloca_once_value(builder, cgutils.true_bit)
    native = cgutils.alloca_once(builder, c.context.get_value_type(kind), zfill=True)
    with builder.if_then(cgutils.is_not_null(builder, array)):
        found = boxing.unbox_array(kind.plain, array, c)
        builder.store(found.value, native)
        builder.store(found.is_error, failed)
        python.decref(array)  # numba holds a reference of its own
    return boxing.NativeValue(builder.load(native), is_error=builder.load(failed))


def _facts(x: Array) -> object:
    """Return what decides the type of an array."""
    if x.device is not Device.CPU:
        return x.dtype, x.ndim
    flags = x.flags
    return x.dtype, x.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned


def _alike(x: Array) -> np.ndarray[Any, Any]:
    """Return an array of NumPy, on no memory of its own, with the dtype, axes and order that numba would get of `x`."""
    if x.device is not Device.CPU:
        copied = np.empty((0,) * x.ndim, x.dtype)
        copied.flags.writeable = False  # what is written to a copy would be lost
        return copied
    alike = as_strided(np.empty((), x.dtype), x.shape, x.strides, writeable=x.flags.writeable)
    alike.flags.aligned = x.flags.aligned
    return alike


def _numpys(x: Array) -> np.ndarray[Any, Any]:
    return on_host(x, "numba")
