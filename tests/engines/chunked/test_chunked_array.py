import copy
import operator
import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from dask.base import tokenize
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from accel.engines.chunked import ChunkedArray

X = np.arange(24.0).reshape(4, 6)


@pytest.fixture
def x():
    return ChunkedArray(da.from_array(X, chunks=(2, 4)))


OPERATIONS = {
    "add": lambda x: x + 1,
    "reflected": lambda x: 2**x,
    "with numpy": lambda x: np.ones((4, 6)) - x,
    "with itself": lambda x: x * x.mean(axis=0),
    "matmul": lambda x: x @ x.T,
    "compare": lambda x: (x > 3) & (x != 5),
    "negative": lambda x: -abs(x),
    "ufunc": np.sin,
    "ufunc with two": lambda x: np.maximum(x, 3),
    "two results": lambda x: np.modf(x + 0.5)[0],
    "function": lambda x: np.concatenate([x, x[:1]]),
    "nested arguments": lambda x: np.stack([x, x + 1], axis=-1),
    "choice": lambda x: np.where(x > 3, x, 0),
    "method": lambda x: x.std(axis=1),
    "astype": lambda x: x.astype("float32"),
    "reshape": lambda x: x.reshape(24),
    "transpose": lambda x: x.T[1:, ::2],
    "rechunk": lambda x: x.rechunk((3, 5)) if isinstance(x, ChunkedArray) else x,
    "cumulative": lambda x: np.cumsum(x, axis=0),
    "points": lambda x: x.vindex[[0, 1], [2, 3]] if isinstance(x, ChunkedArray) else x[[0, 1], [2, 3]],
    "blocks": lambda x: x.blocks[0, 1] if isinstance(x, ChunkedArray) else x[:2, 4:],
    "map_blocks": lambda x: x.map_blocks(np.cos) if isinstance(x, ChunkedArray) else np.cos(x),
    "einsum": lambda x: np.einsum("ij->j", x),
    "tensordot": lambda x: np.tensordot(x, x, axes=([1], [1])),
    "percentile": lambda x: np.nanmax(x, axis=1),
}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_gives_a_chunked_array_of_the_values_of_numpy(x, operation):
    result = operation(x)
    assert isinstance(result, ChunkedArray)
    np.testing.assert_allclose(result.compute(), operation(X))
    assert result.dtype == operation(X).dtype


@given(arrays(float, (3, 4), elements=st.floats(-9, 9)), st.sampled_from([1, 2, 3, 4]), st.sampled_from([0, 1, None]))
def test_reductions_do_not_depend_on_the_chunks(values, chunk, axis):
    chunked = ChunkedArray.from_array(values, chunks=chunk)
    for name in ("sum", "max", "mean"):
        np.testing.assert_allclose(getattr(chunked, name)(axis=axis), getattr(values, name)(axis=axis), atol=1e-12)


def test_functions_that_dask_lacks_compute_their_arguments(x):
    assert np.array_equal(np.partition(x[0], 2), np.partition(X[0], 2))


def test_ufunc_methods_that_dask_lacks_compute_their_arguments(x):
    assert np.array_equal(np.add.reduceat(x, [0, 2], axis=1), np.add.reduceat(X, [0, 2], axis=1))


def test_core_dimensions_become_one_chunk(x):
    result = np.vecdot(x, x + 1)
    assert isinstance(result, ChunkedArray)
    np.testing.assert_allclose(result, np.vecdot(X, X + 1))


def test_arrays_are_reshaped_in_c_order_only(x):
    assert np.array_equal(x.reshape((24,), order="C"), X.reshape(24))
    with pytest.raises(ValueError, match="order='F' was asked; transpose first"):
        x.reshape(24, order="F")


def test_functions_with_options_that_dask_lacks_compute_their_arguments(x):
    result = np.linalg.lstsq(X[:, :2], x[:, 0], rcond=None)[0]
    np.testing.assert_allclose(result, np.linalg.lstsq(X[:, :2], X[:, 0], rcond=None)[0])


def test_attributes_are_those_of_the_dask_array(x):
    assert (x.shape, x.ndim, x.size, x.nbytes, x.dtype, len(x)) == ((4, 6), 2, 24, 192, np.float64, 4)
    assert x.chunks == ((2, 2), (4, 2))
    assert x.numblocks == (2, 2)
    assert "rechunk" in dir(x)
    assert repr(x) == "ChunkedArray(shape=(4, 6), dtype=float64, chunksize=(2, 4))"
    assert "<table>" in x._repr_html_()


def test_an_unknown_attribute_is_an_attribute_error(x):
    with pytest.raises(AttributeError, match="no_such_thing"):
        x.no_such_thing  # noqa: B018


def test_numbers_are_made_of_arrays_with_one_element(x):
    last = x[3, 5]
    assert (int(last), float(last), complex(last), bool(last)) == (23, 23.0, 23 + 0j, True)
    assert operator.index(x.argmax()) == 23
    assert 23 in x
    assert 24 not in x


def test_iteration_gives_rows_in_chunks(x):
    rows = list(x)
    assert all(isinstance(row, ChunkedArray) for row in rows)
    assert np.array_equal(rows[2], X[2])


def test_assignment_changes_this_array_alone(x):
    same, dask_array = copy.copy(x), x.dask_array
    x[0] = -1
    x += 1
    expected = X.copy()
    expected[0] = -1
    assert np.array_equal(x, expected + 1)
    assert np.array_equal(same, X)
    assert np.array_equal(dask_array.compute(), X)


def test_an_in_place_operator_keeps_the_type_of_the_elements():
    x = ChunkedArray.from_array(np.arange(4, dtype="float32"), chunks=2)
    x *= np.float64(2)
    assert x.dtype == np.float32
    counts = ChunkedArray.from_array(np.arange(4), chunks=2)
    with pytest.raises(TypeError, match="same_kind"):
        counts /= 2


def test_a_result_of_another_shape_is_not_written_into_an_array(x):
    with pytest.raises(TypeError, match=r"out must be a ChunkedArray of shape \(4, 6\)"):
        np.add(x, 1, out=x[0])


def test_classes_that_handle_ufuncs_themselves_get_them(x):
    class Handler:
        def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
            return "handled"

    assert x + Handler() == "handled"
    assert np.add(x, Handler()) == "handled"


def test_dask_arrays_become_chunked_arrays_beside_them(x):
    assert isinstance(x.dask_array + x, ChunkedArray)
    assert isinstance(np.concatenate([x.dask_array, x]), ChunkedArray)


def test_it_is_no_dask_collection(x):
    assert not dask.is_dask_collection(x)


def test_equal_graphs_have_equal_tokens(x):
    assert tokenize(x + 1) == tokenize(x + 1)
    assert tokenize(x + 1) != tokenize(x + 2)


def test_pickled_arrays_have_equal_values(x):
    assert np.array_equal(pickle.loads(pickle.dumps(x)), X)


def test_copies_do_not_follow_assignments(x):
    result = copy.deepcopy(x)
    x[0] = 0
    assert np.array_equal(result, X)


def test_persisted_chunks_are_computed_once():
    calls = []
    chunked = ChunkedArray.from_array(np.arange(4), chunks=2).map_blocks(lambda b: calls.append(1) or b, dtype=int)
    calls.clear()
    kept = chunked.persist()
    kept.compute()
    kept.compute()
    assert len(calls) == 2


def test_chunks_are_stored_in_an_array_like(x):
    target = np.zeros((4, 6))
    (x + 1).store(target)
    assert np.array_equal(target, X + 1)


def test_another_scheduler_takes_the_place_of_the_engine(x):
    used = []

    def scheduler(graph, keys, **options):
        used.append(keys)
        return dask.get(graph, keys, **options)

    x.compute(scheduler=scheduler)
    assert used


def test_numpy_cannot_share_its_memory(x):
    with pytest.raises(ValueError, match="omit copy=False"):
        np.asarray(x, copy=False)


def test_other_arrays_are_refused_with_what_to_write():
    with pytest.raises(TypeError, match=r"write ChunkedArray\.from_array\(x\)"):
        ChunkedArray(X)


def test_the_exception_of_a_chunk_is_raised_as_itself(x):
    def fail(block):
        raise KeyError("in a chunk")

    with pytest.raises(KeyError, match="in a chunk"):
        x.map_blocks(fail, dtype=float).compute()
