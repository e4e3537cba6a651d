"""The kernels of copies and fills against NumPy, on the host-simulated GPU."""

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accel.abc import CacheEviction, Fill, Leaf, Plan, Swizzling
from accel.errors import CapabilityError

from .cases import every_kernel, matrix
from .copying import DTYPES, Case, End, check_copy, check_fill
from .strategies import WIDTHS, aligned, copies, few_blocks, fills, gathers, seeds, tables

# Cases are few and large, so shrinking one takes longer than finding it.
THOROUGH = settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
every_width = pytest.mark.parametrize("width", WIDTHS)
both_indices = pytest.mark.parametrize("bits", [32, 64])


@THOROUGH
@given(copies())
def test_a_copy_is_that_of_every_item_and_touches_nothing_else(case):
    check_copy(case)


@THOROUGH
@given(gathers())
def test_masks_and_swizzles_act_on_every_item_by_itself(case):
    check_copy(case)


@THOROUGH
@given(tables())
def test_a_table_says_where_items_are(case):
    assert check_copy(case).kernel == "copy_table"


@THOROUGH
@given(fills(), few_blocks, seeds)
def test_a_fill_sets_these_elements_and_no_others(case, blocks, seed):
    plan, end = case
    if end.table is not None:
        plan = plan._replace(leaves=(Leaf(end.table.size, 0, 0),))
    value = np.frombuffer(np.random.default_rng(seed).bytes(plan.itemsize), DTYPES[plan.itemsize])[0]
    check_fill(plan, end, value, blocks=blocks, seed=seed)


@every_width
@both_indices
def test_every_width_is_read_and_written_in_one_piece(width, bits):
    found = [check_copy(case) for case in every_kernel(width, bits)]
    assert {launch.defines[0] for launch in found} == {f"-DACCEL_ITEM={width}"}
    kernels = ["copy_items", "copy_items", "gather_items", "copy_table", "transpose_items"]
    assert [launch.kernel for launch in found] == [*kernels, *["transpose_packed"] * (width < 4)]


SIDES = (8, 31, 33, 64, 127, 129, 130, 131)


@pytest.mark.parametrize("width", [1, 2])
@both_indices
def test_small_items_are_turned_in_words_with_ragged_edges(width, bits):
    for seed, (rows, columns) in enumerate(product(SIDES, SIDES)):
        case = Case(matrix(width, rows, columns, bits, multiple=4), blocks=2, seed=seed)
        assert check_copy(case).kernel == "transpose_packed"


@pytest.mark.parametrize("phases", [(0, 1), (1, 0), (2, 2), (0, 2), (4, 8)])
@pytest.mark.parametrize("width", [1, 2])
def test_words_are_not_used_where_they_are_not_aligned(width, phases):
    ends = [End(phase=phase) for phase in phases]
    plan = aligned(matrix(width, 33, 40, multiple=4), *ends)
    words = check_copy(Case(plan, *ends)).kernel == "transpose_packed"
    assert words == (phases == (4, 8))


@pytest.mark.parametrize(("rows", "columns"), [(3, 700), (700, 3), (7, 7), (2, 1)])
def test_narrow_planes_are_not_tiled(rows, columns):
    assert check_copy(Case(matrix(4, rows, columns))).kernel == "copy_items"


@pytest.mark.parametrize("vector", [1, 2, 4, 8])
def test_items_that_are_not_aligned_are_moved_in_pieces(vector):
    for plan in (matrix(16, 33, 34), matrix(16, 33, 34)._replace(kind="gather", tile=None, bound=999)):
        ends = End(phase=vector), End(phase=16 - vector)
        launch = check_copy(Case(plan._replace(vector=vector), *ends))
        assert launch.defines[0] == f"-DACCEL_ITEM={vector}"


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_the_bound_is_exclusive(extra):
    plan = Plan((Leaf(40, 4, 4),), 4, "gather", vector=4, bound=80 + extra, fill=Fill.ZERO)
    check_copy(Case(plan))


@pytest.mark.parametrize("blocks", [1, 5])
def test_more_is_done_than_there_are_threads(blocks):
    check_copy(Case(Plan((Leaf(20_000, 1, 1),), 1, "memcpy"), blocks=blocks, seed=3))
    check_copy(Case(matrix(4, 130, 131), blocks=blocks, seed=4))


@pytest.mark.parametrize("rank", [8, 9, 16, 64])
def test_there_may_be_as_many_loops_as_numpy_has_dimensions(rank):
    extents = [2] * 8 + [1] * (rank - 8)
    leaves = [Leaf(extent, 3 << (2 * i % 16), 5 << i % 9) for i, extent in enumerate(extents)]
    room = check_copy(Case(Plan(tuple(leaves), 1))).defines[2]
    assert room == ("-DACCEL_LOOPS=8" if rank == 8 else "-DACCEL_LOOPS=64")


def test_more_loops_are_refused():
    with pytest.raises(CapabilityError, match="at most 64 loops; found 65; copy it in parts"):
        check_copy(Case(Plan((Leaf(1, 1, 1),) * 65, 1)))


@pytest.mark.parametrize("eviction", CacheEviction)
def test_a_hint_changes_nothing_but_the_module(eviction):
    plan = matrix(4, 33, 40)._replace(eviction=eviction)
    found = [define for define in check_copy(Case(plan)).defines if "EVICTION" in define]
    assert found == ([] if eviction is CacheEviction.NORMAL else [f"-DACCEL_EVICTION={eviction.value}"])


@given(st.integers(1, 1 << 40), st.sampled_from([(1, 0, 0), (0, 1, 1)]))
@settings(max_examples=20, deadline=None, database=None)
def test_the_stride_of_a_loop_without_steps_may_be_of_any_size(stride, which):
    leaf = Leaf(1, stride * which[1], stride * which[2])
    check_copy(Case(Plan((leaf, Leaf(9, 1, 1)), 1, index_bits=32)))


@pytest.mark.parametrize("size", [1, 2])
def test_a_table_leads_a_fill_to_a_single_place_too(size):
    plan, table = Plan((Leaf(size, 0, 0),), 4), np.arange(5, 5 + size)
    check_fill(plan, End(table=table), np.uint32(7))


def test_a_swizzle_acts_on_the_whole_distance():
    swizzle = Swizzling(mask=0b110000, shift=2, offset=16)
    ends = End(swizzle), End(swizzle._replace(offset=0))
    plan = aligned(Plan((Leaf(16, 16, 4),), 4, target_start=8, source_start=4), *ends)
    assert check_copy(Case(plan, *ends)).kernel == "gather_items"
