"""``CUDA_VISIBLE_DEVICES`` and ``devices=`` of the simulations of CuPy and of numba.cuda."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from accel.testing import cupy_on_sim, numba_cuda_on_sim
from accel.testing.visible_devices import visible_devices

from ..tables import rows

VARIABLE = "CUDA_VISIBLE_DEVICES"
needs_numba = pytest.mark.skipif(not find_spec("numba_cuda"), reason="needs the extra numba-cuda")


@rows(
    ["text", "numbers"],
    [
        (None, [0, 1, 2, 3]),
        ("", []),
        ("-1", []),
        ("2", [2]),
        ("3,0", [3, 0]),
        (" 1 , 2", [1, 2]),
        ("0,-1,1", [0]),
        ("0,9,1", [0]),
        ("1,GPU-0,2", [1]),
        ("0,,1", [0]),
        ("1,1", []),
        ("2x,+1", [2, 1]),
    ],
)
def test_devices_are_visible_as_in_cuda(text, numbers):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, text) if text is not None else patch.delenv(VARIABLE, raising=False)
        assert [device.index for device in visible_devices()] == numbers


def test_the_variable_chooses_among_as_many_as_there_are(monkeypatch):
    monkeypatch.setenv(VARIABLE, "1,2")
    assert [device.index for device in visible_devices(2)] == [1]
    with pytest.raises(ValueError, match="0 to 4 simulated devices; found devices=5"):
        visible_devices(5)


def test_numbers_of_cupy_are_those_of_visible_devices(monkeypatch):
    monkeypatch.setenv(VARIABLE, "2,1")
    with cupy_on_sim() as cp:
        assert cp.cuda.runtime.getDeviceCount() == 2
        assert cp.ones(2).device.index == 2
        with cp.cuda.Device(1) as device:
            assert (device.id, cp.cuda.runtime.getDevice(), cp.cuda.get_device_id()) == (1, 1, 1)
            assert cp.ones(2).device.index == 1
        assert cp.cuda.Device().id == 0
        with pytest.raises(RuntimeError, match=r"cudaErrorInvalidDevice.*there are 2"):
            cp.cuda.Device(2).use()


@pytest.mark.parametrize("options", [{"devices": 0}, {}])
def test_cupy_without_a_device_is_not_available(monkeypatch, options):
    if not options:
        monkeypatch.setenv(VARIABLE, "-1")
    with cupy_on_sim(**options) as cp:
        assert not cp.is_available()
        assert not cp.cuda.is_available()
        for use in (lambda: cp.zeros(2), lambda: cp.array([1]), lambda: cp.ndarray(2), cp.cuda.runtime.getDeviceCount):
            with pytest.raises(RuntimeError, match="cudaErrorNoDevice"):
                use()


def test_a_device_that_is_hidden_is_refused(monkeypatch):
    monkeypatch.setenv(VARIABLE, "2")
    with pytest.raises(ValueError, match=r"hides it; visible are: sim:2"), cupy_on_sim("sim:1"):
        pass


def test_a_block_inside_another_has_its_own_devices():
    with cupy_on_sim(devices=3) as outer, cupy_on_sim(devices=2) as inner:
        assert inner.cuda.runtime.getDeviceCount() == outer.cuda.runtime.getDeviceCount() == 2


@needs_numba
def test_numbers_of_numba_are_those_of_visible_devices(monkeypatch):
    with numba_cuda_on_sim() as cuda:
        assert [str(each.name).split()[-1] for each in cuda.list_devices()] == ["0", "1", "2", "3"]
    with numba_cuda_on_sim(devices=3) as cuda:
        monkeypatch.setenv(VARIABLE, "2,0")  # read at the first use, as by CUDA's driver
        assert [device.id for device in cuda.list_devices()] == [0, 1]
        names = []
        for gpu in cuda.gpus:
            with gpu:
                names.append(cuda.get_current_device().name)
                array = cuda.to_device(np.arange(3))
                assert cuda.current_context().device.id == gpu.id
                np.testing.assert_array_equal(array.copy_to_host(), np.arange(3))
        assert [str(name).split()[-1] for name in names] == ["2", "0"]
        with pytest.raises(IndexError):
            cuda.select_device(2)


@needs_numba
def test_numba_without_a_device_is_not_available(monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    with numba_cuda_on_sim() as cuda:
        from numba.cuda.cudadrv.error import CudaSupportError

        assert not cuda.is_available()
        with pytest.raises(CudaSupportError, match="NO_DEVICE"):
            cuda.to_device(np.arange(3))
    monkeypatch.delenv(VARIABLE)
    with numba_cuda_on_sim(devices=1) as cuda:
        assert cuda.is_available()
        assert len(cuda.gpus) == 1
        np.testing.assert_array_equal(cuda.to_device(np.arange(3)).copy_to_host(), np.arange(3))


@needs_numba
def test_a_block_of_numba_inside_another_has_its_devices():
    with numba_cuda_on_sim(devices=2), numba_cuda_on_sim(), numba_cuda_on_sim(devices=2) as cuda:
        assert len(cuda.gpus) == 2
        with pytest.raises(RuntimeError, match="inside of a block with devices=2"), numba_cuda_on_sim(devices=3):
            pass


PROGRAM = """
import multiprocessing, os
from accel.testing import cupy_on_sim

def seen():
    import cupy
    return cupy.cuda.runtime.getDeviceCount(), cupy.ones(1).device.index

if __name__ == "__main__":
    with cupy_on_sim(devices=3):
        os.environ["CUDA_VISIBLE_DEVICES"] = "2,1"
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.apply(seen))
"""


def test_processes_see_what_the_variable_says_when_they_begin(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=200, check=False)
    assert done.stdout == "(2, 2)\n", done.stderr
