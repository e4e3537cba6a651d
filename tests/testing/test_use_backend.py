"""`use_backend` replaces the backend of a type of device, restores the former one, and refuses wrong use."""

import threading

import pytest
from accel.backends.cpu import CpuBackend
from accel.backends.sim import SimBackend

import accel
from accel import Device, xp
from accel.memory import heap_of
from accel.memory.pinned_memory import pinned, pinned_pools
from accel.registry import NoBackendError, providers
from accel.testing import use_backend
from accel.xp.array_library import library_on


@pytest.fixture
def backend():
    """A second simulator."""
    return SimBackend()


def pools():
    return [pool for pool in pinned_pools() if pool.device is Device.SIM]


class TestInsideTheBlock:
    def test_the_backend_serves_its_devices(self, backend):
        with use_backend(backend) as used:
            assert used is backend
            assert providers.get("sim") is heap_of(Device.SIM).backend is backend
            assert accel.zeros(3, device="sim").to_numpy().tolist() == [0, 0, 0]

    def test_a_named_type_is_served_whatever_the_backend_lists(self):
        with use_backend(CpuBackend(), "mps") as backend:
            assert heap_of(Device.MPS).backend is backend
            assert Device.MPS.why_unavailable() == "the mps devices here are: none"

    def test_several_types_are_served(self):
        with use_backend(CpuBackend(), "cuda", "rocm") as backend:
            assert heap_of(Device.CUDA).backend is heap_of(Device.ROCM).backend is backend

    def test_all_threads_see_it(self, backend):
        seen = []
        with use_backend(backend):
            thread = threading.Thread(target=lambda: seen.append(heap_of(Device.SIM).backend))
            thread.start()
            thread.join()
        assert seen == [backend]

    def test_heaps_libraries_and_pools_are_new(self, backend):
        with pinned(10, device="sim"):
            before = heap_of(Device.SIM), library_on("sim"), pools()
        with use_backend(backend):
            assert pools() == []
            with pinned(10, device="sim"):
                inside = heap_of(Device.SIM), library_on("sim"), pools()
        assert all(one != other for one, other in zip(before, inside, strict=True))


class TestAfterTheBlock:
    def test_what_was_there_serves_again(self, backend):
        with pinned(10, device="sim"):
            before = providers.get("sim"), heap_of(Device.SIM), library_on("sim"), pools()
        with use_backend(backend):
            xp.zeros(3, device="sim")
            with pinned(10, device="sim"):
                pass
        assert (providers.get("sim"), heap_of(Device.SIM), library_on("sim"), pools()) == before

    def test_also_if_the_block_fails(self, backend):
        before = heap_of(Device.SIM)

        def fail(container):
            raise ZeroDivisionError(container)  # which keeps memory alive; that hides no other error

        with pytest.raises(ZeroDivisionError) as failure, use_backend(backend):
            fail(accel.zeros(3, device="sim"))
        assert heap_of(Device.SIM) is before
        failure.value.args[0].release()

    def test_a_type_without_a_backend_has_none_again(self):
        with pytest.raises(NoBackendError, match="no installed package offers a backend for mps"):
            providers.get("mps")
        with use_backend(CpuBackend(), "mps"):
            heap_of(Device.MPS)
        with pytest.raises(NoBackendError, match="no installed package offers a backend for mps"):
            providers.get("mps")

    def test_the_reason_why_a_type_had_none_is_kept(self, monkeypatch):
        monkeypatch.setitem(providers._failed, "mps", "the process was forked")
        with use_backend(CpuBackend(), "mps"):
            assert heap_of(Device.MPS)
        with pytest.raises(NoBackendError, match="the process was forked"):
            providers.get("mps")

    def test_other_types_were_not_touched(self, backend):
        before = heap_of(Device.CPU)
        with use_backend(backend):
            assert heap_of(Device.CPU) is before
        assert heap_of(Device.CPU) is before


class TestNested:
    def test_the_inner_one_serves(self, backend):
        with use_backend(backend):
            outer = heap_of(Device.SIM)
            with use_backend(SimBackend()) as inner:
                assert heap_of(Device.SIM).backend is inner
            assert heap_of(Device.SIM) is outer

    def test_a_backend_may_be_used_inside_itself(self, backend):
        with use_backend(backend):
            outer = heap_of(Device.SIM)
            with use_backend(backend):
                assert heap_of(Device.SIM) is not outer
            assert heap_of(Device.SIM) is outer

    def test_blocks_that_end_in_another_order_restore_what_was_before_all(self, backend):
        before = heap_of(Device.SIM)
        first, second = use_backend(backend), use_backend(SimBackend())
        first.__enter__()
        inner = second.__enter__()
        first.__exit__(None, None, None)
        assert heap_of(Device.SIM).backend is inner
        second.__exit__(None, None, None)
        assert heap_of(Device.SIM) is before


class TestRefusals:
    def test_a_class(self):
        with pytest.raises(TypeError, match=r"found the class SimBackend: write SimBackend\(\)"):
            use_backend(SimBackend).__enter__()

    def test_an_object_that_lacks_members(self):
        class Half:
            name = "half"

            def devices(self):
                return (Device.SIM,)

        with pytest.raises(TypeError, match="Half is not a backend: it has no why_unavailable, limits"):
            use_backend(Half()).__enter__()
        assert providers.get("sim").name == "sim"

    def test_an_unknown_type(self, backend):
        with pytest.raises(ValueError, match="'tpu' is no type of device: write cpu, cuda, rocm, mps, sim"):
            use_backend(backend, "tpu").__enter__()

    def test_a_backend_without_devices_must_be_told_its_type(self, backend, monkeypatch):
        monkeypatch.setattr(backend, "devices", list)
        monkeypatch.setattr(backend, "why_unavailable", lambda: {"sim": "the power is off"})
        with pytest.raises(ValueError, match=r"lists no device .*the power is off.*use_backend\(backend, 'cuda'\)"):
            use_backend(backend).__enter__()

    def test_memory_of_the_replaced_backend(self, backend):
        before = heap_of(Device.SIM)
        with accel.zeros(1024, device="sim"):
            with pytest.raises(RuntimeError, match=r"cannot serve sim while .* is in use \(sim: 8192 bytes\); release"):
                use_backend(backend).__enter__()
            assert heap_of(Device.SIM) is before

    def test_memory_of_one_type_leaves_the_others_alone(self, backend):
        with accel.zeros(1024, device="sim"), pytest.raises(RuntimeError, match="sim while"):
            use_backend(backend, "mps", "sim").__enter__()
        assert not Device.MPS.is_available()
        assert "mps" not in {heap.device.type for heap in accel.memory.heap.heaps()}

    def test_results_of_computations_are_memory_too(self, backend):
        kept = xp.ones(1024, device="sim")
        with pytest.raises(RuntimeError, match="8192 bytes"):
            use_backend(backend).__enter__()
        del kept

    def test_memory_that_outlives_the_block(self, backend):
        before = heap_of(Device.SIM)
        with (
            pytest.raises(AssertionError, match=r"memory of sim is in use after its block \(sim: 8192 bytes\)"),
            use_backend(backend),
        ):
            kept = accel.zeros(1024, device="sim")
        assert heap_of(Device.SIM) is before
        kept.release()  # to the backend that it is of

    def test_work_in_flight_is_finished_first(self, backend):
        with use_backend(backend):
            target = accel.zeros(1024, device="sim")
            target.copy_from_async(accel.zeros(1024), stream=accel.new_stream("sim"))
            del target

    def test_garbage_is_no_memory_in_use(self, backend):
        with use_backend(backend):
            cycle = [accel.zeros(3, device="sim")]
            cycle.append(cycle)
            del cycle


class TestAsAFixture:
    @pytest.fixture
    def served(self, backend):
        with use_backend(backend):
            yield backend

    def test_it_serves_while_the_test_runs(self, served):
        assert heap_of(Device.SIM).backend is served
