// Functions and operators of a floating-point type of 16 bits. Included once for each type, after float16_type.h.
//
// Sums, differences, products, quotients and roots of float, rounded again, are what one rounding gives: float has more
// than twice the digits. Only a fused multiply-add needs more.

#define F_CALL ACCEL_SIM_INLINE F
#define F2_CALL ACCEL_SIM_INLINE F2

ACCEL_SIM_INLINE F __hfma(F a, F b, F c) {
    return accel_sim::raw<F>(accel_sim::fused<F_FORMAT>(a.__x, b.__x, c.__x));
}
ACCEL_SIM_INLINE F __hneg(F a) { return accel_sim::raw<F>(a.__x ^ 0x8000); }
ACCEL_SIM_INLINE F __habs(F a) { return accel_sim::raw<F>(a.__x & 0x7fff); }
ACCEL_SIM_INLINE bool __hisnan(F a) { return (a.__x & 0x7fff) > F_FORMAT::INFINITY_BITS; }
// 1 for infinity, -1 for -infinity.
ACCEL_SIM_INLINE int __hisinf(F a) {
    return (a.__x & 0x7fff) != F_FORMAT::INFINITY_BITS ? 0 : a.__x & 0x8000 ? -1 : 1;
}

// --- arithmetic: of scalars, of vectors, and operators

#define ACCEL_SIM_BOTH(name, expression)                                \
    F_CALL name(F a, F b) { return expression; }                        \
    F2_CALL name##2(F2 a, F2 b) { return F2(name(a.x, b.x), name(a.y, b.y)); }
#define ACCEL_SIM_ARITHMETIC(name, symbol)                              \
    ACCEL_SIM_BOTH(name, F(float(a) symbol float(b)))                   \
    ACCEL_SIM_BOTH(name##_rn, name(a, b))                               \
    ACCEL_SIM_BOTH(name##_sat, accel_sim::saturated(name(a, b)))        \
    ACCEL_SIM_OPERATOR(F, name, symbol)                                 \
    ACCEL_SIM_OPERATOR(F2, name##2, symbol)
#define ACCEL_SIM_OPERATOR(Type, name, symbol)                                                       \
    ACCEL_SIM_INLINE Type operator symbol(const Type& a, const Type& b) { return name(a, b); }       \
    ACCEL_SIM_INLINE Type& operator symbol##=(Type& a, const Type& b) { return a = name(a, b); }

namespace accel_sim {
ACCEL_SIM_INLINE F saturated(F value) {
    const float number = value;
    return number >= 1 ? F(1.0f) : number > 0 ? value : F(0.0f);
}
}  // namespace accel_sim

ACCEL_SIM_ARITHMETIC(__hadd, +)
ACCEL_SIM_ARITHMETIC(__hsub, -)
ACCEL_SIM_ARITHMETIC(__hmul, *)
ACCEL_SIM_INLINE F __hdiv(F a, F b) { return F(float(a) / float(b)); }
ACCEL_SIM_INLINE F2 __h2div(F2 a, F2 b) { return F2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
ACCEL_SIM_OPERATOR(F, __hdiv, /)
ACCEL_SIM_OPERATOR(F2, __h2div, /)

#define ACCEL_SIM_FUSED(name, expression)                              \
    F_CALL name(F a, F b, F c) { return expression; }                  \
    ACCEL_SIM_FUSED2(name##2, name)
#define ACCEL_SIM_FUSED2(name2, name) \
    F2_CALL name2(F2 a, F2 b, F2 c) { return F2(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); }
ACCEL_SIM_FUSED2(__hfma2, __hfma)
#define ACCEL_SIM_RELU(value) (float(value) > 0 || __hisnan(value) ? (value) : F(0.0f))
ACCEL_SIM_FUSED(__hfma_relu, ACCEL_SIM_RELU(__hfma(a, b, c)))
ACCEL_SIM_FUSED(__hfma_sat, accel_sim::saturated(__hfma(a, b, c)))
// Vectors as complex numbers.
ACCEL_SIM_INLINE F2 __hcmadd(F2 a, F2 b, F2 c) {
    return F2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// NaN is missing data, except for the functions whose name says otherwise; -0 is less than 0.
ACCEL_SIM_BOTH(__hmax, __hisnan(a)   ? b
                       : __hisnan(b) ? a
                       : float(a) == float(b) ? (a.__x & 0x8000 ? b : a) : float(a) > float(b) ? a : b)
ACCEL_SIM_BOTH(__hmin, __hneg(__hmax(__hneg(a), __hneg(b))))
ACCEL_SIM_BOTH(__hmax_nan, __hisnan(a) || __hisnan(b) ? accel_sim::raw<F>(F_FORMAT::NAN_BITS) : __hmax(a, b))
ACCEL_SIM_BOTH(__hmin_nan, __hisnan(a) || __hisnan(b) ? accel_sim::raw<F>(F_FORMAT::NAN_BITS) : __hmin(a, b))

ACCEL_SIM_INLINE F operator-(const F& a) { return __hneg(a); }
ACCEL_SIM_INLINE F operator+(const F& a) { return a; }
ACCEL_SIM_INLINE F& operator++(F& a) { return a = __hadd(a, F(1)); }
ACCEL_SIM_INLINE F& operator--(F& a) { return a = __hsub(a, F(1)); }
ACCEL_SIM_INLINE F operator++(F& a, int) {
    const F old = a;
    ++a;
    return old;
}
ACCEL_SIM_INLINE F operator--(F& a, int) {
    const F old = a;
    --a;
    return old;
}
ACCEL_SIM_INLINE F2 __hneg2(F2 a) { return F2(__hneg(a.x), __hneg(a.y)); }
ACCEL_SIM_INLINE F2 __habs2(F2 a) { return F2(__habs(a.x), __habs(a.y)); }
ACCEL_SIM_INLINE F2 __hisnan2(F2 a) { return F2(F(int(__hisnan(a.x))), F(int(__hisnan(a.y)))); }
ACCEL_SIM_INLINE F2 operator-(const F2& a) { return __hneg2(a); }
ACCEL_SIM_INLINE F2 operator+(const F2& a) { return a; }

// --- comparisons: u is true for NaN; 2 gives 1 or 0 for each, b2 whether both are true, _mask all bits or none

#define ACCEL_SIM_COMPARISON(name, ordered)                                                                      \
    ACCEL_SIM_COMPARISON_(name, ordered)                                                                         \
    ACCEL_SIM_COMPARISON_(name##u, (__hisnan(a) || __hisnan(b) || (ordered)))
#define ACCEL_SIM_COMPARISON_(name, expression)                                                                  \
    ACCEL_SIM_INLINE bool __h##name(F a, F b) { return expression; }                                             \
    ACCEL_SIM_INLINE F2 __h##name##2(F2 a, F2 b) {                                                               \
        return F2(F(int(__h##name(a.x, b.x))), F(int(__h##name(a.y, b.y))));                                     \
    }                                                                                                            \
    ACCEL_SIM_INLINE bool __hb##name##2(F2 a, F2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }        \
    ACCEL_SIM_INLINE unsigned __h##name##2_mask(F2 a, F2 b) {                                                    \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);                    \
    }
ACCEL_SIM_COMPARISON(eq, float(a) == float(b))
ACCEL_SIM_COMPARISON(ne, (float(a) < float(b) || float(a) > float(b)))
ACCEL_SIM_COMPARISON(lt, float(a) < float(b))
ACCEL_SIM_COMPARISON(le, float(a) <= float(b))
ACCEL_SIM_COMPARISON(gt, float(a) > float(b))
ACCEL_SIM_COMPARISON(ge, float(a) >= float(b))

#define ACCEL_SIM_COMPARES(symbol, name)                                                                         \
    ACCEL_SIM_INLINE bool operator symbol(const F& a, const F& b) { return __h##name(a, b); }                     \
    ACCEL_SIM_INLINE bool operator symbol(const F2& a, const F2& b) { return __hb##name##2(a, b); }
ACCEL_SIM_COMPARES(==, eq)
ACCEL_SIM_COMPARES(!=, neu)
ACCEL_SIM_COMPARES(<, lt)
ACCEL_SIM_COMPARES(<=, le)
ACCEL_SIM_COMPARES(>, gt)
ACCEL_SIM_COMPARES(>=, ge)

// --- mathematical functions

#define ACCEL_SIM_FUNCTION(name, expression)                                                                     \
    ACCEL_SIM_INLINE F h##name(F value) {                                                                        \
        const double a = float(value);                                                                           \
        return F(expression);                                                                                    \
    }                                                                                                            \
    ACCEL_SIM_INLINE F2 h2##name(F2 value) { return F2(h##name(value.x), h##name(value.y)); }
ACCEL_SIM_FUNCTION(sqrt, __builtin_sqrt(a))
ACCEL_SIM_FUNCTION(rsqrt, 1 / __builtin_sqrt(a))
ACCEL_SIM_FUNCTION(rcp, 1 / a)
ACCEL_SIM_FUNCTION(exp, __builtin_exp(a))
ACCEL_SIM_FUNCTION(exp2, __builtin_exp2(a))
ACCEL_SIM_FUNCTION(exp10, __builtin_pow(10.0, a))
ACCEL_SIM_FUNCTION(log, __builtin_log(a))
ACCEL_SIM_FUNCTION(log2, __builtin_log2(a))
ACCEL_SIM_FUNCTION(log10, __builtin_log10(a))
ACCEL_SIM_FUNCTION(sin, __builtin_sin(a))
ACCEL_SIM_FUNCTION(cos, __builtin_cos(a))
ACCEL_SIM_FUNCTION(tanh, __builtin_tanh(a))
ACCEL_SIM_FUNCTION(tanh_approx, __builtin_tanh(a))
ACCEL_SIM_FUNCTION(ceil, __builtin_ceil(a))
ACCEL_SIM_FUNCTION(floor, __builtin_floor(a))
ACCEL_SIM_FUNCTION(rint, __builtin_rint(a))
ACCEL_SIM_FUNCTION(trunc, __builtin_trunc(a))

// --- shuffles
ACCEL_SIM_SHUFFLES(F)
ACCEL_SIM_SHUFFLES(F2)

// --- atomics: of each element, not of the vector

ACCEL_SIM_INLINE F atomicAdd(F* at, F value) {
    return accel_sim::raw<F>(accel_sim::replace(
        (unsigned short*)at, [=](unsigned short old) { return __hadd(accel_sim::raw<F>(old), value).__x; }));
}
ACCEL_SIM_INLINE F2 atomicAdd(F2* at, F2 value) {
    F* const items = (F*)at;
    const F x = atomicAdd(items, value.x), y = atomicAdd(items + 1, value.y);
    return F2(x, y);
}

#undef ACCEL_SIM_BOTH
#undef ACCEL_SIM_ARITHMETIC
#undef ACCEL_SIM_OPERATOR
#undef ACCEL_SIM_FUSED
#undef ACCEL_SIM_FUSED2
#undef ACCEL_SIM_RELU
#undef ACCEL_SIM_COMPARISON
#undef ACCEL_SIM_COMPARISON_
#undef ACCEL_SIM_COMPARES
#undef ACCEL_SIM_FUNCTION
#undef F_CALL
#undef F2_CALL
#undef F_NAME
#undef F
#undef F2
#undef F_RAW
#undef F2_RAW
#undef F_FORMAT
#undef F_WORD
#undef F_OTHER
