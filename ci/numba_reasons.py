"""Why tests of numba-cuda do not pass on simulated devices: patterns of test and outcome, with a reason."""

__all__ = ["REASONS"]

REASONS = [
    (r"skipped", "the test is for the simulator, and is skipped everywhere else"),
    (r"xfailed", "numba-cuda expects it to fail everywhere but under its simulator"),
    (r"^benchmarks/", "it needs the package pytest-benchmark, and is skipped under the simulator"),
    (r"PTX is not simulated|inspect_asm|Asm", "it reads PTX, which is not made"),
    (
        r"code that is compiled|which is ptx|which is a for|which is (str|cuh) for",
        "it links with PTX or compiled code, or reads the message about that",
    ),
    (r"machine code of a GPU|SASS|cubin", "it reads machine code of a GPU"),
    (
        r"test_nvvm|LTO|lto|libdevice_load|nvJitLink|library_lookup",
        "it calls a library of NVIDIA that is not there: NVVM, NVRTC, nvJitLink, libdevice",
    ),
    (
        r"test_init_failure|test_cuda_disabled|TestVisibleDevices",
        "it tests how the driver of a GPU fails to start, or is hidden",
    ),
    (
        r"test_struct_model_type_arr",
        "its kernel writes 10 elements of an array of one: np.array((10,)) stands for np.empty",
    ),
    (r"create_graph_builder", "graphs of cuda.core are not simulated"),
    (
        r"StridedMemoryView|test_strided_memory_view|DynamicLibNotFoundError",
        "it makes a StridedMemoryView of cuda.core, which asks the driver of a GPU",
    ),
    (r"inline PTX", "inline PTX that is not simulated"),
    (r"set_registers|regs_per_thread", "registers are those of a GPU"),
    (r"linking_cu_error|linking_cu_log_warning", "it reads messages of NVRTC"),
    (
        r"test_cpu_and_cuda_(targets|reuse)",
        "numba 0.68 marks caches with a hash and numba-cuda with a time, so each empties the index of the other",
    ),
    (
        r"test_dispatcher_cpointer_arguments",
        "its kernel reads 16 elements of arrays of 10",
    ),
    (
        r"random.py::TestRandom::test_ex_3d_grid.*MEMORY",
        "its array of 1.8 GB is larger than the memory of a simulated device, 1 GiB",
    ),
    (r"test_no_impl_import", "it looks at what a new process has imported, in which ours has imported more"),
    (r"test_dump_assembly", "it reads PTX, which is not made"),
    (r"ipc|Ipc|IPC", "memory is not shared between processes"),
    (r"test_lineinfo|no_lineinfo", "all kernels have lines here, for reports"),
    (r"KernelTimeoutError", "a kernel takes longer than the limit of 600 s with its checks on a slow machine"),
]
