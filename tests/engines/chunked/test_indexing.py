import dask.array as da
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from accel.engines.chunked import ChunkedArray
from accel.engines.chunked.indexing import select

SHAPE = (4, 5, 3)
X = np.arange(60).reshape(SHAPE)
CHUNKED = da.from_array(X, chunks=(2, 3, 2))


def indices(extent):
    return st.integers(-extent, extent - 1)


@st.composite
def keys(draw):
    """Return an index of NumPy: slices, integers, and arrays that broadcast with each other."""
    common = draw(st.sampled_from([(3,), (2, 3), (2, 1), (1, 2)]))
    parts = []
    for extent in SHAPE[: draw(st.integers(1, 3))]:
        kind = draw(st.sampled_from(["slice", "integer", "array", "array"]))
        if kind == "slice":
            parts.append(draw(st.slices(extent)))
        elif kind == "integer":
            parts.append(draw(indices(extent)))
        else:
            shape = tuple(draw(st.sampled_from([1, size])) for size in common)
            values = draw(st.lists(indices(extent), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
            parts.append(np.array(values).reshape(shape))
    return tuple(parts)


@settings(max_examples=150, deadline=None)
@given(keys())
@example((slice(None, 3, 3), np.array([[0, 0, 0]]), np.array([[0, 0, 0]])))  # the slice leaves an empty chunk
def test_any_number_of_index_arrays_gives_the_elements_that_numpy_gives(key):
    result = select(CHUNKED, key).compute(scheduler="synchronous")
    assert result.shape == X[key].shape
    assert np.array_equal(result, X[key])


@given(st.tuples(*[st.lists(indices(extent), min_size=1, max_size=4) for extent in SHAPE]))
@settings(max_examples=30, deadline=None)
def test_an_open_mesh_selects_along_each_dimension(lists):
    key = np.ix_(*lists)
    result = select(CHUNKED, key)
    assert np.array_equal(result.compute(scheduler="synchronous"), X[key])


def test_an_index_that_is_out_of_range_is_refused():
    with pytest.raises(IndexError, match=r"must be in \[-4, 4\), and are from 0 to 4"):
        select(CHUNKED, ([0, 4], [0, 1]))


def test_new_axes_among_several_index_arrays_are_refused_with_what_to_write():
    with pytest.raises(IndexError, match=r"index twice"):
        select(CHUNKED, ([0, 1], None, [0, 1]))


def test_an_ellipsis_stands_for_the_dimensions_that_are_not_named():
    assert np.array_equal(select(CHUNKED, ([0, 1], ..., [2, 0])).compute(), X[[0, 1], ..., [2, 0]])


def test_a_boolean_mask_among_index_arrays_selects_where_it_is_true():
    mask = np.array([True, False, False, True])
    key = (mask, np.array([1, 4]))
    assert np.array_equal(select(CHUNKED, key).compute(), X[key])


def test_a_chunked_array_is_indexed_by_another():
    x = ChunkedArray(CHUNKED)
    assert np.array_equal(x[ChunkedArray(da.from_array(np.array([2, 0]), chunks=1))].compute(), X[[2, 0]])
