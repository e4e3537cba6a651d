"""Launches of kernels that are written in Python, through the backend, on the stand-in: streams run late there."""

import gc
import threading

import numpy as np
import pytest

import accel
from accel import Device
from accel.errors import CapabilityError, KernelLaunchError
from accel.ir import Cast, Check, Guard, Local, Number, Once, View
from accel.memory import heap_of
from accel.memory.storage_work import Use, submit_ordered

from ..gpu_code.example_programs import COPIED, DEBUG, SAXPY, TRANSPOSED, atomic, reduced
from ..gpu_code.pieces import POSITION, const, index, loop, program, store, view
from ..kernels.raw_contract import container

pytestmark = pytest.mark.usefixtures("gpu_machine")
ONE = (1, 1, 1)


class ChecksError(IndexError):
    """What `explain` makes of a failure."""


class Kernel:
    """A program on a device, called with containers and numbers as the kernels of users are."""

    def __init__(self, program, device="gpu"):
        self.device = Device(device) if device != "gpu" else Device.best()
        self.program, self.heap = program, heap_of(self.device)
        self.compiled = self.heap.backend.compile_kernel(self.device, program)

    def __call__(self, *arguments, grid=ONE, block=ONE, stream=None):
        stream = stream or self.heap.stream
        numbers, uses = [], []
        for parameter, value in zip(self.program.parameters, arguments, strict=True):
            if isinstance(parameter, View):
                numbers += [value.storage.owner.block.pointer, *self._shape(parameter, value)]
                uses.append(Use(value.storage, parameter.writable, whole=False))
            else:
                numbers.append(value)
        results = []

        def launch():
            results.append(self.compiled.launch(numbers, grid=grid, block=block, stream=stream, explain=ChecksError))

        self.event = submit_ordered(stream, uses, launch)
        return results[0]

    def _shape(self, parameter, value):
        return [value.size // 3, 3, 3, 1] if parameter.rank == 2 else [value.size, 1]


def test_a_loop_over_views():
    x, y = container(range(1000)), container(np.ones(1000))
    assert Kernel(SAXPY)(x, y, 2.0) is None
    assert y.to_numpy().tolist() == [2.0 * i + 1 for i in range(1000)]


def test_a_loop_without_iterations_launches_nothing():
    x = container([])
    Kernel(SAXPY)(x, x, 2.0)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
def test_results_are_returned_when_the_kernel_is_done(dtype):
    values = np.arange(5000).astype(dtype)
    total, twice = Kernel(reduced(dtype))(container(values, dtype), np.dtype(dtype).type(7))()
    assert (total, twice) == (values.sum() + 7, 2 * (values.sum() + 7))
    assert total.dtype == dtype


def test_results_may_be_asked_for_late_twice_or_never(stream):
    kernel, x = Kernel(reduced("float32")), container(np.ones(300))
    first, second = (kernel(x, number, stream=stream) for number in (0, 5))
    x.fill(9)
    assert first() == first() == (300, 600)
    assert second() == (305, 610)
    kernel(x, 1)


def test_launches_on_two_streams_use_memory_of_their_own(stream):
    kernel, x = Kernel(reduced("float64")), container(np.ones(2000), "float64")
    results = [kernel(x, float(n), stream=each) for n in range(8) for each in (None, stream)]
    assert [each()[0] for each in results] == [2000 + n for n in range(8) for _ in range(2)]


def test_threads_of_an_explicit_grid():
    x, turned = (container(np.arange(30)) for _ in range(2))

    class Squares(Kernel):
        def _shape(self, parameter, value):
            return [6, 5, 5, 1] if parameter.name == "flat" else [5, 6, 6, 1]

    Squares(TRANSPOSED)(x, turned, grid=(1, 1, 1), block=(8, 8, 1))
    np.testing.assert_array_equal(turned.to_numpy().reshape(5, 6), np.arange(30).reshape(6, 5).T)


def test_shared_memory_of_a_block():
    source, target = container(np.arange(128)), container(np.zeros(128))
    Kernel(COPIED)(source, target, grid=(2, 1, 1), block=(64, 1, 1))
    np.testing.assert_array_equal(target.to_numpy().reshape(2, 64), np.arange(128).reshape(2, 64)[:, ::-1])


def test_atomic_operations_on_memory():
    target, values, old = (
        container([0, 0, 0], "int64"),
        container(np.arange(600), "int64"),
        container([0] * 600, "int64"),
    )
    Kernel(atomic("add", "int64"))(target, values, old)
    assert target.to_numpy().tolist() == [sum(range(place, 600, 3)) for place in range(3)]


def test_each_device_compiles_for_itself():
    for device in heap_of(Device.best()).backend.devices():
        x = accel.container(np.ones(10, "float32"), device=device)
        Kernel(SAXPY, device)(x, x, 3.0)
        assert set(x.to_numpy()) == {4}


def test_distances_that_do_not_fit_32_bits_are_computed_with_64():
    kernel = Kernel(SAXPY)
    assert kernel.compiled.bits([0, 10, 1, 0, 10, 1], [10]) == 32
    assert kernel.compiled.bits([0, 10, -(1 << 28), 0, 10, 1], [10]) == 64
    assert kernel.compiled.bits([0, 1 << 31, 0, 0, 1 << 31, 0], [1 << 31]) == 64

    class Far(Kernel):
        def _shape(self, parameter, value):
            return [1, 1 << 40]

    x = container([3.0])
    Far(SAXPY)(x, x, 1.0)
    assert x.to_numpy().tolist() == [6.0]


class TestChecks:
    def test_a_failure_is_raised_by_the_event(self, stream):
        x, out = container(np.arange(10)), container(np.zeros(10))
        kernel = Kernel(DEBUG)
        kernel(x, out, 2, stream=stream)
        with pytest.raises(ChecksError) as caught:
            kernel.event.wait()
        (failure,) = caught.value.args
        assert (failure.at, failure.extent, failure.failures) == (failure.iteration + 2, 10, 4)
        stream.synchronize()

    def test_a_failure_is_raised_by_a_read_of_the_memory_and_the_device_stays_usable(self):
        x, out = container(np.arange(10)), container(np.zeros(10))
        kernel = Kernel(DEBUG)
        kernel(x, out, -1)
        with pytest.raises(ChecksError):
            out.to_numpy()
        out.fill(0)
        kernel(x, out, 0)
        assert out.to_numpy().tolist() == [i + 101.0 for i in range(10)]

    def test_a_failure_is_raised_once_by_the_stream(self, stream):
        x, out = container(np.arange(10)), container(np.zeros(10))
        Kernel(DEBUG)(x, out, 5, stream=stream)
        with pytest.raises(ChecksError):
            stream.synchronize()
        stream.synchronize()
        out.fill(0)

    def test_results_of_a_failed_launch_raise_its_error(self):
        reduction = reduced("float32")
        body = (*reduction.steps[1].body, Check(Guard(0, (POSITION,), (const(7),), const(0))))
        steps = reduction.steps[0], reduction.steps[1]._replace(body=body), reduction.steps[2]
        kernel = Kernel(reduction._replace(steps=steps, sites=DEBUG.sites, debug=True))
        assert kernel(container(np.ones(7)), 0)() == (7, 14)
        with pytest.raises(ChecksError):
            kernel(container(np.ones(10)), 0)()


def test_what_the_device_refuses_raises_at_once():
    x, turned = (container(np.arange(30)) for _ in range(2))
    with pytest.raises(KernelLaunchError):
        Kernel(TRANSPOSED)(x, turned, block=(64, 64, 1))


def test_a_dtype_that_gpus_lack_is_refused_by_the_compilation():
    target = view("v", accel.dtypes.f8e5m2)
    with pytest.raises(CapabilityError, match="float8_e5m2"):
        Kernel(program("fill", [target], loop(target, store(target, const(0, target.dtype)))))


def test_the_source_is_that_of_both_platforms():
    backend = heap_of(Device.best()).backend
    assert backend.kernel_source(SAXPY, "cuda") == backend.kernel_source(SAXPY, "hip")
    with pytest.raises(ValueError, match="'cuda' and 'hip'; found 'host'"):
        backend.kernel_source(SAXPY, "host")


def test_memory_beside_the_arguments_is_given_back(gpu_machine):
    x = container(np.ones(1000))
    before = gpu_machine.allocations.in_use(0)
    Kernel(reduced("float32"))(x, 1)()
    gc.collect()
    assert gpu_machine.allocations.in_use(0) == before


def test_a_position_is_an_integer_of_64_bits():
    v = view("v", "i8")
    x = container([0] * 300, "int64")
    Kernel(program("far", [v], loop(v, store(v, index("mul", POSITION, const(1 << 40))))))(x)
    assert x.to_numpy().tolist() == [i << 40 for i in range(300)]


DTYPES = [dtype for dtype in accel.dtypes.supported() if not dtype.name.startswith("float8")]


def test_numbers_of_all_types_are_passed_by_value():
    """Each number is stored by a kernel with many; those of bfloat16 as float32, which the device's arrays have."""
    numbers = [Number(f"n{place}", dtype) for place, dtype in enumerate(DTYPES)]
    stored = [np.dtype("f4") if dtype.name == "bfloat16" else dtype for dtype in DTYPES]
    targets = [view(f"to{place}", dtype) for place, dtype in enumerate(stored)]
    pairs = zip(targets, numbers, strict=True)
    body = [store(target, Cast(Local(n.name, n.dtype), target.dtype), const(0)) for target, n in pairs]
    kernel = Kernel(
        program("take", [p for pair in zip(targets, numbers, strict=True) for p in pair], Once(tuple(body)))
    )
    containers = [container([0], dtype) for dtype in stored]
    values = [1.5 - 2j if dtype.kind == "c" else 1 if dtype.kind in "biu" else -1.5 for dtype in DTYPES]
    kernel(*[each for pair in zip(containers, values, strict=True) for each in pair])
    assert [each.to_numpy()[0] for each in containers] == values


def test_threads_launch_one_kernel_at_once():
    kernel, containers = Kernel(SAXPY), [container(np.zeros(100)) for _ in range(4)]

    def launch(target):
        for _ in range(20):
            kernel(ones, target, 1.0)

    ones = container(np.ones(100))
    threads = [threading.Thread(target=launch, args=(target,)) for target in containers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [set(each.to_numpy()) for each in containers] == [{20}] * 4
