"""Every public function that copies, with hostile layouts at both ends, compared with NumPy.

The whole memory is compared, so a stray write is detected.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import xp
from accel.abc import Fill
from accel.errors import OverlapError
from accel.layout import Layout, Swizzle, offsets
from accel.testing import arrangements, no_races
from accel.views import NDBuffer

QUICK = settings(max_examples=40, deadline=None, database=None)
DEVICES = ("cpu", "sim")
on_devices = pytest.mark.parametrize("device", DEVICES)
between = pytest.mark.parametrize(("to", "of"), [(to, of) for to in DEVICES for of in DEVICES])
dtypes = st.sampled_from(["uint8", "int16", "float32", "bfloat16", "complex128"])
shapes = st.lists(st.integers(0, 6), min_size=1, max_size=4).map(tuple)
fills = st.sampled_from(Fill)
OTHERS = ("int16", "complex64", "bfloat16")


def stored(array, device):
    """Return a container with all the memory that an array is a part of."""
    return accel.container(array.base, device=device)


def buffer(container, lies):
    return NDBuffer(container, lies.extents, lies.strides, offset=lies.start)


def tensor(container, lies):
    return container.view(Layout(lies.extents, lies.strides), lies.start)


def later(target, source, **how):
    with accel.new_stream(source.device) as stream:
        target.copy_from_async(source, stream=stream, **how).wait()


def set_all(view, values):
    view[(slice(None),) * view.rank] = values


def array_on(device, container, lies):
    return xp.asarray(tensor(container, lies)).to_device(device)


def on_host(x):
    return np.asarray(x.to_device("cpu"))


READS = {
    "buffer": lambda c, lies: buffer(c, lies).to_numpy(),
    "tensor": lambda c, lies: tensor(c, lies).to_numpy(),
    "copy of a tensor": lambda c, lies: tensor(c, lies).copy().to_numpy(),
    "DLPack of a buffer": lambda c, lies: on_host(xp.from_dlpack(buffer(c, lies))),
    "DLPack of a tensor": lambda c, lies: on_host(xp.from_dlpack(tensor(c, lies))),
    "DLPack of an array": lambda c, lies: on_host(xp.from_dlpack(xp.asarray(tensor(c, lies)))),
    "array": lambda c, lies: on_host(xp.asarray(buffer(c, lies))),
    "copy of an array": lambda c, lies: on_host(xp.asarray(tensor(c, lies), copy=True)),
    "reshaped array": lambda c, lies: on_host(xp.reshape(xp.asarray(tensor(c, lies)), (lies.size,))),
    "reshaped copy": lambda c, lies: on_host(xp.reshape(xp.asarray(buffer(c, lies)), (lies.size,), copy=True)),
    "array of another device": lambda c, lies: on_host(xp.asarray(tensor(c, lies)).to_device("sim:1")),
    "container of an array": lambda c, lies: (
        xp.reshape(xp.asarray(buffer(c, lies)), (-1,), copy=True).container().to_numpy()
    ),
}
WRITES = {
    "buffer": lambda c, lies, d, other: buffer(c, lies).copy_from(buffer(d, other)),
    "tensor": lambda c, lies, d, other: tensor(c, lies).copy_from(tensor(d, other)),
    "tensor, later": lambda c, lies, d, other: later(tensor(c, lies), tensor(d, other)),
    "part": lambda c, lies, d, other: set_all(tensor(c, lies), tensor(d, other)),
    "array": lambda c, lies, d, other: xp.asarray(tensor(c, lies)).__setitem__(..., array_on(c.device, d, other)),
}
WRITES_OF_ARRAYS = {
    "buffer": lambda c, lies, values: buffer(c, lies).from_numpy(values),
    "tensor": lambda c, lies, values: set_all(tensor(c, lies), values),
    "array": lambda c, lies, values: xp.asarray(tensor(c, lies)).__setitem__(..., xp.asarray(values, device=c.device)),
}
FILLS = {
    "buffer": lambda c, lies: buffer(c, lies).fill(3),
    "tensor": lambda c, lies: tensor(c, lies).fill(3),
    "part": lambda c, lies: set_all(tensor(c, lies), 3),
}


@st.composite
def ends(draw):
    """Draw the layouts of both ends of a copy, the target first."""
    shape = draw(shapes)
    return draw(arrangements(extents=shape, distinct=True)), draw(arrangements(extents=shape))


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@on_devices
@QUICK
@given(lies=shapes.flatmap(lambda shape: arrangements(extents=shape)), dtype=dtypes)
def test_reading_gives_what_numpy_sees(device, read, lies, dtype):
    expected = lies.array(dtype)
    container = stored(expected, device)
    with no_races():
        result = read(container, lies)
    assert result.reshape(lies.extents).tobytes() == expected.tobytes()
    assert container.to_numpy().tobytes() == expected.base.tobytes()


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@between
@QUICK
@given(ends=ends(), dtype=dtypes)
def test_copies_write_what_numpy_does_and_nothing_else(to, of, write, ends, dtype):
    into, out_of = ends[0].array(dtype), ends[1].array(dtype, seed=1)
    target, source = stored(into, to), stored(out_of, of)
    with no_races():
        write(target, ends[0], source, ends[1])
    into[...] = out_of
    assert target.to_numpy().tobytes() == into.base.tobytes()
    assert source.to_numpy().tobytes() == out_of.base.tobytes()


@pytest.mark.parametrize("write", WRITES_OF_ARRAYS.values(), ids=WRITES_OF_ARRAYS)
@on_devices
@QUICK
@given(ends=ends(), dtype=dtypes, odd=st.booleans())
def test_arrays_may_lie_anywhere(device, write, ends, dtype, odd):
    into, values = ends[0].array(dtype), ends[1].array(dtype, seed=1)
    target = stored(into, device)
    if odd:
        values = unaligned(values)
    write(target, ends[0], values)
    into[...] = values
    assert target.to_numpy().tobytes() == into.base.tobytes()


def unaligned(values):
    """Return the values as a field of a packed structure, read-only."""
    packed = np.zeros(values.shape, [("odd", "u1"), ("values", values.dtype)])
    packed["values"] = values
    packed.flags.writeable = False
    return packed["values"]


@on_devices
@QUICK
@given(lies=arrangements(), dtype=dtypes, odd=st.booleans())
def test_a_container_takes_an_array_in_c_order(device, lies, dtype, odd):
    values = unaligned(lies.array(dtype)) if odd else lies.array(dtype)
    result = accel.empty(lies.size, dtype, device)
    result.from_numpy(values)
    assert (
        result.to_numpy().tobytes() == accel.container(values, device=device).to_numpy().tobytes() == values.tobytes()
    )


@pytest.mark.parametrize("fill", FILLS.values(), ids=FILLS)
@on_devices
@QUICK
@given(lies=shapes.flatmap(lambda shape: arrangements(extents=shape)), dtype=dtypes)
def test_what_names_an_element_twice_is_not_written(device, fill, lies, dtype):
    array = lies.array(dtype)
    target = stored(array, device)
    named = lies.within(np.arange(lies.room))
    if np.unique(named).size < named.size:
        with pytest.raises(OverlapError, match="twice"):
            fill(target, lies)
    else:
        fill(target, lies)
        array[...] = 3
    assert target.to_numpy().tobytes() == array.base.tobytes()


@st.composite
def ends_in_one_room(draw):
    """Draw two ends in one memory, and how many elements hold either."""
    into, out_of = draw(ends())
    return into, out_of, max(into.room, out_of.room)


def numbers(size, dtype):
    return (np.arange(size) % 100).astype(accel.dtypes.as_dtype(dtype))


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@on_devices
@QUICK
@given(drawn=ends_in_one_room(), dtype=dtypes)
def test_ends_may_overlap(device, write, drawn, dtype):
    into, out_of, room = drawn
    expected = numbers(room, dtype)
    container = accel.container(expected, device=device)
    with no_races():
        write(container, into, container, out_of)
    into.within(expected)[...] = out_of.within(expected).copy()
    assert container.to_numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@QUICK
@given(drawn=ends_in_one_room(), dtype=dtypes, shift=st.integers(0, 3))
def test_ends_may_overlap_in_memory_that_two_containers_look_at(write, drawn, dtype, shift):
    into, out_of, room = drawn
    memory, expected = numbers(room + shift, dtype), numbers(room + shift, dtype)
    write(accel.from_numpy(memory), into, accel.from_numpy(memory[shift:]), out_of)
    into.within(expected)[...] = out_of.within(expected[shift:]).copy()
    assert memory.tobytes() == expected.tobytes()


@pytest.mark.parametrize("write", WRITES_OF_ARRAYS.values(), ids=WRITES_OF_ARRAYS)
@QUICK
@given(drawn=ends_in_one_room(), dtype=dtypes)
def test_an_array_may_lie_where_it_is_written(write, drawn, dtype):
    into, out_of, room = drawn
    memory, expected = numbers(room, dtype), numbers(room, dtype)
    write(accel.from_numpy(memory), into, out_of.within(memory))
    into.within(expected)[...] = out_of.within(expected).copy()
    assert memory.tobytes() == expected.tobytes()


@between
@QUICK
@given(ends=ends(), dtype=st.sampled_from(["uint8", "float32"]), other=st.sampled_from(OTHERS))
def test_casts_are_those_of_numpy(to, of, ends, dtype, other):
    into, out_of = ends[0].array(dtype), ends[1].array(other, seed=1)
    target, source = stored(into, to), stored(out_of, of)
    tensor(target, ends[0]).copy_from(tensor(source, ends[1]), cast=True)
    into[...] = (out_of.real if other == "complex64" else out_of).astype(dtype)
    assert target.to_numpy().tobytes() == into.base.tobytes()


swizzles = st.none() | st.builds(Swizzle, st.integers(0, 2), st.integers(0, 2), st.sampled_from([2, 3, -2, -3]))


def placed(lies, swizzle):
    """Return the layout under a swizzle, where its first element goes so that all lie in memory, and all places."""
    layout = Layout(lies.extents, lies.strides)
    layout = layout if swizzle is None else swizzle @ layout
    places = offsets(layout)
    start = -int(places.min(initial=0))
    return layout, start, places + start


@st.composite
def masked_ends(draw):
    """Draw two ends whose axes are in other orders, the layouts' own offsets of the source, a bound and a fill."""
    into, out_of = draw(ends())
    order = draw(st.permutations(range(len(into.extents))))
    into = into._replace(
        extents=tuple([into.extents[axis] for axis in order]), strides=tuple([into.strides[axis] for axis in order])
    )
    offered = offsets(Layout(out_of.extents, out_of.strides))
    return placed(into, draw(swizzles)), placed(out_of, draw(swizzles)), offered, draw(st.integers(-5, 60)), draw(fills)


@between
@QUICK
@given(masked_ends())
def test_masks_hide_what_the_layout_of_the_source_leads_past_the_bound(to, of, drawn):
    (into, start, places), (out_of, first, origins), offered, bound, fill = drawn
    expected = np.arange(places.max(initial=0) + 1)
    values = np.arange(origins.max(initial=0) + 1) + 1000
    target, source = accel.container(expected, device=to), accel.container(values, device=of)
    with no_races():
        later(target.view(into, start), source.view(out_of, first), src_idx_bound=bound, is_masked=True, fill=fill)
    if fill is Fill.ZERO:
        expected[places] = 0
    read = offered < bound
    expected[places[read]] = values[origins[read]]
    assert target.to_numpy().tolist() == expected.tolist()


@on_devices
@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (24,), (8, 3)])
def test_a_mask_hides_the_same_elements_from_targets_of_any_shape(device, shape):
    source = accel.container(np.arange(64), device=device).view(Swizzle(2, 0, 2) @ Layout((4, 6), (6, 1)))
    target = accel.full(24, -1, "int64", device).view(Layout(shape))
    later(target, source, src_idx_bound=9, is_masked=True)
    places = np.array([0, 6, 12, 18, 1, 7, 13, 19, 2, 8, 14, 20, 3, 9, 15, 21, 4, 10, 16, 22, 5, 11, 17, 23])
    expected = np.where(places < 9, places ^ (places >> 2 & 3), -1)
    assert target.to_numpy().reshape(-1, order="F").tolist() == expected.tolist()
