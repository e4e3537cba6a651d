"""`load` and `store` of all views take the same arguments: coordinates, values, width and alignment."""

import numpy as np
import pytest

import accel
from accel.errors import BoundsError, LayoutError
from accel.layout import Layout, row_major
from accel.views import Buffer, BufferView, LayoutTensor, NDBuffer

from .layout_tensors import tensor

SHAPES = {1: (24,), 2: (4, 6), 3: (2, 3, 4), 0: ()}


def views(rank, size=24):
    """Yield a view of each kind with this many axes, each on its own memory."""
    shape = SHAPES[rank]
    for make in (
        lambda c: LayoutTensor(c, row_major(*shape) if shape else Layout((), ())),
        lambda c: NDBuffer(c, shape),
        *([Buffer, BufferView] if rank == 1 else []),
    ):
        yield make(accel.container(np.arange(float(size))))


@pytest.mark.parametrize("rank", SHAPES)
def test_coordinates_come_together_or_apart_in_all_views(rank):
    for view in views(rank):
        where = tuple([extent - 1 for extent in view.shape])
        for coordinates in (where, (where,), (list(where),), tuple(map(np.int8, where))):
            assert view.load(*coordinates) == view.to_numpy()[where]
            view.store(*coordinates, -5)
            assert view.to_numpy()[where] == -5
            view.store(*coordinates, values=-6)
            assert view.to_numpy()[where] == -6
            view.prefetch(*coordinates)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_width_comes_by_name_or_after_the_coordinates(rank):
    for view in views(rank):
        zero = (0,) * rank
        for loaded in (view.load(*zero, width=3), view.load(*zero, 3), view.load(zero, 3), view.load(zero, width=3)):
            assert loaded.tolist() == [0, 1, 2]
        view.store(*zero, 7, width=3)
        view.store((0,) * (rank - 1) + (3,), [8, 9], width=2)
        assert view.to_numpy().reshape(-1)[:6].tolist() == [7, 7, 7, 8, 9, 5]
        with pytest.raises(ValueError, match="a vector of width 3 takes 3 values, or one for all; found 2"):
            view.store(*zero, [1, 2], width=3)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_an_alignment_is_asked_for_in_all_views(rank):
    for view in views(rank):
        zero, one = (0,) * rank, (0,) * (rank - 1) + (1,)
        assert view.load(*zero, width=2, alignment=64).tolist() == view.load(zero, 2, 64).tolist() == [0, 1]
        view.store(*zero, [5, 6], alignment=16)
        view.store(zero, [5, 6], 16)
        for access in (
            lambda v=view, i=one: v.load(i, alignment=16),
            lambda v=view, i=one: v.store(i, 1, alignment=16),
        ):
            with pytest.raises(LayoutError, match=r"no multiple of 16 bytes; write load or store without alignment="):
                access()
        with pytest.raises(ValueError, match="power of two in bytes; found 3"):
            view.load(zero, alignment=3)
        assert view.to_numpy().reshape(-1)[:3].tolist() == [5, 6, 2]


WRONG = (
    lambda view, zero: view.load(*zero[1:]),
    lambda view, zero: view.load((*zero, 0)),
    lambda view, zero: view.load(*zero, 1, 8, 0),
    lambda view, zero: view.store(*zero[1:], 9),
    lambda view, zero: view.store(*zero, 9, 8, 0),
    lambda view, zero: view.store((*zero, 0), 9),
    lambda view, zero: view.prefetch(*zero, 0),
)
TWICE = (lambda view, zero: view.load(*zero, 2, width=2), lambda view, zero: view.store(*zero, 9, values=9))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_too_few_or_too_many_coordinates_are_an_error(rank):
    for view in views(rank):
        for access in WRONG:
            with pytest.raises(BoundsError, match=f"{rank} coordinates are needed, one for each axis"):
                access(view, (0,) * rank)
        for access in TWICE:
            with pytest.raises(TypeError, match="is given twice"):
                access(view, (0,) * rank)
        assert view.to_numpy().reshape(-1).tolist() == list(range(24))


def test_the_first_coordinate_of_a_nested_mode_may_be_a_tuple():
    t = tensor("((2,3),2):((6,1),3)")
    assert (t.load((1, 2), 1), t.load(5, 1), t.load(((1, 2), 1)), t.load((0, 0), 0, width=2).tolist()) == (
        *(t[(1, 2), 1],) * 3,
        [0, 1],
    )
    t.store((1, 2), 1, -1)
    assert t[(1, 2), 1] == -1
    assert tensor("((2,2)):((2,1))").load((1, 1)) == 3


def test_aligned_access_of_any_rank_goes_by_the_width():
    t = tensor(row_major(2, 2, 4), dtype="float64")
    assert t.aligned_load(1, 0, 2, width=2).tolist() == [10, 11]
    t.aligned_store((1, 1, 0), 3, width=4)
    assert t[1, 1, :].to_numpy().tolist() == [3] * 4
    with pytest.raises(LayoutError, match="no multiple of 16 bytes"):
        t.aligned_load(0, 0, 1, width=2)


def test_non_temporal_stores_are_told_the_same():
    with Buffer.aligned_stack_allocation(64, 8, "float64") as whole:
        whole.zero()
        for view in (whole, NDBuffer(whole, (2, 4)), BufferView(whole)):
            zero = (0,) * view.rank
            view.simd_nt_store(*zero, [1, 2])
            view.simd_nt_store(zero, values=[1, 2])
            assert view.load(*zero, width=2).tolist() == [1, 2]
            with pytest.raises(BoundsError, match="one for each axis, then values"):
                view.simd_nt_store()
