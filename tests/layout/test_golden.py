"""Recorded results of the algebra, from several implementations, checked by brute force; one test each."""

import json
from math import prod
from pathlib import Path

from accel import layout as library
from accel.errors import LayoutError
from accel.layout import ComposedLayout, Layout, Swizzle, parse_tiler

from ..tables import rows
from . import postconditions as post
from .definitions import leaves, nested, plain, size, swizzled, table

GOLDEN = Path(__file__).parents[1] / "golden" / "layout_algebra.json"
CASES = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
NAMES = {
    "composition_tiler": "composition",
    "coalesce_by_mode": "coalesce",
    "logical_divide_tiler": "logical_divide",
    "slice": "slice_layout",
}
"""The operations that have another name here."""


def argument(text):
    """Read an argument of a case: swizzle, tiler by mode, layout, or nested tuple."""
    if text.startswith("S"):
        return Swizzle.parse(text)
    if text.startswith("<"):
        return parse_tiler(text)
    return Layout.parse(text) if ":" in text else nested(text)


def free(tree):
    """Write the free coordinate as the library does."""
    return library._ if tree is None else tuple(map(free, tree)) if isinstance(tree, tuple) else tree


POSTCONDITIONS = {
    "blocked_product": post.blocked_product,
    "coalesce": post.coalesce,
    "coalesce_by_mode": post.coalesce_by_profile,
    "complement": lambda result, a, target: post.complement(result, a, prod(leaves(target))),
    "composition": post.composition,
    "composition_tiler": post.composition_by_mode,
    "downcast": post.downcast,
    "filter": post.filter_,
    "flat_divide": lambda result, a, b: post.flat_divide(result, library.zipped_divide(a, b)),
    "flat_product": post.regrouped_product,
    "flatten": post.flatten,
    "left_inverse": post.left_inverse,
    "logical_divide": post.logical_divide,
    "logical_divide_tiler": post.logical_divide,
    "logical_product": post.logical_product,
    "make_ordered_layout": post.make_ordered_layout,
    "max_common_layout": post.max_common_layout,
    "nullspace": post.nullspace,
    "raked_product": lambda result, a, b: post.blocked_product(result, a, b, raked=True),
    "recast": post.recast,
    "right_inverse": post.right_inverse,
    "tile_to_shape": post.tile_to_shape,
    "tiled_divide": lambda result, a, b: post.tiled_divide(result, library.zipped_divide(a, b)),
    "tiled_product": post.regrouped_product,
    "upcast": post.upcast,
    "zipped_divide": post.zipped_divide,
    "zipped_product": post.logical_product,
}
"""For the operations whose result is a layout, what it must satisfy given the arguments."""


def cases(*operations):
    result = [case for case in CASES if case["op"] in operations]
    return rows("case", result, ids=lambda case: f"{case['id']}-{case['op']}")


def compute(case):
    return getattr(library, NAMES.get(case["op"], case["op"]))(*map(argument, case["args"]))


def canonical(layout):
    """Return shape and stride without 1-tuples, and without the strides of leaves of extent 1."""
    return bare(layout.shape), bare(zeroed(layout.shape, layout.stride))


def bare(tree):
    if not isinstance(tree, tuple):
        return tree
    branches = tuple(map(bare, tree))
    return branches[0] if len(branches) == 1 else branches


def zeroed(shape, stride):
    if isinstance(shape, tuple):
        return tuple(map(zeroed, shape, stride))
    return 0 if shape == 1 else stride


def is_as_recorded(result, text, case):
    assert size(result) == len(case["table"])
    assert table(result) == case["table"]
    if case["string_canonical"]:
        assert canonical(result) == canonical(plain(text))


@cases(*POSTCONDITIONS)
def test_the_result_is_as_recorded_and_satisfies_the_definition(case):
    try:
        result = compute(case)
    except LayoutError:
        assert case["status"] in {"disputed", "error"}
        return
    POSTCONDITIONS[case["op"]](result, *map(argument, case["args"]))
    if case["status"] == "ok" and "out_of_domain" not in case and case.get("function_canonical", True):
        is_as_recorded(result, case["result"], case)


@cases("metrics")
def test_metrics(case):
    layout = argument(*case["args"])
    assert {name: getattr(library, name)(layout) for name in case["result"]} == case["result"]
    assert {name: getattr(layout, name) for name in case["result"]} == case["result"]


@cases("crd2idx", "max_common_vector")
def test_the_number_is_as_recorded(case):
    assert compute(case) == case["result"]


@cases("idx2crd")
def test_the_coordinate_of_an_index_is_as_recorded(case):
    assert compute(case) == nested(case["result"])


@cases("crd2crd")
def test_the_natural_coordinate_is_as_recorded(case):
    coordinate, shape = map(nested, case["args"])
    assert library.crd2crd(coordinate, shape, shape) == nested(case["result"])


@cases("slice")
def test_the_slice_is_as_recorded(case):
    layout, coordinate = map(argument, case["args"])
    result, offset = library.slice_layout(layout, free(coordinate))
    assert offset == case["result"]["offset"]
    is_as_recorded(result, case["result"]["layout"], case)


@cases("dice")
def test_the_dice_is_as_recorded(case):
    layout, coordinate = map(argument, case["args"])
    is_as_recorded(library.dice(layout, free(coordinate)), case["result"], case)


@cases("swizzle")
def test_the_swizzle_is_as_recorded(case):
    swizzle = argument(*case["args"])
    assert [swizzle(offset) for offset in range(len(case["table"]))] == case["table"]
    assert [
        swizzled(offset, swizzle.bits, swizzle.base, swizzle.shift) for offset in range(len(case["table"]))
    ] == case["table"]


@cases("composed")
def test_the_composed_layout_is_as_recorded(case):
    composed = ComposedLayout(*map(argument, case["args"]))
    assert [composed(i) for i in range(composed.size)] == case["table"]
    assert str(composed) == case["result"]["string"]


@cases("local_tile")
def test_the_tiles_offsets_are_as_recorded(case):
    layout, tile, coordinate = map(argument, case["args"])
    result, offset = library.local_tile(layout, tile, free(coordinate))
    assert [offset + value for value in table(result)] == case["table"]
    assert post.local_tile_values(layout, tile, coordinate) == case["table"]


@cases("local_partition")
def test_the_threads_offsets_are_as_recorded(case):
    layout, threads, index = map(argument, case["args"])
    result, offset = library.local_partition(layout, threads, index)
    assert [offset + value for value in table(result)] == case["table"]
    assert post.local_partition_values(layout, threads, index) == case["table"]


@cases("make_layout_tv")
def test_the_thread_value_layout_is_as_recorded(case):
    threads, values = map(argument, case["args"])
    tile, result = library.make_layout_tv(threads, values)
    assert tile == nested(case["result"]["tiler"])
    is_as_recorded(result, case["result"]["layout"], case)
    post.make_layout_tv(tile, result, threads, values)


def test_no_operation_of_the_vectors_is_forgotten():
    apart = {"metrics", "crd2idx", "max_common_vector", "idx2crd", "crd2crd", "slice", "dice", "swizzle", "composed"}
    apart |= {"local_tile", "local_partition", "make_layout_tv"}
    assert {case["op"] for case in CASES} == apart | set(POSTCONDITIONS)
