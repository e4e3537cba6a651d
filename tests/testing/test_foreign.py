"""Tests of other projects that run on our arrays."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

LISTED = """
    import array_api_strict
    import numpy
    import pytest

    @pytest.fixture(params=[numpy, array_api_strict], ids=["theirs", "strict"])
    def xp(request):
        return request.param

    @pytest.fixture(params=[numpy, array_api_strict], scope="module")
    def xp_of_module(request):
        return request.param.zeros(1).device

    @pytest.mark.parametrize("namespace", ["numpy"])
    def test_name(namespace):
        assert namespace in ("numpy", "accel.xp")

    def test_sum(xp):
        assert float(xp.sum(xp.asarray([1.0, 2.0]))) == 3

    def test_scope(xp_of_module):
        print("on", xp_of_module)

    @pytest.mark.parametrize("other", [1, 2])
    def test_other(other):
        pass
"""
SETTINGS = "accel_namespaces = xp namespace xp_of_module"


def test_each_list_of_namespaces_that_is_named_gets_ours_on_each_device(project):
    printed = project(LISTED, "13 passed", settings=SETTINGS)
    names = "test_sum[theirs] test_sum[strict] test_sum[accel.xp-cpu] test_sum[accel.xp-sim-seed0] test_name[numpy] "
    for name in (names + "test_name[accel.xp-cpu] test_scope[accel.xp-sim-seed0] test_other[1]").split():
        assert f"{name} PASSED" in printed


def test_without_the_setting_no_list_changes(project):
    assert "accel.xp" not in project(LISTED, "7 passed", "--accel-devices=cpu,sim")


def test_the_device_is_the_default_for_the_test_and_for_its_fixtures_of_every_scope(project):
    printed = project(LISTED, "2 passed, 11 deselected", "-s", "-k", "test_scope and accel", settings=SETTINGS)
    assert "on sim" in printed
    assert "on cpu" in printed


def test_a_namespace_of_a_fixture_of_the_session_is_that_of_its_arrays(project):
    code = """
        import array_api_strict
        import pytest

        DEVICES = []

        @pytest.fixture(params=[array_api_strict], scope="session")
        def xp(request):
            return request.param

        @pytest.fixture(scope="session")
        def ones(xp):
            return xp.ones(3)

        def test_it(xp, ones):
            assert ones.__array_namespace__() == xp
            assert xp == ones.__array_namespace__()
            DEVICES.append(str(ones.device))

        def test_all():
            assert DEVICES[1:] == ["cpu", "sim"]
    """
    project(code, "4 passed", settings=SETTINGS)


def test_a_list_that_another_hook_makes_is_extended_too(project):
    code = """
        import numpy

        def pytest_generate_tests(metafunc):
            metafunc.parametrize(("namespace",), [(numpy,)], ids=lambda value: "theirs")

        def test_it(namespace):
            assert namespace.zeros(3).shape == (3,)
    """
    printed = project(code, "3 passed", settings=SETTINGS)
    assert "test_it[accel.xp-cpu] PASSED" in printed


def test_numpy_reads_no_array_on_the_simulated_device(project):
    code = """
        import numpy
        import pytest

        @pytest.mark.parametrize("xp", [numpy])
        def test_it(xp):
            assert float(numpy.sin(numpy.asarray(xp.zeros(1)))[0]) == 0
    """
    printed = project(code, "1 failed, 2 passed", settings=SETTINGS)
    assert "DeviceMismatchError: this array is on sim" in printed


def test_a_race_fails_the_test(project):
    code = """
        import accel
        import numpy
        import pytest

        @pytest.mark.parametrize("xp", [numpy])
        def test_it(xp):
            x = xp.zeros(4)
            with accel.new_stream():
                x += 1
    """
    assert "RaceError: a race: iadd on " in project(code, "1 failed, 2 passed", settings=SETTINGS)


def test_a_device_that_is_not_there_fails_and_says_why(project):
    printed = project(LISTED, "1 error", "--accel-devices=cuda:99", "-k", "test_sum and accel", settings=SETTINGS)
    assert "--accel-devices asks for cuda:99: " in printed


def run(folder, *options, **variables):
    """Run tests of an installed project, and return the output of pytest."""
    plain = ["-c", os.devnull, "--rootdir", str(folder), "-p", "no:cacheprovider", "-p", "no:randomly", "-v"]
    command = [sys.executable, "-m", "pytest", *plain, "--accel-devices=cpu,sim", "--pyargs", *options]
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def printed_by_scipy(tmp_path_factory):
    """What a few of SciPy's tests print."""
    modules = "scipy.fft.tests.test_helper", "scipy.fft.tests.test_fftlog"
    return run(tmp_path_factory.mktemp("scipy"), *modules, "-k", "py_0d_defaults or FFTFreq or fht_identity")


@pytest.mark.slow
def test_scipys_tests_run_on_each_device_beside_their_own_namespaces(printed_by_scipy):
    for run in ("array_api_strict", "accel.xp-cpu", "accel.xp-sim-seed0"):
        assert f"test_fht_identity[{run}-" in printed_by_scipy
        assert f"TestFFTFreq::test_definition[{run}] PASSED" in printed_by_scipy
    assert "FAILED" not in printed_by_scipy


def test_scipys_marks_for_the_cpu_skip_a_test_on_a_device_and_on_no_cpu(printed_by_scipy):
    assert "test_py_0d_defaults[accel.xp-cpu] PASSED" in printed_by_scipy
    assert "test_py_0d_defaults[accel.xp-sim-seed0] SKIPPED" in printed_by_scipy


def test_scipys_tests_of_devices_use_all_devices_of_the_place(printed_by_scipy):
    assert "TestFFTFreq::test_device[accel.xp-cpu] PASSED" in printed_by_scipy
    assert "TestFFTFreq::test_device[accel.xp-sim-seed0] PASSED" in printed_by_scipy


@pytest.mark.slow
def test_scipys_tests_need_its_switch(tmp_path):
    assert "SCIPY_ARRAY_API=1 is set; set it" in run(tmp_path, "scipy.fft.tests.test_fftlog", SCIPY_ARRAY_API="")


@pytest.mark.slow
def test_scikit_learns_tests_run_on_each_device_beside_their_own_namespaces(tmp_path):
    printed = run(tmp_path, "sklearn.utils.tests.test_extmath", "-k", "incremental_weighted and array_api")
    for name in ("array_api_strict-device1-float32", "accel.xp-cpu-float64", "accel.xp-sim-float64"):
        assert f"variance_array_api[{name}] PASSED" in printed


def extras(*names):
    return [f"array_api_extra.tests.main.test_{name}" for name in names]


@pytest.fixture(scope="module")
def printed_by_array_api_extra(tmp_path_factory):
    """What a few of array-api-extra's tests print."""
    chosen = "(TestNUnique and simple or lazy_apply_kwargs or cython_ufuncs) and (strict or accel)"
    return run(tmp_path_factory.mktemp("extra"), *extras("set", "lazy", "testing"), "-k", chosen)


def test_array_api_extras_tests_run_on_each_device_beside_their_own_namespaces(printed_by_array_api_extra):
    for name in ("array_api_strict", "accel.xp-cpu", "accel.xp-sim-seed0"):
        assert f"test_simple[{name}] PASSED" in printed_by_array_api_extra
        assert f"test_lazy_xp_function_cython_ufuncs[{name}] PASSED" in printed_by_array_api_extra
        assert f"test_lazy_apply_kwargs[{name}-False] PASSED" in printed_by_array_api_extra
    assert "FAILED" not in printed_by_array_api_extra


def test_array_api_extras_marks_for_cupy_skip_copies_to_the_host_on_a_device_and_on_no_cpu(printed_by_array_api_extra):
    assert "test_lazy_apply_kwargs[accel.xp-cpu-True] PASSED" in printed_by_array_api_extra
    assert "test_lazy_apply_kwargs[accel.xp-sim-seed0-True] SKIPPED" in printed_by_array_api_extra


def patched_array_api_extra(folder):
    """Copy the installed package, in the tree of its repository, and apply the patches of our reports."""
    package = folder / "src/array_api_extra"
    shutil.copytree(Path(find_spec("array_api_extra").origin).parent, package)
    (package / "tests").rename(folder / "tests")
    reports = Path(__file__).parents[2].glob("docs/upstream/array-api-extra-*.md")
    patches = "\n".join(
        patch for each in reports for patch in re.findall(r"```diff\n(.*?)```", each.read_text(), re.DOTALL)
    )
    subprocess.run(["git", "apply", "-"], cwd=folder, input=patches, text=True, check=True)
    (folder / "tests").rename(package / "tests")
    return folder / "src"


def test_with_the_patches_of_our_reports_no_test_of_array_api_extra_fails(tmp_path):
    path = os.pathsep.join([str(patched_array_api_extra(tmp_path)), os.environ.get("PYTHONPATH", "")])
    chosen = "(test_incompatible_dtype or test_delegates or test_simple) and (accel or numpy)"
    options = ("--strict-markers", "-o", "markers=thread_unsafe", "-W", "error", "-k", chosen)
    printed = run(tmp_path, *extras("at", "set"), *options, PYTHONPATH=path)
    assert "test_incompatible_dtype[accel.xp-cpu-set-False-True] PASSED" in printed
    assert "test_delegates[accel.xp-sim-seed0] SKIPPED" in printed
    assert "test_delegates[numpy] PASSED" in printed
    assert "FAILED" not in printed
    assert "ERROR" not in printed


def test_with_the_patches_array_api_extra_compares_arrays_on_devices(tmp_path, python):
    code = f"""
        import sys
        sys.path.insert(0, {str(patched_array_api_extra(tmp_path))!r})
        import accel.xp as xp
        from array_api_extra.testing import assert_equal
        assert_equal(xp.ones(2, device="sim"), xp.ones(2, device="sim"))
        try:
            assert_equal(xp.ones(2, device="sim"), xp.zeros(2, device="sim"))
        except AssertionError:
            print("different")
    """
    assert python(code) == "different"
