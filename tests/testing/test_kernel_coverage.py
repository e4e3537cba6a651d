"""Which lines of kernels are taken, in the format of lcov and in the data of coverage.py."""

import subprocess
import sys
from pathlib import Path

import pytest

from accel.support.report_files.lcov import FileCoverage, lcov, merged_coverage

SUMS = """\
extern "C" __global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[128];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int by = blockDim.x / 2; by > 0; by /= 2) {
        if (t < by)
            part[t] += part[t + by];
        __syncthreads();
    }
    if (n < 0)
        sums[0] = -1;
    if (t == 0) sums[blockIdx.x] = part[0];
}
"""
TESTS = """
    import accel
    import pytest
    from accel import RawKernel, xp

    TEXT = r'''
    extern "C" __global__ void set(float* x) {
        x[threadIdx.x] = 1;
        if (x[0] < 0) x[0] = 0;
    }
    '''

    @pytest.mark.parametrize("turn", range(3))
    def test_sums(turn):
        x, sums = xp.ones(300, dtype="float32", device="sim"), xp.zeros(3, dtype="float32", device="sim")
        RawKernel.from_file("sums.cu")(x, sums, 300, grid=3, block=128).wait()
        assert sums.tolist() == [128, 128, 44]

    def test_set():
        RawKernel.from_source(TEXT)(xp.zeros(4, dtype="float32", device="sim"), grid=1, block=4).wait()

    def test_made():
        text = TEXT.replace("set", "also_set") + "// made\\n"
        RawKernel.from_source(text)(xp.zeros(4, dtype="float32", device="sim"), grid=1, block=4).wait()
"""
COVERAGE = '[tool.coverage.run]\nplugins = ["accel.testing.coverage"]\n'


def test_a_file_in_the_format_of_lcov():
    file = FileCoverage("a.cu", "", {3: 5, 4: 0}, {(3, 0): (0, 5), (3, 1): (0, 0)})
    assert lcov([file]).split() == [
        "TN:", "SF:a.cu", "BRDA:3,0,0,0", "BRDA:3,0,1,5", "BRDA:3,1,0,-", "BRDA:3,1,1,-", "BRF:4", "BRH:1",
        "DA:3,5", "DA:4,0", "LF:2", "LH:1", "end_of_record",
    ]  # fmt: skip
    assert FileCoverage.from_json(file.json()) == file
    [both] = merged_coverage([file, FileCoverage("a.cu", "", {4: 1, 5: 2}, {(3, 0): (1, 0)})])
    assert both.lines == {3: 5, 4: 1, 5: 2}
    assert both.branches == {(3, 0): (1, 5), (3, 1): (0, 0)}


@pytest.mark.parametrize("workers", [(), ("-n2",)])
@pytest.mark.slow
def test_pytest_writes_what_all_tests_took(tmp_path, project, workers):
    (tmp_path / "sums.cu").write_text(SUMS)
    project(TESTS, "5 passed", "--accel-coverage=lcov:out/kernels.info", *workers)
    records = {record.split("\n")[0]: record for record in (tmp_path / "out/kernels.info").read_text().split("SF:")[1:]}
    made, sums, test = sorted(records, key=lambda name: (name.endswith("test_it.py"), name.endswith("sums.cu")))
    assert (sums, test) == (str(tmp_path / "sums.cu"), str(tmp_path / "test_it.py"))
    for line in (
        "DA:4,1152",
        "DA:8,1143",
        "DA:11,1152",
        "DA:12,0",
        "BRDA:11,0,0,0",
        "BRDA:11,0,1,1152",
        "LF:10",
        "LH:9",
    ):
        assert f"\n{line}\n" in records[sums]
    at = (tmp_path / "test_it.py").read_text().split("\n").index("    x[threadIdx.x] = 1;") + 1
    assert f"\nDA:{at},4\nDA:{at + 1},4\n" in records[test]
    assert made.startswith(str(tmp_path / "out/kernels.info.sources"))
    assert "also_set" in Path(made).read_text()


def test_another_format_is_refused(tmp_path):
    command = [sys.executable, "-m", "pytest", "--accel-coverage=xml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "--accel-coverage=xml: write lcov:FILE" in done.stderr) == (4, True)


@pytest.mark.parametrize(
    ("branch", "row"),
    [("", ["10", "1", "90%", "12"]), ("branch = true\n", ["10", "1", "8", "1", "89%", "11->exit,", "12"])],
)
@pytest.mark.slow
def test_coverage_py_reports_files_of_kernels(tmp_path, branch, row):
    (tmp_path / "pyproject.toml").write_text(COVERAGE + branch)
    (tmp_path / "sums.cu").write_text(SUMS)
    (tmp_path / "run.py").write_text(
        "from accel import RawKernel, xp\n"
        "x, sums = xp.ones(300, dtype='float32', device='sim'), xp.zeros(3, dtype='float32', device='sim')\n"
        "RawKernel.from_file('sums.cu')(x, sums, 300, grid=3, block=128).wait()\n"
    )

    def run(*words):
        command = [sys.executable, "-m", "coverage", *words]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    run("run", "run.py")
    rows = {words[0]: words[1:] for words in map(str.split, run("report", "-m").splitlines()) if words}
    assert rows["sums.cu"] == row
    assert rows["run.py"][:2] == ["3", "0"]
    run("lcov")
    assert "SF:sums.cu\n" in (tmp_path / "coverage.lcov").read_text()
