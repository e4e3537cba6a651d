"""The runtime of kernels on the simulated device: the order of threads, barriers, threads that wait, faults, limits."""

import ctypes
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from accel.backends.cuda_on_cpu.launch.structures import Kind, Standpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from .checks import Memory, kinds, module, ran, setups

SOURCE = Path(__file__).with_name("running.cu").read_text(encoding="utf-8")
SETUPS = setups()
NARROW = list(dict.fromkeys(setup._replace(warp=32) for setup in SETUPS))
GCC = SETUPS[0]


def launched(kernel, grid, block, *arguments, setup=GCC, checks="", **rest):
    return ran(SOURCE, kernel, grid, block, *arguments, setup=setup, checks=checks, **rest)


def zeros(count, dtype="i4"):
    return Memory(np.zeros(count, dtype))


def order(grid, block, **rest):
    """Return the numbers of the threads in the order in which they ran."""
    seen, count = zeros(grid * block + 1), zeros(1)
    assert launched("orders", grid, block, seen, count, **rest).stopped == Kind.NOTHING
    return seen.values[: grid * block].tolist()


# --- order


@given(
    st.tuples(*[st.integers(1, 5)] * 3), st.tuples(st.integers(1, 40), st.integers(1, 5), st.integers(1, 5)),
    st.integers(0, 2**64 - 1), st.integers(1, 3),
)  # fmt: skip
@settings(max_examples=20)
def test_every_thread_of_the_grid_runs_once_with_its_indices(grid, block, seed, workers):
    size = int(np.prod(grid)) * int(np.prod(block))
    seen = zeros(size)
    launched("indices", grid, block, seen, seed=seed, workers=workers)
    expected = [
        x | y << 6 | z << 10 | bx << 14 | by << 18 | bz << 22
        for bz, by, bx, z, y, x in np.ndindex(*grid[::-1], *block[::-1])
    ]
    np.testing.assert_array_equal(seen.values, expected)


def test_a_seed_determines_the_order_of_blocks_and_threads_and_others_have_others():
    orders = {seed: order(8, 64, seed=seed) for seed in range(8)}
    assert all(sorted(threads) == list(range(512)) for threads in orders.values())
    assert len({tuple(threads) for threads in orders.values()}) == 8
    assert orders[3] == order(8, 64, seed=3)


def test_without_a_seed_blocks_and_threads_run_in_ascending_order():
    assert order(8, 64, seed=None) == list(range(512))


def test_the_order_within_a_block_does_not_depend_on_the_number_of_workers():
    one, three = (order(6, 40, seed=5, workers=workers) for workers in (1, 3))
    for block in range(6):
        threads = range(block * 40, block * 40 + 40)
        assert [each for each in one if each in threads] == [each for each in three if each in threads]


def test_threads_of_a_block_start_in_random_order_after_a_barrier_too():
    orders = set()
    for seed in range(6):
        seen, count = zeros(65), zeros(1)
        launched("orders_after_barrier", 1, 64, seen, count, seed=seed)
        assert sorted(seen.values[:64]) == list(range(64))
        orders.add(tuple(seen.values[:64]))
    assert len(orders) == 6


# --- barriers


@pytest.mark.parametrize("checks", ["", "memory,race,init,sync"])
def test_a_block_exchanges_values_through_shared_memory(setup, checks):
    x = Memory(np.arange(4 * 256, dtype="i4"))
    outcome = launched("reverses", 4, 256, x, 6, setup=setup, checks=checks, workers=2, shared=1024)
    assert not kinds(outcome)
    np.testing.assert_array_equal(x.values, np.arange(1024))


@given(st.integers(1, 300), st.integers(1, 7), st.integers(0, 9))
@settings(max_examples=15)
def test_barriers_count_and_combine_what_threads_pass(threads, modulus, seed):
    out = zeros(3 * threads)
    launched("predicates", 1, threads, out, modulus, seed=seed)
    passed = sum(1 for i in range(threads) if i % modulus == 0)
    assert set(out.values[:threads]) == {passed}
    assert set(out.values[threads : 2 * threads]) == {int(passed == threads)}
    assert set(out.values[2 * threads :]) == {int(passed > 0)}


@pytest.mark.parametrize("checks", ["", "memory,race,init,sync"])
def test_barriers_do_not_wait_for_threads_that_ended(checks):
    for seed in range(3):
        out = zeros(64)
        outcome = launched("ends_early", 1, 64, out, 20, checks=checks, seed=seed)
        assert (outcome.stopped, kinds(outcome)) == (Kind.NOTHING, [])
        np.testing.assert_array_equal(out.values, [20] * 20 + [0] * 44)


def test_threads_at_different_barriers_are_reported_with_both_places():
    outcome = launched("diverges", 1, 64, zeros(64), checks="sync")
    assert "DIVERGENT_BARRIER" in kinds(outcome)
    finding = outcome.findings[0]
    assert finding.here.pc != finding.other.pc
    assert {finding.here.thread.x < 32, finding.other.thread.x < 32} == {True, False}


# --- warps


def test_a_lane_outside_of_the_mask_that_it_names_is_reported():
    outcome = launched("wrong_mask", 1, 32, zeros(32), checks="sync")
    assert kinds(outcome) == ["WRONG_MASK"]
    assert outcome.findings[0].detail == 0xFFFF
    assert outcome.findings[0].count == 16


def test_lanes_that_can_never_meet_are_a_deadlock_with_where_each_thread_stands():
    outcome = launched("never_meet", 2, 64, zeros(64), checks="")
    assert outcome.stopped == Kind.DEADLOCK
    states = {(standing.thread.x, Standpoint(standing.state)) for standing in outcome.standings}
    assert states == {
        (i, Standpoint.IN_WARP if i < 16 else Standpoint.ENDED if i < 32 else Standpoint.AT_BARRIER) for i in range(64)
    } or {state for _, state in states} == {Standpoint.IN_WARP, Standpoint.AT_BARRIER}


@given(st.integers(1, 2**32 - 1), st.integers(0, 20))
@settings(max_examples=15)
def test_lanes_in_a_branch_find_the_lanes_that_are_in_it(mask, seed):
    out = zeros(32, "u4")
    launched("branches", 1, 32, out, np.uint32(mask), seed=seed)
    lanes = np.array([mask >> i & 1 for i in range(32)], bool)
    assert set(out.values[lanes]) == {np.uint32(mask)}
    assert set(out.values[~lanes]) <= {np.uint32(~mask & 0xFFFFFFFF)}


def test_a_collective_keeps_its_values_while_other_lanes_run_ahead():
    for seed in range(5):
        out = zeros(32)
        launched("runs_ahead", 1, 32, out, 50, seed=seed)
        assert set(out.values) == {0}, seed


# --- threads that wait for others without a barrier


@pytest.mark.parametrize("setup", NARROW, ids=str)
@pytest.mark.parametrize("checks", ["", "memory"])
def test_a_thread_that_spins_lets_the_thread_run_that_it_waits_for(setup, checks):
    out = zeros(1)
    outcome = launched("spins_in_block", 1, 64, zeros(1), out, setup=setup, checks=checks)
    assert (outcome.stopped, out.values[0]) == (Kind.NOTHING, 1)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kernel", ["chain", "chain_by_votes", "chain_by_atomics"])
def test_blocks_that_spin_for_the_block_before_get_further(kernel, workers):
    out = zeros(12)
    outcome = launched(kernel, 12, 64, zeros(12), out, workers=workers)
    assert outcome.stopped == Kind.NOTHING
    np.testing.assert_array_equal(out.values, np.arange(1, 13))


@pytest.mark.parametrize("workers", [1, 2])
def test_blocks_keep_their_shared_memory_in_a_hand_made_grid_barrier(workers):
    x = Memory(np.arange(10, dtype="i4"))
    outcome = launched("hand_made_grid_barrier", 10, 64, zeros(1), x, 5, workers=workers, shared=256)
    assert outcome.stopped == Kind.NOTHING
    np.testing.assert_array_equal(x.values, (np.arange(10) + 5) % 10)


@given(st.integers(1, 40), st.integers(1, 70), st.integers(1, 3), st.integers(0, 9))
@settings(max_examples=15)
def test_a_cooperative_launch_has_barriers_of_the_grid(blocks, threads, workers, seed):
    x = Memory(np.arange(blocks, dtype="i4"))
    outcome = launched("grid_barriers", blocks, threads, x, 4, workers=workers, seed=seed, cooperative=True)
    assert outcome.stopped == Kind.NOTHING
    np.testing.assert_array_equal(x.values, (np.arange(blocks) + 4) % blocks)


def test_a_barrier_of_the_grid_needs_a_cooperative_launch():
    outcome = launched("grid_barriers", 4, 32, zeros(4), 4)
    assert (outcome.stopped, kinds(outcome)) == (Kind.NOT_COOPERATIVE, ["NOT_COOPERATIVE"])


# --- faults


@pytest.mark.parametrize("setup", NARROW, ids=str)
@pytest.mark.parametrize(
    ("kernel", "kind"),
    [
        ("writes_to", Kind.INVALID_ADDRESS),
        ("recurses", Kind.STACK_OVERFLOW),
        ("has_a_large_frame", Kind.STACK_OVERFLOW),
        ("divides", Kind.ARITHMETIC),
        ("traps", Kind.TRAP),
        ("asserts", Kind.ASSERTION),
    ],
)
def test_a_fault_stops_the_launch_and_the_next_one_runs(setup, kernel, kind):
    outcome = launched(kernel, 3, 64, np.uint64(4096), 0, setup=setup, workers=2)
    assert outcome.stopped == kind
    assert kinds(outcome)[0] == kind.name
    first = outcome.findings[0]
    low, high = module(SOURCE, setup, checked=False).code
    assert low < first.here.pc <= high
    if kind == Kind.INVALID_ADDRESS:
        assert first.address == 4096 + 4 * first.here.thread.x
    if kind == Kind.ASSERTION:
        assert first.text == b"number == 1"
    assert sorted(order(3, 64, setup=setup, workers=2)) == list(range(192))


def test_an_endless_kernel_is_stopped_after_the_limit_with_where_its_threads_stand():
    outcome = launched("endless", 4, 64, zeros(1), limit=0.2, workers=2)
    assert outcome.stopped == Kind.TIMEOUT
    assert kinds(outcome) == ["TIMEOUT"]
    low, high = module(SOURCE, GCC, checked=False).code
    standing = [each for each in outcome.standings if each.state != Standpoint.NOT_STARTED]
    assert {Standpoint(each.state) for each in standing} == {Standpoint.RUNNING, Standpoint.AT_BARRIER}
    assert all(low < each.pc <= high for each in standing)


def test_a_launch_is_stopped_by_another_thread():
    stop = ctypes.c_uint32()
    threading.Timer(0.05, lambda: setattr(stop, "value", 1)).start()
    began = time.monotonic()
    assert launched("endless", 4, 64, zeros(1), stop=stop, limit=60).stopped == Kind.INTERRUPTED
    assert time.monotonic() - began < 30


def test_a_block_of_more_than_1024_threads_is_refused():
    with pytest.raises(ValueError, match="at most 1024 threads"):
        launched("endless", 1, 1025, zeros(1))


# --- output, and the heap


def test_output_is_that_of_the_threads_in_their_order():
    outcome = launched("prints", 1, 3, zeros(1), seed=None)
    expected = "".join([f"{i:3d}|{-i:<4d}|{i:x}|{i / 4:8.3f}|{i / 3:.2e}|c|text|{2**40 + i}|%\n" for i in range(3)])
    assert outcome.printed == expected


def test_printf_returns_the_number_of_values_and_prints_long_lines():
    returned = zeros(2)
    outcome = launched("prints_long", 1, 1, returned)
    assert returned.values.tolist() == [2, 0]
    assert outcome.printed == "x" * 3000 + " " * 2000 + "7\nend\n"


def test_memory_of_the_heap_outlives_the_kernel_that_allocates_it():
    pointers, out = zeros(64, "u8"), zeros(64)
    launched("allocates", 1, 64, pointers, workers=1)
    assert len(set(pointers.values)) == 64
    launched("reads_and_frees", 1, 64, pointers, out)
    np.testing.assert_array_equal(out.values, np.arange(64) * 3)


# --- the process around


def test_several_threads_launch_at_once():
    outcomes = []

    def work(seed):
        for _ in range(5):
            x = Memory(np.arange(1024, dtype="i4"))
            launched("reverses", 4, 256, x, 6, seed=seed, workers=2, shared=1024)
            outcomes.append((x.values == np.arange(1024)).all())
            outcomes.append(launched("divides", 2, 32, np.uint64(0), 0).stopped == Kind.ARITHMETIC)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [True] * 40


SCRIPT = """
import os, signal, sys, threading, time, faulthandler
import numpy as np
from accel.backends.cuda_on_cpu.build.building import build, kernel_names
from accel.backends.cuda_on_cpu.launch.execution import run, Kind
from accel.backends.cuda_on_cpu.launch.module import Module
source = open(sys.argv[1]).read()
loaded = Module.load(build(source, warp=32, checked=False, kernels=kernel_names(source)), "tests")
def go(kernel, *values, **settings):
    return run(loaded, loaded.entry(kernel), values, grid=(2, 1, 1), block=(64, 1, 1), **settings).stopped
flag = np.zeros(1, "i4")
address = np.uint64(flag.ctypes.data)
"""


def in_process(text):
    command = [sys.executable, "-c", SCRIPT + text, str(Path(__file__).with_name("running.cu"))]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)


def test_an_interrupt_stops_a_kernel_and_is_raised():
    done = in_process("""
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    go("endless", address)
except KeyboardInterrupt:
    print("interrupted", go("writes_to", np.uint64(4096), np.int32(0)))
""")
    assert done.stdout.split() == ["interrupted", str(int(Kind.INVALID_ADDRESS))], done.stderr


def test_kernels_run_in_a_forked_child():
    done = in_process("""
go("divides", np.uint64(0), np.int32(0))
child = os.fork()
if not child:
    os._exit(go("writes_to", np.uint64(4096), np.int32(0)))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), go("divides", np.uint64(0), np.int32(0)))
""")
    assert done.stdout.split() == [str(int(Kind.INVALID_ADDRESS)), str(int(Kind.ARITHMETIC))], done.stderr


def test_a_fault_in_any_worker_is_a_finding():
    done = in_process("""
print({go("divides", np.uint64(0), np.int32(0), workers=2, seed=seed) for seed in range(300)})
""")
    assert done.stdout.strip() == "{<Kind.ARITHMETIC: 14>}", done.stderr


def test_a_fault_outside_of_kernels_is_reported_as_before():
    done = in_process("""
faulthandler.enable()
thread = threading.Thread(target=go, args=("endless", address), kwargs={"limit": 60}, daemon=True)
print(go("writes_to", np.uint64(4096), np.int32(0)), flush=True)
thread.start()
time.sleep(0.1)
import ctypes
ctypes.string_at(16)
""")
    assert done.returncode < 0
    assert done.stdout.split() == [str(int(Kind.INVALID_ADDRESS))]
    assert "Segmentation fault" in done.stderr
    assert "string_at" in done.stderr


def test_a_process_ends_while_a_kernel_runs():
    done = in_process("""
threading.Thread(target=go, args=("endless", address), kwargs={"limit": 60}, daemon=True).start()
time.sleep(0.1)
print("ends")
""")
    assert (done.returncode, done.stdout.split()) == (0, ["ends"]), done.stderr
