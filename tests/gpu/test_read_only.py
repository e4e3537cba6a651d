"""Arrays on a device that are not to be written: CuPy would write to all."""

import operator

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import OverlapError, ReadOnlyError

from ..tables import rows
from ..xp import test_flags

pytestmark = pytest.mark.cupy_kernels


@pytest.fixture
def gpu(request):
    """The first of the devices that are tested."""
    return accel.Device(request.config.getoption("--accel-devices").split(",")[0])


WRITES = {
    "elements": lambda x: x.__setitem__(slice(1), 5),
    "elements of an index": lambda x: x.__setitem__([0], 5),
    "in place": lambda x: operator.iadd(x, 1),
    "by a function in place": lambda x: operator.ifloordiv(x, 2),
    "out": lambda x: xp.add(x, 1, out=x),
    "at": lambda x: np.add.at(x, [0], 1),
    "a function of NumPy": lambda x: np.copyto(x, 5),
    "a view": lambda x: x[1:].fill(5),
}


@rows("name", WRITES)
def test_broadcast_arrays_are_not_written(name, gpu):
    one = xp.ones(1, device=gpu)
    with pytest.raises(OverlapError, match="write to a copy"):
        WRITES[name](xp.broadcast_to(one, (3,)))
    assert one.tolist() == [1.0]


@rows("name", WRITES)
def test_read_only_memory_is_not_written(name, gpu):
    container = accel.full(3, 1.0, device=gpu)
    x = xp.asarray(container.storage.window(0, 3, container.dtype, const=True))
    with pytest.raises(ReadOnlyError, match="write to a copy"):
        WRITES[name](x)
    assert x.tolist() == [1.0, 1.0, 1.0]


@rows("name", test_flags.WRITES.keys() - {"sort"})  # by machine code
def test_an_array_that_was_made_read_only_is_not_written(name, gpu):
    test_flags.test_an_array_that_was_made_read_only_is_not_written.__wrapped__(name, False, gpu)


def test_flags_are_as_on_other_devices(gpu):
    test_flags.test_views_inherit_it_as_numpys_do(gpu)
    test_flags.test_a_view_of_a_writable_array_is_made_writable_again(gpu)
    test_flags.test_an_element_is_made_read_only(gpu)
    test_flags.test_the_memory_of_a_container_is_known_still(gpu)
    test_flags.test_memory_that_is_read_only_stays_so(gpu)
