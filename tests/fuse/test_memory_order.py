"""The order of new arrays in memory, as a trace foresees it, is that which NumPy chooses."""

from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from accel.tracing.memory_order import order_of, strides_in


@st.composite
def operands(draw: Any) -> list[Any]:
    """Return arrays that can be broadcast together, with their axes in any order."""
    shape = draw(st.lists(st.sampled_from([1, 1, 2, 3, 4]), min_size=2, max_size=4))
    arrays = []
    for _ in range(draw(st.integers(1, 3))):
        extents = [draw(st.sampled_from([extent, extent, 1])) for extent in shape][draw(st.integers(0, 1)) :]
        order = draw(st.permutations(range(len(extents))))
        array = np.empty([extents[axis] for axis in order]).transpose(np.argsort(order))
        arrays.append(array[tuple([slice(None, None, draw(st.sampled_from([1, 1, -1]))) for _ in extents])])
    return arrays


@given(operands())
def test_strides_are_those_of_numpy(arrays: list[Any]) -> None:
    flags = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]]
    result = np.nditer([*arrays, None], [], flags).operands[-1]
    order = order_of(arrays, result.shape)
    found = strides_in(order or tuple(range(result.ndim)), result.shape)
    expected = [step // result.itemsize for step in result.strides]
    steps = zip(found, expected, result.shape, strict=True)
    assert all(one == other for one, other, extent in steps if extent > 1)


@given(operands())
def test_arrays_of_a_trace_that_are_in_c_order_are_known_at_once(arrays: list[Any]) -> None:
    @accel.fuse
    def checked(*values: Any) -> Any:
        for value in [*values, *[xp.permute_dims(each + 1, range(each.ndim))[::-1] for each in values]]:
            symbol = value._native
            model = SimpleNamespace(ndim=symbol.ndim, shape=symbol.shape, strides=symbol.strides)
            if symbol.in_c_order:
                assert order_of([model], symbol.shape) is None
            assert order_of([symbol], symbol.shape) == order_of([model], symbol.shape)
        return values[0]

    checked(*arrays)


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_reshape_of_a_result_is_a_view_of_it_where_it_is_one_unfused(device: str) -> None:
    def doubled(x: Any) -> Any:
        y = x * 2
        return y, xp.reshape(y, (-1,))

    kinds = []
    for function in (doubled, accel.fuse(doubled)):
        y, row = function(xp.ones((2, 3), device=device).T)
        row[...] = 7
        kinds.append(float(y[0, 0]) == 7)
    assert kinds == [device == "sim"] * 2


@pytest.mark.parametrize("name", ["sum", "all", "any", "count_nonzero", "max", "min", "prod", "mean", "std", "var"])
def test_results_of_reductions_have_the_order_of_the_elements(name: str) -> None:
    def views(x: Any, axis: Any, keepdims: bool) -> Any:
        y = getattr(xp, name)(x, axis=axis, keepdims=keepdims)
        flat = xp.reshape(y, (-1,))
        flat[0] = y[-1, -1] if y.ndim == 2 else y[0, -1, -1]
        return y

    fused = accel.fuse(views, static=("axis", "keepdims"))
    values = np.arange(60.0).reshape(3, 4, 5) % 7
    for order in permutations(range(3)):
        x = xp.asarray(values.transpose(order))
        for axis in (0, 1, 2, (0, 2)):
            for keepdims in (False, True) if axis != (0, 2) else (True,):
                found, expected = fused(x, axis, keepdims), views(x, axis, keepdims)
                np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12)
