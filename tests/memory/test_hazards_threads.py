"""What several threads note of one block at once is all remembered."""

import sys
import threading
import time

import pytest

from accel import Device
from accel.dtypes import as_dtype
from accel.memory import allocate


class Once:
    """An event that is not over when it is first asked, and lets other threads go on then."""

    device = Device.CPU
    began = ended = None

    def __init__(self):
        self.asked = 0

    def done(self):
        time.sleep(0)
        self.asked += 1
        return self.asked > 1

    def settle(self):
        pass

    wait = settle


class Never(Once):
    def done(self):
        return False


@pytest.fixture
def often():
    """Let threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often")
def test_no_read_is_forgotten_while_others_ask_and_note():
    owner = allocate(Device.CPU, 8, as_dtype("float32")).owner
    kept = [[Never() for _ in range(200)] for _ in range(2)]
    stop = threading.Event()

    def note(events):
        for event in events:
            owner.note(event, writing=False)
            owner.note(Once(), writing=False)

    def ask():
        while not stop.is_set():
            owner.settle(writing=True)

    asking = threading.Thread(target=ask)
    threads = [threading.Thread(target=note, args=(events,)) for events in kept]
    for thread in (asking, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    asking.join()
    assert {id(event) for events in kept for event in events} <= {id(event) for event in owner.hazards.reads}
