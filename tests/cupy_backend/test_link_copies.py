"""Copies between a GPU and the host for which the caller waits, and what comes in between two of their steps."""

import threading

import numpy as np
import pytest
from accel.backends.cupy.streams import CupyStream

import accel
from accel import Device, LayoutTensor
from accel.copies import over_link
from accel.errors import CapabilityError, DeviceLostError, InFlightError
from accel.layout import row_major
from accel.memory import heap_of, link_copies, pinned

pytestmark = pytest.mark.usefixtures("cuda_machine")

SIZE = 64
NUMBERS = np.arange(SIZE, dtype="float32")


def pageable():
    """Return a container of the host with numbers."""
    return accel.container(NUMBERS)


def page_locked():
    """Return a container of pinned memory with numbers."""
    container = accel.AcceleratorDataContainer.on(pinned(SIZE, "float32", "cuda"))
    container.from_numpy(NUMBERS)
    return container


@pytest.fixture(params=[pageable, page_locked])
def on_host(request):
    """A function that returns a container of the host with numbers."""
    return request.param


def ones():
    """Return a container of a GPU."""
    return accel.full(SIZE, 1, "float32", device="cuda")


@pytest.fixture
def direct(monkeypatch):
    """The copies that went the direct way: True for uploads."""
    done, copied = [], link_copies.copied_over_link

    def recorded(*arguments, **keywords):
        result = copied(*arguments, **keywords)
        if result:
            done.append(keywords["upload"])
        return result

    for module in (accel.memory.byte_copies, over_link):
        name = "copied" if module is over_link else "copied_over_link"
        monkeypatch.setattr(module, name, recorded)
    return done


@pytest.fixture
def between(monkeypatch):
    """Let something happen right after a copy was recorded, before it is given to its stream."""
    acts, enter = [], link_copies.enter_alone

    def entered(*arguments):
        entry = enter(*arguments)
        while acts:
            acts.pop()()
        return entry

    monkeypatch.setattr(link_copies, "enter_alone", entered)
    return acts


def idle(*containers):
    """Tell whether nothing is recorded for some memory, and nothing keeps it alive but its handles."""
    owners = [container.storage.owner for container in containers]
    return all(owner.hazards is None and not owner.keep_alives and owner.handles == 1 for owner in owners)


class TestTheDirectWay:
    def test_is_that_of_containers(self, on_host, direct):
        host, there = on_host(), ones()
        there.copy_from(host)
        host.fill(0)
        host.copy_from(there)
        assert np.array_equal(host.to_numpy(), NUMBERS)
        assert direct == [True, False]
        assert idle(host, there)

    def test_is_that_of_arrays(self, direct):
        there = ones()
        there.from_numpy(NUMBERS)
        assert np.array_equal(there.to_numpy(), NUMBERS)
        assert direct == [True, False]

    @pytest.mark.parametrize("name", ["bfloat16", "complex128", "uint8"])
    def test_has_all_dtypes(self, name, direct):
        values = accel.container(np.arange(6) % 2, accel.dtypes.as_dtype(name)).to_numpy()
        values.flags.writeable = False
        container = accel.container(values, device="cuda")
        assert container.to_numpy().tobytes() == values.tobytes()
        assert direct == [True, False]

    def test_is_that_of_rows(self, on_host, direct):
        host = on_host()
        whole, here = accel.zeros(SIZE * 4, "float32", device="cuda"), host.view(row_major(4, 16))
        part = LayoutTensor(whole, row_major(8, 32))[2:6, 8:24]
        part.copy_from(here)
        back = accel.zeros(SIZE, "float32")
        back.view(row_major(4, 16)).copy_from(part)
        assert np.array_equal(back.to_numpy(), NUMBERS)
        assert whole.to_numpy().sum() == NUMBERS.sum()
        assert direct[:2] == [True, False]

    def test_is_not_for_work_of_other_streams(self, on_host, direct):
        host, there = on_host(), ones()
        with accel.new_stream("cuda"):
            there.fill(5)
        host.copy_from(there)
        assert set(host.to_numpy()) == {5}
        assert not direct

    def test_comes_after_the_work_of_its_own_stream(self, on_host, direct, following):
        host, there = on_host(), ones()
        following(there, there, SIZE, over=SIZE)
        host.copy_from(there)
        assert set(host.to_numpy()) == {2}
        there.fill(7)
        there.copy_from(host)
        assert set(there.to_numpy()) == {2}
        assert len(direct) == 3

    def test_is_not_taken_in_strict_mode(self, on_host, direct):
        host, there = on_host(), ones()
        with accel.using(strict=True), pytest.raises(InFlightError):
            there.copy_from(host)
        assert not direct
        assert set(there.to_numpy()) == {1}


class TestInBetween:
    def test_another_thread_releases_both_ends(self, on_host, between):
        host, there = on_host(), ones()
        expected = host.to_numpy()
        between.append(lambda: [each.release() for each in (host, there)])
        owners = host.storage.owner, there.storage.owner
        there.copy_from(host)
        assert [owner.allocation for owner in owners] == [None, None]
        assert not any(owner.keep_alives for owner in owners)
        assert np.array_equal(expected, NUMBERS)

    @pytest.mark.parametrize("upload", [True, False])
    def test_what_another_thread_writes_comes_after_the_copy(self, on_host, between, upload):
        host, there = on_host(), ones()
        threads = [threading.Thread(target=each.fill, args=(9,)) for each in (host, there)]
        between.extend(each.start for each in threads)
        if upload:
            there.copy_from(host)
        else:
            host.copy_from(there)
        for thread in threads:
            thread.join()
        assert set(host.to_numpy()) == set(there.to_numpy()) == {9}
        assert idle(host, there)

    def test_a_signal_handler_copies_too(self, on_host, between):
        host, there = on_host(), ones()
        other = accel.zeros(SIZE, "float32")
        between.append(lambda: other.copy_from(there))
        there.copy_from(host)
        assert np.array_equal(there.to_numpy(), NUMBERS)
        assert set(other.to_numpy()) <= {1, *NUMBERS}
        assert idle(host, there)

    def test_a_signal_handler_copies_in_the_midst_of_a_fill(self, on_host, direct, monkeypatch):
        host, there = on_host(), ones()
        set_bytes, acts = CupyStream.set_bytes, [lambda: there.copy_from(host)]
        before = accel.zeros(SIZE, "float32", device="cuda")

        def interrupted(*arguments):
            while acts:
                acts.pop()()
            set_bytes(*arguments)

        monkeypatch.setattr(CupyStream, "set_bytes", interrupted)
        before.fill(0)
        assert not direct
        assert np.array_equal(there.to_numpy(), NUMBERS)

    def test_an_interrupt_comes_before_the_wait(self, on_host, monkeypatch):
        """The device uses the memory until it has waited all the same."""
        host, there = on_host(), ones()
        finish, calls = CupyStream.finish, []

        def interrupted(stream):
            calls.append(stream)
            if len(calls) == 1:
                raise KeyboardInterrupt
            finish(stream)

        monkeypatch.setattr(CupyStream, "finish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            there.copy_from(host)
        assert len(calls) == 2
        assert idle(host, there)

    def test_the_device_is_lost(self, on_host, cuda_machine):
        host, there = on_host(), ones()
        cuda_machine.lose(0)
        with pytest.raises(DeviceLostError):
            there.copy_from(host)
        assert not host.storage.owner.keep_alives
        assert np.array_equal(host.to_numpy(), NUMBERS)

    def test_another_library_captures_the_stream(self, on_host):
        host, there = on_host(), ones()
        stream = accel.new_stream("cuda")
        stream.native.begin_capture()
        with stream, pytest.raises(CapabilityError, match="captured"):
            there.copy_from(host)
        stream.native.end_capture()
        assert heap_of(Device.CUDA).stream is not stream


def test_memory_in_flight_is_asked_for_by_a_copy_that_waits(on_host):
    """Or memory of asynchronous copies would be kept until the next allocation."""
    host, there = on_host(), ones()
    heap, source = heap_of(Device.CUDA), accel.AcceleratorDataContainer.on(pinned(SIZE, "float32", "cuda"))
    target = accel.zeros(SIZE, "float32", device="cuda")
    target.copy_from_async(source, stream=accel.new_stream("cuda"))
    assert heap.pending_work
    heap.backend.synchronize(Device.CUDA)
    there.copy_from(host)
    assert not heap.pending_work
