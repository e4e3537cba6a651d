import numpy as np
import pytest

from accel.errors import CapabilityError, KernelMemoryError

TEXT = """
#include "factors.h"
__device__ int offset = 5;

extern "C" __global__ void scale(float* x, float factor, long long n) {
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor * FACTOR + offset;
}
"""


@pytest.fixture
def code(cuda, tmp_path):
    from cuda.core import Program, ProgramOptions

    (tmp_path / "factors.h").write_text("#define FACTOR 2\n")
    return Program(TEXT, "c++", ProgramOptions(arch="sm_90", include_path=[str(tmp_path)])).compile("cubin")


def test_a_kernel_in_cuda_is_launched_by_cuda_core(cuda, code):
    from cuda.core import Device, LaunchConfig, launch

    device = Device()
    device.set_current()
    stream = device.create_stream()
    array = cuda.to_device(np.arange(100, dtype=np.float32))
    arguments = array.device_ctypes_pointer, np.float32(3), 100
    launch(stream, LaunchConfig(grid=4, block=32), code.get_kernel("scale"), *arguments)
    stream.sync()
    np.testing.assert_array_equal(array.copy_to_host(), np.arange(100, dtype=np.float32) * 6 + 5)


def test_variables_are_set_from_the_host(cuda, code):
    from numba.cuda.cudadrv import driver

    module = cuda.current_context().create_module_image(code)
    variable, size = module.get_global_symbol("offset")
    assert size == 4
    driver.host_to_device(variable, np.array([7], np.int32), 4)
    value = np.zeros(1, np.int32)
    driver.device_to_host(value, variable, 4)
    assert value == 7
    with pytest.raises(driver.CudaAPIError, match="NOT_FOUND"):
        module.get_global_symbol("missing")


def test_what_it_does_wrong_is_raised_by_the_next_wait(cuda, code):
    from cuda.core import Device, LaunchConfig, launch

    array = cuda.device_array(10, np.float32)
    arguments = array.device_ctypes_pointer, np.float32(3), 100
    launch(Device().default_stream, LaunchConfig(grid=4, block=32), code.get_kernel("scale"), *arguments)
    with pytest.raises(KernelMemoryError, match="out of bounds in kernel scale"):
        cuda.synchronize()


def test_buffers_of_cuda_core_are_bytes(cuda):
    from cuda.core import Device

    @cuda.jit
    def fill(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = i

    Device().set_current()
    buffer = Device().allocate(100)
    fill[4, 32](buffer)
    result = np.zeros(100, np.uint8)
    from numba.cuda.cudadrv import driver

    driver.driver.cuMemcpyDtoH(result.ctypes.data, int(buffer.handle), 100)
    np.testing.assert_array_equal(result, np.arange(100))


def test_functions_in_cuda_are_called_by_kernels_in_python(cuda):
    triple = cuda.declare_device("triple", "float32(float32)")
    text = 'extern "C" __device__ int triple(float* result, float x) { *result = 3 * x; return 0; }'

    @cuda.jit(link=[cuda.CUSource(text)])
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = triple(x[i])

    array = cuda.to_device(np.arange(10, dtype=np.float32))
    kernel[1, 32](array)
    np.testing.assert_array_equal(array.copy_to_host(), 3 * np.arange(10))


def test_headers_are_found_where_numba_cuda_looks_for_them(cuda, tmp_path, monkeypatch):
    from numba.cuda.core import config

    (tmp_path / "factor.cuh").write_text("#define FACTOR 5\n")
    monkeypatch.setattr(config, "CUDA_NVRTC_EXTRA_SEARCH_PATHS", f"{tmp_path}:")
    text = (
        '#include "factor.cuh"\nextern "C" __device__ int scale(int* result, int x) { *result = FACTOR * x; return 0; }'
    )
    scale = cuda.declare_device("scale", "int32(int32)", link=cuda.CUSource(text))

    @cuda.jit
    def kernel(x):
        x[0] = scale(x[0])

    array = cuda.to_device(np.full(1, 3, np.int32))
    kernel[1, 1](array)
    assert array.copy_to_host() == 15


def test_setup_functions_get_the_module(cuda):
    seen = []
    source = cuda.CUSource("__device__ int number = 3;", setup_callback=seen.append)

    @cuda.jit(link=[source])
    def kernel():
        pass

    kernel[1, 1]()
    kernel[1, 1]()
    [code] = seen
    from cuda.core import ObjectCode

    assert isinstance(code, ObjectCode)


def test_code_that_is_compiled_is_refused(cuda):
    from cuda.core import ObjectCode, Program

    for make in (ObjectCode.from_ptx, ObjectCode.from_cubin, ObjectCode.from_ltoir):
        with pytest.raises(CapabilityError, match="link CUDA sources"):
            make(b"")
    with pytest.raises(CapabilityError, match="a program in ptx"):
        Program("", "ptx")
