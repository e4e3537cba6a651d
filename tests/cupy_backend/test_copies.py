"""Copies between devices, and the driver calls that copies use."""

import numpy as np
import pytest
from accel.backends.cupy.copy_ends import ByteRange
from accel.backends.cupy.launches import copy_launch
from accel.backends.cupy.rectangles import rectangles_of

import accel
from accel import Device
from accel.abc import Block, Leaf, Limits, Operand, Plan, Span, SupportsRawKernels, Swizzling
from accel.errors import CapabilityError, KernelLaunchError, KernelSyntaxError
from accel.memory import heap_of
from accel.testing.blocks import host_span, lent, random_bytes, read, write
from accel.testing.plans import carry_out

SIZE = 4096
DTYPE = np.dtype(np.int32)


@pytest.fixture
def machine(cuda_machine):
    return cuda_machine


@pytest.fixture
def backend(machine):
    return heap_of(Device.CUDA).backend


@pytest.fixture
def calls(machine, backend, monkeypatch):
    """The names of the driver's copy functions, in the order of their calls."""
    calls, runtime = [], backend._driver.runtime

    def watch(name):
        call = getattr(runtime, name)

        def watched(*arguments):
            calls.append(name)
            return call(*arguments)

        monkeypatch.setattr(runtime, name, watched)

    for name in ("memcpyAsync", "memcpy2DAsync", "memcpyPeerAsync"):
        watch(name)
    return calls


def operand(block, extents, strides, start=0):
    return Operand(Span(block, 0, SIZE), start, DTYPE, extents, tuple(step * 4 for step in strides))


def by_hand(target, source, **more):
    leaves = tuple(map(Leaf, target.extents, target.strides, source.strides))
    return Plan(leaves, DTYPE.itemsize, **more)


class TestPeers:
    def test_bytes_go_from_device_to_device(self, machine, backend):
        one, other = heap_of(Device.CUDA), heap_of(Device.CUDA[1])
        data = random_bytes(SIZE)
        with lent(one, SIZE) as source, lent(other, SIZE) as target:
            write(one, source, data)
            backend.copy(Span(target, 10, 100), Span(source, 20, 100), stream=None)
            assert np.array_equal(read(other, target, 110)[10:], data[20:120])

    @pytest.mark.parametrize("on", [None, Device.CUDA, Device.CUDA[1]])
    @pytest.mark.parametrize("swizzle", [None, Swizzling(0b111 << 7, 3)])
    def test_items_go_from_device_to_device_on_a_stream_of_either(self, machine, backend, on, swizzle):
        one, other = heap_of(Device.CUDA), heap_of(Device.CUDA[1])
        expected, data = random_bytes(SIZE), random_bytes(SIZE)[::-1].copy()
        stream = None if on is None else backend.new_stream(on)
        with lent(one, SIZE) as source, lent(other, SIZE) as target:
            write(one, source, data)
            write(other, target, expected)
            into = operand(target, (8, 16), (1, 20), start=64)
            out_of = operand(source, (8, 16), (16, 1))._replace(swizzle=swizzle)
            plan = by_hand(into, out_of)
            backend.copy_strided(into, out_of, plan, stream=stream)
            if stream is not None:
                stream.synchronize()
            carry_out(plan, into, expected, out_of, data)
            assert np.array_equal(read(other, target, SIZE), expected)

    def test_both_devices_keep_step_without_a_stream(self, machine, backend):
        one, other = (accel.full(1000, float(value), device=f"cuda:{value}") for value in range(2))
        for _ in range(10):
            one.copy_from(other)
            other.fill(float(one.to_numpy()[0]) + 1)
        assert set(other.to_numpy()) == {11.0}

    def test_a_source_is_not_overwritten_before_another_device_has_read_it(self, machine, backend):
        one, other = heap_of(Device.CUDA), heap_of(Device.CUDA[1])
        with lent(one, SIZE) as target, lent(other, SIZE) as source:
            for value in range(20):
                backend.fill(operand(source, (1000,), (1,)), np.int32(value), stream=None)
                backend.copy(Span(target, 0, SIZE), Span(source, 0, SIZE), stream=None)
                backend.fill(operand(source, (1000,), (1,)), np.int32(-1), stream=None)
                assert set(read(one, target, 4000).view(np.int32)) == {value}


def test_an_image_is_aligned_as_what_it_is_an_image_of(backend):
    data, result = random_bytes(SIZE + 64), np.zeros(SIZE, np.uint8)
    skip = -data.ctypes.data % 64 + 2  # items are aligned, and their span is not
    host = host_span(data)._replace(start=skip, nbytes=SIZE - 64)
    source = Operand(host, 2, DTYPE, (4, 32), (128, 4), swizzle=Swizzling(0b11 << 7, 3))
    with lent(heap_of(Device.CUDA), SIZE) as block:
        write(heap_of(Device.CUDA), block, result)
        target = operand(block, (4, 32), (32, 1))
        plan = accel.copies.plan(target, source)
        backend.copy_strided(target, source, plan, stream=None)
        carry_out(plan, target, result, source, data[skip:])
        assert np.array_equal(read(heap_of(Device.CUDA), block, SIZE), result)


class TestCalls:
    def test_rows_and_columns_of_the_host_go_by_the_drivers_own_2d_copy(self, backend, calls):
        data, result = np.arange(600, dtype=np.int32).reshape(20, 30), np.zeros((20, 40), np.int32)
        with lent(heap_of(Device.CUDA), SIZE) as block:
            host = Operand(host_span(data.view(np.uint8).reshape(-1)), 8, DTYPE, (20, 16), (120, 4))
            back = Operand(host_span(result.view(np.uint8).reshape(-1)), 12, DTYPE, (20, 16), (160, 4))
            device = operand(block, (20, 16), (18, 1))
            backend.copy_strided(device, host, by_hand(device, host), stream=None)
            backend.copy_strided(back, device, by_hand(back, device), stream=None)
            column = operand(block, (20,), (7,))
            tall = host._replace(extents=(20,), strides=(120,))
            backend.copy_strided(column, tall, by_hand(column, tall), stream=None)
            backend.synchronize(Device.CUDA)
        assert np.array_equal(result[:, 3:19], data[:, 2:18])
        assert calls == ["memcpy2DAsync"] * 3

    def test_a_block_of_rows_goes_by_several(self, backend, calls):
        data = np.arange(1000, dtype=np.int32).reshape(4, 10, 25)
        with lent(heap_of(Device.CUDA), SIZE) as block:
            host = Operand(host_span(data.view(np.uint8).reshape(-1)), 0, DTYPE, (4, 5, 17), (1000, 100, 4))
            device = operand(block, (4, 5, 17), (85, 17, 1))
            backend.copy_strided(device, host, by_hand(device, host), stream=None)
            assert np.array_equal(read(heap_of(Device.CUDA), block, 1360).view(np.int32), data[:, :5, :17].reshape(-1))
        assert calls[:-1] == ["memcpy2DAsync"] * 4

    def test_the_rest_goes_in_one_piece_and_is_put_in_place_by_a_kernel(self, backend, calls):
        data = np.arange(900, dtype=np.int32).reshape(30, 30)
        with lent(heap_of(Device.CUDA), SIZE) as block:
            host = Operand(host_span(data.view(np.uint8).reshape(-1)), 0, DTYPE, (30, 30), (4, 120))
            device = operand(block, (30, 30), (30, 1))
            backend.copy_strided(device, host, by_hand(device, host), stream=None)
            assert np.array_equal(read(heap_of(Device.CUDA), block, 3600).view(np.int32).reshape(30, 30), data.T)
        assert calls == ["memcpyAsync"] * 2

    def test_rows_farther_apart_than_a_driver_takes_are_no_rectangle(self):
        span = Span(Block(1 << 40, 1 << 36, None), 0, 1 << 36)
        far = Operand(span, 0, DTYPE, (3, 100), (1 << 31, 4))
        near = far._replace(strides=(400, 4))
        assert rectangles_of(near, far, by_hand(near, far), ByteRange(0, 1 << 33)) is None
        one = far._replace(extents=(1 << 30,), strides=(4,))
        result = rectangles_of(one, one, by_hand(one, one), ByteRange(0, 1 << 32))
        assert (result.width, result.height, len(result.starts)) == (1 << 32, 1, 1)

    def test_ends_that_do_not_overlap_are_not_buffered(self, backend, calls):
        with lent(heap_of(Device.CUDA), SIZE) as block:
            low, high = operand(block, (10,), (2,)), operand(block, (10,), (3,), start=2000)
            backend.copy_strided(low, high, by_hand(low, high), stream=None)
            assert calls == []
            backend.copy_strided(low, low._replace(start=4), by_hand(low, low), stream=None)
            assert calls == ["memcpyAsync"]

    def test_nothing_is_no_call(self, backend, calls):
        with lent(heap_of(Device.CUDA), SIZE) as block:
            nothing = operand(block, (0, 3), (3, 1))
            backend.copy_strided(nothing, nothing, by_hand(nothing, nothing), stream=None)
            backend.copy(Span(block, 0, 0), Span(block, 0, 0), stream=None)
            backend.fill(nothing, np.int32(1), stream=None)
        assert calls == []

    def test_spans_of_different_sizes_are_refused(self, backend):
        with (
            lent(heap_of(Device.CUDA), SIZE) as block,
            pytest.raises(ValueError, match="9 bytes cannot be copied to 10"),
        ):
            backend.copy(Span(block, 0, 10), Span(block, 100, 9), stream=None)


class TestPlatforms:
    @pytest.fixture
    def machine(self, gpu_machine):
        return gpu_machine

    @pytest.fixture
    def heap(self, machine):
        return heap_of(Device("gpu"))

    def test_rows_go_there_and_back_on_either_platform(self, heap):
        data, result = np.arange(600, dtype=np.int32).reshape(20, 30), np.zeros((20, 40), np.int32)
        with lent(heap, SIZE) as block:
            host = Operand(host_span(data.view(np.uint8).reshape(-1)), 8, DTYPE, (20, 16), (120, 4))
            back = Operand(host_span(result.view(np.uint8).reshape(-1)), 12, DTYPE, (20, 16), (160, 4))
            device = operand(block, (20, 16), (18, 1))
            heap.backend.copy_strided(device, host, by_hand(device, host), stream=None)
            heap.backend.copy_strided(back, device, by_hand(back, device), stream=None)
            heap.synchronize()
        assert np.array_equal(result[:, 3:19], data[:, 2:18])

    @pytest.mark.parametrize("rows", [False, True])
    def test_what_is_copied_from_the_host_may_change_though_the_device_reads_pageable_memory(self, machine, heap, rows):
        machine.reads_pageable = True
        data = np.arange(600, dtype=np.int32).reshape(20, 30)
        stream, expected = heap.backend.new_stream(heap.device), data[:, 2:18].copy()
        with lent(heap, SIZE) as block:
            heap.synchronize()
            host = host_span(data.view(np.uint8).reshape(-1))
            device = operand(block, (20, 16), (16, 1))
            if rows:
                out_of = Operand(host, 8, DTYPE, (20, 16), (120, 4))
                heap.backend.copy_strided(device, out_of, by_hand(device, out_of), stream=stream)
            else:
                heap.backend.copy(Span(block, 0, 2400), host, stream=stream)
                expected = data.copy()
            data[...] = -1
            stream.synchronize()
            result = read(heap, block, expected.nbytes).view(np.int32)
        assert np.array_equal(result, expected.reshape(-1))


class TestFills:
    """A value of equal bytes is set by the driver, without a kernel, where the elements are contiguous."""

    @pytest.fixture
    def machine(self, gpu_machine):
        gpu_machine.compiles = False
        return gpu_machine

    def test_memory_can_be_cleared_without_a_compiler(self, machine):
        assert accel.zeros(1000, "float64", device="gpu").to_numpy().tolist() == [0] * 1000

    @pytest.mark.parametrize(
        ("dtype", "value"), [("uint8", 7), ("bool", True), ("int32", -1), ("int16", 0x0505), ("complex64", 0)]
    )
    def test_any_value_of_equal_bytes(self, machine, dtype, value):
        c = accel.zeros(100, dtype, device="gpu")
        c[10:90].fill(value)
        expected = np.zeros(100, dtype)
        expected[10:90] = value
        assert np.array_equal(c.to_numpy(), expected)

    @pytest.mark.parametrize("dtype", ["float32", "complex64"])
    @pytest.mark.parametrize("value", [1.5, -0.0])
    def test_other_values_need_a_kernel_and_say_what_to_install(self, machine, dtype, value):
        c = accel.zeros(100, dtype, device="gpu")
        wheel = (
            r"pip install 'cupy-cuda12x\[ctk\]'" if machine.flavour == "cuda" else "ROCm's own packages, with hiprtc"
        )
        with pytest.raises(CapabilityError, match=wheel):
            c.fill(value)

    @pytest.mark.parametrize(
        ("extents", "strides", "start"),
        [((3, 5), (5, 1), 0), ((3, 5), (1, 3), 7), ((4,), (-1,), 20), ((2, 3, 4), (4, 8, 1), 1), ((1, 4), (99, 1), 0)],
    )
    def test_contiguous_elements_in_any_order(self, machine, extents, strides, start):
        heap, expected = heap_of(Device("gpu")), random_bytes(SIZE)
        with lent(heap, SIZE) as block:
            write(heap, block, expected)
            target = operand(block, extents, strides, start=4 * start)
            heap.backend.fill(target, np.int32(-1), stream=None)
            heap.synchronize()
            elements = expected.view(np.int32)[start:] if start != 20 else expected.view(np.int32)[17:21]
            elements[: np.prod(extents)] = -1
            assert np.array_equal(read(heap, block, SIZE), expected)

    @pytest.mark.parametrize("strides", [(6, 1), (5, 2), (0, 1), (-5, 1)])
    def test_other_elements_are_left_to_the_kernel(self, machine, strides):
        machine.compiles = True
        heap, expected = heap_of(Device("gpu")), random_bytes(SIZE)
        with lent(heap, SIZE) as block:
            write(heap, block, expected)
            heap.backend.fill(operand(block, (3, 5), strides, start=400), np.int32(0), stream=None)
            heap.synchronize()
            rows = np.arange(3)[:, None] * strides[0] + np.arange(5) * strides[1] + 100
            expected.view(np.int32)[rows] = 0
            assert np.array_equal(read(heap, block, SIZE), expected)


class TestKernels:
    def test_one_that_cannot_be_compiled_says_what_the_compiler_said(self, backend):
        broken = 'extern "C" __global__ void broken(char* target) {\n    undefined_name = 1;\n}'
        with pytest.raises(KernelSyntaxError, match="the kernel broken could not be compiled") as caught:
            backend.compile_raw(Device.CUDA, broken, "broken", ())
        assert "undefined_name" in str(caught.value)

    def test_without_a_compiler_it_says_what_to_install(self, cuda_machine, backend):
        cuda_machine.compiles = False
        with pytest.raises(CapabilityError, match=r"libnvrtc.*pip install 'cupy-cuda12x\[ctk\]'"):
            backend.compile_raw(Device.CUDA, 'extern "C" __global__ void nothing() {}', "nothing", ())

    def test_a_users_kernel_runs_on_its_stream_after_whoever_had_the_memory(self, backend):
        assert isinstance(backend, SupportsRawKernels)
        source = 'extern "C" __global__ void set(char* target, int value) { target[threadIdx.x] = value; }'
        kernel, stream = backend.compile_raw(Device.CUDA, source, "set", ()), backend.new_stream(Device.CUDA)
        with lent(heap_of(Device.CUDA), SIZE) as old:
            backend.fill(operand(old, (1000,), (1,)), np.int32(9), stream=None)
        with lent(heap_of(Device.CUDA), SIZE) as block:
            arguments = (np.uint64(block.pointer), np.int32(5))
            kernel.launch((1, 1, 1), (100, 1, 1), arguments, shared=0, stream=stream)
            backend.synchronize(Device.CUDA)
            assert set(read(heap_of(Device.CUDA), block, 100)) == {5}

    def test_a_launch_that_the_device_refuses_is_an_error(self, backend):
        kernel = backend.compile_raw(Device.CUDA, 'extern "C" __global__ void nothing() {}', "nothing", ())
        with pytest.raises(KernelLaunchError, match="InvalidValue"):
            kernel.launch((1, 1, 1), (2000, 1, 1), (), shared=0, stream=None)

    def test_each_is_looked_up_once_for_a_device(self, backend, monkeypatch):
        modules = backend._modules
        with lent(heap_of(Device.CUDA), SIZE) as block:
            target = operand(block, (3,), (2,))
            for value in range(3):
                backend.fill(target, np.int32(value), stream=None)
            assert len(modules._functions) == 1

    def test_more_than_2_to_the_31_elements_are_counted_in_64_bits(self):
        extents, limits = (3, 1 << 31), Limits(1 << 40, 256, 32, frozenset(), (2**31 - 1, 65_535, 65_535))
        block = Block(1 << 40, 1 << 36, None)
        span = Span(block, 0, 1 << 36)
        target = Operand(span, 0, np.dtype(np.uint8), extents, (1 << 32, 2))
        source = target._replace(strides=(1 << 33, 3))
        plan = accel.copies.plan(target, source)
        launch = copy_launch(plan, target, source, 1 << 40, 1 << 41, limits=limits)
        assert launch.defines != copy_launch(*_small(target, source), 1 << 40, 1 << 41, limits=limits).defines
        assert any("64" in define for define in launch.defines)
        assert max(launch.grid) <= 2**31 - 1


def _small(target, source):
    into, out_of = (end._replace(extents=(3, 5)) for end in (target, source))
    into, out_of = into._replace(strides=(20, 2)), out_of._replace(strides=(30, 3))
    return accel.copies.plan(into, out_of), into, out_of
