"""The pytest plug-in, in projects that have nothing but the installed library."""

import subprocess
import sys
import textwrap

import pytest


@pytest.fixture
def project(tmp_path):
    """Return a function that runs the tests of a project and returns what pytest printed."""

    def run(code, outcome, *options):
        (tmp_path / "test_it.py").write_text(textwrap.dedent(code))
        (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
        command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert f" {outcome} in " in done.stdout, done.stdout + done.stderr
        return done.stdout

    return run


def test_a_test_runs_on_the_devices_that_are_asked_for_and_they_are_the_default(project):
    code = """
        import accel

        def test_device(device):
            assert accel.zeros(3).device is accel.Device.default() is device

        def test_arrays(xp, device):
            assert xp is accel.xp
            assert xp.zeros(3).device == device

        def test_without():
            assert accel.Device.default() is accel.Device.CPU
    """
    printed = project(code, "3 passed", "--accel-devices=cpu")
    assert "test_device[cpu] PASSED" in printed
    assert "test_arrays[cpu] PASSED" in printed
    assert "test_without PASSED" in printed


def test_by_default_it_runs_on_the_cpu_and_on_a_simulated_device(project):
    printed = project("def test_device(device): pass", "2 passed")
    assert "test_device[cpu] PASSED" in printed
    assert "test_device[sim-seed0] PASSED" in printed


def test_it_runs_on_simulated_devices_with_each_seed_and_elsewhere_once(project):
    code = """
        from accel.config import current
        seen = []

        def test_seed(device):
            seen.append((str(device), current().sim_seed))

        def test_all():
            assert seen == [("cpu", 0), ("sim:1", 0), ("sim:1", 1), ("sim:1", 2)]
    """
    project(code, "5 passed", "--accel-devices=cpu,sim:1", "--accel-seeds=3")


def test_a_device_that_is_not_here_fails_and_says_why(project):
    printed = project("def test_device(device): pass", "1 passed, 1 error", "--accel-devices=cpu,cuda:99")
    assert "--accel-devices asks for cuda:99: " in printed


def test_no_leaks_fails_a_test_that_leaves_memory_and_no_other(project):
    code = """
        import accel
        kept = []

        def test_tidy(no_leaks):
            accel.zeros(1024)

        def test_untidy(no_leaks):
            kept.append(accel.zeros(1024))
    """
    printed = project(code, "2 passed, 1 error")
    assert "AssertionError: cpu: 1 block more in use than before, 8192 bytes" in printed


def test_faults_happen_on_demand(project):
    code = """
        import accel
        import pytest

        def test_allocation(fault):
            with fault.allocation(2) as second, pytest.raises(MemoryError):
                accel.empty(3), accel.empty(3)
            assert second.happened

        def test_copy(fault):
            c = accel.zeros(3)
            with fault.copy(1) as first, pytest.raises(RuntimeError):
                c.deep_copy()
            assert first.happened

        def test_memory(fault):
            with fault.memory(10_000), pytest.raises(MemoryError):
                accel.empty(10_000)
    """
    project(code, "3 passed")


def test_the_plugin_loads_nothing_of_the_library_before_it_is_asked(project):
    code = """
        import sys

        def test_modules():
            assert "numpy" not in sys.modules
    """
    project(code, "1 passed")
