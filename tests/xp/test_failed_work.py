"""Failed work on the memory of arrays: readers of that memory see the failure, and readers of later memory do not."""

import gc

import pytest

import accel
from accel import xp
from accel.errors import KernelBoundsError
from accel.kernels import kernel


@kernel(debug=True)
def write_past(out):
    for i in range(out.size + 1):
        out[i] = 0


def fail(array):
    with pytest.raises(KernelBoundsError):
        write_past(array).wait()


def test_readers_of_the_memory_see_the_failure():
    array = xp.full(31, -1.0, device="sim")
    part = array[10:]
    fail(array)
    for each in (array, part):
        with pytest.raises(KernelBoundsError):
            each.to_device("cpu")


def test_other_memory_at_the_same_address_has_nothing_to_do_with_it():
    addresses = []
    for seed in range(6):
        with accel.using(sim_seed=seed):
            array = xp.full(31, -1.0, device="sim")
            assert float(array[-1:].to_device("cpu")[0]) == -1.0
            addresses.append(array.container().storage.pointer)
            fail(array)
            del array
            gc.collect()
    assert len(set(addresses)) < len(addresses)
