"""Shared fixtures of the tests of faults: other libraries, streams that are held up, and separate processes."""

import os
import subprocess
import sys
import textwrap
import threading

import pytest

import accel


class Foreign:
    """An array of another library: it has nothing of ours but the protocol, and gives what it is told to."""

    def __init__(self, array, gives=None, device=None):
        self.array = array
        self.gives = gives
        self.device = device or array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords) if self.gives is None else self.gives()

    def __dlpack_device__(self):
        return self.device


@pytest.fixture
def foreign():
    return Foreign


@pytest.fixture
def gate():
    """What lets a held stream go on."""
    result = threading.Event()
    yield result
    result.set()


@pytest.fixture
def hold(gate):
    """A function that holds up a stream until `gate` is set; until then its device has pending work."""
    thread, streams = accel.new_stream("cpu"), []

    def held(stream, gate=gate):
        stream.wait_for(thread.submit(lambda: gate.wait(30)))
        streams.append(stream)
        return stream

    yield held
    gate.set()
    for stream in (*streams, thread):
        stream.close()


@pytest.fixture
def soon(gate):
    """A function that sets `gate` while the caller waits."""
    return lambda: threading.Timer(0.02, gate.set).start()


@pytest.fixture(scope="session")
def process():
    """A function that runs code on a device in a process of its own; returns its code, output and errors."""

    def run(code, device):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "ACCEL_DEVICE": str(device)},
        )
        return done.returncode, done.stdout.strip(), done.stderr.strip()

    return run
