"""Coverage of kernels in Python on simulated devices: the lines that Python itself takes through the same functions."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from coverage.parser import PythonParser

import accel
from accel import xp
from accel.testing import kernel_coverage

from . import counted_kernels
from .counted_kernels import KERNELS, halves

PROGRAM = """
    from accel import xp
    from kernels import clip

    x = xp.ones(4, dtype="float32", device="sim")
    clip(x)
    assert x.tolist() == [1, 1, 1, 1]
"""
MODULE = """
    import accel


    @accel.kernel
    def clip(x):
        for i in range(len(x)):
            if x[i] < 0:
                x[i] = 0
"""


def lines_of_python(function, *arguments):
    """Return the lines of the module that Python takes."""
    lines = set()

    def trace(frame, event, _):
        if frame.f_code.co_filename != counted_kernels.__file__:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("sign", "steps"):
            patch.setattr(counted_kernels, name, getattr(counted_kernels, name).__wrapped__)
        sys.settrace(trace)
        try:
            function(*arguments)
        finally:
            sys.settrace(before)
    parser = PythonParser(filename=counted_kernels.__file__)
    parser.parse_source()
    return parser.first_lines(lines)


def taken_by(launch):
    """Return the lines of the module that threads take."""
    with kernel_coverage() as coverage:
        launch().wait()
    [file] = [each for each in coverage.files if each.file == counted_kernels.__file__]
    return {line for line, count in file.lines.items() if count}


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("values", [[1, 2, 3, 7], [5], [2000], [4, 4]])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_lines_are_those_that_python_takes(kernel, values, debug):
    x = np.array(values)
    out, on_device = np.zeros_like(x), xp.zeros(len(x), dtype=x.dtype, device="sim")
    expected = lines_of_python(kernel.__wrapped__, x, out)
    with accel.using(debug=debug):
        kernel(xp.asarray(x, device="sim"), on_device)  # compiled without counters before
        assert taken_by(lambda: kernel(xp.asarray(x, device="sim"), on_device)) == expected
    assert on_device.tolist() == out.tolist()


def test_every_iteration_is_counted_however_many_there_are():
    x = xp.ones(5000, dtype="int64", device="sim")
    with kernel_coverage() as coverage:
        KERNELS[2](x, xp.zeros(5000, dtype="int64", device="sim")).wait()
    [file] = coverage.files
    assert max(file.lines.values()) == 5000
    assert 0 in file.lines.values()
    assert f"SF:{counted_kernels.__file__}" in coverage.lcov()


def test_threads_of_a_grid_are_counted():
    with kernel_coverage() as coverage:
        halves.on(grid=1, block=8)(xp.ones(8, dtype="int64", device="sim")).wait()
    [file] = coverage.files
    assert [*file.lines.values()] == [8, 8, 8, 8, 8, 4, 4, 0]


@pytest.mark.parametrize("branch", [False, True])
def test_the_body_is_taken_in_the_data_of_coverage(tmp_path, branch):
    (tmp_path / "kernels.py").write_text(textwrap.dedent(MODULE))
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    (tmp_path / ".coveragerc").write_text(
        f"[run]\nplugins = accel.testing.coverage\nbranch = {branch}\nsource = .\n[report]\nshow_missing = true\n"
    )
    command = [sys.executable, "-m", "coverage"]
    subprocess.run([*command, "run", "program.py"], cwd=tmp_path, check=True)
    report = subprocess.run([*command, "report"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    [line] = [each for each in report.splitlines() if each.startswith("kernels.py")]
    assert line.split()[1:3] == ["6", "1"]
    assert line.split()[-1] == "9"
