// Modules, functions and launches. A module is the path of a library in which the kernels are compiled for the host.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "machine.h"

using namespace fake;

namespace {

using Bytes = std::vector<char>;
using Kernel = const char* (*)(const unsigned* grid, const unsigned* block, unsigned shared, uint64_t seed, void**);

constexpr char COMPILED[] = "compiled for the host: ";

struct Module {
    void* library;  // null where kernels are not executed
};

struct Function {
    Kernel kernel;
    std::vector<unsigned> sizes;  // of the parameters
    int device;
    int shared_limit = SHARED_BYTES;
};

struct Extents {
    unsigned x, y, z;
    bool within(unsigned most_x, unsigned most_y, unsigned most_z) const {
        return x && y && z && x <= most_x && y <= most_y && z <= most_z;
    }
};

// Each call of the driver needs a context; calls of the runtime make one.
CUresult state() {
    if (!has_context()) return CUDA_ERROR_INVALID_CONTEXT;
    return is_lost(current_device()) ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

std::vector<unsigned> sizes_of(void* library, const std::string& name) {
    auto sizes = reinterpret_cast<unsigned* (*)()>(dlsym(library, ("sizes_of_" + name).c_str()));
    std::vector<unsigned> found;
    for (unsigned* each = sizes(); *each; each++) found.push_back(*each);
    return found;
}

// The values are taken when the kernel is launched.
std::vector<Bytes> values_of(const Function& function, void** parameters) {
    std::vector<Bytes> found;
    for (size_t each = 0; each < function.sizes.size(); each++) {
        auto* first = static_cast<char*>(parameters[each]);
        found.emplace_back(first, first + function.sizes[each]);
    }
    return found;
}

void execute(Kernel kernel, Extents grid, Extents block, unsigned shared, uint64_t seed, std::vector<Bytes> values) {
    std::vector<void*> parameters;
    for (auto& each : values) parameters.push_back(each.data());
    const char* error = kernel(&grid.x, &block.x, shared, seed, parameters.data());
    if (!error) return;
    fprintf(stderr, "fake CUDA: a kernel fails: %s\n", error);
    abort();
}

CUresult refusal(const Function& function, Extents grid, Extents block, unsigned shared, const StreamOf& stream) {
    bool fits = grid.within(MOST_BLOCKS_X, MOST_BLOCKS_YZ, MOST_BLOCKS_YZ) && block.within(1024, 1024, 64);
    if (!fits || size_t{block.x} * block.y * block.z > MOST_THREADS) return CUDA_ERROR_INVALID_VALUE;
    if (shared > static_cast<unsigned>(function.shared_limit)) return CUDA_ERROR_INVALID_VALUE;
    if (!stream || stream->device != current_device()) return CUDA_ERROR_INVALID_HANDLE;
    return function.device == current_device() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace

API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    Lock lock(machine);
    if (auto refused = state()) return refused;
    auto* text = static_cast<const char*>(image);
    void* library = nullptr;
    if (!strncmp(text, COMPILED, strlen(COMPILED))) {
        library = dlopen(text + strlen(COMPILED), RTLD_NOW | RTLD_LOCAL);
        if (!library) return CUDA_ERROR_INVALID_IMAGE;
    } else if (settings.executes) {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    *module = reinterpret_cast<CUmodule>(new Module{library});
    return CUDA_SUCCESS;
}

// Its functions may still be in flight, so the library stays.
API CUresult cuModuleUnload(CUmodule) { return state(); }

API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    Lock lock(machine);
    if (auto refused = state()) return refused;
    void* library = reinterpret_cast<Module*>(module)->library;
    auto* found = new Function{nullptr, {}, current_device()};
    if (library) {
        found->kernel = reinterpret_cast<Kernel>(dlsym(library, (std::string("launch_") + name).c_str()));
        if (!found->kernel) return CUDA_ERROR_NOT_FOUND;
        found->sizes = sizes_of(library, name);
    }
    *function = reinterpret_cast<CUfunction>(found);
    return CUDA_SUCCESS;
}

API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    count(__func__);
    if (auto refused = state()) return refused;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_NOT_SUPPORTED;
    if (value < 0 || value > MOST_SHARED_BYTES) return CUDA_ERROR_INVALID_VALUE;
    reinterpret_cast<Function*>(function)->shared_limit = value;
    return CUDA_SUCCESS;
}

API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    bool known = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    *value = known ? reinterpret_cast<Function*>(function)->shared_limit : 0;
    return CUDA_SUCCESS;
}

API CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters,
                            void** extra) {
    count(__func__);
    Lock lock(machine);
    if (auto refused = state()) return refused;
    auto& function = *reinterpret_cast<Function*>(handle);
    Extents grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    auto on = stream_of(stream);
    if (auto refused = refusal(function, grid, block, shared, on)) return refused;
    if (!settings.executes) return CUDA_SUCCESS;
    if (extra) return CUDA_ERROR_NOT_SUPPORTED;
    auto values = values_of(function, parameters);
    auto kernel = function.kernel;
    submit(on, [=, seed = draw()] { execute(kernel, grid, block, shared, seed, values); });
    return CUDA_SUCCESS;
}
