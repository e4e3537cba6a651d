"""Tasks at the end of the process, and in the child of a fork."""

import textwrap

import pytest

PROGRAM = """
    import os, signal, sys, time
    import numpy as np
    from accel.engines import InOut, engine, task
    from accel.store import create_store

    @task
    def slow(x: InOut):
        time.sleep(0.05)
        x.span_read_write_accessor()[...] += 1
        os.write(1, f"{x.span_read_accessor()[0]:.0f}\\n".encode())  # in one step: two processes write

    x = create_store("float64", (2,))
    x.fill(0)
"""


def test_tasks_that_were_submitted_are_finished_at_exit(python):
    ran = python(textwrap.dedent(PROGRAM) + "slow(x)\nslow(x)\n")
    assert ran.split() == ["1", "2"]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_the_child_of_a_fork_has_threads_of_its_own_and_refuses_to_wait_for_works_of_its_parent(python):
    child = textwrap.dedent("""
        y = create_store("float64", (2,))
        y.fill(5)
        future = slow(x)
        child = os.fork()
        if not child:
            try:
                future.wait()
            except RuntimeError as error:
                os.write(1, b"refused\\n" if "before a fork" in str(error) else b"another error\\n")
            slow(y).wait()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        future.wait()
    """)
    ran = python(textwrap.dedent(PROGRAM) + child)
    assert sorted(ran.split()) == ["1", "6", "refused"]
