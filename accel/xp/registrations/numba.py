"""`Array` for numba: compiled functions take our arrays of the host as NumPy arrays on the same memory."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from accel.device import Device
from accel.xp.arrays import Array
from accel.xp.host_access import on_host

__all__ = ["register"]


def register(numba: ModuleType) -> None:  # noqa: ARG001 - imported anew by their full names
    """Register the type of arrays with numba, how they are read, and that results of it are NumPy's."""
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.core import boxing, cgutils, types  # type: ignore[import-untyped]
    from numba.extending import (  # type: ignore[import-untyped]
        NativeValue,
        box,
        lower_cast,
        models,
        register_model,
        typeof_impl,
        unbox,
    )

    class ArrayType(types.Array):  # type: ignore[misc]
        """NumPy's type of the elements, whose values come from arrays of ours."""

        def __init__(self, plain: Any) -> None:
            self.plain = plain
            name = f"accel.{plain.name}"
            layout, fixed = plain.layout, not plain.mutable
            super().__init__(plain.dtype, plain.ndim, layout, readonly=fixed, name=name, aligned=plain.aligned)

    register_model(ArrayType)(models.ArrayModel)

    @typeof_impl.register(Array)  # type: ignore[untyped-decorator]
    def type_of(x: Array, c: Any) -> ArrayType:
        return ArrayType(typeof_impl(_alike(x), c))

    @unbox(ArrayType)  # type: ignore[untyped-decorator]
    def read(kind: ArrayType, value: Any, c: Any) -> Any:
        builder, python = c.builder, c.pyapi
        convert = python.unserialize(python.serialize_object(_numpys))
        array = python.call_function_objargs(convert, (value,))
        python.decref(convert)
        failed = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(1), 1))
        native = cgutils.alloca_once(builder, c.context.get_value_type(kind), zfill=True)
        with builder.if_then(cgutils.is_not_null(builder, array)):
            found = boxing.unbox_array(kind.plain, array, c)
            builder.store(found.value, native)
            builder.store(found.is_error, failed)
            python.decref(array)  # numba holds a reference of its own
        return NativeValue(builder.load(native), is_error=builder.load(failed))

    @lower_cast(ArrayType, types.Array)  # type: ignore[untyped-decorator]
    def as_plain(context: Any, builder: Any, kind: ArrayType, target: Any, value: Any) -> Any:  # noqa: ARG001 - numba's
        return value  # both are the same structure

    @box(ArrayType)  # type: ignore[untyped-decorator]
    def returned(kind: ArrayType, value: Any, c: Any) -> Any:
        return boxing.box_array(kind.plain, value, c)


def _alike(x: Array) -> "np.ndarray[Any, Any]":
    """Return an array of NumPy, on no memory of its own, with the dtype, axes and order that numba would get of `x`."""
    if x.device is not Device.CPU:
        return np.empty((0,) * x.ndim, x.dtype)
    strided = as_strided(np.empty((), x.dtype), x.shape, x.strides, writeable=x.flags.writeable)
    strided.flags.aligned = x.flags.aligned
    return strided


def _numpys(x: Array) -> "np.ndarray[Any, Any]":
    return on_host(x, "numba", writable=True)
