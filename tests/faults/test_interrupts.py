"""Row 28: Ctrl-C in the middle of an operation."""

import signal

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.memory import heap_of

from ..threads import interrupt

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")

SIZE = 10_000

WAITS = {
    "transfer": lambda c, transfer: transfer.wait(),
    "stream": lambda c, transfer: transfer.event.settle(),
    "reading": lambda c, transfer: c.to_numpy(),
    "copying": lambda c, transfer: c.deep_copy(),
    "moving": lambda c, transfer: c.to("sim:1"),
    "computing": lambda c, transfer: xp.asarray(c) + 1,
    "writing": lambda c, transfer: c.fill(0),
    "in place": lambda c, transfer: xp.asarray(c).__iadd__(1),
}
WORK = {
    "fill": lambda c, other: c.fill(0),
    "copy": lambda c, other: c.copy_from(other),
    "to the host": lambda c, other: c.to("cpu"),
    "from the host": lambda c, other: c.from_numpy(np.zeros(SIZE)),
    "to another device": lambda c, other: c.to("sim:1"),
    "to NumPy": lambda c, other: c.to_numpy(),
    "deep copy": lambda c, other: c.deep_copy(),
    "full": lambda c, other: accel.full(SIZE, 1, device="sim"),
}


@pytest.mark.usefixtures("no_leaks")
@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_a_wait_ends_and_the_copy_goes_on(device, hold, gate, wait):
    xp.ones(1, device=device) + 1  # so that no import is interrupted
    source, target = accel.container(np.arange(float(SIZE))), accel.empty(SIZE)
    transfer = target.copy_from_async(source, stream=hold(accel.new_stream()))
    interrupt(lambda: wait(target, transfer))
    assert not transfer.done()
    gate.set()
    transfer.wait()
    assert np.array_equal(target.to_numpy(), np.arange(float(SIZE)))


@pytest.mark.usefixtures("no_leaks")
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_memory_that_late_work_still_uses_is_not_allocated_again(work, hold, gate):
    """A device is still at it when the wait for it ends: what is released then must not be reused before."""
    c, other = (accel.full(SIZE, value, device="sim") for value in (5, 0))
    with hold(accel.new_stream("sim")):
        interrupt(lambda: work(c, other))
    c.release()
    other.release()
    host = [accel.full(SIZE, -1) for _ in range(3)]
    late = [accel.empty(SIZE, device=device) for device in ("sim", "sim", "sim:1")]
    gate.set()
    heap_of(Device.SIM).synchronize()
    assert all((each.to_numpy() == -1).all() for each in host)
    assert all(np.isnan(each.to_numpy()).all() for each in late)  # as fresh memory is


def test_at_any_moment_leaves_no_lock_behind(device, process):
    """In a process of its own, for an interrupt may leave a block uncounted."""
    code = """
        import signal, sys, threading, time
        import accel
        from accel.testing.simulation import drop

        def interrupt(*_):
            raise KeyboardInterrupt

        def use(found):
            with accel.full(100, 7.0) as c:
                found.append(float(c.to_numpy().sum()))

        use([])
        sys.unraisablehook = lambda report: None
        signal.signal(signal.SIGALRM, interrupt)
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline:
            try:
                signal.setitimer(signal.ITIMER_REAL, 3e-4)
                for _ in range(100):  # not forever: a finaliser may swallow the interrupt
                    use([])
            except (KeyboardInterrupt, RuntimeError):  # the latter where the interrupt cut off the wait
                pass
        signal.setitimer(signal.ITIMER_REAL, 0)
        drop()
        found = []
        thread = threading.Thread(target=use, args=(found,), daemon=True)
        thread.start()
        thread.join(60)
        print(found)
    """
    assert process(code, device) == (0, "[700.0]", "")


def test_in_a_process_ends_it_as_python_does(device, process):
    code = """
        import os, signal, threading
        import accel

        gate = threading.Event()
        a, b = accel.full(10_000, 7.0), accel.empty(10_000)
        thread, stream = accel.new_stream("cpu"), accel.new_stream()
        stream.wait_for(thread.submit(lambda: gate.wait(30)))
        transfer = b.copy_from_async(a, stream=stream)
        press = signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)
        threading.Timer(0.1, *press).start()
        try:
            transfer.wait()
        except KeyboardInterrupt:
            print("interrupted", transfer.done())
        gate.set()
        transfer.wait()
        print(b.to_numpy()[9999])
    """
    assert process(code, device) == (0, "interrupted False\n7.0", "")
