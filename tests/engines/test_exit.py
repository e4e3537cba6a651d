"""A program that ends with tasks in flight: they are finished, as streams are."""

import subprocess
import sys

PROGRAM = """
import time
import numpy as np
import accel
from accel.engines import InOut, Input, engine, task
from accel.store import create_store, from_array

@task
def add_one(x: InOut):
    time.sleep(0.02)
    x.span_read_write_accessor()[...] += 1

@task
def show(x: Input):
    print(x.span_read_accessor().tolist(), flush=True)

@task
def outer(x: Input):
    inner = create_store("int8", (2,))
    inner.fill(7)
    add_one(inner)
    show(inner).wait()

array = np.zeros(3)
store = from_array(array, read_only=False)
with accel.using(threads=THREADS), engine("threads").using(inline=False):
    for _ in range(5):
        add_one(store)
    show(store)
    outer(store)
"""


def test_tasks_in_flight_are_finished_at_exit_also_those_that_wait_for_others():
    for threads in 1, 4:
        program = PROGRAM.replace("THREADS", str(threads))
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout.splitlines() == ["[5.0, 5.0, 5.0]", "[8, 8]"]
        assert done.stderr == ""
