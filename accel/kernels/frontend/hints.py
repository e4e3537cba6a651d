"""What to write instead of what kernels do not have: by syntax, by the Python object that is called, and by name."""

import ast
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np

from accel.kernels.frontend.objects import is_hashable
from accel.kernels.functions import Func
from accel.views import LayoutTensor, NDBuffer

__all__ = ["of_call", "of_method", "of_name", "of_syntax"]

_LOOP = "write a loop over the elements, or an accumulator before a parallel loop"
_ARRAY = "write stack_allocation(dtype, shape), and set its elements"
_BEFORE = "make it before the launch, and pass it as an argument"
_CHECK = "check before the launch, or write what was found to a view"

_SYNTAX: Mapping[str, tuple[str, str]] = {
    "Assert": ("assert", _CHECK),
    "AsyncFor": ("async", "write a loop"),
    "AsyncWith": ("async", "write a loop"),
    "Await": ("await", "wait for the event that the launch returns"),
    "ClassDef": ("a class", "define a NamedTuple outside"),
    "Delete": ("del", "leave it out"),
    "Dict": ("a dict", "write a NamedTuple"),
    "DictComp": ("a dict comprehension", "write a loop"),
    "FunctionDef": ("a function defined inside of a kernel", "define it outside, with @accel.func"),
    "GeneratorExp": ("a generator expression", "write a loop"),
    "Global": ("global", "write the value to a view"),
    "Import": ("import", "import it outside"),
    "ImportFrom": ("import", "import it outside"),
    "JoinedStr": ("an f-string", "write what you want to see to a view"),
    "Lambda": ("a lambda", "define a function outside, with @accel.func"),
    "List": ("a list", "write a tuple, or stack_allocation(dtype, shape) for an array"),
    "ListComp": ("a list comprehension", "write a loop"),
    "MatMult": ("the operator @", "write a loop over the products"),
    "Match": ("match", "write if and elif"),
    "NamedExpr": ("an assignment expression (:=)", "assign in a line before"),
    "Nonlocal": ("nonlocal", "write the value to a view"),
    "Raise": ("raise", _CHECK),
    "Set": ("a set", "write a tuple"),
    "SetComp": ("a set comprehension", "write a loop"),
    "Slice": ("a slice of one of several axes", "write an index for each axis, as in m[i, j]"),
    "Starred": ("an unpacked argument (*x)", "write each argument"),
    "Try": ("try", _CHECK),
    "With": ("with", "enter it around the launch"),
    "Yield": ("yield", "write results to a view"),
}

_CALLS: Mapping[Any, str] = {
    print: "write what you want to see to a view",
    enumerate: "write for i in range(v.size), and x = v[i]",
    zip: "write for i in range(v.size), and x, y = v[i], w[i]",
    reversed: "write range(n - 1, -1, -1)",
    list: "write a tuple, or stack_allocation(dtype, shape) for an array",
    dict: "write a NamedTuple",
    set: "write a tuple",
    sorted: "write min(x, y) and max(x, y) for two numbers",
    slice: "write v[a:b]",
    isinstance: "compare v.dtype",
    type: "compare v.dtype",
    np.arange: "write range(n)",
    np.fmax: "write np.maximum(x, y), which returns NaN if one is NaN",
    np.fmin: "write np.minimum(x, y), which returns NaN if one is NaN",
    LayoutTensor: _BEFORE,
    NDBuffer: _BEFORE,
    **dict.fromkeys([np.zeros, np.ones, np.empty, np.full, np.array, np.asarray, np.zeros_like, np.empty_like], _ARRAY),
    **dict.fromkeys([np.sum, np.prod, np.mean, np.max, np.min, np.any, np.all, np.argmax, np.argmin, np.cumsum], _LOOP),
    **dict.fromkeys([np.dot, np.matmul, np.vdot, np.inner, np.linalg.norm, np.std, np.var], _LOOP),
}

_METHODS: Mapping[str, str] = {
    **dict.fromkeys(["sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin", "dot", "fill"], _LOOP),
    **dict.fromkeys(["copy", "to_numpy", "view", "flatten", "ravel", "astype", "copy_from"], "call it before launches"),
    "item": "index it, as in v[i]",
}

_NAMES: Mapping[str, str] = {
    "prange": "write range(n): outermost loops are parallel",
    "ndrange": "write grid(m, n)",
    "cuda": "write thread_index.x and block_index.x of accel.kernels, or a loop over range(n)",
    "threadIdx": "write thread_index of accel.kernels",
    "thread_idx": "write thread_index of accel.kernels",
    "blockIdx": "write block_index of accel.kernels",
    "block_idx": "write block_index of accel.kernels",
    "blockDim": "write block_size of accel.kernels",
    "block_dim": "write block_size of accel.kernels",
    "gridDim": "write grid_size of accel.kernels",
    "grid_dim": "write grid_size of accel.kernels",
    "syncthreads": "write barrier() of accel.kernels",
    "atomic_sub": "write atomic_add(v, i, -x) of accel.kernels",
}


def of_syntax(node: ast.AST) -> str:
    """Return what is wrong with a part of Python's syntax that kernels do not have, and what to write."""
    name = type(node).__name__
    what, write = _SYNTAX.get(name, (name, ""))
    return f"{what} is not supported in kernels" + (f"; {write}" if write else "")


def of_call(node: ast.Call, function: Any) -> str:
    """Return what is wrong with the call of a function that kernels do not have, and what to write."""
    text = ast.unparse(node.func)
    hint = _CALLS.get(function) if is_hashable(function) else None
    if hint is not None:
        return f"{text} is not supported in kernels; {hint}"
    if type(function).__name__ == "Kernel":
        return f"{text} is a kernel, which kernels do not call; write @accel.func above what both call"
    if str(getattr(function, "__module__", "")).partition(".")[0] == "accel" and not isinstance(function, Func):
        name = getattr(function, "__name__", "")
        if isinstance(getattr(np, name, None), np.ufunc):
            return f"{text} is for arrays on the host; for numbers in a kernel write np.{name}"
        return f"{text} runs on the host; call it before the launch, and pass what it returns as an argument"
    if isinstance(function, FunctionType):
        return f"{function.__name__} is a Python function; write @accel.func before it, so that kernels can call it"
    return f"{text} is not supported in kernels"


def of_method(name: str) -> str:
    """Return what to write instead of a method of arrays; empty if nothing is known."""
    hint = _METHODS.get(name)
    return f"; {hint}" if hint else ""


def of_name(name: str) -> str:
    """Return what to write for a name that other libraries have; empty for others."""
    hint = _NAMES.get(name)
    return f"; {hint}" if hint else ""
