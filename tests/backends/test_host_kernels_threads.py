"""The threads that kernels on the host share: how many there are, where none can be had, forks, and many launches."""

import sys
from textwrap import dedent

import pytest

from ..children import code_for_children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the tests count threads as Linux lists them")

PREPARED = """
    import os, random, resource, signal, sys, threading
    from pathlib import Path
    import numpy as np
    import accel

    from accel.dtypes import f32, i64
    from accel.kernels import accumulator, kernel

    signal.alarm(100)
    SIZE = 3_000_000

    @kernel
    def add(v, term: f32):
        for i in range(v.size):
            v[i] = v[i] + term

    @kernel
    def total(v):
        s = accumulator(f32, 0)
        for i in range(v.size):
            s += v[i]
        return s

    def tasks():
        return len(os.listdir("/proc/self/task"))

    def adds(times=1, size=SIZE):
        v = np.zeros(size, "float32")  # no container: copies have threads of their own
        for _ in range(times):
            add(v, 1.0)
        return bool((v == times).all())

    def limited(nbytes, work):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + nbytes, resource.RLIM_INFINITY))
        try:
            return work()
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
"""


@pytest.fixture
def printed(python, tmp_path):
    """A function that runs PREPARED and more code in a new process, and returns what it prints."""

    def run(code):
        script = tmp_path / "script.py"
        script.write_text(dedent(PREPARED) + code_for_children(100) + dedent(code))
        return python(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')")

    return run


def test_there_are_as_many_as_one_launch_may_use_and_no_more(printed):
    code = """
        accel.configure(threads=1)
        before = adds() and tasks()
        accel.configure(threads=4)
        print([adds(20) and tasks() - before for _ in range(3)])
    """
    *_, most = eval(printed(code))
    assert most in (3, 4)  # one more watches launches of the main thread that take long


def test_where_none_can_be_had_the_caller_does_all(printed):
    code = """
        accel.configure(threads=1)
        v = np.zeros(SIZE, "float32")
        add(v, 1.0)
        accel.configure(threads=4)
        before = tasks()
        limited(1 << 20, lambda: add(v, 1.0))
        print(bool((v == 2).all()), tasks() - before)
        add(v, 1.0)
        print(bool((v == 3).all()), tasks() > before)
    """
    assert printed(code) == "True 0\nTrue True"


def test_where_some_can_be_had_these_share_the_work(printed):
    code = """
        accel.configure(threads=1)
        v = np.zeros(SIZE, "float32")
        add(v, 1.0)
        accel.configure(threads=16)
        threading.stack_size(1 << 20)
        before = tasks()
        stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
        limited((4 * stack if 0 < stack < 1 << 30 else 32 << 20) + (1 << 21), lambda: add(v, 1.0))
        print(bool((v == 2).all()), 0 < tasks() - before < 15)
    """
    assert printed(code) == "True True"


def test_totals_do_not_depend_on_how_many_there_are(printed):
    code = """
        v = np.random.default_rng(0).random(SIZE, "float32")
        found = set()
        for threads in (1, 2, 3, 7):
            accel.configure(threads=threads)
            found.add(float(total(v)))
        print(len(found))
    """
    assert printed(code) == "1"


def test_threads_that_launch_at_once_have_helpers_of_their_own(printed):
    code = """
        accel.configure(threads=3)
        adds()
        right = []
        def launch(seed):
            draw = random.Random(seed)
            right.extend(adds(draw.randrange(1, 6), draw.choice((7, 300_000, SIZE))) for _ in range(12))
        threads = [threading.Thread(target=launch, args=(seed,)) for seed in range(6)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(len(right), all(right))
    """
    assert printed(code) == "72 True"


def test_they_sleep_when_there_is_nothing_to_do(printed):
    code = """
        accel.configure(threads=3)
        adds()
        own = threading.get_native_id()
        def states():
            return {
                Path(f"/proc/self/task/{task}/stat").read_text().rsplit(")", 1)[1].split()[0]
                for task in os.listdir("/proc/self/task") if int(task) != own
            }
        while states() != {"S"}:
            pass
        print(adds())
    """
    assert printed(code) == "True"


def test_a_child_of_a_fork_has_threads_of_its_own_and_so_has_its_child(printed):
    code = """
        accel.configure(threads=3)
        def work():
            return tasks() == 1 and adds(5) and tasks() > 1
        adds()
        print(in_child(work), in_child(lambda: in_child(work) == 0 and work()), adds())
    """
    assert printed(code) == "0 0 True"


def test_a_fork_in_the_midst_of_launches_by_other_threads_leaves_both_processes_working(printed):
    code = """
        accel.configure(threads=3)
        adds()
        over, right = threading.Event(), []
        def launch():
            while not over.is_set():
                right.append(adds(2, 400_000))
        threads = [threading.Thread(target=launch) for _ in range(3)]
        for thread in threads: thread.start()
        print([in_child(lambda: adds(3)) for _ in range(10)])
        over.set()
        for thread in threads: thread.join()
        print(all(right))
    """
    assert printed(code) == f"{[0] * 10}\nTrue"


def test_a_process_ends_while_they_look_for_work(printed):
    code = """
        from accel.backends.common.host_code import thread_pool
        thread_pool._SPINS = 2_000_000_000  # they look until the process is gone
        accel.configure(threads=3)
        print(adds())
    """
    for _ in range(2):
        assert printed(code) == "True"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_process_ends_in_the_midst_of_launches(printed, seed):
    code = f"""
        accel.configure(threads=4)
        draw = random.Random({seed})
        def launch():
            while True:
                adds(1, draw.choice((7, 300_000, SIZE)))
        for _ in range(3):
            threading.Thread(target=launch, daemon=True).start()
        adds(draw.randrange(1, 9))
        print("ends")
    """
    assert printed(code) == "ends"
