"""The table of mathematical functions and the layers agree: each has each function, for the types in the table."""

import math

import numpy as np
import pytest
from accel.backends.sim.kernels import interpret

from accel.dtypes import as_dtype
from accel.errors import KernelSyntaxError
from accel.ir import FUNCTIONS, Assign, Call, Frame, Local, Number, Once
from accel.kernels import language
from accel.kernels.frontend.calls import FUNCTIONS as CALLABLE
from accel.kernels.frontend.mathematics import MATHEMATICS

from ..backends import host_runs, short_ir
from ..backends.short_ir import result_of
from ..gpu_code.programs import run_text
from ..tables import rows
from .frontend.execution import lowered, module_of

REFERENCES = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "conj": np.conjugate,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": math.erf,
    "erfc": math.erfc,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "fma": lambda x, y, z: x * y + z,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "imag": np.imag,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "nextafter": np.nextafter,
    "popcount": lambda x: int(x).bit_count(),
    "real": np.real,
    "round": np.rint,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "sign": np.sign,
    "signbit": lambda x: x < 0,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": np.square,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}
NAMES = ("int8", "int64", "uint16", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
TYPES = [as_dtype(name) for name in NAMES]
NUMBERS = {"i": (-5, 3, 2), "u": (5, 3, 2), "f": (0.71, 0.25, -0.5), "c": (1.5 - 2j, 1j, 2)}
ABOVE = {"acosh": (1.75,)}


def kind_of(dtype):
    return "f" if dtype.kind == "V" else dtype.kind


def operands(function, dtype):
    """Return as many numbers of a type as a function takes."""
    return [dtype.type(x) for x in ABOVE.get(function.name, NUMBERS[kind_of(dtype)])[: function.arity]]


def program_of(functions, dtype):
    """Return a program with the result of each function, and the numbers for its parameters."""
    parameters, statements, results, numbers = [], [], [], []
    for function in functions:
        names = [f"{function.name}_{k}" for k in range(function.arity)]
        parameters += [Number(name, dtype) for name in names]
        numbers += operands(function, dtype)
        results.append(Local(f"r_{function.name}", result_of(function, dtype)))
        arguments = tuple(Local(name, dtype) for name in names)
        statements.append(Assign(results[-1], Call(function.name, arguments, results[-1].dtype)))
    step = Once(tuple(statements), Frame((), tuple(results)))
    program = short_ir.program(step, parameters=parameters, frame=tuple(results), results=tuple(results))
    return program, numbers


def by_interpreter(program, numbers):
    return interpret(program, {}, {each.name: x for each, x in zip(program.parameters, numbers, strict=True)})


def by_host(program, numbers):
    return host_runs.run(program, {}, {each.name: x for each, x in zip(program.parameters, numbers, strict=True)})


@pytest.mark.parametrize("layer", [by_interpreter, by_host, run_text])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_each_layer_computes_each_function_for_the_types_in_the_table(layer, dtype):
    functions = [each for each in FUNCTIONS.values() if kind_of(dtype) in each.kinds]
    program, numbers = program_of(functions, dtype)
    failure, results = layer(program, numbers)
    assert failure is None
    bits = {2: 2.0**-6, 1: 0}.get(dtype.itemsize, 1e-5)
    for function, result in zip(functions, results, strict=True):
        wide = [complex(x) if dtype.kind == "c" else float(x) for x in operands(function, dtype)]
        expected = REFERENCES[function.name](*(wide if kind_of(dtype) in "fc" else operands(function, dtype)))
        if function.name == "popcount":
            expected = (int(numbers[0]) & (1 << 8 * dtype.itemsize) - 1).bit_count()
        np.testing.assert_allclose(np.asarray(result).astype(complex), expected, rtol=bits, err_msg=function.name)


def test_each_function_has_a_reference_here():
    assert set(REFERENCES) == set(FUNCTIONS)


def test_the_front_end_has_the_functions_of_the_table_and_no_others():
    of_two = {"pow", "power", "minimum", "maximum", "where"}  # operations, or a choice
    assert set(MATHEMATICS) == {*FUNCTIONS, *of_two}


@rows("name", FUNCTIONS)
def test_each_function_can_be_called_by_a_name_of_python_numpy_or_kernels(name):
    names = (name, *FUNCTIONS[name].aliases)
    objects = [getattr(module, each) for module in (math, np, language) for each in names if hasattr(module, each)]
    assert objects
    assert all(
        CALLABLE[each] is MATHEMATICS[name] for each in objects if each not in {math.ceil, math.floor, math.trunc}
    )


@rows("name", [name for name, each in FUNCTIONS.items() if "c" not in each.kinds and name != "square"])
def test_a_function_of_real_numbers_refuses_complex_ones(name, tmp_path):
    module = next(module for module in (math, np, language) if hasattr(module, name) or module is language)
    function = getattr(module, name, None) or getattr(np, FUNCTIONS[name].aliases[0])
    text = f"def kernel(v):\n    return function({', '.join(['v[0]'] * FUNCTIONS[name].arity)})\n"
    kernel = module_of(text, tmp_path, function=function).kernel
    with pytest.raises(KernelSyntaxError, match=rf"{name} is for real numbers|bits of integers"):
        lowered(kernel, np.zeros(1, "complex64"))
