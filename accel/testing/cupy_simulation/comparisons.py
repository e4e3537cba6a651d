"""Comparisons of `cupy.testing`: of arrays, and of what a test returns with CuPy and with NumPy."""

import importlib
import inspect
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

import numpy as np

from accel.testing.cupy_simulation.arrays import asnumpy
from accel.testing.cupy_simulation.sparse import spmatrix
from accel.xp.arrays import Array

__all__ = ["comparisons", "without_parameters"]

_Test: TypeAlias = Callable[..., Any]


def _values(x: Any) -> Any:
    """Return what NumPy compares."""
    if isinstance(x, Array):
        return asnumpy(x)
    if isinstance(x, spmatrix) or hasattr(x, "toarray"):
        return _values(x.toarray())
    return x


def _for_arrays(function: Callable[..., None]) -> Callable[..., None]:
    """Return a comparison of NumPy for arrays of the device."""

    @wraps(function)
    def compare(*arguments: Any, **keywords: Any) -> None:
        keywords.pop("strides_check", None)
        function(*map(_values, arguments), **{name: _values(each) for name, each in keywords.items()})

    return compare


def _compare_lists(xlist: Any, ylist: Any, err_msg: str = "", verbose: bool = True) -> None:
    """Compare the arrays of two lists."""
    if type(xlist) is not type(ylist) or len(xlist) != len(ylist):
        raise AssertionError(
            f"two lists of the same type and length were expected; found {xlist} and {ylist} {err_msg}"
        )
    for x, y in zip(xlist, ylist, strict=True):
        np.testing.assert_array_equal(_values(x), _values(y), err_msg=err_msg, verbose=verbose)


def without_parameters(test: _Test, names: tuple[str, ...], run: _Test) -> _Test:
    """Return a function that runs instead of a test, and does not show some parameters of it to pytest."""
    wrapped = wraps(test)(run)
    signature = inspect.signature(test)
    rest = [each for each in signature.parameters.values() if each.name not in names]
    wrapped.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
    return wrapped


def _modules(name: str, sp_name: str | None, scipy_name: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the modules that a test gets for CuPy, and for NumPy."""
    names = {
        name: ("cupy", "numpy"),
        sp_name: ("cupyx.scipy.sparse", "scipy.sparse"),
        scipy_name: ("cupyx.scipy", "scipy"),
    }
    given = [(key, modules) for key, modules in names.items() if key]
    ours = {key: sys.modules.get(modules[0]) or importlib.import_module(modules[0]) for key, modules in given}
    return ours, {key: importlib.import_module(modules[1]) for key, modules in given}


def _outcome(test: _Test, arguments: Any, keywords: Any) -> tuple[Any, Exception | None]:
    try:
        return test(*arguments, **keywords), None
    except Exception as error:
        return None, error


def _same_errors(ours: Exception | None, theirs: Exception | None, accepted: Any) -> bool:
    """Return whether both raised an error that is accepted.

    Raises
    ------
    AssertionError
        If one raised an error and the other none, or another one, or if errors are not accepted.
    """
    if ours is None and theirs is None:
        return False
    if ours is None or theirs is None:
        which, error = ("cupy", ours) if ours is not None else ("numpy", theirs)
        raise AssertionError(f"only {which} raised an error: {type(error).__name__}: {error}") from error
    kinds = (Exception,) if accepted is True else accepted or ()
    pair = f"cupy raised {ours!r}, and numpy {theirs!r}"
    if not all(isinstance(each, kinds) for each in (ours, theirs)):
        raise AssertionError(f"{pair}; write accept_error= if they are right") from ours
    if not (isinstance(ours, type(theirs)) or isinstance(theirs, type(ours))):
        raise AssertionError(pair) from ours  # noqa: TRY004 - a comparison that failed
    return True


def _refuse_types(ours: Any, theirs: Any) -> None:
    for x, y in zip(*(value if isinstance(value, list | tuple) else [value] for value in (ours, theirs)), strict=True):
        kinds = getattr(x, "dtype", None), getattr(y, "dtype", None)
        if kinds[0] != kinds[1]:
            raise AssertionError(f"dtype of cupy: {kinds[0]}, of numpy: {kinds[1]}; write type_check=False to allow it")


def _against_numpy(
    compare: Callable[[Any, Any], None], checked: bool, accepted: Any, names: Any
) -> Callable[[_Test], _Test]:
    """Return a decorator that runs a test with CuPy and with NumPy, and compares what it returns."""

    def decorate(test: _Test) -> _Test:
        def run(*arguments: Any, **keywords: Any) -> None:
            ours, theirs = _modules(*names)
            result, error = _outcome(test, arguments, {**keywords, **ours})
            expected, other = _outcome(test, arguments, {**keywords, **theirs})
            if _same_errors(error, other, accepted):
                return
            if checked:
                _refuse_types(result, expected)
            compare(result, expected)

        return without_parameters(test, tuple([name for name in names if name]), run)

    return decorate


def _each(
    compare: Callable[..., None], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Callable[[Any, Any], None]:
    """Return a comparison of two arrays, or of the arrays of two collections."""

    def all_of(ours: Any, theirs: Any) -> None:
        if isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
            assert len(ours) == len(theirs), f"cupy returned {len(ours)} arrays, numpy {len(theirs)}"
            for x, y in zip(ours, theirs, strict=True):
                compare(x, y, *arguments, **keywords)
        else:
            compare(ours, theirs, *arguments, **keywords)

    return all_of


def _decorator(compare: Callable[..., None]) -> Callable[..., Any]:
    """Return a function that makes a decorator; its arguments are those of the comparison, and CuPy's."""

    def make(
        *arguments: Any,
        name: str = "xp",
        type_check: bool = True,
        accept_error: Any = False,
        sp_name: str | None = None,
        scipy_name: str | None = None,
        contiguous_check: bool = True,
        strides_check: bool = False,
        **keywords: Any,
    ) -> Callable[[_Test], _Test]:
        return _against_numpy(
            _each(compare, arguments, keywords), type_check, accept_error, (name, sp_name, scipy_name)
        )

    return make


def _allclose(x: Any, y: Any, rtol: Any = 1e-7, atol: Any = 0, err_msg: str = "", verbose: bool = True) -> None:
    """Compare with a tolerance, which may depend on the dtype."""
    dtype = np.asarray(_values(y)).dtype
    relative, absolute = (_of_dtype(each, dtype) for each in (rtol, atol))
    np.testing.assert_allclose(_values(x), _values(y), relative, absolute, err_msg=err_msg, verbose=verbose)


def _of_dtype(tolerance: Any, dtype: Any) -> Any:
    if not isinstance(tolerance, dict):
        return tolerance
    found = {np.dtype(key): value for key, value in tolerance.items() if key != "default"}
    return found[dtype] if dtype in found else tolerance["default"]


def _equal(name: str = "xp", sp_name: str | None = None, scipy_name: str | None = None) -> Callable[[_Test], _Test]:
    """Return a decorator that compares plain values."""

    def compare(ours: Any, theirs: Any) -> None:
        if not (_values(ours) == _values(theirs) or ours == theirs):
            raise AssertionError(f"cupy: {ours!r}, numpy: {theirs!r}")

    return _against_numpy(compare, checked=False, accepted=False, names=(name, sp_name, scipy_name))


def _raises(
    name: str = "xp", sp_name: str | None = None, scipy_name: str | None = None, accept_error: Any = Exception
) -> Callable[[_Test], _Test]:
    """Return a decorator: a test raises the same error with CuPy and with NumPy."""

    def decorate(test: _Test) -> _Test:
        def run(*arguments: Any, **keywords: Any) -> None:
            ours, theirs = _modules(name, sp_name, scipy_name)
            mine, other = (_outcome(test, arguments, {**keywords, **given})[1] for given in (ours, theirs))
            if not _same_errors(mine, other, accept_error):
                raise AssertionError("neither cupy nor numpy raised an error")

        return without_parameters(test, tuple([each for each in (name, sp_name, scipy_name) if each]), run)

    return decorate


def comparisons() -> dict[str, Any]:
    """Return the comparisons by their names."""
    names = ("array_equal", "array_almost_equal", "array_almost_equal_nulp", "array_max_ulp", "array_less")
    arrays = {f"assert_{name}": _for_arrays(getattr(np.testing, f"assert_{name}")) for name in ("allclose", *names)}
    decorated = {f"numpy_cupy_{name}": _decorator(arrays[f"assert_{name}"]) for name in names}
    return {
        **arrays,
        **decorated,
        "assert_warns": np.testing.assert_warns,
        "assert_array_list_equal": _compare_lists,
        "numpy_cupy_allclose": _decorator(_allclose),
        "numpy_cupy_array_list_equal": _decorator(_compare_lists),
        "numpy_cupy_equal": _equal,
        "numpy_cupy_raises": _raises,
    }
