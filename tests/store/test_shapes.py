"""A shape is a tuple of extents, that may be pending."""

import pickle
import threading
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.errors import StoreIndexError, StoreSizeError
from accel.store import Shape

EXTENTS = st.lists(st.integers(0, 2**70), max_size=8).map(tuple)


def must_not_wait():
    raise AssertionError("this must not wait")


class TestAShape:
    @given(EXTENTS)
    def test_is_like_the_tuple_of_its_extents(self, extents):
        shape = Shape(extents)
        assert shape == extents
        assert extents == shape
        assert shape == Shape([*extents])
        assert hash(shape) == hash(extents)
        assert {extents: "found"}[shape] == "found"
        assert (*shape,) == shape.extents == shape[:] == extents
        assert len(shape) == shape.ndim == len(extents)
        assert shape.volume == prod(extents)
        assert pickle.loads(pickle.dumps(shape)) == shape

    @given(EXTENTS, EXTENTS)
    def test_differs_where_the_tuple_differs(self, one, other):
        assert (Shape(one) == Shape(other)) == (Shape(one) == other) == (one == other)

    @given(EXTENTS, st.integers(-10, 10))
    def test_has_the_extents_of_the_tuple_and_no_others(self, extents, dim):
        shape = Shape(extents)
        try:
            expected = extents[dim]
        except IndexError:
            with pytest.raises(StoreIndexError, match="out of range"):
                shape[dim]
        else:
            assert shape[dim] == expected
        if 0 <= dim < len(extents):
            assert shape.at(dim) == extents[dim]
        else:
            with pytest.raises(IndexError, match=f"dimension {dim} is out of range"):
                shape.at(dim)

    def test_of_one_dimension_may_be_an_integer(self):
        assert Shape(3) == Shape(np.int64(3)) == (3,)

    def test_is_a_shape_for_numpy(self):
        assert np.zeros(Shape((2, 3))).shape == (2, 3)

    def test_is_no_list(self):
        assert Shape((2, 3)) != [2, 3]

    @pytest.mark.parametrize("wrong", [-1, (2, -3)])
    def test_has_no_negative_extent(self, wrong):
        with pytest.raises(StoreSizeError, match="an extent is 0 or more"):
            Shape(wrong)
        with pytest.raises(OverflowError):
            Shape(wrong)

    @pytest.mark.parametrize("wrong", [1.5, (2, "3"), None])
    def test_has_integers_only(self, wrong):
        with pytest.raises(TypeError, match="integer"):
            Shape(wrong)

    def test_says_what_it_is(self):
        assert repr(Shape((2, 3))) == "Shape((2, 3))"


class TestAPendingShape:
    def test_knows_its_number_of_dimensions_without_waiting(self):
        shape = Shape.pending(2, must_not_wait)
        assert shape.ndim == len(shape) == 2
        assert repr(shape) == "Shape(pending, ndim=2)"
        with pytest.raises(StoreIndexError, match="dimension 2"):
            shape.at(2)

    @pytest.mark.parametrize(
        "query", [lambda s: s.extents, lambda s: s.volume, hash, lambda s: s[0], lambda s: s == (4, 5)]
    )
    def test_waits_for_all_else_once(self, query):
        waits = []
        shape = Shape.pending(2, lambda: waits.append(1) or (4, 5))
        assert query(shape) == query(Shape((4, 5)))
        assert query(shape) == query(Shape((4, 5)))
        assert waits == [1]
        assert repr(shape) == "Shape((4, 5))"

    def test_blocks_until_the_extents_are_known(self):
        event, volumes = threading.Event(), []
        shape = Shape.pending(1, lambda: event.wait(30) and (7,))
        readers = [threading.Thread(target=lambda: volumes.append(shape.volume)) for _ in range(3)]
        for reader in readers:
            reader.start()
        assert not volumes
        event.set()
        for reader in readers:
            reader.join()
        assert volumes == [7, 7, 7]

    def test_raises_the_error_of_its_task_at_each_request(self):
        def failed():
            raise ZeroDivisionError("in the task")

        shape = Shape.pending(1, failed)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError, match="in the task"):
                shape.extents  # noqa: B018 - a property
        assert shape.ndim == 1
