"""Views of LayoutTensor agree with records of Mojo 25.3; cases with ``differs_here`` follow our own decision."""

import numpy as np
import pytest

import accel
from accel.errors import LayoutError
from accel.layout import Swizzle, offsets

from .layout_tensor_cases import (
    CASES,
    DEVICES,
    IN_PLACE,
    NAMES,
    NEEDS_AXIS,
    NEW,
    assert_is,
    case_of,
    cases,
    iota,
    layout_of,
)


def view(case, tensor):
    """Apply the steps that a case names: ``tile.vectorize`` is a tile, which is then vectorized."""
    steps, params = case["op"].split("."), case["params"]
    for number, step in enumerate(steps):
        tensor = VIEWS[step](tensor, {**params, **again(params)} if number and steps[0] == step else params)
    return tensor


def again(params):
    """Return the parameters of the second of two steps of the same kind."""
    if "then" not in params:
        return {}
    sizes = params["then"]
    return {"tile_sizes": sizes[0], "tile_coords": sizes[1]} if "tile_sizes" in params else {"vector_shape": sizes}


def ranges(params):
    return [slice(*params[name]) for name in ("d0", "d1") if name in params]


VIEWS = {
    "tile": lambda t, p: t.tile(p["tile_sizes"], p["tile_coords"]),
    "vectorize": lambda t, p: t.vectorize(*p["vector_shape"]),
    "slice": lambda t, p: t.slice(*ranges(p)),
    "slice_nd": lambda t, p: t.slice(*ranges(p), indices=p["slice_indices"], offsets=p["offsets"]),
    "slice_1d": lambda t, p: t.slice_1d(*ranges(p), indices=p["slice_indices"], offsets=p["offsets"]),
    "transpose": lambda t, p: t.transpose(),
    "reshape": lambda t, p: t.reshape(layout_of(p["dst_layout"])),
    "composition": lambda t, p: t.composition(layout_of(p["rhs_layout"])),
    "coalesce": lambda t, p: t.coalesce(),
}


@pytest.mark.parametrize("device", DEVICES)
@cases(
    "tile",
    "tile.tile",
    "vectorize",
    "vectorize.tile",
    "tile.vectorize",
    "slice",
    "slice_nd",
    "slice_1d",
    "transpose",
    "transpose.transpose",
    "tile.transpose",
    "transpose.tile",
    "reshape",
    "composition",
    "coalesce",
)
def test_a_view_is_the_recorded_one(case, device):
    assert_is(view(case, iota(layout_of(case["input_layout"]), device)), case)


def test_a_tile_of_one_mode_is_masked_at_the_end():
    case = case_of(58)
    tile = view(case, iota(layout_of(case["input_layout"])))
    assert (tile.to_numpy().tolist(), tile.masked) == ([8.0, 9.0], True)


def test_vectors_of_vectors_are_larger_vectors():
    case = case_of(297)
    tensor = view(case, iota(layout_of(case["input_layout"])))
    assert (str(tensor.layout), str(tensor.element_layout)) == ("(4,4):(16,2)", "(2,2):(8,1)")
    assert tensor[1, 2].tolist() == [20, 21, 28, 29]


@cases("slice_nd", "reshape", "slice.reshape", "tile.reshape", decided=True)
def test_a_view_that_would_be_another_one_is_refused(case):
    with pytest.raises(LayoutError):
        view(case, iota(layout_of(case["input_layout"])))


@cases("tiled_iterator")
def test_an_iterator_goes_through_the_recorded_tiles(case):
    params = case["params"]
    tiles = iota(layout_of(case["input_layout"])).tiled_iterator(params["tile_sizes"], params["start"], params["axis"])
    if "next" in params["advance"]:  # recorded as doing nothing, though documented to advance
        tiles.next()
        assert tiles.get().offset == 3
        return
    for step in case["steps"]:
        assert_is(tiles.get(), step)
        tiles += int(params["advance"].removeprefix("it += "))


@cases("split_static")
def test_parts_are_the_recorded_ones(case):
    parts = iota(layout_of(case["input_layout"])).split(case["params"]["count"], case["params"]["axis"])
    assert len(parts) == len(case["steps"])
    for part, step in zip(parts, case["steps"], strict=True):
        assert_is(part, step)


@cases("split_static", decided=True)
def test_parts_that_are_not_equal_are_refused(case):
    with pytest.raises(LayoutError, match="split_part"):
        iota(layout_of(case["input_layout"])).split(case["params"]["count"], case["params"]["axis"])


@cases("split_dynamic")
def test_a_part_is_the_recorded_one(case):
    params, tensor = case["params"], iota(layout_of(case["input_layout"]))
    for step in case["steps"]:
        assert_is(tensor.split_part(params["count"], step["k"], params["axis"], params["alignment"]), step)


@cases("split_dynamic", decided=True)
def test_parts_have_every_element_once(case):
    params, tensor = case["params"], iota(layout_of(case["input_layout"]))
    count, axis, alignment = params["count"], params["axis"], params["alignment"]
    parts = [tensor.split_part(count, k, axis, alignment).to_numpy() for k in range(count)]
    assert np.array_equal(np.concatenate(parts, axis), tensor.to_numpy())
    length = -(-tensor.shape[axis] // count // alignment) * alignment
    assert all(part.shape[axis] == length for part in parts[: tensor.shape[axis] // length])


def share(case, tensor, thread):
    params = case["params"]
    if "vector_shape" in params:
        tensor = tensor.vectorize(*params["vector_shape"])
    swizzle = Swizzle(*params["swizzle"]) if "swizzle" in params else None
    threads = layout_of(params["threads_layout"])
    return tensor.distribute(threads, thread, params.get("axis"), swizzle, params.get("submode_axis"))


@pytest.mark.parametrize("device", DEVICES)
@cases("distribute", "vectorize.distribute")
def test_a_thread_has_the_recorded_share(case, device):
    tensor = iota(layout_of(case["input_layout"]), device)
    for step in case["steps"]:
        assert_is(share(case, tensor, step["k"]), step)


@pytest.mark.parametrize("number", [190, 191, 192, 194, 197])
def test_threads_along_an_axis_divide_that_mode_alone(number):
    case = case_of(number)
    tensor, grid = iota(layout_of(case["input_layout"])), layout_of(case["params"]["threads_layout"])
    for thread in range(grid.size):
        there = thread // grid.stride[1] % grid.shape[1]
        assert np.array_equal(share(case, tensor, thread).to_numpy(), tensor.to_numpy()[:, there :: grid.shape[1]])


@pytest.mark.parametrize("number", [201, 204])
def test_threads_that_do_not_divide_a_tensor_have_what_is_left(number):
    case = case_of(number)
    tensor, grid = iota(layout_of(case["input_layout"])), layout_of(case["params"]["threads_layout"])
    values = tensor.to_numpy()
    for thread in range(grid.size):
        steps = zip(grid.shape, grid.stride, strict=True)
        expected = values[tuple([slice(thread // stride % extent, None, extent) for extent, stride in steps])]
        found = share(case, tensor, thread)
        assert found.masked
        assert np.array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize("number", [206, 207, 213, 214, 215])
def test_a_submode_of_the_threads_divides_the_mode_of_the_axis(number):
    case = case_of(number)
    axis, sub = case["params"]["axis"], case["params"]["submode_axis"]
    tensor, grid = iota(layout_of(case["input_layout"])), layout_of(case["params"]["threads_layout"])
    part = grid.mode(axis).mode(sub)
    extent, stride = part.leaves[0]
    for thread in range(grid.size):
        key = [slice(None)] * tensor.rank
        key[axis] = slice(thread // stride % extent, None, extent)
        assert np.array_equal(share(case, tensor, thread).to_numpy(), tensor.to_numpy()[tuple(key)])


def test_a_submode_needs_the_axis_it_is_of():
    case = case_of(NEEDS_AXIS)
    with pytest.raises(ValueError, match="write axis too"):
        share(case, iota(layout_of(case["input_layout"])), 0)


@cases("distance", "distance_tensor")
def test_distances_are_the_recorded_ones(case):
    params = case["params"]
    whole = iota(layout_of(case["input_layout"]))
    there = whole
    if "slice" in params:
        there = whole.slice(*[slice(*part) for part in params["slice"]])
    elif "tile" in params:
        there = whole.tile(*params["tile"])
    else:
        there = accel.LayoutTensor(whole.storage, whole.layout, offset=50)
    found = [whole.distance(there), there.distance(whole)]
    assert found == [int(text) for text in case["result"][:2]]
    assert found == [whole.distance(there.ptr), there.distance(whole.ptr)]


def test_no_case_is_forgotten():
    done = {
        *VIEWS,
        *("tile.tile", "vectorize.tile", "tile.vectorize", "vectorize.vectorize", "tile.transpose", "transpose.tile"),
        *("transpose.transpose", "slice.reshape", "tile.reshape", "tiled_iterator", "split_static", "split_dynamic"),
        *("distribute", "vectorize.distribute", "distance", "distance_tensor", "bitcast", "store", "load"),
        *("aligned_load", "getitem_vec", "print", "print_dtype", "copy_from", "copy_from.vectorized", "copy_from.tile"),
        *("copy_from.masked", "fill", "fill.tile", "fill.vectorize", "fill.slice", *NEW, *IN_PLACE),
        *(f"arith_{name}_int" for name in NAMES),
    }
    assert {case["op"] for case in CASES} == done


def test_the_recorded_offsets_are_those_of_the_layouts():
    for case in CASES:
        if (
            "offsets" in case
            and not case["masked"]
            and case["element_layout"] == "(1:1)"
            and "differs_here" not in case
        ):
            found = offsets(layout_of(case["output_layout"])) + case["offset"]
            assert found.tolist() == case["offsets"]
