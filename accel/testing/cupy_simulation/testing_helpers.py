"""Helpers of `cupy.testing`: calls that are counted, matrices with given singular values, bases of tests of aliases."""

import inspect
import sys
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from accel.testing.cupy_simulation.comparisons import without_parameters

__all__ = ["testing_helpers"]


@contextmanager
def _assert_called(*arguments: Any, times_called: int = 1, **keywords: Any) -> Iterator[None]:
    """Patch a function as `unittest.mock.patch` does, and fail if it was not called so many times."""
    with mock.patch(*arguments, **keywords) as handle:
        yield
    assert handle.call_count == times_called, f"called {handle.call_count} times; expected {times_called}"


def _generate_matrix(shape: Any, xp: Any = None, dtype: Any = np.float32, *, singular_values: Any = None) -> Any:
    """Return a random matrix, or a stack of them, with the singular values."""
    kind = np.dtype(dtype).kind
    if len(shape) < 2:
        raise ValueError(f"a matrix has two axes or more; found shape {shape}")
    if singular_values is None or kind not in "fc":
        raise TypeError("generate_matrix takes singular_values=, and a dtype of floats or complex numbers")
    module = sys.modules["cupy"] if xp is None else xp
    values = np.asarray(getattr(singular_values, "get", lambda: singular_values)())
    if np.iscomplexobj(values):
        raise TypeError("singular values are real numbers")
    if (values < 0).any():
        raise ValueError(f"singular values are not negative; found {values.min()}")
    elements = module.random.randn(*shape)
    if kind == "c":
        elements = elements + 1j * module.random.randn(*shape)
    left, _, right = module.linalg.svd(elements, full_matrices=False)
    spread = module.asarray(np.broadcast_to(values, (*shape[:-2], min(shape[-2:]))).copy())
    return ((left * spread[..., None, :]) @ right).astype(dtype)


def _contiguous_axes(name: str = "axis") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator: a test of a shape and an order runs with each number of axes that are next to each other."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **keywords: Any) -> None:
            rank, order = len(keywords["shape"]), keywords["order"]
            if order not in ("C", "c", "F", "f"):
                raise ValueError(f"for_contiguous_axes is for the orders C and F; found {order!r}")
            for count in range(rank):
                axes = range(count, rank) if order in "Cc" else range(count + 1)
                try:
                    test(*arguments, **{**keywords, name: tuple(axes)})
                except Exception as error:
                    error.add_note(f"with {name}={tuple(axes)}, shape={keywords['shape']}, order={order!r}")
                    raise

        return without_parameters(test, (name,), run)

    return decorate


def _generate_seed() -> int:
    """Return a seed that follows from that of `fix_random`."""
    return int(np.random.randint(0x7FFFFFFF))  # noqa: NPY002 - what tests for CuPy draw from


class _AliasTest(unittest.TestCase):
    """A test of a function of CuPy that is NumPy's; ``func`` is its name."""

    func = ""

    @property
    def cupy_func(self) -> Any:
        """The function of CuPy."""
        return getattr(sys.modules["cupy"], self.func)

    @property
    def numpy_func(self) -> Any:
        """The function of NumPy."""
        return getattr(np, self.func)


class NumpyAliasBasicTestBase(_AliasTest):
    """Compares the signatures, and wants a docstring."""

    def test_argspec(self) -> None:
        """Compare the signatures."""
        assert inspect.signature(self.cupy_func) == inspect.signature(self.numpy_func)

    def test_docstring(self) -> None:
        """Look for a docstring."""
        assert self.cupy_func.__doc__


class NumpyAliasValuesTestBase(_AliasTest):
    """Compares the values for ``args``."""

    args: tuple[Any, ...] = ()

    def test_values(self) -> None:
        """Compare the values."""
        assert self.cupy_func(*self.args) == self.numpy_func(*self.args)


def testing_helpers() -> dict[str, Any]:
    """Return the helpers by their names."""
    return {
        "AssertFunctionIsCalled": _assert_called,
        "NumpyAliasBasicTestBase": NumpyAliasBasicTestBase,
        "NumpyAliasValuesTestBase": NumpyAliasValuesTestBase,
        "for_contiguous_axes": _contiguous_axes,
        "generate_matrix": _generate_matrix,
        "generate_seed": _generate_seed,
    }
