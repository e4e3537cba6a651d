// The numbers of kernels that are written in Python, for CUDA, HIP and, in tests, the host. Integers wrap around.

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

// The types of distances in memory, and of numbers of iterations: of 32 bits where all of them fit.
#if ACCEL_INDEX == 32
typedef i32 index_t;
typedef u32 count_t;
#else
typedef i64 index_t;
typedef u64 count_t;
#endif

template <unsigned BYTES>
struct BitsOf {
    typedef u32 type;
};
template <>
struct BitsOf<8> {
    typedef u64 type;
};
// Unsigned numbers for arithmetic that wraps around; C++ computes with 32 bits at least.
template <typename T>
using Bits = typename BitsOf<sizeof(T)>::type;

template <typename From, typename To>
union SameBits {
    From from;
    To to;
    __device__ explicit SameBits(From x) : from(x) {}
};
template <typename To, typename From>
__device__ inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits as another type");
    return SameBits<From, To>(from).to;
}
template <typename T>
__device__ inline T infinity() {
    return T(bits_as<f32>(0x7F800000u));
}
template <typename T>
__device__ inline T not_a_number() {
    return T(bits_as<f32>(0x7FC00000u));
}

template <typename T>
__device__ inline T add(T x, T y) {
    return T(Bits<T>(x) + Bits<T>(y));
}
__device__ inline f32 add(f32 x, f32 y) { return x + y; }
__device__ inline f64 add(f64 x, f64 y) { return x + y; }
template <typename T>
__device__ inline T sub(T x, T y) {
    return T(Bits<T>(x) - Bits<T>(y));
}
template <typename T>
__device__ inline T mul(T x, T y) {
    return T(Bits<T>(x) * Bits<T>(y));
}
template <typename T>
__device__ inline T negative(T x) {
    return T(-Bits<T>(x));
}
template <typename T>
__device__ inline bool is_signed() {
    return T(-1) < T(0);
}
template <typename T>
__device__ inline T floordiv(T x, T y) {
    if (y == 0) return 0;
    if (is_signed<T>() && y == T(-1)) return negative(x);
    return T(x / y - (x % y != 0 && (x < 0) != (y < 0)));
}
template <typename T>
__device__ inline T mod(T x, T y) {
    if (y == 0 || (is_signed<T>() && y == T(-1))) return 0;
    const T rest = T(x % y);
    return rest != 0 && (x < 0) != (y < 0) ? T(rest + y) : rest;
}
// A negative exponent gives the whole part: 0, unless x is 1 or -1.
template <typename T>
__device__ inline T power(T x, T y) {
    if (y < 0) return x == 1 ? T(1) : is_signed<T>() && x == T(-1) ? (y & 1 ? x : T(1)) : T(0);
    T made = 1;
    for (; y != 0; y = T(y >> 1), x = mul(x, x))
        if (y & 1) made = mul(made, x);
    return made;
}
template <typename T>
__device__ inline T shifted_left(T x, T by) {
    return Bits<T>(by) < 8 * sizeof(T) ? T(Bits<T>(x) << by) : T(0);
}
template <typename T>
__device__ inline T shifted_right(T x, T by) {
    return Bits<T>(by) < 8 * sizeof(T) ? T(x >> by) : T(x < 0 ? -1 : 0);
}
template <typename T>
__device__ inline T absolute(T x) {
    return x < 0 ? negative(x) : x;
}
template <typename T>
__device__ inline T population(T x) {
    const u64 bits = u64(x) & ~0ull >> (64 - 8 * sizeof(T));
#ifdef __CUDA_ARCH__
    return T(__popcll(bits));
#else
    return T(__builtin_popcountll(bits));
#endif
}
template <typename T>
__device__ inline T squared(T x) {
    return mul(x, x);
}
__device__ inline f32 squared(f32 x) { return x * x; }
__device__ inline f64 squared(f64 x) { return x * x; }

// NaN if one of them is NaN; -0 is less than 0.
template <typename T>
__device__ inline T least(T x, T y) {
    return x < y || x != x ? x : x == T(0.0f) && y == T(0.0f) ? T(-(-x - y)) : y;
}
template <typename T>
__device__ inline T greatest(T x, T y) {
    return x > y || x != x ? x : x == T(0.0f) && y == T(0.0f) ? T(x + y) : y;
}
template <typename T>
__device__ inline T sign(T x) {
    return x != x ? x : T((x > 0) - (x < 0));
}

// The number without its fraction, or the nearest number of the type; NaN becomes 0.
template <typename T, typename F>
__device__ inline T to_integer(F x) {
    const T most = T(~Bits<T>(0) >> (8 * (sizeof(Bits<T>) - sizeof(T)) + is_signed<T>()));
    const T lowest = is_signed<T>() ? T(-most - 1) : T(0);
    const F above = F(u64(most) / 2 + 1) * F(2);
    if (x >= above) return most;
    if (x != x) return 0;
    return x > F(lowest) ? T(x) : lowest;
}
