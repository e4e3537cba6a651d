// Reductions. Each thread has a total of its own; a block joins those of its threads, and one block those of all blocks.
// The order depends on the sizes of the grid alone. The value from before the loop counts once.

template <typename T>
struct Sum {
    T total = T(0);
    __device__ explicit Sum(T) {}
    __device__ void take(T x) { total = add(total, x); }
    __device__ void join(const Sum& other) { take(other.total); }
    __device__ T result(T before) const { return add(before, total); }
};
// A sum of floats of 32 bits or less, computed with float64.
template <typename T>
struct FloatSum {
    f64 total = 0;
    __device__ explicit FloatSum(T) {}
    __device__ void take(T x) { total += f64(x); }
    __device__ void join(const FloatSum& other) { total += other.total; }
    __device__ T result(T before) const { return T(f64(before) + total); }
};
// A sum of float64, and what was lost to rounding, by Knuth's exact addition.
struct DoubleSum {
    f64 total = 0, lost = 0;
    __device__ explicit DoubleSum(f64) {}
    __device__ void take(f64 x) {
        const f64 sum = total + x, part = sum - total;
        lost += (total - (sum - part)) + (x - part);
        total = sum;
    }
    __device__ void join(const DoubleSum& other) { take(other.total), lost += other.lost; }
    __device__ f64 result(f64 before) {
        take(before);
        return lost - lost == 0 ? total + lost : total;  // infinite numbers lose NaN
    }
};
template <typename T>
struct ComplexSum {
    DoubleSum real, imag;
    __device__ explicit ComplexSum(T) : real(0), imag(0) {}
    __device__ void take(T x) { real.take(x.real), imag.take(x.imag); }
    __device__ void join(const ComplexSum& other) { real.join(other.real), imag.join(other.imag); }
    __device__ T result(T before) {
        return {decltype(T::real)(real.result(before.real)), decltype(T::imag)(imag.result(before.imag))};
    }
};

template <typename T>
struct Product {
    T total = T(1);
    __device__ explicit Product(T) {}
    __device__ void take(T x) { total = mul(total, x); }
    __device__ void join(const Product& other) { take(other.total); }
    __device__ T result(T before) const { return mul(before, total); }
};
template <typename T>
struct FloatProduct {
    f64 total = 1;
    __device__ explicit FloatProduct(T) {}
    __device__ void take(T x) { total *= f64(x); }
    __device__ void join(const FloatProduct& other) { total *= other.total; }
    __device__ T result(T before) const { return T(f64(before) * total); }
};
template <typename T>
struct Smallest {
    T found;
    __device__ explicit Smallest(T before) : found(before) {}
    __device__ void take(T x) { found = least(found, x); }
    __device__ void join(const Smallest& other) { take(other.found); }
    __device__ T result(T) const { return found; }
};
template <typename T>
struct Largest {
    T found;
    __device__ explicit Largest(T before) : found(before) {}
    __device__ void take(T x) { found = greatest(found, x); }
    __device__ void join(const Largest& other) { take(other.found); }
    __device__ T result(T) const { return found; }
};

// The threads of a block join their totals; the first thread has the result.
template <typename R>
__device__ inline R joined_in_block(const R& mine) {
    __shared__ u64 memory[ACCEL_THREADS * sizeof(R) / 8];
    R* const all = reinterpret_cast<R*>(memory);
    all[threadIdx.x] = mine;
    for (unsigned half = ACCEL_THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) all[threadIdx.x].join(all[threadIdx.x + half]);
    }
    const R joined = all[threadIdx.x];
    __syncthreads();  // the memory is used again
    return joined;
}
// The partial totals of one reduction are neighbours.
template <typename R>
__device__ inline R* partial(unsigned char* scratch, unsigned number) {
    static_assert(sizeof(R) <= ACCEL_PARTIAL, "a partial total");
    return reinterpret_cast<R*>(scratch + u64(ACCEL_PARTIAL) * number);
}
template <typename R>
__device__ inline void store_partial(const R& mine, unsigned char* scratch, unsigned reduction) {
    const R joined = joined_in_block(mine);
    if (threadIdx.x == 0) *partial<R>(scratch, reduction * gridDim.x + blockIdx.x) = joined;
}
template <typename R, typename T>
__device__ inline void finish(T& total, unsigned char* scratch, unsigned reduction, unsigned blocks) {
    R mine(total);
    for (unsigned i = threadIdx.x; i < blocks; i += ACCEL_THREADS)
        mine.join(*partial<R>(scratch, reduction * blocks + i));
    R joined = joined_in_block(mine);
    if (threadIdx.x == 0) total = joined.result(total);
}
