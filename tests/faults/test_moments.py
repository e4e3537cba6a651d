"""Forced moments at which bytes were once lost: an interrupt, another thread, a fork or the end of the process."""

import gc
import os
import signal
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest
from accel.backends.common.workers import Workers

import accel
from accel import Device, HostStorage, xp
from accel.errors import DeviceLostError, ReleasedError
from accel.layout import Layout
from accel.memory import allocation_table, heap_of
from accel.memory.heap import Heap
from accel.memory.owner import Owner
from accel.testing import fail_copy
from accel.xp import array_storage

from ..threads import interrupt
from .storm import Moments

# An interrupt in a finaliser is swallowed by Python.
swallowed = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SIZE = 60_000  # bytes that a stream's thread copies


@swallowed
@pytest.mark.parametrize("size", [SIZE, 500])
def test_a_copy_that_is_interrupted_while_it_is_submitted_overwrites_no_other_container(device, hold, size):
    source, stream = accel.full(size, 7, "uint8"), accel.new_stream()
    moments = Moments()
    while moments.count >= moments.at:
        moments.at += 1
        gate = threading.Event()
        hold(stream, gate)
        kept = [accel.empty(size, "uint8")]
        moments.during(lambda kept=kept: kept[0].copy_from_async(source, stream=stream))
        del kept
        others = [accel.full(size, 5, "uint8") for _ in range(2)]
        gate.set()
        stream.synchronize()
        assert all((other.to_numpy() == 5).all() for other in others)
    assert moments.at > 50


def test_helpers_are_waited_for_whatever_interrupts_the_wait():
    """Helpers write by address: a wait that returns early would free the memory while they still write."""
    workers, main, moments = Workers(), threading.main_thread().ident, Moments()

    def until_a_helper_works(pause):
        """Share two pieces: one waits for the other, which a helper does; return what the helper began and ended."""
        entered, left, started = [], [], threading.Lock()
        started.acquire()

        def work(low, high):
            if threading.get_ident() == main:
                started.acquire(timeout=pause)
                return
            entered.append(low)
            started.release()
            time.sleep(0.01)
            left.append(low)

        return entered, left, partial(workers.share, work, 2, 1 << 20)

    with accel.using(threads=2):
        until_a_helper_works(10)[2]()  # the helper runs from now on: all moments are of the copy itself
        while moments.count >= moments.at:
            moments.at += 1
            entered, left, share = until_a_helper_works(0.05)
            moments.during(share)
            begun = [*entered]
            assert begun == left
            until_a_helper_works(10)[2]()  # the helper has seen the first two pieces then
            assert entered == begun
    assert moments.at > 15


def test_an_interrupt_in_a_small_copy_of_a_stream_is_raised_at_once_and_only_then(monkeypatch):
    backend = heap_of(Device.CPU).backend
    real, source, target = backend.copy, accel.full(100, 7, "uint8"), accel.full(100, 1, "uint8")
    stream = accel.new_stream("cpu")

    def pressed(*arguments, **keywords):
        signal.raise_signal(signal.SIGINT)
        real(*arguments, **keywords)

    monkeypatch.setattr(backend, "copy", pressed, raising=False)
    with pytest.raises(KeyboardInterrupt):
        target.copy_from_async(source, stream=stream)
    monkeypatch.undo()
    assert set(target.to_numpy()) == {1}
    stream.synchronize()


def test_a_stream_is_used_again_when_its_thread_could_not_be_had(monkeypatch):
    source, target, stream = accel.full(SIZE, 7, "uint8"), accel.empty(SIZE, "uint8"), accel.new_stream("cpu")

    def refused(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(RuntimeError, match="thread"):
        target.copy_from_async(source, stream=stream)
    monkeypatch.undo()
    target.copy_from_async(source, stream=stream).wait()
    assert (target.to_numpy() == 7).all()


@swallowed
def test_a_closed_stream_whose_first_copy_was_interrupted_blocks_no_other_work():
    source, target = accel.full(100, 7, "uint8"), accel.full(100, 1, "uint8")
    moments = Moments()
    while moments.count >= moments.at:
        moments.at += 1
        stream = accel.new_stream("cpu")
        moments.during(lambda stream=stream: target.copy_from_async(source, stream=stream))
        stream.close()
        heap_of(Device.CPU).retire_finished()
        assert set(target.to_numpy()) <= {1, 7}


@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_is_about_to_be_submitted_is_not_taken_for_over(device, hold, gate, monkeypatch, moment):
    """Another thread looks for what is over at just that time."""
    add_pending = Heap.add_pending

    def taking(heap, flight):
        if moment == "before":
            heap.retire_finished()
        add_pending(heap, flight)
        thread = threading.Thread(target=heap.retire_finished)
        thread.start()
        thread.join()

    monkeypatch.setattr(Heap, "add_pending", taking)
    source, target = accel.full(SIZE, 7, "uint8"), accel.empty(SIZE, "uint8")
    target.copy_from_async(source, stream=hold(accel.new_stream()))
    source.release()
    others = [accel.full(SIZE, 5, "uint8") for _ in range(2)]
    gate.set()
    assert (target.to_numpy() == 7).all()
    assert all((other.to_numpy() == 5).all() for other in others)


def test_an_event_is_not_that_of_what_another_thread_gives_the_stream_meanwhile(monkeypatch):
    stream = accel.new_stream("cpu")
    source, target = accel.full(100, 7, "uint8"), accel.zeros(100, "uint8")
    submit, record = type(stream).submit, type(stream).record

    def recorded(result):
        submit(result, lambda: 1 / 0)
        return record(result)

    monkeypatch.setattr(type(stream), "record", recorded)
    target.copy_from_async(source, stream=stream).wait()
    monkeypatch.undo()
    assert (target.to_numpy() == 7).all()


def test_nor_is_the_event_of_a_simulated_stream(monkeypatch):
    stream, errors, threads = accel.new_stream("sim"), [], []
    source, target, other = (accel.full(100, value, "uint8", device="sim") for value in (7, 1, 1))
    record = type(stream).record

    def fails():
        try:
            other.copy_from_async(source, stream=stream).wait()
        except DeviceLostError as error:
            errors.append(error)

    def recorded(result):
        if not threads:
            threads.append(threading.Thread(target=fails))
            threads[0].start()
            threads[0].join(0.05)
        return record(result)

    with fail_copy(2, "sim"):
        monkeypatch.setattr(type(stream), "record", recorded)
        transfer = target.copy_from_async(source, stream=stream)
        threads[0].join()
    transfer.wait()
    assert (target.to_numpy() == 7).all()
    assert len(errors) == 1


class Thief:
    """At one moment of a use, releases a storage as another thread may do, and has its memory given to another."""

    def __init__(self, storage, at):
        self.storage, self.at, self.count, self.other = storage, at, 0, None

    def trace(self, frame, event, argument):
        if event in ("call", "c_return"):
            self.count += 1
            if self.count == self.at:
                sys.setprofile(None)
                self.storage.release()
                self.other = HostStorage(64, "uint8")
                self.other.store(0, [7] * 64)

    def steals(self, use):
        sys.setprofile(self.trace)
        try:
            use(self.storage)
        except ReleasedError:
            pass
        finally:
            sys.setprofile(None)
        return self.other is not None


def set_element(storage):
    storage[3] = 99


def get_element(storage):
    assert storage[3] == 1


@pytest.mark.parametrize("use", [set_element, get_element])
def test_an_element_is_not_one_of_the_next_container_in_its_memory(use):
    at, stolen = 0, True
    while stolen:
        at += 1
        storage = HostStorage(64, "uint8")
        storage.array[:] = 1
        storage = storage.share()  # which has not been used yet
        thief = Thief(storage, at)
        stolen = thief.steals(use)
        assert not stolen or (thief.other.export() == 7).all()
    assert at > 3


def failed(device):
    """Return a container that a copy should have written and did not, and what it was to be copied from."""
    stream, source, target = (accel.new_stream(), accel.full(SIZE, 7, "uint8"), accel.full(SIZE, 1, "uint8"))
    with fail_copy(1, device):
        transfer = target.copy_from_async(source, stream=stream)
        with pytest.raises(DeviceLostError):
            transfer.wait()
    return target, source, stream


def part(container):
    return accel.LayoutTensor(container, Layout(4))


READS = {
    "read": lambda x, stream: x.to_numpy(),
    "copied later": lambda x, stream: accel.zeros(SIZE, "uint8").copy_from_async(x, stream=stream).wait(),
    "read after that": lambda x, stream: copied_later(x, stream).to_numpy(),
    "moved later": lambda x, stream: x.to(x.device, copy=True, stream=stream).to_numpy(),
    "moved to the host later": lambda x, stream: x.to("cpu", copy=True, stream=stream).to_numpy(),
    "copied": lambda x, stream: accel.zeros(SIZE, "uint8").copy_from(x),
    "read after a part was written": lambda x, stream: (part(x).fill(9), x.to_numpy()),
    "read after a part was written later": lambda x, stream: (written_later(x, stream), x.to_numpy()),
    "read after a copy that was refused": lambda x, stream: (refused(x), x.to_numpy()),
    "computed with": lambda x, stream: xp.asarray(x) + 1,
}


def copied_later(x, stream):
    y = accel.zeros(SIZE, "uint8")
    transfer = y.copy_from_async(x, stream=stream)
    with pytest.raises(DeviceLostError):
        transfer.wait()
    return y


def written_later(x, stream):
    part(x).copy_from_async(part(accel.zeros(4, "uint8")), stream=stream).wait()


def refused(x):
    """Copy into it from what a failed copy left, too."""
    other, _, _ = failed(x.device)
    with pytest.raises(DeviceLostError):
        x.copy_from(other)


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_what_a_failed_copy_left_is_not_read(device, read):
    target, source, stream = failed(device)
    for _ in range(2):
        with pytest.raises(DeviceLostError):
            read(target, stream)
    target.copy_from(source)
    assert (target.to_numpy() == 7).all()


def test_who_reads_what_a_refused_copy_did_not_write_is_not_told_its_failure(device):
    broken, _, _ = failed(device)
    target = accel.full(SIZE, 3, "uint8")
    with pytest.raises(DeviceLostError):
        part(target).copy_from(part(broken))
    with pytest.raises(DeviceLostError):
        target.copy_from(broken)
    assert (target.to_numpy() == 3).all()


def test_a_write_that_is_interrupted_while_it_waits_leaves_what_it_waits_for_to_be_waited_for(device, hold, gate):
    source, target = accel.full(SIZE, 7, "uint8"), accel.full(SIZE, 1, "uint8")
    transfer = target.copy_from_async(source, stream=hold(accel.new_stream()))
    interrupt(lambda: target.fill(9))
    assert not transfer.done()
    threading.Timer(0.03, gate.set).start()
    assert (target.to_numpy() == 7).all()


def test_a_signal_handler_may_wait_for_work_where_its_thread_records_a_use(process):
    code = """
        import signal, threading
        import accel
        from accel.memory import hazards

        go, stream = threading.Event(), accel.new_stream("cpu")
        stream.submit(go.wait)
        source, target = accel.full(60_000, 7, "uint8", device="cpu"), accel.zeros(60_000, "uint8", device="sim")
        transfer, record = target.copy_from_async(source, stream=stream), hazards._record

        def recording(*arguments):
            hazards._record = record
            signal.raise_signal(signal.SIGUSR1)
            record(*arguments)

        signal.signal(signal.SIGUSR1, lambda *_: (go.set(), print(target.to_numpy()[0])))
        hazards._record = recording
        accel.zeros(60_000, device="cpu").copy_from(accel.zeros(60_000, device="cpu"))
        """
    assert process(code, "cpu") == (0, "7", "")


class TestForks:
    pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")

    def test_a_child_ends_that_was_forked_while_another_thread_submitted(self, process):
        code = """
            import os, sys, threading
            import accel

            stream, a, b = accel.new_stream("cpu"), accel.full(60_000, 1, "uint8"), accel.empty(60_000, "uint8")
            inside, go = threading.Event(), threading.Event()
            start = threading.Thread.start

            def slow(thread):
                if thread.name == "accel-stream":
                    inside.set()
                    go.wait()
                start(thread)

            submitting = threading.Thread(target=lambda: b.copy_from_async(a, stream=stream).wait())
            submitting.start()
            """
        code = (
            code.replace("submitting.start()", "threading.Thread.start = slow; start(submitting)")
            + """
            inside.wait()
            child = os.fork()
            if child == 0:
                sys.exit(0)
            print(os.waitpid(child, 0)[1])
            go.set()
            submitting.join()
            """
        )
        assert process(code, "cpu") == (0, "0", "")

    def test_two_threads_of_a_child_use_a_stream_at_once(self, process):
        code = """
            import os, threading
            import accel
            from accel.memory import thread_stream

            stream, done, made = accel.new_stream("cpu"), [], thread_stream._Queue

            def making():
                thread_stream._Queue = made
                other = threading.Thread(target=lambda: stream.submit(lambda: (go.wait(), done.append(1))))
                other.start()
                other.join()
                return made()

            child = os.fork()
            if child == 0:
                go, thread_stream._Queue = threading.Event(), making
                event = stream.submit(lambda: done.append(2))
                threading.Timer(0.1, go.set).start()
                event.settle()
                os._exit(7 if done == [1, 2] else 8)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        assert process(code, "cpu") == (0, "7", "")

    def test_a_child_is_refused_a_simulated_stream_that_another_thread_gave_work_at_that_time(self, process):
        code = """
            import os, signal, threading
            import accel

            stream, a, b = accel.new_stream(), accel.zeros(10), accel.zeros(10)
            inside, go = threading.Event(), threading.Event()

            def give():
                with stream.giving:
                    inside.set()
                    go.wait()

            a.copy_from_async(b, stream=stream).wait()
            threading.Thread(target=give).start()
            inside.wait()
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                try:
                    a.copy_from_async(b, stream=stream)
                except RuntimeError:
                    os._exit(7)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            go.set()
            """
        assert process(code, "sim") == (0, "7", "")

    def test_a_child_counts_simulated_memory_that_another_thread_was_counting(self, process):
        code = """
            import os, signal, threading
            import accel
            from accel.memory import heap_of

            kept = accel.zeros(10)
            memory = heap_of(kept.device).backend._memory[kept.device]
            inside, go = threading.Event(), threading.Event()

            def count():
                with memory._lock:
                    inside.set()
                    go.wait()

            threading.Thread(target=count).start()
            inside.wait()
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                os._exit(accel.memory.snapshot().live_blocks)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            go.set()
            """
        assert process(code, "sim") == (0, "1", "")


@pytest.mark.parametrize("block", ["track()", "allocating(device, Pool(allocator_of(device)))"])
def test_the_end_of_a_block_waits_for_no_daemon_that_was_stopped_with_the_lock(device, process, block):
    code = f"""
        import sys, threading, time
        import accel
        from accel.memory import Pool, allocating, allocator_of, heap_of, track

        device = accel.Device.default()

        def steps():
            with {block}:
                yield

        def forget():
            cycle = [steps()]
            cycle.append(cycle)
            next(cycle[0])

        forget()
        inside = threading.Event()

        def stay():
            with heap_of(device).lock:
                inside.set()
                time.sleep(1000)

        threading.Thread(target=stay, daemon=True).start()
        inside.wait()
        """
    assert process(code, device) == (0, "", "")


def test_streams_are_finished_at_the_end_of_a_process_whose_daemons_make_more(process):
    code = """
        import sys, threading, time
        import accel

        def more():
            while True:
                accel.new_stream("cpu")

        kept = [accel.new_stream("cpu") for _ in range(20_000)]
        kept[-1].submit(lambda: (time.sleep(0.3), print("done")))
        sys.setswitchinterval(1e-6)
        for _ in range(3):
            threading.Thread(target=more, daemon=True).start()
        """
    assert process(code, "cpu") == (0, "done", "")


def test_deleters_run_at_the_end_of_a_process_also_after_one_that_fails(process):
    code = """
        import numpy as np
        import accel

        array = np.zeros(8)
        kept = [
            accel.HostStorage(array.ctypes.data, 8, "float64", deleter=deleter)
            for deleter in (lambda: 1 / 0, lambda: print("ran"), lambda: 1 / 0, lambda: print("ran"))
        ]
        exports = [np.asarray(each) for each in kept]
        import builtins
        builtins.kept = exports
        """
    code, output, errors = process(code, "cpu")
    assert (code, output.split()) == (0, ["ran", "ran"])
    assert errors.count("ZeroDivisionError") == 2


def test_a_process_ends_whose_daemon_was_stopped_with_the_lock(device, process):
    code = """
        import gc, threading, time
        import accel
        from accel.memory import heap_of

        kept = [accel.empty(10) for _ in range(10)]
        for c in kept[:5]:
            cycle = [c]
            cycle.append(cycle)
        inside = threading.Event()

        def stay():
            with heap_of(kept[0].device).lock:
                inside.set()
                time.sleep(1000)

        threading.Thread(target=stay, daemon=True).start()
        inside.wait()
        del c, cycle, kept
        gc.collect()
        """
    assert process(code, device) == (0, "", "")


def test_a_signal_handler_may_ask_about_simulated_work_where_its_thread_has_the_lock_of_all_devices(process):
    code = """
        import signal, threading
        import accel
        from accel.memory import heap_of

        detector, stream = heap_of(accel.Device.SIM).backend._scheduler.detector, accel.new_stream("sim")
        containers = [accel.zeros(10, device="sim") for _ in range(8)]
        see = detector.see

        def ask(*_):
            print(any(transfer.done() for transfer in transfers for _ in range(20)))

        def interrupted(*arguments):
            if threading.current_thread() is threading.main_thread():
                detector.see = see
                signal.raise_signal(signal.SIGUSR1)
            see(*arguments)

        transfers = [target.copy_from_async(containers[0], stream=stream) for target in containers[1:-1]]
        signal.signal(signal.SIGUSR1, ask)
        detector.see = interrupted
        containers[-1].to_numpy()
        """
    assert process(code, "sim") == (0, "True", "")


def elsewhere(action):
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def test_a_handle_is_released_also_while_another_thread_has_the_lock(device):
    container, other = accel.zeros(10), accel.zeros(10)
    storage, shared, heap = container.storage, other.storage.share(), heap_of(container.device)
    with heap.lock:
        for each in (container, other):
            elsewhere(each.release)
    assert storage.released
    with pytest.raises(ReleasedError):
        container.to_numpy()
    assert shared.ref_count == 1
    live = heap.live_blocks
    shared.release()
    assert heap.live_blocks == live - 1


def test_memory_lent_while_another_thread_releases_the_handle_lives_as_long_as_its_borrower(monkeypatch):
    handle, heap, export = HostStorage(10), heap_of(Device.CPU), accel.memory.storage.export

    def exporting(*arguments):
        lent = export(*arguments)
        elsewhere(handle.release)
        return lent

    monkeypatch.setattr("accel.memory.storage.export", exporting)
    lent, before = np.asarray(handle), heap.live_blocks
    assert lent.size == 10
    del lent
    assert heap.live_blocks == before - 1


class TestRecords:
    """Two threads make and drop arrays on one NumPy array."""

    def test_of_two_that_are_made_at_once_one_is_had_by_all(self, monkeypatch):
        array, others, result = np.zeros(10), [], array_storage.ref

        def making(*arguments):
            if not others:
                others.append(None)
                elsewhere(lambda: others.append(xp.asarray(array)))
            return result(*arguments)

        monkeypatch.setattr(array_storage, "ref", making)
        x = xp.asarray(array)
        x.storage.release()
        with pytest.raises(ReleasedError):
            others[1] + 1

    def test_one_that_is_removed_takes_no_other_with_it(self, monkeypatch):
        class Records(dict):
            def __contains__(self, key):
                if not others:
                    others.append(None)
                    elsewhere(lambda: others.append(xp.asarray(array)))
                return super().__contains__(key)

        array, others = np.zeros(10), [None]
        records = Records()
        monkeypatch.setattr(array_storage, "_shared_storages", records)
        monkeypatch.setattr(records, "copy", lambda: Records(records), raising=False)
        x = xp.asarray(array)
        del x
        others.clear()
        array_storage._remove_dead_records()
        xp.asarray(array).storage.release()
        with pytest.raises(ReleasedError):
            others[1] + 1

    def test_those_without_arrays_are_removed_in_time(self, monkeypatch):
        monkeypatch.setattr(array_storage, "_shared_storages", {})
        monkeypatch.setattr(array_storage, "_limit", 10)
        monkeypatch.setattr(array_storage, "_FEW", 10)
        sources = [np.zeros(1) for _ in range(100)]
        kept = [xp.asarray(each) for each in sources[:20]]
        for each in sources:
            xp.asarray(each)
        assert len(array_storage._shared_storages) <= 2 * len(kept) + 1
        xp.asarray(sources[0]).storage.release()
        with pytest.raises(ReleasedError):
            kept[0] + 1

    def test_the_last_handle_is_released_as_another_is_asked_for(self, monkeypatch):
        array = np.zeros(10)
        x = xp.asarray(array)
        keep_alive, add_handle = x.storage.keep_alive(), Owner.add_handle

        def adding(owner):
            if owner is keep_alive.owner and not x.storage.released:
                elsewhere(x.storage.release)
            add_handle(owner)

        monkeypatch.setattr(Owner, "add_handle", adding)
        assert array_storage.storage_of(x._library, x._native, readonly=False).nbytes == array.nbytes


def external(deleter):
    """Return a container on memory made elsewhere."""
    array = np.zeros(60_000)
    storage = HostStorage(array.ctypes.data, array.size, "float64", deleter=lambda: deleter(array.size))
    return accel.AcceleratorDataContainer.on(storage)


def test_a_copy_whose_source_is_released_as_it_begins_leaves_its_target_free(monkeypatch):
    ran = []
    target, source = external(ran.append), accel.zeros(60_000)
    owner, add_keep_alive = source.storage.owner, Owner.add_keep_alive

    def pinning(pinned):
        if pinned is owner:
            elsewhere(source.release)
        add_keep_alive(pinned)

    monkeypatch.setattr(Owner, "add_keep_alive", pinning)
    with pytest.raises(ReleasedError):
        target.copy_from(source)
    target.release()
    assert ran == [60_000]


@swallowed
def test_a_copy_keeps_nothing_pinned_whatever_the_deleter_raises_of_what_was_released_meanwhile(monkeypatch):
    ran, backend = [], heap_of(Device.CPU).backend
    target, source, copy = external(lambda size: size / 0), external(ran.append), backend.copy

    def copying(*arguments, **keywords):
        elsewhere(target.release)
        copy(*arguments, **keywords)

    monkeypatch.setattr(backend, "copy", copying, raising=False)
    target.copy_from(source)
    source.release()
    assert ran == [60_000]


def test_memory_released_while_a_snapshot_is_taken_is_given_back_when_that_is_done(monkeypatch):
    array, ran = np.zeros(10), []
    storage = HostStorage(array.ctypes.data, 10, "float64", deleter=partial(ran.append, 1))
    sizes = allocation_table.AllocationTable.sizes

    def counting(result):
        elsewhere(storage.release)
        return sizes(result)

    monkeypatch.setattr(allocation_table.AllocationTable, "sizes", counting)
    accel.memory.snapshot()
    assert ran == [1]


def test_the_table_is_checked_while_another_thread_removes_external_memory(monkeypatch):
    array, deleting, deleted = np.zeros(10), threading.Event(), threading.Event()
    deleters = int, lambda: (deleting.set(), deleted.wait(10))
    kept = [HostStorage(array.ctypes.data, 10, "float64", deleter=deleter) for deleter in deleters]
    thread = threading.Thread(target=kept[1].release)
    thread.start()
    assert deleting.wait(10)

    def counting(life):
        deleted.set()
        thread.join()
        return getrefcount(life)

    getrefcount = allocation_table.getrefcount
    monkeypatch.setattr(allocation_table, "getrefcount", counting)
    heap_of(Device.CPU).free_lost()


def test_nothing_is_left_in_the_table_of_memory_whose_last_keep_alive_is_in_a_cycle():
    gc.collect()
    result = heap_of(Device.CPU).table
    before = len(result.kept)
    storage = HostStorage(10)
    cycle = [storage.keep_alive()]
    cycle.append(cycle)
    storage.release()
    assert len(result.kept) == before + 1
    del storage, cycle
    gc.collect()
    assert len(result.kept) == before


def test_the_table_is_read_while_a_collection_frees_memory():
    kept, result = [accel.empty(10) for _ in range(100)], heap_of(Device.CPU).table
    thresholds = gc.get_threshold()
    try:
        for objects in range(1, 20):
            gc.collect()
            gc.disable()
            cycle = [accel.empty(10)]
            cycle.append(cycle)
            del cycle
            gc.set_threshold(gc.get_count()[0] + objects)
            gc.enable()
            assert len(result.sizes()) >= len(kept)
    finally:
        gc.set_threshold(*thresholds)


@swallowed
def test_the_deleter_of_external_memory_runs_once_whenever_the_release_is_interrupted():
    moments, heap = Moments(), heap_of(Device.CPU)
    array = np.zeros(10)
    while moments.count >= moments.at:
        moments.at += 1
        ran = []
        # No Python code, which could be interrupted itself.
        c = HostStorage(array.ctypes.data, 10, "float64", deleter=partial(ran.append, 1))
        moments.during(c.release)
        c.release()
        del c
        gc.collect()
        heap.free_lost()
        assert ran == [1]


def test_memory_of_a_simulated_device_that_an_interrupt_left_half_made_blocks_no_other_allocation(monkeypatch):
    from accel.backends.sim import device_memory

    real, result = device_memory.Place, []

    def interrupted(*arguments):
        result.append(real(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(device_memory, "Place", interrupted)
    with pytest.raises(KeyboardInterrupt):
        accel.empty(10, device="sim")
    monkeypatch.undo()
    gc.collect()
    accel.empty(10, device="sim")
    accel.full(10, 7, device="sim").release()


VIEWS = {
    "a slice": lambda x: x[1:],
    "all": lambda x: x[...],
    "reshaped": lambda x: xp.reshape(x, (SIZE // 2, 2)),
    "flipped": xp.flip,
    "permuted": lambda x: xp.permute_dims(x, (0,)),
    "as it is": lambda x: xp.asarray(x, copy=False),
    "exchanged": xp.from_dlpack,
    "iterated": lambda x: next(iter(xp.reshape(x, (1, SIZE)))),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
class TestViews:
    def test_made_before_the_record_are_read_after_work_in_flight(self, hold, soon, view):
        x = xp.zeros((SIZE,), dtype=xp.uint8)
        y, source = view(x), accel.full(SIZE, 7, "uint8")
        x.container().copy_from_async(source, stream=hold(accel.new_stream("cpu")))
        soon()
        assert int(xp.sum(y, dtype=xp.int64)) == 7 * y.size

    def test_see_the_release(self, view):
        x = xp.zeros((SIZE,), dtype=xp.uint8)
        y = view(x)
        x.storage.release()
        if view is not VIEWS["exchanged"]:
            with pytest.raises(ReleasedError):
                y + 1


def test_two_containers_on_one_array_are_in_order(hold, soon):
    array = np.zeros(SIZE, np.uint8)
    one, other = (accel.AcceleratorDataContainer.on(HostStorage(array)) for _ in range(2))
    x, source = xp.asarray(array, copy=False), accel.full(SIZE, 7, "uint8", device="cpu")
    one.copy_from_async(source, stream=hold(accel.new_stream("cpu")))
    soon()
    assert other[SIZE - 1] == 7
    assert int(x[-1]) == 7
