"""Only devices that are used have a context: each takes some hundred megabytes of its device, in each process."""

import ast
import textwrap

import pytest

BEGIN = """
import sys, threading
sys.path.insert(0, ".")
import numpy as np
import accel
from accel import xp
from accel.memory import trim
from tests.real_cupy.fake_driver import FakeDriver

driver = FakeDriver()

def in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""

# What uses one device only. None of it uses device 0.
WORK = {
    "zeros": 'accel.zeros(4, device="cuda:2")',
    "copies": """
        there = accel.from_numpy(np.arange(100_000.0)).to("cuda:2")
        there[10:20] = 7
        assert there.to_numpy()[15] == 7
        rows = accel.layout.row_major(1000, 100)
        source, target = (accel.LayoutTensor(each, rows) for each in (there, accel.zeros(100_000, device="cuda:2")))
        target.copy_from(source)
        accel.zeros(100_000, device="cuda:2").view(rows).transpose().copy_from(source.transpose())
    """,
    "streams": """
        stream, there = accel.new_stream("cuda:2", timed=True), accel.zeros(1000, device="cuda:2")
        transfer = accel.zeros(1000).copy_from_async(there, stream=stream)
        in_a_thread(transfer.done)
        in_a_thread(transfer.wait)
        assert transfer.seconds > 0
        stream.close()
    """,
    "addresses": """
        there = accel.zeros(4, "float64", device="cuda:2")
        def wrap():
            try:
                accel.HostStorage(there.device_ptr(), 4, "float64")
            except accel.errors.DeviceMismatchError:
                return
            raise SystemExit("memory of a device was taken for the host's")
        in_a_thread(wrap)
        wrap()
    """,
    "pinned memory": 'accel.zeros(1000, device="cuda:2").to_numpy()',
    "what is freed in another thread": """
        there = [accel.zeros(4, device="cuda:2")]
        in_a_thread(there.clear)
    """,
    "arrays": """
        x = xp.sum(xp.ones((10, 10), device="cuda:2") * 2, axis=0)
        x += xp.arange(10, device="cuda:2")
    """,
    "kernels": """
        kernel = accel.RawKernel.from_source('extern "C" __global__ void one(float* x) { x[threadIdx.x] = 1; }')
        x = accel.zeros(8, "float32", device="cuda:2")
        kernel(x, grid=1, block=8)
        in_a_thread(lambda: kernel(x, grid=1, block=8))
        assert set(x.to_numpy()) == {1}
    """,
    "memory that goes back": 'accel.zeros(1 << 20, device="cuda:2").release(); trim()',
    "questions": """
        for device in accel.Device.available("cuda"):
            accel.memory.heap_of(device).backend.limits(device)
        trim()
    """,
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_no_other_device_has_one(python_on_the_driver, work):
    program = f"{BEGIN}\n{textwrap.dedent(work)}\nprint(driver.contexts(4))\n"
    used = [] if work == WORK["questions"] else [2]
    assert ast.literal_eval(python_on_the_driver(program, FAKE_GPUS="4")) == used


CURRENT = """
import cupy
runtime = cupy.cuda.runtime

def use(index):
    x, y = accel.zeros(4, device=f"cuda:{index}"), accel.zeros(4, device="cuda:3")
    x.copy_from(y)
    xp.ones(10, device=f"cuda:{index}") * 2

seen = []
def fresh():
    use(2)
    seen.append((runtime.getDevice(), cupy.cuda.driver.ctxGetCurrent()))
    assert float(xp.sum(xp.ones(3, device="cuda:2"))) == 3  # CuPy sets the device to copy a number
    seen.append(cupy.zeros(3).device.id)
    use(2)
    seen.append((runtime.getDevice(), cupy.cuda.driver.ctxGetCurrent() != 0))

def chosen():
    cupy.cuda.Device(1).use()
    context = cupy.cuda.driver.ctxGetCurrent()
    use(2)
    use(1)
    seen.append((runtime.getDevice(), cupy.cuda.driver.ctxGetCurrent() == context))

in_a_thread(fresh)
in_a_thread(chosen)
print(seen)
"""


def test_a_thread_keeps_the_device_and_the_context_that_it_has(python_on_the_driver):
    seen = ast.literal_eval(python_on_the_driver(BEGIN + CURRENT, FAKE_GPUS="4"))
    assert seen == [(0, 0), 0, (0, True), (1, True)]


def test_a_copy_between_devices_enables_no_access_between_them(python_on_the_driver):
    """It would last to the end of the process, and each later allocation would be mapped into the other device."""
    program = """
        there = accel.from_numpy(np.arange(1000.0)).to("cuda:1").to("cuda:0")
        assert (there.to_numpy() == np.arange(1000)).all()
        print("cudaMemcpyPeerAsync" in driver.counts(), "cudaDeviceEnablePeerAccess" in driver.counts())
    """
    assert python_on_the_driver(BEGIN + textwrap.dedent(program), FAKE_COUNT="1") == "True False\n"
