"""Messages between the grader and a process that it does not trust."""

import json
import math
import socket
import struct
import threading
import time
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.commands.grading.channel import Channel, ProtocolError
from accel.commands.grading.submission import Submission, SubmissionError


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    with one, other:
        yield one, other


@pytest.mark.parametrize(
    "array", [np.arange(6).reshape(2, 3), np.zeros((0, 4), "<f2"), np.array(1j), np.arange(8)[::2], np.array(True)]
)
def test_messages_and_arrays_arrive_as_they_were(ends, array):
    one, other = map(Channel, ends)
    one.send({"name": "ü", "nan": [1, None]}, [array, array])
    message, arrays = other.receive()
    assert message == {"name": "ü", "nan": [1, None]}
    for each in arrays:
        assert each.dtype == array.dtype
        np.testing.assert_array_equal(each, array)


def test_large_messages_pass_while_the_other_end_reads(ends):
    one, other = map(Channel, ends)
    sender = threading.Thread(target=one.send, args=({}, [np.arange(1 << 20)]))
    sender.start()
    _, [array] = other.receive()
    sender.join()
    assert (array == np.arange(1 << 20)).all()


def test_objects_are_not_sent(ends):
    with pytest.raises(TypeError, match="object"):
        Channel(ends[0]).send({}, [np.array([object()])])


def test_an_end_that_neither_reads_nor_writes_is_not_waited_for(ends):
    channel = Channel(ends[0])
    with pytest.raises(TimeoutError):
        channel.send({}, [np.zeros(1 << 20)], time.monotonic() + 0.1)
    with pytest.raises(TimeoutError):
        channel.receive(time.monotonic() + 0.1)


def answered(content):
    """Return what a channel reads of bytes."""
    one, other = socket.socketpair()
    with one, other:
        one.sendall(content)
        one.shutdown(socket.SHUT_WR)
        return Channel(other, most=1 << 20).receive()


def framed(value):
    text = json.dumps(value).encode()
    return struct.pack("<I", len(text)) + text


@given(st.binary(max_size=50) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(framed))
def test_anything_else_is_no_message(content):
    with pytest.raises((ProtocolError, EOFError)):
        answered(content)


@pytest.mark.parametrize(
    "form",
    [
        {"dtype": "O", "shape": [1]},
        {"dtype": "<f8", "shape": [-1]},
        {"dtype": "<f8", "shape": [1 << 39]},
        {"dtype": "<f8", "shape": [1.0]},
        {"dtype": "<f8", "shape": [1] * 99},
        {"dtype": ["<f8"], "shape": [1]},
        {"dtype": "<f8", "shape": 1},
        {"dtype": "<f8"},
    ],
)
def test_arrays_of_impossible_types_and_sizes_are_refused_before_memory_is_taken(form):
    with pytest.raises(ProtocolError):
        answered(framed({"message": {}, "arrays": [form]}))


WORDS = ["value", "items", "array", "complex", "location", "others", "text", "line", "file", "picture"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(WORDS),
        inner, max_size=4,
    ),
)  # fmt: skip


class Answers:
    """A worker that gives one answer."""

    def __init__(self, answer, arrays=()):
        self.answer = answer, list(arrays)

    def ask(self, request, arrays):
        return self.answer

    def close(self):
        pass


@given(result=VALUES, findings=VALUES, error=VALUES)
def test_whatever_a_submission_answers_is_a_result_or_its_failure(result, findings, error):
    answer = {"result": result, "findings": findings, "error": error}
    submission = Submission("any", 0, lambda: Answers(answer))
    with suppress(SubmissionError):
        submission.call("f")
    for each in submission.findings:
        json.dumps(each.json())
        assert each.location is None or (each.location.line >= 0 and math.isfinite(each.location.line))


def test_arrays_of_another_shape_than_those_of_the_launch_are_refused():
    submission = Submission("any", 0, lambda: Answers({}, [np.zeros(3)]))
    with pytest.raises(SubmissionError, match="other arrays"):
        submission.launch("f", np.zeros(4), grid=1)
