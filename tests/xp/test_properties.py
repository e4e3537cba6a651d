"""Properties of generated arrays, and of arrays with unusual shapes and strides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from hypothesis.extra.array_api import make_strategies_namespace

from accel import xp

xps = make_strategies_namespace(xp, api_version="2024.12")
QUICK = settings(max_examples=100, deadline=None, database=None)
DTYPES = st.one_of(xps.boolean_dtypes(), xps.integer_dtypes(), xps.floating_dtypes(), xps.complex_dtypes())
NUMBERS = st.one_of(npst.integer_dtypes(endianness="="), npst.floating_dtypes(endianness="=", sizes=(32, 64)))


@QUICK
@given(xps.arrays(DTYPES, xps.array_shapes(min_dims=0, min_side=0)))
def test_attributes_agree(x):
    values = np.asarray(x)
    assert (x.shape, x.ndim, x.size, x.dtype) == (values.shape, values.ndim, values.size, values.dtype)
    assert x.nbytes == values.nbytes
    assert xp.isdtype(x.dtype, ("bool", "numeric"))


@QUICK
@given(xps.arrays(DTYPES, xps.array_shapes(min_dims=0, min_side=0)))
def test_there_and_back_changes_nothing(x):
    for y in (xp.asarray(np.asarray(x)), xp.from_dlpack(x), xp.asarray(x, copy=True), xp.reshape(x, x.shape)):
        np.testing.assert_array_equal(np.asarray(y), np.asarray(x))
        assert y.dtype == x.dtype
    np.testing.assert_array_equal(x.container().to_numpy(), np.asarray(x).reshape(-1))


@QUICK
@given(st.data())
def test_indexing_agrees_with_numpy(data):
    x = data.draw(xps.arrays(xps.scalar_dtypes(), xps.array_shapes(min_dims=0, min_side=0)))
    key = data.draw(xps.indices(x.shape, allow_newaxis=True))
    values = np.asarray(x)
    np.testing.assert_array_equal(np.asarray(x[key]), values[key])
    assert x[key].shape == np.asarray(values[key]).shape
    target = xp.asarray(x, copy=True)
    target[key] = x[key]
    np.testing.assert_array_equal(np.asarray(target), values)


@QUICK
@given(st.data())
def test_shapes_broadcast_as_numpys_do(data):
    shapes = data.draw(xps.mutually_broadcastable_shapes(3, min_side=0))
    x, y, z = (xp.ones(shape) for shape in shapes.input_shapes)
    assert (x + y * z).shape == shapes.result_shape
    assert xp.broadcast_shapes(*shapes.input_shapes) == shapes.result_shape
    assert {each.shape for each in xp.broadcast_arrays(x, y, z)} == {shapes.result_shape}


def adversarial(values):
    """Return views of an array by name: reversed, transposed, broadcast, read-only, empty, misaligned and others."""
    frozen = values.view()
    frozen.flags.writeable = False
    return {
        "reversed": values[..., ::-1],
        "reversed on every axis": np.flip(values),
        "every other": values[..., ::2],
        "transposed": values.T,
        "in Fortran order": np.asfortranarray(values),
        "broadcast": np.broadcast_to(values, (2, *values.shape)),
        "one element, broadcast": np.broadcast_to(values[..., :1], values.shape),
        "frozen": frozen,
        "empty": values[..., :0],
        "one element": values.reshape(-1)[-1:].reshape(()),
        "with axes of one": values[None, ..., None],
        "misaligned": misaligned(values),
    }


def misaligned(values):
    raw = np.zeros(values.nbytes + 1, np.uint8)[1:].view(values.dtype).reshape(values.shape)
    raw[...] = values
    return raw


FUNCTIONS = {
    "x + x": lambda lib, x: x + x,
    "x == 1": lambda lib, x: x == 1,
    "x * 2": lambda lib, x: x * 2,
    "negative": lambda lib, x: lib.negative(lib.astype(x, lib.float64)),
    "sum": lambda lib, x: lib.sum(x),
    "max of an axis": lambda lib, x: lib.max(lib.concat([x[None, ...], x[None, ...]]), axis=0),
    "mean": lambda lib, x: lib.mean(lib.astype(x, lib.float64), axis=0) if x.ndim and x.shape[0] else x,
    "reshape": lambda lib, x: lib.reshape(x, (-1,)),
    "transpose": lambda lib, x: lib.permute_dims(x, tuple(range(x.ndim))[::-1]),
    "flip": lambda lib, x: lib.flip(x),
    "sort": lambda lib, x: lib.sort(lib.reshape(x, (-1,))),
    "unique": lambda lib, x: lib.sort(lib.unique_values(x)),
    "where": lambda lib, x: lib.where(x > 1, x, x[..., :1] if x.ndim else x),
    "mask": lambda lib, x: x[x > 1],
    "roll": lambda lib, x: lib.roll(x, 1),
    "sqrt of squares": lambda lib, x: lib.sqrt(lib.square(lib.astype(x, lib.float64))),
}


@pytest.mark.parametrize("compute", FUNCTIONS.values(), ids=FUNCTIONS)
@settings(max_examples=25, deadline=None, database=None)
@given(values=npst.arrays(NUMBERS, npst.array_shapes(min_dims=1, max_dims=3, max_side=4)))
def test_any_strides_are_computed_with(compute, values):
    for name, view in adversarial(values).items():
        with np.errstate(all="ignore"):
            expected = np.asarray(compute(np, view))
            result = compute(xp, xp.asarray(view))
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape), name
        np.testing.assert_array_equal(np.asarray(result), expected, err_msg=name)


@QUICK
@given(npst.arrays(NUMBERS, npst.array_shapes(min_dims=1, max_dims=3, max_side=4)))
def test_any_strides_are_described(values):
    for name, view in adversarial(values).items():
        x = xp.asarray(view)
        operand = x.__accel_operand__()
        start, nbytes = operand.start, operand.span.nbytes
        assert (operand.extents, operand.strides, operand.writable) == (
            view.shape,
            view.strides,
            view.flags.writeable,
        ), name
        steps = [(extent - 1) * step for extent, step in zip(view.shape, view.strides, strict=True)]
        if view.size:
            assert start + sum(step for step in steps if step < 0) >= 0, name
            assert start + sum(step for step in steps if step > 0) + view.itemsize <= nbytes, name


@QUICK
@given(npst.arrays(NUMBERS, npst.array_shapes(min_dims=1, max_dims=3, max_side=4)))
def test_any_strides_are_copied(values):
    for name, view in adversarial(values).items():
        x = xp.asarray(view, copy=True)
        np.testing.assert_array_equal(np.asarray(x), view, err_msg=name)
        assert not np.shares_memory(np.asarray(x), values), name
        compact = xp.reshape(xp.reshape(x, (-1,), copy=True), x.shape).container()
        np.testing.assert_array_equal(compact.to_numpy(), view.reshape(-1), err_msg=name)
