"""Rows 7 to 9: targets that name a byte twice, overlap their source, or are read-only."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import OverlapError, ReadOnlyError
from accel.interchange import abi

pytestmark = pytest.mark.usefixtures("no_leaks")

WRITES = {
    "one element": lambda x: x.__setitem__((..., 0), 5),
    "all elements": lambda x: x.__setitem__(..., 5),
    "an array": lambda x: x.__setitem__(..., xp.ones(x.shape)),
    "by a mask": lambda x: x.__setitem__(x < 9, 5),
    "in place": lambda x: x.__iadd__(5),
    "in place, an array": lambda x: x.__imul__(xp.ones(x.shape)),
}
NUMPY_WRITES = {
    "target of a function": lambda x: np.add(x, 5, out=x),
    "one of two targets": lambda x: np.modf(np.ones(x.shape), out=(np.ones(x.shape), x)),
    "elements by index": lambda x: np.add.at(x, 0, 5),
}
CONTAINER_WRITES = {
    "fill": lambda c: c.fill(5),
    "copy_from": lambda c: c.copy_from(accel.zeros(3)),
    "copy_from_async": lambda c: c.copy_from_async(accel.zeros(3), stream=accel.new_stream()),
    "from_numpy": lambda c: c.from_numpy(np.zeros(3)),
    "array": lambda c: xp.asarray(c).__setitem__(0, 5),
    "container of an array": lambda c: xp.asarray(c).container().fill(5),
    "part of an array": lambda c: xp.asarray(c)[1:].container().fill(5),
}


def with_stride_zero(x):
    """Return what gives a capsule on an array whose rows are all the first one, and may be written."""

    def gives():
        capsule = x.__dlpack__(max_version=(1, 0))
        tensor = abi.VERSIONED.holds.from_address(abi.pointer(capsule, abi.VERSIONED.name)).tensor
        tensor.strides[0] = 0
        return capsule

    return gives


AROUND = {
    "container": lambda x: x.container().fill(5),
    "container of a part": lambda x: x[1:].container().fill(5),
    "storage": lambda x: x.storage.store(0, [5]),
    "shared storage": lambda x: x.storage.share().store(0, [5]),
    "array on a container": lambda x: xp.asarray(x.container()).__setitem__(0, 5),
    "NumPy's array on a container": lambda x: np.asarray(x.container()).__setitem__(0, 5),
    "memoryview": lambda x: x.container().memoryview().__setitem__(0, 5.0),
}
BROADCASTS = {
    "ours": lambda x, foreign: xp.broadcast_to(x, (4, 2, 3)),
    "part": lambda x, foreign: xp.broadcast_to(x, (4, 2, 3))[:, 1, :],
    "received": lambda x, foreign: xp.from_dlpack(foreign(x, with_stride_zero(x))),
}


@pytest.mark.parametrize("make", BROADCASTS.values(), ids=BROADCASTS)
class TestBroadcast:
    def test_is_refused_before_any_write(self, device, foreign, make):
        values = xp.reshape(xp.arange(6.0), (2, 3))
        broadcast = make(values, foreign)
        for write in WRITES.values():
            with pytest.raises(OverlapError, match=r"shape \(.*strides \(0.*xp\.asarray\(x, copy=True\)"):
                write(broadcast)
        assert xp.all(values == xp.reshape(xp.arange(6.0), (2, 3)))

    def test_is_read_and_copied(self, device, foreign, make):
        broadcast = make(xp.reshape(xp.arange(6.0), (2, 3)), foreign)
        copied = xp.asarray(broadcast, copy=True)
        copied[...] = copied + broadcast
        assert xp.all(copied == broadcast * 2)


class TestBroadcastByNumpy:
    @pytest.mark.parametrize("take", [xp.asarray, xp.from_dlpack])
    def test_is_refused_before_any_write(self, take):
        values = np.arange(3.0)
        x = take(np.lib.stride_tricks.as_strided(values, (2, 3), (0, 8)))
        for write in (WRITES | NUMPY_WRITES).values():
            with pytest.raises(OverlapError):
                write(x)
        assert values.tolist() == [0, 1, 2]

    def test_along_an_axis_of_one_element_repeats_nothing(self):
        x = xp.asarray(np.lib.stride_tricks.as_strided(np.zeros(3), (1, 3), (0, 8)))
        x[...] = 5
        assert float(xp.sum(x)) == 15


OVERLAPS = {
    "forwards": (np.s_[1:], np.s_[:-1]),
    "backwards": (np.s_[:-1], np.s_[1:]),
    "reversed": (np.s_[:], np.s_[::-1]),
    "every other": (np.s_[: 1 << 16 : 2], np.s_[: 1 << 15]),
    "by a few": (np.s_[7:], np.s_[:-7]),
}


class TestOverlap:
    def test_assignment_is_right(self, device):
        for target, source in OVERLAPS.values():
            x, expected = xp.arange(1 << 17), np.arange(1 << 17)
            x[target] = x[source]
            expected[target] = expected[source].copy()
            np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)

    def test_operators_in_place_are_right(self, device):
        for target, source in OVERLAPS.values():
            x, expected = xp.arange(1 << 17), np.arange(1 << 17)
            part = x[target]
            part *= x[source]
            expected[target] *= expected[source].copy()
            np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)


def later(target, source, **how):
    with accel.new_stream() as stream:
        target.copy_from_async(source, stream=stream, **how).wait()


COPIES = {
    "copy": lambda target, source: target.copy_from(source),
    "transfer": later,
    "transfer in pieces": lambda target, source: later(target, source, progress=lambda copied, nbytes: None),
}


@pytest.mark.parametrize(("into", "out_of"), [(np.s_[7:], np.s_[:-7]), (np.s_[:-7], np.s_[7:])])
@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_copies_within_one_memory_are_right(device, copy, into, out_of):
    expected = np.arange((1 << 24) + (1 << 20)).astype(np.uint8)  # more than one piece of a transfer
    container = accel.container(expected)
    x = xp.asarray(container)
    copy(x[into].container(), x[out_of].container())
    expected[into] = expected[out_of].copy()
    assert np.array_equal(container.to_numpy(), expected)


def frozen(array):
    view = array.view()
    view.flags.writeable = False
    return view


class TestReadOnly:
    def test_containers_are_not_written(self, device, foreign):
        values = xp.zeros(3)
        container = accel.from_dlpack(foreign(xp.broadcast_to(values, (3,))))
        for write in CONTAINER_WRITES.values():
            with pytest.raises(ReadOnlyError, match="write to a"):
                write(container)
        assert not xp.any(values)

    @pytest.mark.parametrize("view", [lambda x: x, lambda x: x[::2], xp.flip])
    def test_arrays_are_not_written(self, device, foreign, view):
        values = xp.zeros(3)
        x = view(xp.from_dlpack(foreign(xp.broadcast_to(values, (3,)))))
        for write in WRITES.values():
            with pytest.raises(ReadOnlyError, match=r"write to a copy of it: xp\.asarray\(x, copy=True\)"):
                write(x)
        assert not xp.any(values)

    def test_arrays_are_not_written_by_numpy(self):
        values = np.zeros(3)
        for write in NUMPY_WRITES.values():
            with pytest.raises(ReadOnlyError, match="write to a copy of it"):
                write(xp.asarray(frozen(values)))
        assert not values.any()

    @pytest.mark.parametrize("make", [frozen, lambda array: np.broadcast_to(array, (3,))])
    def test_a_view_that_is_read_only_gives_no_way_around(self, make):
        values = np.zeros(3)
        for write in AROUND.values():
            with pytest.raises((ValueError, TypeError), match="read-only"):
                write(xp.asarray(make(values)))
        assert not values.any()

    def test_nor_one_of_our_own_arrays(self, device):
        values = xp.zeros(3)
        values.storage  # noqa: B018 - makes its record, which the view shares
        with pytest.raises(ReadOnlyError):
            xp.broadcast_to(values, (3,)).container().fill(5)
        with pytest.raises(ReadOnlyError):
            accel.from_dlpack(xp.broadcast_to(values, (3,))).fill(5)
        values.container().fill(4)
        assert float(xp.sum(values)) == 12

    def test_it_moves_and_is_copied(self, device, foreign):
        values = xp.zeros(3)
        theirs = foreign(xp.broadcast_to(values, (3,)))
        for result in (xp.from_dlpack(theirs).to_device("sim:1"), accel.from_dlpack(theirs).deep_copy()):
            xp.asarray(result)[...] = 5
            assert float(xp.sum(xp.asarray(result))) == 15
