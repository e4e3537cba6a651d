"""Annotations of a kernel's parameters: what each makes of the argument."""

from inspect import Parameter
from types import NoneType
from typing import Annotated, Any, ForwardRef, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from accel.containers import AcceleratorDataContainer
from accel.dtypes import DType, as_dtype
from accel.errors import DTypeError
from accel.interchange import Interchange
from accel.kernels.argument_types import Accept, any_value, constant, is_struct, memory, number, structure
from accel.layout import ComposedLayout, Layout, Swizzle
from accel.memory import DeviceStorage, HostStorage

__all__ = ["Static", "accept_of"]

Static = Annotated[Any, "a constant of the program"]
"""The annotation of a parameter whose argument is a constant: the kernel is compiled again for each value."""

_PYTHON = bool, int, float, complex
_CONSTANTS = str, NoneType, Layout, ComposedLayout, Swizzle, np.dtype
_MEMORY = Interchange, HostStorage, DeviceStorage, np.ndarray
_ANNOTATIONS = "BufferView[f32], NDBuffer[f32, Literal[2]], LayoutTensor, f32, int, a NamedTuple class, Static"


def accept_of(annotation: Any) -> Accept:
    """Return what accepts the arguments of a parameter with an annotation.

    Raises
    ------
    TypeError
        If a kernel's parameter cannot have this annotation; the message says what it can have.
    """
    if annotation is Parameter.empty or annotation is Any:
        return any_value
    if annotation is Static:
        return constant(object)
    if get_origin(annotation) is not None:
        return _generic(annotation, get_origin(annotation), get_args(annotation))
    if annotation is None:
        return constant(NoneType)
    if isinstance(annotation, np.dtype):
        return number(as_dtype(annotation), weak=False)
    if isinstance(annotation, type):
        return _class(annotation)
    raise TypeError(f"{annotation!r} is no annotation of a kernel; write {_ANNOTATIONS}, or none")


def _class(cls: type) -> Accept:
    if cls in _PYTHON:
        return number(as_dtype(cls), weak=True)
    if issubclass(cls, np.generic):
        return number(as_dtype(cls), weak=False)
    if is_struct(cls):
        return _structure(cls)
    if issubclass(cls, _MEMORY):
        return memory(cls, None, 1 if cls is AcceleratorDataContainer else None)
    if cls in _CONSTANTS:
        return constant(cls)
    raise TypeError(f"{cls.__name__} is no annotation of a kernel; write {_ANNOTATIONS}, or none")


def _structure(cls: type) -> Accept:
    hints = get_type_hints(cls)
    names: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    return structure(cls, [accept_of(hints.get(name, Any)) for name in names])


def _generic(annotation: Any, cls: Any, arguments: tuple[Any, ...]) -> Accept:
    """Return what accepts memory, annotated with a dtype and perhaps a number of axes."""
    if not (isinstance(cls, type) and issubclass(cls, _MEMORY)) or not 1 <= len(arguments) <= 2:
        raise TypeError(f"{annotation} is no annotation of a kernel; write {_ANNOTATIONS}, or none")
    dtype, *axes = arguments
    return memory(cls, _dtype(cls, dtype), _rank(cls, axes[0]) if axes else None)


def _dtype(cls: type, parameter: Any) -> DType | None:
    if parameter is Any or isinstance(parameter, TypeVar):
        return None
    text = parameter.__forward_arg__ if isinstance(parameter, ForwardRef) else parameter
    try:
        return as_dtype(text)
    except DTypeError:
        raise TypeError(f"{text!r} is no dtype; write {cls.__name__}[f32], or {cls.__name__}") from None


def _rank(cls: type, parameter: Any) -> int:
    rank = get_args(parameter)[0] if get_origin(parameter) is Literal else parameter
    if type(rank) is int and rank > 0:
        return rank
    raise TypeError(f"{parameter!r} is no number of axes; write {cls.__name__}[f32, Literal[2]]")
