"""Programs with names of CuPy that other projects use, as `cupy_programs` has those with kernels."""

import ctypes
import functools

import numpy as np
import pytest

from .cupy_programs import same

__all__ = ["LIBRARY_PROGRAMS", "NAME_PROGRAMS"]

X = np.arange(6.0).reshape(2, 3)


def functions_of_numpy_compute_what_it_does(cp):
    x, flags = cp.asarray(X), cp.asarray(np.array([1, 0, 1, 1], "u1"))
    same(cp, cp.packbits(flags), np.packbits(np.array([1, 0, 1, 1], "u1")))
    same(cp, cp.fix(x - 2.5), np.fix(X - 2.5))
    same(cp, cp.r_[x[0], x[1]], np.r_[X[0], X[1]])
    same(cp, cp.c_[x[0], x[1]], np.c_[X[0], X[1]])
    same(cp, cp.fromfunction(lambda i, j: i + 2 * j, (2, 3)), np.fromfunction(lambda i, j: i + 2 * j, (2, 3)))
    for ours, theirs in zip(cp.triu_indices_from(x), np.triu_indices_from(X), strict=True):
        same(cp, ours, theirs)
    assert cp.array2string(x[0]) == np.array2string(X[0])
    assert cp.array_str(x) == str(X)


def functions_write_to_an_array(cp):
    x, expected = cp.zeros((3, 3)), np.zeros((3, 3))
    for module, array in ((cp, x), (np, expected)):
        module.fill_diagonal(array, 2)
        module.copyto(array[0], 7)
        module.put(array, module.asarray(np.array([1, 5])), module.asarray(np.array([3.0, 4.0])))
    same(cp, x, expected)


def pairs_of(x):
    """Return pairs of views, some of which have elements in common."""
    return [(x, x[0]), (x[:, ::2], x[:, 1]), (x[:, ::2], x[:, 2]), (x, x.copy()), (x[0], x[1]), (x.T, x[1:])]


def arrays_may_share_memory_or_not(cp):
    for ours, theirs in zip(pairs_of(cp.asarray(X)), pairs_of(X), strict=True):
        assert cp.may_share_memory(*ours) == np.may_share_memory(*theirs)


def arrays_share_memory_or_do_not(cp):
    for ours, theirs in zip(pairs_of(cp.asarray(X)), pairs_of(X), strict=True):
        assert cp.shares_memory(*ours) == np.shares_memory(*theirs)


def libraries_of_a_gpu_compute_what_numpy_does(cp):
    x = cp.asarray(X)
    same(cp, cp.asfortranarray(x), X)
    assert cp.asfortranarray(x).flags.f_contiguous
    assert cp.isfortran(cp.asfortranarray(x))
    assert not cp.isfortran(x)
    for name in ("fft2", "ifft2", "rfft2"):
        same(cp, getattr(cp.fft, name)(x), getattr(np.fft, name)(X), rtol=1e-12)
    same(cp, cp.fft.irfft2(cp.fft.rfft2(x), s=X.shape), X, rtol=1e-12)
    values = np.array([3.0, 2.0])
    matrix = cp.testing.generate_matrix((4, 2, 3), singular_values=values, dtype="f8")
    same(cp, cp.linalg.svd(matrix, compute_uv=False), np.tile(values, (4, 1)), rtol=1e-12)
    same(cp, cp.sort_complex(cp.asarray(np.array([2.0, 1.0]))), np.array([1, 2 + 0j]))


def names_of_types_are_numpys(cp):
    names = ("double", "single", "half", "intc", "longlong", "ubyte", "csingle", "euler_gamma")
    assert [getattr(cp, name) for name in names] == [getattr(np, name) for name in names]
    assert cp.exceptions.AxisError is np.exceptions.AxisError
    assert cp.binary_repr(5) == "101"
    assert cp.isscalar(3.0)
    assert cp.linalg.LinAlgError is np.linalg.LinAlgError


def results_are_kept(cp):
    calls = []

    @cp.memoize(for_each_device=True)
    def doubled(n):
        calls.append(n)
        return 2 * n

    assert [doubled(2), doubled(2), doubled(3)] == [4, 4, 6]
    assert calls == [2, 3]
    cp.clear_memo()
    assert doubled(2) == 4
    assert calls == [2, 3, 2]


def memory_is_copied_by_pointers(cp):
    x, y = cp.asarray(np.arange(4, dtype="i4")), cp.zeros(4, "i4")
    y.data.copy_from_device(x.data, 8)
    same(cp, y, np.array([0, 1, 0, 0], "i4"))
    memory = cp.cuda.alloc_pinned_memory(16)
    assert memory.size() >= 16
    host = np.frombuffer(memory, np.int32, 4)
    host[...] = [9, 8, 7, 6]
    y.data.copy_from_host(memory.ptr, 12)
    same(cp, y, np.array([9, 8, 7, 0], "i4"))
    y.data.copy_from(x.data, 16)
    (x.data + 4).copy_to_host(ctypes.c_void_p(host.ctypes.data), 8)
    assert host.tolist() == [1, 2, 7, 6]
    y.data.memset(255, 4)
    y.data.memset_async(0, 0, cp.cuda.Stream.null)
    y.data.copy_from_host_async(ctypes.c_void_p(host.ctypes.data), 0, cp.cuda.Stream.null)
    same(cp, y, np.array([-1, 1, 2, 3], "i4"))
    assert (y.data.device, y.data.device_id) == (cp.cuda.Device(0), 0)


def a_pool_has_a_limit(cp):
    pool = cp.cuda.MemoryPool()
    pool.set_limit(size=4096)
    assert pool.get_limit() == 4096
    with cp.cuda.using_allocator(pool.malloc):
        assert cp.cuda.get_allocator() == pool.malloc
        kept = cp.zeros(256)
        for use in (lambda: cp.empty(300), lambda: cp.zeros(300), lambda: cp.concatenate([kept, kept])):
            with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="limit set to: 4,096 bytes"):
                use()
        pool.set_limit(size=0)
        assert cp.empty(300).size == 300
    default = cp.get_default_memory_pool()
    default.set_limit(fraction=0.5)
    assert default.get_limit() == cp.cuda.Device().mem_info[1] // 2
    default.set_limit(size=0)
    pool.set_limit()
    assert pool.get_limit() == 0
    for wrong in ({"size": 1, "fraction": 0.1}, {"size": -1}, {"fraction": 2}):
        with pytest.raises(ValueError, match=r"size|fraction"):
            pool.set_limit(**wrong)


def numbers_of_the_runtime_are_cudas(cp):
    runtime = cp.cuda.runtime
    assert (runtime.memcpyHostToDevice, runtime.memcpyDeviceToDevice, runtime.memoryTypeManaged) == (1, 3, 3)
    assert (runtime.streamNonBlocking, runtime.eventDisableTiming, runtime.hostAllocMapped) == (1, 2, 2)
    assert runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0) == 32
    assert runtime.deviceGetAttribute(runtime.cudaDevAttrMaxThreadsPerBlock, 0) == 1024
    attributes = cp.cuda.Device(0).attributes
    assert (attributes["WarpSize"], attributes["MaxBlockDimZ"]) == (32, 64)
    assert runtime.deviceCanAccessPeer(0, 0) == 0
    assert runtime.runtimeGetVersion() >= 12_000


def helpers_of_tests(cp):
    testing = cp.testing
    axes = []

    class Tests:
        @testing.for_contiguous_axes()
        def run(self, shape, order, axis):
            axes.append(axis)

        @testing.numpy_cupy_raises(accept_error=ValueError)
        def fails(self, xp):
            xp.zeros((2, 3)).reshape(7)

        @testing.numpy_cupy_raises()
        def passes(self, xp):
            pass

    Tests().run(shape=(1, 2, 3), order="C")
    assert sorted(axes) == [(0, 1, 2), (1, 2), (2,)]
    del axes[:]
    Tests().run(shape=(1, 2, 3), order="F")
    assert axes == [(0,), (0, 1), (0, 1, 2)]
    Tests().fails()
    with testing.AssertFunctionIsCalled("functools.reduce", times_called=2):
        functools.reduce(max, [1])
        functools.reduce(max, [1])
    with pytest.raises(AssertionError), testing.AssertFunctionIsCalled("functools.reduce"):
        pass
    values = np.array([3.0, 2.0])
    matrix = testing.generate_matrix((4, 2, 3), xp=np, singular_values=values, dtype="f8")
    np.testing.assert_allclose(np.linalg.svd(matrix, compute_uv=False), np.tile(values, (4, 1)))
    with pytest.raises(ValueError, match="negative"):
        testing.generate_matrix((2, 2), xp=np, singular_values=np.array([-1.0, 1]))
    with pytest.raises(TypeError):
        testing.generate_matrix((2, 2), xp=np)

    class Alias(testing.NumpyAliasValuesTestBase):
        func, args = "binary_repr", (5,)

    Alias("test_values").test_values()


def what_a_program_asks_about_its_libraries(cp):
    import cupyx

    info = cupyx.get_runtime_info(full=False)
    assert (info.cupy_version, info.numpy_version) == (cp.__version__, np.__version__)
    assert "CuPy Version" in str(info)
    assert issubclass(cp.cuda.compiler.CompileException, Exception)
    assert cp.cuda.nvtx.available in (True, False)


def devices_and_streams_are_left_by_a_call_without_arguments(cp):
    for block in (cp.cuda.Device(0), cp.cuda.Stream()):
        block.__enter__()
        x = cp.arange(3) + 1
        block.__exit__()
        cp.cuda.runtime.deviceSynchronize()
        assert x.get().tolist() == [1, 2, 3]


NAME_PROGRAMS = {
    program.__name__: program
    for program in (
        functions_of_numpy_compute_what_it_does,
        functions_write_to_an_array,
        arrays_may_share_memory_or_not,
        names_of_types_are_numpys,
        results_are_kept,
        memory_is_copied_by_pointers,
        a_pool_has_a_limit,
        numbers_of_the_runtime_are_cudas,
        helpers_of_tests,
        what_a_program_asks_about_its_libraries,
        devices_and_streams_are_left_by_a_call_without_arguments,
    )
}
"""The programs by their names."""

LIBRARY_PROGRAMS = {
    program.__name__: program for program in (arrays_share_memory_or_do_not, libraries_of_a_gpu_compute_what_numpy_does)
}
"""Programs that need libraries of NVIDIA's, which are not there without a GPU, if CuPy runs them."""
