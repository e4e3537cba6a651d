"""The text of programs: each kind of expression and statement can be read."""

import numpy as np
import pytest

from accel import ir
from accel.ir.text import program_text

from ..tables import rows

F32 = np.dtype("float32")
V, INDEX, X = "v", ir.Local("i", ir.INDEX), ir.Local("x", F32)
LOAD = ir.Load(V, INDEX, F32)
ONE = ir.Const(1.0, F32)
GUARD = ir.Guard(0, (INDEX,), (ir.Extent(V, 0),), ir.Const(0, ir.INDEX))
ZERO, TWO = ir.Const(0, ir.INDEX), ir.Const(2, ir.INDEX)
COMPARED = ir.Compare("lt", INDEX, TWO)


def text_of(*body, step=ir.Once):
    """Return the lines of a program's only step."""
    return program_text(ir.Program("k", (), (), (step(body),))).splitlines()[1:]


@rows(
    ("value", "text"),
    [
        (ONE, "float32(1.0)"),
        (X, "x"),
        (ir.Extent(V, 1), "v.shape[1]"),
        (ir.Stride(V, 0), "v.strides[0]"),
        (ir.Place("thread", 2), "thread.z"),
        (ir.Place("lane", 0), "lane"),
        (ir.Unary("neg", X, F32), "-x"),
        (ir.Unary("not", COMPARED, ir.TRUTH), "not (i < 2)"),
        (ir.Binary("floordiv", X, ONE, F32), "(x // float32(1.0))"),
        (ir.Binary("max", X, ONE, F32), "max(x, float32(1.0))"),
        (ir.Logic("and", COMPARED, COMPARED), "((i < 2) and (i < 2))"),
        (ir.Select(COMPARED, X, ONE, F32), "(x if (i < 2) else float32(1.0))"),
        (ir.Cast(INDEX, F32), "float32(i)"),
        (ir.Call("hypot", (X, ONE), F32), "hypot(x, float32(1.0))"),
        (LOAD, "v[i]"),
        (LOAD._replace(guard=GUARD), "v[i] if 0 <= i < v.shape[0] (site 0)"),
    ],
)
def test_an_expression_is_written_as_in_python(value, text):
    assert text_of(ir.Assign(X, value)) == ["  once:", f"    x: float32 = {text}"]


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        (ir.Store(V, INDEX, X, GUARD), ["v[i] = x if 0 <= i < v.shape[0] (site 0)"]),
        (ir.Atomic("add", V, INDEX, X), ["atomic add(v[i], x)"]),
        (ir.Atomic("compare", V, INDEX, X, X, ONE), ["x: float32 = atomic compare(v[i], x, expected float32(1.0))"]),
        (ir.Check(GUARD), ["check if 0 <= i < v.shape[0] (site 0)"]),
        (ir.If(COMPARED, (ir.Break(),)), ["if (i < 2):", "  break"]),
        (
            ir.If(COMPARED, (ir.Break(),), (ir.Continue(),)),
            ["if (i < 2):", "  break", "else:", "  continue"],
        ),
        (ir.While(COMPARED, (ir.Barrier(3),)), ["while (i < 2):", "  barrier at site 3"]),
        (
            ir.For(INDEX, ZERO, TWO, ir.Const(1, ir.INDEX), (ir.WaitForCopies(),)),
            ["for i in range(2):", "  wait for copies"],
        ),
        (ir.Shuffle("down", X, X, TWO, 1), ["x: float32 = shuffle down(x, 2) at site 1"]),
        (ir.Vote("any", X, COMPARED, 1), ["x: float32 = vote any((i < 2)) at site 1"]),
        (ir.CopyAsync("s", INDEX, V, TWO), ["async s[i] = v[2]"]),
    ],
)
def test_a_statement_is_written_as_in_python(statement, lines):
    assert text_of(statement, step=ir.Threads) == ["  threads:", *[f"    {line}" for line in lines]]


def test_a_program_shows_parameters_arrays_steps_frames_results_and_sites():
    total = ir.Local("s", F32)
    loop = ir.Loop(
        (INDEX,),
        (ZERO,),
        (ir.Extent(V, 0),),
        (ir.Const(1, ir.INDEX),),
        (ir.Assign(total, ir.Binary("add", total, LOAD, F32)),),
        (ir.Reduction(total, "add"),),
        ir.Frame((X,)),
    )
    program = ir.Program(
        "k",
        (ir.View(V, F32, 2, False), ir.View("t", F32, 0, True), ir.Number("n", ir.INDEX)),
        (ir.Assign(INDEX, TWO),),
        (ir.Once((ir.Assign(X, ONE),), ir.Frame((), (X,))), loop),
        (total, X),
        (total,),
        (ir.Array("tile", F32, 32, "shared"),),
        (ir.Site("read", V, (("k", "f.py", 3), ("g", "f.py", 9))),),
    )
    assert program_text(program).splitlines() == [
        "kernel k(v: const float32[:, :], t: float32[layout], n: int64)",
        "  shared tile: float32[32]",
        "  i: int64 = 2",
        "  once:",
        "    x: float32 = float32(1.0)",
        "    write x: float32",
        "  parallel i in range(v.shape[0]):",
        "    reduce s: float32 by add",
        "    read x: float32",
        "    s: float32 = (s + v[i])",
        "  return s: float32",
        "site 0: read v at k (f.py:3) > g (f.py:9)",
    ]
