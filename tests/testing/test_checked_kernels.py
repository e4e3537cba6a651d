"""The options of the pytest plug-in for CUDA and HIP kernels, in projects without a conftest of their own."""

import re

import pytest

LAUNCHES = """
    import accel
    import pytest
    from accel import xp

    KERNELS = '''
    extern "C" __global__ void ones(float* x) { x[threadIdx.x] = 1; }
    extern "C" __global__ void beyond(float* x, int n) { x[n] = 1; }
    extern "C" __global__ void race(float* x) { x[0] = threadIdx.x; }
    extern "C" __global__ void read(const float* x, float* y) { y[0] = x[0]; }
    extern "C" __global__ void width(int* x) { x[0] = warpSize; }
    '''

    def launch(name, *arguments, threads=1):
        return accel.RawKernel.from_source(KERNELS, name)(*arguments, grid=1, block=threads)

    def array(dtype="float32"):
        return xp.empty(4, dtype=dtype, device="sim")
"""


def with_launches(code):
    return LAUNCHES + code


def test_without_the_options_nothing_is_changed(project):
    code = """
        import sys

        def test_settings():
            assert "accel.config" not in sys.modules
            from accel.config import current
            assert (current().kernel_checks, current().sim_warp) == ("memory,sync", 32)
            assert "cupy" not in sys.modules
    """
    printed = project(code, "1 passed")
    assert "accel:" not in printed


@pytest.mark.slow
def test_each_of_the_checks_fails_the_test_itself_and_says_how_to_repeat_it(project):
    code = with_launches("""
    def test_right():
        launch("ones", array(), threads=4)

    def test_memory():
        launch("beyond", array(), 4)

    def test_race():
        launch("race", array(), threads=64)

    def test_initialisation():
        launch("read", array(), array())

    def test_after():
        launch("ones", array(), threads=4)
    """)
    printed = project(code, "3 failed, 2 passed", "--accel-kernel-checks=all")
    assert "kernels on simulated devices are checked (--accel-kernel-checks=all --accel-kernel-seed=0)" in printed
    for error in ("KernelMemoryError", "KernelRaceError|RaceError", "KernelInitError"):
        assert re.search(rf"E +accel\.errors\.({error}): ", printed)
    for name in ("memory", "race", "initialisation"):
        assert re.search(
            rf"seed \d+ of simulated devices; repeat: pytest test_it.py::test_{name} --accel-kernel-checks=all", printed
        )
    assert len(re.findall("repeat: pytest", printed)) == 3


@pytest.mark.slow
def test_the_checks_are_those_that_are_chosen(project):
    code = with_launches("""
    def test_race():
        launch("race", array(), threads=64)

    def test_initialisation():
        launch("read", array(), array())
    """)
    project(code, "1 failed, 1 passed", "--accel-kernel-checks=init,memory")
    project(code, "2 passed", "--accel-kernel-checks=none")


@pytest.mark.parametrize("option", ["--accel-kernel-checks=all,no", "--accel-kernel-seed=-1", "--accel-kernel-seed=x"])
def test_a_value_that_an_option_cannot_have_is_refused(tmp_path, project, option):
    with pytest.raises(AssertionError, match=f"ERROR: {option.split('=', maxsplit=1)[0]}"):
        project("def test(): pass", "1 passed", option)


@pytest.mark.slow
def test_each_test_has_a_seed_of_its_own_made_of_its_name_and_of_the_given_number(project):
    code = """
        from accel.config import current

        def test_one():
            print("one", current().sim_seed)

        def test_two():
            print("two", current().sim_seed)
    """

    def seeds(*options):
        return re.findall(r"(\w+) (\d+)\n", project(code, "2 passed", "-s", *options))

    first = seeds("--accel-kernel-seed=1")
    assert len(first) == len({seed for _, seed in first}) == 2
    assert seeds("--accel-kernel-seed=1", "-p", "no:accel", "-p", "accel.testing.plugin") == first
    assert not {seed for _, seed in first} & {seed for _, seed in seeds("--accel-kernel-seed=2")}


@pytest.mark.slow
def test_a_random_seed_is_printed_and_is_the_same_in_all_processes(project):
    code = """
        import pytest
        from accel.config import current

        @pytest.mark.parametrize("turn", range(4))
        def test_seed(turn):
            assert False, f"drawn {current().sim_seed}"
    """
    printed = project(code, "4 failed", "--accel-kernel-seed=random", "-n2")
    header = re.search(r"accel: .*--accel-kernel-seed=(\d+)", printed)
    assert header
    assert int(header[1]) > 0
    drawn = sorted(re.findall(r"E +AssertionError: drawn (\d+)", printed))
    again = project(code, "4 failed", f"--accel-kernel-seed={header[1]}")
    assert sorted(re.findall(r"E +AssertionError: drawn (\d+)", again)) == drawn
    assert len({*re.findall(r"repeat: .*--accel-kernel-seed=(\d+)", printed)} | {header[1]}) == 1


@pytest.mark.slow
def test_the_width_of_warps_is_that_of_the_option(project):
    code = with_launches("""
    def test_width(request):
        x = array("int32")
        launch("width", x)
        assert int(x[0]) == int(request.config.getoption("--accel-kernel-warp"))
    """)
    project(code, "1 passed", "--accel-kernel-warp=64")
    project(code, "1 passed", "--accel-kernel-warp=32")


@pytest.mark.slow
def test_kernels_of_fixtures_are_checked_with_the_test_that_sets_them_up_or_ends_them(project):
    code = with_launches("""
    @pytest.fixture(scope="module")
    def wrong():
        x = array()
        launch("beyond", x, 4)
        return x

    @pytest.fixture(scope="module")
    def right():
        x = array()
        launch("ones", x, threads=4)
        yield x
        launch("beyond", x, 4)

    def test_wrong(wrong):
        pass

    def test_right(right):
        launch("read", right, array())

    def test_also_right(right):
        launch("read", right, array())
    """)
    printed = project(code, "2 passed, 2 errors", "--accel-kernel-checks=all")
    assert "ERROR at setup of test_wrong" in printed
    assert "ERROR at teardown of test_also_right" in printed


@pytest.mark.slow
def test_tests_of_unittest_are_checked_too(project):
    code = with_launches("""
    import unittest

    class TestIt(unittest.TestCase):
        def test_right(self):
            launch("ones", array(), threads=4)

        def test_left_behind(self):
            launch("beyond", array(), 4)

        def test_waited_for(self):
            launch("beyond", array(), 4).wait()

        def test_expected(self):
            with self.assertRaises(IndexError):
                launch("beyond", array(), 4).wait()
    """)
    printed = project(code, "2 failed, 2 passed", "--accel-kernel-checks=all")
    assert "test_left_behind FAILED" in printed
    assert "test_waited_for FAILED" in printed


@pytest.mark.slow
def test_kernels_of_threads_that_a_test_starts_are_checked(project):
    code = with_launches("""
    from threading import Thread

    def test_thread():
        thread = Thread(target=launch, args=("read", array(), array()))
        thread.start()
        thread.join()
    """)
    assert "KernelInitError" in project(code, "1 failed", "--accel-kernel-checks=all")


@pytest.mark.slow
def test_what_an_earlier_test_left_does_not_fail_the_next(project):
    code = with_launches("""
    def test_first():
        launch("beyond", array(), 4)

    @pytest.mark.xfail(strict=True)
    def test_expected():
        launch("beyond", array(), 4)

    def test_last():
        x = array()
        launch("ones", x, threads=4)
        assert x.sum() == 4
    """)
    project(code, "1 failed, 1 passed, 1 xfailed", "--accel-kernel-checks=all")


CUPY = """
    import cupy as cp
    import numpy as np
    import pytest
    from cupy.cuda import Stream

    KERNEL = cp.RawKernel('extern "C" __global__ void add(float* x, float a) { x[threadIdx.x] += a; }', "add")

    @pytest.fixture(scope="module")
    def x():
        return cp.zeros(4, dtype=cp.float32)

    def test_add(x):
        import cupy
        assert cupy is cp
        KERNEL((1,), (4,), (x, np.float32(2)))
        cp.testing.assert_array_equal(x, np.full(4, 2))

    def test_race(x):
        for _ in range(2):
            with Stream():
                KERNEL((1,), (4,), (x, np.float32(2)))

    def test_beyond(x):
        KERNEL((1,), (8,), (x, np.float32(2)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_a_project_for_cupy_runs_on_a_simulated_device(project, tmp_path, options):
    (tmp_path / "conftest.py").write_text("import cupy\n\nMADE = cupy.ones(3).get()\n")
    printed = project(CUPY, "2 failed, 1 passed", "--accel-cupy-on-sim", *options)
    assert re.search(r"E +accel\.errors\.RaceError: a race: kernel add on stream", printed)
    assert re.search(r"E +accel\.errors\.KernelMemoryError: ", printed)
    assert re.search(r"repeat: pytest test_it.py::test_beyond .* --accel-cupy-on-sim\n", printed)


def test_without_the_option_a_project_for_cupy_imports_its_own(project, tmp_path):
    (tmp_path / "cupy.py").write_text("def own(): pass\n")
    project("import cupy\n\ndef test_own(): cupy.own()", "1 passed", "--accel-kernel-checks=all")
