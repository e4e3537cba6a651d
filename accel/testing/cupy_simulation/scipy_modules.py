"""The modules of `cupyx.scipy`, by their names: SciPy computes on the host, and each copy to it is counted."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from accel import xp
from accel.errors import CapabilityError
from accel.testing.cupy_simulation.host_calls import HostObject, through_host
from accel.testing.cupy_simulation.scipy_names import NAMES
from accel.testing.cupy_simulation.subclasses import for_subclasses

__all__ = ["MODULES", "finder"]

MODULES = (*NAMES, "sparse")
_KEYWORDS = {"tol": "rtol"}  # what CuPy calls it, and SciPy
_ITERATIVE = ("cg", "cgs", "gmres", "minres")


def finder(module: str) -> Callable[[str], Any]:
    """Return what looks up the members of a module of `cupyx.scipy`."""
    names = {*NAMES[module].split()}

    def find(name: str) -> Any:
        if name not in names:
            return None
        if module == "special" and hasattr(xp.special, name):
            ufunc = isinstance(getattr(_imported(module), name, None), np.ufunc)
            return for_subclasses(getattr(xp.special, name), elementwise=ufunc)
        function = getattr(_imported(module), name, None)
        if function is None:
            return None
        called = through_host(function, f"scipy.{module}.{name}")
        if module == "sparse.linalg" and name in _ITERATIVE:
            return _with_keywords(called)
        return _class_of(function, called) if isinstance(function, type) else called

    return find


def _imported(module: str) -> Any:
    try:
        return importlib.import_module(f"scipy.{module}")
    except ImportError:
        raise CapabilityError(
            f"cupyx.scipy.{module} is computed by SciPy, which is not installed; pip install scipy"
        ) from None


def _with_keywords(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes CuPy's names of keywords too."""
    return lambda *arguments, **keywords: function(
        *arguments, **{_KEYWORDS.get(name, name): value for name, value in keywords.items()}
    )


def _class_of(native: type, called: Callable[..., Any]) -> Any:
    """Return what makes an object of a class of SciPy, and of which these are instances."""
    if issubclass(native, Exception):
        return native

    class Class(type):
        def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
            if bases:
                raise CapabilityError(
                    f"{native.__name__} has no subclasses here; pass functions, as in LinearOperator(shape, f)"
                )
            return super().__new__(cls, name, bases, members)

        def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
            result = called(*arguments, **keywords)
            return result if isinstance(result, HostObject) else HostObject(result)

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, HostObject) and isinstance(value._native, native)

    return Class(native.__name__, (), {"__doc__": native.__doc__})
