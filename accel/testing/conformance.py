"""`BackendConformance`: tests of everything that a backend must do."""

import gc
import weakref
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest

from accel.abc import (
    AllocatesCleared,
    Backend,
    Block,
    ExternalAllocation,
    KnowsAddresses,
    Leaf,
    Operand,
    Plan,
    ReportsRoom,
    Span,
    SupportsArrays,
    SupportsPinning,
)
from accel.device import Device
from accel.dtypes import DType
from accel.errors import OutOfMemoryError
from accel.memory import Heap, heap_of, snapshot
from accel.testing.blocks import Bytes, give_back, lent, random_bytes, read, write
from accel.testing.copy_conformance import CopyConformance

__all__ = ["BackendConformance"]

_SIZES = (0, 1, 63, 64, 65, 1000, 65_536, 1_000_003)
_FILLS: tuple[tuple[str, complex], ...] = (
    ("bool", True),
    ("bool", False),
    ("int8", -1),
    ("int8", 127),
    ("uint16", 65_535),
    ("float32", 1.5),
    ("float32", -0.0),
    ("float32", float("nan")),
    ("int64", -(2**63)),
    ("complex128", 1 - 2j),
    ("bfloat16", -3),
    ("bfloat16", float("inf")),
)


class BackendConformance(CopyConformance):
    """Subclass this in a test file, set ``device``, and run pytest; the backend of that device is tested.

    Examples
    --------
    >>> from accel import Device
    >>> from accel.testing import BackendConformance
    >>> class TestCpu(BackendConformance):
    ...     device = Device.CPU
    """

    device: ClassVar[Device]

    @pytest.fixture
    def heap(self) -> Heap:
        """The heap of the device."""
        return heap_of(self.device)

    @pytest.fixture
    def backend(self, heap: Heap) -> Backend:
        """The backend under test."""
        return heap.backend

    @pytest.fixture(autouse=True)
    def nothing_is_left(self) -> Iterator[None]:
        """Each test frees the memory that it allocated."""
        gc.collect()
        before = snapshot().live_bytes
        yield
        gc.collect()
        assert snapshot().live_bytes == before

    # Description

    def test_is_a_backend_with_a_name(self, backend: Backend) -> None:
        assert isinstance(backend, Backend)
        assert backend.name.isidentifier()

    def test_lists_its_device_once_and_gives_no_reason_against_it(self, backend: Backend) -> None:
        assert list(backend.devices()).count(self.device) == 1
        assert str(self.device) not in backend.why_unavailable()
        assert all(isinstance(reason, str) for reason in backend.why_unavailable().values())
        assert all(device.type for device in backend.devices())

    def test_limits_are_amounts(self, backend: Backend) -> None:
        limits = backend.limits(self.device)
        assert limits.memory >= 0
        assert limits.warp >= 1
        assert limits.alignment & (limits.alignment - 1) == 0 < limits.alignment
        assert np.dtype(np.float32) in limits.dtypes
        assert len(limits.grid) == 3
        assert min(limits.grid) >= 1

    # Memory

    @pytest.mark.parametrize("nbytes", _SIZES)
    def test_blocks_have_room_and_are_aligned(self, heap: Heap, nbytes: int) -> None:
        with lent(heap, nbytes) as block:
            assert block.nbytes >= nbytes
            assert block.pointer % heap.backend.limits(self.device).alignment == 0
            assert (block.pointer == 0) == (block.nbytes == 0)

    @pytest.mark.parametrize("alignment", [1, 8, 64, 256, 4096])
    def test_alignment_is_as_asked(self, heap: Heap, alignment: int) -> None:
        with lent(heap, 100, alignment) as block:
            assert block.pointer % alignment == 0

    @pytest.mark.parametrize("alignment", [3, 48, -64])
    def test_an_alignment_that_is_no_power_of_two_is_refused(self, heap: Heap, alignment: int) -> None:
        with pytest.raises(ValueError, match="power of two"):
            heap.allocate(100, alignment=alignment)

    def test_live_blocks_do_not_overlap(self, heap: Heap) -> None:
        blocks = [heap.allocate(nbytes) for nbytes in _SIZES if nbytes for _ in range(3)]
        ends = sorted((block.pointer, block.pointer + block.nbytes) for block in blocks)
        give_back(heap, *blocks)
        assert all(end <= start for (_, end), (start, _) in pairwise(ends))

    def test_blocks_of_no_bytes_are_blocks_too(self, heap: Heap) -> None:
        with lent(heap, 0) as one, lent(heap, 0) as other:
            assert one is not other

    def test_free_memory_is_part_of_all_there_is(self, backend: Backend) -> None:
        if not isinstance(backend, ReportsRoom):
            return  # not every backend knows
        room = backend.free_memory(self.device)
        assert 0 <= (room.largest or 0) <= room.free <= room.total

    def test_pinned_memory_is_the_hosts_and_had_again(self, backend: Backend) -> None:
        if not isinstance(backend, SupportsPinning):
            return  # not every backend has pinned memory
        for nbytes in (0, 1, 1000, 1_000_003):
            block = backend.allocate_pinned(self.device, nbytes)
            assert block.nbytes >= nbytes
            block.native[:] = 7
            assert (block.native == 7).all()
            backend.free_pinned(self.device, block)

    def test_what_is_kept_can_be_given_back(self, heap: Heap) -> None:
        with lent(heap, 1000):
            pass
        assert heap.trim() >= 0
        assert heap.trim() == 0

    def test_freed_memory_is_had_again(self, heap: Heap) -> None:
        room = heap.backend.limits(self.device).memory
        # Twelve pieces are more than the device has, unless that is too much for a test.
        piece = room // 8 if room <= 1 << 30 else 1 << 22
        for _ in range(12):
            with lent(heap, piece):
                pass

    @pytest.mark.parametrize("nbytes", [2**62, 2**63 - 1])
    def test_too_much_is_an_error_that_leaves_nothing(self, heap: Heap, nbytes: int) -> None:
        before = heap.live_bytes
        with pytest.raises(OutOfMemoryError, match=str(nbytes)):
            heap.allocate(nbytes)
        assert heap.live_bytes == before
        with lent(heap, 1000) as block:
            assert block.nbytes >= 1000

    @pytest.mark.parametrize("nbytes", _SIZES)
    def test_cleared_memory_is_zero_where_other_bytes_were(self, heap: Heap, backend: Backend, nbytes: int) -> None:
        if not isinstance(backend, AllocatesCleared):
            return  # accel fills what such a backend allocates
        for alignment in (1, 4096):
            with lent(heap, nbytes, alignment) as block:
                write(heap, block, np.full(nbytes, 255, np.uint8))
            with heap.lock:
                block = backend.allocate_cleared(self.device, nbytes, alignment=alignment, stream=None)
            assert block.nbytes >= nbytes
            assert block.pointer % max(alignment, backend.limits(self.device).alignment) == 0
            assert not read(heap, block, nbytes).any()
            with heap.lock:
                backend.free(block, stream=None)

    def test_cleared_memory_is_refused_as_other_memory_is(self, backend: Backend) -> None:
        if not isinstance(backend, AllocatesCleared):
            return
        with pytest.raises(OutOfMemoryError, match=str(2**62)):
            backend.allocate_cleared(self.device, 2**62, alignment=1, stream=None)
        for nbytes in (100, 1 << 20):
            with pytest.raises(ValueError, match="power of two"):
                backend.allocate_cleared(self.device, nbytes, alignment=48, stream=None)

    def test_what_its_library_made_is_adopted(self, heap: Heap, backend: Backend) -> None:
        with lent(heap, 100) as block:
            adopted = backend.adopt(ExternalAllocation(block.nbytes, native=block.native))
            assert (adopted.pointer, adopted.nbytes) == (block.pointer, block.nbytes)

    def test_memory_of_the_host_is_adopted_by_its_address(self, heap: Heap, backend: Backend) -> None:
        if self.device is not Device.CPU:
            return  # an address of the host means nothing on other devices
        data = random_bytes(100)
        adopted = backend.adopt(ExternalAllocation(100, pointer=data.ctypes.data))
        assert (adopted.pointer, adopted.nbytes) == (data.ctypes.data, 100)
        assert np.array_equal(read(heap, adopted, 100), data)

    def test_addresses_of_the_device_are_told_from_those_of_the_host(self, heap: Heap, backend: Backend) -> None:
        if not isinstance(backend, KnowsAddresses):
            return  # not every backend can tell
        data = random_bytes(100)
        with lent(heap, 100) as block:
            assert backend.device_at(block.pointer) is backend.device_at(block.pointer + 99) is self.device
        assert backend.device_at(data.ctypes.data) is None

    # Copies

    @pytest.mark.parametrize("nbytes", _SIZES)
    def test_bytes_come_back_as_they_went(self, heap: Heap, nbytes: int) -> None:
        data = random_bytes(nbytes)
        with lent(heap, nbytes) as block:
            write(heap, block, data)
            assert np.array_equal(read(heap, block, nbytes), data)

    @pytest.mark.parametrize(("into", "out_of"), [(0, 100), (100, 0), (13, 50), (50, 13), (7, 7)])
    def test_parts_are_copied_as_if_through_another_buffer(self, heap: Heap, into: int, out_of: int) -> None:
        expected, nbytes = random_bytes(1000), 500
        with lent(heap, 1000) as block:
            write(heap, block, expected)
            heap.backend.copy(Span(block, into, nbytes), Span(block, out_of, nbytes), stream=None)
            expected[into : into + nbytes] = expected[out_of : out_of + nbytes].copy()
            assert np.array_equal(read(heap, block, 1000), expected)

    def test_a_copy_between_blocks_leaves_the_rest_alone(self, heap: Heap) -> None:
        one, other = random_bytes(256), random_bytes(256)
        with lent(heap, 256) as target, lent(heap, 256) as source:
            write(heap, target, one)
            write(heap, source, other)
            heap.backend.copy(Span(target, 64, 100), Span(source, 30, 100), stream=None)
            one[64:164] = other[30:130]
            assert np.array_equal(read(heap, target, 256), one)
            assert np.array_equal(read(heap, source, 256), other)

    @pytest.mark.parametrize("itemsize", [1, 2, 4, 8, 16])
    @pytest.mark.parametrize("case", range(6))
    def test_strided_copies_follow_their_plan(self, heap: Heap, itemsize: int, case: int) -> None:
        extents, target_strides, source_strides = _STRIDED[case]
        dtype = np.dtype(_DTYPE_OF_SIZE[itemsize])
        expected, data = random_bytes(4096), random_bytes(4096)
        with lent(heap, 4096) as target, lent(heap, 4096) as source:
            write(heap, target, expected)
            write(heap, source, data)
            into = _operand(target, dtype, extents, target_strides)
            out_of = _operand(source, dtype, extents, source_strides)
            heap.backend.copy_strided(into, out_of, _plan(into, out_of), stream=None)
            _view(expected, into)[...] = _view(data, out_of)
            assert np.array_equal(read(heap, target, 4096), expected)

    @pytest.mark.parametrize(
        ("strides", "starts"), [((2, 1), (0, 0)), ((1, 2), (0, 0)), ((-1, 1), (99, 0)), ((3, 2), (7, 40))]
    )
    def test_strided_copies_within_a_block_read_before_they_write(
        self, heap: Heap, strides: tuple[int, int], starts: tuple[int, int]
    ) -> None:
        expected, dtype = random_bytes(4096), np.dtype(np.uint8)
        with lent(heap, 4096) as block:
            write(heap, block, expected)
            into, out_of = (
                _operand(block, dtype, (100,), (stride,))._replace(start=start)
                for stride, start in zip(strides, starts, strict=True)
            )
            heap.backend.copy_strided(into, out_of, _plan(into, out_of), stream=None)
            _view(expected, into)[...] = _view(expected, out_of).copy()
            assert np.array_equal(read(heap, block, 4096), expected)

    @pytest.mark.parametrize("strides", [(20, 3), (-20, 3), (20, -3)])
    @pytest.mark.parametrize(("name", "value"), _FILLS)
    def test_fill_sets_the_elements_and_no_others(
        self, heap: Heap, name: str, value: complex, strides: tuple[int, ...]
    ) -> None:
        dtype = next((each for each in heap.backend.limits(self.device).dtypes if each.name == name), None)
        if dtype is None:
            return  # the limits of this device do not list it
        expected = random_bytes(4096)
        with lent(heap, 4096) as block:
            write(heap, block, expected)
            target = _operand(block, dtype, (3, 5), strides)
            heap.backend.fill(target, dtype.type(value), stream=None)
            _view(expected, target)[...] = dtype.type(value)
            assert np.array_equal(read(heap, block, 4096), expected)

    def test_synchronize_returns(self, backend: Backend) -> None:
        backend.synchronize(self.device)

    # Arrays

    @pytest.fixture
    def arrays(self, backend: Backend) -> SupportsArrays:
        """The backend, if it supports arrays."""
        if not isinstance(backend, SupportsArrays):
            pytest.skip("this backend has no array library (accel.abc.SupportsArrays), and needs none")
        return backend

    def test_an_array_is_on_the_memory_itself(self, heap: Heap, arrays: SupportsArrays) -> None:
        expected = random_bytes(4096)
        with lent(heap, 4096) as block:
            write(heap, block, expected)
            operand = _operand(block, np.dtype("float32"), (3,), (1,))
            arrays.array(operand, None)[...] = 7
            heap.backend.synchronize(self.device)
            _view(expected, operand)[...] = 7
            assert np.array_equal(read(heap, block, 4096), expected)

    def test_an_array_and_each_view_keep_an_object_alive(self, heap: Heap, arrays: SupportsArrays) -> None:
        class Kept:
            pass

        keep = Kept()
        alive = weakref.ref(keep)
        with lent(heap, 4096) as block:
            view = arrays.array(_operand(block, np.dtype("float32"), (4,), (1,)), keep)[1:][1:]
            del keep
            gc.collect()
            assert alive() is not None
            del view
            heap.backend.synchronize(self.device)
            gc.collect()
            assert alive() is None

    def test_a_view_has_the_root_of_its_array_and_an_address_of_its_own(
        self, heap: Heap, arrays: SupportsArrays
    ) -> None:
        with lent(heap, 4096) as block:
            array = arrays.array(_operand(block, np.dtype("float32"), (4,), (1,)), None)
            assert arrays.root(array[1:]) is arrays.root(array)
            assert arrays.address(array) == block.pointer + 2048
            assert arrays.address(array[1:]) == block.pointer + 2052

    @pytest.mark.parametrize("writable", [True, False])
    def test_an_array_is_read_only_if_its_operand_is(self, heap: Heap, arrays: SupportsArrays, writable: bool) -> None:
        with lent(heap, 4096) as block:
            operand = _operand(block, np.dtype("float32"), (4,), (1,), writable)
            array = arrays.array(operand, None)
            assert arrays.is_readonly(array) is not writable
            assert arrays.is_readonly(array[1:]) is not writable


_DTYPE_OF_SIZE = {1: "uint8", 2: "uint16", 4: "float32", 8: "float64", 16: "complex128"}
# Extents, and strides in elements of the target and of the source.
_STRIDED: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], ...] = (
    ((6,), (1,), (1,)),
    ((6,), (2,), (-3,)),
    ((4, 5), (5, 1), (1, 4)),
    ((4, 5), (1, 4), (0, 1)),
    ((2, 3, 4), (-12, 4, -1), (1, 2, 6)),
    ((0, 3), (3, 1), (3, 1)),
)


def _operand(
    block: Block, dtype: DType, extents: tuple[int, ...], strides: tuple[int, ...], writable: bool = True
) -> Operand:
    """Return elements that start in the middle of a block, so that negative strides stay inside."""
    steps = tuple(stride * dtype.itemsize for stride in strides)
    return Operand(Span(block, 0, 4096), 2048, dtype, extents, steps, writable)


def _plan(target: Operand, source: Operand) -> Plan:
    leaves = map(Leaf, target.extents, target.strides, source.strides)
    return Plan(tuple(leaves), target.dtype.itemsize)


def _view(array: Bytes, operand: Operand) -> np.ndarray[Any, DType]:
    return np.ndarray(operand.extents, operand.dtype, array, operand.start, operand.strides)
