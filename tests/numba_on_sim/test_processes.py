import os
import subprocess
import sys

PROGRAM = """
import multiprocessing
import numpy as np
from numba import cuda


@cuda.jit("(i8[:],)")
def double(x):
    x[cuda.grid(1)] *= 2


def doubled(device, threads):
    with cuda.gpus[device]:
        x = cuda.to_device(np.arange(4))
        double[1, threads](x)
        return x.copy_to_host().tolist()


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.starmap(doubled, [(0, 4), (3, 4)]))
        pool.starmap(doubled, [(1, 5)])
"""


def test_processes_of_a_pool_have_simulated_devices_and_checks(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    words = [sys.executable, "-m", "accel.numba_cuda", str(path)]
    settings = {**os.environ, "ACCEL_KERNEL_CHECKS": "memory"}
    done = subprocess.run(words, capture_output=True, text=True, env=settings, timeout=200, check=False)
    assert done.stdout == "[[0, 2, 4, 6], [0, 2, 4, 6]]\n", done.stderr
    assert "KernelMemoryError" in done.stderr
    assert done.returncode == 1
