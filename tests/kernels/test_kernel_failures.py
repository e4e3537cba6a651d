"""The errors of debug mode: their text, and where they are raised."""

import gc

import numpy as np
import pytest

import accel
from accel.abc.kernels import Failure
from accel.errors import BoundsError, KernelBoundsError, KernelLaunchError
from accel.ir import Site
from accel.kernels.argument_types import any_value
from accel.kernels.failures import Explanation

CALLS = ("kernel", "/home/me/script.py", 11), ("writer", "/home/me/script.py", 7)


def explained(site, failure, value=None, launched=""):
    leaves = []
    if value is not None:
        any_value(value, "v", leaves)
    return Explanation("kernel", [site], {leaf.name: leaf.memory for leaf in leaves}, launched)(failure)


def test_an_access_out_of_range_has_the_text_that_quadrants_users_know_and_more():
    c = accel.zeros(24, "float32")
    error = explained(Site("write", "v", CALLS), Failure(0, 5, 0, 16, 16, 2, 3), c[8:])
    assert isinstance(error, KernelBoundsError)
    assert isinstance(error, BoundsError)
    assert str(error) == (
        "BufferView Out Of Range: kernel[kernel] tid=5, got index 16 (offset=10, size=16).\n"
        "Callstack:\n"
        "kernel (script.py:11)\n"
        "  writer (script.py:7)\n"
        "The access: write of the parameter 'v', axis 0, of dtype float32, in memory of 24 elements.\n"
        "In all, there were 3 accesses out of range; this is the first that was recorded."
    )


def test_indices_of_64_bits_are_shown_in_full():
    error = explained(Site("read", "v", CALLS), Failure(0, 2**40, 1, -(2**50), 2**33, 0, 1), np.zeros((2, 3)))
    assert f"tid={2**40}, got index {-(2**50)} (offset=0, size={2**33})." in str(error)
    assert "axis 1, of dtype float64, in memory of 6 elements" in str(error)


def test_an_array_of_the_kernel_has_no_memory_to_describe():
    error = explained(Site("read", "tile", CALLS), Failure(0, 1, 0, 4, 4, 0, 1))
    assert str(error).startswith("Array Out Of Range: kernel[kernel] tid=1, got index 4 (offset=0, size=4).")
    assert "read of the array 'tile', axis 0.\n" in str(error)


@pytest.mark.parametrize(
    ("what", "kind", "message"),
    [
        ("division", ZeroDivisionError, "Division By Zero: kernel[kernel] tid=1."),
        ("barrier", KernelLaunchError, "a barrier was not reached by all threads: kernel[kernel] tid=1."),
        ("warp", KernelLaunchError, "a shuffle or vote of a warp was not reached by all threads"),
        ("subview", KernelBoundsError, "sub-view of the parameter 'v'"),
    ],
)
def test_each_check_has_an_error_of_its_own(what, kind, message):
    error = explained(Site(what, "v", CALLS), Failure(0, 1, 0, 4, 4, 0, 1), np.zeros(4))
    assert type(error) is kind
    assert message in str(error)
    assert "  writer (script.py:7)" in str(error)


def test_a_late_error_tells_where_the_kernel_was_launched():
    error = explained(Site("read", "v", CALLS), Failure(0, 1, 0, 4, 4, 0, 1), np.zeros(4), "me.py:3 in main")
    assert error.__notes__ == ["launched at me.py:3 in main"]


def test_what_explains_a_failure_keeps_no_memory_alive():
    c = accel.zeros(24, "float32")
    leaves, owner = [], c.storage.owner
    any_value(c, "v", leaves)
    explain = Explanation("kernel", [Site("read", "v", CALLS)], {"v": leaves[0].memory})
    del c
    leaves.clear()
    gc.collect()
    assert owner.unused
    assert "in memory of 24 elements" in str(explain(Failure(0, 0, 0, 24, 24, 0, 1)))
