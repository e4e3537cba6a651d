// The types of CuPy's kernels for elements: arrays with shape and strides, and the indices of a loop.
#pragma once
#include <cstddef>
#include <initializer_list>

#define CUPY_FOR(i, n)                                                                  \
    for (ptrdiff_t i = static_cast<ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); \
         i += static_cast<ptrdiff_t>(blockDim.x) * gridDim.x)

// An array. A number is the place of an element in C order; several numbers are its coordinates.
template <typename T, int Rank, bool Contiguous = false, bool = true, int = 0>
class CArray {
    T* data_;
    ptrdiff_t size_ = 1, shape_[Rank ? Rank : 1], strides_[Rank ? Rank : 1];

    T& at(ptrdiff_t nbytes) const { return *reinterpret_cast<T*>(reinterpret_cast<size_t>(data_) + nbytes); }

    template <typename Index>
    T& at_coordinates(const Index* index) const {
        ptrdiff_t nbytes = 0;
        for (int axis = 0; axis < Rank; ++axis) nbytes += strides_[axis] * static_cast<ptrdiff_t>(index[axis]);
        return at(nbytes);
    }

    T& at_place(ptrdiff_t place) const {
        if (Contiguous) return data_[place];
        ptrdiff_t nbytes = 0;
        for (int axis = Rank - 1; axis > 0; --axis) {
            nbytes += strides_[axis] * (place % shape_[axis]);
            place /= shape_[axis];
        }
        return at(Rank ? nbytes + strides_[0] * place : place * static_cast<ptrdiff_t>(sizeof(T)));
    }

  public:
    static const int ndim = Rank;
    static const bool c_contiguous = Contiguous;
    using value_type = T;

    // The shape, then the strides in bytes.
    CArray(T* data, std::initializer_list<ptrdiff_t> layout) : data_(data) {
        shape_[0] = strides_[0] = 0;
        for (int axis = 0; axis < Rank; ++axis) {
            shape_[axis] = layout.begin()[axis];
            strides_[axis] = layout.begin()[Rank + axis];
            size_ *= shape_[axis];
        }
    }

    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* shape() const { return shape_; }
    const ptrdiff_t* strides() const { return strides_; }

    T& operator[](ptrdiff_t place) { return at_place(place); }
    const T& operator[](ptrdiff_t place) const { return at_place(place); }
    // As templates, since the literal 0 is a pointer too.
    template <typename Index>
    T& operator[](const Index* index) { return at_coordinates(index); }
    template <typename Index>
    const T& operator[](const Index* index) const { return at_coordinates(index); }
    template <typename Index>
    T& operator[](std::initializer_list<Index> index) { return at_coordinates(index.begin()); }
    template <typename Index>
    const T& operator[](std::initializer_list<Index> index) const { return at_coordinates(index.begin()); }
};

// The coordinates of one element after another.
template <int Rank, bool = true>
class CIndexer {
    ptrdiff_t size_ = 1, shape_[Rank ? Rank : 1], index_[Rank ? Rank : 1];

  public:
    static const int ndim = Rank;

    explicit CIndexer(std::initializer_list<ptrdiff_t> shape) {
        shape_[0] = index_[0] = 0;
        for (int axis = 0; axis < Rank; ++axis) {
            shape_[axis] = shape.begin()[axis];
            index_[axis] = 0;
            size_ *= shape_[axis];
        }
    }

    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* shape() const { return shape_; }
    const ptrdiff_t* get() const { return index_; }

    void set(ptrdiff_t place) {
        for (int axis = Rank - 1; axis > 0; --axis) {
            index_[axis] = place % shape_[axis];
            place /= shape_[axis];
        }
        index_[0] = place;
    }
};
