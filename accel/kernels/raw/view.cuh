// A strided view as a kernel parameter: an address, and extents and strides in elements, slowest axis first.
namespace accel {

template <typename T, int Rank>
struct View {
    T* data;
    long long extents[Rank];
    long long strides[Rank];

    template <typename... Index>
    __device__ T& operator()(Index... index) const {
        static_assert(sizeof...(index) == Rank, "a view is indexed by one integer for each axis");
        const long long steps[Rank] = {static_cast<long long>(index)...};
        long long distance = 0;
        for (int axis = 0; axis < Rank; ++axis) distance += steps[axis] * strides[axis];
        return data[distance];
    }

    __device__ long long size() const {
        long long product = 1;
        for (int axis = 0; axis < Rank; ++axis) product *= extents[axis];
        return product;
    }
};

}  // namespace accel
