"""Ctrl-C while a function is traced, compiled or launched: the next call is an ordinary one."""

import signal
import threading
import time
from functools import partialmethod
from typing import Any

import numpy as np
import pytest
from accel.backends.common.host_code import machine_code

import accel
from accel import config, xp
from accel.tracing import existing_arrays, fused_function, launch_code, plans, trace, traced
from accel.xp import recording
from accel.xp.array_base import ArrayBase
from accel.xp.array_library import recorder

DEVICES = ("cpu", "sim")
FIELDS = {name: vars(ArrayBase)[name] for name in ("_library", "_native")}


def host(x: Any) -> Any:
    return np.asarray(x.to_device("cpu"))


def is_as_before() -> bool:
    """Tell whether nothing is recorded, and fields of arrays are fields."""
    xp.ones(3) + 1  # the first use of an array finds what an interrupt has left
    fields = all(vars(ArrayBase)[name] is field for name, field in FIELDS.items())
    return fields and recorder.get() is None and config._scope.get() is config._NO_SCOPE


class Counted:
    """Calls of a function, of which one is interrupted."""

    def __init__(self, function: Any, at: int) -> None:
        self.function, self.left = function, at

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        result = self.function(*arguments, **keywords)
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return result


PLACES = [
    (trace.Trace, "make"),
    (existing_arrays.ExistingArrays, "capture"),
    (existing_arrays, "recorded"),
    (traced, "recorded"),
    (traced, "_arguments"),
    (traced, "_results"),
    (traced, "Captures"),
    (plans, "scheduled"),
    (plans, "lowered"),
    (plans.Plan, "_region"),
    (plans.Plan, "run"),
    (launch_code, "_steps"),
    (traced.Traced, "__init__"),
    (fused_function, "launch_of"),
    (recording, "_call"),
    (recording, "_restore"),
    (config, "enter"),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("owner", "name"), PLACES, ids=[name for _, name in PLACES])
def test_within_any_step(owner: Any, name: str, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = xp.ones(3, device=device)

    @accel.fuse
    def function(x: Any, factor: float) -> Any:
        y = x * factor + weights
        x[0] = 5.0
        return xp.sum(y), y

    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    original, interrupted = getattr(owner, name), 0
    for at in range(1, 4):
        step = Counted(original, at)
        monkeypatch.setattr(owner, name, step if not isinstance(owner, type) else lambda *a, s=step, **k: s(*a, **k))
        try:
            function(x, 2.0)
        except KeyboardInterrupt:
            interrupted += 1
        monkeypatch.setattr(owner, name, original)
        assert is_as_before()
        x[0] = 1.0
    assert interrupted or (name, device) == ("_steps", "sim")
    total, y = function(x, 2.0)
    np.testing.assert_array_equal(host(y), [3.0, 5.0, 7.0])
    assert float(total) == 15.0
    np.testing.assert_array_equal(host(x), [5.0, 2.0, 3.0])


def test_within_the_function() -> None:
    presses = [KeyboardInterrupt(), SystemExit(), GeneratorExit()]

    @accel.fuse
    def function(x: Any) -> Any:
        y = x + 1
        if presses:
            raise presses.pop()
        return y

    for _ in range(3):
        with pytest.raises((KeyboardInterrupt, SystemExit, GeneratorExit)):
            function(xp.ones(3))
        assert is_as_before()
    np.testing.assert_array_equal(host(function(xp.ones(3))), np.full(3, 2.0))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_at_any_moment(python: Any) -> None:
    """In a process of its own, as an interrupt in a finaliser is swallowed, with a report."""
    code = """
        import signal, sys
        import numpy as np
        import accel
        from accel import xp
        from accel.xp.array_base import ArrayBase
        from accel.xp.array_library import recorder

        fields = [vars(ArrayBase)[name] for name in ("_library", "_native")]
        weights, factor = xp.ones(3), 1.0

        def use(number):
            @accel.fuse
            def function(x, k):
                y = x * k + weights * factor
                z = xp.zeros_like(y)
                z[1:] = xp.sqrt(y)[:-1]
                return z, y
            x = xp.ones(3)
            for k in (1.0, 3.0):
                z, y = function(x, k)
                assert np.array_equal(np.asarray(y), np.full(3, k + 1)), y

        def interrupt(*_):
            raise KeyboardInterrupt

        use(0)
        sys.unraisablehook = lambda report: None
        signal.signal(signal.SIGALRM, interrupt)
        count, delay = 0, 1e-4
        while count < 80:
            delay = 1e-4 if delay > 2e-2 else delay * 1.07
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                for number in range(50):
                    use(number)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                count += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert recorder.get() is None
        use(1)
        xp.ones(3) + 1
        assert fields == [vars(ArrayBase)[name] for name in ("_library", "_native")]
        print(count)
    """
    assert python(code) == "80"


def test_within_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    new = float(time.time_ns())  # so that no earlier run has compiled this
    fused = accel.fuse(lambda x: x * new + new)
    step = Counted(machine_code._Machine.compiled, 1)
    monkeypatch.setattr(machine_code._Machine, "compiled", partialmethod(step))
    with pytest.raises(KeyboardInterrupt):
        fused(xp.ones(3))
    assert is_as_before()
    np.testing.assert_array_equal(host(fused(xp.ones(3))), np.full(3, new + new))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_within_a_long_launch(python: Any) -> None:
    """What was written stays, as of kernels; results are new, and right in the next call."""
    code = """
        import signal
        import numpy as np
        import accel
        from accel import xp

        @accel.fuse
        def function(x, out):
            y = xp.sin(x)
            z = xp.cumulative_sum(y)
            out[...] = xp.exp(-y * y) + z[-1] * 0
            return y, z

        def interrupt(*_):
            raise KeyboardInterrupt

        x = xp.linspace(0, 1, 3_000_000)
        out = xp.zeros_like(x)
        expected = [np.asarray(each).copy() for each in (*function(x, out), out)]
        signal.signal(signal.SIGALRM, interrupt)
        count = 0
        for number in range(60):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-3 * (number + 1))
                function(x, out)
                function(x, out)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                count += 1
            out[...] = 0
            found = (*function(x, out), out)
            assert all(map(np.array_equal, map(np.asarray, found), expected))
        print(count > 0)
    """
    assert python(code) == "True"


def test_in_a_thread_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread traces meanwhile: its trace goes on when this one is interrupted."""
    within, go = threading.Event(), threading.Event()
    weights, results = xp.ones(3), []

    @accel.fuse
    def slow(x: Any) -> Any:
        within.set()
        go.wait(30)
        return x * 2 + weights

    @accel.fuse
    def pressed(x: Any) -> Any:
        raise KeyboardInterrupt

    thread = threading.Thread(target=lambda: results.append(slow(xp.ones(3))))
    thread.start()
    within.wait(30)
    with pytest.raises(KeyboardInterrupt):
        pressed(weights)
    np.testing.assert_array_equal(host(weights + 1), np.full(3, 2.0))
    go.set()
    thread.join(30)
    np.testing.assert_array_equal(host(results[0]), np.full(3, 3.0))
    weights[0] = 7.0
    np.testing.assert_array_equal(host(slow(xp.ones(3))), [9.0, 3.0, 3.0])
    assert is_as_before()
