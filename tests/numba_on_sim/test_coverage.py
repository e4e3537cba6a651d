"""Coverage of kernels of numba.cuda: the lines of the Python file that threads took."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from coverage.parser import PythonParser
from numba import cuda

import accel
from accel.testing import kernel_coverage, numba_cuda_on_sim
from accel.testing.coverage_ways import arcs_of_python

from .covered_bodies import BODIES
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


def arcs_of_trace(function, x):
    """Return the arcs that Python takes through a function, called for each element."""
    code, arcs = function.__code__, set()

    def trace(frame, event, _):
        if frame.f_code is not code:
            return None
        if event in ("line", "return"):
            line = frame.f_lineno if event == "line" else -code.co_firstlineno
            arcs.add((before[0], line))
            before[0] = line
        return trace

    before, earlier = [0], sys.gettrace()
    for i in range(len(x)):
        before[0], out = -code.co_firstlineno, np.zeros_like(x)
        sys.settrace(trace)
        try:
            function(i, x, out)
        finally:
            sys.settrace(earlier)
    return {arc for arc in arcs if arc[0] != arc[1]}


def known_arcs(arc, known):
    """Return an arc, or the two that it is for coverage.py: Python jumps over ``while True``."""
    if arc in known:
        return {arc}
    [between] = [end for begin, end in known if begin == arc[0] and (end, arc[1]) in known]
    return {(arc[0], between), (between, arc[1])}


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
@pytest.mark.parametrize("values", ["few", "all"])
def test_the_ways_from_line_to_line_are_those_of_python(body, values):
    x = np.array([4, 4, 4], np.int64) if values == "few" else np.arange(10)[::-1].copy()
    device = cuda.jit(device=True)(body)

    def kernel(x, out):
        device(cuda.grid(1), x, out)

    with kernel_coverage() as coverage:
        out = launched(kernel, [1], [len(x)], x, np.zeros_like(x))[1]
    expected = np.zeros_like(x)
    for i in range(len(x)):
        body(i, x, expected)
    np.testing.assert_array_equal(out, expected)
    [file] = [each for each in coverage.files if each.file == body.__code__.co_filename]
    last = max(line for *_, line in body.__code__.co_lines() if line)
    arcs = {arc for arc in arcs_of_python(file) if body.__code__.co_firstlineno <= max(arc) <= last}
    parser = PythonParser(filename=file.file)
    parser.parse_source()
    python = {(parser.first_line(a), parser.first_line(b) if b > 0 else b) for a, b in arcs_of_trace(body, x) if a > 0}
    assert arcs == {each for arc in python if arc[0] != arc[1] for each in known_arcs(arc, parser.arcs())}


def test_branches_of_kernels_have_both_outcomes():
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            for j in range(3):
                out[i] += j

    with kernel_coverage() as coverage:
        launched(kernel, [1], [8], np.zeros(5, np.int64), np.zeros(5, np.int64))
    [file] = coverage.files
    first = kernel.__code__.co_firstlineno
    assert file.branches == {(first + 2, 0): (5, 3), (first + 3, 0): (15, 5)}
    assert f"BRDA:{first + 2},0,1,3\n" in coverage.lcov()


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
