// Complex numbers as vectors of two, as in CUDA's header of this name.
#pragma once

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define ACCEL_SIM_COMPLEX(Complex, Real, Name, suffix, hypotenuse)                                                       \
    inline Complex make_cu##Name(Real real, Real imaginary) { return {real, imaginary}; }                            \
    inline Real cuCreal##suffix(Complex a) { return a.x; }                                                      \
    inline Real cuCimag##suffix(Complex a) { return a.y; }                                                      \
    inline Complex cuConj##suffix(Complex a) { return {a.x, -a.y}; }                                            \
    inline Complex cuCadd##suffix(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }                      \
    inline Complex cuCsub##suffix(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }                      \
    inline Complex cuCmul##suffix(Complex a, Complex b) {                                                       \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                    \
    }                                                                                                             \
    /* Scaled, so that squares do not overflow. */                                                                \
    inline Complex cuCdiv##suffix(Complex a, Complex b) {                                                       \
        const Real scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                                 \
        const Real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                        \
        const Real factor = 1 / (bx * bx + by * by);                                                              \
        return {(ax * bx + ay * by) * factor, (ay * bx - ax * by) * factor};                                      \
    }                                                                                                             \
    inline Real cuCabs##suffix(Complex a) { return hypotenuse(a.x, a.y); }                                            \
    inline Complex cuCfma##suffix(Complex a, Complex b, Complex c) {                                            \
        return {a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y};                                        \
    }
ACCEL_SIM_COMPLEX(cuFloatComplex, float, FloatComplex, f, __builtin_hypotf)
ACCEL_SIM_COMPLEX(cuDoubleComplex, double, DoubleComplex, , __builtin_hypot)
#undef ACCEL_SIM_COMPLEX

inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {float(a.x), float(a.y)}; }
