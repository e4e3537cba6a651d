"""Calls with NumPy's keywords on a device: NumPy's results, or an error that says what to do."""

import os

import numpy as np
import pytest

from accel import xp
from accel.errors import CapabilityError

from ..tables import rows
from ..xp.test_every_keyword import ARRAYS, CALLS, METHODS, lines, outcome, same

pytestmark = pytest.mark.cupy_kernels

# Libraries of NVIDIA's compute some, with other signs; CuPy takes only arrays for the lists of `ediff1d`.
OTHERS = ("linalg.", "fft.", "ediff1d(", "X.tobytes(", "V.sort(", "V.partition(")


@pytest.fixture
def gpu(request):
    """The first of the devices that are tested."""
    return request.config.getoption("--accel-devices").split(",")[0]


@rows("call", [each for each in lines(CALLS) + lines(METHODS) if not each.startswith(OTHERS)])
def test_the_result_is_that_of_numpy_or_the_error_has_a_remedy(call, gpu):
    expected = outcome(call.replace(", out=o", "").replace("out=o, ", ""), np, ARRAYS)
    arrays = {name: xp.asarray(values, device=gpu, copy=True) for name, values in ARRAYS.items()}
    if "out=o" in call:
        arrays["o"] = xp.empty(expected.shape, dtype=expected.dtype, device=gpu)
    try:
        with xp.default_device(gpu):
            result = outcome(call, xp, arrays)
    except CapabilityError:
        return
    except (ImportError, RuntimeError):
        if "ACCEL_FAKE_CUDA" not in os.environ:  # it has neither NVIDIA's libraries nor machine code for GPUs
            raise
        return
    same(result, expected)
    assert "out=o" not in call or result is arrays["o"]
