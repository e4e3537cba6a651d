"""`KernelConformance`: tests of a backend that runs kernels written in Python."""

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pytest

import accel
from accel.abc import SupportsKernels
from accel.device import Device
from accel.errors import KernelBoundsError
from accel.kernels import (
    AddressSpace,
    accumulator,
    atomic_add,
    barrier,
    block_index,
    block_size,
    f32,
    func,
    grid,
    i8,
    i64,
    kernel,
    stack_allocation,
    thread_index,
    u8,
    warp_shuffle_xor,
)
from accel.layout import ComposedLayout, Layout, Swizzle
from accel.memory import Heap
from accel.views import LayoutTensor, NDBuffer

__all__ = ["KernelConformance"]

_Make: TypeAlias = Callable[[Any, str], Any]

_SIZES = 0, 1, 31, 1000, 70_000


@kernel
def _scale(v: Any, factor: Any) -> None:
    for i in range(v.size):
        v[i] = v[i] * factor


@kernel
def _add_rows(m: Any, row: Any) -> None:
    for i, j in grid(m.shape[0], m.shape[1]):
        m[i, j] += row[j]


@kernel
def _totals(v: Any) -> Any:
    total = accumulator(f32, 1)
    least = accumulator(i64, 100)
    most = accumulator(i64, -100)
    for i in range(v.size):
        total += f32(v[i])
        least = min(least, v[i])
        most = max(most, v[i])
    return total, least, most


@kernel
def _in_steps(v: Any, last: Any) -> Any:
    half = v.size // 2
    for i in range(half):
        v[i] = i
    middle = v[half - 1]
    for i in range(half, v.size):
        v[i] = middle
    last[0] = v[v.size - 1]
    return middle


@kernel
def _integers(a: Any, b: Any, out: Any) -> None:
    for i in range(a.size):
        out[i, 0] = a[i] // b[i]
        out[i, 1] = a[i] % b[i]
        out[i, 2] = a[i] + b[i]
        out[i, 3] = a[i] << (b[i] & 31)
        out[i, 4] = ~a[i] ^ b[i]


@kernel
def _casts(x: Any, small: Any, unsigned: Any) -> None:
    for i in range(x.size):
        small[i] = i8(x[i])
        unsigned[i] = u8(x[i])


@kernel
def _count(values: Any, counts: Any) -> None:
    for i in range(values.size):
        atomic_add(counts, values[i], 1)


@kernel
def _number(t: Any) -> None:
    for i, j in grid(t.dim(0), t.dim(1)):
        t[i, j] = 100 * i + j


@func
def _set(v: Any, i: Any) -> None:
    v[i] = 1


@kernel(debug=True)
def _past_the_end(v: Any) -> None:
    for i in range(v.size):
        _set(v, i + 1)


@kernel
def _sum_of_blocks(v: Any, sums: Any) -> None:
    shared = stack_allocation(f32, 64, AddressSpace.SHARED)
    i = thread_index.x
    place = block_index.x * block_size.x + i
    shared[i] = v[place] if place < v.size else 0.0
    half = 32
    while half > 0:
        barrier()
        if i < half:
            shared[i] += shared[i + half]
        half //= 2
    if i == 0:
        sums[block_index.x] = shared[0]


@kernel
def _sum_of_pairs(v: Any) -> None:
    v[thread_index.x] += warp_shuffle_xor(v[thread_index.x], 1)


class KernelConformance:
    """Add this to the base classes of a conformance test, for a backend that implements `SupportsKernels`.

    The fixture ``heap`` is the heap of the device.

    Examples
    --------
    >>> from accel import Device
    >>> from accel.testing import BackendConformance, KernelConformance
    >>> class TestCpu(KernelConformance, BackendConformance):
    ...     device = Device.CPU
    """

    device: ClassVar[Device]

    @pytest.fixture
    def container(self, heap: Heap) -> Iterator[_Make]:
        """A function that makes containers of values on the device; all work ends with the test."""
        assert isinstance(heap.backend, SupportsKernels)
        yield lambda values, dtype: accel.container(np.asarray(values).astype(dtype), device=self.device)
        heap.wait()

    def test_a_kernel_is_shown_in_each_language_of_the_backend(self, heap: Heap) -> None:
        backend, v = heap.backend, accel.zeros(3)[:]
        assert isinstance(backend, SupportsKernels)
        texts = [_scale.inspect(language, v, 2.0) for language in backend.languages]
        assert texts
        assert all(texts)

    @pytest.mark.parametrize("size", _SIZES)
    def test_a_loop_visits_each_element_once(self, container: _Make, size: int) -> None:
        v = container(np.arange(size), "float32")
        _scale(v, 2.0)
        assert np.array_equal(v.to_numpy(), 2 * np.arange(size, dtype="float32"))

    @pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "float32", "float64"])
    def test_elements_of_a_dtype_are_computed_as_numpy_computes_them(self, container: _Make, dtype: str) -> None:
        v = container(np.arange(100), dtype)
        _scale(v, 3)
        assert np.array_equal(v.to_numpy(), np.arange(100).astype(dtype) * 3)

    def test_strided_memory_is_taken_as_it_is(self, container: _Make) -> None:
        numbers, row = container(np.arange(12), "float32"), container([10, 20, 30, 40], "float32")
        _add_rows(NDBuffer(numbers, (3, 4), (1, 3)), row)
        expected = np.arange(12, dtype="float32").reshape(4, 3) + np.asarray([[10], [20], [30], [40]], "float32")
        assert np.array_equal(numbers.to_numpy(), expected.ravel())

    @pytest.mark.parametrize("size", _SIZES)
    def test_totals_are_those_of_all_iterations_and_of_the_start(self, container: _Make, size: int) -> None:
        values = np.arange(size) % 7 - 3
        totals = _totals(container(values, "int64"))
        assert [each.dtype.name for each in totals] == ["float32", "int64", "int64"]
        assert totals == (1 + values.sum(), values.min(initial=100), values.max(initial=-100))

    def test_steps_run_in_order_and_hand_on_numbers(self, container: _Make) -> None:
        v, last = container([0] * 1000, "int64"), container(np.zeros(1), "int64")
        assert _in_steps(v, last) == 499
        assert v.to_numpy().tolist() == [*range(500), *[499] * 500]
        assert last.to_numpy().tolist() == [499]

    def test_integers_are_pythons_and_wrap_around(self, container: _Make) -> None:
        a = np.asarray([7, -7, 7, -7, 2**31 - 1, -(2**31), 5], "int32")
        b = np.asarray([2, 2, -2, -2, 1, -1, 0], "int32")
        out = container([0] * 35, "int32")
        _integers(container(a, "int32"), container(b, "int32"), NDBuffer(out, (7, 5)))
        with np.errstate(all="ignore"):
            columns = a // b, a % b, a + b, a << (b & 31), ~a ^ b
        assert np.array_equal(out.to_numpy().reshape(7, 5), np.stack(columns, 1))

    def test_casts_drop_the_fraction_and_saturate(self, container: _Make) -> None:
        x = container([1.9, -1.9, 300, -300, math.inf, -math.inf, math.nan], "float64")
        small, unsigned = container([0] * 7, "int8"), container(np.zeros(7), "uint8")
        _casts(x, small, unsigned)
        assert small.to_numpy().tolist() == [1, -1, 127, -128, 127, -128, 0]
        assert unsigned.to_numpy().tolist() == [1, 0, 255, 0, 255, 0, 0]

    def test_atomic_additions_are_all_counted(self, container: _Make) -> None:
        counts = container([0] * 3, "int32")
        _count(container(np.arange(30_000) % 3, "int64"), counts)
        assert counts.to_numpy().tolist() == [10_000] * 3

    @pytest.mark.parametrize(
        "layout",
        [
            Layout((8, 4), (4, 1)),
            Layout(((2, 4), 4), ((1, 8), 2)),
            ComposedLayout(Swizzle(2, 0, 2), 0, Layout((8, 4), (4, 1))),
        ],
        ids=["rows", "nested", "swizzled"],
    )
    def test_the_layout_of_a_tensor_is_followed(self, container: _Make, layout: Any) -> None:
        memory = container([0] * 32, "int32")
        tensor = LayoutTensor(memory, layout)
        _number(tensor)
        assert np.array_equal(tensor.to_numpy(), 100 * np.arange(8)[:, None] + np.arange(4))

    def test_an_access_past_a_view_is_an_error_and_the_device_stays_usable(self, container: _Make) -> None:
        memory = container([0] * 100, "int32")
        with pytest.raises(KernelBoundsError) as caught:
            _past_the_end(memory[:50]).wait()
        assert "tid=49, got index 50 (offset=0, size=50)" in str(caught.value)
        memory.fill(1)  # the target of failed work cannot be read before it is written again
        _scale(memory, 2)
        assert memory.to_numpy().tolist() == [2] * 100

    def test_the_threads_of_a_block_share_memory_and_wait_for_each_other(self, container: _Make) -> None:
        sums = container([0] * 4, "float32")
        _sum_of_blocks.on(over=200, block=64)(container([1] * 200, "float32"), sums)
        assert sums.to_numpy().tolist() == [64, 64, 64, 8]

    def test_the_threads_of_a_warp_exchange_numbers(self, container: _Make) -> None:
        v = container(np.arange(64), "int32")
        _sum_of_pairs.on(grid=1, block=64)(v)
        assert v.to_numpy().tolist() == [4 * (i // 2) + 1 for i in range(64)]

    def test_kernels_and_copies_are_in_order(self, container: _Make) -> None:
        source, target = container(np.arange(1000), "float32"), container([0] * 1000, "float32")
        for _ in range(5):
            _scale(source, 2)
            target.copy_from(source)
            _scale(target, 0.5)
            source.copy_from(target)
        assert np.array_equal(source.to_numpy(), np.arange(1000, dtype="float32"))
