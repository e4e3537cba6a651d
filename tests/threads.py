"""Threads for tests."""

import signal
import threading
import time

import pytest

__all__ = ["interrupt", "run_at_once"]


def run_at_once(calls):
    """Run each call in a thread of its own, and wait until all have ended."""
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def interrupt(call):
    """Call something that waits, in the main thread, and press Ctrl-C meanwhile; fail if it ends in another way."""
    begun, ends = threading.Event(), []

    def press():
        begun.wait()
        time.sleep(0.03)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def wait():
        begun.set()
        try:
            ends.append(f"returned {call()!r}")
        except Exception as error:
            ends.append(repr(error))
        thread.join()  # where Ctrl-C comes only now, it must not end the tests

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        wait()
    thread.join()
    assert ends == []
