"""NumPy's functions that write, and methods of its ufuncs, on a device: NumPy's results, or a refusal with a remedy."""

import numpy as np
import pytest

from accel import xp
from accel.errors import DeviceMismatchError

from ..tables import rows
from ..xp import test_ufunc_methods as ufuncs
from ..xp import test_writing_functions as functions

pytestmark = pytest.mark.cupy_kernels

ALONG = frozenset({"differences", "quotients", "segments of a place", "segments by an array", "segments in a dtype"})
AT = frozenset({"another dtype", "one operand", "products", "quotients", "the largest", "the smallest"})
"""What CuPy lacks, or computes otherwise than NumPy."""


@pytest.fixture
def gpu(request):
    """The first of the devices that are tested."""
    return request.config.getoption("--accel-devices").split(",")[0]


def on(device, *values):
    return [xp.asarray(each, device=device, copy=True) for each in values]


def same(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one.to_device("cpu").to_numpy(), other, rtol=1e-14)


@rows("name", functions.CALLS)
def test_elements_are_written_as_by_numpy(name, gpu):
    x, expected = on(gpu, functions.X), [functions.X.copy()]
    functions.CALLS[name](*x)
    functions.CALLS[name](*expected)
    same(x, expected)


@rows("name", ufuncs.ACCUMULATED.keys() - ALONG)
def test_ufuncs_along_an_axis(name, gpu):
    call, values = ufuncs.ACCUMULATED[name], (ufuncs.X, ufuncs.N)
    same([call(*on(gpu, *values))], [call(*values)])


def test_what_cupy_has_not_is_refused_along_an_axis(gpu):
    n, x = on(gpu, ufuncs.N, ufuncs.X)
    for function, method, values, others, options in (
        (np.subtract, "accumulate", n, (), {}),
        (np.maximum, "reduceat", n, ([0, 1],), {}),
        (np.add, "reduceat", n, ([0, 1],), {"dtype": "float32"}),
        (np.add, "reduceat", x, ([0, 1],), {}),
    ):
        with pytest.raises(DeviceMismatchError, match=r"write x\.to_device\('cpu'\)"):
            ufuncs.called(function, method, values, *others, **options)


@rows("name", ufuncs.AT)
def test_ufuncs_at_indices(name, gpu):
    ours, expected = on(gpu, ufuncs.X, ufuncs.N), [ufuncs.X.copy(), ufuncs.N.copy()]
    if name in AT:
        with pytest.raises(DeviceMismatchError, match=r"write x\.to_device\('cpu'\)"):
            ufuncs.AT[name](*ours)
    else:
        ufuncs.AT[name](*ours)
        ufuncs.AT[name](*expected)
    same(ours, expected)


def test_segments_out_of_bounds_are_refused(gpu):
    (x,) = on(gpu, ufuncs.N)
    for indices in ([0, 9], xp.asarray([-1, 0], device=gpu)):
        with pytest.raises(IndexError, match="out of bounds"):
            ufuncs.called(np.add, "reduceat", x, indices)
