"""Row 5: a view is used after its memory was released."""

import pickle

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import ReleasedError

pytestmark = pytest.mark.usefixtures("no_leaks")

VIEWS = {
    "whole": lambda x: x,
    "every other": lambda x: x[::2],
    "reversed": xp.flip,
    "broadcast": lambda x: xp.broadcast_to(x, (2, 6)),
    "transposed": lambda x: xp.reshape(x, (2, 3)).T,
    "a part of a part": lambda x: x[1:][:-1],
}
USES = {
    "operator": lambda x: x + 1,
    "second operand": lambda x: xp.ones(()) + x,
    "in place": lambda x: x.__iadd__(1),
    "function": xp.sqrt,
    "reduction": xp.sum,
    "reading": lambda x: x[..., 0:],
    "writing": lambda x: x.__setitem__(..., 0),
    "value": lambda x: xp.zeros(x.shape).__setitem__(..., x),
    "copy": lambda x: xp.asarray(x, copy=True),
    "moving": lambda x: x.to_device("sim:1"),
    "container": lambda x: x.container(),
    "operand": lambda x: x.__accel_operand__(),
    "DLPack": lambda x: x.__dlpack__(),
    "pickle": pickle.dumps,
}
CONTAINER_USES = {
    "reading": lambda c: c.to_numpy(),
    "writing": lambda c: c.from_numpy(np.zeros(6)),
    "filling": lambda c: c.fill(0),
    "copying from": lambda c: accel.zeros(6).copy_from(c),
    "copying to": lambda c: c.copy_from(accel.zeros(6)),
    "copying later": lambda c: c.copy_from_async(accel.zeros(6), stream=accel.new_stream()),
    "deep copy": lambda c: c.deep_copy(),
    "sharing": lambda c: c.share(),
    "moving": lambda c: c.to("sim:1"),
    "address": lambda c: c.unsafe_ptr(),
    "array": xp.asarray,
    "DLPack": lambda c: c.__dlpack__(),
    "pickle": pickle.dumps,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_view_is_refused_after_its_parent_was_released(device, view):
    container = accel.container(np.arange(6.0))
    part = view(xp.asarray(container))
    container.release()
    for use in USES.values():
        with pytest.raises(ReleasedError, match=r"Storage \(float64, size=6\) was released.*share\(\)"):
            use(part)


def test_a_container_is_refused_after_it_was_released(device):
    container = accel.container(np.arange(6.0))
    container.release()
    for use in CONTAINER_USES.values():
        with pytest.raises(ReleasedError, match="was released"):
            use(container)


def test_the_error_says_where_it_was_released(device):
    container = accel.container(np.arange(6.0))
    part = xp.asarray(container)[::2]
    with accel.debug():
        container.release()
    with pytest.raises(ReleasedError, match=r"was released at .*test_released\.py:\d+ in test_the_error_says_where"):
        part + 1


def test_other_handles_are_not_touched(device):
    container = accel.container(np.arange(6.0))
    other = container.share()
    part, whole = xp.asarray(container)[::2], xp.asarray(other)
    container.release()
    with pytest.raises(ReleasedError):
        part + 1
    assert float(xp.sum(whole)) == 15
    assert other.to_numpy().tolist() == [0, 1, 2, 3, 4, 5]
