"""Reductions of fused functions: in loops, along any axes, as accurate as by pairs."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, product
from math import fsum
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.memory import heap_of
from accel.tracing import models

from ..kernels.layers import Texts, agree, by_host, by_interpreter
from .test_fused_functions import DEVICES, arrays, host, same
from .test_layers import cases_of

SHAPES = ((3, 4, 5), (1, 40, 1), (40, 9, 2), (2, 9, 40), (9, 1, 3), (17, 3, 600))
FUNCTIONS = ("all", "any", "count_nonzero", "max", "min", "prod", "sum")


def axes_of(rank: int) -> Iterator[Any]:
    yield None
    for count in range(1, rank + 1):
        yield from combinations(range(rank), count)


def form_of(x: Any, layout: str) -> Any:
    """Return the elements in another layout."""
    if layout == "reversed":
        return xp.flip(x, axis=-1)
    if layout == "transposed":
        return xp.permute_dims(xp.asarray(np.asarray(x.to_device("cpu")).T.copy(), device=x.device), (2, 1, 0))
    return x


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_whole_numbers_are_reduced_along_any_axes(name: str, shape: tuple[int, ...], device: str) -> None:
    function = getattr(xp, name)
    rng = np.random.default_rng(1)
    values = rng.integers(-1, 3, shape) if name != "prod" else rng.choice([-1, 1, 1, 1], shape)
    for number, axis in enumerate(axes_of(3)):
        dtype = ("float64", "int8", "bool", "float32", "uint16")[number % 5]
        layout = ("plain", "reversed", "transposed")[number % 3]
        x = form_of(xp.asarray(values.astype(dtype), device=device), layout)

        def reduced(x: Any, axis: Any = axis, keepdims: bool = bool(number % 2)) -> Any:
            return function(x, axis=axis, keepdims=keepdims)

        if device == "cpu" or number % 3 == 0:
            same(accel.fuse(reduced, static=("axis", "keepdims"))(x), reduced(x))


def _roots_reduced(name: str, axis: Any, options: dict[str, Any], x: Any) -> Any:
    return getattr(xp, name)(xp.sqrt(abs(x)), axis=axis, **options)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["mean", "std", "var", "sum"])
def test_means_and_variances_are_close(name: str, device: str) -> None:
    for shape in SHAPES:
        (x,) = arrays(device, shape, 1)
        for axis in (None, 0, 1, (0, 1), (0, 2)):
            options = {} if name in ("mean", "sum") else {"correction": 0.5}
            reduced = partial(_roots_reduced, name, axis, options)
            if not options or xp.mean(x, axis=axis).size < x.size:
                found, expected = host(accel.fuse(reduced)(x)), host(reduced(x))
                np.testing.assert_allclose(found, expected, rtol=2e-14, atol=1e-15)
                assert found.dtype == expected.dtype


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_products_of_vectors_are_close(dtype: str, device: str) -> None:
    def products(x: Any, y: Any) -> Any:
        return x @ y, xp.vecdot(x, y), xp.dot(x, y), xp.inner(x, y), xp.matmul(x[::-1], y), x.dot(y), xp.vdot(x, y)

    for count in (0, 1, 5, 100):
        x, y = arrays(device, (count,), 2, dtype)
        for one, other in zip(accel.fuse(products)(x, y), products(x, y), strict=True):
            np.testing.assert_allclose(host(one), host(other), rtol=1e-5 if dtype == "float32" else 1e-14)
            assert (one.dtype, one.shape) == (other.dtype, other.shape)


def test_products_of_vectors_are_loops() -> None:
    (step,) = accel.fuse(lambda x, y: (x * 2) @ y).explain(xp.ones(100), xp.ones(100)).steps
    assert step.operations == "2 mul, 1 sum"


@pytest.mark.parametrize("device", DEVICES)
def test_norms_are_close(device: str) -> None:
    def norms(x: Any) -> Any:
        kinds, axes = (1, 2, float("inf"), -float("inf"), 3), (None, 0, 1, (0, 1))
        found = [xp.linalg.vector_norm(x, axis=axis, ord=kind) for axis in axes for kind in kinds]
        return [*found, xp.linalg.norm(x), xp.linalg.norm(x, axis=0), xp.linalg.norm(x, 1), xp.linalg.norm(x, ord=2)]

    for shape in ((3, 4), (20, 30), (1, 5), (30, 9)):
        (x,) = arrays(device, shape, 1)
        for one, other in zip(accel.fuse(norms)(x), norms(x), strict=True):
            np.testing.assert_allclose(host(one), host(other), rtol=1e-14)
            assert one.dtype == other.dtype


STATISTICS: dict[str, Callable[..., Any]] = {
    "count_nonzero": lambda x, axis: xp.count_nonzero(x, axis=axis),
    "logsumexp": lambda x, axis: xp.special.logsumexp(xp.nan_to_num(x), axis=axis),
    "nan_to_num": lambda x, axis: xp.sum(xp.nan_to_num(x), axis=axis),
    "nanmean": lambda x, axis: xp.nanmean(x, axis=axis),
    "nanstd": lambda x, axis: xp.nanstd(x, axis=axis, keepdims=True),
    "nansum": lambda x, axis: xp.nansum(x, axis=axis),
    "nanvar": lambda x, axis: np.nanvar(x, axis, ddof=1),
    "norm of 0": lambda x, axis: xp.linalg.vector_norm(xp.nan_to_num(x), axis=axis, ord=0),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", STATISTICS)
def test_what_numpy_computes_in_several_passes_is_a_loop(name: str, dtype: str, device: str) -> None:
    values = np.random.default_rng(0).uniform(0, 9, (20, 30)).astype(dtype)
    values[values < 2] = 0.0
    values[values > 8] = np.nan
    x = xp.asarray(values, device=device)
    for axis in (None, 0, 1, (0, 1)):
        function = accel.fuse(STATISTICS[name], static="axis")
        found, expected = host(function(x, axis)), host(STATISTICS[name](x, axis))
        np.testing.assert_allclose(found, expected, rtol=4e-15 if dtype == "float64" else 2e-6)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert ", 0 calls of the library" in str(function.explain(x, axis))


def test_of_only_nan_there_is_no_mean() -> None:
    x = xp.full((20, 30), xp.nan)
    x[0] = 1.0
    found = accel.fuse(lambda x: (xp.nanmean(x, axis=1), xp.nanvar(x, axis=1, ddof=1), xp.nansum(x, axis=1)))(x)
    for each, first in zip(found, (1.0, 0.0, 30.0), strict=True):
        np.testing.assert_array_equal(each[:2], [first, 0.0 if first == 30.0 else np.nan])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "axis"), [((100_000,), 0), ((3, 50_000), 1), ((50_000, 9), 0)])
def test_sums_are_as_accurate_as_by_pairs(shape: tuple[int, ...], axis: int, dtype: str) -> None:
    x = (np.random.default_rng(2).random(shape) + 0.1).astype(dtype)
    exact = np.apply_along_axis(fsum, axis, x.astype("float64"))
    fused = np.asarray(accel.fuse(lambda x: xp.sum(x, axis=axis))(xp.asarray(x)))
    by_pairs = np.sum(np.moveaxis(x, axis, -1).copy(), axis=-1)
    bound = max(abs(by_pairs - exact).max(), 4 * np.finfo(dtype).eps * exact.max())
    assert abs(fused - exact).max() <= bound


@pytest.mark.parametrize("device", DEVICES)
def test_special_values(device: str) -> None:
    values = np.ones((40, 9))
    values[3, 4], values[5, 5], values[6, 6], values[7, 6] = np.nan, np.inf, np.inf, -np.inf
    x = xp.asarray(values, device=device)
    for name in ("max", "min", "sum", "prod", "any"):
        for axis in (None, 0, 1):

            def reduced(x: Any, name: str = name, axis: Any = axis) -> Any:
                return getattr(xp, name)(x, axis=axis)

            with np.errstate(all="ignore"):
                same(accel.fuse(reduced, static=("name", "axis"))(x), reduced(x))


@pytest.mark.parametrize("device", DEVICES)
def test_no_elements_are_reduced_as_unfused(device: str) -> None:
    x = xp.zeros((0, 3), device=device)
    same(accel.fuse(lambda x: (xp.sum(x, axis=0), xp.any(x), xp.sum(x, axis=1)))(x), (xp.zeros(3), False, xp.zeros(0)))
    with pytest.raises(ValueError, match="zero-size"):
        accel.fuse(lambda x: xp.max(x, axis=0))(x)


def softmax(x: Any) -> Any:
    powers = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return powers / xp.sum(powers, axis=1, keepdims=True)


def test_reductions_are_loops_and_share_those_of_their_operands() -> None:
    x = xp.ones((100, 40))
    titles = [step.title for step in accel.fuse(softmax).explain(x).steps]
    assert titles == ["loop over 100 x 40"] * 3
    assert len(accel.fuse(lambda x: (xp.sum(x), xp.max(x), x * 2)).explain(x).steps) == 1


def test_a_row_of_costly_numbers_is_stored() -> None:
    (_, root, of_elements) = accel.fuse(lambda x: x / xp.sqrt(xp.sum(x * x))).explain(xp.ones((100, 40))).steps
    assert root.operations == "1 sqrt"
    assert of_elements.operations == "1 truediv"


PROGRAMS: dict[str, Callable[..., Any]] = {
    "all elements": lambda x: (xp.sum(x * x), xp.max(x), xp.any(x > 2), x + 1),
    "rows": lambda x: (xp.sum(x, axis=1), xp.min(x, axis=1), xp.sum(x.astype("int32"), axis=1)),
    "columns": lambda x: (xp.sum(x, axis=0), xp.max(x, axis=0), xp.all(x > -5, axis=0), xp.prod(x, axis=0)),
    "complex numbers": lambda x: xp.sum(x + 1j * x, axis=(0, 1)),
    "softmax": softmax,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_code_of_the_host_does_what_the_interpreter_does(name: str) -> None:
    for case, *_ in cases_of(PROGRAMS[name], arrays("cpu", (11, 20), 1)):
        agree(by_host(case), by_interpreter(case), 1e-14, name)


def test_the_text_for_gpus_does_what_the_interpreter_does() -> None:
    found = [
        (name, *each) for name, function in PROGRAMS.items() for each in cases_of(function, arrays("cpu", (11, 20), 1))
    ]
    texts = Texts([case.program for _, case, *_ in found])
    for name, case, *_ in found:
        agree(texts.run(case, 64), by_interpreter(case), 1e-14, name)


@pytest.mark.parametrize("name", sorted(models._OF_AXES))
def test_models_of_reductions_have_the_form_of_the_results(name: str) -> None:
    for shape, dtype in product([(70,), (9, 8), (2, 40, 3)], ["bool", "int8", "float32", "complex128"]):
        x = np.broadcast_to(np.zeros((), dtype), shape)
        for axis, keepdims in product([None, 0, -1, *[(0, -1)] * (name not in ("argmax", "argmin"))], [False, True]):
            if axis == (0, -1) and len(shape) < 2:
                continue
            expected = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims))
            found = np.asarray(models.model_function(name)(x, axis=axis, keepdims=keepdims))
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)


def test_other_sizes_compile_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []
    kind = type(heap_of(accel.Device.CPU).backend)
    original = kind.compile_kernel
    monkeypatch.setattr(kind, "compile_kernel", lambda self, *each: compiled.append(each) or original(self, *each))
    function = accel.fuse(lambda x: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0) + xp.var(x))
    function(xp.asarray(np.random.default_rng(0).random((30, 40))))
    count = len(compiled)
    for shape in ((31, 50), (100, 200)):
        x = xp.asarray(np.random.default_rng(0).random(shape))
        np.testing.assert_allclose(function(x), function.__wrapped__(x), rtol=1e-12)
    assert len(compiled) == count
