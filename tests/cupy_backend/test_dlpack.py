"""DLPack between the backend's streams and those of another library on the stand-in's machine."""

import sys
import threading
from contextlib import contextmanager
from functools import partial
from types import ModuleType

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.abc import SupportsStreamNumbers
from accel.errors import DeviceLostError, InFlightError, InterchangeError
from accel.interchange.capsule import read_capsule
from accel.memory import heap_of
from accel.memory.thread_stream import ThreadStream

from .conftest import install
from .standin.allocations import bytes_at
from .standin.machine import Machine

SIZE = 4096


class Library:
    """Another library: it works late, on a stream of its own or on one with a DLPack number."""

    def __init__(self, machine, device=0, number=None):
        self.machine = machine
        with self._on(device):
            self.queue = machine.scheduler.create() if number is None else machine.scheduler.of(number)
        self.number = self.queue.handle if number is None else number
        self.capsules = []

    @contextmanager
    def _on(self, device):
        before = self.machine.device
        self.machine.set_device(device)
        yield
        self.machine.set_device(before)

    def take(self, x, **options):
        """Return a copy of an array's bytes, which the stream fills when it gets there."""
        capsule = x.__dlpack__(max_version=(1, 0), **{"stream": self.number, **options})
        self.capsules.append(capsule)
        contents = read_capsule(capsule)
        return bytes_at(contents.address, contents.nbytes)

    def read(self, values):
        result = np.zeros(values.size, np.uint8)
        self.machine.scheduler.submit(self.queue, lambda: np.copyto(result, values))
        return result

    def write(self, values, value):
        for part in np.array_split(values, 16):
            self.machine.scheduler.submit(self.queue, partial(part.fill, value))

    def finish(self):
        self.machine.scheduler.drive_stream(self.queue)
        self.capsules.clear()


class Producer:
    """An array of another library; on export it makes the consumer's stream wait for its own."""

    def __init__(self, library, container, tells=True):
        self.library = library
        self.container = container
        self.tells = tells
        self.options = {}

    def __dlpack__(self, *, stream=-1, **options):
        machine = self.library.machine
        self.options = {"stream": stream, "device": machine.device, **options}
        if self.tells:
            event = machine.scheduler.submit(self.library.queue)
            machine.scheduler.submit(machine.scheduler.of(stream or 0), after=event)
        return self.container.__dlpack__(stream=-1, **options)

    def __dlpack_device__(self):
        return self.container.__dlpack_device__()


def full(value, device="gpu"):
    """Return memory that was set, with the work done."""
    container = accel.full(SIZE, value, "uint8", device=device)
    with accel.using(strict=False):
        container.storage.settle(writing=True)
    return container


def orders(monkeypatch, flavour="cuda"):
    """Yield machines with different random orders of work."""
    for seed in range(20):
        machine = Machine(flavour, seed=seed)
        install(monkeypatch, machine)
        yield machine
        for device in (0, 1):
            heap_of(Device[machine_type(machine)][device]).synchronize()
        assert machine.violations == []


def machine_type(machine):
    return "CUDA" if machine.flavour == "cuda" else "ROCM"


def default(machine):
    """Return DLPack's number of the default stream."""
    return 1 if machine.flavour == "cuda" else 0


def taken_in_flight(machine, **library):
    """Return what another library reads in memory that it takes while a stream of the backend still writes it."""
    library, target = Library(machine, **library), full(0)
    target.copy_from_async(full(7), stream=accel.new_stream("gpu"))
    began = machine.scheduler.time
    result = library.read(library.take(target))
    assert machine.scheduler.time == began  # no work has run, so the host did not wait
    library.finish()
    return result


@pytest.fixture
def backend(gpu_machine):
    return heap_of(Device.best()).backend


def test_the_backend_knows_numbers_of_streams(backend):
    assert isinstance(backend, SupportsStreamNumbers)


class TestAConsumersStream:
    """Work of another library's stream after an export comes after the work in flight at the export."""

    @pytest.mark.parametrize("flavour", ["cuda", "hip"])
    def test_waits_for_a_write_and_the_host_does_not(self, monkeypatch, flavour):
        for machine in orders(monkeypatch, flavour):
            assert set(taken_in_flight(machine)) == {7}

    def test_finds_wrong_bytes_in_some_order_if_it_does_not_wait(self, monkeypatch):
        monkeypatch.setattr("accel.backends.cupy.backend.hold_up", lambda *args: [])
        assert sum(set(taken_in_flight(machine)) != {7} for machine in orders(monkeypatch)) > 3

    @pytest.mark.parametrize(("flavour", "number"), [("cuda", 1), ("cuda", 2), ("hip", 0)])
    def test_may_be_one_that_dlpack_names(self, monkeypatch, flavour, number):
        for machine in orders(monkeypatch, flavour):
            assert set(taken_in_flight(machine, number=number)) == {7}

    def test_is_the_default_one_without_a_number(self, gpu_machine):
        library, target = Library(gpu_machine, number=default(gpu_machine)), full(0)
        target.copy_from_async(full(7), stream=accel.new_stream("gpu"))
        result = library.read(library.take(target, stream=None))
        library.finish()
        assert set(result) == {7}

    def test_writes_after_our_reads(self, monkeypatch):
        for machine in orders(monkeypatch):
            library, source, target = Library(machine), full(7), full(0)
            target.copy_from_async(source, stream=accel.new_stream("gpu"))
            library.write(library.take(source), 9)
            library.finish()
            assert set(target.to_numpy()) == {7}
            assert set(source.to_numpy()) == {9}

    def test_waits_for_what_cupy_computes(self, monkeypatch):
        for machine in orders(monkeypatch):
            library, target, stream = Library(machine), full(0), accel.new_stream("gpu")
            with stream:
                heap_of(target.device).backend.array(target.__accel_operand__(), None)[:] = 7
                result = library.read(library.take(target))
            library.finish()
            assert set(result) == {7}

    def test_waits_for_a_copy_that_is_made_for_it(self, monkeypatch):
        for machine in orders(monkeypatch):
            monkeypatch.setitem(sys.modules, "array_api_compat.cupy", arrays_of_cupy())
            library, x = Library(machine), xp.asarray(full(0))
            x[:] = 7
            for options, view in (({"copy": True}, x), ({}, x[::-1])):
                result = library.read(library.take(view, **options))
                library.finish()
                assert set(result) == {7}

    def test_on_another_device_than_the_current_one(self, monkeypatch):
        for machine in orders(monkeypatch):
            library, target = Library(machine, device=1), full(0, "cuda:1")
            target.copy_from_async(full(7, "cuda:1"), stream=accel.new_stream("cuda:1"))
            result = library.read(library.take(target))
            assert machine.device == 0
            library.finish()
            assert set(result) == {7}

    def test_waits_for_work_of_another_device(self, monkeypatch):
        for machine in orders(monkeypatch):
            library, target = Library(machine, device=1), full(0, "cuda:1")
            target.copy_from_async(full(7, "cuda:0"), stream=accel.new_stream("cuda:0"))
            result = library.read(library.take(target))
            library.finish()
            assert set(result) == {7}

    def test_writes_into_new_memory_after_those_who_had_it_before(self, monkeypatch):
        for machine in orders(monkeypatch):
            library, home, other = Library(machine), accel.new_stream("gpu"), full(0)
            with home:
                old = accel.empty(SIZE, "uint8", device="gpu")
                other.copy_from_async(old, stream=home)
                old.release()
                heap_of(other.device).retire_finished()
                new = accel.empty(SIZE, "uint8", device="gpu")
            library.write(library.take(new), 9)
            library.finish()
            assert set(new.to_numpy()) == {9}

    @pytest.mark.parametrize("options", [{}, {"stream": -1}], ids=["ordered", "-1"])
    def test_has_used_memory_before_others_get_it_if_it_is_one_of_ours(self, monkeypatch, options):
        for machine in orders(monkeypatch):
            stream, container = accel.new_stream("gpu"), full(7)
            library = Library(machine, number=stream.native.ptr)
            result = library.read(library.take(container, **options))
            library.capsules.clear()
            container.release()
            others = [full(3) for _ in range(3)]
            stream.synchronize()
            assert set(result) == {7}
            del others

    def test_minus_one_orders_nothing(self, gpu_machine):
        library, target, began = Library(gpu_machine), full(0), gpu_machine.scheduler.time
        target.copy_from_async(full(7), stream=accel.new_stream("gpu"))
        began = gpu_machine.scheduler.time
        library.take(target, stream=-1)
        assert not library.queue.work
        assert gpu_machine.scheduler.time == began
        library.finish()

    def test_is_not_looked_at_for_a_copy_on_the_host(self, gpu_machine):
        library, target = Library(gpu_machine), full(0)
        target.copy_from_async(full(7), stream=accel.new_stream("gpu"))
        assert set(library.take(target, dl_device=(1, 0))) == {7}
        assert not library.queue.work
        library.finish()


class TestTheHost:
    """The host waits for events that no stream can wait for."""

    @pytest.fixture
    def gate(self):
        event = threading.Event()
        yield event
        event.set()

    @pytest.fixture
    def target(self, gpu_machine, gate):
        """A container that a stream will fill, after a host thread has done its work."""
        stream, thread = accel.new_stream("gpu"), ThreadStream()
        with full(0) as container:
            stream.wait_for(thread.submit(lambda: gate.wait(30)))
            container.copy_from_async(full(7), stream=stream)
            yield container
            gate.set()
            thread.close()
            stream.synchronize()

    def test_waits_for_work_that_waits_for_a_thread(self, gpu_machine, target, gate):
        library = Library(gpu_machine)
        threading.Timer(0.05, gate.set).start()
        result = library.read(library.take(target))
        library.finish()
        assert set(result) == {7}

    def test_refuses_in_strict_mode_what_it_would_wait_for(self, target):
        with accel.using(strict=True), pytest.raises(InFlightError, match="the host would write memory of"):
            target.__dlpack__()

    def test_refuses_nothing_that_a_stream_waits_for(self, gpu_machine):
        with accel.using(strict=True):
            assert set(taken_in_flight(gpu_machine)) == {7}

    @pytest.mark.parametrize("over", [False, True])
    def test_reports_what_failed_in_a_thread_to_those_who_only_read(self, monkeypatch, gpu_machine, gate, over):
        stream, thread, source = accel.new_stream("gpu"), ThreadStream(), full(7)
        monkeypatch.setattr(heap_of(source.device).backend._copier, "copy", fail)
        with accel.empty(SIZE, "uint8", device="gpu") as target:
            stream.wait_for(thread.submit(lambda: gate.wait(30)))
            transfer = target.copy_from_async(source, stream=stream)
            gate.set()
            if over:
                transfer.event.settle()
            window = target.storage.window(0, SIZE, target.dtype, const=True)
            with accel.AcceleratorDataContainer.on(window) as looking, pytest.raises(ZeroDivisionError):
                looking.__dlpack__(max_version=(1, 0))
            target.__dlpack__()  # it may be overwritten
        thread.close()

    def test_is_told_of_a_lost_device(self, gpu_machine):
        target = full(0)
        gpu_machine.lose(0)
        with pytest.raises(DeviceLostError):
            target.__dlpack__()
        target.release()


NOTHING = [True, False, "1", 1.0, -1.0, -2, [1]]


class TestNumbers:
    @pytest.mark.parametrize("number", [0, *NOTHING])
    def test_that_cuda_has_no_stream_for(self, cuda_machine, number):
        with pytest.raises(
            InterchangeError, match=r"is not a stream of CUDA: .*write stream=None or 1 for the default"
        ):
            full(0).__dlpack__(stream=number)

    @pytest.mark.parametrize("number", [1, 2, *NOTHING])
    def test_that_rocm_has_no_stream_for(self, hip_machine, number):
        with pytest.raises(
            InterchangeError, match=r"is not a stream of ROCm: .*write stream=None or 0 for the default"
        ):
            full(0).__dlpack__(stream=number)


class TestAProducer:
    """A library that exports memory to `accel` gets the number of the stream that uses it first."""

    @pytest.mark.parametrize("flavour", ["cuda", "hip"])
    @pytest.mark.parametrize("inside", [False, True])
    def test_is_waited_for_by_every_stream(self, monkeypatch, flavour, inside):
        for machine in orders(monkeypatch, flavour):
            result = received(machine, inside=inside)
            assert set(result) == {7}

    def test_that_keeps_no_order_shows_in_the_bytes_in_some_order(self, monkeypatch):
        assert sum(set(received(machine, tells=False)) != {7} for machine in orders(monkeypatch)) > 3

    @pytest.mark.parametrize("device", [0, 1])
    def test_finds_its_device_current_and_the_number_of_a_stream_there(self, gpu_machine, device):
        device = Device.best().type + f":{device}"
        producer, stream = Producer(Library(gpu_machine), full(7, device), tells=False), accel.new_stream(device)
        accel.from_dlpack(producer)
        assert producer.options["stream"] == default(gpu_machine)
        assert producer.options["device"] == producer.container.device.index
        with stream:
            accel.from_dlpack(producer)
        assert producer.options["stream"] == stream.number == stream.native.ptr
        assert gpu_machine.device == 0

    def test_is_told_no_stream_for_a_copy_on_the_host(self, cuda_machine):
        producer = Producer(Library(cuda_machine), full(7, "cuda:1"), tells=False)
        assert set(accel.from_dlpack(producer, device="cpu").to_numpy()) == {7}
        assert producer.options["stream"] is None
        assert producer.options["device"] == 1

    def test_that_knows_only_streams_is_told_one(self, cuda_machine):
        class Old(Producer):
            def __dlpack__(self, stream=None):
                return super().__dlpack__(stream=stream)

        producer = Old(Library(cuda_machine), full(7))
        assert set(accel.from_dlpack(producer).to_numpy()) == {7}
        assert producer.options["stream"] == 1


def received(machine, *, inside=False, tells=True):
    """Return what a stream of the backend reads in memory that another library exports and still writes."""
    device = "cuda" if machine.flavour == "cuda" else "rocm"
    library, container, result = Library(machine, device=1), full(0, f"{device}:1"), full(0, f"{device}:1")
    here, stream = accel.new_stream(f"{device}:1"), accel.new_stream(f"{device}:1")
    library.write(bytes_at(container.unsafe_ptr(), SIZE), 7)
    producer = Producer(library, container, tells=tells)
    if inside:
        with here:
            view = accel.from_dlpack(producer)
    else:
        view = accel.from_dlpack(producer)
    result.copy_from_async(view, stream=stream)
    values = result.to_numpy()
    library.finish()
    return values


def arrays_of_cupy():
    """Return the part of array-api-compat's CuPy namespace that copies an array."""
    import cupy

    def asarray(array, copy=None):
        result = cupy.ndarray(array.shape, array.dtype)
        result[...] = array
        return result

    library = ModuleType("array_api_compat.cupy")
    library.empty, library.asarray = (lambda shape: cupy.ndarray((shape,), "float64")), asarray
    return library


def fail(*arguments):
    raise ZeroDivisionError
