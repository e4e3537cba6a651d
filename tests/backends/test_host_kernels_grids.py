"""Explicit grids on the host: places, shared memory, barriers, warps, and threads that do not meet."""

import numpy as np
import pytest
from accel.backends.common.host_kernels import host_source
from accel.backends.sim.kernels import interpret
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.errors import CapabilityError, KernelLaunchError
from accel.ir import (
    Array,
    Assign,
    Barrier,
    Cast,
    Const,
    CopyAsync,
    Extent,
    For,
    If,
    Load,
    Place,
    Shuffle,
    Site,
    Threads,
    Vote,
    WaitForCopies,
    While,
)

from . import short_ir as ir
from .host_runs import run

I64, U64, BOOL = np.dtype(np.int64), np.dtype(np.uint64), np.dtype(bool)
SITES = tuple(Site(what, "", (("kernel", "file.py", line),)) for line, what in enumerate(("barrier", "warp"), 7))
J, K, LANE = ir.local("j"), ir.local("k"), Place("lane", 0)
grids = st.tuples(*[st.integers(1, 3)] * 3)


def of_threads(*body, views=("v",), **rest):
    """Return a program whose threads run a body."""
    return ir.program(Threads(body), parameters=[ir.view(name, I64) for name in views], calls=SITES, **rest)


def both(made, names, size, grid, block):
    """Run a program on the host and in the interpreter; return the arrays of each."""
    arrays = [{name: np.arange(size) for name in names} for _ in range(2)]
    run(made, arrays[0], grid=grid, block=block)
    interpret(made, arrays[1], {}, grid=grid, block=block)
    return [[each[name].tolist() for name in names] for each in arrays]


def flat(what, size):
    """Return the number of a thread in its block, or of a block in its grid."""
    x, y, z = (Place(what, axis) for axis in range(3))
    return ir.add(x, ir.op("mul", Place(size, 0), ir.add(y, ir.op("mul", Place(size, 1), z))))


@given(grid=grids, block=grids)
def test_each_thread_knows_its_place(grid, block):
    threads, blocks = (ir.op("mul", ir.op("mul", *s[:2]), s[2]) for s in (sizes("block_size"), sizes("grid_size")))
    number = ir.add(ir.op("mul", flat("block", "grid_size"), threads), flat("thread", "block_size"))
    body = (ir.put("v", number, ir.add(ir.op("mul", number, ir.index(1000)), ir.add(threads, blocks))),)
    result = np.zeros(np.prod(grid) * np.prod(block), np.int64)
    run(of_threads(*body), {"v": result}, grid=grid, block=block)
    assert result.tolist() == [number * 1000 + np.prod(grid) + np.prod(block) for number in range(result.size)]


def sizes(what):
    return [Place(what, axis) for axis in range(3)]


def test_a_block_is_turned_around_in_shared_memory():
    last = ir.op("sub", ir.op("sub", ir.SIZE, ir.index(1)), ir.THREAD)
    body = (
        ir.put("s", ir.THREAD, Load("v", ir.NUMBER, I64)),
        Barrier(0),
        ir.put("v", ir.NUMBER, Load("s", last, I64)),
    )
    result = np.arange(7 * 96)
    run(of_threads(*body, arrays=(ir.shared("s", 96, I64),)), {"v": result}, grid=(7, 1, 1), block=(96, 1, 1))
    assert np.array_equal(result.reshape(7, 96), np.arange(7 * 96).reshape(7, 96)[:, ::-1])


def scan(*steps):
    """Return the loop that adds to each element of shared memory the one some steps before it."""
    before = ir.op("sub", ir.THREAD, J)
    some = ir.compare("ge", ir.THREAD, J)
    more = If(some, (Assign(K, ir.add(K, Load("s", before, I64))),))
    return (*steps, more, Barrier(0), ir.put("s", ir.THREAD, K), Barrier(0))


@pytest.mark.parametrize("size", [1, 31, 33, 100])
@pytest.mark.parametrize("kind", ["for", "while"])
def test_variables_keep_their_values_across_barriers_in_loops(size, kind):
    start = (Assign(K, Load("v", ir.NUMBER, I64)), ir.put("s", ir.THREAD, K), Barrier(0), Assign(J, ir.index(1)))
    double = Assign(J, ir.op("mul", J, ir.index(2)))
    if kind == "while":
        loop = While(ir.compare("lt", J, ir.SIZE), (*scan(), double))
    else:
        loop = For(ir.local("step"), ir.index(0), ir.index(7), ir.index(1), (*scan(), double))
    body = (*start, loop, ir.put("v", ir.NUMBER, K))
    result = np.random.default_rng(1).integers(0, 9, (3, size))
    expected = result.cumsum(axis=1)
    program = of_threads(*body, arrays=(ir.shared("s", 128, I64),))
    run(program, {"v": result.reshape(-1)}, grid=(3, 1, 1), block=(size, 1, 1))
    assert np.array_equal(result, expected)


def test_local_arrays_keep_their_values_across_barriers():
    fill = For(K, ir.index(0), ir.index(4), ir.index(1), (ir.put("a", K, ir.op("mul", K, ir.THREAD)),))
    total = For(K, ir.index(0), ir.index(4), ir.index(1), (Assign(J, ir.add(J, Load("a", K, I64))),))
    body = (fill, Barrier(0), Assign(J, ir.index(0)), total, ir.put("v", ir.THREAD, J))
    result = np.zeros(40, np.int64)
    run(of_threads(*body, arrays=(ir.private("a", 4, I64),)), {"v": result}, block=(40, 1, 1))
    assert result.tolist() == [6 * number for number in range(40)]


@given(
    kind=st.sampled_from(["index", "up", "down", "xor"]),
    lane=st.integers(0, 40),
    size=st.integers(1, 70),
    own=st.booleans(),
)
@settings(max_examples=30)
def test_shuffles_are_those_of_the_interpreter(kind, lane, size, own):
    other = ir.op("mod", ir.add(LANE, ir.index(lane)), ir.index(7)) if own else ir.index(lane)
    one = Shuffle(kind, J, ir.op("mul", ir.THREAD, ir.index(3)), other, 1)
    again = Shuffle(kind, K, J, ir.index(1), 1)
    program = of_threads(one, again, ir.put("v", ir.THREAD, J), ir.put("w", ir.THREAD, K), views="vw")
    host, oracle = both(program, "vw", size, (1, 1, 1), (size, 1, 1))
    assert host == oracle


@given(low=st.integers(0, 70), high=st.integers(0, 70), size=st.integers(1, 70))
@settings(max_examples=30)
def test_votes_are_those_of_the_interpreter(low, high, size):
    condition = ir.compare("lt", ir.op("mod", ir.add(ir.THREAD, ir.index(low)), ir.index(71)), ir.index(high))
    truth, bits = ir.local("truth", BOOL), ir.local("bits", U64)
    body = []
    for name, kind in zip("abc", ("any", "all", "ballot"), strict=True):
        target = bits if kind == "ballot" else truth
        body += [Vote(kind, target, condition, 1), ir.put(name, ir.THREAD, Cast(target, I64))]
    host, oracle = both(of_threads(*body, views="abc"), "abc", size, (1, 1, 1), (size, 1, 1))
    assert host == oracle


def test_the_first_warp_may_shuffle_alone():
    first = ir.compare("lt", ir.THREAD, ir.index(32))
    body = (
        Assign(J, ir.THREAD),
        If(first, (Shuffle("xor", J, J, ir.index(1), 1),)),
        Barrier(0),
        ir.put("v", ir.THREAD, J),
    )
    host, oracle = both(of_threads(*body), "v", 80, (1, 1, 1), (80, 1, 1))
    assert host == oracle


def test_asynchronous_copies_are_there_after_the_wait():
    copy = CopyAsync("s", ir.THREAD, "v", ir.NUMBER)
    body = (copy, WaitForCopies(), Barrier(0), ir.put("w", ir.NUMBER, Load("s", ir.index(0), I64)))
    program = of_threads(*body, views="vw", arrays=(ir.shared("s", 8, I64),))
    host, oracle = both(program, "vw", 24, (3, 1, 1), (8, 1, 1))
    assert host == oracle


@pytest.mark.parametrize(
    ("threads", "statement", "message"),
    [
        (16, Barrier(0), r"divergent barrier in kernel \(file.py:7\): some threads of a block arrived there"),
        (64, Barrier(0), r"divergent barrier in kernel \(file.py:7\)"),
        (3, Vote("any", ir.local("truth", BOOL), Const(True, BOOL), 1), r"divergent operation of a warp in .*:8\)"),
    ],
)
def test_threads_that_do_not_meet_are_found(threads, statement, message):
    program = of_threads(If(ir.compare("lt", ir.THREAD, ir.index(threads)), (statement,)))
    with pytest.raises(KernelLaunchError, match=message):
        run(program, {"v": np.zeros(1, np.int64)}, grid=(5, 1, 1), block=(96, 1, 1))


def test_two_barriers_are_not_one():
    program = of_threads(If(ir.compare("lt", ir.THREAD, ir.index(2)), (Barrier(0),), (Barrier(0),)))
    with pytest.raises(KernelLaunchError, match="divergent barrier"):
        run(program, {"v": np.zeros(1, np.int64)}, block=(4, 1, 1))


@pytest.mark.parametrize("barrier", [(), (Barrier(0),)])
def test_debug_mode_records_the_number_of_the_thread_in_the_grid(barrier):
    body = (*barrier, ir.put("v", ir.NUMBER, ir.NUMBER, ir.guard(0, "v", ir.NUMBER)))
    result = np.full(12, -1)
    failure, _ = run(of_threads(*body, debug=True), {"v": result[:10]}, grid=(3, 1, 1), block=(4, 1, 1))
    assert (failure.iteration, failure.at, failure.extent, failure.failures) == (10, 10, 10, 2)
    assert result.tolist() == [*range(10), -1, -1]


def test_barriers_need_an_explicit_grid():
    with pytest.raises(CapabilityError, match="Barrier needs an explicit grid of threads; a parallel loop has none"):
        host_source(ir.program(ir.loop((Barrier(0),), Extent("v", 0)), parameters=[ir.view()]))


def test_blocks_have_shared_memory_of_their_own():
    body = (
        If(ir.compare("eq", ir.THREAD, ir.index(0)), (ir.put("s", ir.index(0), ir.BLOCK),)),
        Barrier(0),
        ir.put("v", ir.NUMBER, Load("s", ir.index(0), I64)),
    )
    result = np.zeros(5000 * 8, np.int64)
    program = of_threads(*body, arrays=(Array("s", I64, 1, "shared"),))
    run(program, {"v": result}, grid=(5000, 1, 1), block=(8, 1, 1))
    assert np.array_equal(result, np.arange(5000).repeat(8))
