"""The layout algebra and swizzles give the tables recorded from Mojo 25.3."""

import json

import numpy as np
import pytest

from accel import layout as algebra
from accel.errors import LayoutError
from accel.layout import Layout, Swizzle, offsets

from ..tables import rows
from .layout_tensor_cases import GOLDEN, layout_of

CASES = [case for case in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"] if case["input_layout"] is None]
WIDENED = 655
"""Cases in which an upcast would address cells outside the layout; here this is an error."""

COMPUTED = {
    "L.coalesce": lambda p: algebra.coalesce(layout_of(p["layout"])),
    "L.coalesce_keep_rank": lambda p: by_mode(layout_of(p["layout"])),
    "L.stats": lambda p: layout_of(p["layout"]),
    "L.composition": lambda p: algebra.composition(layout_of(p["a"]), layout_of(p["b"])),
    "L.complement": lambda p: algebra.complement(layout_of(p["layout"]), p["size"]),
    "L.logical_divide": lambda p: algebra.logical_divide(layout_of(p["layout"]), layout_of(p["tiler"])),
    "L.zipped_divide": lambda p: algebra.zipped_divide(layout_of(p["layout"]), layout_of(p["tiler"])),
    "L.logical_divide_tiler": lambda p: algebra.logical_divide(layout_of(p["layout"]), tilers(p)),
    "L.zipped_divide_tiler": lambda p: algebra.zipped_divide(layout_of(p["layout"]), tilers(p)),
    "L.logical_product": lambda p: algebra.logical_product(layout_of(p["block"]), layout_of(p["tiler"])),
    "L.blocked_product": lambda p: algebra.blocked_product(layout_of(p["a"]), layout_of(p["b"])),
    "L.tile_to_shape": lambda p: algebra.tile_to_shape(layout_of(p["tile"]), tuple(p["target_shape"])),
    "L.right_inverse": lambda p: algebra.right_inverse(layout_of(p["layout"])),
    "L.upcast": lambda p: algebra.upcast(layout_of(p["layout"]), p["factor"]),
    "L.row_major": lambda p: algebra.row_major(*p["shape"]),
    "L.col_major": lambda p: algebra.col_major(*p["shape"]),
    "L.default": lambda p: Layout(tuple(p["shape"]) if isinstance(p["shape"], list) else p["shape"]),
    "L.make_ordered_layout": lambda p: algebra.make_ordered_layout(tuple(p["shape"]), tuple(p["order"])),
}


def tilers(params):
    return tuple(map(layout_of, params["tilers"]))


def by_mode(layout):
    return algebra.coalesce(layout, (1,) * layout.rank) if isinstance(layout.shape, tuple) else layout


def cases(*operations):
    found = [case for case in CASES if case["op"] in operations and "differs_here" not in case]
    found = [case for case in found if case["id"] != WIDENED]
    return rows("case", found, ids=lambda case: f"{case['id']}-{case['op']}")


@cases(*COMPUTED)
def test_a_layout_has_the_recorded_table(case):
    found = COMPUTED[case["op"]](case["params"])
    assert offsets(found).tolist() == case["values"]
    assert found.size == case["size"]


@cases("swizzle")
def test_a_swizzle_has_the_recorded_table(case):
    params = case["params"]
    swizzle = Swizzle(params["bits"], params["base"], params["shift"])
    assert swizzle(np.arange(params["n"])).tolist() == case["values"]


@cases("crd2idx")
def test_coordinates_by_rows_have_the_recorded_offsets(case):
    layout = layout_of(case["params"]["layout"])
    assert [layout(*where) for where in np.ndindex(*layout.shape)] == case["values"]


@pytest.mark.parametrize("text", ["(16:1)", "((4,4):(4,1))"])
def test_the_strides_of_a_tiler_count(text):
    """Mojo ignores them."""
    layout = layout_of(text)
    divided = algebra.zipped_divide(layout, Layout(4, 4))
    assert offsets(divided).tolist() == offsets(layout @ Layout((4, 4), (4, 1))).tolist()


@pytest.mark.parametrize(("text", "factor"), [("((4,8):(8,1))", 4), ("(32:1)", 4)])
def test_downcast_keeps_the_bits_that_are_addressed(text, factor):
    """Mojo scales the strides and leaves gaps."""
    layout = layout_of(text)
    cells = (offsets(layout)[:, None] * factor + np.arange(factor)).reshape(-1)
    assert sorted(offsets(algebra.downcast(layout, factor))) == sorted(cells)


def test_upcast_keeps_the_bits_that_are_addressed_or_refuses():
    """Mojo divides the strides, and the wider elements cover cells outside the layout."""
    with pytest.raises(LayoutError, match="as wide"):
        COMPUTED["L.upcast"](next(case for case in CASES if case["id"] == WIDENED)["params"])


def test_an_integer_is_a_place_in_the_shape_and_no_place_in_memory():
    """Mojo divides an offset in memory by the strides."""
    layout = Layout((2, 4), (4, 8))
    assert [algebra.idx2crd(i, layout.shape) for i in range(3)] == [(0, 0), (1, 0), (0, 1)]


def test_no_case_is_forgotten():
    decided = {"L.downcast", "idx2crd", "L.make_shape_unknown"}
    assert {case["op"] for case in CASES} == {*COMPUTED, *decided, "swizzle", "crd2idx"}
