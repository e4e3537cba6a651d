"""The kernels of copies and fills against NumPy, on the host-simulated GPU."""

from itertools import product

import numpy as np
import pytest
from accel.backends.cupy import launches
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accel.abc import CacheEviction, Fill, Leaf, Plan, Swizzling
from accel.errors import CapabilityError

from ..profiles import slow
from .cases import every_kernel, macro, matrix, rows
from .comparison import DTYPES, Case, End, check_copy, check_fill, conflicts
from .on_processor import ALL
from .shapes import permuted
from .strategies import WIDTHS, aligned, copies, few_blocks, fills, gathers, seeds, tables

# Cases are few and large, so shrinking one takes longer than finding it.
THOROUGH = settings(max_examples=300, database=None, suppress_health_check=list(HealthCheck))
every_width = pytest.mark.parametrize("width", WIDTHS)
both_indices = pytest.mark.parametrize("bits", [32, 64])


@pytest.mark.slow
@THOROUGH
@given(copies())
def test_a_copy_is_that_of_every_item_and_touches_nothing_else(case):
    check_copy(case)


@pytest.mark.slow
@THOROUGH
@given(gathers())
def test_masks_and_swizzles_act_on_every_item_by_itself(case):
    check_copy(case)


@pytest.mark.slow
@THOROUGH
@given(tables())
def test_a_table_says_where_items_are(case):
    assert check_copy(case).kernel == "copy_table"


@pytest.mark.slow
@THOROUGH
@given(fills(), few_blocks, seeds)
def test_a_fill_sets_these_elements_and_no_others(case, blocks, seed):
    plan, end = case
    if end.table is not None:
        plan = plan._replace(leaves=(Leaf(end.table.size, 0, 0),))
    value = np.frombuffer(np.random.default_rng(seed).bytes(plan.itemsize), DTYPES[plan.itemsize])[0]
    check_fill(plan, end, value, blocks=blocks, seed=seed)


@pytest.mark.slow
@every_width
@both_indices
def test_every_width_is_read_and_written_in_one_piece(width, bits):
    copies = [check_copy(case._replace(seed=seed), checks=ALL) for seed, case in enumerate(every_kernel(width, bits))]
    assert {macro(launch, "ITEM") for launch in copies} == {str(width)}
    kernels = ["copy_items", "copy_items", "gather_items", "copy_table", "copy_boxes", "transpose_tiles"]
    assert [launch.kernel for launch in copies] == [
        *kernels,
        *["transpose_tiles", "copy_rows"] * (width < 16),
    ]


SIDES = (64, 65, 66, 68, 72, 127, 128, 130)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@both_indices
def test_tiles_have_ragged_edges_and_the_widest_words_that_are_aligned(width, bits):
    for seed, (high, wide) in enumerate(product(SIDES, SIDES)):
        if seed % 5 != width % 5:  # a part of all pairs for each width
            continue
        launch = check_copy(Case(matrix(width, high, wide, bits), blocks=2, seed=seed))
        common = np.gcd.reduce([16 if width > 2 else 8, high * width, wide * width])
        word = max(width, common if (width, common) != (1, 2) else 1)
        assert (launch.kernel, macro(launch, "WORD")) == ("transpose_tiles", str(word))


@pytest.mark.parametrize("phases", [(0, 1), (1, 0), (2, 2), (0, 2), (4, 8), (8, 8)])
@pytest.mark.parametrize("width", [1, 2])
def test_words_are_not_wider_than_their_alignment(width, phases):
    ends = [End(phase=phase) for phase in phases]
    plan = aligned(matrix(width, 72, 80, multiple=8), *ends)
    launch = check_copy(Case(plan, *ends))
    common = np.gcd.reduce([8, *phases])
    if common < width:
        assert launch.kernel == "copy_boxes"
    else:
        assert (launch.kernel, macro(launch, "WORD")) == ("transpose_tiles", str(common if common > 2 else width))


# Shapes, the permutation of their axes, and bytes of an item.
NARROW = [
    ((700, 3), (1, 0), 4),
    ((701, 3), (1, 0), 1),
    ((3, 9001), (1, 0), 1),
    ((1500, 31), (1, 0), 2),
    ((3000, 2), (1, 0), 4),
    ((30, 12, 20), (0, 2, 1), 4),
    ((30, 12, 20), (0, 2, 1), 8),
    ((2, 50, 60, 3), (0, 3, 1, 2), 1),
    ((2, 3, 50, 61), (0, 2, 3, 1), 1),
    ((2, 3, 50, 60), (0, 2, 3, 1), 2),
    ((40, 50, 3), (1, 0, 2), 4),
    ((40, 50, 3), (1, 0, 2), 1),
    ((20, 20, 20), (2, 1, 0), 4),
    ((9, 10, 11, 12), (3, 2, 1, 0), 2),
    ((17, 9000), (1, 0), 1),
    ((3, 3, 3, 3, 3, 3), (5, 4, 3, 2, 1, 0), 16),
]


@pytest.mark.parametrize(("shape", "order", "width"), [*NARROW[::3], *slow(NARROW[1::3]), *slow(NARROW[2::3])])
def test_narrow_shapes_are_copied_by_boxes_of_long_runs_with_few_conflicts_of_banks(shape, order, width):
    case = Case(permuted(shape, order, width))
    for seed, checks in enumerate((ALL, "")):
        assert check_copy(case._replace(blocks=2, seed=seed), checks=checks).kernel == "copy_boxes"
    assert conflicts(case) < (3.3 if width == 8 else 2.7)


@pytest.mark.parametrize("multiple", [1, 2, 4, 8])
@every_width
def test_tiles_have_no_conflicts_of_banks(width, multiple):
    case = Case(matrix(width, 130 // multiple * multiple, 96, multiple=multiple))
    assert conflicts(case) == 1


def test_conflicts_of_banks_are_counted():
    case, text = Case(matrix(4, 64, 64)), launches.module_source()
    assert conflicts(case, text.replace("return column ^", "return column + 0 *")) == 8


def test_a_copy_in_the_same_order_has_no_use_for_boxes():
    padded = Plan((Leaf(90, 12, 16), Leaf(3, 4, 4)), 4, "rows", vector=4, index_bits=32)
    assert check_copy(Case(padded)).kernel == "copy_items"


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("phases", [(0, 0), (8, 0), (0, 8), (1, 2), (12, 5), (3, 3)])
def test_long_rows_may_start_anywhere(width, phases):
    starts = tuple(phase * width % 16 for phase in phases)
    ends = [End(phase=phase) for phase in starts]
    for length, blocks in ((512, 1), (1600, 2), (4144, 1)):
        plan = rows(width, length=length, phases=starts)
        assert check_copy(Case(plan, *ends, blocks, seed=length)).kernel == "copy_rows"


@pytest.mark.parametrize("vector", [1, 2, 4, 8])
def test_items_that_are_not_aligned_are_moved_in_pieces(vector):
    for plan in (matrix(16, 33, 34), matrix(16, 33, 34)._replace(kind="gather", tile=None, bound=999)):
        ends = End(phase=vector), End(phase=16 - vector)
        launch = check_copy(Case(plan._replace(vector=vector), *ends))
        assert macro(launch, "ITEM") == str(vector)


@pytest.mark.parametrize("extent", [40, 512])
def test_a_start_may_be_aligned_only_together_with_its_address(extent):
    plan = Plan((Leaf(extent, 1, 1),), 1, "memcpy", target_start=1, vector=2, index_bits=32)
    check_copy(Case(plan, End(phase=1)))


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
    assert macro(check_copy(Case(Plan(tuple(leaves), 1))), "LOOPS") == ("8" if rank == 8 else "64")


def test_more_loops_are_refused():
    with pytest.raises(CapabilityError, match="at most 64 loops; found 65; copy it in parts"):
        check_copy(Case(Plan((Leaf(1, 1, 1),) * 65, 1)))


@pytest.mark.parametrize("eviction", CacheEviction)
def test_a_hint_changes_nothing_but_the_module(eviction):
    plan = matrix(4, 33, 40)._replace(eviction=eviction)
    hints = [define for define in check_copy(Case(plan)).defines if "EVICTION" in define]
    assert hints == ([] if eviction is CacheEviction.NORMAL else [f"-DACCEL_EVICTION={eviction.value}"])


@given(st.integers(1, 1 << 40), st.sampled_from([(1, 0, 0), (0, 1, 1)]))
@settings(max_examples=20, database=None)
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
