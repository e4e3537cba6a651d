"""Export: DLPack capsules of containers and arrays, used by other libraries."""

import gc
import pickle
import threading

import ml_dtypes
import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import InFlightError, InterchangeError, ReleasedError
from accel.interchange.abi import VERSIONED, pointer
from accel.interchange.capsule import make_capsule, read_capsule
from accel.memory import snapshot

from ..threads import run_at_once

pytestmark = pytest.mark.usefixtures("no_leaks")

NUMPY = ["bool", "int8", "int64", "uint16", "float16", "float32", "float64", "complex64", "complex128"]
ODD = {"bfloat16": (4, 16), "float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8)}


def container(dtype="float64", device="cpu"):
    return accel.container(np.array([1, 0, 1, 1]).astype(accel.dtypes.as_dtype(dtype)), device=device)


MAKERS = {
    "container": container,
    "array": lambda dtype="float64": xp.asarray([[1, 0], [1, 1]], dtype=dtype),
    "array on a container": lambda dtype="float64": xp.asarray(container(dtype)),
    "column": lambda dtype="float64": xp.asarray([[1, 0], [1, 1]], dtype=dtype)[:, 1],
    "no axes": lambda dtype="float64": xp.asarray(1, dtype=dtype),
    "no elements": lambda dtype="float64": xp.zeros((2, 0, 3), dtype=dtype),
    "no elements in a container": lambda dtype="float64": accel.empty(0, dtype),
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS.keys())
def make(request):
    return request.param


def host_values(x):
    return np.asarray(x if x.device is Device.CPU else x.to("cpu"))


def pinned_on(device):
    gc.collect()
    return next(usage.kept_blocks for usage in snapshot().devices if usage.device is device)


class TestNumpyLooks:
    @pytest.mark.parametrize("dtype", NUMPY)
    def test_at_the_same_memory(self, make, dtype):
        lender = make(dtype)
        seen = np.from_dlpack(lender)
        assert seen.dtype == dtype
        np.testing.assert_array_equal(seen, host_values(lender))
        seen[...] = 0
        assert not host_values(lender).any()

    def test_also_after_the_handle_is_released(self):
        lender = accel.full(1000, 7.0)
        seen = np.from_dlpack(lender)
        lender.release()
        assert pinned_on(Device.CPU) == 1
        accel.zeros(1000).release()  # would get the same block if it were free
        assert (seen == 7).all()
        del seen
        assert pinned_on(Device.CPU) == 0

    def test_at_an_empty_container(self):
        assert np.from_dlpack(accel.AcceleratorDataContainer()).shape == (0,)

    def test_not_at_released_memory(self, make):
        lender = make()
        lender.release() if hasattr(lender, "release") else lender.storage.release()
        with pytest.raises(ReleasedError):
            lender.__dlpack__()

    def test_again_and_again(self):
        lender = accel.zeros(3)
        first, second = np.from_dlpack(lender), np.from_dlpack(lender)
        first[0] = 4
        assert second[0] == lender[0] == 4

    def test_without_spoiling_what_it_looked_at_first(self):
        lender = accel.zeros(4)
        np.asarray(lender).flags.writeable = False
        assert np.from_dlpack(lender).flags.writeable


class TestCopies:
    def test_are_made_if_told_so(self, make):
        lender = make()
        capsule = lender.__dlpack__(max_version=(1, 0), copy=True)
        assert read_capsule(capsule).copied
        assert not read_capsule(lender.__dlpack__(max_version=(1, 0), copy=False)).copied
        assert not np.shares_memory(np.from_dlpack(lender, copy=True), host_values(lender))

    @pytest.mark.parametrize("view", [np.s_[::-1], np.s_[:, ::-1], np.s_[::-1, ::2], np.s_[:1, ::-1]])
    def test_are_made_of_reversed_elements(self, view):
        lender = xp.reshape(xp.arange(12), (3, 4))[view]
        seen = np.from_dlpack(lender)
        assert min(seen.strides) > 0
        np.testing.assert_array_equal(seen, np.asarray(lender))
        with pytest.raises(InterchangeError, match="in reverse order are exchanged by a copy only"):
            lender.__dlpack__(copy=False)

    def test_outlive_what_they_were_made_of(self):
        lender = accel.full(1000, 3.0)
        seen = np.from_dlpack(lender, copy=True)
        lender.fill(0)
        lender.release()
        assert (seen == 3).all()


class TestReadOnlyMemory:
    @pytest.fixture(params=["container", "array", "broadcast"])
    def lender(self, request):
        if request.param == "broadcast":
            return xp.broadcast_to(xp.ones(3), (2, 3))
        values = np.ones(3)
        values.flags.writeable = False
        return accel.from_numpy(values) if request.param == "container" else xp.asarray(values)

    def test_stays_so(self, lender):
        assert not np.from_dlpack(lender).flags.writeable
        assert read_capsule(lender.__dlpack__(max_version=(1, 0))).readonly

    def test_has_no_legacy_capsule(self, lender):
        for version in (None, (0, 8)):
            with pytest.raises(InterchangeError, match="copy=True"):
                lender.__dlpack__(max_version=version)

    def test_has_copies_that_can_be_written(self, lender):
        assert not read_capsule(lender.__dlpack__(copy=True)).readonly


class TestForms:
    @pytest.mark.parametrize(("version", "name"), [(None, '"dltensor"'), ((0, 9), '"dltensor"')])
    def test_legacy(self, make, version, name):
        assert name in repr(make().__dlpack__(max_version=version))

    @pytest.mark.parametrize("version", [(1, 0), (1, 3), (2, 0)])
    def test_versioned(self, make, version):
        assert '"dltensor_versioned"' in repr(make().__dlpack__(max_version=version))

    @pytest.mark.parametrize("dtype", ODD)
    @pytest.mark.parametrize("version", [None, (1, 1)])
    def test_dtypes_that_numpy_cannot_export(self, make, dtype, version, foreign):
        lender = make(dtype)
        capsule = lender.__dlpack__(max_version=version)
        assert read_capsule(capsule).dtype == getattr(ml_dtypes, dtype)
        np.testing.assert_array_equal(np.asarray(xp.from_dlpack(foreign(lender))), host_values(lender))

    @pytest.mark.parametrize("device", [(2, 0), (1, 1), (9, 0)])
    def test_devices_that_cannot_be_had(self, make, device):
        with pytest.raises(InterchangeError, match="host"):
            make().__dlpack__(dl_device=device)

    @pytest.mark.parametrize("stream", [-1, 0, 1, 2, 77, True, "1", -1.0])
    def test_the_host_has_no_streams(self, make, stream):
        with pytest.raises(InterchangeError, match="stream=None"):
            make().__dlpack__(stream=stream)

    def test_memory_with_steps_of_half_an_element(self):
        pairs = np.zeros(4, [("low", "<i2"), ("value", "<i4")])
        with pytest.raises(InterchangeError, match="copy=True"):
            make_capsule(pairs["value"], Device.CPU, versioned=True)


class TestAccelerators:
    @pytest.fixture
    def lender(self, toy):
        with accel.container([1, 2, 3], "float32", device="sim:1") as made:
            yield made

    @pytest.mark.parametrize("dtype", ["float32", "bool", *ODD])
    def test_lend_addresses_of_their_own(self, toy, dtype):
        with container(dtype, "sim:1") as lender:
            contents = read_capsule(lender.__dlpack__(max_version=(1, 0)))
            assert lender.__dlpack_device__() == contents.device == (9, 1)
            assert (contents.address, contents.shape, contents.dtype.name) == (lender.unsafe_ptr(), (4,), dtype)

    def test_give_no_address_where_there_are_no_bytes(self, toy):
        capsule = accel.empty(0, device="sim").__dlpack__(max_version=(1, 0))
        managed = VERSIONED.holds.from_address(pointer(capsule, VERSIONED.name))
        assert (managed.tensor.data, managed.tensor.shape[0]) == (None, 0)

    def test_keep_what_they_lend(self, lender):
        capsule = lender.__dlpack__()
        lender.release()
        assert pinned_on(Device.SIM[1]) == 1
        del capsule
        assert pinned_on(Device.SIM[1]) == 0

    def test_copy_to_the_host_if_asked(self, lender):
        capsule = lender.__dlpack__(max_version=(1, 0), dl_device=(1, 0))
        contents = read_capsule(capsule)
        assert (contents.device, contents.copied) == ((1, 0), True)
        assert np.from_dlpack(lender, device="cpu").tolist() == [1, 2, 3]
        with pytest.raises(InterchangeError, match="from sim:1 to cpu"):
            lender.__dlpack__(dl_device=(1, 0), copy=False)

    def test_copy_in_place_if_asked(self, lender):
        contents = read_capsule(capsule := lender.__dlpack__(max_version=(1, 0), copy=True))
        assert contents.device == (9, 1)
        assert contents.address != lender.unsafe_ptr()
        assert contents.copied
        del capsule

    def test_are_not_reached_by_numpy(self, lender):
        with pytest.raises((BufferError, RuntimeError)):
            np.from_dlpack(lender)

    def test_have_a_number_for_no_waiting_and_no_other(self, lender):
        assert lender.__dlpack__(stream=-1)
        for stream in (0, 1, 7, -2, True, "1", -1.0):
            with pytest.raises(InterchangeError, match="stream=None"):
                lender.__dlpack__(stream=stream)


class TestWorkInFlight:
    @pytest.fixture
    def busy(self):
        """A container that a stream is to fill with ones, as soon as it may."""
        go = threading.Event()
        with accel.zeros(50_000) as target, accel.full(50_000, 1.0) as source, accel.new_stream() as stream:
            stream.submit(go.wait)
            target.copy_from_async(source, stream=stream)
            yield target, go
            go.set()
            stream.synchronize()

    @pytest.mark.parametrize("look", [lambda c: c, xp.asarray], ids=["container", "array"])
    def test_is_waited_for(self, busy, look):
        target, go = busy
        threading.Timer(0.05, go.set).start()
        assert (np.from_dlpack(look(target)) == 1).all()

    @pytest.mark.parametrize("look", [lambda c: c, lambda c: c.storage, xp.asarray])
    def test_is_waited_for_by_pickles(self, busy, look):
        target, go = busy
        threading.Timer(0.05, go.set).start()
        assert (np.asarray(pickle.loads(pickle.dumps(look(target)))) == 1).all()

    def test_is_an_error_in_strict_mode(self, busy):
        with accel.using(strict=True), pytest.raises(InFlightError):
            busy[0].__dlpack__()


class TestLifetime:
    @pytest.mark.parametrize("version", [None, (1, 0)])
    def test_capsules_that_are_not_consumed_leave_nothing(self, make, version):
        lender = make()
        before = snapshot().live_blocks
        for _ in range(15_000):  # seven makers and two forms: 2 * 10**5 capsules
            lender.__dlpack__(max_version=version)
            lender.__dlpack__(max_version=version, copy=None)
        assert snapshot().live_blocks == before
        assert pinned_on(Device.CPU) == 0

    def test_capsules_of_dropped_containers_leave_nothing(self):
        for _ in range(5000):
            accel.empty(10).__dlpack__()
        assert pinned_on(Device.CPU) == 0

    def test_a_taker_that_raises_half_way_loses_nothing(self, make):
        class Taker:
            def __init__(self, capsule):
                self.capsule = capsule
                raise RuntimeError("half-way")

        with pytest.raises(RuntimeError, match="half-way"):
            Taker(make().__dlpack__())
        assert pinned_on(Device.CPU) == 0

    def test_the_last_use_may_end_on_any_thread(self, toy):
        kept = [np.from_dlpack(accel.zeros(1000)) for _ in range(20)]
        kept += [accel.zeros(1000, device="sim").__dlpack__() for _ in range(20)]
        assert pinned_on(Device.SIM) == 20
        run_at_once([kept.pop] * 40)
        assert pinned_on(Device.SIM) == pinned_on(Device.CPU) == 0

    def test_the_interpreter_exits_with_capsules_and_arrays_in_use(self, python):
        code = """
            import threading, time
            import numpy as np
            import accel
            from accel import xp

            capsules = [accel.zeros(9).__dlpack__(), xp.zeros(9).__dlpack__(max_version=(1, 0))]
            arrays = [np.from_dlpack(accel.zeros(9)), np.from_dlpack(xp.asarray(accel.zeros(9)))]
            back = [accel.from_dlpack(arrays[0]), xp.from_dlpack(arrays[1])]

            class Foreign:
                def __init__(self, x): self.x = x
                def __dlpack__(self, **keywords): return self.x.__dlpack__(**keywords)
                def __dlpack_device__(self): return 1, 0

            received = [accel.from_dlpack(Foreign(arrays[0])), xp.from_dlpack(Foreign(np.ones(9)))]
            exported = np.asarray(received[0]), np.from_dlpack(received[1])
            cycle = [received]; cycle.append(cycle)
            np.kept_for_ever = capsules, arrays, back, received, exported, cycle

            def hold(x=accel.zeros(9).__dlpack__()):
                while True:
                    np.from_dlpack(back[1]), time.sleep(0.001)

            threading.Thread(target=hold, daemon=True).start()
            time.sleep(0.01)
            print("over")
        """
        assert python(code) == "over"
