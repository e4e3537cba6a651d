"""The bound on the bytes in memory, and that no work waits for ever, with values of one kind."""

import threading

import pytest

from accel.device import Device
from accel.engines.graph import Node, execute
from accel.engines.memory_budget.admission import Admission
from accel.engines.memory_budget.evictable import Evictable, State
from accel.engines.memory_budget.requests import Promise, Request
from accel.errors import StoreError

SECONDS = 60
NOTHING = Promise([], [], {})


class Text(Evictable):
    """Bytes that are kept in a list in place of a file; a test may stop a thread that moves them."""

    def __init__(self, text):
        super().__init__()
        self.text = text
        self.size = len(text)
        self.buffers = {id(self): self.size}
        self.moving, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()
        self.failure = None

    @property
    def nbytes(self):
        return self.size

    def _stop(self):
        self.moving.set()
        assert self.go_on.wait(SECONDS)
        if self.failure is not None:
            raise self.failure

    def write(self, file):
        self._stop()
        return self.text

    def read(self, file):
        self._stop()
        self.text = self.token

    def clear(self):
        self.text = None

    def discard(self, file):
        pass


def held(admission, *texts):
    """Return values that are in memory."""
    values = [Text(text) for text in texts]
    for value in values:
        admission.keep(value, NOTHING)
    return values


def admitted(admission, values=(), fresh=0):
    return admission.promised(lambda: Request("a work", values, {Device.CPU: fresh}))


def in_thread(action):
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    return thread


def test_the_value_that_was_used_longest_ago_leaves_first_and_comes_back():
    admission = Admission(8)
    first, second = held(admission, b"1234", b"abcd")
    with admitted(admission, [first]):
        pass
    with admitted(admission, fresh=4):
        assert (first.text, second.text) == (b"1234", None)
    with admitted(admission, [second], fresh=4):
        assert (first.text, second.text) == (None, b"abcd")
    assert (admission.spilled, admission.restored, admission.usage()) == (8, 4, (4, 8))


def test_a_value_that_could_not_be_written_stays_and_can_leave_later():
    admission = Admission(8)
    values = held(admission, b"1234", b"abcd")
    values[1].failure = OSError("no room")
    with pytest.raises(OSError, match="no room"), admitted(admission, fresh=8):
        pass
    assert [value.state for value in values] == [State.AWAY, State.HELD]
    values[1].failure = None
    with admitted(admission, fresh=8):
        assert [value.state for value in values] == [State.AWAY, State.AWAY]
    assert admission.running == 0


def test_a_value_that_could_not_be_read_is_read_again():
    admission = Admission(4)
    (value,) = held(admission, b"1234")
    with admitted(admission, fresh=4):
        pass
    value.failure = OSError("damaged")
    with pytest.raises(OSError, match="damaged"), admitted(admission, [value]):
        pass
    value.failure = None
    with admitted(admission, [value]):
        assert value.text == b"1234"
    assert (admission.running, admission.usage().held) == (0, 4)


def test_a_value_is_read_by_one_thread_while_another_still_writes_the_values_that_left_with_it():
    admission = Admission(16)
    first, second = held(admission, b"1234", b"abcd")
    texts = []

    def use():
        with admitted(admission, [first]):
            texts.append(first.text)

    second.go_on.clear()
    writer = in_thread(lambda: admission.evict(leaving(admission, first, second)))
    assert second.moving.wait(SECONDS)  # the first has left, the second is being written
    first.go_on.clear()
    first.moving.clear()
    reader = in_thread(use)
    assert first.moving.wait(SECONDS)
    second.go_on.set()
    writer.join(SECONDS)
    assert first.state is State.MOVING  # it is not in memory before it was read
    first.go_on.set()
    reader.join(SECONDS)
    assert texts == [b"1234"]
    assert admission.usage().held == 4


def leaving(admission, *values):
    with admission.changed:
        return admission.take_leave(values)


def test_a_work_waits_for_a_reader_of_a_value_and_is_not_refused():
    admission = Admission(4)
    (value,) = held(admission, b"1234")
    ends = []

    def work():
        try:
            with admitted(admission, fresh=4):
                ends.append("ran")
        except StoreError as error:
            ends.append(error)

    with admission.pinned(value):
        thread = in_thread(work)
        thread.join(0.05)
        assert ends == []
    thread.join(SECONDS)
    assert ends == ["ran"]


def test_a_value_that_is_read_where_it_is_stays_there():
    admission = Admission(8)
    first, second = held(admission, b"1234", b"abcd")
    with admission.pinned(first) as value, admitted(admission, fresh=4):
        assert (value.text, second.text) == (b"1234", None)


def test_a_value_that_nothing_needs_is_freed_after_the_work_that_uses_it():
    admission = Admission(8)
    (value,) = held(admission, b"1234")
    with admitted(admission, [value]):
        value.needed = False
        admission.drop(value)
        assert value.text == b"1234"
    assert (value.state, admission.usage().held) == (State.GONE, 0)


class Stuck:
    """A result that cannot be written to a file."""

    nbytes = 1000


def test_a_result_that_waits_for_room_ends_when_another_task_fails():
    both = threading.Barrier(2)

    def stuck():
        both.wait(SECONDS)
        return Stuck()

    def fails():
        both.wait(SECONDS)
        threading.Event().wait(0.05)  # the result of the other waits meanwhile
        raise ValueError("of the task")

    nodes, ends = {"stuck": Node(stuck, nbytes=10), "fails": Node(fails, nbytes=900)}, []

    def run():
        try:
            execute(nodes, [*nodes], budget=1000, threads=2)
        except BaseException as error:
            ends.append(error)

    in_thread(run).join(SECONDS / 6)
    assert [type(each) for each in ends] == [ValueError]
