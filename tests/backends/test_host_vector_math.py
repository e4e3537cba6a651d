"""Functions that vectors of the processor compute: their values, and that these depend on the operands alone."""

import math
import platform
import re
from functools import reduce

import numpy as np
import pytest
from accel.backends.common.host_code import machine_code, vector_math
from accel.backends.common.host_kernels import host_kernel, host_source

from accel.dtypes import as_dtype
from accel.ir import FUNCTIONS, Binary, Call, Cast, Compare, Const, Select

from . import short_ir as ir
from .host_runs import arguments_of, run, same

F32, F64 = np.dtype("float32"), np.dtype("float64")
NARROW = [as_dtype("float16"), as_dtype("bfloat16")]
OF_NUMPY = {
    **{name: f"arc{name[1:]}" for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh")},
    "pow": "power",
}
OF_PYTHON = {"erf": math.erf, "erfc": math.erfc}
NAMES = [name for name, function in FUNCTIONS.items() if function.c and not function.llvm]
NAMES = [*(name for name in NAMES if name not in ("fmod", "nextafter")), "pow"]
SOME = ["sin", "exp", "log", "erf", "atan2", "pow"]

needs_vectors = pytest.mark.skipif(not vector_math.symbols(), reason="this machine has no libmvec")


def arity(name):
    """Return the number of arguments of a function."""
    return 2 if name == "pow" else FUNCTIONS[name].arity


def value(name, x, y):
    """Return the expression of a function of one or two operands."""
    if name == "pow":
        return Binary("pow", x, y, x.dtype)
    return Call(name, (x, y)[: arity(name)], x.dtype)


def program(stores, dtypes, **fields):
    """Return a program that stores values of x and y, element by element."""
    body = [ir.put(name, ir.local("i"), expression) for name, expression in stores.items()]
    views = [ir.view(name, dtype) for name, dtype in dtypes.items()]
    step = ir.loop(body, ir.Extent(next(iter(dtypes)), 0), independent=True)
    return ir.program(step, parameters=views, vector_math=True, **fields)


def program_of(name, dtype):
    """Return a program that stores a function of x and y."""
    x, y = (ir.get(each, ir.local("i"), dtype) for each in "xy")
    return program({"r": value(name, x, y)}, {"x": dtype, "y": dtype, "r": dtype})


def computed(made, memories, dtype):
    """Run a program for operands; return the result of a dtype."""
    result = np.zeros(len(memories["x"]), dtype)
    run(made, {**memories, "r": result})
    return result


def operands(dtype):
    """Return pairs of numbers: special ones, those near limits, and some of each magnitude and sign."""
    random = np.random.default_rng(1)
    limits = np.finfo(dtype)
    special = [0, 1, 0.5, 2, 3, 10, 1e5, 1e10, np.pi, np.pi / 2, np.inf, np.nan, limits.max, limits.tiny, limits.eps]
    special += [limits.smallest_subnormal, limits.tiny / 3, 1 - limits.epsneg, 1 + limits.eps, 88.7, 104, 709.7, 746]
    special = np.array([sign * number for number in special for sign in (1, -1)], dtype)
    magnitudes = 10.0 ** random.uniform(np.log10(limits.tiny), np.log10(limits.max), 2000)
    parts = [magnitudes, random.uniform(-1, 1, 2000), random.uniform(-30, 30, 2000), random.uniform(-800, 800, 2000)]
    numbers = np.concatenate(parts).astype(dtype) * random.choice([-1, 1], 8000).astype(dtype)
    pairs = [each.ravel() for each in np.meshgrid(special, special)]
    return [
        np.concatenate([of_special, each]) for of_special, each in zip(pairs, (numbers, numbers[::-1]), strict=True)
    ]


def narrow_operands(dtype):
    """Return pairs of numbers of a dtype, from those of float32."""
    with np.errstate(all="ignore"):
        return [each.astype(dtype) for each in operands(F32)]


def exact(name, x, y):
    """Return what a function gives in higher precision."""
    if name in OF_PYTHON:
        return np.array([OF_PYTHON[name](number) for number in x.astype(float)], np.longdouble)
    function = getattr(np, OF_NUMPY.get(name, name))
    with np.errstate(all="ignore"):
        return function(*(each.astype(np.longdouble) for each in (x, y)[: arity(name)]))


def units(result, expected):
    """Return how far numbers are from others in units in the last place; infinite if other than a number is unlike."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(result.dtype)
        alike = (result == rounded) & (np.signbit(result) == np.signbit(rounded)) | np.isnan(result) & np.isnan(rounded)
        distance = np.abs(result - expected) / np.spacing(np.abs(rounded))
    return np.where(alike, 0, np.where(np.isfinite(result) & np.isfinite(rounded), distance, np.inf))


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_functions_are_within_four_units(name, dtype):
    x, y = operands(dtype)
    result = computed(program_of(name, dtype), {"x": x, "y": y}, dtype)
    assert units(result, exact(name, x, y)).max() <= 4


@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize("name", SOME)
def test_narrow_floats_are_rounded_from_float32(name, dtype):
    pairs = narrow_operands(dtype)
    wide = computed(program_of(name, F32), {key: each.astype(F32) for key, each in zip("xy", pairs, strict=True)}, F32)
    with np.errstate(all="ignore"):
        assert same(computed(program_of(name, dtype), dict(zip("xy", pairs, strict=True)), dtype), wide.astype(dtype))


@pytest.mark.parametrize("dtype", [F32, F64, *NARROW], ids=str)
def test_a_value_is_the_same_at_each_place_of_arrays_of_each_length(dtype):
    x, y = (each[:: len(each) // 60].copy() for each in narrow_operands(dtype))
    for name in ("sin", "log", "pow"):
        kernel = host_kernel(made := program_of(name, dtype))
        whole = computed(made, {"x": x, "y": y}, dtype)
        for length in range(1, 41):
            for start in range(17):
                part = slice(start, start + length)
                memories = {"x": x[part], "y": y[part], "r": np.zeros(length, dtype)}
                kernel.run(arguments_of(made, memories, {}))
                assert memories["r"].tobytes() == whole[part].tobytes()


@pytest.mark.parametrize("name", SOME)
def test_a_value_is_the_same_beside_numbers_of_other_types(name):
    """LLVM takes vectors of other lengths there, or computes one number at a time."""
    for dtype, others in ((F32, (F64, "int8")), (F64, (F32, "bool"))):
        x, y = (each[::7].copy() for each in operands(dtype))
        alone = computed(program_of(name, dtype), {"x": x, "y": y}, dtype)
        i, number = ir.local("i"), value(name, *(ir.get(each, ir.local("i"), dtype) for each in "xy"))
        for other in map(np.dtype, others):
            beside = ir.put("z", i, Cast(ir.get("z", i, other), other))
            made = program({"r": number}, {"x": dtype, "y": dtype, "r": dtype, "z": other})
            (step,) = made.steps
            body = (*step.body, beside)
            mixed = made._replace(steps=(step._replace(body=body),))
            assert computed(mixed, {"x": x, "y": y, "z": np.zeros(x.size, other)}, dtype).tobytes() == alone.tobytes()


def body_of(made):
    """Return the function of a program's loop after LLVM's passes."""
    text = str(machine_code._llvm()[1].optimised(host_source(made)))
    return re.search(r"define [^\n]*@step0.*?\n}", text, re.DOTALL)[0]


X, Y, SHORT, TRUE = (
    ir.get(name, ir.local("i"), dtype) for name, dtype in zip("xyst", (F64, F64, F32, bool), strict=True)
)
LOOPS = {
    "one": (value("sin", X, Y),),
    "a constant operand": (value("pow", X, Const(2.5, F64)), value("atan2", X, Const(2.0, F64))),
    "two dtypes": (value("sin", X, Y), value("exp", SHORT, SHORT)),
    "a cast": (value("sin", Cast(SHORT, F64), Y),),
    "a condition": (Select(Compare("gt", X, Y), value("log", X, Y), Y, F64),),
    "a boolean": (Select(TRUE, value("log", X, Y), Const(0.0, F64), F64),),
    "a remainder": (Binary("mod", value("log", X, Y), Y, F64),),
    "a function of integers": (value("sin", Cast(Cast(X, np.dtype("int32")), F32), Y),),
    "a division of integers": (Binary("floordiv", Cast(X, ir.INDEX), Cast(Y, ir.INDEX), ir.INDEX), value("exp", X, Y)),
}


@needs_vectors
@pytest.mark.parametrize("name", LOOPS)
def test_loops_call_functions_of_vectors(name):
    results = {f"r{number}": expression for number, expression in enumerate(LOOPS[name])}
    dtypes = {key: expression.dtype for key, expression in results.items()}
    body = body_of(program(results, {"x": F64, "y": F64, "s": F32, "t": bool, **dtypes}))
    called = [expression for expression in LOOPS[name] if expression.dtype.kind == "f"]
    assert len(re.findall(r"call <\d+ x \w+> @_ZGV", body)) >= len(called)


def test_independent_loops_with_many_views_compare_no_addresses():
    names = [f"v{number}" for number in range(60)]
    total = reduce(lambda x, y: Binary("add", x, y, F64), [ir.get(name, ir.local("i"), F64) for name in names])
    made = program({names[0]: total}, dict.fromkeys(names, F64))
    (step,) = made.steps
    body = body_of(made)
    assert "vector.body:" in body
    assert "vector.memcheck:" not in body
    assert "vector.memcheck:" in body_of(made._replace(steps=(step._replace(independent=False),)))


@needs_vectors
def test_independent_loops_use_vectors_for_strides_of_one_and_for_others():
    x, y = operands(F64)
    i, views = ir.local("i"), [ir.view(name, F64) for name in "xyr"]
    elements = [ir.get(name, ir.strided(name, i), F64) for name in "xy"]
    for expression in (value("pow", *elements), Binary("mul", *elements, F64)):
        step = ir.loop([ir.put("r", ir.strided("r", i), expression)], ir.Extent("r", 0), independent=True)
        made = ir.program(step, parameters=views, vector_math=True)
        assert len(re.findall(r"vector.body\d*:", body_of(made))) >= 2
        dense, apart = computed(made, {"x": x, "y": y}, F64), np.zeros((len(x), 3))
        run(made, {"x": np.repeat(x, 2)[::2], "y": y[::-1].copy()[::-1], "r": apart[:, 1]})
        assert apart[:, 1].tobytes() == dense.tobytes()
        assert not apart[:, ::2].any()


def test_texts_of_independent_loops_may_be_longer(monkeypatch):
    made = program({"r": ir.add(X, Y, F64)}, {"x": F64, "y": F64, "r": F64})
    length = len(host_source(made))
    for limit, vectors in ((length // 4, True), (length // 16, False)):
        monkeypatch.setattr(machine_code, "LARGE", limit)
        assert ("vector.body:" in body_of(made)) is vectors


@pytest.mark.parametrize("dtype", ["int8", "bool", "uint16", "int64", "float16", "float32", "float64", "complex128"])
def test_independent_loops_of_each_length_write_the_bits_of_numpy_and_nothing_beside(dtype):
    dtype, random = np.dtype(dtype), np.random.default_rng(2)
    x, y = (ir.get(name, ir.local("i"), dtype) for name in "xy")
    product = y if dtype.kind == "c" else Binary("and" if dtype.kind == "b" else "mul", x, y, dtype)
    made = program({"r": Binary("or" if dtype.kind == "b" else "add", product, x, dtype)}, dict.fromkeys("xyr", dtype))
    kernel = host_kernel(made)
    for length in [*range(20), 63, 64, 65, 129]:
        x, y, r = (random.normal(0, 3, length + 2).astype(dtype) for _ in range(3))
        expected = r.copy()
        expected[1:-1] = ((y if dtype.kind == "c" else x * y) + x)[1:-1]
        kernel.run(arguments_of(made, {name: each[1:-1] for name, each in zip("xyr", (x, y, r), strict=True)}, {}))
        assert r.tobytes() == expected.tobytes()


@needs_vectors
@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have vectors of one length")
@pytest.mark.parametrize("vectors", [("b", 16), ("d", 32)])
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_shorter_vectors_compute_the_same_functions(monkeypatch, vectors, dtype):
    if vectors[1] > vector_math._vectors()[1]:
        pytest.skip("this processor has shorter vectors")
    monkeypatch.setattr(vector_math, "_vectors", lambda: vectors)
    monkeypatch.setattr(vector_math, "symbols", vector_math.symbols.__wrapped__)
    x, y = operands(dtype)
    for name in ("sin", "pow"):
        made = program_of(name, dtype)
        assert f"_ZGV{vectors[0]}N" in host_source(made)
        assert units(computed(made, {"x": x, "y": y}, dtype), exact(name, x, y)).max() <= 4


def test_without_libmvec_functions_are_those_of_the_c_library(monkeypatch):
    monkeypatch.setattr(vector_math, "symbols", dict)
    for name in NAMES:
        made = program_of(name, F64)
        assert "_ZGV" not in host_source(made)
        x, y = operands(F64)
        assert units(computed(made, {"x": x, "y": y}, F64), exact(name, x, y)).max() <= 4


def test_kernels_that_do_not_ask_are_printed_as_before():
    made = program_of("sin", F64)
    (step,) = made.steps
    text = host_source(made._replace(steps=(step._replace(independent=False),), vector_math=False))
    assert "call double @sin(double" in text
    assert not re.search(r"_ZGV|prefer-vector-width|access\.group|llvm\.loop", text)
