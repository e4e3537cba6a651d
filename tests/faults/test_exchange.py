"""Rows 6 and 10 to 15: DLPack capsules with negative strides, and lost, malformed or lying ones."""

import gc
from functools import partial

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DTypeError, InterchangeError
from accel.interchange import abi
from accel.interchange.capsule import read_capsule
from accel.memory import snapshot

from ..threads import run_at_once

pytestmark = pytest.mark.usefixtures("no_leaks")

VERSIONS = [None, (1, 0)]
TAKERS = {"container": accel.from_dlpack, "array": xp.from_dlpack}
REVERSED = {"all": np.s_[::-1, ::-1], "rows": np.s_[::-1, :], "every other": np.s_[:, ::-2], "one row": np.s_[1, ::-1]}


def values_of(x):
    return np.asarray(xp.asarray(x).to_device("cpu"))


def kept(device):
    gc.collect()
    return sum(usage.kept_blocks for usage in snapshot().devices if usage.device in (device, Device.CPU))


@pytest.fixture
def pinned(device):
    """Return a function that counts the blocks that exports keep since the test began."""
    # Dask may hold the last message that another test sent.
    before = kept(device)
    return lambda: kept(device) - before


@pytest.mark.parametrize("part", REVERSED.values(), ids=REVERSED)
class TestNegativeStrides:
    def test_reach_no_other_library(self, device, foreign, part):
        x = xp.reshape(xp.arange(12), (3, 4))[part]
        contents = read_capsule(capsule := x.__dlpack__(max_version=(1, 0)))
        assert min(contents.strides) > 0
        assert contents.copied
        del capsule
        np.testing.assert_array_equal(values_of(xp.from_dlpack(foreign(x))), values_of(x))

    def test_are_refused_where_a_copy_is_forbidden(self, device, part):
        with pytest.raises(InterchangeError, match="in reverse order are exchanged by a copy only; write copy=None"):
            xp.reshape(xp.arange(12), (3, 4))[part].__dlpack__(copy=False)


@pytest.mark.parametrize("version", VERSIONS)
class TestCapsules:
    @pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
    def test_are_taken_once(self, device, foreign, take, version, pinned):
        lender = accel.container(np.arange(3.0))
        capsule = lender.__dlpack__(max_version=version)
        theirs = foreign(lender, lambda: capsule)
        ours = take(theirs)
        with pytest.raises(InterchangeError, match="Foreign: the capsule was taken over before"):
            take(theirs)
        lender.release()
        assert values_of(ours).tolist() == [0, 1, 2]
        assert pinned() == 1

    def test_that_are_not_consumed_leave_nothing(self, device, version, pinned):
        lender = accel.zeros(9)
        for _ in range(1000):
            lender.__dlpack__(max_version=version)
        lender.release()
        assert pinned() == 0

    def test_are_freed_if_their_consumer_raises_half_way(self, device, foreign, version, fault, pinned):
        lender = accel.container(np.arange(3.0))
        theirs = foreign(lender, lambda: lender.__dlpack__(max_version=version))
        other = "sim" if device is Device.CPU else "cpu"
        for take in TAKERS.values():
            with fault.allocation(1, other), pytest.raises(MemoryError):
                take(theirs, device=other)
        lender.release()
        assert pinned() == 0

    def test_end_on_any_thread(self, device, foreign, version, pinned):
        kept = [accel.from_dlpack(foreign(accel.zeros(9))) for _ in range(9)]
        kept += [accel.zeros(9).__dlpack__(max_version=version) for _ in range(9)]
        assert pinned() == 18
        run_at_once([kept.pop] * 18)
        assert pinned() == 0


def test_the_interpreter_exits_with_memory_lent_and_received(device, process):
    code = """
        import threading, time
        import accel, numpy
        from accel import xp

        class Foreign:
            def __init__(self, x): self.x = x
            def __dlpack__(self, **keywords): return self.x.__dlpack__(**keywords)
            def __dlpack_device__(self): return self.x.__dlpack_device__()

        lent = [accel.zeros(9).__dlpack__(), xp.zeros(9).__dlpack__(max_version=(1, 0))]
        received = [accel.from_dlpack(Foreign(accel.zeros(9))), xp.from_dlpack(Foreign(xp.zeros(9)))]
        cycle = [lent, received, accel.zeros(9).__dlpack__()]; cycle.append(cycle)
        numpy.kept_for_ever = cycle

        def hold(x=accel.zeros(9).__dlpack__()):
            while True:
                accel.zeros(9).__dlpack__(), time.sleep(0.001)

        threading.Thread(target=hold, daemon=True).start()
        time.sleep(0.01)
        print("over")
    """
    assert process(code, device) == (0, "over", "")


MALFORMED = {
    "null data": lambda tensor: setattr(tensor, "data", None),
    "negative extent": lambda tensor: tensor.shape.__setitem__(0, -3),
    "extent that overflows": lambda tensor: tensor.shape.__setitem__(0, 2**62),
    "stride that overflows": lambda tensor: tensor.strides.__setitem__(0, 2**62),
    "offset that overflows": lambda tensor: setattr(tensor, "byte_offset", 2**64 - 8),
    "misaligned": lambda tensor: setattr(tensor, "byte_offset", 3),
    "negative axes": lambda tensor: setattr(tensor, "ndim", -1),
    "too many axes": lambda tensor: setattr(tensor, "ndim", 2**31 - 1),
    "no such device": lambda tensor: setattr(tensor.device, "index", 77),
    "lanes": lambda tensor: setattr(tensor.dtype, "lanes", 4),
    "no such type": lambda tensor: setattr(tensor.dtype, "code", 99),
}


FORMS = {"legacy": (None, abi.LEGACY), "versioned": ((1, 0), abi.VERSIONED)}


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
class TestLies:
    @pytest.mark.parametrize(("version", "form"), FORMS.values(), ids=FORMS)
    def test_in_a_capsule_are_refused_with_their_library(self, device, foreign, take, version, form):
        lender = accel.container(np.arange(3.0))

        def gives(alter):
            capsule = lender.__dlpack__(max_version=version)
            alter(form.holds.from_address(abi.pointer(capsule, form.name)).tensor)
            return capsule

        for alter in MALFORMED.values():
            with pytest.raises((InterchangeError, DTypeError), match=r"DLPack from .*Foreign: "):
                take(foreign(lender, partial(gives, alter)))
        assert lender.to_numpy().tolist() == [0, 1, 2]

    def test_about_the_device_are_refused(self, device, foreign, take):
        lender = accel.zeros(3)
        for claimed in ((2, 0), (12, 3), (99, 0)):
            with pytest.raises(InterchangeError, match="Foreign: __dlpack_device__ returned"):
                take(foreign(lender, device=claimed))

    @pytest.mark.parametrize("kind", [BufferError, MemoryError, RuntimeError])
    def test_a_library_that_raises_is_named(self, device, foreign, take, kind):
        def gives():
            raise kind("no")

        with pytest.raises(InterchangeError, match=r"Foreign: __dlpack__ failed: .*no") as caught:
            take(foreign(accel.zeros(3), gives))
        assert type(caught.value.__cause__) is kind


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
def test_an_address_that_a_simulated_device_does_not_have_is_refused(foreign, take):
    before = kept(Device.SIM)
    lender = accel.zeros(3, device="sim")

    def gives():
        capsule = lender.__dlpack__(max_version=(1, 0))
        abi.VERSIONED.holds.from_address(abi.pointer(capsule, abi.VERSIONED.name)).tensor.data = 2**62
        return capsule

    with pytest.raises(InterchangeError, match="Foreign: sim has no such memory"):
        take(foreign(lender, gives))
    lender.release()
    assert kept(Device.SIM) == before
