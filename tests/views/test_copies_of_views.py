"""`v.copy()` never shares memory; `copy.copy(v)` is another view of the same memory."""

import copy

import numpy as np
import pytest

import accel
from accel import xp
from accel.layout import Layout, Swizzle, row_major
from accel.views import Buffer, BufferView, DynamicRankBuffer, LayoutTensor, NDBuffer

VIEWS = {
    "BufferView": lambda c: BufferView(c, 2, 5),
    "slice": lambda c: c[2:7],
    "Buffer": lambda c: Buffer(c, 5, offset=2),
    "NDBuffer": lambda c: NDBuffer(c, (2, 3)),
    "strided NDBuffer": lambda c: NDBuffer(c, (2, 3), (-1, 4), offset=3),
    "NDBuffer of one cell": lambda c: NDBuffer(c, (2, 3), (0, 0)),
    "NDBuffer without axes": lambda c: NDBuffer(c, ()),
    "empty NDBuffer": lambda c: NDBuffer(c, (0, 3)),
    "tile": lambda c: NDBuffer(c, (3, 4)).tile((2, 3), (1, 1)),
    "flattened": lambda c: NDBuffer(c, (3, 4)).flatten(),
    "DynamicRankBuffer": lambda c: DynamicRankBuffer(c, 2, (2, 3), "float64"),
    "LayoutTensor": lambda c: c.view(row_major(3, 4)),
    "masked tile": lambda c: c.view(row_major(3, 4)).tile((2, 3), (1, 1)),
    "padded tile": lambda c: c.view(row_major(3, 4)).tile((2, 3), (1, 1), "pad", pad_value=7),
    "swizzled tensor": lambda c: c.view(Swizzle(1, 0, 2) @ row_major(3, 4)),
    "broadcast tensor": lambda c: c.view(Layout((3, 4), (0, 1))),
    "vectors": lambda c: c.view(row_major(3, 4)).vectorize(1, 2),
    "read-only tensor": lambda c: c.view(row_major(3, 4)).get_immutable(),
    "bits": lambda c: c.view(row_major(3, 4)).bitcast("int64"),
}
each_view = pytest.mark.parametrize("make", VIEWS.values(), ids=list(VIEWS))


@each_view
def test_a_copy_is_of_the_same_class_with_the_same_elements_in_memory_of_its_own(device, make):
    c = accel.container(np.arange(16.0), device=device)
    view = make(c)
    values = view.to_numpy()
    for copied in (view.copy(), copy.deepcopy(view)):
        assert (type(copied), copied.shape, copied.dtype, copied.device) == (
            type(view),
            view.shape,
            view.dtype,
            view.device,
        )
        assert copied.storage.owner is not c.storage.owner
        assert not copied.readonly
        assert copied.to_numpy().tolist() == values.tolist()
        c.fill(-1)
        assert copied.to_numpy().tolist() == values.tolist()
        xp.asarray(copied.storage)[...] = 3
        assert c.to_numpy().tolist() == [-1] * 16
        c.from_numpy(np.arange(16.0))


@each_view
def test_the_copy_module_makes_another_view(device, make):
    c = accel.container(np.arange(16.0), device=device)
    view = make(c)
    again = copy.copy(view)
    assert (type(again), again is not view, again.storage is view.storage) == (type(view), True, True)
    assert again.to_numpy().tolist() == view.to_numpy().tolist()
    c.fill(-1)
    assert again.to_numpy().tolist() == view.to_numpy().tolist()


@each_view
def test_a_copy_outlives_its_source(device, make):
    c = accel.container(np.arange(16.0), device=device)
    view = make(c)
    values, copied = view.to_numpy(), view.copy()
    c.release()
    assert copied.to_numpy().tolist() == values.tolist()


def test_a_copy_of_numpys_memory_is_not_numpys():
    array = np.arange(4.0)
    for view in (BufferView(array), Buffer(array), NDBuffer(array), LayoutTensor(array)):
        view.copy().fill(9)
    assert array.tolist() == [0, 1, 2, 3]
