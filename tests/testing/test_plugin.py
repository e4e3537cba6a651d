"""The pytest plug-in, in projects without a conftest of their own."""

import re
from textwrap import dedent


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


def test_a_project_whose_hook_gives_values_to_a_parameter_of_the_same_name_runs_as_without_the_plugin(project):
    code = """
        import math

        def pytest_generate_tests(metafunc):
            metafunc.parametrize("xp", [math])

        def test_it(xp):
            assert xp is math
    """
    assert "test_it[math] PASSED" in project(code, "1 passed")


def test_fixtures_that_a_hook_of_a_project_adds_are_used(project, tmp_path):
    conftest = """
        import pytest

        @pytest.fixture
        def extra(request):
            request.node.was_used = True

        def pytest_generate_tests(metafunc):
            metafunc.fixturenames.append("extra")
    """
    (tmp_path / "conftest.py").write_text(dedent(conftest))
    project("def test_it(request): assert request.node.was_used", "1 passed")


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


def test_no_leaks_counts_results_of_computations_on_a_simulated_device(project):
    code = """
        kept = []

        def test_untidy(no_leaks, xp):
            kept.append(xp.ones(1000) + 1)
    """
    printed = project(code, "2 passed, 1 error")
    assert "AssertionError: sim: results of computations more in use than before, 8000 bytes" in printed


def test_a_test_that_failed_is_not_said_to_leak_what_its_traceback_keeps(project):
    code = """
        import accel

        def test_wrong(no_leaks, device):
            c = accel.zeros(1024)
            assert c.size == 3
    """
    project(code, "2 failed")


def test_a_race_fails_the_test_that_has_it_also_if_its_error_was_caught_and_no_other(project):
    code = """
        import accel
        from accel.errors import RaceError

        def forget_an_event(xp, device):
            x = xp.zeros(4)
            with accel.new_stream(device):
                x += 1

        def test_race(xp, device):
            forget_an_event(xp, device)

        def test_caught(xp, device):
            try:
                forget_an_event(xp, device)
            except RaceError:
                pass

        def test_right(xp):
            assert float(xp.sum(xp.ones(4))) == 4
    """
    printed = project(code, "2 failed, 4 passed")
    assert "test_race[sim-seed0] FAILED" in printed
    assert "test_caught[sim-seed0] FAILED" in printed
    assert len(re.findall(r"E +accel.errors.RaceError: a race: iadd .*test_it.py:8 .*test_it.py:6 ", printed)) == 2


def test_a_race_that_is_expected_is_taken_by_no_races(project):
    code = """
        import accel
        import pytest
        from accel.errors import RaceError
        from accel.testing import no_races

        def test_race(xp):
            x = xp.zeros(4, device="sim")
            with pytest.raises(RaceError), no_races(), accel.new_stream("sim"):
                x += 1
    """
    project(code, "2 passed")


def test_a_race_in_a_fixture_is_an_error_of_its_test(project):
    code = """
        import accel
        import pytest

        @pytest.fixture
        def caught(xp):
            x = xp.zeros(4, device="sim")
            with accel.new_stream("sim"):
                try:
                    x += 1
                except accel.errors.RaceError:
                    pass

        def test_it(caught):
            pass
    """
    assert "RaceError: a race: iadd on " in project(code, "1 passed, 1 error", "--accel-devices=sim")


def test_what_a_test_leaves_in_flight_is_finished_and_disturbs_no_other(project):
    code = """
        import accel
        from accel.testing import fail_copy

        kept = accel.zeros(4)

        def test_without_the_fixture():
            with fail_copy(1, "sim"):
                kept.copy_from_async(accel.zeros(4, device="sim"), stream=accel.new_stream("sim"))

        def test_leaves(device):
            kept.copy_from_async(accel.full(4, 7.0), stream=accel.new_stream(device))

        def test_is_idle(device):
            assert kept[0] == 7
    """
    project(code, "3 passed", "--accel-devices=sim")


def test_a_test_starts_from_its_seed_whatever_ran_before_it(project):
    code = """
        import accel
        import pytest

        polls = {}

        @pytest.mark.parametrize("turn", range(4))
        def test_polls(device, turn):
            pairs = [(accel.zeros(4), accel.zeros(4), accel.new_stream(device)) for _ in range(4)]
            transfers = [a.copy_from_async(b, stream=stream) for a, b, stream in pairs for _ in range(3)]
            seen = tuple(each.done() for each in transfers * 2)
            polls.setdefault(accel.config.current().sim_seed, []).append(seen)

        def test_all():
            assert [len(seen) for seen in polls.values()] == [4, 4]
            assert [len(set(seen)) for seen in polls.values()] == [1, 1]
            assert polls[0] != polls[1]
    """
    project(code, "9 passed", "--accel-devices=sim", "--accel-seeds=2")


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

        def test_lost(fault):
            with fault.lost("sim"), pytest.raises(RuntimeError):
                accel.zeros(3, device="sim")
    """
    project(code, "4 passed")


def test_faults_are_those_of_the_device_under_test(project):
    code = """
        import accel
        import pytest

        def test_allocation(device, fault):
            with fault.allocation(1) as first, pytest.raises(MemoryError):
                accel.empty(3)
            assert first.happened
    """
    project(code, "2 passed")


def test_the_plugin_loads_nothing_of_the_library_before_it_is_asked(project):
    code = """
        import sys

        def test_modules():
            assert "numpy" not in sys.modules
    """
    project(code, "1 passed")
