"""Containers and storages on memory given by its address."""

import ctypes

import numpy as np
import pytest

import accel
from accel import AcceleratorDataContainer, Device, HostStorage, Ownership
from accel.errors import DeviceMismatchError, DTypeError

pytestmark = pytest.mark.usefixtures("no_leaks")

MEMORY = np.arange(24.0)
ADDRESS = MEMORY.ctypes.data
FORMS = pytest.mark.parametrize("make", [AcceleratorDataContainer, HostStorage, HostStorage.on_pointer])


@FORMS
class TestForms:
    def test_the_dtype_is_third_or_by_name(self, make):
        memory = (ctypes.c_int8 * 6)(1, 2, 3, 4, 5, 6)
        address = ctypes.addressof(memory)
        for made in (
            make(address, 6, "int8"),
            make(address, 6, dtype="int8"),
            make(address, size=6, dtype=np.int8),
            make(ptr=address, size=6, dtype="int8"),
        ):
            assert (made.dtype, made.nbytes, list(made)) == (np.int8, 6, [1, 2, 3, 4, 5, 6])
            assert (made.ownership, made.ref_count, made.pointer) == (Ownership.EXTERNAL, 0, address)
            with pytest.raises(RuntimeError, match="Cannot share externally managed data"):
                made.share()

    def test_everything_else_is_by_name(self, make):
        ended = []
        with make(ADDRESS, 3, "float64", copy=True, readonly=True, deleter=lambda: ended.append(1)) as copied:
            assert ended == [1]
            assert copied.ownership is Ownership.MANAGED
            copied[0] = 7.0
            assert MEMORY[0] == 0.0

    def test_without_a_dtype_nobody_guesses(self, make):
        for how in ({}, {"dtype": None}, {"copy": True}):
            with pytest.raises(TypeError, match="does not say what is there; write dtype="):
                make(ADDRESS, 6, **how)

    @pytest.mark.parametrize("flag", [True, False, np.True_])
    def test_a_flag_is_no_dtype(self, make, flag):
        name = "AcceleratorDataContainer" if make is AcceleratorDataContainer else "HostStorage"
        with pytest.raises(TypeError, match=rf"write {name}\(ptr, size, dtype, copy=True\)"):
            make(ADDRESS, 6, flag)

    @pytest.mark.parametrize("stray", [True, "cpu", None])
    def test_nothing_follows_the_dtype_without_a_name(self, make, stray):
        with pytest.raises(TypeError, match="must be given by name; write"):
            make(ADDRESS, 6, "float64", stray)

    def test_what_is_no_dtype_is_refused(self, make):
        for stray in (3, "float33", {}):
            with pytest.raises(DTypeError, match="names no dtype"):
                make(ADDRESS, 6, stray)

    def test_a_size_and_a_dtype_allocate(self, make):
        if make != HostStorage.on_pointer:
            assert make(6, "int8").ownership is make(6, np.int8).ownership is Ownership.MANAGED


@FORMS
class TestAddressesOfDevices:
    def test_are_refused(self, make):
        for device in ("sim", "sim:2"):
            with accel.zeros(6, device=device) as c:
                for address in (c.pointer, c.pointer + 40):
                    with pytest.raises(DeviceMismatchError, match=rf"memory on {device}, which the host cannot read"):
                        make(address, 1, "float64")

    def test_those_of_the_host_are_not(self, make):
        with accel.zeros(6, device="sim"), accel.memory.pinned(3, device="sim") as pinned:
            pinned[2] = 5.0
            with make(pinned.pointer, 3, "float64") as looking:
                assert looking[2] == 5.0


@pytest.mark.usefixtures("toy")
def test_a_pointer_is_looked_at_on_the_cpu_only():
    with pytest.raises(DeviceMismatchError, match=r"DeviceStorage\(buffer, size, 'sim', dtype\)"):
        AcceleratorDataContainer(ADDRESS, 3, "float64", device="sim")
    with AcceleratorDataContainer(ADDRESS, 3, "float64", device=Device.CPU) as looking:
        assert looking.size == 3
