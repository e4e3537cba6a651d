"""Kernels run by the interpreter of programs, for tests of the front end."""

import importlib.util
import itertools
import linecache
from types import FunctionType

import numpy as np
from accel.backends.sim.kernels import interpret

from accel.ir import View
from accel.kernels.call_signature import Signature
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.lowering import lower
from accel.kernels.functions import Func

_numbers = itertools.count()


def lowered(function, *arguments, debug=False):
    """Return a kernel for some arguments, and what is passed for them."""
    source = FunctionSource.of(function)
    signature = Signature(source)
    bound = signature.bind(signature.positional(arguments, {}))
    return lower(source, dict(zip(signature.names, bound.kinds, strict=True)), debug), bound.leaves


def run(function, *arguments, debug=False, **how):
    """Run a kernel; return the first failed check and the results."""
    result, leaves = lowered(function, *arguments, debug=debug)
    memories, numbers = {}, {}
    for parameter, leaf in zip(result.program.parameters, leaves, strict=True):
        if isinstance(parameter, View):
            memories[leaf.name] = _array(leaf, parameter.rank)
        else:
            numbers[leaf.name] = leaf.numbers[0]
    return interpret(result.program, memories, numbers, **how)


def _array(leaf, rank):
    """Return the elements of an argument; of a tensor all from its first element to the end of its memory."""
    whole = np.asarray(leaf.memory.storage)
    if not rank:
        return whole[leaf.memory.offset :]
    _, *numbers = leaf.numbers
    shape, strides = numbers[:rank], numbers[rank:]
    start = leaf.memory.offset * whole.itemsize
    return np.ndarray(shape, whole.dtype, whole, start, [stride * whole.itemsize for stride in strides])


def module_of(text, folder, **names):
    """Return a new module of Python source, in which some names are defined."""
    name = f"generated_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    linecache.checkcache(str(path))
    spec.loader.exec_module(module)
    return module


def as_python(function, **others):
    """Return the Python function of a kernel, which calls Python functions too; other names get other values."""
    changed = dict(function.__globals__)
    for name in function.__code__.co_names:
        if isinstance(changed.get(name), Func):
            changed[name] = as_python(changed[name].__wrapped__, **others)
    changed.update(others)
    return FunctionType(function.__code__, changed, function.__name__, function.__defaults__, function.__closure__)


def agree(function, *arguments, **how):
    """Compare a kernel with its function in Python, on NumPy arrays; return the results."""
    copies = [copied(argument) for argument in arguments]
    with np.errstate(all="ignore"):
        expected = as_python(function)(*copies)
    for debug in (False, True):
        given = [copied(argument) for argument in arguments]
        failure, results = run(function, *given, debug=debug, **how)
        assert failure is None, failure
        for number, (result, wanted) in enumerate(zip(given, copies, strict=True)):
            if isinstance(wanted, np.ndarray):
                np.testing.assert_array_equal(result, wanted, f"argument {number}", strict=True)
        wanted = () if expected is None else expected if isinstance(expected, tuple) else (expected,)
        np.testing.assert_array_equal(results, wanted)
        assert [x.dtype for x in results] == [np.asarray(x).dtype for x in wanted]
    return results


def copied(argument):
    """Return a copy of an array, and all else as it is."""
    return argument.copy() if isinstance(argument, np.ndarray) else argument
