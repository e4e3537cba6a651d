"""Assignment to slices of containers, on host and device: exact as in NumPy, all elements or none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import xp
from accel.errors import DTypeError, ReadOnlyError, ReleasedError
from accel.layout import Layout
from accel.views import Buffer

pytestmark = pytest.mark.usefixtures("no_leaks")

QUICK = settings(max_examples=100, deadline=None, database=None)
DEVICES = pytest.mark.parametrize("device", ["cpu", "sim"])
SIZE = 12
bounds = st.none() | st.integers(-SIZE - 2, SIZE + 2)


def numbers(size, dtype="float64"):
    return np.arange(1, size + 1).astype(dtype)


@DEVICES
class TestSlices:
    @QUICK
    @given(start=bounds, stop=bounds, value=st.integers(-100, 100))
    def test_take_one_value_for_all(self, device, start, stop, value):
        model = np.zeros(SIZE, "int8")
        with accel.zeros(SIZE, "int8", device) as c:
            c[start:stop] = value
            model[start:stop] = value
            assert np.array_equal(c.to_numpy(), model)

    @QUICK
    @given(start=bounds, stop=bounds, seed=st.integers(0, 9))
    def test_take_as_many_values_as_they_have(self, device, start, stop, seed):
        model = np.zeros(SIZE)
        given = np.random.default_rng(seed).random(model[start:stop].size)
        with accel.zeros(SIZE, device=device) as c:
            for values in (given, given.tolist(), tuple(given), xp.asarray(given)):
                c[:] = 0
                c[start:stop] = values
                model[start:stop] = given
                assert np.array_equal(c.to_numpy(), model)

    @QUICK
    @given(into=st.integers(0, SIZE), out_of=st.integers(0, SIZE), size=st.integers(0, SIZE))
    def test_take_what_lies_in_the_same_memory(self, device, into, out_of, size):
        size = min(size, SIZE - into, SIZE - out_of)
        model = numbers(SIZE)
        with accel.container(model, device=device) as c:
            c[into : into + size] = c[out_of : out_of + size]
            model[into : into + size] = model[out_of : out_of + size].copy()
            assert np.array_equal(c.to_numpy(), model)

    @pytest.mark.parametrize("there", ["cpu", "sim", "sim:1"])
    def test_take_memory_of_every_kind_from_every_device(self, device, there):
        with accel.container(numbers(6), device=there) as source, accel.zeros(8, device=device) as c:
            for given in (
                source,
                source.storage,
                source[:],
                Buffer(source),
                source.view(Layout(6)),
                xp.asarray(source),
            ):
                c[:] = 0
                c[1:7] = given
                assert c.to_numpy().tolist() == [0, 1, 2, 3, 4, 5, 6, 0]

    @pytest.mark.parametrize("there", ["cpu", "sim"])
    def test_take_other_dtypes_exactly(self, device, there):
        with accel.zeros(3, "float32", device) as c, accel.container([1, 2, 3], "int8", there) as source:
            c[:] = source
            assert c.to_numpy().tolist() == [1, 2, 3]
            c[1:] = xp.asarray([0.5, 0.25], device=there)
            assert c.to_numpy().tolist() == [1, 0.5, 0.25]
            c[:2] = xp.sum(xp.asarray(source))
            assert c.to_numpy().tolist() == [6, 6, 0.25]

    @pytest.mark.parametrize(
        ("value", "error", "words"),
        [
            ([1, 2], ValueError, r"shape \(2,\) cannot be written to shape \(3,\)"),
            ([1], ValueError, r"shape \(1,\) cannot be written to shape \(3,\)"),
            (np.zeros((2, 2), "int8"), ValueError, r"shape \(2, 2\) cannot be written"),
            ([1, 2, 300], OverflowError, "300 is out of range for int8"),
            (300, OverflowError, "out of range"),
            ([1, 2, 3.5], DTypeError, "float64 cannot be stored as int8"),
            (1j, DTypeError, "complex128"),
            ("abc", DTypeError, "cannot be stored"),
            (None, DTypeError, "cannot be stored"),
        ],
    )
    def test_refuse_what_does_not_fit_and_stay_as_they_were(self, device, value, error, words):
        with accel.container([1, 2, 3, 4, 5], "int8", device) as c:
            with pytest.raises(error, match=words):
                c[1:4] = value
            assert c.to_numpy().tolist() == [1, 2, 3, 4, 5]

    @pytest.mark.parametrize("there", ["cpu", "sim"])
    def test_refuse_memory_that_does_not_fit(self, device, there):
        with accel.zeros(3, "int8", device) as c, accel.container([1, 2, 300], device=there) as source:
            for given, error in (
                (source, OverflowError),
                (source[:2], ValueError),
                (xp.asarray(source), OverflowError),
            ):
                with pytest.raises(error):
                    c[:] = given
            assert c.to_numpy().tolist() == [0, 0, 0]

    def test_have_no_steps(self, device):
        with accel.zeros(6, device=device) as c, pytest.raises(ValueError, match=r"write xp\.asarray\(v\)\[::2\]"):
            c[::2] = 1

    def test_of_released_memory_are_refused(self, device):
        c = accel.zeros(6, device=device)
        c.release()
        for value in (1, numbers(6)):
            with pytest.raises(ReleasedError):
                c[:] = value


def test_numpy_may_look_at_the_same_memory():
    with accel.container(numbers(5)) as c:
        c[:] = np.asarray(c)[::-1]
        assert c.to_numpy().tolist() == [5, 4, 3, 2, 1]


def test_an_empty_container_has_a_slice_without_elements():
    c = accel.AcceleratorDataContainer()
    c[:] = 3
    c[:] = []
    with pytest.raises(ValueError, match=r"shape \(1,\) cannot be written to shape \(0,\)"):
        c[:] = [3]


def test_read_only_memory_is_not_written():
    array = numbers(3)
    array.flags.writeable = False
    with accel.from_numpy(array) as c:
        for value in (9, [7, 8, 9], accel.zeros(3)):
            with pytest.raises(ReadOnlyError):
                c[:] = value
    assert array.tolist() == [1, 2, 3]


def test_slices_of_views_take_the_same():
    with accel.zeros(6) as c:
        c[1:5][1:3] = [7, 8]
        c[4:][:] = 9
        assert c.to_numpy().tolist() == [0, 0, 7, 8, 9, 9]
