"""`cupy.testing` on the module that stands for CuPy: tests that are written with it run, and fail where they should."""

import numpy as np
import pytest

import accel
from accel.testing import cupy_on_sim
from accel.testing.simulation import drop


@pytest.fixture
def cp():
    """The module that stands for CuPy."""
    drop()
    with cupy_on_sim() as cupy:
        yield cupy
    drop()


TESTS = """
import numpy
import cupy
import cupyx
import pytest
from cupy import testing
from cupyx.scipy import sparse


@testing.parameterize(*testing.product({"shape": [(2, 3), (4,)], "axis": [None, 0]}))
class TestSums:
    def setup_method(self):
        assert self.shape

    @testing.for_all_dtypes(no_bool=True)
    @testing.numpy_cupy_allclose(rtol={numpy.float16: 1e-2, "default": 1e-5})
    def test_sum(self, xp, dtype):
        return testing.shaped_arange(self.shape, xp, dtype).sum(axis=self.axis, dtype=dtype)

    @testing.numpy_cupy_array_equal()
    def test_all(self, xp):
        return testing.shaped_random(self.shape, xp) > 5


@testing.for_dtypes_combination([numpy.float32, numpy.int32], names=("a", "b"))
@testing.numpy_cupy_array_equal(type_check=False)
def test_products(xp, a, b):
    return xp.ones(3, a) * xp.ones(3, b)


@testing.numpy_cupy_allclose(accept_error=ValueError)
def test_both_refuse(xp):
    return xp.ones(3) + xp.ones(4)


@testing.numpy_cupy_allclose(sp_name="sp")
def test_sparse(xp, sp):
    return sp.csr_matrix(xp.eye(3)) * 2


@testing.with_requires("numpy>=1.0", "no-package-of-this-name")
def test_skipped():
    raise AssertionError


@testing.multi_gpu(2)
@testing.for_CF_orders()
def test_orders(order):
    assert cupy.asnumpy(testing.shaped_arange((2, 2), order=order)).tolist() == [[1, 2], [3, 4]]


@pytest.mark.xfail(raises=AssertionError, strict=True)
@testing.numpy_cupy_allclose()
def test_wrong_values(xp):
    return xp.ones(3) * (1 if xp is numpy else 2)


@pytest.mark.xfail(raises=AssertionError, strict=True)
@testing.numpy_cupy_allclose()
def test_wrong_types(xp):
    return xp.ones(3, "f4" if xp is numpy else "f8")


@pytest.mark.xfail(raises=AssertionError, strict=True)
@testing.numpy_cupy_equal()
def test_only_one_raises(xp):
    return {}[0] if xp is numpy else 3


@testing.numpy_cupy_equal()
def test_equal(xp):
    return xp.ones((2, 3)).shape
"""


@pytest.mark.slow
def test_tests_that_are_written_with_cupy_testing_run(project):
    project(TESTS, "13 passed, 1 skipped, 3 xfailed", "--accel-cupy-on-sim")


def test_a_failure_says_for_which_type_it_was(cp):
    @cp.testing.for_int_dtypes()
    def check(dtype):
        assert np.dtype(dtype).itemsize < 8

    with pytest.raises(AssertionError) as caught:
        check()
    assert caught.value.__notes__ == ["with dtype=int64"]


def test_every_type_comes_at_each_place(cp):
    seen = []
    cp.testing.for_signed_dtypes_combination(names=("a", "b"))(lambda a, b: seen.append((a, b)))()
    types = {np.int8, np.int16, np.int32, np.int64}
    assert [{*each} for each in zip(*seen, strict=True)] == [types, types]
    seen.clear()
    cp.testing.for_signed_dtypes_combination(names=("a", "b"), full=True)(lambda a, b: seen.append((a, b)))()
    assert len({*seen}) == 16


def test_arrays_of_tests_are_those_of_numpy(cp):
    for make in (cp.testing.shaped_arange, cp.testing.shaped_reverse_arange, cp.testing.shaped_random):
        for dtype in ("?", "i4", "f2", "c8"):
            np.testing.assert_array_equal(make((2, 3), dtype=dtype).get(), make((2, 3), np, dtype))
    cp.testing.assert_allclose(cp.testing.shaped_linspace(0, 1, (3,)), np.linspace(0, 1, 3))
    cp.testing.assert_array_list_equal([cp.ones(2)], [np.ones(2)])
    with pytest.raises(AssertionError):
        cp.testing.assert_array_list_equal([cp.ones(2)], [np.zeros(2)])
    cp.testing.assert_array_max_ulp(cp.ones(2), np.ones(2))
    with pytest.raises(AssertionError):
        cp.testing.assert_array_almost_equal(cp.ones(2), cp.zeros(2))


def test_functions_of_cupyx_do_what_they_say(cp):
    import cupyx
    from cupyx.profiler import benchmark, time_range

    x = cp.zeros(3, "f4")
    cupyx.scatter_add(x, cp.asarray([0, 2, 2]), cp.asarray([1, 2, 3], dtype="f4"))
    assert x.get().tolist() == [1, 0, 5]
    cupyx.scatter_max(x, (cp.asarray([1, 1]),), cp.asarray([7, 6], dtype="f4"))
    assert x.get().tolist() == [1, 7, 5]
    with pytest.raises(TypeError, match="found int64"):
        cupyx.scatter_add(cp.zeros(3, "i8"), 0, 1)
    assert cupyx.rsqrt(cp.asarray([4.0])).get().tolist() == [0.5]
    assert cupyx.zeros_pinned((2, 3), "f4").shape == (2, 3)
    runs = []
    with time_range("name", color_id=0):
        times = benchmark(lambda each: runs.append(each + 1), (x,), n_repeat=3, n_warmup=1)
    assert (len(runs), times.cpu_times.shape, times.gpu_times.shape) == (4, (3,), (1, 3))
    assert "CPU" in str(times)
    with cupyx.errstate(linalg="raise"), cupyx.allow_synchronize(False):
        pass


def test_names_of_cuda_for_profilers_and_memory(cp):
    from cupy.cuda import nvtx, profiler
    from cupy.cuda.memory import MemoryPool, OutOfMemoryError

    nvtx.RangePush("name")
    nvtx.RangePop()
    profiler.start()
    profiler.stop()
    assert cp.cuda.get_device_id() == cp.cuda.Device().id == 0
    assert MemoryPool is cp.cuda.MemoryPool
    with accel.using(sim_memory=1 << 20), pytest.raises(OutOfMemoryError):
        cp.zeros(1 << 20, "f8").get()


def test_fused_functions_give_what_unfused_ones_give(cp):
    @cp.fuse(kernel_name="squared_difference")
    def squared(x, y):
        return cp.sqrt((x - y) * (x - y))

    @cp.fuse
    def doubled(x):
        return x * 2

    x, y = cp.arange(6.0), cp.ones(6)
    np.testing.assert_array_equal(squared(x, y).get(), np.abs(np.arange(6.0) - 1))
    np.testing.assert_array_equal(doubled(x).get(), np.arange(6.0) * 2)
