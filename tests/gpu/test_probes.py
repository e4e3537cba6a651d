"""What no stand-in can prove. Each probe is a process of its own: it may lose the device, or show a bug by a crash.

A program prints what it saw. Where its question cannot be asked it prints the reason after ``not here:``, and the test
is skipped.
"""

import subprocess
import sys
import textwrap

import pytest

_SECONDS = 120
_BEGIN = """
import sys, threading
import numpy as np
import accel
from accel import Device, RawKernel, xp
from accel.abc import Leaf, Operand, Plan, Span
from accel.errors import AccelError, CapabilityError, DeviceLostError, KernelSyntaxError
from accel.memory import heap_of
from accel.testing.blocks import host_span, lent, read

device = Device(sys.argv[1])
heap = heap_of(device)
backend = heap.backend

def no_question(reason):
    print("not here:", reason)
    raise SystemExit

def keep_busy(stream):
    with stream:
        busy = accel.empty(1 << 26, "uint8", device=device)
        for _ in range(8):
            busy.fill(0)

def kind(work):
    try:
        work()
    except AccelError as error:
        return type(error).__name__
    return "no error"

"""


@pytest.fixture
def probe(device):
    """A function that runs a program for the device, and returns the lines that it printed."""

    def run(program):
        code = _BEGIN + textwrap.dedent(program)
        command = [sys.executable, "-P", "-W", "ignore", "-c", code, str(device)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_SECONDS)
        lines = done.stdout.splitlines()
        if lines and lines[-1].startswith("not here:"):
            pytest.skip(lines[-1])
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return lines

    return run


def test_a_fresh_thread_can_launch_a_kernel_with_much_shared_memory(probe):
    assert probe("""
        kernel = RawKernel.from_source('''
            extern "C" __global__ void fill(int* numbers) {
                extern __shared__ int many[];
                many[15 * 1024 + threadIdx.x] = 7;
                numbers[threadIdx.x] = many[15 * 1024 + threadIdx.x];
            }
        ''')
        numbers = accel.zeros(32, "int32", device=device)
        kernel.compiled(device)
        heap.synchronize()
        thread = threading.Thread(target=lambda: kernel(numbers, grid=1, block=32, shared=64 << 10))
        thread.start()
        thread.join()
        print(set(numbers.to_numpy().tolist()))
    """) == ["{7}"]


def test_small_host_memory_may_change_as_soon_as_its_copy_is_submitted(probe):
    """Also under HMM or ATS, where the driver leaves pageable memory where it is, for the device to read late."""
    assert probe("""
        stream, wrong = backend.new_stream(device), []
        for nbytes in (4, 64, 1024, 4096, 16384, 65536) * 4:
            given = np.arange(nbytes // 4, dtype="int32")
            expected = given.copy()
            with lent(heap, nbytes) as block:
                heap.synchronize()
                keep_busy(stream)
                backend.copy(Span(block, 0, nbytes), host_span(given.view("uint8")), stream=stream)
                given[:] = -1
                stream.synchronize()
                if not np.array_equal(read(heap, block, nbytes).view("int32"), expected):
                    wrong.append(nbytes)
        print(wrong)
    """) == ["[]"]


def test_rows_of_host_memory_may_change_as_soon_as_their_copy_is_submitted(probe):
    assert probe("""
        stream, wrong = backend.new_stream(device), 0
        for _ in range(10):
            given = np.arange(64 * 128, dtype="int32").reshape(64, 128)
            expected = given[:, :64].copy()
            with lent(heap, expected.nbytes) as block:
                heap.synchronize()
                keep_busy(stream)
                into = Operand(Span(block, 0, expected.nbytes), 0, given.dtype, (64, 64), (256, 4))
                out_of = Operand(host_span(given.reshape(-1).view("uint8")), 0, given.dtype, (64, 64), (512, 4))
                plan = Plan((Leaf(64, 256, 512), Leaf(64, 4, 4)), 4)
                backend.copy_strided(into, out_of, plan, stream=stream)
                given[...] = -1
                stream.synchronize()
                wrong += not np.array_equal(read(heap, block, expected.nbytes).view("int32"), expected.reshape(-1))
        print(wrong)
    """) == ["0"]


def test_work_is_refused_or_recorded_while_a_stream_is_captured_and_all_is_well_after_it(probe):
    assert probe("""
        import cupy

        x, stream = xp.asarray(np.ones(1000), device=device), accel.new_stream(device)
        c, there = accel.full(1000, 1.0, device=device), accel.full(1000, 2.0, device=device)
        with stream:
            c.fill(3)
        heap.synchronize()
        float((x + x)[0])  # CuPy compiles its kernels before the capture
        with cupy.cuda.Device(device.index):
            native = cupy.cuda.Stream(non_blocking=True)
            for captured, work in (
                (native, lambda: x + x),
                (stream.native, lambda: there.copy_from_async(c, stream=stream)),
            ):
                with captured:
                    try:
                        captured.begin_capture()
                    except RuntimeError as error:
                        no_question(error)
                    print(kind(work))
                    captured.end_capture()
        print(float((x + x)[0]), set(there.to_numpy().tolist()), set(c.to_numpy().tolist()))
    """) == ["CapabilityError", "no error", "2.0 {2.0} {3.0}"]


def test_after_an_illegal_access_the_device_is_lost_and_the_process_goes_on_and_ends(probe):
    assert probe("""
        kernel = RawKernel.from_source('''
            extern "C" __global__ void stray(int* numbers, unsigned long long address) {
            #if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
            #error this kernel runs on the processor
            #endif
                *(int*)address = numbers[0];
            }
        ''')
        if device.type == "rocm":
            no_question("ROCm itself may end a process after an illegal access")
        host, numbers = accel.full(1000, 5.0), accel.zeros(1000, "int32", device=device)
        stream = accel.new_stream(device)
        kept = accel.full(1 << 20, 1.0, device=device)
        try:
            kernel.compiled(device)
        except KernelSyntaxError as error:
            no_question("kernels run on the processor, and this one would end the process")
        kernel(numbers, 16, grid=1, block=1)
        print(kind(numbers.to_numpy))
        print(kind(lambda: kept.copy_from_async(accel.zeros(1 << 20), stream=stream).wait()))
        print(kind(lambda: accel.zeros(1 << 20, device=device)))
        print(kind(heap.synchronize))
        print(set(host.to_numpy().tolist()))
        kept.release()
    """) == [*["DeviceLostError"] * 4, "{5.0}"]


def test_a_thread_without_a_context_has_none_after_work_on_a_device(probe):
    """The runtime uses the context that is current, and without one the device that the thread chose, or the first."""
    assert probe("""
        import cupy
        runtime, driver = cupy.cuda.runtime, cupy.cuda.driver
        if runtime.is_hip:
            no_question("ROCm has no contexts to choose from")
        accel.zeros(4, device=device)
        context, seen = backend._driver._made_context(device.index), []

        def look():
            driver.ctxSetCurrent(context)
            seen.append(runtime.getDevice())
            runtime.memGetInfo()
            driver.ctxSetCurrent(0)
            seen.extend((driver.ctxGetCurrent(), runtime.getDevice()))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        print(seen == [device.index, 0, 0])
    """) == ["True"]
