"""The two accesses that are kept for each cell find the same races as a comparison with all accesses."""

import pytest
from accel.backends.sim.kernels.accesses import Access, Accesses, Kind
from hypothesis import example, given
from hypothesis import strategies as st

STEPS = st.tuples(st.integers(0, 2), st.one_of(st.none(), st.tuples(st.integers(0, 2), st.sampled_from(Kind))))
"""A block, and its barrier (None), or the thread that accesses a cell and how."""


def accesses(steps):
    """The accesses of some steps, after the barriers before them."""
    epochs = [0, 0, 0]
    result = []
    for block, what in steps:
        if what is None:
            epochs[block] += 1
        else:
            result.append(Access(block, what[0], epochs[block], what[1], len(result)))
    return result


def race(one, other):
    """Whether two accesses race, from the definition."""
    ordered = one.block == other.block and (one.epoch != other.epoch or one.thread == other.thread)
    kinds = {one.kind, other.kind}
    return not ordered and kinds not in ({Kind.READ}, {Kind.ATOMIC})


@given(st.lists(STEPS, max_size=30))
def test_the_first_race_is_found(steps):
    events = accesses(steps)
    cells = Accesses()
    for number, access in enumerate(events):
        result = cells.enter(access, 0)
        racing = [other for other in events[:number] if race(other, access)]
        assert (result is not None) is bool(racing)
        if result is not None:
            assert result in racing
            return


@given(
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from([None, 0, 0, 1, 1])), max_size=8),
    st.sampled_from([Kind.READ, Kind.ATOMIC]),
    st.integers(0, 1),
)
@example([(0, 0), (0, 1), (1, 0), (0, None)], Kind.READ, 0)  # only the read of another block races
def test_a_write_races_with_any_of_many_accesses_that_do_not_race(steps, kind, block):
    result = accesses(
        [(at, None if thread is None else (thread, kind)) for at, thread in steps] + [(block, (0, Kind.WRITE))]
    )
    cells = Accesses()
    assert all(cells.enter(access, 0) is None for access in result[:-1])
    assert (cells.enter(result[-1], 0) is not None) is any(race(other, result[-1]) for other in result[:-1])


@pytest.mark.parametrize(("granule", "sizes"), [(1, [1, 2, 4]), (2, [2, 4, 6]), (4, [4, 8])])
@given(data=st.data())
def test_elements_race_if_they_share_a_byte(granule, sizes, data):
    elements = st.tuples(st.integers(0, 8).map(lambda place: place * granule), st.sampled_from(sizes))
    cells = Accesses(granule)
    (first, size), (second, other_size) = data.draw(elements), data.draw(elements)
    cells.enter(Access(0, 0, 0, Kind.WRITE, 0), first, size)
    result = cells.enter(Access(1, 0, 0, Kind.READ, 1), second, other_size)
    assert (result is not None) is (first < second + other_size and second < first + size)
