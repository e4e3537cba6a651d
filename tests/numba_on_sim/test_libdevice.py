"""The functions of libdevice, by value: within the bounds of CUDA's guide, or exact."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from numba import cuda
from numba.cuda import libdevicefuncs

import accel
from accel.testing import numba_cuda_on_sim

from .libdevice_references import ELEMENTARY, EXACT, FURTHER, ROUNDED, SPECIAL

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::numba.cuda.core.errors.NumbaPerformanceWarning"),
]
COUNT = 96


def numbers(dtype, place):
    """Return arguments of a dtype: limits, small ones, and any."""
    generator = np.random.default_rng([place, np.dtype(dtype).num])
    if np.dtype(dtype).kind == "i":
        limits = np.iinfo(dtype)
        some = generator.integers(limits.min, limits.max, COUNT, dtype, endpoint=True)
        some[:6] = [0, 1, -1, limits.max, limits.min + 1, limits.max // 256 + 1]
        some[6:40] = generator.integers(-300, 300, 34)
        return some
    scales = 10.0 ** generator.uniform(-6, 2, COUNT)
    some = generator.choice([-1, 1], COUNT) * scales
    some[:24] = np.linspace(-1, 1, 24) if place % 2 == 0 else np.linspace(0.1, 2.4, 24)
    some[24:36] = [0.5, 1.5, -2.5, 3.0, -4.0, 1e7, 0.75, 12.25, -0.0, 2.0, 1.0, 33.5]
    return some.astype(dtype)


def results(names):
    """Return what functions give: for each name its arguments, and its results."""
    groups = defaultdict(list)
    for name in names:
        returned, arguments = libdevicefuncs.functions[f"__nv_{name}"]
        groups[libdevicefuncs.create_signature(returned, arguments)].append(name)
    found = {}
    for signature, members in groups.items():
        arguments = [numbers(str(kind), place) for place, kind in enumerate(signature.args)]
        if [each.dtype.kind for each in arguments] == ["i", "f"]:  # the order of a Bessel function
            arguments[0] %= 6
        kinds = getattr(signature.return_type, "types", (signature.return_type,))
        outputs = [np.zeros((len(members), COUNT), str(kind)) for kind in kinds]
        found |= _computed(members, arguments, outputs)
    return found


def _computed(names, arguments, outputs):
    inputs, targets = [f"a{i}" for i in range(len(arguments))], [f"r{i}" for i in range(len(outputs))]
    given = ", ".join([f"{each}[i]" for each in inputs])
    lines = [
        f"        {', '.join([f'{each}[{k}, i]' for each in targets])} = libdevice.{name}({given})\n"
        for k, name in enumerate(names)
    ]
    head = f"def kernel({', '.join([*inputs, *targets])}):\n    i = cuda.grid(1)\n    if i < {COUNT}:\n"
    scope = {"cuda": cuda, "libdevice": cuda.libdevice}
    exec(head + "".join(lines), scope)
    with numba_cuda_on_sim(), accel.using(kernel_checks="none"):
        arrays = [cuda.to_device(each) for each in (*arguments, *outputs)]
        cuda.jit(scope["kernel"])[1, 128](*arrays)
        values = [each.copy_to_host() for each in arrays[len(arguments) :]]
    return {name: (arguments, [each[k] for each in values]) for k, name in enumerate(names)}


def errors_of(name, result, expected, ulps):
    """Compare with longer floats: NaN and infinite are as expected, and others within a bound."""
    with np.errstate(all="ignore"):
        short = expected.astype(result.dtype)
    finite = np.isfinite(short) & np.isfinite(expected)
    if not np.array_equal(result[~finite], short[~finite], equal_nan=True):
        yield name, result[~finite], short[~finite]
    error = np.abs(result[finite].astype(np.longdouble) - expected[finite]) / np.spacing(np.abs(short[finite]))
    assert error.size > COUNT // 8
    worst = error.argmax()
    if error[worst] > ulps + 0.5:
        yield name, float(error[worst]), result[finite][worst], expected[finite][worst]


def both(names):
    """Return the names of functions in double precision, and of those in single precision."""
    return [*names, *[f"{name}f" for name in names]]


def test_floats_are_within_the_bounds_of_the_guide():
    errors = []
    for name, (arguments, [result]) in results(both(ELEMENTARY)).items():
        reference, *bounds = ELEMENTARY[name if name in ELEMENTARY else name.removesuffix("f")]
        wide = np.float64 if "remainder" in name else np.longdouble
        with np.errstate(all="ignore"):
            expected = np.asarray(reference(*[each.astype(wide) for each in arguments]), np.longdouble)
        errors += errors_of(name, result, expected, bounds[name not in ELEMENTARY])
    assert errors == []


def test_special_functions_are_within_the_bounds_of_the_guide():
    errors = []
    for name, (arguments, [result]) in results(both(SPECIAL)).items():
        reference, *bounds = SPECIAL[name if name in SPECIAL else name.removesuffix("f")]
        keep = (arguments[0] > 0) | (arguments[0] != np.rint(arguments[0]))  # no poles
        keep &= np.abs(arguments[0]) < 8  # beyond, those of SciPy lose digits
        expected = np.asarray(reference(arguments[0][keep].astype(np.float64)), np.longdouble)
        errors += errors_of(name, result[keep], expected, bounds[1] if name not in SPECIAL else 64)
    assert errors == []


def rounded_arguments(name, values):
    """Return the arguments of an exact reference; None where the result is no rounded number."""
    if "2" in name:
        return [value if isinstance(value, int) else Fraction(value) for value in values]
    return None if 0 in values or ("sqrt" in name and values[0] < 0) else [Fraction(value) for value in values]


def test_roundings_are_exact():
    errors = []
    known = [name for name in ROUNDED if f"__nv_{name}" in libdevicefuncs.functions]
    for name, (arguments, [result]) in results(known).items():
        for i in range(COUNT):
            values = rounded_arguments(name, [each[i].item() for each in arguments])
            if values is None:
                continue
            expected = ROUNDED[name](*values)
            if isinstance(expected, int):
                same = (result[i].item() - expected) % (1 << 8 * result.itemsize) == 0
            else:
                same = result[i] == expected
            errors += [] if same else [(name, [*map(float, values)], result[i], expected)]
    assert errors == []


def exact(name, argument):
    """Return an argument as references take it: in single precision they would round, where bits are not asked for."""
    bits = "_as_" in name or "2" in name or "nextafter" in name
    return argument if bits or argument.dtype.kind == "i" else argument.astype(np.float64)


def test_further_functions():
    errors = []
    for name, (arguments, found) in results(FURTHER).items():
        reference, ulps = FURTHER[name]
        with np.errstate(all="ignore"):
            expected = reference(*[exact(name, each) for each in arguments])
        if "remquo" in name:
            found[1] = np.fmod(found[1], 8)  # so many are promised
        for result, wanted in zip(found, expected if isinstance(expected, tuple) else (expected,), strict=True):
            errors += further_errors(name, result, wanted, ulps)
    assert errors == []


def further_errors(name, result, expected, ulps):
    if result.dtype.kind == "i":
        result, expected = (result != 0, expected != 0) if expected.dtype.kind == "b" else (result, expected)
        if not np.array_equal(result, expected):
            yield name, result, expected
    elif ulps is not None:
        yield from errors_of(name, result, np.asarray(expected, np.longdouble), ulps)
    else:
        bound = 5e-12 if result.itemsize == 8 else 2.2e-6
        wrong = ~np.isclose(result, expected, rtol=16 * bound, atol=bound, equal_nan=True)
        if wrong.any():
            yield name, result[wrong], expected[wrong]


def test_all_functions_are_compared():
    compared = {*both(ELEMENTARY), *both(SPECIAL), *ROUNDED, *EXACT, *FURTHER}
    assert [name for name in libdevicefuncs.functions if name.removeprefix("__nv_") not in compared] == []


def test_functions_of_integers_are_exact():
    for name, (arguments, [result]) in results(EXACT).items():
        for i in range(COUNT):
            values = [each[i].item() for each in arguments]
            difference = result[i].item() - EXACT[name](*values)
            assert difference % (1 << 8 * result.itemsize) == 0, (name, values, result[i], EXACT[name](*values))
