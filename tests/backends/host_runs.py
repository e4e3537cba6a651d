"""Runs programs as code of the host, on NumPy arrays."""

import numpy as np
from accel.backends.common.host_kernels import host_kernel
from ml_dtypes import finfo

from accel.ir import View


def arguments_of(program, memories, numbers):
    """Return what a launch passes for arrays and numbers."""
    arguments = []
    for each in program.parameters:
        if not isinstance(each, View):
            arguments.append(numbers[each.name])
            continue
        array = memories[each.name]
        arguments.append(array.__array_interface__["data"][0])
        if each.rank:
            arguments += [*array.shape, *(stride // array.itemsize for stride in array.strides)]
    return arguments


def run(program, memories=None, numbers=None, *, grid=(1, 1, 1), block=(1, 1, 1)):
    """Run a program; return the first failure, and the results."""
    return host_kernel(program).run(arguments_of(program, memories or {}, numbers or {}), grid, block)


def value_of(made):
    """Run a program without parameters; return its result."""
    failure, (result,) = run(made)
    assert failure is None
    return result


def same(result, expected, *, ulps=0):
    """Tell whether arrays are equal, NaN equal to itself, and up to a number of units in the last place."""
    wide = (
        np.complex128 if expected.dtype.kind == "c" else np.float64 if expected.dtype.kind in "fV" else expected.dtype
    )
    result, exact = result.astype(wide), expected.astype(wide)
    if not ulps:
        return np.array_equal(result, exact, equal_nan=expected.dtype.kind in "fVc")
    limits = finfo(expected.dtype)
    step, least = float(limits.eps), float(limits.smallest_subnormal)
    return np.allclose(result, exact, rtol=ulps * step, atol=ulps * least, equal_nan=True)
