"""What kernels do not support is a KernelSyntaxError with its place and a remedy; no other error escapes."""

import ast
import random
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel.errors import KernelSyntaxError

from ...tables import rows
from .execution import lowered, module_of

HEADER = """
import math
from enum import Enum
from typing import NamedTuple

import numpy as np

from accel import BufferView, Layout, LayoutTensor, xp
from accel.dtypes import f32, i32, i64, u8
from accel.views import AddressSpace
from accel.kernels import *
from accel.kernels.functions import func

TABLE = [1, 2]
ARRAY = np.zeros(3)
PAIR = (1, 2)
ONE = np.float32(1)

class Color(Enum):
    RED = 1

class Point(NamedTuple):
    x: float
    y: float = 1.0

def plain(x):
    return x

@kernel
def other_kernel(v):
    pass

@func
def twice(x, n=2):
    return x * n

@func
def partly(x):
    if x > 0:
        return x

@func
def differs(x):
    if x > 0:
        return x
    return x, x

@func
def recursive(x):
    return recursive(x)

@func
def unannotated(x: "undefined"):
    return x

@func
def typed(x: i32):
    return x

@func
def summed(s):
    s += 1
    return s
"""

STATEMENTS = {
    "def f(): pass": "a function defined inside",
    "class A: pass": "a class",
    "del v": "del",
    "with v: pass": "with",
    "raise v": "raise",
    "try:\n        pass\n    finally:\n        pass": "try",
    "assert n": "assert",
    "import math": "import",
    "from math import pi": "import",
    "global N": "global",
    "match n:\n        case 1: pass": "match",
    "v": "has no effect",
    "x = lambda: 1": "a lambda",
    "x = [1, 2]": "a list",
    "x = {1}": "a set",
    "x = {1: 2}": "a dict",
    "x = [i for i in range(3)]": "a list comprehension",
    "x = sum(i for i in range(3))": "a generator expression",
    "x = {i for i in range(3)}": "a set comprehension",
    "x = {i: i for i in range(3)}": "a dict comprehension",
    "x = f'{n}'": "an f-string",
    "x = (y := 1)": ":=",
    "x = max(*PAIR)": r"\*",
    "x = max(**PAIR)": r"\*\*",
    "a, *b = PAIR": "name for each value",
    "a, b = 1": "2 values are needed",
    "a, b = 1, 2, 3": "2 values are needed",
    "v.x = 1": "cannot be assigned",
    "v[0:2] = 1": "a slice cannot be assigned",
    "n[0] = 1": "no elements that can be set",
    "x: f32": "an annotation needs",
    "x: banana = 1": "banana is not defined",
    "x: n = 1": "the type of a variable",
    "x: i32 = 1.5": r"write i32\(x\)",
    "x: i32 = 1\n    x = v[0]": "annotated",
    "x = v[0:2:2]": "step 1",
    "x = v @ v": "the operator @",
    "x = v[1.5]": r"write i64\(x\)",
    "x = v[0, 0]": "1 axes",
    "x = v['a']": "an index is needed",
    "v[0] = 1j": "cannot hold",
    "w[0] = 1.5": r"write i64\(x\)",
    "w[0] = 1 << 70": "64 bits",
    "w[0] = w[0] + (1 << 64)": "64 bits",
    "x = 9 ** 9 ** 9": "64 bits",
    "x = n // 0": "divides by zero",
    "x = 1 / 0": "division by zero",
    "x = w[0] ** -1": "no negative power",
    "x = v[0] << 1": "a shift is for integers",
    "x = v[0] & 1": "for integers and conditions",
    "x = ~v[0]": "~ is for integers",
    "x = v + 1": "a number is needed",
    "x = undefined": "not defined",
    "x = x + 1": "not assigned on every path",
    "if n:\n        x = 1\n    v[0] = x": "not assigned on every path",
    "x = TABLE[0]": "write a tuple",
    "x = ARRAY[0]": "write an argument",
    "x = math.nothing": "nothing",
    "x = v.nothing": "no attribute nothing",
    "x = v.nothing()": "no method nothing",
    "x = n.nothing": "no attribute nothing",
    "v[0] = math": "a module",
    "x = v.tile((1,), (0,))": "for tensors",
    "x = plain(1)": "@accel.func",
    "print(n)": "not supported",
    "x = sum(v)": "an accumulator before a parallel loop",
    "x = n(1)": "cannot be called",
    "x = twice()": "missing",
    "x = twice(1, 2, 3)": "too many",
    "x = twice(1, m=2)": "unexpected keyword",
    "x = partly(n)": "on some paths only",
    "x = differs(n)": "something else",
    "x = recursive(n)": "no recursion",
    "x = unannotated(n)": "undefined",
    "x = typed(1.5)": r"write i32\(x\)",
    "x = typed(v)": "is a number",
    "x = Point()": "has the fields",
    "x = Point(1).z": "no field z",
    "x = Point(1)[5]": "2 items",
    "x = PAIR[n]": "must be known",
    "x = math.log(1, 2, n)": "it takes 1 or 2",
    "x = math.sqrt()": "it takes 1",
    "x = math.sqrt(1, 2)": "one argument",
    "x = math.sqrt(n, 2)": "it takes 1",
    "x = math.sqrt(n, y=1)": "unexpected keyword",
    "x = f32()": "a conversion takes one number",
    "x = f32(1, 2)": "a conversion takes one number",
    "x = f32(v)": "a number is needed",
    "x = i32(1j)": "x.real",
    "x = i32(1 << 40)": "does not fit int32",
    "for i in n: pass": "a loop runs over",
    "for i in range(): pass": "range takes",
    "for i in range(1.5): pass": "range takes",
    "for i in range(0, 5, 0): pass": "must not be 0",
    "for i, j in range(3): pass": "1 loop variables",
    "for i in grid(2, 2): pass": "2 loop variables",
    "for i, i in grid(2, 2): pass": "2 loop variables",
    "for v[0] in range(3): pass": "loop variables",
    "for i in range(3): pass\n    else:\n        pass": "else after a loop",
    "while n > 0:\n        n -= 1\n    else:\n        pass": "else after a loop",
    "for i in range(3):\n        break": "inner loop",
    "for i in range(3):\n        return": "return in a parallel loop",
    "for i in range(3):\n        n = i": "any order",
    "for n in range(3): pass": "any order",
    "for k in PAIR:\n        break": "no break",
    "for k in unroll(range(n)): pass": "must be constants",
    "for k in unroll(n): pass": "unroll takes",
    "return n\n    x = 1": "never reached",
    "if n:\n        return 1": "at its end only",
    "return v": "returns numbers",
    "return 'a'": "returns numbers",
    "s = accumulator()": "write s = accumulator",
    "s, t = accumulator(f32), 1": "a line for each",
    "s = accumulator('banana')": "banana",
    "s = accumulator(f32, v)": "a number is needed",
    "s = accumulator(f32)\n    s += 1": "only in a parallel loop",
    "s = accumulator(f32)\n    for i in range(3):\n        s //= 2": "takes",
    "s = accumulator(f32)\n    for i in range(3):\n        s = i": "write s",
    "s = accumulator(f32)\n    for i in range(3):\n        s += 1\n        s = max(s, 1)": "two accumulators",
    "s = accumulator(f32)\n    for i in range(3):\n        s += v": "a number is needed",
    "s = accumulator(f32)\n    for i in range(3):\n        s += s": "is an accumulator",
    "s = accumulator(i32)\n    for i in range(3):\n        s += 1.5": r"write i32\(x\)",
    "s = accumulator(f32)\n    s = accumulator(f32)": "already",
    "s = accumulator(f32)\n    for i in range(3):\n        s += summed(s)": "is an accumulator",
    "x = atomic_add(v)": "takes memory, index, value",
    "x = atomic_add(v, 0)": "missing",
    "x = atomic_add(n, 0, 1)": "memory is needed",
    "x = atomic_add(v, 0, 1, 2)": "too many",
    "x = atomic_add(w, 0, 1.5)": r"write i64\(x\)",
    "x = atomic_add(b, 0, 1)": "not possible",
    "x = atomic_compare(v, 0, 1)": "missing",
    "x = thread_index": "",
    "x = thread_index.a": "x, y and z",
    "thread_index.x = 1": "cannot be assigned",
    "x = thread_index.x\n    return 1": "returns nothing",
    "barrier(1)": "too many",
    "x = barrier()": "",
    "x = warp_shuffle(1)": "missing",
    "x = warp_shuffle(1, 0.5)": "a lane is an integer",
    "x = warp_shuffle(v, 0)": "a number is needed",
    "x = warp_any(v)": "a number is needed",
    "async_copy(v, 0, w, 0)\n    x = thread_index.x": "dtypes must agree",
    "x = stack_allocation(f32)": "missing",
    "x = stack_allocation(f32, 3)\n    for i in range(3):\n        v[i] = x[0]": "make it in the loop",
    "x = stack_allocation(f32, 3)[1:]\n    for i in range(3): pass\n    v[0] = x[0]": "make it in the loop",
    "x = stack_allocation(f32, n)": "must be known",
    "x = stack_allocation(f32, 0)": "positive integers",
    "x = stack_allocation(f32, -1)": "positive integers",
    "x = stack_allocation('banana', 3)": "banana",
    "x = stack_allocation(f32, 3, 5)": r"AddressSpace.LOCAL or .SHARED",
    "x = vector()": "at least one number",
    "x = vector(1, v)": "a number is needed",
    "x = vector(1, 2) + vector(1, 2, 3)": "do not fit",
    "x = vector(1, 2).z": "2 items",
    "v[0] = vector(1, 2)": "1 numbers",
    "x = t.tile((2, 2), (0,))": "2 axes",
    "x = t.tile((2,), (0, 0))": "2 positive integers",
    "x = t.tile((n, 2), (0, 0))": "must be known",
    "x = t.tile((2, 2), (0, 0), tail='shrink')": "'mask' or 'pad'",
    "x = t.tile((2, 2))": "missing",
    "x = t.vectorize(3, 3)": "do not divide",
    "x = t.reshape(3)": "same cells",
    "x = t.dim(5)": "axis 5",
    "x = t.load()": "2 axes",
    "x = t.load(0, 0, width=n)": "must be known",
    "t.store(0, 1)": "2 indices and a value",
    "x = t[0]": "2 axes",
    "x = t[0:2]": "one axis",
    "x = v.subview()": "",
    "x = v.subview(1.5)": "an offset is an integer",
    "x = BufferView(n)": "memory with one axis",
    "x = BufferView(t)": "memory with one axis",
    "x = len(n)": "no length",
    "x = Color.RED + 1": "unsupported operand",
    "x = 'a' + n": "a number is needed",
    "x = -'a'": "bad operand",
    "x = 'a' < 1": "not supported",
    "x = v if n else w": "a number is needed",
    "x = v and 1": "a condition is needed",
    "x = min()": "or more",
    "x = 1 if v else 2": "a condition is needed",
    "x = math.sqrt(v[0] + 1j)": "real numbers",
    "x = max(1j, n)": "no order",
    "x = 1j < n": "no order",
    "x = [1][0]": "a list",
    "x = ...\n    v[0] = x": "a number",
    "x = np.zeros(3)": "not supported",
    "x = Layout(3)(v)": "must be known",
    "x = n in v": "a loop for memory",
    "x = np.sum(v)": "an accumulator before a parallel loop",
    "x = v.mean()": "an accumulator before a parallel loop",
    "x = t[0, :]": "an index for each axis",
    "x = t[0][1]": r"write t\[i, j\]",
    "t[0][1] = 2": r"write t\[i, j\]",
    "x = np.empty(3)": "stack_allocation",
    "x = float('banana')": "could not convert",
    "x = v[0].astype('banana')": "np.float32",
    "for i in prange(3): pass": r"write range\(n\)",
    "for i in reversed(range(3)): pass": r"range\(n - 1, -1, -1\)",
    "i = threadIdx.x": "thread_index",
    "assert n > 0": "check before the launch",
    "x = xp.sqrt(n)": r"write np\.sqrt",
    "x = xp.sum(n)": "before the launch",
    "x = LayoutTensor(v, 3)": "pass it as an argument",
    "x = other_kernel(v)": "which kernels do not call",
    "x = v.copy()": "before launches",
    "x = n in range(3)": "a <= x < b",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


def kernel_of(body, folder):
    return module_of(f"{HEADER}\ndef kernel(v, w, b, t, n):\n    {body}\n", folder).kernel


def arguments():
    tensor = accel.container(range(16), dtype="float32").view(accel.Layout.row_major(4, 4))
    return np.ones(4, np.float32), np.ones(4, np.int64), np.ones(4, np.uint8), tensor, 3


def refusal(body, folder):
    with pytest.raises(KernelSyntaxError) as caught:
        lowered(kernel_of(body, folder), *arguments(), debug=True)
    return caught.value


@rows("body", [body for body, message in STATEMENTS.items() if message])
def test_what_is_not_supported_is_refused_with_its_place(body, folder):
    error = refusal(body, folder)
    assert error.lineno
    assert Path(error.filename).parent == folder
    assert re.search(STATEMENTS[body], error.msg), error.msg


EXPRESSIONS = """
v; w; b; t; n; x; ONE; PAIR; TABLE; ARRAY; Color.RED; Point(1, 2); None; 'a'; 1; 0; -1; 1.5; 1j; True; 1 << 70; math; np
f32; i32; range(3); grid(2, 2); v[0]; v[n]; t[0, 0]; t.tile((2, 2), (0, 0)); v[1:]; v.shape; t.shape; twice(n)
partly(n); plain(1); vector(1, 2); thread_index.x; accumulator(f32); len(v); v.size; stack_allocation(f32, 3)
lane_index(); Layout(4); unroll((1, 2)); barrier(); warp_any(n); atomic_add(v, 0, 1); math.sqrt(n); max(n, 1); (n, v)
(); ...; lambda: 1; n if v[0] else 1; n and v[0]; not v; 1 < n < 3; v[0] is None
"""
THREADS = """
    i = block_index.x * block_size.x + thread_index.x
    if i >= v.size:
        return
    part = stack_allocation(f32, (4, 2), AddressSpace.SHARED)
    mine = LayoutTensor.stack_allocation(Layout.row_major(2, 2), f32)
    tile = t.tile((2, 2), (i // 2, i % 2)).transpose()
    for c, d in grid(2, 2):
        mine[c, d] = tile[c, d]
        part[c, d] = mine.load(c, d) + tile.distribute(Layout.row_major(2, 1), i % 2)[0, 0]
    async_copy(part, (0, 1), v, i)
    async_wait()
    barrier()
    x = warp_shuffle_down(part[i % 4, 0], 1) if warp_any(i > 2) else np.float32(0)
    for k in unroll(range(2)):
        x += t.vectorize(1, 2)[i, 0][k]
    old: i64 = atomic_compare(w, i, 1, 2)
    sub = v[1:3].subview(0, size=2)
    while old > 0:
        if sub[0] > x:
            return
        old -= 1
    v[i] = max(x, math.sin(v[i]), old) if lane_index() < warp_size() else 0
"""
PROGRAM = """
    a = n + 1
    s = accumulator(f32, 0)
    for i in range(v.size):
        x = v[i] * 2
        if x > n and w[i] != 0:
            x = twice(x, n=3) + t[i, 0]
        for j in range(0, n, 2):
            if j == 3:
                break
            x += j
        while x > 100:
            x = x / 2
        y, z = x, vector(1, 2)
        p = Point(x, y=2)
        w[i] += atomic_add(w, i, 1)
        v[i] = p.x + z.y if x else -y
        s += min(x, 3)
    return s, a
"""


@pytest.mark.parametrize("program", [PROGRAM, THREADS])
def test_the_programs_are_right_before_they_are_changed(folder, program):
    assert lowered(kernel_of(program, folder), *arguments(), debug=True)[0].program.sites


class Mutation(ast.NodeTransformer):
    """Replaces some expressions by others."""

    def __init__(self, choice, pool, rate):
        self.choice, self.pool, self.rate = choice, pool, rate

    def visit(self, node):
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            if self.choice.random() < self.rate:
                return ast.parse(self.choice.choice(self.pool), mode="eval").body
            if isinstance(node, ast.Call) and self.choice.random() < 0.1:
                node.args = node.args[1:] if self.choice.random() < 0.5 else [*node.args, ast.Constant(1)]
        return self.generic_visit(node)


@settings(max_examples=150, deadline=None)
@given(
    program=st.sampled_from([PROGRAM, THREADS]),
    seed=st.integers(0, 1 << 32),
    rate=st.sampled_from([0.02, 0.05, 0.1]),
    debug=st.booleans(),
)
def test_nothing_but_a_syntax_error_escapes(folder, program, seed, rate, debug):
    choice = random.Random(seed)
    tree = ast.parse(f"def kernel(v, w, b, t, n):{program}")
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr) and not isinstance(node, ast.Slice)]
    pool = [*re.split(r"; |\n", EXPRESSIONS.strip()), *map(ast.unparse, nodes)]
    tree = ast.fix_missing_locations(Mutation(choice, pool, rate).visit(tree))
    try:
        with warnings.catch_warnings(action="ignore"):
            result = module_of(HEADER + ast.unparse(tree), folder)
    except SyntaxError:
        return
    try:
        lowered(result.kernel, *arguments(), debug=debug)
    except KernelSyntaxError as error:
        assert error.lineno  # noqa: PT017 - some programs are right
