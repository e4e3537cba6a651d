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
#define HIP_INDEX(what) (Index3{__builtin_amdgcn_##what##_x(), __builtin_amdgcn_##what##_y(), __builtin_amdgcn_##what##_z()})
#define threadIdx HIP_INDEX(workitem_id)
#define blockIdx HIP_INDEX(workgroup_id)
#define blockDim HIP_INDEX(workgroup_size)
#define HIP_BLOCKS(axis) (__builtin_amdgcn_grid_size_##axis() / __builtin_amdgcn_workgroup_size_##axis())
#define gridDim (Index3{HIP_BLOCKS(x), HIP_BLOCKS(y), HIP_BLOCKS(z)})

__device__ inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
__device__ inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned __int128)a * b >> 64;
}
template <typename T>
__device__ inline T min(T a, T b) {
    return b < a ? b : a;
}

__device__ inline int __shfl(int value, int lane) { return __builtin_amdgcn_ds_bpermute(lane << 2, value); }
__device__ inline unsigned long long __ballot(bool condition) {
#ifdef __GFX9__  // wavefronts of 64; newer compilers do not say their size
    return __builtin_amdgcn_ballot_w64(condition);
#else
    return __builtin_amdgcn_ballot_w32(condition);
#endif
}

#define HIP_ATOMIC(name, operation)                                                                 \
    template <typename T>                                                                           \
    __device__ inline T name(T* at, T value) {                                                      \
        return __hip_atomic_fetch_##operation(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
    }
HIP_ATOMIC(atomicAdd, add)
HIP_ATOMIC(atomicMin, min)
HIP_ATOMIC(atomicMax, max)
template <typename T>
__device__ inline T atomicCAS(T* at, T expected, T value) {
    __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __HIP_MEMORY_SCOPE_AGENT);
    return expected;
}

// In ROCm these are in a library of its own.
#define HIP_FUNCTION(name)                      \
    extern "C" __device__ float name##f(float); \
    extern "C" __device__ double name(double);
#define HIP_FUNCTION_OF_TWO(name)                      \
    extern "C" __device__ float name##f(float, float); \
    extern "C" __device__ double name(double, double);
HIP_FUNCTION(acos)
HIP_FUNCTION(acosh)
HIP_FUNCTION(asin)
HIP_FUNCTION(asinh)
HIP_FUNCTION(atan)
HIP_FUNCTION(atanh)
HIP_FUNCTION(cbrt)
HIP_FUNCTION(ceil)
HIP_FUNCTION(cos)
HIP_FUNCTION(cosh)
HIP_FUNCTION(erf)
HIP_FUNCTION(erfc)
HIP_FUNCTION(exp)
HIP_FUNCTION(exp2)
HIP_FUNCTION(expm1)
HIP_FUNCTION(fabs)
HIP_FUNCTION(floor)
HIP_FUNCTION(log)
HIP_FUNCTION(log10)
HIP_FUNCTION(log1p)
HIP_FUNCTION(log2)
HIP_FUNCTION(rint)
HIP_FUNCTION(sin)
HIP_FUNCTION(sinh)
HIP_FUNCTION(sqrt)
HIP_FUNCTION(tan)
HIP_FUNCTION(tanh)
HIP_FUNCTION(trunc)
HIP_FUNCTION_OF_TWO(atan2)
HIP_FUNCTION_OF_TWO(copysign)
HIP_FUNCTION_OF_TWO(fmod)
HIP_FUNCTION_OF_TWO(hypot)
HIP_FUNCTION_OF_TWO(nextafter)
HIP_FUNCTION_OF_TWO(pow)
