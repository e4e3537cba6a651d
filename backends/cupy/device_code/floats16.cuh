// float16 and bfloat16: 16 bits in memory; kernels compute with float32, and round the result of each operation.

struct f16 {
    u16 bits;
    f16() = default;
#ifdef __CUDA_ARCH__
    __device__ explicit f16(f32 x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    __device__ explicit f16(f64 x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x)); }
    __device__ operator f32() const {
        f32 x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
#else
    __device__ explicit f16(f32 x) : bits(bits_as<u16>(_Float16(x))) {}
    __device__ explicit f16(f64 x) : bits(bits_as<u16>(_Float16(x))) {}
    __device__ operator f32() const { return bits_as<_Float16>(bits); }
#endif
};

struct bf16 {
    u16 bits;
    bf16() = default;
    __device__ explicit bf16(f32 x) {
        const u32 all = bits_as<u32>(x);
        bits = x != x ? all >> 16 & 0x8000 | 0x7FC0 : all + 0x7FFF + (all >> 16 & 1) >> 16;
    }
    __device__ explicit bf16(f64 x) : bf16(f32(x)) {}
    __device__ operator f32() const { return bits_as<f32>(u32(bits) << 16); }
};

__device__ inline f16 add(f16 x, f16 y) { return f16(f32(x) + f32(y)); }
__device__ inline bf16 add(bf16 x, bf16 y) { return bf16(f32(x) + f32(y)); }

// The next number after x towards y.
template <typename T>
__device__ inline T next_after(T x, T y) {
    if (x != x || y != y) return T(not_a_number<f32>());
    if (x == y) return y;
    T next = x;
    if (x == 0.0f)
        next.bits = y < 0.0f ? 0x8001 : 1;
    else
        next.bits = (x < y) == (x > 0.0f) ? x.bits + 1 : x.bits - 1;
    return next;
}
