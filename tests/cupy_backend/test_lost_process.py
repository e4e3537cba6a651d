"""A process that loses a device says so, goes on without it, and ends in silence."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import sys
    from tests.cupy_backend.standin.process import install
    machine = install(sys.argv[1])
    import accel, numpy as np
    from accel import xp
    from accel.errors import DeviceLostError
    from accel.memory import heap_of

    device = accel.Device("gpu")
    host, stream = accel.full(1000, 5.0), accel.new_stream(device)
    filled, staged = accel.full(1000, 1.0, device=device), accel.container(np.arange(100_000.0), device=device)
    lent, computed = xp.asarray(filled), xp.asarray(staged) + 1
    pinned = accel.memory.pinned(1000, device=device)
    with stream:
        transfer = filled.copy_from_async(host, stream=stream)
        elsewhere = computed + 1
    buffer = filled.storage.get_buffer()
    machine.lose(0)
    for work in (
        filled.to_numpy,
        lambda: staged.copy_from_async(accel.zeros(100_000), stream=stream).wait(),
        lambda: accel.zeros(1000, device=device),
        lambda: float(xp.sum(computed)),
        lambda: accel.RawKernel.from_source('extern "C" __global__ void nothing() {}')(grid=1),
        heap_of(device).synchronize,
    ):
        try:
            work()
        except DeviceLostError:
            print("lost", end=" ")
    print(set(host.to_numpy().tolist()), accel.zeros(3, device=device.type + ":1").to_numpy().tolist())
"""


@pytest.mark.parametrize("flavour", ["cuda", "hip"])
def test_a_process_goes_on_without_a_device_that_it_lost_and_ends(root, flavour):
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), flavour]
    done = subprocess.run(command, check=False, cwd=root, capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stdout, done.stderr) == (0, "lost " * 6 + "{5.0} [0.0, 0.0, 0.0]\n", "")
