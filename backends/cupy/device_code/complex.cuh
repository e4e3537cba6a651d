// Complex numbers.

template <typename T>
struct alignas(2 * sizeof(T)) Complex {
    T real, imag;
};
typedef Complex<f32> c64;
typedef Complex<f64> c128;

template <typename To, typename From>
__device__ inline To to_complex(const From& x) {
    return {decltype(To::real)(x.real), decltype(To::imag)(x.imag)};
}
template <typename T>
__device__ inline Complex<T> operator+(const Complex<T>& x, const Complex<T>& y) {
    return {x.real + y.real, x.imag + y.imag};
}
template <typename T>
__device__ inline Complex<T> add(const Complex<T>& x, const Complex<T>& y) {
    return x + y;
}
template <typename T>
__device__ inline Complex<T> operator-(const Complex<T>& x, const Complex<T>& y) {
    return {x.real - y.real, x.imag - y.imag};
}
template <typename T>
__device__ inline Complex<T> operator-(const Complex<T>& x) {
    return {-x.real, -x.imag};
}
template <typename T>
__device__ inline Complex<T> operator*(const Complex<T>& x, const Complex<T>& y) {
    return {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
}
// Smith's method, which avoids overflow.
template <typename T>
__device__ inline Complex<T> operator/(const Complex<T>& x, const Complex<T>& y) {
    const T real = y.real < 0 ? -y.real : y.real, imag = y.imag < 0 ? -y.imag : y.imag;
    if (real == 0 && imag == 0) return {x.real / real, x.imag / real};
    if (real >= imag) {
        const T ratio = y.imag / y.real, scale = 1 / (y.real + y.imag * ratio);
        return {(x.real + x.imag * ratio) * scale, (x.imag - x.real * ratio) * scale};
    }
    const T ratio = y.real / y.imag, scale = 1 / (y.imag + y.real * ratio);
    return {(x.real * ratio + x.imag) * scale, (x.imag * ratio - x.real) * scale};
}
template <typename T>
__device__ inline bool operator==(const Complex<T>& x, const Complex<T>& y) {
    return x.real == y.real && x.imag == y.imag;
}
template <typename T>
__device__ inline bool operator!=(const Complex<T>& x, const Complex<T>& y) {
    return !(x == y);
}
template <typename T>
__device__ inline Complex<T> conjugate(const Complex<T>& x) {
    return {x.real, -x.imag};
}
__device__ inline f32 absolute(const c64& x) { return hypotf(x.real, x.imag); }
__device__ inline f64 absolute(const c128& x) { return hypot(x.real, x.imag); }

// exp(y * log(x)), for exponents that are no small integers.
__device__ inline c128 general_power(const c128& x, const c128& y) {
    const f64 size = log(hypot(x.real, x.imag)), angle = atan2(x.imag, x.real);
    const f64 length = exp(y.real * size - y.imag * angle), turned = y.real * angle + y.imag * size;
    return {length * cos(turned), length * sin(turned)};
}
template <typename T>
__device__ inline Complex<T> power(const Complex<T>& x, const Complex<T>& y) {
    const Complex<T> one = {1, 0};
    if (y.real == 0 && y.imag == 0) return one;
    if (x.real == 0 && x.imag == 0)
        return y.real > 0 ? Complex<T>{0, 0} : Complex<T>{not_a_number<T>(), not_a_number<T>()};
    if (y.imag != 0 || !(y.real > -100 && y.real < 100) || y.real != T(int(y.real)))
        return to_complex<Complex<T>>(general_power(to_complex<c128>(x), to_complex<c128>(y)));
    Complex<T> made = one, square = x;
    for (int left = int(y.real < 0 ? -y.real : y.real); left; left >>= 1, square = square * square)
        if (left & 1) made = made * square;
    return y.real < 0 ? one / made : made;
}
