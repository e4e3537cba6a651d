"""Streams of the host: order, late work, errors, exits, forks."""

import copyreg
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from numpy.exceptions import AxisError

import accel
from accel import Device, new_stream
from accel.abc import Event, Stream, current_stream
from accel.memory import HostStorage, hazards
from accel.memory.thread_stream import ThreadStream


class Held:
    """Work on a stream that ends when its event is set."""

    def __init__(self, stream):
        self.gate = threading.Event()
        self.event = stream.submit(lambda: self.gate.wait(30))


def test_streams_and_events_are_what_the_protocols_say(stream):
    assert isinstance(stream, Stream)
    assert isinstance(stream.record(), Event)
    assert stream.device is stream.record().device is Device.CPU


def test_work_is_done_in_order(stream):
    done = []
    for number in range(1000):
        stream.submit(lambda number=number: done.append(number))
    stream.synchronize()
    assert done == list(range(1000))


def test_work_is_done_in_order_for_any_submitter_and_any_form(stream):
    done = []

    def submit(name):
        for number in range(300):
            stream.submit(lambda number=number: done.append((name, number)), inline=number % 3 == 0)

    threads = [threading.Thread(target=submit, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stream.synchronize()
    assert len(done) == 1200
    for name in "abcd":
        assert [number for who, number in done if who == name] == list(range(300))


def test_the_caller_does_not_wait(stream):
    stream.timed = True
    blocked = Held(stream)
    late = stream.submit(lambda: None)
    assert not blocked.event.done()
    assert not late.done()
    assert late.ended is None
    blocked.gate.set()
    late.wait()
    assert late.done()
    assert blocked.event.began <= blocked.event.ended <= late.began <= late.ended


def test_small_work_is_done_at_once_only_when_idle(stream):
    me = threading.get_ident()
    where = []
    assert stream.submit(lambda: where.append(threading.get_ident()), inline=True).done()
    blocked = Held(stream)
    late = stream.submit(lambda: where.append(threading.get_ident()), inline=True)
    assert not late.done()
    blocked.gate.set()
    late.wait()
    assert where[0] == me != where[1]


def test_one_stream_waits_for_another(stream):
    other = new_stream()
    blocked = Held(stream)
    done = []
    stream.submit(lambda: done.append("first"))
    other.wait_for(stream.record())
    after = other.submit(lambda: done.append("second"))
    assert not after.done()
    blocked.gate.set()
    after.wait()
    assert done == ["first", "second"]
    other.close()


def test_an_event_of_an_unused_stream_is_reached(stream):
    assert stream.record().done()
    stream.record().wait()
    stream.synchronize()


def test_many_reads_in_flight_are_asked_for_a_few_times_each_and_not_once_a_read():
    class Counted:
        questions = 0
        failed = False

        def done(self):
            Counted.questions += 1
            return False

    storage, events = HostStorage(8), [Counted() for _ in range(4096)]
    claim = storage.claim(writing=False)
    for event in events:
        hazards.note(event, (claim,))
        hazards.forget_some(claim[0])
    assert [work.event for work in hazards.pending(storage.claim(writing=True))] == events
    assert Counted.questions < 4 * len(events)


def test_reads_that_are_over_are_forgotten_though_nobody_writes(stream):
    storage, over = HostStorage(8), stream.record()
    claim = storage.claim(writing=False)
    for _ in range(1000):
        hazards.note(over, (claim,))
        hazards.forget_some(claim[0])
    assert len(storage.owner.hazards[1]) < 50


class TestErrors:
    def test_keep_their_message_where_a_library_replaces_the_pickling_of_errors(self, stream, monkeypatch):
        def emptied(error):
            return type(error).__new__, (type(error),)

        def fail():
            raise AxisError(5, 2)

        monkeypatch.setitem(copyreg.dispatch_table, AxisError, emptied)
        event = stream.submit(fail)
        for _ in range(2):
            with pytest.raises(AxisError, match="axis 5 is out of bounds"):
                event.wait()

    def fails(self):
        raise ZeroDivisionError("late")

    def test_are_raised_where_they_are_waited_for(self, stream):
        event = stream.submit(self.fails)
        with pytest.raises(ZeroDivisionError) as caught:
            event.wait()
        assert "test_streams.py" in caught.value.__notes__[0]
        assert "test_are_raised_where_they_are_waited_for" in caught.value.__notes__[0]
        stream.synchronize()  # it was seen, and is not raised again

    def test_that_nobody_saw_are_raised_by_synchronize_once(self, stream):
        stream.submit(self.fails)
        with pytest.raises(ZeroDivisionError):
            stream.synchronize()
        stream.synchronize()

    def test_or_by_close(self):
        stream = new_stream()
        stream.submit(self.fails)
        with pytest.raises(ZeroDivisionError):
            stream.close()
        stream.close()

    def test_do_not_stop_the_stream(self, stream):
        failed = stream.submit(self.fails)
        later = stream.submit(lambda: None)
        later.wait()
        assert failed.done()
        with pytest.raises(ZeroDivisionError):
            failed.wait()

    def test_do_not_reach_streams_that_wait(self, stream):
        other = new_stream()
        failed = stream.submit(self.fails)
        other.wait_for(failed)
        other.synchronize()
        with pytest.raises(ZeroDivisionError):
            failed.wait()
        other.close()


class TestClosing:
    def test_finishes_the_work(self):
        stream = new_stream()
        done = []
        stream.submit(lambda: (time.sleep(0.05), done.append(1)))
        stream.close()
        assert done == [1]

    def test_takes_no_more(self):
        stream = new_stream()
        stream.close()
        stream.close()
        with pytest.raises(RuntimeError, match=r"closed.*accel\.new_stream"):
            stream.submit(lambda: None)

    def test_a_dropped_stream_finishes_its_work_and_ends_its_thread(self):
        before = threading.active_count()
        stream = new_stream()
        done = []
        event = stream.submit(lambda: (time.sleep(0.05), done.append(1)))
        del stream
        gc.collect()
        event.wait()
        assert done == [1]
        deadline = time.monotonic() + 60
        while threading.active_count() > before and time.monotonic() < deadline:
            time.sleep(0.001)
        assert threading.active_count() <= before


class TestCurrent:
    def test_is_the_innermost_of_the_device(self, stream):
        other = new_stream()
        assert current_stream(Device.CPU) is None
        with stream, other:
            assert current_stream(Device.CPU) is other
            with stream:
                assert current_stream(Device.CPU) is stream
            assert current_stream(Device.CPU) is other
            assert current_stream(Device.SIM) is None
        assert current_stream(Device.CPU) is None

    def test_belongs_to_the_thread(self, stream):
        results = []
        with stream:
            thread = threading.Thread(target=lambda: results.append(current_stream(Device.CPU)))
            thread.start()
            thread.join()
        assert results == [None]


def test_settings_are_handed_on(stream):
    results = []
    with accel.using(sim_seed=77):
        event = stream.submit(lambda: results.append(accel.config.current().sim_seed))
    event.wait()
    assert results == [77]


def run(code, timeout=120):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def test_work_in_flight_at_exit_is_finished():
    done = run("""
        import time, accel
        stream = accel.new_stream()
        a, b = accel.full(1 << 20, 7.0), accel.empty(1 << 20)
        stream.submit(lambda: time.sleep(0.2))
        b.copy_from_async(a, stream=stream)
        stream.submit(lambda: print("finished", flush=True))
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "finished\n", "")


def test_an_error_nobody_waited_for_is_shown_at_exit():
    done = run("""
        import accel
        stream = accel.new_stream()
        stream.submit(lambda: 1 / 0)
    """)
    assert "ZeroDivisionError" in done.stderr
    assert "submitted at" in done.stderr


def test_an_error_of_a_stream_that_was_dropped_is_shown():
    done = run("""
        import threading, accel
        stream = accel.new_stream()
        stream.submit(lambda: 1 / 0)
        stream.submit(lambda: None)
        del stream
        for thread in threading.enumerate():
            if thread.name == "accel-stream":
                thread.join(30)
    """)
    assert done.stderr.count("ZeroDivisionError") == 1
    assert "submitted at" in done.stderr


def test_errors_that_follow_one_another_are_counted(stream):
    for _ in range(3):
        stream.submit(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        stream.synchronize()
    assert caught.value.__notes__[1:] == ["and 2 more failed after it"]


@pytest.mark.skipif(not hasattr(os, "kill"), reason="needs POSIX signals")
def test_ctrl_c_ends_a_wait_and_harms_nothing():
    done = run("""
        import os, signal, threading, time, accel
        stream = accel.new_stream()
        a, b = accel.full(1000, 7.0), accel.empty(1000)
        gate = threading.Event()
        stream.submit(lambda: gate.wait(30))
        transfer = b.copy_from_async(a, stream=stream)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            transfer.wait()
        except KeyboardInterrupt:
            print("interrupted", transfer.done())
        gate.set()
        transfer.wait()
        print(b[999], accel.memory.snapshot().live_blocks)
    """)
    assert (done.stdout, done.stderr) == ("interrupted False\n7.0 2\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_process_uses_streams_and_does_not_wait_for_its_parents():
    stream = ThreadStream()
    blocked = Held(stream)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with pytest.raises(RuntimeError, match="spawn"):
                blocked.event.wait()
            stream.submit(lambda: None).wait()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    blocked.gate.set()
    stream.close()


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_events_and_streams_say_what_they_are(device):
    with new_stream("cpu") as waiting:
        held = Held(waiting)
        assert repr(waiting) == "<stream of cpu, busy>"
        assert repr(held.event) == "<event of cpu, under way>"
        held.gate.set()
        waiting.synchronize()
        assert repr(waiting) == "<stream of cpu, idle>"
        assert repr(held.event) == "<event of cpu, done>"
    waiting.close()
    assert repr(waiting) == "<stream of cpu, closed>"
    stream = new_stream(device)
    transfer = accel.zeros(3, device=device)
    event = transfer.copy_from_async(accel.full(3, 1.0), stream=stream).event
    event.settle()
    assert repr(event) == f"<event of {device}, done>"
    assert device in repr(stream)


def test_the_event_of_failed_work_says_so(stream):
    event = stream.submit(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        event.wait()
    assert repr(event) == "<event of cpu, failed>"


QUIET = (0, "", "")


@pytest.mark.parametrize("stream", ["stream", "accel.new_stream()"])
def test_a_daemon_thread_that_submits_work_ends_quietly_with_the_process(stream):
    program = f"""
        import accel, atexit, threading
        stream, target, source = accel.new_stream(), accel.zeros(1000), accel.zeros(1000)
        begun, last = threading.Event(), threading.Event()
        def work():
            while True:
                target.copy_from_async(source, stream={stream})
                begun.set()
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        begun.wait()
        import accel.memory.thread_stream as streams
        atexit.unregister(streams._finish_all)
        atexit.register(thread.join)  # runs after the streams are closed
        atexit.register(streams._finish_all)
    """
    assert end_of(program) == QUIET


def test_a_daemon_thread_whose_stream_is_closed_as_it_submits_ends_quietly_with_the_process():
    program = """
        import accel, threading
        import accel.memory.thread_stream as streams
        stream, task = accel.new_stream(), streams._Task
        def while_the_process_ends(*arguments):
            streams._finish_all()  # after the thread looked whether the process ends, and before the stream takes work
            return task(*arguments)
        streams._Task = while_the_process_ends
        thread = threading.Thread(target=stream.submit, args=(list,), daemon=True)
        thread.start()
        thread.join()
    """
    assert end_of(program) == QUIET


def end_of(program):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], check=False, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def test_work_that_is_no_function_is_refused_where_it_is_submitted(stream):
    with pytest.raises(TypeError, match="work is a function without arguments; found 3"):
        stream.submit(3)
    stream.synchronize()


@pytest.mark.parametrize("wrong", [None, "other", 3])
def test_a_wait_for_what_is_no_event_is_refused_and_harms_no_other_work(device, wrong):
    stream, other = accel.new_stream(device), accel.new_stream(device)
    with pytest.raises(TypeError, match=r"a stream waits for an event; found .*: write stream.wait_for\(other.record"):
        stream.wait_for(other if wrong == "other" else wrong)
    assert accel.zeros(3, device=device).copy_from_async(accel.zeros(3, device=device), stream=stream).wait() is None
