"""Special functions on a device are those of SciPy, with SciPy's arguments and dtypes."""

import inspect
import os

import numpy as np
import pytest

from accel import xp
from accel.xp import special

scipy_special = pytest.importorskip("scipy.special")
pytestmark = pytest.mark.cupy_kernels

WHOLE = {  # operands that are integers, by position
    **dict.fromkeys(["bdtr", "bdtrc", "bdtri"], (1,)),
    **dict.fromkeys(["expn", "multigammaln", "pdtri", "polygamma", "spherical_yn", "yn"], (0,)),
    **dict.fromkeys(["nbdtr", "nbdtrc", "nbdtri", "sph_harm_y"], (0, 1)),
}
# CuPy's kernels of these are not C++ for the host: one has a name that is a macro of C, the other mixes complex types.
NVRTC_ONLY = {"ellipj", "lambertw"}
NAMES = (
    set(special.__all__) - {"logsumexp", "multigammaln"} - (NVRTC_ONLY if "ACCEL_FAKE_CUDA" in os.environ else set())
)


@pytest.fixture(scope="module")
def gpu(request):
    """The first of the devices that are tested."""
    return request.config.getoption("--accel-devices").split(",")[0]


def check(found, expected):
    """Compare results with SciPy's; each of several by itself."""
    several = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for ours, theirs in several:
        values = np.asarray(ours.to_device("cpu"))
        assert (values.dtype, values.shape) == (theirs.dtype, theirs.shape)
        close = 1e-4 if theirs.dtype.name in {"float32", "complex64"} else 1e-9
        np.testing.assert_allclose(values, theirs, rtol=close, atol=close)


def operands_of(name):
    """Return operands in the domain of a function: a row and columns, for those of several."""
    parameters = inspect.signature(getattr(special, name)).parameters.values()
    count = sum("Array" in str(each.annotation) and each.default is each.empty for each in parameters)
    shapes = [(3,), (2, 1), (3,), (2, 1)]
    result = [np.linspace(0.2, 0.7, int(np.prod(shape))).reshape(shape) for shape in shapes[:count]]
    for position in WHOLE.get(name, ()):
        result[position] = np.arange(1, 1 + result[position].size).reshape(shapes[position]) - position
    return result


def test_every_name_but_one_that_the_backend_adds_is_one_of_cupys(gpu):
    cupy = pytest.importorskip("cupyx.scipy.special")
    assert [name for name in special.__all__ if not hasattr(cupy, name)] == ["stdtr"]


@pytest.mark.parametrize("name", sorted(NAMES))
def test_functions_return_what_scipy_returns(name, gpu):
    operands = operands_of(name)
    expected = getattr(scipy_special, name)(*operands)
    check(getattr(special, name)(*(xp.asarray(each, device=gpu) for each in operands)), expected)


def test_float32_stays_float32_beside_numbers(gpu):
    values = np.asarray([0.25, 0.5], np.float32)
    x = xp.asarray(values, device=gpu)
    for name in ("xlogy", "gammainc", "rel_entr"):
        check(getattr(special, name)(x, 0.5), getattr(scipy_special, name)(values, np.float32(0.5)))


def test_keywords_are_scipys(gpu):
    values = np.asarray([[3.5, 7.0], [4.0, 12.5]])
    x = xp.asarray(values, device=gpu)
    for how in ({}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}, {"b": -2.0, "return_sign": True}):
        check(special.logsumexp(x, **how), scipy_special.logsumexp(values, **how))
    check(special.softmax(x, axis=1), scipy_special.softmax(values, axis=1))
    check(special.zeta(x), scipy_special.zeta(values))
    check(special.polygamma(2, x), scipy_special.polygamma(2, values))
    for order in (0, 1, 2, 5):
        result = special.spherical_yn(order, x, derivative=True)
        check(result, scipy_special.spherical_yn(order, values, derivative=True))
    for dimensions in (2, xp.asarray(2, device=gpu)):
        check(special.multigammaln(x, dimensions), scipy_special.multigammaln(values, 2))
