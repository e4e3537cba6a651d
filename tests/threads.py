"""Threads for tests."""

import threading

__all__ = ["run_at_once"]


def run_at_once(calls):
    """Run each call in a thread of its own, and wait until all have ended."""
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
