"""Arguments of kernels: the type of each, on which the program depends, and the numbers that are passed for it.

An `Accept` does this for one parameter. It is made once, from the annotation.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from accel.containers import AcceleratorDataContainer
from accel.dtypes import DType, as_dtype
from accel.errors import AccelError, DTypeError, KernelSignatureError, LayoutError
from accel.kernels.frontend.types import ArgumentType, BufferType, ScalarType, StaticType, StructType, TensorType
from accel.kernels.functions import Func
from accel.kernels.raw.conversions import converting, exactly, fitting
from accel.layout import ComposedLayout, Layout, Swizzle
from accel.memory import AnyStorage
from accel.views import BufferView, LayoutTensor
from accel.views.buffers.strided import StridedView
from accel.views.sources import has_memory, requires_gradients, source_of

__all__ = ["Accept", "Leaf", "Memory", "any_value", "constant", "is_struct", "memory", "number", "structure"]

_NUMBERS: dict[type, DType] = {kind: as_dtype(kind) for kind in (bool, int, float, complex)}
_CONSTANTS = str, type(None), Layout, ComposedLayout, Swizzle, np.dtype, Func


class Memory(NamedTuple):
    """The memory of an argument.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        The handle whose bytes the argument uses.
    readonly : bool
        Whether writing is forbidden.
    kind : str
        The name of the argument's class.
    offset : int
        The storage element of the first element.
    dtype : numpy.dtype
        Type of the elements.
    """

    storage: AnyStorage
    readonly: bool
    kind: str
    offset: int
    dtype: DType


class Leaf(NamedTuple):
    """One parameter of a program: its name, the numbers that are passed for it, and its memory, if it has any."""

    name: str
    numbers: tuple[Any, ...]
    memory: Memory | None


Accept: TypeAlias = Callable[[Any, str, list[Leaf]], ArgumentType]
"""Checks the argument for a parameter of a name, appends its leaves to a list, and returns its type."""


def any_value(value: Any, name: str, leaves: list[Leaf]) -> ArgumentType:
    """Accept what a parameter without annotation takes.

    Raises
    ------
    KernelSignatureError
        If kernels take no such value.
    OverflowError
        If an integer has more than 64 bits.
    """
    accept = _WEAK.get(type(value))
    if accept is not None:
        return accept(value, name, leaves)
    if isinstance(value, np.generic):
        return _passed(ScalarType(as_dtype(value.dtype), weak=False), value.item(), name, leaves)
    for kind, take in _WEAK.items():
        if isinstance(value, kind):  # an enumeration, for example
            return take(kind(value), name, leaves)
    if has_memory(value):
        return _memory(value, name, leaves)
    if is_struct(type(value)):
        return structure(type(value), [any_value] * len(value))(value, name, leaves)
    if isinstance(value, _CONSTANTS) or (isinstance(value, type) and _is_dtype(value)):
        return StaticType(value)
    raise KernelSignatureError(
        f"kernels take memory, numbers, named tuples of these, layouts, dtypes and text; found "
        f"{type(value).__name__}: write accel.container(values) for a sequence, @func above a function"
    )


def number(dtype: DType, *, weak: bool) -> Accept:
    """Return what accepts numbers that a dtype can hold; see `conversions.conversion` for the errors."""
    kind, ranges = ScalarType(dtype, weak), fitting(dtype)

    def accept(value: Any, name: str, leaves: list[Leaf]) -> ArgumentType:
        if type(value) in ranges:
            least, most = ranges[type(value)]
            if least <= value <= most:
                return _passed(kind, float(value) if float in ranges else value, name, leaves)
        try:
            return _passed(kind, exactly(value, dtype).item(), name, leaves)
        except DTypeError:
            raise _unfit(value, dtype) from None

    return accept


def _unfit(value: Any, dtype: DType) -> DTypeError:
    python = {"b": "bool", "i": "int", "u": "int", "c": "complex"}.get(dtype.kind, "float")
    value_type = f"{value!r:.60} ({type(value).__name__})"
    return DTypeError(f"{dtype.name} is annotated, which cannot hold {value_type}; write {python}(x)")


_WEAK = {kind: number(dtype, weak=True) for kind, dtype in _NUMBERS.items()}
"""What accepts each of Python's numbers."""


def memory(cls: type | None, dtype: DType | None, rank: int | None) -> Accept:
    """Return what accepts memory of a class, of a dtype, with a number of axes; None is any."""

    def accept(value: Any, name: str, leaves: list[Leaf]) -> ArgumentType:
        if cls is not None and not isinstance(value, cls):
            if requires_gradients(value):
                _memory(value, name, leaves)  # raises the error that names the remedy
            raise _other_class(value, cls)
        kind = _memory(value, name, leaves)
        if dtype is not None and kind.dtype != dtype:
            raise DTypeError(
                f"{dtype.name} is annotated, and its argument has dtype {kind.dtype.name}; "
                f"write {_conversion(kind.dtype, dtype, cls)}"
            )
        axes = kind.rank if isinstance(kind, BufferType) else kind.layout.rank
        if rank is not None and axes != rank:
            raise LayoutError(f"{_axes(rank)} annotated, and its argument has {axes}; pass another view")
        return kind

    return accept


def _conversion(source: DType, dtype: DType, cls: type | None) -> str:
    """Return the Python that converts memory `x` to a dtype, for a parameter with a class."""
    text, kind = converting(source, dtype), cls or object
    if issubclass(kind, StridedView | LayoutTensor):
        return f"{kind.__name__}({text})"
    if issubclass(kind, np.ndarray):
        return f"np.asarray({text})"
    if issubclass(kind, AnyStorage):
        return f"accel.from_dlpack({text}).storage"
    return f"accel.from_dlpack({text})" if issubclass(kind, AcceleratorDataContainer) else text


def _axes(rank: int) -> str:
    return "1 axis is" if rank == 1 else f"{rank} axes are"


def structure(cls: type, fields: Sequence[Accept]) -> Accept:
    """Return what accepts a named tuple, whose fields are accepted in order."""
    names: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]

    def accept(value: Any, name: str, leaves: list[Leaf]) -> ArgumentType:
        if not isinstance(value, cls):
            raise KernelSignatureError(f"{cls.__name__} is annotated; found {type(value).__name__}")
        assert isinstance(value, tuple), "a named tuple is a tuple"
        kinds = [take(each, f"{name}_{field}", leaves) for take, each, field in zip(fields, value, names, strict=True)]
        return StructType(cls, tuple(kinds))

    return accept


def is_struct(cls: type) -> bool:
    """Tell whether a class is one of named tuples."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def constant(cls: type) -> Accept:
    """Return what accepts values of a class, which are constants of the program."""

    def accept(value: Any, *_: object) -> ArgumentType:
        if not isinstance(value, cls):
            raise KernelSignatureError(f"{cls.__name__} is annotated; found {type(value).__name__}")
        try:
            hash(value)
        except TypeError:
            raise KernelSignatureError(f"a constant has a hash; found {type(value).__name__}: pass a tuple") from None
        return StaticType(value)

    return accept


def _passed(kind: ScalarType, value: Any, name: str, leaves: list[Leaf]) -> ScalarType:
    leaves.append(Leaf(name, (value,), None))
    return kind


def _is_dtype(cls: type) -> bool:
    return issubclass(cls, np.generic) or cls in _NUMBERS


def _other_class(value: Any, cls: type) -> KernelSignatureError:
    class_name = type(value).__name__
    if not has_memory(value):
        return KernelSignatureError(f"{cls.__name__} is annotated; found {class_name}: pass a {cls.__name__}")
    sliced = cls is BufferView and not hasattr(value, "shape")
    remedy = "data[:]" if sliced else f"{cls.__name__}(data)"
    return KernelSignatureError(
        f"{cls.__name__} is annotated; found {class_name}: write {remedy} for a view of its memory"
    )


def _memory(value: Any, name: str, leaves: list[Leaf]) -> BufferType | TensorType:
    try:
        if isinstance(value, LayoutTensor):
            return _tensor(value, name, leaves)
        storage, start, shape, strides = source_of(value)
    except AccelError:
        raise
    except TypeError as error:
        raise KernelSignatureError(str(error)) from None
    if not shape:
        raise KernelSignatureError(f"this {type(value).__name__} has no axes; pass its number, as in x.item()")
    dtype, kind = storage.dtype, type(value).__name__
    address = storage.pointer + start * dtype.itemsize
    described = Memory(storage, storage.readonly, kind, start, dtype)
    leaves.append(Leaf(name, (address, *shape, *strides), described))
    return BufferType(kind, dtype, len(shape), strides[-1] == 1)


def _tensor(tensor: LayoutTensor, name: str, leaves: list[Leaf]) -> TensorType:
    geometry, dtype, storage = tensor._geometry, tensor._dtype, tensor._storage
    swizzle, first, start = None, 0, tensor._offset
    if geometry.swizzled is not None:
        swizzle, origin = geometry.swizzled
        first, start = start - origin, origin
    described = Memory(storage, tensor.readonly, type(tensor).__name__, start, dtype)
    leaves.append(Leaf(name, (storage.pointer + start * dtype.itemsize,), described))
    layout = geometry.layout, geometry.element, geometry.valid, geometry.padded
    return TensorType(dtype, *layout, tensor._pad, swizzle, first)
