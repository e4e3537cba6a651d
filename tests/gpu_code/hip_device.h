// The built-ins of hiprtc that our kernels use, for a clang without ROCm; enough to compile, not to run.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __syncthreads()                                  \
    (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), \
     __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct Index3 {
    unsigned x, y, z;
};
#define threadIdx (Index3{__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), 0})
#define blockIdx (Index3{__builtin_amdgcn_workgroup_id_x(), 0, 0})
#define blockDim (Index3{__builtin_amdgcn_workgroup_size_x(), 0, 0})
#define gridDim (Index3{__builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(), 0, 0})

__device__ inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
__device__ inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned __int128)a * b >> 64;
}
template <typename T>
__device__ inline T min(T a, T b) {
    return b < a ? b : a;
}
