"""Products of small matrices and vectors: operations of elements in loops; larger ones are calls of the library."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp

from .comparison import same

Function = Callable[..., Any]

PRODUCTS: dict[str, Function] = {
    "matrices": lambda x, y: x @ y.T,
    "a matrix and a vector": lambda x, y: x @ y[0],
    "a vector and a matrix": lambda x, y: x[0] @ y.T,
    "views": lambda x, y: xp.matmul(x[::-1, 1:], xp.linalg.matmul(y.T[1:], x)),
    "dot": lambda x, y: xp.dot(x, y.T),
    "several": lambda x, y: (x @ y.T + 1) @ (x @ y.T) @ x[:, 0],
    "of one row": lambda x, y: x[:1] @ y.T + (x[:, :1] @ y[:1])[0, :3],
}


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "complex128"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_they_are_those_of_the_library(name: str, dtype: str, device: str) -> None:
    random = np.random.default_rng(0)
    x, y = [xp.asarray(random.integers(-5, 5, (3, 4)), dtype=dtype, device=device) for _ in range(2)]
    fused = accel.fuse(PRODUCTS[name])
    same([fused(x, y)], [PRODUCTS[name](x, y)], 0, "an array")
    assert not [step.title for step in fused.explain(x, y).steps if step.title.startswith("call")]


def test_a_product_of_negative_zeros_is_zero() -> None:
    x = xp.asarray([[-0.0, -0.0]])
    product = accel.fuse(lambda x: x @ xp.ones((2, 1)))(x)
    assert not np.signbit(np.asarray(product)).any()


@pytest.mark.parametrize("shapes", [((9, 8), (8, 8)), ((2, 9), (9, 2)), ((3, 2, 2), (2, 2)), ((2, 0), (0, 2))])
def test_others_are_calls(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    x, y = map(xp.ones, shapes)
    fused = accel.fuse(lambda x, y: x @ y)
    same([fused(x, y)], [x @ y], 0, "an array")
    assert [step.title for step in fused.explain(x, y).steps] == ["call of matmul"]


def test_shapes_and_truths_are_refused_or_computed_as_unfused() -> None:
    with pytest.raises(ValueError, match="matmul"):
        accel.fuse(lambda x: x @ x)(xp.ones((2, 3)))
    truths = xp.asarray([[True, False], [True, True]])
    same([accel.fuse(lambda x: x @ x)(truths)], [truths @ truths], 0, "an array")
