// Modules and functions of the driver. A module is a text of fake_nvrtc.py with the addresses of kernels in this process.
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../../backends/cuda_on_cpu/api/launch.h"

using namespace accel_sim;

namespace {

constexpr char COMPILED[] = "compiled for the processor:";

struct Compiled {
    uint64_t entry;
    std::vector<uint32_t> sizes;  // of the parameters
};

struct Module {
    Image image;
    std::map<std::string, Compiled> kernels;
    bool executes;
};

struct Function {
    const Image* image;  // null where kernels are not executed
    Compiled kernel;
    int device;
    uint64_t static_shared;  // of all kernels of its module, which is more than it has itself
    uint64_t shared_limit;   // of its dynamic shared memory
};

template <typename T>
void read(std::istream& words, T& value) {
    uint64_t number = 0;
    words >> number;
    value = (T)number;
}

// A line with the address of the segments and of two functions, and one for each kernel: its name, its entry, and the sizes of its parameters.
void load(Module& module, const char* text) {
    std::istringstream lines(text), words;
    std::string line, name;
    std::getline(lines, line);
    words.str(line);
    Image& image = module.image;
    const Segments* segments = nullptr;
    read(words, segments), read(words, image.launch), read(words, image.release);
    image.segments = *segments;
    while (std::getline(lines, line)) {
        std::istringstream kernel(line);
        kernel >> name;
        Compiled& compiled = module.kernels[name];
        read(kernel, compiled.entry);
        for (uint32_t size; kernel >> size;) compiled.sizes.push_back(size);
    }
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* handle, const void* image) {
    DRIVER_CALL();
    if (const cudaError_t error = refuse_unsafe()) return CUresult(error);
    const char* text = (const char*)image;
    const bool compiled = !strncmp(text, COMPILED, strlen(COMPILED));
    if (!compiled && settings.executes) return CUDA_ERROR_INVALID_IMAGE;
    Module* module = new Module();
    module->executes = compiled;
    if (compiled) load(*module, text + strlen(COMPILED));
    *handle = (CUmodule)module;
    return CUDA_SUCCESS;
}

// Its functions may still be in flight, so the module stays.
CUresult cuModuleUnload(CUmodule) {
    DRIVER_CALL();
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* handle, CUmodule of, const char* name) {
    DRIVER_CALL();
    Module& module = *(Module*)of;
    const uint64_t shared = module.executes ? module.image.segments.shared_size : 0;
    Function* function = new Function{nullptr, {}, context().device, shared, SHARED_BYTES - shared};
    *handle = (CUfunction)function;
    if (!module.executes) return CUDA_SUCCESS;
    const auto kernel = module.kernels.find(name);
    if (kernel == module.kernels.end()) return CUDA_ERROR_NOT_FOUND;
    function->image = &module.image, function->kernel = kernel->second;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    DRIVER_CALL();
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_NOT_SUPPORTED;
    Function& of = *(Function*)function;
    if (value < 0 || of.static_shared + uint64_t(value) > MOST_SHARED_BYTES) return CUDA_ERROR_INVALID_VALUE;
    of.shared_limit = uint64_t(value);
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    const Function& of = *(Function*)function;
    const bool limit = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    *value = limit ? int(of.shared_limit) : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? int(of.static_shared) : 0;
    return CUDA_SUCCESS;
}

cudaError_t accel_sim_resident_blocks(int* blocks, int threads, size_t shared);

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, size_t shared) {
    DRIVER_CALL();
    return CUresult(accel_sim_resident_blocks(blocks, threads, shared + ((Function*)function)->static_shared));
}

namespace {

CUresult launch(const Call& call, CUfunction handle, Dim grid, Dim block, unsigned shared, CUstream on, void** parameters,
                bool cooperative) {
    const Function& function = *(Function*)handle;
    const Stream* stream = stream_for(call, on);
    if (!stream || stream->device != context().device || function.device != context().device)
        return CUresult(misused(cudaErrorInvalidResourceHandle, call, "the stream or the kernel is of another device"));
    if (shared > function.shared_limit)
        return CUresult(misused(cudaErrorInvalidValue, call, "more shared memory than the kernel may have"));
    const Kernel kernel = {function.image, (void (*)(void**))function.kernel.entry, grid, block, shared, cooperative};
    if (const cudaError_t error = check_launch(call, kernel))
        return error == cudaErrorInvalidConfiguration ? CUDA_ERROR_INVALID_VALUE : CUresult(error);
    if (!settings.executes) return CUDA_SUCCESS;
    const auto& sizes = function.kernel.sizes;
    return CUresult(submit_launch(call, kernel, parameters, sizes.data(), uint32_t(sizes.size()), on));
}

}  // namespace

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared, CUstream on, void** parameters) {
    DRIVER_CALL();
    return launch(call, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, on, parameters, true);
}

CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream on, void** parameters, void** extra) {
    DRIVER_CALL();
    if (extra) return CUDA_ERROR_NOT_SUPPORTED;
    return launch(call, handle, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, on, parameters, false);
}
