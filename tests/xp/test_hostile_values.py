"""Calls with unsupported values return an array of a supported dtype or raise an error."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DTypeError, OutOfMemoryError

SWEEP = Path(__file__).with_name("hostile_values.py")


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_any_argument_gives_an_array_or_an_error(device):
    done = subprocess.run(
        [sys.executable, SWEEP, device], check=False, capture_output=True, text=True, env={**os.environ}
    )
    assert (done.stdout.strip(), done.returncode) == ("True", 0), done.stderr


@pytest.mark.parametrize("device", ["cpu", "sim"])
class TestIntegersBeyond64Bits:
    """NumPy makes arrays of objects of them."""

    def test_make_no_arrays_of_objects(self, device):
        x = xp.asarray([0, 1, 2], device=device)
        for make in (
            lambda: xp.broadcast_arrays(x, 10**30),
            lambda: xp.meshgrid(x, 1 << 64),
            lambda: xp.concat([x, -(10**30)]),
            lambda: xp.take(10**30, x),
        ):
            with pytest.raises(OverflowError, match=r"is out of range for every integer dtype; write float"):
                make()

    def test_make_no_arrays_of_objects_where_they_are_ends_of_a_range(self, device):
        with pytest.raises(DTypeError, match=r"object"):
            xp.arange(10**30, 10**30 + 3, device=device)

    def test_are_numbers_where_numpy_has_room_for_them(self, device):
        x = xp.asarray([0.0, 1.0], device=device)
        assert float((x + 10**30)[1]) == 1e30
        assert float(xp.full(1, 10**30, dtype="float64", device=device)[0]) == 1e30
        assert not bool(xp.any(xp.asarray([1, 2], device=device) > 10**30))
        x[0] = 10**30
        assert float(x[0]) == 1e30


@pytest.mark.parametrize("number", [np.longdouble(3), np.clongdouble(3)])
def test_long_doubles_make_no_arrays(number):
    for make in (
        xp.asarray,
        lambda value: xp.full(3, value),
        lambda value: xp.linspace(0, value, 3),
        lambda value: xp.ones(3) + value,
    ):
        with pytest.raises(DTypeError, match=r"longdouble|float128|complex256"):
            make(number)


def test_a_range_to_a_long_double_is_refused_with_what_to_write():
    with pytest.raises(DTypeError, match=r"float\(number\)"):
        xp.arange(np.longdouble(3))
    assert xp.arange(np.longdouble(3), dtype="float64").dtype == "float64"


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_results_that_are_too_large_are_out_of_memory(device):
    x = xp.broadcast_to(xp.asarray([1.0], device=device), (1 << 44,))
    for compute in (
        lambda: xp.zeros(1 << 44, device=device),
        lambda: xp.sqrt(x),
        lambda: xp.concat([x, x]),
        lambda: x + x,
        lambda: -x,
        lambda: xp.astype(x, "float32"),
        lambda: xp.asarray(x, copy=True),
    ):
        with pytest.raises(OutOfMemoryError, match=r"memory|bytes|Unable to allocate"):
            compute()


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_number_is_an_array_of_no_axes_where_one_is_wanted(device):
    with accel.Device(device):
        assert float(xp.clip(5, xp.asarray(1), xp.asarray(3))) == 3
