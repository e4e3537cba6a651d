"""A domain has the points of NumPy's indices, in the same order."""

import pickle
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.errors import StoreValueError
from accel.store import Domain, PointInRectIterator, Slice, create_store


def domains(ndim):
    extents, lo = st.tuples(*[st.integers(0, 4)] * ndim), st.tuples(*[st.integers(-3, 3)] * ndim)
    return st.builds(Domain.of_extents, extents, lo)


SOME = st.integers(0, 3).flatmap(domains)
PAIRS = st.integers(0, 3).flatmap(lambda ndim: st.tuples(domains(ndim), domains(ndim)))


class TestADomain:
    @given(SOME)
    def test_has_the_points_of_an_array_in_c_order(self, domain):
        expected = [tuple(map(sum, zip(domain.lo, point, strict=True))) for point in np.ndindex(domain.extents)]
        assert [*domain] == [*PointInRectIterator(domain)] == expected
        assert domain.volume == len(expected)
        assert domain.empty == (not expected)
        assert Domain.of_extents(domain.extents, domain.lo) == domain
        assert pickle.loads(pickle.dumps(domain)) == domain

    @given(SOME, st.lists(st.integers(-4, 8), max_size=3).map(tuple))
    def test_contains_its_points_and_no_others(self, domain, point):
        assert (point in domain) == (point in {*domain})
        assert all(each in domain for each in domain)

    @given(PAIRS)
    def test_has_the_common_points_in_its_intersection(self, pair):
        one, other = pair
        assert {*one.intersection(other)} == {*one} & {*other}
        assert one.intersection(other) == other.intersection(one)
        assert one.intersection(one) == one

    def test_may_have_more_points_than_fit_into_memory(self):
        huge = Domain.of_extents((2**60, 2**60))
        assert huge.volume == 2**120
        assert [*islice(huge, 2)] == [(0, 0), (0, 1)]

    def test_without_dimensions_has_one_point(self):
        assert [*Domain((), ())] == [()]

    def test_is_equal_to_one_of_the_same_corners(self):
        assert Domain([0, 0], (1, np.int64(2))) == Domain((0, 0), (1, 2))
        assert len({Domain((0,), (1,)), Domain((0,), (1,)), Domain((0,), (2,))}) == 2

    @pytest.mark.parametrize("wrong", [3, "ab", None, (0.5, 1)])
    def test_does_not_contain_what_is_no_point_of_it(self, wrong):
        assert wrong not in Domain((0, 0), (3, 3))

    def test_has_corners_of_one_number_of_coordinates(self):
        with pytest.raises(StoreValueError, match="one coordinate for each dimension"):
            Domain((0,), (1, 2))
        with pytest.raises(StoreValueError, match="one extent for each coordinate"):
            Domain.of_extents((1, 2), (0,))
        with pytest.raises(StoreValueError, match="different numbers of dimensions"):
            Domain((0,), (1,)).intersection(Domain((), ()))

    def test_has_integer_corners(self):
        with pytest.raises(TypeError, match="integer"):
            Domain((0,), (1.5,))


def test_a_slice_has_open_ends():
    assert Slice() == Slice(Slice.OPEN, Slice.OPEN) == Slice(None, None)
    assert (Slice(2).start, Slice(2).stop, Slice(stop=-1).stop) == (2, None, -1)


@pytest.mark.parametrize("error", [IndexError, ValueError])
def test_what_is_outside_of_a_dimension_is_both_errors(error):
    store = create_store("int8", (5,))
    with pytest.raises(error, match="Projection index 5 is out of bounds"):
        store.project(0, 5)
    with pytest.raises(error, match="Out-of-bounds slicing"):
        store.slice(0, Slice(0, 6))
    with pytest.raises(error, match="Projection index"):
        store[5]
