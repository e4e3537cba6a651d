// CuPy's float16: a half that computes as a float.
#pragma once
#include <cuda_fp16.h>

class float16 {
    __half value_;

  public:
    float16() = default;
    float16(float value) : value_(__float2half_rn(value)) {}
    explicit float16(const __half& value) : value_(value) {}
    operator float() const { return __half2float(value_); }

    template <typename Other>
    float16& operator+=(const Other& other) { return *this = float16(*this + other); }
    template <typename Other>
    float16& operator-=(const Other& other) { return *this = float16(*this - other); }
    template <typename Other>
    float16& operator*=(const Other& other) { return *this = float16(*this * other); }
    template <typename Other>
    float16& operator/=(const Other& other) { return *this = float16(*this / other); }
};

inline __device__ float16 min(float16 x, float16 y) { return float16(min(float(x), float(y))); }
inline __device__ float16 max(float16 x, float16 y) { return float16(max(float(x), float(y))); }
