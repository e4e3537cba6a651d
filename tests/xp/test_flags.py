"""``x.flags.writeable``: what makes an array read-only makes every way of writing to it an error."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import CapabilityError, OverlapError, ReadOnlyError

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
    "random numbers": lambda x: xp.random.default_rng(0).random(out=x),
    "NumPy's array": lambda x: np.asarray(x).fill(9),
    "DLPack": lambda x: xp.from_dlpack(x).fill(9),
    "a container": lambda x: x.container().fill(9),
    "a tensor": lambda x: accel.LayoutTensor(x).__setitem__(0, 9),
    "a kernel": set_to_seven,
}


@rows("name", WRITES)
@pytest.mark.parametrize("known", [False, True], ids=["storage unknown", "storage known"])
def test_an_array_of_the_host_that_was_made_read_only_is_not_written(name, known):
    x = xp.asarray([3.0, 1.0, 2.0])
    if known:
        assert not x.storage.readonly
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        WRITES[name](x)
    assert x.tolist() == [3.0, 1.0, 2.0]


def test_views_inherit_it_as_numpys_do():
    for x in (xp.zeros(3), np.zeros(3)):
        earlier = x[:]
        x.flags.writeable = False
        later = x[1:]
        assert (earlier.flags.writeable, later.flags.writeable, x.copy().flags.writeable) == (True, False, True)
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
            later.flags.writeable = True
        x.flags["WRITEABLE"] = True
        x[...] = 1
        assert (x == 1).all()
        assert not later.flags.writeable


def test_an_element_is_made_read_only():
    element = xp.asarray([3.0])[0]
    element.flags.writeable = False
    with pytest.raises(ReadOnlyError):
        element += 1
    assert element == 3


class TestDevices:
    def test_arrays_are_not_made_read_only(self, sim):
        x = xp.ones(3, device=sim)
        for change in (lambda: setattr(x.flags, "writeable", False), lambda: x.flags.__setitem__("W", 0)):
            with pytest.raises(CapabilityError, match=r"write xp\.asarray\(x, copy=True\), and give the copy away"):
                change()
        x += 1
        assert (x == 2).all()

    def test_what_holds_already_may_be_set(self, sim):
        x = xp.ones(3, device=sim)
        shared = xp.broadcast_to(x, (2, 3))
        x.flags.writeable = True
        shared.flags.writeable = False
        with pytest.raises(OverlapError, match="write to a copy"):
            shared.flags.writeable = True
        assert (x.flags.writeable, shared.flags.writeable, shared.flags["W"]) == (True, False, False)

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
