"""Layouts that need far more memory than exists are refused quickly."""

import pickle

import pytest

import accel
from accel import LayoutTensor
from accel.errors import LayoutError, OutOfMemoryError
from accel.layout import ComposedLayout, Layout, Swizzle

HOSTILE = """
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))

    import accel
    from accel.errors import BoundsError, LayoutError, OutOfMemoryError
    from accel.layout import Layout, Swizzle

    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29),) * 2)

    c = accel.empty(1024, "float32")
    tensors = [
        (Swizzle(3, 0, 3), Layout(2**27 + 1)),
        (Swizzle(3, 0, 3), Layout(2**31 + 1)),
        (Swizzle(3, 0, 3), Layout(2**70)),
        (Swizzle(3, 0, -3), Layout(2**40 + 1)),
        (Swizzle(8, 20, 20), Layout((2**20 - 1, 2**8 - 1), (1, 2**20 + 1))),
        (Swizzle(20, 0, 30), Layout(2**27 + 1)),
        (Swizzle(20, 0, -30), Layout((2**20, 3))),
        (Swizzle(2, 50, 3), Layout((2,) * 40, tuple(3**k for k in range(40)))),
        (Swizzle(1, 0, 1), Layout((2**20, 2**20), (1, 1))),
    ]
    for swizzle, layout in tensors:
        try:
            accel.LayoutTensor(c, swizzle @ layout)
            print("taken", layout)
        except BoundsError:
            pass
    asked = [
        (Swizzle(3, 0, 3) @ Layout(2**40), OutOfMemoryError),
        (Swizzle(3, 0, 3) @ Layout(2**70), ValueError),
        (Layout(2**40), OutOfMemoryError),
        (Swizzle(2, 40, 3) @ Layout(2**40), LayoutError),
    ]
    for layout, error in asked:
        try:
            accel.LayoutTensor.stack_allocation(layout, "int8").__enter__()
            print("allocated", layout)
        except error:
            pass
    assert accel.LayoutTensor.stack_allocation(Swizzle(3, 0, 3) @ Layout(2**24), "int8").__enter__().size == 2**24
"""


@pytest.mark.slow
def test_bounds_are_refused_in_little_time_and_memory(python):
    assert python(HOSTILE) == ""


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_cells_of_many_elements_are_compared_by_where_they_are(device):
    t = LayoutTensor(accel.empty(64, "int8", device=device), Layout((4, 8), (2, 1)))  # of 14 cells
    assert t.reshape(Layout((2**40, 2, 13), (0, 1, 1))).size == 2**41 * 13
    for other in (
        Layout((2**40, 15), (0, 1)),
        Layout((2, 2, 2), (1, 1, 11)),
        Layout((2**40, 2**40), (1, 1)),
        Layout(0),
    ):
        with pytest.raises(LayoutError, match="does not address the same cells"):
            t.reshape(other)


def test_a_small_tensor_under_a_swizzle_of_far_bits_is_made():
    with LayoutTensor.stack_allocation(Swizzle(2, 40, 3) @ Layout((3, 5)), "int32") as t:
        assert t.fill(7).size == 15


VAST = 2**80


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize(
    "layout", [Layout((1, 4), (VAST, 1)), Swizzle(1, 0, 1) @ Layout((1, 4), (VAST, 1)), Layout((0, 4), (VAST, VAST))]
)
def test_strides_that_lead_nowhere_may_be_of_any_size(device, layout):
    t = accel.container(range(8), "int8", device=device).view(layout)
    values = [[0, 1, 3, 2]] if isinstance(layout, ComposedLayout) else [[0, 1, 2, 3]]
    assert t.to_numpy().tolist() == (values if t.size else [])
    assert pickle.loads(pickle.dumps(t)).layout == t.copy().layout == layout
    assert t.fill(7).to_numpy().sum() == 7 * t.size


@pytest.mark.parametrize("offset", [VAST, -VAST, 2**59])
def test_a_swizzle_is_of_distances_that_memory_has(offset):
    c = accel.zeros(8)
    for layout in (Layout(4), Layout(0)):
        with pytest.raises(LayoutError, match=f"from element {offset}, which no memory has"):
            LayoutTensor(c, ComposedLayout(Swizzle(1, 0, 1), -offset, layout), offset)


@pytest.mark.parametrize("size", [2**45, 2**63, 2**80])
def test_elements_for_which_the_host_has_no_room_are_not_read(size):
    t = LayoutTensor(accel.zeros(8), Layout((2, size), (1, 0)))
    with pytest.raises(OutOfMemoryError, match=f"{2 * size} elements of float64 take .* no room"):
        t.to_numpy()
