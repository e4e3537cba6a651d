"""Functions that fused functions call between their loops: those of other libraries, and those of NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import FuseError

from .comparison import same

DEVICES = ("cpu", "sim")
Function = Callable[..., Any]


def check(function: Function, *operands: Any, ulps: int = 1) -> None:
    """Compare what a function returns, and its operands afterwards, fused and unfused."""

    def run(function: Function) -> list[Any]:
        copies = [xp.asarray(each, copy=True) for each in operands]
        with accel.using(device=operands[0].device):
            returned = function(*copies)
        return [*(returned if isinstance(returned, tuple) else [returned]), *copies]

    same(run(accel.fuse(function)), run(function), ulps, "an array")


def written(x: Any, y: Any) -> Any:
    np.copyto(x, y)
    np.fill_diagonal(x, 7)
    np.add(x, 1, out=y, where=x > 1)
    np.add.at(y, (xp.asarray([0, 2, 0]), 1), x[0])
    return xp.multiply(x, y, out=x), xp.sum(x, axis=0, out=y[0])


NUMPYS: dict[str, Function] = {
    "ufuncs": lambda x, y: np.sin(x) + np.add(x, y) * np.float32(2) - np.true_divide(1, y),
    "methods of ufuncs": lambda x, y: (np.add.reduce(x), np.multiply.outer(x[0], y[0]), np.maximum.accumulate(y)),
    "reductions": lambda x, y: (np.sum(x, axis=0), np.max(y), np.linalg.norm(x), np.nansum(y)),
    "choices": lambda x, y: (np.where(x > y, x, 2), np.clip(x, 0.0, 0.5), np.nan_to_num(y)),
    "arrays of parts": lambda x, y: (np.concatenate([x, y]), np.stack([x, y]), np.zeros_like(x), np.roll(x, 1)),
    "keywords of NumPy": lambda x, y: (xp.add(x, y, where=x > 1, out=y), xp.sum(x, where=y > 1), xp.sum(x, dtype="f4")),
    "writes": written,
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", NUMPYS)
def test_functions_of_numpy(name: str, device: str) -> None:
    random = np.random.default_rng(0)
    check(NUMPYS[name], *[xp.asarray(random.random((3, 3)) * 3, device=device) for _ in range(2)])


def test_arrays_of_numpy_are_operands_of_its_functions() -> None:
    check(lambda x: np.add(x, np.arange(3.0)) + np.arange(3.0) * x, xp.ones((2, 3)))


def test_a_function_that_computes_on_the_host_only_is_refused() -> None:
    with pytest.raises(FuseError, match=r"test_library_calls\.py:\d+"):
        accel.fuse(np.fix)(xp.ones(3))


MATRICES: dict[str, Function] = {
    "det": xp.linalg.det,
    "slogdet": xp.linalg.slogdet,
    "inv": xp.linalg.inv,
    "pinv": xp.linalg.pinv,
    "qr": xp.linalg.qr,
    "svdvals": xp.linalg.svdvals,
    "svd": lambda x: xp.linalg.svd(x[..., :2], full_matrices=False),
    "all of svd": lambda x: xp.linalg.svd(x[..., :2]),
    "eigh": lambda x: xp.linalg.eigh(x + xp.matrix_transpose(x)),
    "eigvalsh": lambda x: xp.linalg.eigvalsh(x + xp.matrix_transpose(x)),
    "cholesky": lambda x: xp.linalg.cholesky(x + xp.matrix_transpose(x)),
    "solve": lambda x: xp.linalg.solve(x, x[..., :1]),
    "matrix_power": lambda x: (xp.linalg.matrix_power(x, 3), xp.linalg.matrix_power(x, -2)),
    "products": lambda x: (x @ x, x[..., 0, :, None].mT @ x, xp.vecdot(x, x)),
}


@pytest.mark.parametrize("stack", [(), (2,), (0,)])
@pytest.mark.parametrize("name", MATRICES)
def test_functions_of_matrices_and_of_stacks_of_them(name: str, stack: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    matrix = xp.asarray(random.random((*stack, 4, 4)) + 4 * np.eye(4))
    function = MATRICES[name]
    check(lambda x: tuple(function(x + 1)) if name in _TUPLES else function(x + 1), matrix, ulps=4)


_TUPLES = ("slogdet", "qr", "svd", "all of svd", "eigh", "matrix_power", "products")


def test_a_function_of_a_large_matrix_is_not_computed_by_the_trace() -> None:
    x = xp.broadcast_to(xp.ones(()), (10**5, 10**5))
    accel.fuse(lambda x: (xp.linalg.eigvalsh(x), x @ x[:, :1])).explain(x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: xp.union1d(x, x),
        lambda x: xp.intersect1d(x, x),
        lambda x: xp.setdiff1d(x, x),
        xp.trim_zeros,
        lambda x: xp.repeat(x, xp.astype(x, "int64")),
    ],
)
def test_a_result_whose_shape_depends_on_elements_is_refused(function: Function) -> None:
    with pytest.raises(FuseError, match="shape that depends on elements"):
        accel.fuse(function)(xp.asarray([0.0, 1.0, 2.0]))


def test_weights_of_an_average() -> None:
    check(lambda x: xp.average(x, axis=0, weights=x + 1), xp.ones((3, 2)))


def test_shapes_that_do_not_fit_are_refused_in_the_same_words() -> None:
    x, y = xp.ones((2, 5)), xp.ones((4, 5))
    for function in (lambda x, y: x + y, lambda x, y: xp.where(x > 0, x, y)):
        with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(2,5\)"):
            accel.fuse(function)(x, y)


@pytest.mark.parametrize("device", DEVICES)
def test_an_array_gets_another_shape(device: str) -> None:
    def flattened(x: Any) -> Any:
        y = x * 2
        y.shape = x.size
        y[1] = 7
        return y, y.reshape(x.shape)

    check(flattened, xp.ones((2, 3), device=device))


@pytest.mark.parametrize("device", DEVICES)
def test_arrays_of_lists_of_traced_arrays_and_numbers(device: str) -> None:
    def listed(x: Any, count: int = 3) -> Any:
        nested = [[xp.sum(x), 1.0], [count, x[0]]]
        return xp.asarray(nested), xp.asarray([1.0, x[1]]), xp.asarray(count), xp.asarray([count, 2.5])

    check(listed, xp.asarray([1.0, 2.5], device=device))


def calls_of(function: Function, *operands: Any) -> int:
    titles = [step.title for step in accel.fuse(function).explain(*operands).steps]
    return len([title for title in titles if title.startswith("call")])


def test_equal_calls_are_one() -> None:
    def sorted_twice(x: Any) -> Any:
        y = xp.sort(x)
        y[0] = 7
        return xp.sort(x), y, xp.sort(x) * 2

    x, i = xp.asarray([3.0, 1.0, 2.0]), xp.asarray([2, 0])
    check(sorted_twice, x)
    assert calls_of(sorted_twice, x) == 1
    assert calls_of(lambda x, i: (x[i] + x[i], xp.take(x, i), xp.take(x, i, axis=0)), x, i) == 3


def test_calls_with_other_options_are_not_equal() -> None:
    def several(x: Any) -> Any:
        added = xp.full_like(x, 0.0)
        before, x[0] = xp.sort(x), 9
        return (
            before,
            xp.sort(x),
            xp.sort(x, descending=True),
            xp.float_power(x, 1),
            xp.float_power(x, True),
            xp.copysign(x, 0.0) + xp.logaddexp(added, 0.0) + xp.logaddexp(added, -0.0),
        )

    check(several, xp.asarray([3.0, 1.0, 2.0]))
    check(lambda x: (xp.linalg.svd(x)[1], xp.linalg.svd(x, full_matrices=False)[1]), xp.ones((3, 2)))


COUNTS: dict[str, Function] = {
    "a short dtype": lambda x: xp.bincount(xp.astype(x, "uint8"), minlength=256) * 2,
    "truths": lambda x: xp.bincount(x > 3, minlength=2),
    "clipped": lambda x: xp.bincount(xp.clip(x, 0, 9), minlength=10),
    "a remainder": lambda x: xp.bincount(x % 10, minlength=10),
    "bits": lambda x: xp.bincount((x & 7)[::2], minlength=8),
    "weights": lambda x: xp.bincount(x % 10, weights=x * 0.5, minlength=12),
    "a choice": lambda x: xp.bincount(xp.where(x > 3, 2, xp.minimum(x, 9)), minlength=10),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_integers_that_have_a_bound(name: str, device: str) -> None:
    check(COUNTS[name], xp.asarray(np.random.default_rng(0).integers(0, 99, 50), device=device))


BOUNDED: dict[int, Function] = {
    255: lambda x: xp.astype(x, "uint8"),
    9: lambda x: xp.clip(x, 0, 9),
    8: lambda x: x % 9,
    7: lambda x: x & 7,
    6: lambda x: xp.where(x > 3, 2, xp.minimum(x, 6)),
    5: lambda x: xp.astype(xp.astype(x, "int16") % 6, "int32"),
    1: lambda x: xp.astype(x, "bool"),
}
"""Integers by the greatest that they can be."""


@pytest.mark.parametrize("bound", BOUNDED)
def test_counts_of_fewer_integers_than_there_can_be_are_refused(bound: int) -> None:
    x = xp.arange(9)
    check(lambda x: xp.bincount(BOUNDED[bound](x), minlength=bound + 1), x)
    with pytest.raises(FuseError, match="bincount has a shape that depends on elements"):
        accel.fuse(lambda x: xp.bincount(BOUNDED[bound](x), minlength=bound))(x)


def test_counts_of_negative_integers_are_refused_as_unfused() -> None:
    with pytest.raises(ValueError, match="negative"):
        accel.fuse(lambda x: xp.bincount(xp.minimum(x, 9), minlength=10))(xp.asarray([-1, 2]))
