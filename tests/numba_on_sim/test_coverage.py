"""Coverage of kernels of numba.cuda: the lines of the Python file that threads took."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numba import cuda

import accel
from accel.testing import kernel_coverage, numba_cuda_on_sim

from .launching import launched

MODULE = """
    from numba import cuda


    @cuda.jit(device=True)
    def twice(a):
        if a > 3:
            return a * 2
        return a


    @cuda.jit
    def kernel(x, out, n):
        i = cuda.grid(1)
        if i >= n:
            return
        s = 0.0
        for j in range(4):
            if x[i] > 5:
                s += 1
            else:
                s += x[i]
        out[i] = twice(
            s
        )
"""
PROGRAM = """
    import numpy as np
    from accel.testing import numba_cuda_on_sim

    with numba_cuda_on_sim():
        from numba import cuda
        from kernels import kernel

        x, out = np.ones(40), np.zeros(40)
        kernel[1, 64](x, out, 40)
        cuda.synchronize()
        assert out.tolist() == [8] * 40
"""


def shifted(x, n):
    i = cuda.grid(1)  # 64
    if i < n:  # 64
        x[i] += 1  # 40
        for _ in range(3):  # 160
            x[i] += 2  # 120
    elif n < 0:  # 24
        x[0] = 0  # 0
    cuda.syncthreads()  # 64


@pytest.mark.parametrize("checks", ["none", "all"])
def test_each_line_has_the_count_that_it_says(checks):
    with accel.using(kernel_checks=checks), kernel_coverage() as coverage:
        [x] = launched(shifted, [1], [64], np.zeros(40), 40)
    assert x.tolist() == [7] * 40
    [file] = coverage.files
    with open(__file__) as source:  # noqa: PTH123
        text = dict(enumerate(source, 1))
    first = shifted.__code__.co_firstlineno
    expected = {
        number: int(line.rpartition("# ")[2])
        for number, line in text.items()
        if first < number < first + 9 and "# " in line
    }
    assert (file.file, {line: file.lines.get(line) for line in expected}) == (__file__, expected)


@pytest.mark.parametrize("branch", ["", "branch = true\n"])
@pytest.mark.slow
def test_coverage_py_shows_the_bodies_of_kernels(tmp_path, branch):
    settings = f'[tool.coverage.run]\nplugins = ["accel.testing.coverage"]\nsource = ["."]\n{branch}'
    (tmp_path / "pyproject.toml").write_text(settings)
    (tmp_path / "kernels.py").write_text(textwrap.dedent(MODULE).lstrip())
    (tmp_path / "run.py").write_text(textwrap.dedent(PROGRAM).lstrip())

    def run(*words):
        command = [sys.executable, "-m", "coverage", *words]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    run("run", "run.py")
    rows = {words[0]: words[1:] for words in map(str.split, run("report", "-m").splitlines()) if words}
    missing = [word.strip(",") for word in rows["kernels.py"][5 if branch else 3 :]]
    assert [word for word in missing if "->" not in word] == ["8", "19"]
    assert [word for word in missing if "->" in word] == []


def test_kernels_are_the_same_with_coverage():
    with numba_cuda_on_sim(), kernel_coverage() as coverage:
        [first] = launched(shifted, [1], [64], np.zeros(40), 40)
    [second] = launched(shifted, [1], [64], np.zeros(40), 40)
    assert first.tolist() == second.tolist()
    assert "end_of_record" in coverage.lcov()
