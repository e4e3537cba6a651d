"""Loops and parameters of `cupy.testing`: over dtypes and orders, arrays of test data, and marks of pytest."""

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, product
from typing import Any, TypeAlias

import numpy as np

from accel.testing.cupy_simulation.comparisons import without_parameters
from accel.testing.cupy_simulation.streams import runtime

__all__ = ["testing_members"]

_Test: TypeAlias = Callable[..., Any]

_SIGNED = (np.int8, np.int16, np.int32, np.int64)
_UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
_COMPLEX = (np.complex64, np.complex128)


def _floats(*, no_float16: bool = False) -> tuple[type, ...]:
    return (np.float64, np.float32, *(() if no_float16 else (np.float16,)))


def _integers(*, no_bool: bool = False) -> tuple[type, ...]:
    return (*_SIGNED, *_UNSIGNED, *(() if no_bool else (np.bool_,)))


def _all(*, no_float16: bool = False, no_bool: bool = False, no_complex: bool = False) -> tuple[type, ...]:
    return (*_floats(no_float16=no_float16), *_integers(no_bool=no_bool), *(() if no_complex else _COMPLEX))


def _for_each(cases: Iterable[Mapping[str, Any]]) -> Callable[[_Test], _Test]:
    """Return a decorator that runs a test for each case; a failure says which one it was."""
    listed = list(cases)

    def decorate(test: _Test) -> _Test:
        def run(*arguments: Any, **keywords: Any) -> None:
            skips: list[BaseException] = []
            for case in listed:
                try:
                    test(*arguments, **keywords, **case)
                except Exception as error:
                    error.add_note(f"with {', '.join(f'{name}={_named(each)}' for name, each in case.items())}")
                    raise
                except BaseException as outcome:  # the test was skipped for this case
                    if type(outcome).__name__ != "Skipped":
                        raise
                    skips.append(outcome)
            if listed and len(skips) == len(listed):
                raise skips[0]

        return without_parameters(test, tuple(listed[0]) if listed else (), run)

    return decorate


def _named(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)


def _loop(types: Callable[..., tuple[type, ...]]) -> Callable[..., Any]:
    """Return a function that makes a decorator: a test runs for each of some types."""
    return lambda name="dtype", **options: _for_each([{name: each} for each in types(**options)])


def _combined(types: Callable[..., tuple[type, ...]]) -> Callable[..., Any]:
    """Return a function that makes a decorator: a test runs for combinations of types.

    Without ``full=True`` each type comes at each place, and not all combinations.
    """

    def make(names: tuple[str, ...] = ("dtype",), full: bool | None = None, **options: Any) -> Callable[[_Test], _Test]:
        return _combinations(types(**options), names, full)

    return make


def _combinations(types: tuple[type, ...], names: Any, full: bool | None) -> Callable[[_Test], _Test]:
    count = len(types)
    some = [tuple([types[(at + place * (place + 1)) % count] for place in range(len(names))]) for at in range(count)]
    cases = product(types, repeat=len(names)) if full else some
    return _for_each([dict(zip(names, case, strict=True)) for case in cases])


def _module(xp: Any) -> Any:
    return sys.modules["cupy"] if xp is None else xp


def _shaped_arange(shape: Any, xp: Any = None, dtype: Any = np.float32, order: str = "C") -> Any:
    """Return an array of the numbers from 1 on; for bool, every second element is true."""
    numbers = np.arange(1, int(np.prod(shape)) + 1)
    values = numbers % 2 == 0 if np.dtype(dtype).kind == "b" else numbers
    if np.dtype(dtype).kind == "c":
        values = numbers + numbers * 1j
    return _module(xp).array(values.astype(dtype).reshape(shape), order=order)


def _shaped_reverse_arange(shape: Any, xp: Any = None, dtype: Any = np.float32) -> Any:
    """Return an array of the numbers down to 1."""
    numbers = np.arange(int(np.prod(shape)), 0, -1)
    if np.dtype(dtype).kind == "b":
        return _module(xp).array((numbers % 2 == 0).reshape(shape))
    values = numbers + numbers * 1j if np.dtype(dtype).kind == "c" else numbers
    return _module(xp).array(values.astype(dtype).reshape(shape))


def _shaped_linspace(start: Any, stop: Any, shape: Any, xp: Any = None, dtype: Any = np.float32) -> Any:
    """Return an array of numbers at equal distances."""
    return _module(xp).array(np.linspace(start, stop, int(np.prod(shape))).astype(dtype).reshape(shape))


def _shaped_random(
    shape: Any, xp: Any = None, dtype: Any = np.float32, scale: float = 10, seed: int = 0, order: str = "C"
) -> Any:
    """Return an array of random numbers, the same for NumPy and CuPy."""
    random, kind = np.random.RandomState(seed), np.dtype(dtype).kind
    if kind == "b":
        values = random.randint(2, size=shape)
    elif kind == "c":
        values = random.rand(*shape) + 1j * random.rand(*shape)
        values *= scale
    else:
        values = random.rand(*shape) * scale
    return _module(xp).array(np.asarray(values).astype(dtype), order=order)


def _shaped_sparse_random(
    shape: Any, sp: Any = None, dtype: Any = np.float32, density: float = 0.01, format: str = "coo", seed: int = 0
) -> Any:
    """Return a sparse matrix of random numbers."""
    import scipy.sparse

    random: Any = scipy.sparse.random
    native = random(*shape, density=density, random_state=np.random.RandomState(seed), dtype=dtype)
    library = sys.modules["cupyx.scipy.sparse"] if sp is None else sp
    return library.coo_matrix(native).asformat(format)


def _product(parameters: Any) -> list[Any]:
    """Return a dictionary for each combination of values."""
    if isinstance(parameters, dict):
        return [dict(zip(parameters, values, strict=True)) for values in product(*parameters.values())]
    return [[*chain.from_iterable(each)] for each in product(*parameters)]


def _product_dict(*parameters: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the union of each combination of dictionaries."""
    return [{name: value for each in case for name, value in each.items()} for case in product(*parameters)]


def _parameterize(*parameters: dict[str, Any], **options: Any) -> Callable[[type], type]:
    """Return a decorator that runs the tests of a class with each of some sets of attributes."""
    import pytest

    def decorate(cls: type) -> type:
        import unittest

        if issubclass(cls, unittest.TestCase):
            raise TypeError(
                f"testing.parameterize takes classes of pytest; let {cls.__name__} not derive from TestCase"
            )

        set_up = getattr(cls, "setup_method", None)

        def attributes(self: Any, request: Any) -> None:
            for name, value in request.param.items():
                setattr(self, name, value)
            if set_up is not None:
                set_up(self, *[request.function][: len(inspect.signature(set_up).parameters) - 1])

        if set_up is not None:  # pytest calls it before all fixtures of its scope, when there are no attributes
            cls.setup_method = lambda self: None  # type: ignore[attr-defined]
        fixture = pytest.fixture(autouse=True, params=parameters, ids=lambda case: f"_{case}_")(attributes)
        cls._cupy_parameters = fixture  # type: ignore[attr-defined]
        return cls

    return decorate


def _fix_random() -> Callable[[Any], Any]:
    """Return a decorator that seeds NumPy and CuPy before a test, or before each test of a class."""
    import pytest

    def seed() -> None:
        np.random.seed(100)  # noqa: NPY002 - what tests for CuPy draw from
        sys.modules["cupy"].random.seed(101)

    def decorate(test: Any) -> Any:
        if isinstance(test, type):

            def seeded(self: Any) -> Iterator[None]:
                state = np.random.get_state()  # noqa: NPY002
                seed()
                yield
                np.random.set_state(state)  # noqa: NPY002

            test._cupy_seed = pytest.fixture(autouse=True)(seeded)  # type: ignore[attr-defined]
            return test

        def run(*arguments: Any, **keywords: Any) -> Any:
            seed()
            return test(*arguments, **keywords)

        return without_parameters(test, (), run)

    return decorate


def _installed(*specifiers: str) -> bool:
    """Tell whether packages are installed, in versions such as ``numpy>=2``."""
    from importlib.metadata import PackageNotFoundError, version

    from packaging.requirements import Requirement

    for requirement in map(Requirement, specifiers):
        try:
            if version(requirement.name) not in requirement.specifier:
                return False
        except PackageNotFoundError:
            return False
    return True


def _with_requires(*requirements: str) -> Any:
    """Return a mark that skips a test without some packages."""
    import pytest

    return pytest.mark.skipif(not _installed(*requirements), reason=f"requires: {','.join(requirements)}")


def _multi_gpu(gpu_num: int) -> Any:
    """Return a mark that skips a test with fewer devices."""
    import pytest

    return pytest.mark.skipif(runtime.getDeviceCount() < gpu_num, reason=f"{gpu_num} GPUs required")


def _slow(*arguments: Any, **keywords: Any) -> Any:
    """Mark a test as slow."""
    import pytest

    return pytest.mark.slow(*arguments, **keywords)


def testing_members() -> dict[str, Any]:
    """Return the members of `cupy.testing` by their names, but for comparisons."""
    loops: dict[str, Callable[..., tuple[type, ...]]] = {
        "all": _all,
        "float": _floats,
        "int": _integers,
        "signed": lambda: _SIGNED,
        "unsigned": lambda: _UNSIGNED,
    }
    return {
        **{f"for_{kind}_dtypes": _loop(types) for kind, types in loops.items()},
        **{f"for_{kind}_dtypes_combination": _combined(types) for kind, types in loops.items() if kind != "float"},
        "for_complex_dtypes": _loop(lambda: _COMPLEX),
        "for_dtypes": lambda dtypes, name="dtype": _for_each([{name: np.dtype(each).type} for each in dtypes]),
        "for_dtypes_combination": lambda types, names=("dtype",), full=None: _combinations(tuple(types), names, full),
        "for_orders": lambda orders, name="order": _for_each([{name: each} for each in orders]),
        "for_CF_orders": lambda name="order": _for_each([{name: each} for each in (None, "C", "F", "c", "f")]),
        "shaped_arange": _shaped_arange,
        "shaped_reverse_arange": _shaped_reverse_arange,
        "shaped_linspace": _shaped_linspace,
        "shaped_random": _shaped_random,
        "shaped_sparse_random": _shaped_sparse_random,
        "product": _product,
        "product_dict": _product_dict,
        "parameterize": _parameterize,
        "fix_random": _fix_random,
        "installed": _installed,
        "numpy_satisfies": lambda version_range: _installed(f"numpy{version_range}"),
        "with_requires": _with_requires,
        "multi_gpu": _multi_gpu,
        "slow": _slow,
    }
