import gc
import os
import subprocess
import sys
import threading
from importlib import util

import numpy as np
import pytest
from numba import cuda

import accel
from accel.errors import KernelMemoryError
from accel.memory import heap_of
from accel.testing import numba_cuda_on_sim
from accel.testing.numba_simulation import context
from accel.testing.simulation import in_use


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def beyond(x):
    x[cuda.grid(1)] = 1


pytestmark = pytest.mark.filterwarnings("ignore:Grid size")


def doubled():
    array = cuda.to_device(np.arange(5.0))
    double[1, 32](array)
    return array.copy_to_host()


def test_it_is_usable_twice_and_inside_of_itself():
    for _ in range(2):
        with numba_cuda_on_sim():
            np.testing.assert_array_equal(doubled(), 2 * np.arange(5))
            with numba_cuda_on_sim():
                np.testing.assert_array_equal(doubled(), 2 * np.arange(5))
            np.testing.assert_array_equal(doubled(), 2 * np.arange(5))


def state():
    """What the block replaces."""
    import cuda.core
    from cuda.bindings import driver as bindings
    from numba.cuda import codegen, dispatcher
    from numba.cuda.cudadrv import devicearray, devices, driver, nvrtc, nvvm

    places = (bindings, cuda.core, driver, dispatcher, devicearray, nvrtc, nvvm, codegen.CUDACodeLibrary)
    places += (devicearray.DeviceNDArrayBase, devices)
    return [dict(vars(place)) for place in places], dict(vars(driver.driver))


def test_all_is_restored():
    with numba_cuda_on_sim():
        doubled()
    before = state()
    available = cuda.is_available()
    with numba_cuda_on_sim():
        doubled()
        assert cuda.is_available()
    assert state() == before
    assert cuda.is_available() == available
    assert not hasattr(accel.zeros(3, device="sim"), "__cuda_array_interface__")


def test_arrays_streams_and_events_may_outlive_the_block(capfd):
    with numba_cuda_on_sim():
        kept = [cuda.to_device(np.zeros(10)), cuda.stream(), cuda.event()]
        mapped, managed, pinned = cuda.mapped_array(3), cuda.managed_array(3), cuda.pinned_array(3)
        for array in (mapped, managed, pinned):
            array[:] = 4
    for array in (mapped, managed, pinned):
        assert (np.asarray(array) == 4).all()
    del kept, mapped, managed, pinned, array
    gc.collect()
    assert capfd.readouterr().err == ""


def test_memory_that_outlives_the_block_is_released_with_its_last_reference():
    heap = heap_of(accel.Device("sim"))
    used = in_use(heap)
    with numba_cuda_on_sim():
        kept = [cuda.to_device(np.zeros(10)), cuda.managed_array(3)]
        doubled()
    assert in_use(heap) > used
    del kept
    assert in_use(heap) == used


def test_memory_is_released_at_the_end_though_an_error_leaves_the_block():
    heap = heap_of(accel.Device("sim"))
    used = in_use(heap)
    with pytest.raises(ZeroDivisionError), numba_cuda_on_sim():  # noqa: PT012
        double[1, 32](cuda.to_device(np.zeros(10)))
        raise ZeroDivisionError
    assert in_use(heap) == used


def test_work_in_flight_is_run_at_the_end_and_its_errors_are_raised():
    with pytest.raises(KernelMemoryError, match="in kernel beyond"), numba_cuda_on_sim():  # noqa: PT012
        beyond[1, 64](cuda.device_array(3))
        cuda.is_available()


def test_threads_share_the_devices():
    results = []

    def run(number):
        with numba_cuda_on_sim():
            results.extend((doubled() == 2 * np.arange(5)).all() for _ in range(3))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 12


def test_a_missing_package_is_named(monkeypatch):
    find = util.find_spec
    monkeypatch.setattr(context, "find_spec", lambda name: None if name == "numba_cuda" else find(name))
    with pytest.raises(ModuleNotFoundError, match=r"pip install .accel-container\[numba-cuda\]"), numba_cuda_on_sim():
        pass


def test_its_own_simulator_is_refused():
    program = "from accel.testing import numba_cuda_on_sim\nwith numba_cuda_on_sim(): pass"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
    )
    assert "NUMBA_ENABLE_CUDASIM=1: unset it" in ended.stderr


def test_a_gpu_in_use_is_refused(monkeypatch):
    from numba.cuda.cudadrv import driver

    monkeypatch.setattr(driver.driver, "pid", 1)
    with pytest.raises(RuntimeError, match=r"already used a GPU .* python -m accel\.numba_cuda"), numba_cuda_on_sim():
        pass


PROGRAM = """
import sys
import numpy as np
from numba import cuda

@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size or len(sys_argv) > 1:
        x[i] *= 2

sys_argv = tuple(sys.argv)[1:]
x = cuda.to_device(np.arange(5.0))
double[1, 32](x)
print(x.copy_to_host(), sys.argv[1:])
"""


class TestScript:
    def run(self, tmp_path, *words):
        file = tmp_path / "program.py"
        file.write_text(PROGRAM.replace("len(sys_argv) > 1", str("beyond" in words)))
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "accel.numba_cuda", *words],
            check=False,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    @pytest.mark.parametrize("program", [("program.py",), pytest.param(("-m", "program"), marks=pytest.mark.slow)])
    def test_a_program_runs_with_its_arguments(self, tmp_path, program):
        ended = self.run(tmp_path, *program, "a", "b")
        assert ended.stdout == "[0. 2. 4. 6. 8.] ['a', 'b']\n", ended.stderr

    def test_what_kernels_do_wrong_is_its_error(self, tmp_path):
        ended = self.run(tmp_path, "program.py", "beyond")
        assert ended.returncode == 1
        assert "KernelMemoryError: out of bounds in kernel double" in ended.stderr

    @pytest.mark.parametrize("words", [("--help",), ("missing.py",)])
    def test_without_a_program_its_usage_is_shown(self, tmp_path, words):
        ended = self.run(tmp_path, *words)
        assert ended.returncode == 1
        assert "usage: python -m accel.numba_cuda" in ended.stderr
