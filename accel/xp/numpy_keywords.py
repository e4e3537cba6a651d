"""Keywords of NumPy's functions that the array standard does not have, such as ``out=`` and ``where=``.

On the host NumPy's own function takes them, on other devices the library that computes there.
"""

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any

import numpy as np

from accel.errors import CapabilityError
from accel.xp.array_library import ArrayLibrary
from accel.xp.arrays import Array, wrap
from accel.xp.calls import arrays_among, assign_out, call, method
from accel.xp.in_place import into
from accel.xp.natives import native_array
from accel.xp.numpy_on_devices import ufunc_there
from accel.xp.operands import library_of
from accel.xp.refusals import no_operand, refuse_fields

__all__ = ["with_keywords"]

_OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {"a_min": "min", "a_max": "max", "ddof": "correction", "rcond": "rtol"}
)
_METHODS = frozenset({"all", "any", "clip", "max", "mean", "min", "prod", "std", "sum", "var"})
"""The functions that a library has with more parameters as methods."""

_SORTS = (None, "quicksort", "mergesort", "heapsort", "stable")
_IN_THE_DTYPE_OF_OUT = frozenset({"cumulative_prod", "cumulative_sum", "mean", "prod", "std", "sum", "var"})


def with_keywords(
    ours: Callable[..., Any], operands: tuple[Any, ...], named: Mapping[str, Any], options: dict[str, Any]
) -> Any:
    """Call a function of the standard with keywords that NumPy's function of the same name has.

    Parameters
    ----------
    ours : callable
        The function of `accel.xp`, which takes the arguments without the keywords.
    operands : tuple
        The arguments by position.
    named : mapping
        The options of the standard.
    options : dict
        The other keywords.

    Raises
    ------
    TypeError
        If NumPy's function has no such keyword.
    CapabilityError
        If the library that computes on the device has no such keyword.
    """
    section = ours.__module__.removeprefix("accel.xp").strip(".")
    theirs = getattr(getattr(np, section) if section else np, ours.__name__)
    if type(theirs) is np.ufunc and options.keys() == {"out"} and not named and any(type(x) is Array for x in operands):
        result = into(theirs, operands, options["out"])
        if result is not NotImplemented:
            return result
    _refuse_unknown(theirs, ours, options)
    standard, added = dict(named), {}
    for name, value in options.items():
        other = _OTHER_NAMES.get(name, name)
        if other in standard:
            standard[other] = value
        elif not _says_nothing(ours, name, value):
            added[name] = value
    if not added:
        return ours(*operands, **standard)
    standard = {name: value for name, value in standard.items() if value is not _defaults(ours)[name]}
    keywords = standard | added
    values = (*operands, *keywords.values())
    arrays = [*arrays_among(values)]
    library = library_of(*(arrays or values))
    operands = tuple(_checked(library, each, alone=not arrays) for each in operands)
    if library.of_numpy is None:
        return _on_device(library, theirs, f"{section}.{ours.__name__}".strip("."), operands, keywords)
    result, out = _as_ours(library, theirs(*operands, **keywords)), keywords.get("out")
    return assign_out(out, result) if isinstance(out, Array) and result is not out else result  # hfft forgets it


def _checked(library: ArrayLibrary, value: Any, *, alone: bool) -> Any:
    """Return an operand that is a number or an array: NumPy would compute with objects one by one, for hours maybe."""
    if isinstance(value, Array):
        return value
    if isinstance(value, list | tuple) and not alone:
        return type(value)(_checked(library, each, alone=False) for each in value)
    operand = native_array(library, value)
    return wrap(library, operand) if alone else value


def _refuse_unknown(theirs: Callable[..., Any], ours: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse keywords that NumPy's function does not have."""
    names = _names(theirs)
    unknown = next((name for name in options if name not in names), None)
    if unknown is not None:
        known = ", ".join(name for name in dict.fromkeys((*_defaults(ours), *names)) if name not in {"a", "kwargs"})
        raise TypeError(f"{ours.__name__}() got an unexpected keyword argument {unknown!r}; it has {known}")


_UFUNC = ("out", "where", "casting", "order", "dtype", "subok", "signature")
_OF_AXES = ("axes", "axis", "keepdims")


@cache
def _names(theirs: Callable[..., Any]) -> tuple[str, ...]:
    if isinstance(theirs, np.ufunc):
        return _UFUNC if theirs.signature is None else (*_UFUNC, *_OF_AXES)
    parameters = signature(theirs).parameters.values()
    names = [each.name for each in parameters]
    return (*names, *_UFUNC) if any(each.kind is Parameter.VAR_KEYWORD for each in parameters) else tuple(names)


@cache
def _defaults(ours: Callable[..., Any]) -> dict[str, Any]:
    parameters = signature(ours).parameters.values()
    return {
        each.name: each.default for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    }


def _says_nothing(ours: Callable[..., Any], name: str, value: Any) -> bool:
    """Tell whether a keyword has no effect on the elements of a result.

    Arrays have no subclasses, sorting is stable, and the order in memory of a result is that of the library.
    """
    if ours.__name__ in {"argsort", "sort"}:
        if name == "order":
            refuse_fields(value)
        if name == "kind" and value not in _SORTS:
            raise ValueError(f"kind={value!r} is no sort; write one of {', '.join(map(repr, _SORTS[1:]))}")
        return name in {"kind", "order"}
    return name == "subok" or value is np._NoValue or (value is None and name in {"dtype", "out", "order"})


def _as_ours(library: ArrayLibrary, result: Any) -> Any:
    """Return a result of NumPy's, which is no array of ours if no operand was one."""
    if isinstance(result, tuple) and not all(isinstance(each, Array) for each in result):
        return tuple(_as_ours(library, each) for each in result)
    return wrap(library, result) if isinstance(result, np.ndarray | np.generic) else result


def _on_device(
    library: ArrayLibrary,
    theirs: Callable[..., Any],
    path: str,
    operands: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    values = (*operands, *keywords.values())
    if not isinstance(keywords.get("out"), Array | None):
        raise TypeError(f"out= is an array of accel.xp; found {type(keywords['out']).__name__}")
    if not isinstance(theirs, np.ufunc):
        return _by_library(library, path, operands, keywords)
    x = next(each for each in arrays_among(values) if each._library is library)
    result = ufunc_there(x, theirs, "__call__", operands, keywords)
    if result is NotImplemented:
        host = next((each for each in values if isinstance(each, np.ndarray)), None)
        if host is not None:
            raise no_operand(library, host)
        names = " and ".join(f"{each}=" for each in keywords)
        raise CapabilityError(
            f"the library that computes on {library.device} has no {path} with {names}; compute it on the host, with "
            f"x.to_device('cpu')"
        )
    return result


def _by_library(library: ArrayLibrary, path: str, operands: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if isinstance(keywords.get("out"), Array) and path in _IN_THE_DTYPE_OF_OUT:
        keywords = {"dtype": keywords["out"].dtype, **keywords}
    if path in _METHODS and isinstance(operands[0], Array):
        if "correction" in keywords:
            keywords["ddof"] = keywords.pop("correction")
        return method(operands[0], path, *operands[1:], **keywords)
    return call(library, path, operands, keywords)
