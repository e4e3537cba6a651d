"""`xp.special`: SciPy's functions on our arrays, on the host and on a device, and SciPy's own calls of them."""

import inspect
import tomllib
import typing

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, mutually_broadcastable_shapes

from accel import xp
from accel.abc import SupportsSpecial
from accel.device import Device
from accel.errors import BoundsError, CapabilityError, DeviceMismatchError, ReleasedError
from accel.memory import heap_of
from accel.xp import special
from accel.xp.array_library import ArrayLibrary

from ..tables import rows

REDUCTIONS = {"log_softmax", "logsumexp", "softmax"}
ELEMENTWISE = sorted(set(special.__all__) - REDUCTIONS - {"multigammaln"})
WHOLE = {  # operands that SciPy takes as integers, by position
    **dict.fromkeys(["bdtr", "bdtrc", "bdtri"], (1,)),
    **dict.fromkeys(["expn", "pdtri", "polygamma", "spherical_yn", "yn"], (0,)),
    **dict.fromkeys(["nbdtr", "nbdtrc", "nbdtri", "sph_harm_y"], (0, 1)),
}
REALS = [0.0, -0.0, 0.25, 0.5, 1.0, 2.0, -1.5, 7.0, np.nan, np.inf, -np.inf]
DTYPES = ["float32", "float32", "float64", "int32", "complex64"]
DEVICES = ["cpu", "sim"]


def operands_of(function):
    """Count the operands that a function needs."""
    parameters = inspect.signature(function).parameters.values()
    return sum("Array" in str(each.annotation) and each.default is each.empty for each in parameters)


def on_host(result):
    """Return a result, or several, as NumPy arrays."""
    results = result if isinstance(result, tuple) else (result,)
    return [np.asarray(each.to_device("cpu") if isinstance(each, xp.Array) else each) for each in results]


def check(result, expected, device):
    """Check that results are equal in every bit, except in those of NaN, and on the device."""
    several = result if isinstance(result, tuple) else (result,)
    assert all(type(each) is xp.Array and str(each.device) == device for each in several)
    for ours, theirs in zip(on_host(result), on_host(expected), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def outcome(function, *operands):
    """Return what a function returns; for an error, its builtin class."""
    try:
        return function(*operands)
    except (TypeError, ValueError) as error:
        return TypeError if isinstance(error, TypeError) else ValueError


def promoted(name, operands):
    """Return operands with each Python number in the dtype that the array standard gives it."""
    if not isinstance(getattr(scipy.special, name), np.ufunc):
        return operands
    return [
        np.asarray(each, each.dtype if isinstance(each, np.ndarray) else np.result_type(*operands)) for each in operands
    ]


@st.composite
def calls(draw):
    """The name of a function, and its operands: arrays with any strides, and Python numbers."""
    name = draw(st.sampled_from(ELEMENTWISE))
    count = operands_of(getattr(special, name))
    shapes = draw(mutually_broadcastable_shapes(num_shapes=count, max_dims=3, max_side=3, min_side=0)).input_shapes
    operands = []
    for position, shape in enumerate(shapes):
        whole = position in WHOLE.get(name, ())
        dtype = np.dtype("int64" if whole else draw(st.sampled_from(DTYPES)))
        values = st.sampled_from(REALS if dtype.kind in "fc" else [0, 1, 2, 3])
        array = draw(arrays(dtype, shape, elements=values))
        operands.append(array[::-1].T if draw(st.booleans()) and array.ndim else array)
    if count > 1 and draw(st.booleans()):
        operands[draw(st.integers(0, count - 1))] = draw(st.sampled_from([1, 2]))
    return name, operands


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:non-integer arg:DeprecationWarning")  # SciPy's
@pytest.mark.parametrize("device", DEVICES)
@given(call=calls())
@settings(max_examples=100)
def test_every_function_returns_what_scipy_returns(device, call):
    name, operands = call
    expected = outcome(getattr(scipy.special, name), *promoted(name, operands))
    ours = [xp.asarray(each, device=device) if isinstance(each, np.ndarray) else each for each in operands]
    result = outcome(getattr(special, name), *ours)
    if isinstance(expected, type):
        assert result is expected
    else:
        check(result, expected, device)


@pytest.mark.parametrize("device", DEVICES)
@rows("name", ELEMENTWISE)
def test_each_function_is_scipys(name, device):
    function = getattr(special, name)
    count = operands_of(function)
    operands = [np.asarray([0.25, 0.5, 0.75], np.float32) for _ in range(count)]
    for position in WHOLE.get(name, ()):
        operands[position] = np.asarray([1, 2, 3])
    check(
        function(*(xp.asarray(each, device=device) for each in operands)),
        getattr(scipy.special, name)(*operands),
        device,
    )


FLOATING = [name for name in ELEMENTWISE if isinstance(getattr(scipy.special, name), np.ufunc) and name not in WHOLE]


@rows("name", FLOATING)
def test_float32_stays_float32(name):
    function = getattr(special, name)
    x = xp.asarray([0.25, 0.5], dtype="float32")
    results = function(x, *[0.5] * (operands_of(function) - 1))
    assert {each.dtype for each in (results if isinstance(results, tuple) else (results,))} == {np.dtype("float32")}


def test_ufuncs_of_scipy_that_are_numpys_too_compute_on_the_device(sim):
    x = xp.asarray([0.5, 1.75, -2.5], device=sim)
    for name in ("cbrt", "exp2", "expm1", "log1p", "round"):
        result = getattr(scipy.special, name)(xp.abs(x))
        check(result, getattr(scipy.special, name)(np.asarray([0.5, 1.75, 2.5])), "sim")


@rows("name", [name for name in ELEMENTWISE if isinstance(getattr(scipy.special, name), np.ufunc)])
def test_ufuncs_of_scipy_compute_on_the_device(name, sim):
    function = getattr(scipy.special, name)
    operands = [np.asarray([1, 2] if i in WHOLE.get(name, ()) else [0.25, 0.5]) for i in range(function.nin)]
    ours = [xp.asarray(each, device=sim) for each in operands]
    check(function(*ours), function(*operands), "sim")


MATRIX = np.asarray([[0.5, -np.inf, 1000.0], [2.0, -np.inf, 1001.0]])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex128"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("name", sorted(REDUCTIONS))
def test_reductions_return_what_scipy_returns(name, axis, dtype, device):
    values = (MATRIX if dtype != "int64" else np.asarray([[1, 2], [3, 4]])).astype(dtype)
    expected = getattr(scipy.special, name)(values, axis=axis)
    check(getattr(special, name)(xp.asarray(values, device=device), axis=axis), expected, device)


@pytest.mark.parametrize("device", DEVICES)
def test_logsumexp_takes_factors_and_returns_the_sign(device):
    values, factors = np.asarray([1.0, 2.0, 3.0]), np.asarray([1.0, -2.0, -0.5])
    x, b = xp.asarray(values, device=device), xp.asarray(factors, device=device)
    for how in ({}, {"keepdims": True}, {"return_sign": True}, {"axis": 0, "keepdims": True, "return_sign": True}):
        check(special.logsumexp(x, b=b, **how), scipy.special.logsumexp(values, b=factors, **how), device)
    check(special.logsumexp(x, b=2), scipy.special.logsumexp(values, b=2), device)


@pytest.mark.parametrize("device", DEVICES)
def test_multigammaln_takes_a_number_or_an_array_of_no_axes(device):
    values = np.asarray([[3.5, 7.0]])
    x = xp.asarray(values, device=device)
    for dimensions in (2, xp.asarray(2, device=device)):
        check(special.multigammaln(x, dimensions), scipy.special.multigammaln(values, 2), device)
    with pytest.raises(ValueError, match="not met"):
        special.multigammaln(x, 100)


@pytest.mark.parametrize("device", DEVICES)
def test_keywords_are_scipys(device):
    values = np.asarray([0.5, 2.0])
    x, orders = xp.asarray(values, device=device), xp.asarray([1, 2], device=device)
    check(special.lambertw(x, k=-1, tol=1e-6), scipy.special.lambertw(values, k=-1, tol=1e-6), device)
    check(special.lambertw(x, orders), scipy.special.lambertw(values, np.asarray([1, 2])), device)
    check(special.spherical_yn(1, x, derivative=True), scipy.special.spherical_yn(1, values, derivative=True), device)
    check(special.zeta(x, q=2.5), scipy.special.zeta(values, q=2.5), device)
    check(special.zeta(x), scipy.special.zeta(values), device)


def test_operands_on_two_devices_are_refused(sim):
    here, there = xp.ones(2), xp.ones(2, device="sim")
    with pytest.raises(DeviceMismatchError, match="on cpu and sim; move one"):
        special.xlogy(here, there)
    with pytest.raises(DeviceMismatchError, match="on cpu and sim; move one"):
        special.logsumexp(here, b=there)


@pytest.mark.parametrize(
    "call", [lambda: special.erf(None), lambda: special.xlogy("a", None), lambda: special.logsumexp({1})]
)
def test_without_an_operand_the_error_says_how_to_make_an_array(call):
    with pytest.raises(TypeError, match=r"write xp\.asarray\(values\)"):
        call()


def test_numbers_alone_are_computed():
    assert float(special.erf(np.float64(0.0))) == float(special.xlogy(1, 1)) == 0.0
    assert float(special.logsumexp([0.0])) == 0.0


def test_memory_that_was_released_is_not_read():
    x = xp.ones(3)
    x.storage.release()
    for function in (special.erf, special.logsumexp):
        with pytest.raises(ReleasedError):
            function(x)


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
def test_an_axis_that_is_not_there_is_refused(name):
    with pytest.raises((ValueError, BoundsError), match="axis 5"):
        getattr(special, name)(xp.ones(3), axis=5)


def test_backends_without_special_functions_say_so():
    class Arrays:
        def namespace(self, device):
            return np

    assert not isinstance(Arrays(), SupportsSpecial)
    assert isinstance(heap_of(Device.CPU).backend, SupportsSpecial)
    with pytest.raises(
        CapabilityError, match=r"sim has no special functions; move arrays, as in x\.to_device\('cpu'\)"
    ):
        ArrayLibrary(Device.SIM, Arrays()).special  # noqa: B018 - the access is the test


def test_the_number_of_operands_is_scipys():
    for name in special.__all__:
        function = getattr(scipy.special, name)
        if isinstance(function, np.ufunc):
            assert (name, operands_of(getattr(special, name))) == (name, function.nin)


def test_functions_say_what_they_are():
    for name in special.__all__:
        function = getattr(special, name)
        assert function.__name__ == name
        assert function.__doc__.partition("\n")[0].endswith(".")
        assert typing.get_type_hints(function)["return"] is not None
    assert "https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erf.html" in special.erf.__doc__


def test_the_extension_is_loaded_at_its_first_use_and_scipy_at_the_first_call(python):
    code = """
        import sys
        import accel.xp as xp
        assert "special" in dir(xp) and "special" in xp.__all__ and not hasattr(xp, "specials")
        assert "accel.xp.special" not in sys.modules
        special = xp.special
        assert special is sys.modules["accel.xp.special"] and "scipy" not in sys.modules
        import accel.xp.special
        from accel.xp import special as same
        assert same is special is accel.xp.special
        x = special.erf(xp.asarray([0.5]))
        print("scipy.special" in sys.modules)
    """
    assert python(code) == "True"


def test_without_scipy_the_error_says_what_to_install(python, root):
    code = """
        import sys
        sys.modules["scipy"] = None
        import accel.xp as xp
        from accel.errors import CapabilityError
        assert hasattr(xp, "special")
        for device in "cpu", "sim":
            try:
                xp.special.erf(xp.ones(2, device=device))
            except CapabilityError as error:
                print(error)
    """
    lines = python(code).splitlines()
    remedy = "pip install 'accel-container[special]'"
    for device, line in zip(DEVICES, lines, strict=True):
        assert line.startswith(f"special functions on {device} are computed by SciPy, which cannot be imported (")
        assert line.endswith(remedy)
    assert "special" in tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]


# The names of those functions of SciPy that choose a library are printed with what SciPy's own array library returns.
CALLED_BY_SCIPY = """
    import inspect
    import numpy as np
    import scipy.special
    from scipy.special._support_alternative_backends import __all__ as choosing
    from accel import xp

    whole = {whole}
    for name in sorted({{*choosing}} & {{*xp.special.__all__}}):
        function = getattr(scipy.special, name)
        parameters = inspect.signature(getattr(xp.special, name)).parameters.values()
        operands = [np.asarray([2.0, 3.0]) for each in parameters if "Array" in str(each.annotation)]
        for position in whole.get(name, ()):
            operands[position] = np.asarray([1, 2])
        if name == "multigammaln":
            operands[1] = 2
        expected = function(*operands)
        for device in "cpu", "sim":
            ours = [xp.asarray(each, device=device) if isinstance(each, np.ndarray) else each for each in operands]
            found = function(*ours)
            assert type(found) is xp.Array and str(found.device) == device, name
            np.testing.assert_array_equal(np.asarray(found.to_device("cpu")), expected, strict=True)
        print(name)
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device="sim")
    for function in scipy.special.logsumexp, scipy.special.softmax, scipy.special.log_softmax:
        assert str(function(x, axis=0).device) == "sim"
    # SciPy computes these with its own formulas, from functions of ours.
    for name in "betaincc", "stdtr":
        operands = [xp.asarray([0.25, 0.5], device="sim")] * (3 if name == "betaincc" else 2)
        assert str(getattr(scipy.special, name)(*operands).device) == "sim"
"""


def test_scipy_computes_with_these_functions_and_copies_nothing_to_the_host(python):
    names = python(CALLED_BY_SCIPY.format(whole=WHOLE), SCIPY_ARRAY_API="1").split()
    assert len(names) > 70
    assert {"erf", "gammaln", "betainc", "multigammaln", "zeta"} <= set(names)


def test_with_dispatch_by_scipy_functions_still_take_plain_arrays(python):
    code = """
        import numpy as np, scipy.special
        from accel import xp
        x = xp.asarray([0.5, 2.0])
        assert hasattr(scipy.special.gammaln, "__wrapped__")
        assert x._library.special.gammaln is scipy.special.gammaln.__wrapped__
        print(float(xp.special.gammaln(x)[1]), float(scipy.special.gammaln(x)[1]))
    """
    assert python(code, SCIPY_ARRAY_API="1") == "0.0 0.0"
