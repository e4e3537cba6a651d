"""Which variant of the copies' kernels is chosen by measuring, and how that is remembered."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from accel.backends.common import fastest
from accel.backends.common.variants import USUAL, VARIANTS

import accel

OTHER = VARIANTS[1]

# The first copy of the process; `measured` waits until the kernels have been measured, and returns those of float32.
PREPARED = """
    import os, signal, sys, threading
    import numpy as np
    import accel
    from accel.backends.common import compiled, fastest, thresholds
    from accel.backends.common.blocks import Block
    from accel.backends.common.variants import USUAL, VARIANTS
    from accel.layout import Layout
    from accel.support.background import BACKGROUND

    thresholds.AT_ONCE = 0
    begun, go_on, calls = threading.Event(), threading.Event(), []
    side = 256
    source = accel.container(np.arange(side * side, dtype="float32"))

    def slowly():
        calls.append(1)
        begun.set()
        assert go_on.wait(60)
        return VARIANTS[1]

    fastest._measured = slowly

    def right():
        target = accel.zeros(side * side, "float32")
        columns, rows = Layout((side, side), (1, side)), Layout((side, side), (side, 1))
        accel.LayoutTensor(target, columns).copy_from(accel.LayoutTensor(source, rows))
        return np.array_equal(target.to_numpy().reshape(side, side).T, source.to_numpy().reshape(side, side))

    def kernels():
        return [made for made in compiled._kernels.values() if made]
"""


@pytest.fixture
def printed(tmp_path):
    """A function that runs PREPARED and more code in a new process with a cache of its own; returns what it prints."""

    def run(code):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(PREPARED) + textwrap.dedent(code)],
            check=False,
            capture_output=True,
            text=True,
            timeout=100,
            env={**os.environ, "ACCEL_CACHE_DIR": str(tmp_path)},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.fixture
def times(monkeypatch, tmp_path):
    """A function that sets what the measurements find, each twice: the time of each variant as part of the usual one's.

    It returns the list of those that were not asked for.
    """
    monkeypatch.setattr(fastest, "_rivals", lambda *_: ())
    monkeypatch.setattr(fastest, "_size", lambda: 1)

    def set_times(*rounds):
        left = [each for each in rounds for _ in fastest._SHAPES]
        monkeypatch.setattr(fastest, "_times", lambda _: left.pop(0))
        return left

    with accel.using(cache_dir=str(tmp_path)):
        yield set_times


@pytest.mark.parametrize(
    ("rounds", "chosen"),
    [
        ([(1, 2, 3, 4, 5)], USUAL),
        ([(1, 0.97, 1.2, 0.98, 1)], USUAL),  # by chance
        ([(1, 0.5, 0.8, 2, 0.9)] * 2, VARIANTS[1]),
        ([(1, 2, 2, 2, 0.7)] * 2, VARIANTS[4]),
        ([(1, 0.5, 2, 2, 2), (1, 2, 2, 2, 2)], USUAL),  # not a second time
    ],
)
def test_the_fastest_is_remembered(times, rounds, chosen):
    left = times(*rounds)
    assert fastest.remembered() is None
    assert fastest.measured() == chosen
    assert fastest.remembered() == chosen
    assert left == []


def test_what_is_damaged_is_measured_again(times):
    times(*[(1, 2, 2, 2, 2)] * 2)
    fastest.measured()
    file = fastest._file()
    file.write_text("no number")
    os.utime(file, (0, 0))
    assert fastest.remembered() is None
    assert fastest.measured() == fastest.remembered() == USUAL


def test_nothing_is_measured_while_another_process_does(times):
    left = times((1, 0.5, 2, 2, 2))
    assert fastest._is_first(fastest._file())
    assert fastest.measured() == USUAL
    assert left
    assert fastest.remembered() is None


def test_nothing_is_measured_where_nothing_can_be_remembered(times, tmp_path):
    file = tmp_path / "file"
    file.touch()
    left = times((1, 0.5, 2, 2, 2))
    for folder in (str(file), "/proc/nothing", "~nobody-of-this-name/cache"):
        with accel.using(cache_dir=folder):
            assert fastest.measured() == USUAL
    assert left


def test_what_is_measured_copies_a_matrix_wherever_it_is_in_memory():
    for target_skew, source_skew in ((0, 0), (0, 16), (16, 16)):
        bases = [np.zeros((1 << 22) + 128, np.uint8) for _ in range(2)]
        starts = [-base.ctypes.data % 64 + skew for base, skew in zip(bases, (target_skew, source_skew), strict=True)]
        into, out_of = (base[start : start + (1 << 22)] for base, start in zip(bases, starts, strict=True))
        out_of[:] = np.random.default_rng(0).integers(1, 256, 1 << 22)
        for part in fastest._rivals(into, out_of, 1, 1 << 13)[0]:
            part()
        assert np.array_equal(into.reshape(1 << 13, -1), out_of.reshape(-1, 1 << 13).T)
        assert np.count_nonzero(bases[0]) == 1 << 22


def test_a_measurement_tells_the_times_of_all_variants(monkeypatch):
    monkeypatch.setattr(fastest, "_MOST", 1 << 22)
    times = []
    measure = fastest._times
    monkeypatch.setattr(fastest, "_times", lambda rivals: times.append(measure(rivals)) or times[-1])
    assert fastest._measured() in VARIANTS
    assert [len(each) for each in times] == [len(VARIANTS)] * len(fastest._SHAPES)
    assert all(0 < each < 60 for row in times for each in row)


def test_kernels_are_replaced_by_faster_ones_and_later_processes_begin_with_these(printed):
    code = """
        print(right(), begun.wait(60), compiled._variant)
        before = kernels()
        go_on.set()
        print(BACKGROUND.wait(60), compiled._variant == VARIANTS[1], right(), len(kernels()), kernels() == before)
    """
    assert printed(code) == "True True None\nTrue True True 1 False"
    assert printed("print(right(), compiled._variant == VARIANTS[1], calls)") == "True True []"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_waits_for_the_measurement_and_the_child_copies(printed):
    code = """
        assert right() and begun.wait(60)
        threading.Timer(0.05, go_on.set).start()
        child = os.fork()
        if not child:
            signal.alarm(60)
            os._exit(0 if right() and len(kernels()) == 1 and compiled._variant == VARIANTS[1] else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), right())
    """
    assert printed(code) == "0 True"


def test_a_process_ends_while_it_measures(printed):
    code = """
        assert right() and begun.wait(60)
        threading.Timer(0.05, go_on.set).start()
        print("end")
    """
    assert printed(code) == "end"
    assert printed("print(right(), compiled._variant == VARIANTS[1])") == "True True"
