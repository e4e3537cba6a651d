"""``x.flags.writeable``: what makes an array read-only makes every way of writing to it an error."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import OverlapError, ReadOnlyError, ReleasedError

from ..tables import rows


@accel.kernel
def set_to_seven(x):
    for i in range(x.size):
        x[i] = 7.0


WRITES = {
    "an element": lambda x: x.__setitem__(0, 9),
    "a mask": lambda x: x.__setitem__(x > 1, 9),
    "in place": lambda x: x.__iadd__(1),
    "a power": lambda x: x.__ipow__(2),
    "a view": lambda x: x[1:].fill(9),
    "a view of another shape": lambda x: x.reshape(3, 1).T.fill(9),
    "bytes": lambda x: x.view("uint8").fill(9),
    "flat": lambda x: setattr(x, "flat", 9),
    "sort": lambda x: x.sort(),
    "byteswap": lambda x: x.byteswap(inplace=True),
    "out": lambda x: xp.negative(x, out=x),
    "out of NumPy": lambda x: np.cumsum(x, out=x),
    "at": lambda x: np.add.at(x, [0], 1),
    "a function of NumPy": lambda x: np.copyto(x, 9),
    "random numbers": lambda x: xp.random.default_rng(0, device=x.device).random(out=x),
    "DLPack": lambda x: xp.from_dlpack(x).fill(9),
    "a container": lambda x: x.container().fill(9),
    "a tensor": lambda x: accel.LayoutTensor(x).fill(9),
    "a kernel": set_to_seven,
}


@rows("name", WRITES)
@pytest.mark.parametrize("known", [False, True], ids=["storage unknown", "storage known"])
def test_an_array_that_was_made_read_only_is_not_written(name, known, device):
    x = xp.asarray([3.0, 1.0, 2.0], device=device)
    if known:
        assert not x.storage.readonly
    x.flags.writeable = False
    with pytest.raises(ReadOnlyError):
        WRITES[name](x)
    assert x.tolist() == [3.0, 1.0, 2.0]


def test_arrays_of_numpy_on_its_memory_are_read_only_too():
    x = xp.zeros(3)
    x.flags.writeable = False
    assert not np.asarray(x).flags.writeable
    assert not np.from_dlpack(x).flags.writeable
    assert x.__array_interface__["data"][1]


def check_views(x):
    earlier = x[:]
    x.flags.writeable = False
    later = x[1:]
    assert (earlier.flags.writeable, later.flags.writeable, x.copy().flags.writeable) == (True, False, True)
    with pytest.raises(ValueError, match=r"cannot set WRITEABLE flag to True|write to a copy"):
        later.flags.writeable = True
    earlier[0] = 5
    assert float(x[0]) == 5
    x.flags["WRITEABLE"] = True
    x[...] = 1
    assert (earlier == 1).all()
    assert not later.flags.writeable
    assert (x.flags.writeable, x[1:].flags.writeable) == (True, True)


def test_views_inherit_it_as_numpys_do(device):
    check_views(np.zeros(3))
    check_views(xp.zeros(3, device=device))


def test_a_view_of_a_writable_array_is_made_writable_again(device):
    x = xp.zeros((2, 3), device=device)
    row = x[1, ::2]
    row.flags.writeable = False
    with pytest.raises(ReadOnlyError):
        row += 1
    row.flags.writeable = True
    row += 1
    assert x.tolist() == [[0, 0, 0], [1, 0, 1]]


def test_an_element_is_made_read_only(device):
    element = xp.asarray([3.0], device=device)[0]
    element.flags.writeable = False
    with pytest.raises(ReadOnlyError):
        element += 1
    assert element == 3


def test_the_memory_of_a_container_is_known_still(device):
    container = accel.zeros(3, device=device)
    x = xp.asarray(container)
    x.flags.writeable = False
    container.fill(7)
    assert x.tolist() == [7, 7, 7]
    container.release()
    with pytest.raises(ReleasedError):
        x + 1


def test_memory_that_is_read_only_stays_so(device):
    container = accel.zeros(3, device=device)
    x = xp.asarray(container.storage.window(0, 3, container.dtype, const=True))
    assert not x.flags.writeable
    with pytest.raises(ReadOnlyError):
        x[0] = 1
    with pytest.raises(ValueError, match=r"cannot set WRITEABLE flag to True|write to a copy"):
        x.flags.writeable = True


class TestDevices:
    def test_broadcast_arrays_stay_read_only(self, sim):
        shared = xp.broadcast_to(xp.ones(3, device=sim), (2, 3))
        shared.flags.writeable = False
        with pytest.raises(OverlapError, match="write to a copy"):
            shared.flags.writeable = True
        assert (shared.flags.writeable, shared.flags["W"]) == (False, False)

    def test_other_flags_are_read_only(self, sim):
        flags, expected = xp.ones((2, 3), device=sim).T.flags, np.ones((2, 3)).T.flags
        for name in ("c_contiguous", "f_contiguous", "contiguous", "aligned", "forc", "writeable", "owndata"):
            assert getattr(flags, name) == getattr(expected, name)
        assert (flags["F"], flags["C_CONTIGUOUS"]) == (True, False)
        assert flags == xp.zeros((2, 3), device=sim).T.flags
        assert flags != xp.zeros((2, 3), device=sim).flags
        assert repr(flags) == repr(expected)
        with pytest.raises(ValueError, match="only 'WRITEABLE' is"):
            flags["ALIGNED"] = False
        with pytest.raises(AttributeError):
            flags.aligned = False
