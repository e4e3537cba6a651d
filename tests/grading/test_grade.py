"""``accel grade``: verdicts, reports with their lines, the seed, folders, and what is refused before anything runs."""

import re
from importlib.util import find_spec

import pytest

from accel.commands.cli import main

from .conftest import TESTS, messages

TESTS_OF_SUMS = """
import numpy as np

def sums(submission, x, blocks):
    before = x.copy()
    _, found = submission.launch("block_sums", x, np.zeros(blocks, "float32"), len(x), grid=blocks, block=64)
    assert (x == before).all()
    expected = [x[64 * k : 64 * (k + 1)].sum() for k in range(blocks)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)

def test_one(submission, rng):
    sums(submission, rng.random(64).astype("float32"), 1)

def test_more(submission, rng):
    sums(submission, rng.random(100).astype("float32"), 2)
"""
SUMS = """\
#include "part.h"
extern "C" __global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[WIDTH];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int by = blockDim.x / 2; by > 0; by /= 2) {
        if (t < by) part[t] += part[t + by];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
"""
ALONE = SUMS.replace('#include "part.h"', "#define WIDTH 64")
KERNELS = {
    "right.cu": ALONE,
    "folder/main.cu": SUMS,
    "folder/part.h": "#define WIDTH 64\n",
    "race.cu": ALONE.replace("by];\n        __syncthreads();\n", "by];\n"),
    "bounds.cu": ALONE.replace("i < n ? x[i] : 0.0f", "x[i]"),
    "wrong.cu": ALONE.replace("0.0f", "1.0f"),
    "syntax.cu": ALONE.replace("float part", "flaot part"),
    "two/a.cu": ALONE,
    "two/b.cu": ALONE,
    "none/readme.txt": "",
    "readme.txt": "",
}


@pytest.fixture(scope="module")
def done(graded):
    return graded(KERNELS, "--seed", "7", "--limit", "60", tests=TESTS_OF_SUMS)


def found(grade):
    return [(each["check"], each["location"]["file"], each["location"]["line"]) for each in grade["reports"]]


@pytest.mark.slow
def test_right_kernels_pass_also_in_a_folder_with_headers(done):
    for name in ("right.cu", "folder"):
        assert (done.grades[name]["passed"], done.grades[name]["of"]) == (2, 2)
    assert done.code == 1


@pytest.mark.slow
def test_what_checks_find_fails_the_tests_at_its_line(done):
    assert found(done.grades["race.cu"]) == [("race", "race.cu", 8)]
    assert found(done.grades["bounds.cu"]) == [("memory", "bounds.cu", 5)]
    assert [bool(each) for each in messages(done.grades["bounds.cu"])] == [False, True]
    assert done.page.count("data:image/svg+xml;base64,") == 2


@pytest.mark.slow
def test_wrong_results_name_the_line_of_the_test_and_errors_that_of_the_kernel(done):
    line = TESTS_OF_SUMS.splitlines().index("    np.testing.assert_allclose(found, expected, rtol=1e-5)") + 1
    assert messages(done.grades["wrong.cu"])[0] == ""
    assert messages(done.grades["wrong.cu"])[1].startswith(f"wrong result at tests.py:{line}: ")
    assert "does not compile" in messages(done.grades["syntax.cu"])[0]


@pytest.mark.slow
def test_folders_without_one_source_say_what_to_do_and_other_files_are_no_submissions(done):
    assert messages(done.grades["two"])[0].startswith(
        "it has a.cu, b.cu; a folder has one of these, or one that is named"
    )
    assert messages(done.grades["none"])[0].startswith("it has no .cu, .hip or .py")
    assert "readme.txt" not in done.grades


@pytest.mark.slow
def test_the_same_seed_gives_the_same_table(done, graded):
    def without_times(grades):
        return {
            name: {**grade, "seconds": 0, "tests": [{**each, "seconds": 0} for each in grade["tests"]]}
            for name, grade in grades.items()
        }

    again = graded(KERNELS, "--seed", "7", "--limit", "60", "--jobs", "1", tests=TESTS_OF_SUMS)
    assert without_times(again.grades) == without_times(done.grades)


@pytest.mark.slow
def test_functions_of_python_get_arrays_of_the_simulated_device_and_return_what_they_like(graded):
    tests = """
        import numpy as np

        def test_results(submission, rng):
            x = np.arange(4.0)
            total, name, parts = submission.call("results", x, 2, "name")
            assert (total, name) == (12.0, "name")
            np.testing.assert_array_equal(parts[0], x + 1)
            assert (parts[1], parts[2]) == (None, 1j)
            assert submission.call("device", x) == "sim"

        def test_seed(submission, rng):
            assert submission.call("same", rng.integers(1000)) == 7

        def test_mistake(submission):
            submission.call("results", object())
    """
    code = """
        def results(x, factor, name):
            return float((x * factor).sum()), name, [x + 1, None, 1j]
        def device(x):
            return str(x.device)
        def same(x):
            return 7
    """
    done = graded({"code.py": code}, "--limit", "60", tests=tests)
    passed, seed, mistake = messages(done.grades["code.py"])
    assert (passed, seed) == ("", "")
    assert mistake.startswith("TypeError at tests.py:16: object cannot be given to a submission")


@pytest.mark.slow
def test_submissions_use_cupy_as_it_is_simulated_and_kernels_that_never_end_are_reported(graded):
    cupy = """
        import cupy as cp
        KERNEL = cp.RawKernel('extern "C" __global__ void twice(double* x) { x[threadIdx.x] *= 2; }', "twice")
        def double(x):
            y = cp.asarray(x)
            KERNEL((1,), (x.size,), (y,))
            return y
    """
    spin = cupy.replace("x[threadIdx.x] *= 2", "while (atomicAdd(x, 0.0) >= 0) {}")
    done = graded({"cupy.py": cupy, "spin.py": spin}, "--limit", "20", tests=TESTS)
    assert messages(done.grades["cupy.py"]) == ["", ""]
    assert messages(done.grades["spin.py"])[0].startswith("timeout in kernel twice")


@pytest.mark.slow
@pytest.mark.skipif(find_spec("numba_cuda") is None, reason="it needs the extra numba-cuda")
def test_submissions_use_numba_cuda_as_it_is_simulated(graded):
    numba = """
        from numba import cuda
        @cuda.jit
        def twice(x, y):
            i = cuda.grid(1)
            if i < x.size:
                y[i] = 2 * x[i]
        def double(x):
            y = cuda.device_array(x.size, x.dtype)
            twice[x.size // 32 + 1, 32](cuda.to_device(x), y)
            return y.copy_to_host()
    """
    beyond = numba.replace("if i < x.size:", "if True:")
    done = graded({"right.py": numba, "beyond.py": beyond}, "--limit", "60", tests=TESTS)
    assert messages(done.grades["right.py"]) == ["", ""]
    for message in messages(done.grades["beyond.py"]):
        assert message.startswith("out of bounds in kernel twice: ")
        assert re.search(r"allocated at beyond.py:\d+ in double;", message)


def test_links_are_not_followed(tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("def double(x): return 2 * x")
    (tmp_path / "kernels/folder").mkdir(parents=True)
    (tmp_path / "kernels/link.py").symlink_to(secret)
    (tmp_path / "kernels/folder/main.py").symlink_to(secret)
    (tmp_path / "tests.py").write_text(TESTS)
    from accel.commands.grading.entries import Entry, entries_in, provide

    entries = entries_in(tmp_path / "kernels")
    assert [bool(each.problem) for each in entries] == [True, True]
    provide(Entry("folder", tmp_path / "kernels/folder", "main.py"), tmp_path / "kernels")
    assert not (tmp_path / "kernels/main.py").exists()


def test_a_submission_that_is_too_large_is_not_copied(tmp_path):
    from accel.commands.grading.entries import Entry, provide

    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    with (tmp_path / "in/main.py").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(ValueError, match="64 MiB"):
        provide(Entry("in", tmp_path / "in", "main.py"), tmp_path / "out")


@pytest.mark.parametrize(
    ("tests", "submissions", "message"),
    [
        ("", ["a.py"], "has no tests; write functions named test_..."),
        (
            "def test_it(submission, tmp_path): pass",
            ["a.py"],
            "test_it takes tmp_path; a test takes submission and rng",
        ),
        (TESTS, [], "has no submissions"),
    ],
)
def test_what_cannot_be_graded_is_said_first(tmp_path, capsys, tests, submissions, message):
    (tmp_path / "tests.py").write_text(tests)
    (tmp_path / "kernels").mkdir()
    for name in submissions:
        (tmp_path / "kernels" / name).touch()
    assert main(["grade", str(tmp_path / "kernels"), "--tests", str(tmp_path / "tests.py")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--jobs=0", "--limit=0", "--limit=nan", "--limit=x", "--memory=-1", "--seed=x"])
def test_a_value_that_an_option_cannot_have_is_refused(tmp_path, capsys, option):
    with pytest.raises(SystemExit):
        main(["grade", str(tmp_path), "--tests", "tests.py", option])
    assert f"argument {option.split('=', maxsplit=1)[0]}: " in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_said_before_anything_runs(tmp_path, capsys):
    files = ["--tests", str(tmp_path / "tests.py"), "--json", str(tmp_path / "missing/grades.json")]
    assert main(["grade", str(tmp_path), *files]) == 1
    assert "there is no folder" in capsys.readouterr().err


def test_tests_that_submissions_could_read_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("accel.commands.grading.run.readable_folders", lambda: [str(tmp_path)])
    (tmp_path / "tests.py").write_text(TESTS)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/a.py").touch()
    assert main(["grade", str(tmp_path / "kernels"), "--tests", str(tmp_path / "tests.py")]) == 2
    assert "which submissions can read" in capsys.readouterr().err
