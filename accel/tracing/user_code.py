"""Functions and classes of the user, whose names a trace depends on; those of Python and of installed packages stay."""

import inspect
import sys
import sysconfig
from functools import cached_property, lru_cache, partial
from types import CodeType, FunctionType, MethodType
from typing import Any

__all__ = ["function_of", "function_of_attribute", "is_class", "is_near", "is_of_user", "names_in"]

_LIBRARIES = frozenset({"accel", "numpy", *sys.stdlib_module_names})
_INSTALLED = tuple({sysconfig.get_path(kind) for kind in ("purelib", "platlib", "stdlib", "platstdlib")})
_MOST_WRAPPERS = 4


@lru_cache(1024)
def is_of_user(module: str | None) -> bool:
    """Tell whether a module is neither of Python nor of an installed package."""
    if _top(module) in _LIBRARIES:
        return False
    file = getattr(sys.modules.get(module or ""), "__file__", None) or ""
    return not file.startswith(_INSTALLED)


def is_near(module: str | None, other: str | None) -> bool:
    """Tell whether two modules are one, or of one installed package."""
    return module == other or (_top(module) == _top(other) and _top(module) not in _LIBRARIES)


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]


def is_class(value: Any) -> bool:
    """Tell whether a value is a class; `isinstance` would ask the object that a proxy stands for, which may fail."""
    return issubclass(type(value), type)


def function_of(value: Any) -> FunctionType | None:
    """Return the function of Python that a callable leads to."""
    for _ in range(_MOST_WRAPPERS):
        kind = type(value)
        if kind is FunctionType:
            return value  # type: ignore[no-any-return]
        if not callable(value) or is_class(value):
            return None
        wrapped = inspect.getattr_static(value, "__wrapped__", None)
        if kind is MethodType:
            value = value.__func__
        elif kind is partial:
            value = value.func
        else:
            value = inspect.getattr_static(value, "__call__") if wrapped is None else wrapped
    return None


def function_of_attribute(attribute: Any) -> FunctionType | None:
    """Return the function of a method or property, as the class has it."""
    kind = type(attribute)
    if issubclass(kind, property):
        attribute = attribute.fget
    elif issubclass(kind, cached_property):
        attribute = attribute.func
    elif issubclass(kind, staticmethod | classmethod):
        attribute = attribute.__func__
    return function_of(attribute)


@lru_cache(1024)
def names_in(code: CodeType) -> frozenset[str]:
    """Return the names of globals and attributes in a function, and in functions within it."""
    within = [names_in(each) for each in code.co_consts if isinstance(each, CodeType)]
    return frozenset(code.co_names).union(*within)
