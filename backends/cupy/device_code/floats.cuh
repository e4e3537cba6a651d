// Functions of float32 and float64 as Python and NumPy define them.

__device__ inline f32 fmod_of(f32 x, f32 y) { return fmodf(x, y); }
__device__ inline f64 fmod_of(f64 x, f64 y) { return fmod(x, y); }
__device__ inline f32 floor_of(f32 x) { return floorf(x); }
__device__ inline f64 floor_of(f64 x) { return floor(x); }
__device__ inline f32 copysign_of(f32 x, f32 y) { return copysignf(x, y); }
__device__ inline f64 copysign_of(f64 x, f64 y) { return copysign(x, y); }

// The remainder has the sign of the divisor.
template <typename T>
__device__ inline T float_mod(T x, T y) {
    const T rest = fmod_of(x, y);
    if (y == 0) return rest;
    if (rest == 0) return copysign_of(T(0), y);
    return (y < 0) != (rest < 0) ? rest + y : rest;
}
template <typename T>
__device__ inline T float_floordiv(T x, T y) {
    if (y == 0) return x / y;
    T rest = fmod_of(x, y), quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return copysign_of(T(0), x / y);
    const T whole = floor_of(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
}
__device__ inline bool is_nan(f64 x) { return x != x; }
__device__ inline bool is_infinite(f64 x) { return x == infinity<f64>() || x == -infinity<f64>(); }
__device__ inline bool is_finite(f64 x) { return x - x == 0; }
__device__ inline bool has_sign(f64 x) { return bits_as<i64>(x) < 0; }
