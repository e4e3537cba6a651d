"""Assignment to a slice of a `BufferView` is NumPy's on any device, without lossy casts and without broadcasting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import xp
from accel.errors import DTypeError, LayoutError, ReadOnlyError, ReleasedError
from accel.layout import Layout, Swizzle
from accel.views import Buffer, BufferView, NDBuffer

from ..tables import rows

DEVICES = ["cpu", "sim"]
QUICK = settings(max_examples=80, deadline=None, database=None)
on_devices = pytest.mark.parametrize("device", DEVICES)
bounds = st.none() | st.integers(-14, 14)
slices = st.builds(slice, bounds, bounds)


def swizzled(values):
    t = accel.zeros(16, "int32").view(Swizzle(1, 0, 1) @ Layout(len(values)))
    t[:] = np.array(values, "int32")
    return t


KINDS = {
    "list": list,
    "range": lambda values: range(len(values)) if len(values) else [],
    "array": lambda values: np.array(values, "int64"),
    "other dtype": lambda values: np.array(values, "int8"),
    "strided array": lambda values: np.repeat(np.array(values, "int32"), 2)[::2],
    "reversed array": lambda values: np.array(values[::-1], "int32")[::-1],
    "unaligned array": lambda values: np.frombuffer(b"\0" + np.array(values, "int32").tobytes(), "int32", offset=1),
    "container": lambda values: accel.container(np.array(values, "int32")),
    "container of another dtype": lambda values: accel.container(np.array(values, "uint8")),
    "container elsewhere": lambda values: accel.container(np.array(values, "int32"), device="sim"),
    "other dtype elsewhere": lambda values: accel.container(np.array(values, "int16"), device="sim"),
    "storage": lambda values: accel.container(np.array(values, "int32")).storage,
    "view": lambda values: accel.container(np.array([0, *values, 0], "int32"))[1:-1],
    "buffer": lambda values: Buffer(accel.container(np.array(values, "int32"))),
    "strided buffer": lambda values: NDBuffer(np.repeat(np.array(values, "int32"), 3), (len(values),), (3,)),
    "tensor": lambda values: accel.container(np.array(values, "int32")).view(Layout(len(values))),
    "xp array": lambda values: xp.asarray(np.array(values, "int32")),
    "xp array elsewhere": lambda values: xp.asarray(np.array(values, "int32"), device="sim"),
    "swizzled tensor": swizzled,
}


@QUICK
@given(st.sampled_from(DEVICES), st.sampled_from(sorted(KINDS)), slices)
def test_it_takes_as_many_elements_from_anywhere(device, kind, place):
    model = np.arange(100, 112, dtype="int32")
    view = BufferView(accel.container(model, device=device))
    values = list(range(len(model[place])))
    model[place] = values
    view[place] = KINDS[kind](values)
    assert view.to_numpy().tolist() == model.tolist()


@QUICK
@given(st.sampled_from(DEVICES), slices, st.sampled_from([7, 7.0, np.int8(7), np.array(7), True, xp.asarray(7)]))
def test_it_takes_one_number_for_all(device, place, number):
    model = np.arange(12.0)
    view = BufferView(accel.container(model, device=device))
    model[place] = view[place] = float(number)
    view[place] = number
    assert view.to_numpy().tolist() == model.tolist()


@QUICK
@given(st.sampled_from(DEVICES), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.booleans())
def test_the_source_may_overlap(device, size, to, from_, through_numpy):
    model = np.arange(80)
    c = accel.container(model, device=device)
    view, source = BufferView(c), c[from_ : from_ + size]
    if through_numpy and device == "cpu":
        source = np.asarray(c)[from_ : from_ + size]
    view[to : to + size] = source
    model[to : to + size] = model[from_ : from_ + size].copy()
    assert c.to_numpy().tolist() == model.tolist()


@on_devices
def test_large_slices_too_and_backwards(device):
    c = accel.container(np.arange(50_000), device=device)
    c[1:].copy_from(c[:-1])
    BufferView(c)[:-1] = c[1:]
    BufferView(c)[:] = NDBuffer(c, (50_000,), (-1,), offset=49_999)
    assert c.to_numpy().tolist() == [49_998, *range(49_998, -1, -1)]


@on_devices
@rows("kind", sorted(KINDS))
def test_another_count_is_refused_before_anything_is_written(device, kind):
    view = BufferView(accel.container(np.arange(8, dtype="int32"), device=device))
    for count in (1, 3, 5):
        with pytest.raises(LayoutError, match=rf"shape \({count},\) cannot be written to shape \(4,\)"):
            view[2:6] = KINDS[kind]([9] * count)
    with pytest.raises(LayoutError, match=r"shape \(2, 2\) cannot be written to shape \(4,\)"):
        view[2:6] = np.zeros((2, 2), "int32")
    assert view.to_numpy().tolist() == list(range(8))


@on_devices
def test_nothing_is_lost(device):
    view = BufferView(accel.container(np.arange(8, dtype="int8"), device=device))
    for lossy, error in (
        ([1, 0.5], DTypeError),
        ([1, 200], OverflowError),
        (np.array([1, 200]), OverflowError),
        (accel.container([1.0, 2.0]), DTypeError),
        (accel.container([1, 200], device="sim"), OverflowError),
        (300, OverflowError),
        (0.5, DTypeError),
        (["a", "b"], DTypeError),
        ([None, None], DTypeError),
    ):
        with pytest.raises(error):
            view[2:4] = lossy
    with pytest.raises(ValueError, match="step 1"):
        view[::2] = 1
    assert view.to_numpy().tolist() == list(range(8))


def test_what_must_not_change_or_is_gone_is_refused():
    array = np.arange(4)
    array.flags.writeable = False
    c = accel.zeros(4)
    view = BufferView(c)
    c.release()
    for refused, error in ((BufferView(array), ReadOnlyError), (view, ReleasedError)):
        for value in (1, [1, 2], np.array([1, 2]), accel.container([1, 2])):
            with pytest.raises(error):
                refused[0:2] = value


def test_work_in_flight_is_waited_for():
    c, stream = accel.zeros(1 << 16), accel.new_stream("cpu")
    c.copy_from_async(accel.full(1 << 16, 1.0), stream=stream)
    BufferView(c)[:4] = [5, 6, 7, 8]
    assert c.to_numpy()[:6].tolist() == [5, 6, 7, 8, 1, 1]
