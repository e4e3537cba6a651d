"""`cupy_on_sim`: code that was written for CuPy runs on a simulated device, and its mistakes are reported."""

import gc
import re
import sys
import threading
from contextlib import suppress
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel.config import current
from accel.errors import (
    KernelLaunchError,
    KernelMemoryError,
    KernelSyntaxError,
    RaceError,
)
from accel.testing import cupy_on_sim, no_races, seeded
from accel.testing.cupy_simulation.streams import runtime
from accel.testing.simulation import drop

from ..tables import rows

SOURCE = r"""
extern "C" __global__ void add(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
extern "C" __global__ void scale(float* x, float a, long long n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}
extern "C" __global__ void fill(double* x, double a, bool negative) { x[threadIdx.x] = negative ? -a : a; }
extern "C" __global__ void reversed(float* x) {
    extern __shared__ float s[];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void beyond(float* x, int n) { x[n + threadIdx.x] = 0; }
struct Pair { float a, b; };
extern "C" __global__ void both(float* x, Pair pair) { x[threadIdx.x] = threadIdx.x ? pair.b : pair.a; }
template <typename T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }
"""
ADD = SOURCE.partition("\n}")[0] + "\n}"


@pytest.fixture(autouse=True)
def nothing_is_in_flight():
    drop()
    yield
    drop()


@pytest.fixture
def cp():
    """The module that stands for CuPy, with all checks."""
    with accel.using(kernel_checks="all"), cupy_on_sim() as cupy:
        yield cupy


@pytest.fixture
def module(cp):
    return cp.RawModule(code=SOURCE)


@pytest.mark.parametrize("seed", range(5))
def test_a_program_of_cupy_gives_what_numpy_gives(cp, module, seed):
    with seeded(seed), no_races():
        x, y = np.random.default_rng(seed).random((2, 1000), np.float32)
        a, b = cp.asarray(x), cp.array(y)
        module.get_function("add")((4,), (256,), (a, b, np.int32(1000)))
        b += 1
        module.get_function("scale")((4, 1, 1), (256, 1), (b, np.float32(2), 1000))
        np.testing.assert_array_equal(cp.asnumpy(b), 2 * (x + y + 1))
        np.testing.assert_array_equal(a.get(), x)


def test_import_gives_the_module_in_the_block_and_what_was_there_before_after_it(monkeypatch):
    settings = current()
    monkeypatch.setitem(sys.modules, "cupy", earlier := type(sys)("cupy"))
    monkeypatch.setitem(sys.modules, "cupy.sparse", type(sys)("cupy.sparse"))
    with suppress(KeyError), cupy_on_sim("sim:1") as module:
        import cupy
        from cupy.cuda import Stream
        from cupy.random import rand

        assert cupy is module is not earlier
        assert "cupy.sparse" not in sys.modules
        assert rand(3).device == cupy.zeros(3).device == Stream().native.device == accel.Device("sim:1")
        raise KeyError
    assert sys.modules["cupy"] is earlier
    assert "cupy.sparse" in sys.modules
    assert "cupy.random" not in sys.modules
    assert current() == settings
    assert not hasattr(accel.xp.Array, "get")


def test_blocks_nest_and_may_end_in_any_order():
    first, second = cupy_on_sim("sim:1"), cupy_on_sim("sim:2")
    outer = first.__enter__()
    inner = second.__enter__()
    assert sys.modules["cupy"] is inner
    first.__exit__(None, None, None)
    assert sys.modules["cupy"] is inner is not outer
    assert inner.zeros(1).get() == 0
    assert str(inner.zeros(1).device) == "sim:2"
    second.__exit__(None, None, None)
    assert "cupy" not in sys.modules
    assert not hasattr(accel.xp.Array, "get")
    with pytest.raises(AttributeError, match=r"write x\.to_device"):
        accel.xp.ones(1, device="sim").get()


def test_threads_that_start_in_a_block_use_its_device(cp, module):
    results = []

    def work():
        x = cp.ones(8, dtype=cp.float32)
        module.get_function("scale")((1,), (8,), (x, np.float32(3), 8))
        results.append((str(x.device), float(cp.sum(x))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [("sim", 24.0)] * 4


def test_a_block_needs_a_simulated_device():
    with pytest.raises(ValueError, match=r"cupy_on_sim\('sim:1'\); found 'cpu'"), cupy_on_sim("cpu"):
        pass


def test_arrays_and_kernels_may_be_dropped_after_a_launch(cp):
    for seed in range(10):
        with seeded(seed), no_races():
            x, y = cp.ones(1000, dtype=cp.float32), cp.zeros(1000, dtype=cp.float32)
            seen = y[10:20]
            cp.RawKernel(ADD, "add")((4,), (256,), (x, y, 1000))
            del x, y
            gc.collect()
            assert seen.get().tolist() == [1] * 10


def test_launches_on_two_streams_without_an_event_are_a_race_and_with_one_are_none(cp, module):
    def run(ordered):
        first, second = cp.cuda.Stream(), cp.cuda.Stream()
        x = cp.ones(8, dtype=cp.float32)
        module.get_function("scale")((1,), (8,), (x, np.float32(2), 8), stream=first)
        if ordered:
            second.wait_event(first.record())
        module.get_function("scale")((1,), (8,), (x, np.float32(2), 8), stream=second)
        return x.get()[0]

    with no_races():
        assert run(ordered=True) == 4
    with pytest.raises(RaceError, match="kernel scale on stream"), no_races():
        run(ordered=False)


def test_the_default_stream_and_blocking_streams_wait_for_each_other(cp, module):
    scale = module.get_function("scale")
    for seed in range(10):
        with seeded(seed), no_races():
            x = cp.ones(8, dtype=cp.float32)
            with cp.cuda.Stream():
                scale((1,), (8,), (x, np.float32(2), 8))
            x += 1
            scale((1,), (8,), (x, np.float32(5), 8), stream=cp.cuda.Stream())
            with cp.cuda.Stream():
                scale((1,), (8,), (x, np.float32(2), 8), stream=cp.cuda.Stream.null)
                x += 1
            assert x.get().tolist() == [31] * 8


def test_a_stream_that_is_not_blocking_does_not_wait_for_the_default_stream(cp, module):
    scale, stream = module.get_function("scale"), cp.cuda.Stream(non_blocking=True)
    x = cp.ones(8, dtype=cp.float32)
    with pytest.raises(RaceError), no_races():
        scale((1,), (8,), (x, np.float32(2), 8), stream=stream)


def test_two_blocking_streams_are_not_ordered_by_a_default_stream_without_work(cp, module):
    x = cp.ones(8, dtype=cp.float32)
    cp.cuda.Device().synchronize()

    def scale(stream):
        with stream:
            module.get_function("scale")((1,), (8,), (x, np.float32(2), 8))

    scale(cp.cuda.Stream())
    with pytest.raises(RaceError), no_races():
        scale(cp.cuda.Stream())


def test_a_used_stream_is_current_until_another_is_used_or_the_block_ends():
    with cupy_on_sim() as cp, no_races():
        stream = cp.cuda.Stream()
        assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
        x = cp.zeros(3)
        stream.use()
        x += 1
        assert cp.cuda.get_current_stream() == stream
        cp.cuda.Stream.null.use()
        x += 1
        assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
        stream.use()
        assert x.get().tolist() == [2, 2, 2]
    with cupy_on_sim() as cp:
        assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


def test_devices_are_current_in_their_block_or_once_they_are_used():
    with cupy_on_sim() as cp:
        assert cp.cuda.runtime.getDeviceCount() == 4
        with cp.cuda.Device(2) as device:
            assert (cp.zeros(1).device.index, cp.cuda.Device().id, int(device)) == (2, 2, 2)
        cp.cuda.Device(1).use()
        cp.cuda.Device(3).use()
        assert (cp.zeros(1).device.index, cp.cuda.runtime.getDevice()) == (3, 3)
        x = cp.ones(4, dtype=cp.float32)
        cp.RawKernel(SOURCE, "scale")((1,), (4,), (x, np.float32(2), 4))
        cp.cuda.Device(3).synchronize()
        assert x.get().tolist() == [2] * 4
    assert accel.Device.default() is accel.Device.CPU


def test_events_are_done_after_their_work_and_have_simulated_times(cp, module):
    start, end, x = cp.cuda.Event(), cp.cuda.Event(), cp.ones(8, dtype=cp.float32)
    assert start.done
    start.record()
    module.get_function("scale")((1,), (8,), (x, np.float32(2), 8))
    end.record()
    with pytest.raises(RuntimeError, match=r"write end_event\.synchronize\(\)"):
        cp.cuda.get_elapsed_time(start, cp.cuda.Event())
    end.synchronize()
    assert end.done
    assert cp.cuda.get_elapsed_time(start, end) > 0


def test_what_a_kernel_does_wrong_is_raised_where_it_is_waited_for_and_the_device_stays_usable(cp, module):
    x = cp.ones(8, dtype=cp.float32)
    module.get_function("beyond")((1,), (1,), (x, 8))
    with pytest.raises(KernelMemoryError, match="beyond"):
        cp.cuda.runtime.deviceSynchronize()
    module.get_function("scale")((1,), (8,), (x, np.float32(2), 8))
    assert x.get().tolist() == [2] * 8


def test_what_a_kernel_does_wrong_is_raised_by_a_copy_to_the_host_and_by_the_end_of_the_block(cp, module):
    x = cp.ones(8, dtype=cp.float32)
    module.get_function("beyond")((1,), (1,), (x, 8))
    with pytest.raises(KernelMemoryError):
        cp.asnumpy(cp.zeros(1))
    with pytest.raises(KernelMemoryError), cupy_on_sim():
        module.get_function("beyond")((1,), (1,), (x, 8))
    with suppress(KeyError), cupy_on_sim():
        module.get_function("beyond")((1,), (1,), (x, 8))
        raise KeyError
    with pytest.raises(KernelMemoryError):
        cp.cuda.Device().synchronize()


def test_an_error_on_one_stream_is_not_raised_again_by_others(cp, module):
    x = cp.ones(8, dtype=cp.float32)
    with cp.cuda.Stream() as stream:
        module.get_function("beyond")((1,), (1,), (x, 8))
        with pytest.raises(KernelMemoryError):
            stream.synchronize()
    x += 1
    assert x.get().tolist() == [2] * 8


@given(values=st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=32))
def test_dynamic_shared_memory_is_that_of_the_launch(values):
    with cupy_on_sim() as cp:
        x = cp.array(values, dtype=cp.float32)
        cp.RawKernel(SOURCE, "reversed")((1,), (len(values),), (x,), shared_mem=4 * len(values))
        assert x.get().tolist() == values[::-1]


def test_numbers_are_passed_as_cupy_passes_them(cp, module):
    x = cp.empty(4, dtype=cp.float64)
    for number, negative in ((1.5, True), (np.float64(2.5), np.bool_(False))):
        module.get_function("fill")((1,), (4,), (x, number, negative))
        assert x.get().tolist() == [-number if negative else number] * 4
    pair = np.array((3, 4), dtype=[("a", "f4"), ("b", "f4")])
    y = cp.empty(2, dtype=cp.float32)
    for each in (pair, pair[()]):
        module.get_function("both")((1,), (2,), (y, each))
        assert y.get().tolist() == [3, 4]


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        ("scale", ("x", 2.0, 8), r"parameter a of scale is float32 a; found float 2.0, .*: write np.float32\(2.0\)"),
        ("scale", ("x", np.float64(2), 8), r"found float64 .*: write np.float32\(2.0\)"),
        ("scale", ("x", np.int32(2), 8), r"found int32 .*: write np.float32\(2\)"),
        ("scale", ("x", np.float32(2), 8.0), r"parameter n .*: write np.int64\(8.0\)"),
        ("scale", ("x", np.float32(2), np.int32(8)), r"parameter n .*: write np.int64\(8\)"),
        ("fill", ("x", 2, True), r"parameter a .* found int 2, .*: write np.float64\(2\)"),
        ("fill", ("x", 2.0, 1), r"parameter negative .*: write np.bool\(1\)"),
        ("add", ("x", "x", 2**40), r"parameter n .*: write np.int32"),
        (
            "add",
            ("x", "x", "x"),
            r"parameter n of add is int32 n; found ndarray, .*: pass a number, as in np.int32\(x\)",
        ),
        ("add", ("x", 1.0, 8), r"parameter y of add .* found float 1.0, .*: pass an array, as in cupy.asarray\(x\)"),
        ("add", ("x", "x"), r"add takes arguments of 8, 8, 4 bytes; found 8, 8"),
        ("both", ("x", 1.0, 8), "both takes arguments of 8, 8 bytes; found 8, 8, 8"),
        ("add", ("x", "x", 2**70), "does not fit 8 bytes"),
    ],
)
def test_an_argument_whose_bytes_the_kernel_would_misread_is_refused(cp, module, kernel, arguments, message):
    x = cp.ones(8, dtype=cp.float32)
    values = [x if each == "x" else each for each in arguments]
    with pytest.raises(KernelLaunchError, match=message):
        module.get_function(kernel)((1,), (8,), values)


def test_arrays_of_the_host_are_refused(cp, module):
    with pytest.raises(TypeError, match=r"found ndarray: write cupy\.asarray\(x\)"):
        module.get_function("scale")((1,), (8,), (np.ones(8, np.float32), np.float32(2), 8))


def test_addresses_are_passed_as_numbers_or_as_memory_pointers(cp, module):
    x, y = cp.zeros(8, dtype=cp.float32), cp.ones(8, dtype=cp.float32)
    add = module.get_function("add")
    add((1,), (8,), (y.data.ptr, x.data, 8))
    add((1,), (4,), (y, x.data.ptr + 16, 4))
    add((1,), (2,), (y, x.data + 24, 2))
    assert x.get().tolist() == [1, 1, 1, 1, 2, 2, 3, 3]
    view = cp.ndarray((2, 2), cp.float32, x.data + 16)
    view[...] = 5
    assert x.get().tolist() == [1, 1, 1, 1, 5, 5, 5, 5]
    with pytest.raises(ValueError, match="32 bytes were asked for at byte 16 of memory of 32 bytes"):
        cp.ndarray(8, cp.float32, x.data + 16)


def test_views_are_passed_as_the_address_of_their_first_element(cp, module):
    x = cp.zeros((4, 8), dtype=cp.float32)
    module.get_function("add")((1,), (8,), (cp.ones(8, dtype=cp.float32), x[2], 8))
    assert x.get().sum(axis=1).tolist() == [0, 0, 8, 0]


def test_instances_of_templates_are_kernels_of_a_module(cp):
    module = cp.RawModule(code=SOURCE, options=("-std=c++17",), name_expressions=["twice<float>", "twice<long long>"])
    module.compile()
    for name, dtype in (("twice<float>", cp.float32), ("twice<long long>", cp.int64)):
        x = cp.arange(4, dtype=dtype)
        module.get_function(name)((1,), (4,), (x,))
        assert x.get().tolist() == [0, 2, 4, 6]


def test_a_python_number_for_a_template_that_takes_fewer_bytes_is_refused_with_what_to_write(cp):
    kernel = cp.RawKernel("template <typename T> __global__ void set(T* x, T a) { *x = a; }", "set<float>")
    with pytest.raises(
        KernelLaunchError, match=r"found 8, 8.* CuPy passes numbers of Python as 8 bytes.*np\.float32\(1"
    ):
        kernel((1,), (1,), (cp.zeros(1, dtype=cp.float32), 1.5))


def test_a_source_that_does_not_compile_is_an_error_with_file_and_line(cp, tmp_path):
    path = tmp_path / "wrong.cu"
    path.write_text('extern "C" __global__ void wrong(float* x) {\n    *x = unknown;\n}\n')
    with pytest.raises(KernelSyntaxError, match="unknown") as caught:
        cp.RawModule(path=str(path)).get_function("wrong")
    assert (caught.value.filename, caught.value.lineno) == (str(path), 2)
    kernel = cp.RawKernel(path.read_text(), "wrong")
    with pytest.raises(KernelSyntaxError, match="unknown"):
        kernel((1,), (1,), (cp.zeros(1, dtype=cp.float32),))
    for wrong in ({}, {"code": "", "path": ""}):
        with pytest.raises(TypeError, match="either code or path"):
            cp.RawModule(**wrong)


def test_a_kernel_says_what_it_is(cp):
    kernel = cp.RawKernel(SOURCE, "add", ("-DN=4",), backend="nvcc", jitify=False)
    assert (kernel.name, kernel.code, kernel.options, kernel.backend) == ("add", SOURCE, ("-DN=4",), "nvcc")
    assert kernel.attributes["max_threads_per_block"] == kernel.max_threads_per_block == 1024
    assert kernel.kernel is kernel


def test_kernels_wait_for_the_whole_grid_where_that_is_enabled(cp):
    source = """
    #include <cooperative_groups.h>
    extern "C" __global__ void pass(int* x) {
        x[blockIdx.x] += 1;
        cooperative_groups::this_grid().sync();
        if (!blockIdx.x) for (int i = 1; i < gridDim.x; ++i) x[0] += x[i];
    }"""
    x = cp.zeros(4, dtype=cp.int32)
    cp.RawKernel(source, "pass", enable_cooperative_groups=True)((4,), (1,), (x,))
    assert x.get().tolist() == [4, 1, 1, 1]


def test_random_numbers_are_those_of_numpy(cp):
    cp.random.seed(3)
    numpy = np.random.RandomState(3)
    np.testing.assert_array_equal(cp.random.rand(2, 3).get(), numpy.rand(2, 3))
    np.testing.assert_array_equal(cp.random.randint(0, 9, size=5).get(), numpy.randint(0, 9, size=5))
    x = cp.random.randn(4, dtype=cp.float32)
    assert (x.dtype, isinstance(x, cp.ndarray)) == (np.float32, True)
    generator = cp.random.default_rng(5)
    np.testing.assert_array_equal(generator.random(4).get(), np.random.default_rng(5).random(4))
    with pytest.raises(AttributeError, match=r"cupy\.random\.unknown is not simulated"):
        _ = cp.random.unknown


def test_comparisons_of_tests_take_arrays_of_the_device(cp):
    x = cp.arange(3)
    cp.testing.assert_array_equal(x, np.arange(3))
    with pytest.raises(AssertionError):
        cp.testing.assert_allclose(x, x + 1)


def test_values_of_the_host_are_set_with_their_shape_only(cp):
    x = cp.zeros((2, 2))
    x.set(np.arange(4).reshape(2, 2), stream=cp.cuda.Stream())
    out = np.empty((2, 2))
    assert x.get(out=out) is out
    assert out.tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match=r"of shape \(2, 2\); found one of \(2,\)"):
        x.set(np.arange(2))


def test_the_memory_pool_counts_what_is_in_use(cp):
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    array = cp.zeros(1024, dtype=cp.float64)
    array += 1
    assert pool.used_bytes() >= before + array.nbytes
    pool.free_all_blocks()


def test_a_name_that_cupy_does_not_have_is_an_attribute_error_that_says_what_there_is(cp):
    with pytest.raises(AttributeError, match=r"cupy\.no_such_name is not simulated; there are RawKernel, "):
        _ = cp.no_such_name
    assert not hasattr(cp, "no_such_name")


def test_the_module_of_an_array_is_the_one_that_is_imported(cp):
    assert cp.get_array_module(cp.zeros(1)) is cp
    assert cp.get_array_module(np.zeros(1)) is np


VARIABLES = r"""
__constant__ float weights[4];
__device__ int counts[2];
__device__ double unused;
extern "C" __global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; atomicAdd(counts, 1); }
extern "C" __global__ void change(const float* x) { const_cast<float*>(x)[0] = 1; }
template <int N> __global__ void count() { atomicAdd(counts + 1, N); }
"""


@pytest.mark.parametrize("checks", ["all", "none"])
def test_variables_of_a_module_are_set_and_read_as_arrays(cp, checks):
    with accel.using(kernel_checks=checks):
        module = cp.RawModule(code=VARIABLES, name_expressions=["count<3>"], options=(f"-DCHECKS={checks}",))
        weights = cp.ndarray(4, cp.float32, module.get_global("weights"))
        weights[...] = cp.asarray([1, 2, 3, 4], dtype=cp.float32)
        counts = cp.ndarray((2,), cp.int32, module.get_global("counts"))
        counts[...] = 0
        x = cp.ones(4, dtype=cp.float32)
        module.get_function("weigh")((1,), (4,), (x,))
        module.get_function("count<3>")((1,), (2,), ())
        assert x.get().tolist() == [1, 2, 3, 4]
        assert counts.get().tolist() == [4, 6]
        assert module.get_global("weights").ptr == weights.data.ptr


def test_variables_of_modules_are_no_memory_in_use(cp):
    pool = cp.get_default_memory_pool()
    code = '__device__ int held[1000]; extern "C" __global__ void take(int* x) { x[0] = held[0]; }'
    module, before = cp.RawModule(code=code), pool.used_bytes()
    assert module.get_global("held").ptr
    assert pool.used_bytes() == before


def test_a_kernel_that_writes_a_constant_by_its_address_is_reported(cp):
    module = cp.RawModule(code=VARIABLES)
    module.get_function("change")((1,), (1,), (module.get_global("weights"),))
    with pytest.raises(KernelMemoryError, match="weights"):
        cp.cuda.Device().synchronize()


def test_variables_are_those_of_a_device(cp):
    module = cp.RawModule(code=VARIABLES)
    results = []
    for index in (1, 2):
        with cp.cuda.Device(index):
            counts = cp.ndarray(2, cp.int32, module.get_global("counts"))
            counts[...] = index
            results.append(counts)
    assert [each.get().tolist() for each in results] == [[1, 1], [2, 2]]


def test_a_variable_that_is_not_there_is_refused_with_those_that_are(cp):
    with pytest.raises(KernelLaunchError, match=r"variable factor; there are: .*weights"):
        cp.RawModule(code=VARIABLES).get_global("factor")


PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "from_cupy.md").read_text(encoding="utf-8")


def names_below(head):
    """Return the names in the first column of the table of the guide that begins with a heading."""
    rows = PAGE.partition(f"| {head} |")[2].split("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([\w.]+)`", row.split("|")[1])]


@rows("name", names_below("stands for CuPy"))
def test_what_the_guide_says_is_there_is_there(cp, name):
    assert attrgetter(name)(cp) is not None


@pytest.mark.parametrize("name", names_below("does not"))
def test_what_the_guide_says_is_not_there_is_an_error_that_says_so(cp, name):
    with pytest.raises(AttributeError, match=f"cupy.{name} is not simulated; "):
        attrgetter(name)(cp)


def test_the_guide_lists_the_functions_of_the_runtime():
    row = next(row for row in PAGE.splitlines() if row.startswith("| `cuda.runtime` |"))
    there = {name for name in dir(runtime) if not name.startswith("_") and callable(getattr(runtime, name))}
    assert {*re.findall(r"`(\w+)`", row.split("|")[2])} == there - {"CUDARuntimeError"}
