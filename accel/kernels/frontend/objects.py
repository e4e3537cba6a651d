"""Python objects from outside of a kernel: what they stand for in it."""

from collections.abc import MutableMapping, MutableSequence, MutableSet
from types import ModuleType
from typing import Any

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.ir import Const
from accel.kernels.frontend.values import Constant, Entity, Module, Struct, Tuple, Value

__all__ = ["entity_of_object", "is_hashable", "number_type"]

_PYTHON = {bool: False, int: True, float: True, complex: True}
_MUTABLE = MutableSequence, MutableMapping, MutableSet, np.ndarray


def entity_of_object(value: Any) -> Entity:
    """Return the entity of a global, a variable of a closure, a default, or an attribute of a module or class.

    Raises
    ------
    TypeError
        If the object may change after the kernel was compiled, or is a scalar of a dtype that kernels do not have.
    """
    if isinstance(value, str):
        return Constant(value)
    if isinstance(value, np.generic):
        return Value(Const(value.item(), as_dtype(value.dtype)))
    if isinstance(value, ModuleType):
        return Module(value)
    if isinstance(value, _MUTABLE):
        remedy = "an argument" if isinstance(value, np.ndarray) else "a tuple"
        type_name = type(value).__name__
        raise TypeError(f"{type_name} objects may change after the kernel is compiled; write {remedy} instead")
    if isinstance(value, tuple):
        items = tuple(map(entity_of_object, value))
        return Struct(type(value), items) if hasattr(value, "_fields") else Tuple(items)
    return Constant(value)


def number_type(kind: Any) -> tuple[DType, bool] | None:
    """Return the dtype that a class or a dtype stands for, and whether its numbers are weak; None for other objects."""
    if is_hashable(kind) and kind in _PYTHON:
        return as_dtype(kind), _PYTHON[kind]
    if isinstance(kind, np.dtype) or (isinstance(kind, type) and issubclass(kind, np.generic)):
        return as_dtype(kind), False
    return None


def is_hashable(x: Any) -> bool:
    """Tell whether an object has a hash."""
    try:
        hash(x)
    except TypeError:
        return False
    return True
