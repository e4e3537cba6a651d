"""Threads of an explicit grid: planted faults are found whatever order they run in, and correct programs pass."""

import re

import numpy as np
import pytest
from accel.backends.sim.kernels import interpret

from accel.errors import KernelLaunchError, RaceError
from accel.ir import (
    Assign,
    Atomic,
    Barrier,
    Cast,
    Compare,
    Const,
    CopyAsync,
    If,
    Logic,
    Place,
    Shuffle,
    Site,
    Stride,
    Vote,
    WaitForCopies,
    While,
)

from ..profiles import repeats
from . import short_ir as ir
from .short_ir import BLOCK, F32, NUMBER, THREAD

SEEDS = range(repeats(20))
FIRST = ir.compare("eq", THREAD, ir.index(0))


def threads(*body, parameters=None, arrays=(), sites=8, **rest):
    """Return a program for an explicit grid."""
    parameters = [ir.view("v"), ir.view("w")] if parameters is None else parameters
    return ir.program(ir.Threads(body), parameters=parameters, arrays=arrays, sites=sites, debug=True, **rest)


def run(made, *memories, grid=(3, 1, 1), block=(64, 1, 1), seed=0, **rest):
    """Interpret a program, given its views in order."""
    names = [each.name for each in made.parameters]
    failure, _ = interpret(made, dict(zip(names, memories, strict=True)), {}, grid=grid, block=block, seed=seed, **rest)
    assert failure is None


def fails(made, error, message, *memories, **rest):
    """Check that a program fails for all seeds."""
    for seed in SEEDS:
        with pytest.raises(error, match=message):
            run(made, *memories, seed=seed, **rest)


def block_sum(*, barriers=(True, True), initialise=True, divergent=False):
    """Return a program in which each block adds its 64 elements in shared memory."""
    half, tile = ir.local("half"), "tile"
    other = ir.add(THREAD, half)

    def element(at, site):
        return ir.get(tile, at, check=ir.guard_of(site, 64, at))

    added = ir.put(tile, THREAD, ir.add(element(THREAD, 2), element(other, 3), F32), ir.guard_of(4, 64, THREAD))
    fill = ir.put(tile, THREAD, ir.get("v", NUMBER, check=ir.guard(0, "v", NUMBER)), ir.guard_of(1, 64, THREAD))
    add = If(ir.compare("lt", THREAD, half), (added, *([Barrier(6)] if divergent else [])))
    loop = While(
        ir.compare("gt", half, ir.index(0)),
        (add, *([Barrier(6)] if barriers[1] and not divergent else []), halved(half)),
    )
    write = If(FIRST, (ir.put("w", BLOCK, element(ir.index(0), 5), ir.guard(7, "w", BLOCK)),))
    begin = [fill] if initialise else [If(ir.compare("ne", THREAD, ir.index(9)), (fill,))]
    return threads(
        *begin,
        *([Barrier(6)] if barriers[0] else []),
        Assign(half, ir.index(32)),
        loop,
        write,
        arrays=(ir.shared(tile, 64),),
        name="block_sum",
    )


def halved(x):
    """Return the statement that halves a variable."""
    return Assign(x, ir.op("floordiv", x, ir.index(2)))


def data(grid=3, block=64):
    """Return numbers for each thread, and room for one of each block."""
    return np.arange(grid * block, dtype="f4"), np.zeros(grid, "f4")


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_add_in_shared_memory(seed):
    v, w = data()
    run(block_sum(), v, w, seed=seed)
    assert np.array_equal(w, v.reshape(3, 64).sum(axis=1))


@pytest.mark.parametrize("barriers", [(False, True), (True, False)])
def test_a_missing_barrier_is_a_race_or_a_read_of_nothing(barriers):
    fails(block_sum(barriers=barriers), (RaceError, KernelLaunchError), r"a race|never written", *data())


def test_a_race_on_shared_memory_names_both_threads_and_lines():
    message = (
        r"a race in kernel block_sum: thread \d+ of block \d (reads|writes) tile\[\d+\] at block_sum \(file.py:1\d\), "
        r"and thread \d+ of block \d (reads|writes) it at block_sum \(file.py:1\d\); nothing orders the two: "
        r"write barrier\(\) between the two, or make both atomic"
    )
    fails(block_sum(barriers=(True, False)), RaceError, message, *data())


def test_shared_memory_that_was_not_written_is_reported():
    message = r"kernel block_sum: thread \d+ of block \d reads tile\[9\], memory that was never written, at block_sum"
    fails(block_sum(initialise=False), KernelLaunchError, message, *data())


def test_a_barrier_in_a_divergent_branch_is_reported():
    message = (
        r"thread \d+ of block \d waits at barrier\(\) at block_sum \(file.py:16\), and thread \d+ of block \d "
        r"(has ended|waits at barrier\(\) at block_sum \(file.py:16\)).*outside of the branch"
    )
    fails(block_sum(divergent=True), (KernelLaunchError, RaceError), f"{message}|a race", *data())
    alone = threads(If(FIRST, (Barrier(2),)), parameters=[])
    fails(alone, KernelLaunchError, r"thread 0 of block \d waits at barrier\(\).*thread 1 of block \d has ended")


def test_two_barriers_in_two_branches_do_not_meet():
    program = threads(If(FIRST, (Barrier(1),), (Barrier(2),)), parameters=[])
    fails(program, KernelLaunchError, r"waits at barrier\(\) at kernel \(file.py:11\).*at kernel \(file.py:12\)")


def test_threads_that_race_on_global_memory_are_reported():
    at = ir.op("floordiv", NUMBER, ir.index(2))
    program = threads(ir.put("v", at, Const(1, F32), ir.guard(0, "v", at)), parameters=[ir.view("v")])
    message = r"thread \d+ of block (\d) writes v\[\d+\] .*thread \d+ of block \1 writes it .*barrier\(\)"
    fails(program, RaceError, message, np.zeros(96, "f4"))
    own = threads(ir.put("v", NUMBER, Const(1, F32), ir.guard(0, "v", NUMBER)), parameters=[ir.view("v")])
    for seed in SEEDS:
        v = np.zeros(192, "f4")
        run(own, v, seed=seed)
        assert v.all()


def test_no_barrier_orders_two_blocks():
    other = ir.op("mod", ir.add(BLOCK, ir.index(1)), ir.index(3))
    read = ir.put("w", BLOCK, ir.get("v", other, check=ir.guard(1, "v", other)), ir.guard(2, "w", BLOCK))
    write = ir.put("v", BLOCK, Const(1, F32), ir.guard(0, "v", BLOCK))
    program = threads(If(FIRST, (write,)), Barrier(3), If(FIRST, (read,)))
    fails(program, RaceError, r"block 0.*block 1|block 1.*block 2|block 2.*block 0|blocks run in any order", *data())


def test_a_barrier_orders_the_threads_of_a_block_on_global_memory():
    other = ir.op("xor", NUMBER, ir.index(5))
    write = ir.put("v", NUMBER, Cast(NUMBER, F32), ir.guard(0, "v", NUMBER))
    read = ir.put("w", NUMBER, ir.get("v", other, check=ir.guard(1, "v", other)), ir.guard(2, "w", NUMBER))
    for seed in SEEDS:
        v, w = np.zeros(192, "f4"), np.zeros(192, "f4")
        run(threads(write, Barrier(3), read), v, w, seed=seed)
        assert np.array_equal(w, np.arange(192) ^ 5)
    fails(threads(write, read), RaceError, "a race", v, w)


def test_atomic_operations_do_not_race_with_each_other():
    count = Atomic("add", "v", ir.index(0), Const(1, F32), guard=ir.guard(0, "v", ir.index(0)))
    for seed in SEEDS:
        v = np.zeros(1, "f4")
        run(threads(count, parameters=[ir.view("v")]), v, seed=seed)
        assert v[0] == 192
    read = ir.put("w", NUMBER, ir.get("v", ir.index(0), check=ir.guard(1, "v", ir.index(0))))
    fails(threads(count, read), RaceError, "atomically changes", np.zeros(1, "f4"), np.zeros(192, "f4"))


def test_two_views_of_the_same_memory_race():
    other = ir.add(NUMBER, ir.index(1))
    read = ir.put("w", NUMBER, ir.get("v", other, check=ir.guard(0, "v", other)), ir.guard(1, "w", NUMBER))
    memory = np.zeros(200, "f4")
    fails(threads(read), RaceError, "a race", memory, memory[:192])
    run(threads(read), memory, np.zeros(192, "f4"))


def test_views_of_other_types_race_where_their_bytes_meet():
    write = ir.put("w", NUMBER, Const(1, np.dtype("u1")), ir.guard(0, "w", NUMBER))
    quarter = ir.op("floordiv", NUMBER, ir.index(4))
    read = Assign(ir.local("x", F32), ir.get("v", quarter, check=ir.guard(1, "v", quarter)))
    parameters = [ir.view("v"), ir.view("w", "u1")]
    memory = np.zeros(192, "u1")
    fails(threads(write, read, parameters=parameters), RaceError, "a race", memory.view("f4"), memory)


def shuffle(kind, distance):
    """Return a program in which each thread gets the number of another one."""
    value = ir.local("value")
    store = ir.put("v", NUMBER, value, ir.guard(0, "v", NUMBER))
    return threads(Shuffle(kind, value, THREAD, ir.index(distance), 1), store, parameters=[ir.view("v", ir.INDEX)])


@pytest.mark.parametrize("warp", [32, 64])
@pytest.mark.parametrize("kind", ["index", "up", "down", "xor"])
@pytest.mark.parametrize("distance", [0, 1, 5, 33])
def test_a_shuffle_gets_the_value_of_another_lane_or_the_own_one(kind, distance, warp):
    numbers = np.arange(80)
    first, lane = numbers // warp * warp, numbers % warp
    other = {"index": lane * 0 + distance, "up": lane - distance, "down": lane + distance, "xor": lane ^ distance}[kind]
    there = (other >= 0) & (other < np.minimum(warp, 80 - first))
    for seed in range(3):
        v = np.zeros(80, ir.INDEX)
        run(shuffle(kind, distance), v, grid=(1, 1, 1), block=(80, 1, 1), seed=seed, warp=warp)
        assert np.array_equal(v, np.where(there, first + other, numbers))


@pytest.mark.parametrize("warp", [32, 64])
def test_votes_ask_all_lanes(warp):
    odd, dtype = ir.compare("eq", ir.op("mod", THREAD, ir.index(2)), ir.index(1)), np.dtype("u8")
    some, every, bits = ir.local("some", "?"), ir.local("every", "?"), ir.local("bits", dtype)
    store = ir.put("v", NUMBER, bits, ir.guard(0, "v", NUMBER))
    wrong = Logic("or", every, Compare("eq", some, Const(False, ir.TRUTH)))
    ask = (Vote("any", some, odd, 1), Vote("all", every, odd, 2), Vote("ballot", bits, odd, 3))
    program = threads(*ask, If(wrong, (Assign(bits, Const(0, dtype)),)), store, parameters=[ir.view("v", dtype)])
    v = np.zeros(64, dtype)
    run(program, v, grid=(1, 1, 1), warp=warp)
    assert np.array_equal(v, np.full(64, int("10" * (warp // 2), 2), dtype))


def test_a_warp_operation_with_missing_lanes_is_reported():
    value = ir.local("value")
    some = If(ir.compare("lt", THREAD, ir.index(10)), (Shuffle("down", value, THREAD, ir.index(1), 2),))
    message = (
        r"thread 0 of block \d waits for its warp at kernel \(file.py:12\), and thread 10 of block \d of the same "
    )
    fails(threads(some, parameters=[]), KernelLaunchError, message + "warp has ended")
    fails(threads(some, Barrier(3), parameters=[]), KernelLaunchError, message + r"warp waits at barrier\(\)")


def test_warps_do_their_operations_independently():
    value = ir.local("value")
    first = If(ir.compare("lt", THREAD, ir.index(32)), (Shuffle("down", value, THREAD, ir.index(1), 2),))
    for seed in SEEDS:
        run(threads(first, Barrier(3), parameters=[]), seed=seed)


def copied(*after):
    """Return a program in which threads copy elements to shared memory, and then read those of their neighbours."""
    source = ir.guard(1, "v", NUMBER)
    copy = CopyAsync("tile", THREAD, "v", NUMBER, ir.guard_of(0, 64, THREAD), source)
    other = ir.op("xor", THREAD, ir.index(1))
    read = ir.put("w", NUMBER, ir.get("tile", other, check=ir.guard_of(2, 64, other)), ir.guard(3, "w", NUMBER))
    return threads(copy, *after, read, arrays=(ir.shared("tile", 64),))


def test_an_asynchronous_copy_is_there_after_the_wait_and_a_barrier():
    v, w = np.arange(192, dtype="f4"), np.zeros(192, "f4")
    for seed in SEEDS:
        w[:] = 0
        run(copied(WaitForCopies(), Barrier(4)), v, w, seed=seed)
        assert np.array_equal(w, np.arange(192) ^ 1)


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ((), r"a race|while the asynchronous copy|never written"),
        ((WaitForCopies(),), r"a race|while the asynchronous copy|never written"),
        (
            (Barrier(4),),
            r"reads tile\[\d+\] at kernel \(file.py:12\), while the asynchronous copy of thread \d+ .*async_wait",
        ),
        ((Barrier(4), WaitForCopies()), r"a race|while the asynchronous copy"),
    ],
)
def test_a_read_before_the_copy_is_complete_is_reported(after, message):
    fails(copied(*after), (KernelLaunchError, RaceError), message, np.arange(192, dtype="f4"), np.zeros(192, "f4"))


def test_an_index_out_of_range_is_a_failure_of_its_thread():
    at = ir.add(NUMBER, ir.index(1))
    program = threads(ir.put("v", at, Const(1, F32), ir.guard(3, "v", at)), parameters=[ir.view("v")])
    for seed in SEEDS:
        v = np.zeros(193, "f4")[:192]
        failure, _ = interpret(program, {"v": v}, {}, grid=(3, 1, 1), block=(64, 1, 1), seed=seed)
        assert failure == (3, 191, 0, 192, 192, 0, 1)
        assert v.base[192] == 0


def test_an_index_out_of_range_is_reported_before_the_fault_it_causes():
    at = ir.add(THREAD, ir.index(60))
    fill = ir.put("tile", at, Const(1, F32), ir.guard_of(0, 64, at))
    read = ir.put("v", NUMBER, ir.get("tile", THREAD, check=ir.guard_of(1, 64, THREAD)))
    program = threads(fill, Barrier(2), read, arrays=(ir.shared("tile", 64),), parameters=[ir.view("v")])
    for seed in SEEDS:
        failure, _ = interpret(program, {"v": np.zeros(192, "f4")}, {}, grid=(3, 1, 1), block=(64, 1, 1), seed=seed)
        assert failure.site == 0


def test_places_count_with_x_fastest():
    at = ir.index(0)
    for part in (Place("block", 1), Place("block", 0), Place("thread", 2), Place("thread", 1), Place("thread", 0)):
        size = {"block": "grid_size", "thread": "block_size"}[part.what]
        at = ir.add(ir.op("mul", at, Place(size, part.axis)), part)
    program = threads(ir.put("v", at, ir.add(Place("lane", 0), Place("warp", 0))), parameters=[ir.view("v", ir.INDEX)])
    v = np.zeros(6 * 60, ir.INDEX)
    run(program, v, grid=(3, 2, 1), block=(5, 4, 3))
    assert np.array_equal(v.reshape(6, 60), np.tile(np.arange(60) % 32 + 32, (6, 1)))


def test_messages_name_threads_by_their_axes_and_all_functions_on_the_way():
    calls = (("kernel", "file.py", 3), ("helper", "other.py", 7))
    program = threads(
        ir.put("v", ir.index(0), Const(1, F32), ir.guard(0, "v", ir.index(0))), parameters=[ir.view("v")], name="kernel"
    )
    program = program._replace(sites=(Site("write", "v", calls),))
    thread, line = (
        r"thread \(\d, \d, 0\) of block \(\d, \d, 0\)",
        r"helper \(other.py:7\), called by kernel \(file.py:3\)",
    )
    message = rf"{thread} writes v\[0\] at {line}, and {thread} writes it at {line}"
    fails(program, RaceError, message, np.zeros(1, "f4"), grid=(2, 2, 1), block=(2, 2, 1))


def test_a_part_of_a_view_is_named_in_a_race():
    check = ir.guard(0, "v", ir.index(1))._replace(offset=ir.index(8))
    program = threads(ir.put("v", ir.index(9), Const(1, F32), check), parameters=[ir.view("v")])
    message = re.escape("writes v[1] (of the part that begins at element 8)")
    fails(program, RaceError, message, np.zeros(10, "f4"))


def test_a_grid_without_blocks_does_nothing():
    v = np.zeros(1, "f4")
    program = threads(ir.put("v", ir.index(0), Const(1, F32)), parameters=[ir.view("v")])
    run(program, v, grid=(0, 1, 1))
    assert v[0] == 0


def test_a_thread_that_waits_for_another_lets_it_run():
    lock, old = ir.index(0), ir.local("old", ir.INDEX)
    one, zero = Const(1, ir.INDEX), Const(0, ir.INDEX)
    take = (Atomic("compare", "lock", lock, one, old, zero),)
    wait = While(ir.compare("ne", old, zero), take)
    give = Atomic("exchange", "lock", lock, zero)
    count = Atomic("add", "v", lock, Const(1, F32))
    parameters = [ir.view("v"), ir.view("lock", ir.INDEX)]
    v = np.zeros(1, "f4")
    program = threads(Assign(old, one), wait, count, give, parameters=parameters)
    run(program, v, np.zeros(1, ir.INDEX), grid=(2, 1, 1), block=(8, 1, 1))
    assert v[0] == 16


@pytest.mark.parametrize("seed", range(5))
def test_a_tiled_transpose_passes(seed):
    x, y = Place("thread", 0), Place("thread", 1)
    row, column = Place("block", 1), Place("block", 0)
    eight = ir.index(8)

    def tile(a, b):
        at = ir.add(ir.op("mul", a, ir.index(9)), b)
        return at, ir.guard_of(0, 72, at)

    def place(name, block_row, block_column):
        first = ir.add(ir.op("mul", block_row, eight), y)
        second = ir.add(ir.op("mul", block_column, eight), x)
        return ir.add(ir.op("mul", first, Stride(name, 0)), ir.op("mul", second, Stride(name, 1)))

    put = ir.put("tile", tile(y, x)[0], ir.get("v", place("v", row, column)), tile(y, x)[1])
    get = ir.put("w", place("w", column, row), ir.get("tile", tile(x, y)[0], check=tile(x, y)[1]))
    program = threads(
        put,
        Barrier(3),
        get,
        arrays=(ir.shared("tile", 72),),
        parameters=[ir.view("v", rank=2), ir.view("w", rank=2)],
    )
    v, w = np.random.default_rng(0).random((16, 24)).astype("f4"), np.zeros((24, 16), "f4")
    run(program, v, w, grid=(3, 2, 1), block=(8, 8, 1), seed=seed)
    assert np.array_equal(w, v.T)
    without = program._replace(steps=(ir.Threads((put, get)),))
    fails(without, (RaceError, KernelLaunchError), "a race|never written", v, w, grid=(3, 2, 1), block=(8, 8, 1))
