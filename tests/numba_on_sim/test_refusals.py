import numpy as np
import pytest

from accel.errors import CapabilityError


@pytest.fixture
def kernel(cuda):
    @cuda.jit("void(float32[::1])")
    def kernel(x):
        x[cuda.grid(1)] = 1

    return kernel


@pytest.mark.parametrize("name", ["inspect_asm", "inspect_sass", "inspect_sass_cfg", "inspect_lto_ptx"])
def test_code_of_gpus_is_refused(kernel, name):
    with pytest.raises(CapabilityError, match=r"is not simulated: .*inspect_llvm\(\)"):
        getattr(kernel, name)()


@pytest.mark.parametrize("name", ["compile_ptx", "compile_ptx_for_current_device"])
def test_ptx_is_refused(cuda, name):
    options = {"cc": (9, 0)} if name == "compile_ptx" else {}
    with pytest.raises(CapabilityError, match="PTX is not simulated"):
        getattr(cuda, name)(lambda x: None, "void(float32[::1])", **options)


def test_sharing_between_processes_is_refused(cuda):
    with pytest.raises(CapabilityError, match="IPC"):
        cuda.to_device(np.zeros(3)).get_ipc_handle()


def test_other_functions_of_the_driver_are_refused_by_name(cuda):
    from cuda.bindings import driver

    with pytest.raises(CapabilityError, match="cuGraphCreate of CUDA's driver is not simulated"):
        driver.cuGraphCreate(0)


def test_graphs_and_linkers_are_refused(cuda):
    from cuda.core import Device, Linker

    with pytest.raises(CapabilityError, match=r"Device\.create_graph_builder"):
        Device().create_graph_builder()
    with pytest.raises(CapabilityError, match="linking without CUDA text"):
        Linker()


def test_files_that_cannot_be_linked_raise_what_numba_cuda_raises(cuda):
    from numba.cuda.cudadrv.driver import LinkerError

    def compiled_with(file):
        return cuda.jit("void()", link=[file])(lambda: None)

    with pytest.raises(RuntimeError, match="file with no extension"):
        compiled_with("data")
    with pytest.raises(RuntimeError, match=r"file with extension \.cuh"):
        compiled_with("header.cuh")
    with pytest.raises(LinkerError, match=r"missing\.a not found"):
        compiled_with("missing.a")


def test_a_block_that_is_larger_than_the_bounds_of_the_kernel(cuda):
    kernel = cuda.jit(launch_bounds=(64, 2))(lambda: None)
    kernel[1, 64]()
    with pytest.raises(Exception, match=r"CUDA_ERROR_INVALID_VALUE: .*64"):
        kernel[1, 65]()


def test_a_block_that_is_too_large(cuda, kernel):
    with pytest.raises(Exception, match=r"CUDA_ERROR_INVALID_VALUE: .*1024"):
        kernel[1, 1025](cuda.device_array(2000, np.float32))
