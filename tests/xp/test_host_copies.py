"""The setting ``host_copies``: device arrays that functions of the host ask for are refused, or copied and counted."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from accel.errors import DeviceMismatchError, HostCopyWarning, InterchangeError
from accel.interchange.capsule import read_capsule

READS = {
    "asarray": np.asarray,
    "array": np.array,
    "to_numpy": lambda x: x.to_numpy(),
    "other dtype": lambda x: np.asarray(x, dtype=np.float32),
    "assignment": lambda x: assigned(np.zeros(3), x),
    "buffer": lambda x: np.asarray(x.__buffer__(0)),
    "sequence": lambda x: np.concatenate([np.asarray(x)]),
}
SETTINGS = ["never", "warn", "allow"]


def assigned(target, values):
    target[...] = values
    return target


@pytest.fixture
def x(sim):
    return xp.asarray([1.0, 2.0, 3.0], device=sim)


@pytest.fixture
def counted():
    """Return the copies since the start of the test."""
    before = xp.host_copies()
    return lambda: xp.host_copies() - before


@pytest.mark.parametrize("read", READS.values(), ids=READS)
class TestReading:
    def test_is_refused_without_the_setting(self, x, read, counted):
        with pytest.raises(DeviceMismatchError, match=r"write x\.to_device\('cpu'\), or accel\.using\(host_copies="):
            read(x)
        assert counted().copies == 0

    def test_gets_the_values_and_is_counted_with_it(self, x, read, counted):
        with accel.using(host_copies="allow"):
            assert read(x).tolist() == [1.0, 2.0, 3.0]
        assert (counted().copies, counted().nbytes) == (1, 24)

    def test_is_reported_if_that_is_asked_for(self, x, read):
        with accel.using(host_copies="warn"), pytest.warns(HostCopyWarning) as reported:
            read(x)
        assert len(reported) == 1
        assert str(reported[0].message) == (
            "NumPy needs 24 bytes that are on sim, and got a copy on the host; write x.to_device('cpu') to make the "
            "copy explicitly"
        )
        assert reported[0].filename == __file__

    @pytest.mark.parametrize("setting", SETTINGS)
    def test_of_arrays_on_the_host_is_no_copy(self, read, setting, counted):
        with accel.using(host_copies=setting):
            assert read(xp.asarray([1.0, 2.0, 3.0])).tolist() == [1.0, 2.0, 3.0]
        assert counted().copies == 0


class TestTheCopy:
    @pytest.mark.parametrize("dtype", [None, "float64", "float32"])
    def test_is_writable_as_compiled_code_may_refuse_read_only_memory(self, x, dtype):
        with accel.using(host_copies="allow"):
            values = np.asarray(x, dtype=dtype)
            values[0] = 9
            with pytest.raises(TypeError, match="read-only"):
                x.__buffer__(0)[0] = 9
        assert float(x[0]) == 1

    @pytest.mark.parametrize("flags", [0x01, 0x11C], ids=["writable", "with strides"])
    def test_is_not_made_for_who_can_take_an_array(self, x, flags, counted):
        with accel.using(host_copies="allow"), pytest.raises(BufferError, match=r"write x\.to_device\('cpu'\)"):
            x.__buffer__(flags)
        assert counted().copies == 0
        assert xp.asarray([1.0, 2.0]).__buffer__(flags).tolist() == [1, 2]

    def test_can_be_written_if_a_copy_was_asked_for(self, x):
        with accel.using(host_copies="allow"):
            for values in (np.array(x), np.array(x, dtype=np.float32), np.from_dlpack(x)):
                values[0] = 9
        assert float(x[0]) == 1

    def test_has_the_values_of_its_time(self, x):
        with accel.using(host_copies="allow"):
            values = np.asarray(x)
        x += 1
        assert values.tolist() == [1.0, 2.0, 3.0]

    @pytest.mark.parametrize("setting", SETTINGS)
    def test_is_not_made_if_none_may_be_made(self, x, setting, counted):
        with accel.using(host_copies=setting), warnings.catch_warnings(action="error"):
            with pytest.raises(ValueError, match="only by a copy; write copy=None"):
                np.array(x, copy=False)
            if setting != "never":
                with pytest.raises(InterchangeError, match="from sim to cpu are exchanged by a copy only"):
                    x.__dlpack__(copy=False)
        assert counted().copies == 0

    @pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::-1, :], lambda x: x[1, :], lambda x: x[:0, :]])
    @pytest.mark.parametrize("dtype", ["float32", "bool", "complex128", "bfloat16"])
    def test_has_the_elements_of_views(self, sim, view, dtype):
        values = np.asarray([[1, 0, 1], [0, 1, 1]]).astype(accel.dtypes.as_dtype(dtype))
        x = view(xp.asarray(values, device=sim))
        with accel.using(host_copies="allow"):
            np.testing.assert_array_equal(np.asarray(x), view(values))
            assert np.asarray(x).dtype == values.dtype


class TestDlpack:
    """No other library can read the simulated device, so its arrays are exchanged as copies on the host."""

    def test_is_counted(self, x, counted):
        with accel.using(host_copies="allow"):
            assert x.__dlpack_device__() == (1, 0)
            assert np.from_dlpack(x).tolist() == [1.0, 2.0, 3.0]
        assert (counted().copies, counted().nbytes) == (1, 24)

    @pytest.mark.parametrize("version", [None, (1, 0)])
    def test_is_a_copy_on_the_host(self, x, version):
        with accel.using(host_copies="allow"):
            contents = read_capsule(capsule := x.__dlpack__(max_version=version))
        assert (contents.device, contents.copied) == ((1, 0), version is not None)
        del capsule

    def test_without_the_setting_is_of_the_device(self, x, counted):
        assert x.__dlpack_device__() == (9, 0)
        assert read_capsule(x.__dlpack__()).device == (9, 0)
        with pytest.raises((BufferError, RuntimeError)):
            np.from_dlpack(x)
        assert counted().copies == 0

    def test_is_of_the_device_if_that_is_asked_for(self, x, counted):
        with accel.using(host_copies="allow"):
            assert read_capsule(x.__dlpack__(dl_device=(9, 0))).device == (9, 0)
        assert counted().copies == 0

    @pytest.mark.parametrize("setting", SETTINGS)
    def test_copies_that_the_consumer_asks_for_are_its_own(self, x, setting, counted):
        with accel.using(host_copies=setting):
            assert np.from_dlpack(x, device="cpu").tolist() == [1.0, 2.0, 3.0]
        assert counted().copies == 0

    @pytest.mark.parametrize("setting", SETTINGS)
    def test_our_own_import_leaves_arrays_where_they_are(self, x, setting, counted):
        with accel.using(host_copies=setting):
            assert xp.from_dlpack(x) is x
        assert counted().copies == 0


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_the_program_asks_for_is_not_counted(x, setting, counted):
    with accel.using(host_copies=setting), warnings.catch_warnings(action="error"):
        assert repr(x) == "Array([1., 2., 3.], dtype=float64, device=sim)"
        assert (float(x[0]), int(x[2]), bool(x[0] > 0), complex(x[1])) == (1.0, 3, True, 2 + 0j)
        assert [float(each) for each in x] == [1.0, 2.0, 3.0]
        for y in (x.to_device("cpu"), copy.copy(x), pickle.loads(pickle.dumps(x)), x.container().to("cpu")):
            assert y.size == 3
    assert counted().copies == 0


class TestCounting:
    def test_tells_the_places(self, x, counted):
        def ask():
            return np.asarray(x)

        with accel.using(host_copies="allow"):
            ask(), ask()
            np.asarray(x)
        places = counted().places
        assert sorted(places.values()) == [1, 2]
        assert all(place.startswith(f"{__file__}:") for place in places)
        assert [count for place, count in places.items() if place.endswith(" in ask")] == [2]

    @given(sizes=st.lists(st.integers(0, 9)))
    def test_adds_up(self, sizes):
        before = xp.host_copies()
        with accel.using(host_copies="allow"):
            for size in sizes:
                np.asarray(xp.ones(size, device="sim"))
        result = xp.host_copies() - before
        assert (result.copies, result.nbytes) == (len(sizes), 8 * sum(sizes))
        assert sum(result.places.values()) == result.copies

    def test_a_record_does_not_change(self, x):
        before = xp.host_copies()
        fields = (before.copies, before.nbytes, dict(before.places))
        with accel.using(host_copies="allow"):
            np.asarray(x)
        assert (before.copies, before.nbytes, before.places) == fields
        with pytest.raises(AttributeError):
            before.copies = 0

    def test_of_several_threads_is_exact(self, x, counted):
        def ask():
            with accel.using(host_copies="allow"):
                for _ in range(50):
                    np.asarray(x)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (counted().copies, counted().nbytes) == (200, 200 * 24)


class TestWarnings:
    def test_come_once_for_each_place(self, x):
        def ask(size):
            return np.asarray(x[:size])

        with accel.using(host_copies="warn"), warnings.catch_warnings(record=True, action="always") as reported:
            for size in range(4):
                ask(size)
            np.asarray(x)
        assert len(reported) == 2

    def test_come_again_when_the_filters_change(self, x):
        for _ in range(2):
            with accel.using(host_copies="warn"), pytest.warns(HostCopyWarning):
                np.asarray(x)

    def test_as_errors_come_each_time(self, x):
        with accel.using(host_copies="warn"), warnings.catch_warnings(action="error"):
            for _ in range(3):
                with pytest.raises(HostCopyWarning):
                    np.asarray(x)


def test_the_environment_sets_it_for_the_process(python):
    code = """
        import numpy as np
        from accel import xp
        print(np.asarray(xp.ones(3, device="sim")).tolist(), xp.host_copies().copies)
    """
    assert python(code, ACCEL_HOST_COPIES="allow") == "[1.0, 1.0, 1.0] 1"
