"""What checked kernels do wrong is an ordinary exception at the next wait, with reports as data, text and pictures."""

import json
import os
import pickle
import re
import signal
import threading
import time
from contextlib import suppress
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from accel.backends.common import interrupts

import accel
from accel import RawKernel, xp
from accel.errors import (
    AccelError,
    BoundsError,
    CapabilityError,
    KernelAssertError,
    KernelCheckError,
    KernelFaultError,
    KernelInitError,
    KernelMemoryError,
    KernelRaceError,
    KernelSyncError,
    KernelTimeoutError,
    RaceError,
)
from accel.kernels import KernelReport
from accel.memory import heap_of
from accel.testing import no_races, seeded

SOURCE = r"""
__constant__ int table[4];
__device__ int counter;
struct Pair { int first, second; };

extern "C" __global__ void beyond(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i + 1];
}
extern "C" __global__ void before(float* y) { y[(int)threadIdx.x - 1] = 1; }
extern "C" __global__ void below(float* y) { y[threadIdx.x - 1] = 1; }
extern "C" __global__ void turn(int* x) {
    __shared__ int tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void total(int* x) { *x += 1; }
extern "C" __global__ void blocks(int* x) { if (threadIdx.x == 0) *x = blockIdx.x; }
extern "C" __global__ void global_total() { counter += 1; }
extern "C" __global__ void branch(int* x) {
    if (threadIdx.x < 10)
        __syncthreads();
    else {
        x[threadIdx.x] = 1;
        __syncthreads();
    }
}
extern "C" __global__ void early(int* x, int n) {
    if (threadIdx.x >= n) return;
    __syncthreads();
    x[threadIdx.x] = 1;
}
extern "C" __global__ void never(int* x) {
    if (threadIdx.x < 8)
        __syncwarp();
    else if (threadIdx.x < 16)
        __syncthreads();
    x[threadIdx.x] = 1;
}
extern "C" __global__ void forever(volatile int* x) {
    while (*x == 0) {}
}
extern "C" __global__ void asserts(int* x) { assert(x[threadIdx.x] < 10); }
extern "C" __global__ void divide(int* x, int n) { x[0] = 5 / n; }
extern "C" __global__ void trap(int* x) { if (x[0] == 0) __trap(); }
extern "C" __global__ void array(int* x, int at) {
    __shared__ int tile[32];
    tile[at] = 1;
    x[0] = tile[at];
}
extern "C" __global__ void dynamic(int* x) {
    extern __shared__ int all[];
    all[threadIdx.x] = 1;
    x[threadIdx.x] = all[threadIdx.x];
}
extern "C" __global__ void wide(float* x) { ((float4*)(x + 1))[0] = float4{1, 2, 3, 4}; }
extern "C" __global__ void constant(int* x) { const_cast<int*>(table)[1] = x[0]; }
extern "C" __global__ void keep(long long* kept, int* numbers) { *kept = (long long)numbers; }
extern "C" __global__ void use(const long long* kept, int number) { *(int*)*kept = number; }
extern "C" __global__ void read(const int* x, int* sum, int at) { *sum = x[at]; }
extern "C" __global__ void fine(int* x) { x[threadIdx.x] = threadIdx.x; }

__device__ __forceinline__ int inner(const float* x, int i) { return x[i]; }
extern "C" __global__ void outer(const float* x, int* y) { y[0] = inner(x, 100); }
"""


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line)


def run(name, *arguments, grid=1, block=32, checks="all", seed=0, **more):
    """Run a kernel to its end; what it does wrong is raised."""
    with seeded(seed), accel.using(kernel_checks=checks):
        RawKernel.from_source(SOURCE, name)(*arguments, grid=grid, block=block, **more).wait()


def caught(error, *arguments, **more):
    with pytest.raises(error) as raised:
        run(*arguments, **more)
    return raised.value


def ints(size=64):
    return accel.zeros(size, "int32", device="sim")


def floats(size=64):
    return accel.zeros(size, "float32", device="sim")


def _interrupt_kernel():
    """Interrupt the main thread when it waits for a kernel that is running."""
    while not interrupts._stops:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


class TestMessages:
    def test_an_access_out_of_bounds_names_lines_threads_memory_and_its_allocation(self):
        x, y = floats(), floats()
        allocated = f"{__file__}:{floats.__code__.co_firstlineno + 1} in floats"
        error = caught(KernelMemoryError, "beyond", x, y, grid=2)
        line = line_of("y[i] = x[i + 1]")
        first, *rest = str(error).split("\n")
        assert first == (
            f"out of bounds in kernel beyond: thread 31 of block 1 at <source>:{line} reads 4 bytes: x[64], right "
            f"after the end of x, <256 bytes of sim at {x.__accel_operand__().address:#x}>, allocated at {allocated}; "
            f"compare the index with the extent first, as in if (i < n)"
        )
        assert rest[1] == f"    <source>:{line} in beyond:  y[i] = x[i + 1];"
        assert isinstance(error, BoundsError)

    def test_an_access_before_the_memory_says_how_far(self):
        assert "y[-1], 4 bytes before the start of y, <" in str(caught(KernelMemoryError, "before", floats()))

    def test_an_unsigned_index_below_zero_is_told(self):
        message = str(caught(KernelMemoryError, "below", floats()))
        assert "an unsigned index of 32 bits went below 0: as a signed one it is y[-1]; make it signed" in message

    def test_a_part_of_memory_is_numbered_from_its_start(self):
        c = floats()
        message = str(caught(KernelMemoryError, "beyond", c[32:], c[:32]))
        assert "x[32], right after the end of x, <256 bytes" in message

    def test_what_it_may_have_written_cannot_be_read(self):
        x, y = floats(32), floats(32)
        caught(KernelMemoryError, "beyond", x, y)
        with pytest.raises(KernelMemoryError):
            y.to_numpy()
        y.fill(1)
        assert set(y.to_numpy()) == {1}

    def test_a_race_in_shared_memory_has_both_sides(self):
        error = caught(KernelRaceError, "turn", ints(), block=64)
        write, read = line_of("tile[threadIdx.x] = x"), line_of("x[threadIdx.x] = tile")
        assert re.match(
            rf"race in kernel turn: thread (\d+) of block 0 at <source>:({write}|{read}) (writes|reads) 4 bytes: "
            rf"tile\[\d+\], in the __shared__ variable tile of 256 bytes, and thread \d+ of block 0 at "
            rf"<source>:({write}|{read}) (reads|writes) the same bytes; nothing orders the two; let a __syncthreads",
            str(error),
        )
        report = error.reports[0]
        assert {report.place.frames[0].line, report.other.frames[0].line} == {write, read}
        assert sum(each.thread[0] for each in (report.place, report.other)) == 63
        assert report.count >= 32

    def test_an_update_that_is_not_atomic_is_told_so(self):
        assert "update it atomically, as by atomicAdd" in str(caught(KernelRaceError, "total", ints()))

    def test_a_race_between_blocks_says_that_they_run_in_any_order(self):
        error = caught(KernelRaceError, "blocks", ints(), grid=4)
        assert "blocks run in any order" in str(error)
        assert error.reports[0].place.block != error.reports[0].other.block

    def test_a_variable_of_the_device_is_named(self):
        with accel.new_stream("sim") as stream:
            error = caught(KernelRaceError, "global_total", stream=stream)
        assert "counter[0], in the __device__ variable counter of 4 bytes" in str(error)

    @pytest.mark.parametrize(
        ("name", "arguments", "error", "message"),
        [
            ("branch", (), KernelSyncError, r"waits at a barrier, and thread \d+ of block 0 waits at another, at <"),
            ("divide", (0,), KernelFaultError, r"division by zero in kernel divide: thread"),
            ("trap", (), KernelFaultError, r"trap in kernel trap: thread \d+ of block 0 at <source>:\d+ stops"),
            ("array", (32,), KernelMemoryError, r"index out of bounds in kernel array: .* uses index 32 of an array"),
            ("constant", (), KernelMemoryError, r"write to constant .* table\[1\], in the __constant__ variable"),
        ],
    )  # fmt: skip
    def test_each_kind_has_its_error_and_what_to_write(self, name, arguments, error, message):
        raised = caught(error, name, ints(), *arguments)
        assert re.search(message, str(raised))
        assert raised.reports[0].kernel == name

    def test_a_thread_may_return_before_a_barrier_of_the_others(self):
        x = ints()
        run("early", x, 20)
        assert x.to_numpy().tolist() == [1] * 20 + [0] * 44

    def test_a_deadlock_says_where_the_threads_stand(self):
        error = caught(KernelSyncError, "never", ints(), block=24)
        report = error.reports[0]
        assert report.kind == "deadlock"
        assert {each.action for each in report.threads} == {
            "waiting for its warp",
            "waiting at a barrier",
            "ended",
        }

    def test_an_assertion_has_its_text(self):
        x = ints()
        x.fill(10)
        error = caught(KernelAssertError, "asserts", x, checks="none")
        assert isinstance(error, AssertionError)
        assert "x[threadIdx.x] < 10" in str(error)

    def test_dynamic_shared_memory_has_its_own_end(self):
        message = str(caught(KernelMemoryError, "dynamic", ints(), shared=100))
        assert "after the end of the dynamic shared memory of 100 bytes" in message

    def test_a_misaligned_access_is_told(self):
        assert "misaligned in kernel wide" in str(caught(KernelMemoryError, "wide", floats()))

    def test_a_call_that_is_inlined_is_in_the_stack(self):
        error = caught(KernelMemoryError, "outer", floats(), ints())
        assert [frame.function for frame in error.reports[0].place.frames] == ["inner", "outer"]

    def test_memory_that_was_released_is_told_with_both_sites(self):
        addresses, numbers = accel.zeros(1, "int64", device="sim"), ints()
        run("keep", addresses, numbers, block=1)
        numbers.release()
        heap_of(accel.Device.SIM).synchronize()
        message = str(caught(KernelMemoryError, "use", addresses, 7, block=1))
        assert "use after release in kernel use" in message
        assert re.search(
            rf"allocated at {re.escape(__file__)}:\d+ in ints, released at {re.escape(__file__)}:\d+", message
        )

    def test_simulated_addresses_in_memory_are_told_as_such(self):
        numbers = ints()
        addresses = accel.container(np.array([numbers.__accel_operand__().address]), device="sim")
        message = str(caught(KernelMemoryError, "use", addresses, 7, block=1))
        assert "an address of the simulated device that was stored in memory; pass memory as an argument" in message

    @pytest.mark.slow
    def test_a_launch_that_does_not_end_says_where_its_threads_are(self):
        with accel.using(kernel_limit=1):
            error = caught(KernelTimeoutError, "forever", ints(), block=8, checks="memory")
        line = line_of("while (*x == 0)")
        assert "it did not end within kernel_limit=1 seconds" in str(error)
        assert len(error.reports[0].threads) == 8
        assert f"<source>:{line}" in str(error)

    def test_all_findings_of_a_launch_are_raised_together(self):
        error = caught(KernelCheckError, "turn", ints(), block=64)
        assert {report.check for report in error.reports} >= {"race"}
        assert str(error).count("found ") == 1


class TestInitialisation:
    def test_memory_that_was_never_written_is_told(self):
        x = accel.empty(64, "int32", device="sim")
        message = str(caught(KernelInitError, "read", x, ints(), 5, block=1))
        assert re.search(
            r"reads 4 bytes: x\[5\], in x, <256 bytes of sim .*, which were never written; fill the", message
        )

    @pytest.mark.parametrize(
        "write",
        [
            lambda x: x.fill(1),
            lambda x: x[4:8].fill(1),
            lambda x: x.__setitem__(slice(None), np.zeros(64, "int32")),
            lambda x: x.copy_from(accel.zeros(64, "int32", device="sim:1")),
            lambda x: xp.asarray(x).__setitem__(slice(None, None, 5), 3),
            lambda x: run("fine", x),
            lambda x: run("fine", x, checks="none"),
        ],
    )
    def test_memory_that_was_written_in_any_way_may_be_read(self, write):
        x = accel.empty(64, "int32", device="sim")
        write(x)
        run("read", x, ints(), 5, block=1)

    def test_what_a_checked_kernel_wrote_is_known_byte_by_byte(self):
        x = accel.empty(64, "int32", device="sim")
        run("fine", x, block=32)
        run("read", x, ints(), 31, block=1)
        caught(KernelInitError, "read", x, ints(), 32, block=1)
        x[32:].fill(1)
        run("read", x, ints(), 32, block=1)

    def test_computed_arrays_are_written(self):
        x = xp.arange(64, dtype="int32", device="sim") + 1
        run("read", x, ints(), 63, block=1)


class TestErrors:
    def test_the_device_stays_usable(self):
        for name in ("branch", "total", "trap"):
            caught(KernelCheckError, name, ints())
            x = ints()
            run("fine", x)
            assert x.to_numpy()[:32].tolist() == list(range(32))

    def test_the_error_comes_at_the_next_wait_and_only_there(self):
        with accel.using(kernel_checks="all"):
            event = RawKernel.from_source(SOURCE, "trap")(ints(), grid=1, block=1)
            with pytest.raises(KernelFaultError):
                event.wait()
            heap_of(accel.Device.SIM).synchronize()

    def test_races_of_threads_are_found_by_no_races(self):
        with pytest.raises(RaceError, match="race in kernel total"), no_races(), suppress(KernelRaceError):
            run("total", ints())

    def test_only_the_checks_that_are_on_report(self):
        run("total", ints(), checks="memory,init,sync")
        run("total", ints(), checks="none")
        run("read", accel.empty(4, "int32", device="sim"), ints(), 2, checks="memory,race,sync", block=1)

    def test_equal_seeds_give_equal_reports(self):
        def texts(seed):
            x = ints()
            return [report.message for report in caught(KernelRaceError, "turn", x, block=64, seed=seed).reports]

        address = re.compile("0x[0-9a-f]+")
        assert [address.sub("", each) for each in texts(3)] == [address.sub("", each) for each in texts(3)]

    def test_an_interrupt_stops_a_kernel_that_does_not_end(self):
        x = ints()
        with accel.using(kernel_checks="none", kernel_limit=50):
            event = RawKernel.from_source(SOURCE, "forever")(x, grid=1, block=4)
            threading.Thread(target=_interrupt_kernel).start()
            with pytest.raises(KeyboardInterrupt):
                event.wait()
            with pytest.raises(RuntimeError, match="was interrupted, and what it writes is incomplete"):
                event.wait()
        y = ints()
        run("fine", y)
        assert y.to_numpy()[31] == 31

    def test_an_error_can_be_pickled_with_its_reports(self):
        error = caught(KernelRaceError, "total", ints())
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error)
        assert again.reports == error.reports

    def test_a_construct_that_is_not_simulated_is_a_capability_error(self):
        with pytest.raises((CapabilityError, AccelError)):
            RawKernel.from_source(
                'extern "C" __global__ void f(int* x) { asm("wgmma.fence.sync.aligned;"); }'
            ).compiled("sim")


class TestReports:
    @pytest.mark.parametrize(
        ("name", "error", "block"),
        [("turn", KernelRaceError, 64), ("total", KernelRaceError, (8, 4)), ("branch", KernelSyncError, 40),
         ("before", KernelMemoryError, 32), ("trap", KernelFaultError, (2, 2, 2))],
    )  # fmt: skip
    def test_a_report_is_data_text_and_a_picture(self, name, error, block, warp):
        argument = floats() if name == "before" else ints()
        with accel.using(sim_warp=warp):
            reports = caught(error, name, argument, block=block).reports
        for report in reports:
            assert isinstance(report, KernelReport)
            data = json.loads(json.dumps(report.json()))
            assert data["kernel"] == name
            assert data["warp"] == warp
            assert tuple(data["place"]["thread"]) == report.place.thread
            assert str(report).startswith(report.message)
            picture = ET.fromstring(report.svg())
            size = np.prod(block)
            titles = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}title")]
            cells = [title for title in titles if title.startswith("thread ")]
            assert len(cells) % size == 0
            assert any(report.place.action in cell for cell in cells)

    def test_the_thread_of_several_that_is_not_known_has_no_index(self):
        reports = [
            report
            for seed in range(5)
            for report in caught(KernelRaceError, "blocks", ints(), grid=8, seed=seed).reports
        ]
        assert all(report.place.thread is None or max(report.place.thread) < 32 for report in reports)
        assert all(report.other.thread is None or max(report.other.thread) < 32 for report in reports)


def test_an_access_right_after_an_array_is_about_that_array_and_the_line_that_made_it():
    # Memory of the host is next to others at random: with shared memory of no bytes, for some of these.
    kernel = RawKernel.from_source('extern "C" __global__ void after(float* x, int n) { x[n] = 1; }')
    kept = []
    for size in [*range(1, 200), *[1000] * 50]:
        x = xp.zeros(size, dtype="float32", device="sim")
        kept += [x] * (size % 3 == 0)
        with pytest.raises(KernelMemoryError) as caught:
            kernel(x, size, grid=1, block=1).wait()
        [report] = caught.value.reports
        assert re.fullmatch(
            rf"x, <{4 * size} bytes of sim at \w+>, allocated at .*test_reports.py:\d+ in test_.*", report.memory
        )
