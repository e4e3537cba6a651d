"""Buffers that live until the interpreter's end are freed in silence, also after the modules are gone."""

import subprocess
import sys
import textwrap

# A module that was imported before accel is cleared after it, and then frees what it refers to.
PROGRAM = """
    import gc, sys
    from types import ModuleType
    early = sys.modules["early"] = ModuleType("early")
    from tests.cupy_backend.standin.process import install
    install("cuda")
    import accel, numpy as np
    from accel.backends.cupy import driver, staging
    there = accel.empty(100_000, device="cuda")
    there.copy_from_async(accel.container(np.arange(100_000.0)), stream=accel.new_stream("cuda")).wait()
    ring = accel.memory.heap_of(there.device).backend._copier._ring
    early.buffers = [pieces.popleft() for pieces in ring._buffers.values() if pieces]
    early.modules = [early, staging, driver]
    gc.freeze()
    print(len(early.buffers))
"""


def test_a_buffer_that_is_freed_after_its_module_says_nothing(root):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], check=False, cwd=root, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
