"""Random kernels agree with their functions in Python."""

from itertools import product

import numpy as np
from hypothesis import given, settings

from .frontend.execution import as_python, module_of, run
from .random_kernels import kernels

PYTHON = {
    "grid": lambda *extents: product(*map(range, extents)),
    "accumulator": lambda dtype, start: dtype(start),
    "vector": lambda *numbers: np.array(numbers),
}


@settings(max_examples=100, deadline=None)
@given(kernels())
def test_random_kernels_agree_with_python(tmp_path_factory, generated):
    function = module_of(generated.text, tmp_path_factory.getbasetemp()).kernel
    wanted = generated.arguments()
    with np.errstate(all="ignore"):
        expected = as_python(function, **PYTHON)(*wanted)
    expected = () if expected is None else expected if isinstance(expected, tuple) else (expected,)
    for debug in (False, True):
        result = generated.arguments()
        failure, results = run(function, *result, debug=debug)
        assert failure is None
        np.testing.assert_array_equal(results, expected)
        for one, other in zip(result, wanted, strict=True):
            if isinstance(one, np.ndarray):
                np.testing.assert_array_equal(one, other, strict=True)
