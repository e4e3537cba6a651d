"""Legate's allocators and buffers: their memory is freed with their scope or task, and never leaks."""

import contextvars
import copy
import gc
import pickle

import numpy as np
import pytest

import accel
from accel import HostStorage
from accel.engines import Output, engine, task
from accel.errors import DeviceMismatchError, DeviceUnavailableError, ReleasedError, StoreIndexError
from accel.memory import snapshot
from accel.store import (
    DEFAULT_ALIGNMENT,
    Domain,
    InlineAllocation,
    ScopedAllocator,
    StoreTarget,
    TaskLocalBuffer,
    create_buffer,
    create_store,
    task_scope,
)

pytestmark = pytest.mark.usefixtures("no_leaks")
KINDS = pytest.mark.parametrize("kind", ["cpu", "sim", StoreTarget.SYSMEM, StoreTarget.SOCKETMEM, accel.Device.SIM])
BAD_ALIGNMENTS = pytest.mark.parametrize("alignment", [0, -16, 3, 48, True])


def live():
    return snapshot().live_blocks


class TestScopedAllocator:
    @KINDS
    def test_frees_all_it_gave_when_its_scope_ends(self, kind):
        before = live()
        with ScopedAllocator(kind) as allocator:
            addresses = [
                allocator.allocate(100),
                allocator.allocate_aligned(100, 256),
                allocator.allocate_type("f4", 9),
            ]
            assert len({*addresses}) == 3
            assert live() == before + 3
        assert live() == before

    def test_frees_all_with_the_last_reference_to_it(self):
        before = live()
        allocator = ScopedAllocator("cpu")
        allocator.allocate(100)
        del allocator
        assert live() == before

    @pytest.mark.parametrize("alignment", [1, 16, 64, 128, 4096])
    @KINDS
    def test_memory_is_aligned(self, kind, alignment):
        with ScopedAllocator(kind, alignment=alignment) as allocator:
            assert allocator.allocate(10) % alignment == 0
            assert allocator.allocate_aligned(10, 2 * alignment) % (2 * alignment) == 0

    def test_the_default_alignment_is_that_of_legate(self):
        assert DEFAULT_ALIGNMENT == ScopedAllocator("cpu").alignment == 16

    @BAD_ALIGNMENTS
    def test_an_alignment_is_a_power_of_two(self, alignment):
        with pytest.raises(ValueError, match=r"power of two|boolean"):
            ScopedAllocator("cpu", alignment=alignment)
        with ScopedAllocator("cpu") as allocator, pytest.raises(ValueError, match=r"power of two|boolean"):
            allocator.allocate_aligned(10, alignment)

    def test_nothing_is_null_and_null_is_nothing(self):
        with ScopedAllocator("cpu") as allocator:
            assert allocator.allocate(0) is None
            assert allocator.allocate_type("float64", 0) is None
            allocator.deallocate(None)

    def test_memory_is_there_until_it_is_deallocated(self):
        before = live()
        with ScopedAllocator("cpu") as allocator:
            address = allocator.allocate_type("int64", 4)
            HostStorage(address, 4, dtype="int64").store(0, [1, 2, 3, 4])
            assert HostStorage(address, 4, dtype="int64").load(3) == 4
            allocator.deallocate(address)
            assert live() == before

    def test_a_foreign_address_is_refused(self):
        with ScopedAllocator("cpu") as allocator, ScopedAllocator("cpu") as other:
            address = allocator.allocate(100)
            for wrong in (other.allocate(100), address + 1, 4096):
                with pytest.raises(ValueError, match="was not allocated here"):
                    allocator.deallocate(wrong)
            allocator.deallocate(address)
            with pytest.raises(ValueError, match="or was freed"):
                allocator.deallocate(address)

    @pytest.mark.parametrize("wrong", ["0x10", 1.5, [1]])
    def test_what_is_no_address_is_refused(self, wrong):
        with ScopedAllocator("cpu") as allocator, pytest.raises(TypeError, match="integer"):
            allocator.deallocate(wrong)

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, pickle.dumps])
    def test_its_addresses_cannot_be_copied_or_pickled(self, duplicate):
        with ScopedAllocator("cpu") as allocator, pytest.raises(TypeError, match=r"share it with copy\.copy"):
            duplicate(allocator)

    def test_copies_share_allocations_and_the_last_one_frees_them(self):
        before = live()
        with ScopedAllocator("cpu") as allocator:
            duplicate = copy.copy(allocator)
            address = duplicate.allocate(100)
            allocator.deallocate(address)
            allocator.allocate(100)
        assert live() == before + 1
        duplicate.allocate(100)
        del duplicate
        assert live() == before

    def test_after_its_scope_it_gives_nothing(self):
        with ScopedAllocator("cpu") as allocator:
            pass
        for use in (lambda: allocator.allocate(1), lambda: allocator.deallocate(1), lambda: copy.copy(allocator)):
            with pytest.raises(ReleasedError, match="is over"):
                use()

    def test_unscoped_memory_lives_until_the_task_ends(self):
        before = live()
        with task_scope():
            with ScopedAllocator("cpu", scoped=False) as allocator:
                address = allocator.allocate(100)
                allocator.deallocate(allocator.allocate(100))
            del allocator
            gc.collect()
            assert live() == before + 1
            assert address % 16 == 0
        assert live() == before

    def test_what_a_task_has_freed_is_foreign(self):
        with task_scope():
            allocator = ScopedAllocator("cpu", scoped=False)
            address = allocator.allocate(100)
        with pytest.raises(ValueError, match="or was freed"):
            allocator.deallocate(address)

    def test_outside_of_tasks_the_program_is_the_task(self):
        before = live()
        allocator = ScopedAllocator("cpu", scoped=False)
        address = allocator.allocate(100)
        duplicate = copy.copy(allocator)
        del allocator
        gc.collect()
        assert live() == before + 1
        duplicate.deallocate(address)
        assert live() == before

    @pytest.mark.parametrize("kind", [StoreTarget.FBMEM, StoreTarget.ZCMEM])
    def test_memory_that_is_not_here_is_refused(self, kind, monkeypatch):
        monkeypatch.setattr(accel.Device, "why_unavailable", lambda self: "none here" if self.type != "cpu" else None)
        with pytest.raises(DeviceUnavailableError):
            ScopedAllocator(kind)

    def test_pinned_memory_is_aligned_too(self, monkeypatch):
        monkeypatch.setattr("accel.store.store_targets.required", lambda name: accel.Device.SIM)
        with ScopedAllocator(StoreTarget.ZCMEM, alignment=1024) as allocator:
            assert allocator.allocate(100) % 1024 == 0
            assert allocator.kind is StoreTarget.ZCMEM
        accel.memory.trim("cpu")


class TestTaskLocalBuffer:
    @pytest.mark.parametrize("extents", [(), 5, (5,), (2, 3), (4, 0, 2), (2, 3, 4, 5, 6, 7, 8)])
    @pytest.mark.parametrize("where", ["cpu", "sim"])
    def test_says_what_it_is(self, extents, where):
        shape = (extents,) if isinstance(extents, int) else extents
        model = np.empty(shape, "float32")
        with task_scope():
            buffer = create_buffer("float32", extents, where)
            assert (buffer.type, buffer.dim) == (np.dtype("float32"), model.ndim)
            assert buffer.domain == Domain((0,) * model.ndim, tuple(extent - 1 for extent in shape))
            assert buffer.memory_kind is (StoreTarget.SYSMEM if where == "cpu" else StoreTarget.FBMEM)
            result = buffer.get_inline_allocation()
            assert isinstance(result, InlineAllocation)
            assert result.target is buffer.memory_kind
            if model.size:
                assert result.strides == model.strides

    def test_its_elements_are_seen_by_numpy(self):
        buffer = TaskLocalBuffer("int32", (2, 3))
        np.asarray(buffer)[...] = [[1, 2, 3], [4, 5, 6]]
        assert np.asarray(buffer)[1].tolist() == [4, 5, 6]
        assert np.asarray(buffer, "float64").dtype == np.float64
        assert np.array(buffer, copy=True).base is None

    def test_its_elements_are_an_operand_on_any_device(self):
        buffer = TaskLocalBuffer("int32", (2, 3), "sim")
        heap = accel.memory.heap_of(accel.Device.SIM)
        heap.backend.fill(buffer.__accel_operand__(), np.int32(7), stream=None)
        heap.synchronize()
        assert buffer.__accel_operand__().extents == (2, 3)
        with pytest.raises(DeviceMismatchError, match="NumPy cannot read"):
            np.asarray(buffer)

    def test_a_view_has_elements_of_equal_size(self):
        buffer = TaskLocalBuffer("float32", 4)
        np.asarray(buffer)[...] = 1.0
        assert np.asarray(buffer.view("uint32")).tolist() == [0x3F800000] * 4
        for wrong in ("float64", "uint8"):
            with pytest.raises(ValueError, match="needs both to be equal"):
                buffer.view(wrong)

    @pytest.mark.parametrize("where", ["cpu", "sim"])
    def test_may_be_made_from_another_one(self, where):
        buffer = create_buffer("float32", (2, 3), where)
        same, reinterpreted = TaskLocalBuffer(buffer), TaskLocalBuffer(buffer, "int32")
        assert (same.type, reinterpreted.type) == (np.dtype("float32"), np.dtype("int32"))
        assert same.ptr() == reinterpreted.ptr() == buffer.ptr() == buffer.get_inline_allocation().ptr
        assert same.domain == reinterpreted.domain == buffer.domain
        for wrong in ("float64", "uint8"):
            with pytest.raises(ValueError, match="needs both to be equal"):
                TaskLocalBuffer(buffer, wrong)
        buffer.destroy()
        with pytest.raises(ReleasedError):
            TaskLocalBuffer(same)

    @pytest.mark.parametrize("where", ["cpu", "sim"])
    def test_has_an_address_for_each_of_its_points(self, where):
        buffer = create_buffer("int16", (2, 3, 4), where)
        model = np.arange(24).reshape(2, 3, 4)
        assert [(buffer.ptr(point) - buffer.ptr()) // 2 for point in buffer.domain] == [*model.flat]
        assert create_buffer("int16", 5, where).ptr(0)
        for wrong in ((2, 0, 0), (0, 0, -1), (0, 0), 0):
            with pytest.raises(StoreIndexError, match="is not in this buffer"):
                buffer.ptr(wrong)
        buffer.destroy()
        with pytest.raises(ReleasedError):
            buffer.ptr()

    def test_is_indexed_by_its_points_on_the_host(self):
        buffer = create_buffer("int64", (2, 3))
        for number, point in enumerate(buffer.domain):
            buffer[point] = number
        assert np.asarray(buffer).tolist() == [[0, 1, 2], [3, 4, 5]]
        assert (buffer[1, 2], buffer[-1].tolist(), len(buffer)) == (5, [3, 4, 5], 2)
        with pytest.raises(IndexError, match="out of bounds"):
            buffer[2, 0]
        with pytest.raises(DeviceMismatchError, match="reading a single element"):
            create_buffer("int64", 3, "sim")[0]
        with pytest.raises(TypeError, match="no length"):
            len(create_buffer("int64", ()))

    def test_ends_with_its_task(self):
        before = live()
        with task_scope():
            buffer = create_buffer("float32", 100)
            view = buffer.view("int32")
            assert live() == before + 1
        assert live() == before
        for use in (
            buffer.get_inline_allocation,
            buffer.destroy,
            buffer.__accel_operand__,
            lambda: np.asarray(view),
            lambda: view.view("float32"),
        ):
            with pytest.raises(ReleasedError, match="was destroyed, or its task is over; make another"):
                use()

    def test_is_destroyed_before(self):
        before = live()
        with task_scope():
            buffer = create_buffer("float32", 100)
            buffer.destroy()
            assert live() == before
            with pytest.raises(ReleasedError):
                buffer.get_inline_allocation()

    def test_outside_of_tasks_it_lives_as_long_as_it_is_referenced(self):
        before = live()
        buffer = create_buffer("float32", 100)
        view = buffer.view("int32")
        del buffer
        assert live() == before + 1
        del view
        assert live() == before

    def test_what_numpy_has_of_it_stays(self):
        with task_scope():
            array = np.asarray(create_buffer("int64", 3))
            array[:] = 7
        create_buffer("int64", 3)
        assert array.tolist() == [7, 7, 7]

    @pytest.mark.parametrize("where", ["cpu", "sim"])
    def test_is_memory_of_the_device_of_its_task(self, where):
        with accel.using(device="cpu" if where == "sim" else "sim"), task_scope(where), task_scope():
            assert create_buffer("int64", 3).device is accel.Device(where)
            assert TaskLocalBuffer("int64", 3).device is accel.Device(where)
            assert create_buffer("int64", 3, StoreTarget.SYSMEM).device is accel.Device.CPU
            with task_scope("sim"):
                assert create_buffer("int64", 3).device is accel.Device.SIM
        assert create_buffer("int64", 3).device is accel.Device.default()

    @pytest.mark.parametrize("where", ["cpu", "sim"])
    def test_is_memory_of_the_device_on_which_an_engine_runs_the_task(self, where):
        def body(out: Output):
            devices.append(create_buffer("int64", 3).device)

        devices, task_of_body = [], task(body)
        task_of_body.variant("sim")(body)
        store = create_store("int64", (3,))
        store.offload_to(where)
        with engine("eager").using(device=where):
            task_of_body(store).wait()
        assert devices == [accel.Device(where)]

    def test_tasks_inside_one_another_end_their_own(self):
        with task_scope():
            outer = create_buffer("int64", 3)
            with task_scope():
                inner = create_buffer("int64", 3)
            with pytest.raises(ReleasedError):
                inner.get_inline_allocation()
            assert outer.get_inline_allocation().ptr

    def test_a_task_may_end_in_another_context_than_it_began_in(self):
        def steps():
            with task_scope():
                yield create_buffer("int64", 3)

        task = steps()
        buffer = contextvars.copy_context().run(next, task)
        task.close()
        with pytest.raises(ReleasedError):
            buffer.get_inline_allocation()

    def test_an_error_in_the_task_ends_it_too(self):
        before = live()
        buffers = []

        def fails():
            with task_scope():
                buffers.append(create_buffer("int64", 3))
                raise KeyError

        with pytest.raises(KeyError):
            fails()
        assert live() == before
        assert "int64" in repr(buffers)

    @pytest.mark.parametrize("alignment", [1, 64, 4096])
    def test_is_aligned(self, alignment):
        assert create_buffer("uint8", 3, "cpu", alignment).get_inline_allocation().ptr % alignment == 0

    @BAD_ALIGNMENTS
    def test_an_alignment_is_a_power_of_two(self, alignment):
        with pytest.raises(ValueError, match=r"power of two|boolean"):
            create_buffer("uint8", 3, alignment=alignment)

    @pytest.mark.parametrize(
        ("extents", "kind"),
        [((2, -1), ValueError), ((2**62, 2**62), ValueError), ((2, True), ValueError), ("ab", TypeError)],
    )
    def test_extents_are_sizes(self, extents, kind):
        with pytest.raises(kind):
            create_buffer("float64", extents)
