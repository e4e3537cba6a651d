"""Programs for CuPy, with what NumPy computes: they run on the module that stands for CuPy, and on the real one."""

import numpy as np
import pytest

__all__ = ["PROGRAMS"]

TYPES = ("int8", "uint16", "int32", "uint64", "float16", "float32", "complex64")


def same(cp, actual, expected, rtol=0.0):
    """Compare an array with NumPy's, with its dtype and shape."""
    values = cp.asnumpy(actual)
    expected = np.asarray(expected)
    assert (values.dtype, values.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(values, expected, rtol=rtol)


def elements_of_each_type(cp):
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + y", "multiplied")
    for dtype in TYPES:
        x, y = (np.array(values, dtype) for values in ([1, 2, 3], [5, 6, 7]))
        same(cp, kernel(cp.asarray(x), cp.asarray(y)), x * y + y)


def shapes_are_broadcast(cp):
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x - 2 * y", "difference")
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(3.0).reshape(3, 1)
    same(cp, kernel(cp.asarray(x), cp.asarray(y)), x - 2 * y)
    same(cp, kernel(cp.asarray(x), 5), x - 10)
    same(cp, kernel(cp.asarray(x)[:, ::-1, ::2], cp.asarray(y)), x[:, ::-1, ::2] - 2 * y)
    same(cp, kernel(cp.asarray(x).T, 1), x.T - 2)
    same(cp, kernel(cp.asarray(x)[0, 0, 0], 1), x[0, 0, 0] - 2)
    same(cp, kernel(cp.asarray(x)[:0], 1), x[:0])


def outputs_are_given(cp):
    kernel = cp.ElementwiseKernel("float32 x", "float32 sum, int32 place", "sum += x; place = i", "two")
    x, total, place = np.arange(6, dtype="f4"), np.ones(6, "f4"), np.zeros(6, "i4")
    given = cp.asarray(total), cp.asarray(place)
    results = kernel(cp.asarray(x), *given)
    assert results[0] is given[0]
    assert isinstance(results, tuple)
    same(cp, given[0], x + 1)
    same(cp, given[1], np.arange(6, dtype="i4"))
    whole = cp.zeros((4, 4), "f4")
    increment = cp.ElementwiseKernel("", "T x", "x += 1", "increment", no_return=True)
    assert increment(whole[1:3, ::2]) is None
    expected = np.zeros((4, 4), "f4")
    expected[1:3, ::2] = 1
    same(cp, whole, expected)
    one = cp.ElementwiseKernel("T x", "T y", "y = x", return_tuple=True)
    assert len(one(cp.ones(2))) == 1


def raw_arrays_are_indexed_by_the_kernel(cp):
    x = np.arange(12.0).reshape(3, 4)
    kernel = cp.ElementwiseKernel("raw T x", "T y", "y = x[x.size() - 1 - i]", "turned")
    same(cp, kernel(cp.asarray(x), size=12), x.ravel()[::-1])
    same(cp, kernel(cp.asarray(x).T, size=12), x.T.ravel()[::-1])
    places = cp.ElementwiseKernel(
        "raw T x, raw int32 shift",
        "T y",
        """
        ptrdiff_t at[] = {_ind.get()[0], (_ind.get()[1] + shift[0]) % x.shape()[1]};
        y = x[at];
        """,
        "shifted",
        reduce_dims=False,
    )
    result = cp.zeros((3, 4))
    places(cp.asarray(x), cp.asarray(np.array([1], "i4")), result)
    same(cp, result, np.roll(x, -1, 1))
    count = cp.zeros(3, "i4")
    counted = cp.ElementwiseKernel("T x", "raw int32 bins", "atomicAdd(&bins[x], 1)", "counted")
    counted(cp.asarray(np.array([0, 2, 2, 1, 2])), count)
    same(cp, count, np.array([1, 1, 3], "i4"))


def what_surrounds_the_loop(cp):
    kernel = cp.ElementwiseKernel(
        "T x, float32 factor",
        "T y",
        "y = twice(x) * half_of",
        "surrounded",
        preamble="template <typename V> __device__ V twice(V x) { return x + x; }  // a comment",
        loop_prep="const float half_of = factor / 2;  // a comment",
        after_loop="if (threadIdx.x > 2000) __trap();",
    )
    same(cp, kernel(cp.ones(3, "f4"), 3), np.full(3, 3, "f4"))
    same(cp, kernel(cp.ones(300, "f8"), np.float32(3), block_size=32), np.full(300, 3.0))


def types_that_do_not_fit_are_refused(cp):
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y")
    for call, error in (
        (lambda: kernel(cp.ones(2, "f4"), cp.ones(2, "f8")), TypeError),
        (lambda: kernel(cp.ones(2, "f4"), cp.ones(2, "f4"), cp.ones(2, "f8")), TypeError),
        (lambda: kernel(cp.ones(2), np.ones(2)), TypeError),
        (lambda: kernel(cp.ones(2), [1, 2]), TypeError),
        (lambda: kernel(cp.ones(2), 1, 2), (TypeError, AttributeError)),
        (lambda: kernel(cp.ones(2)), TypeError),
        (lambda: kernel(1, 2), ValueError),
        (lambda: kernel(cp.ones(2), cp.ones(3)), ValueError),
        (lambda: kernel(cp.ones(2), 1, cp.ones((1, 1))), ValueError),
        (lambda: kernel(cp.ones(2), 1, size=2), ValueError),
        (lambda: kernel(cp.ones(2), 1, other=2), TypeError),
        (lambda: kernel(cp.ones(2), 1, block_size=0), ValueError),
        (lambda: cp.ElementwiseKernel("T i", "T z", "z = i"), ValueError),
        (lambda: cp.ElementwiseKernel("T x", "T z", "z = x", "not a name"), ValueError),
        (lambda: cp.ElementwiseKernel("strange x", "T z", "z = x"), TypeError),
    ):
        with pytest.raises(error):
            call()


def totals_along_axes(cp):
    kernel = cp.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = sqrt(a)", "0", "distance")
    for shape, axis, keepdims in (
        *(((2, 40, 50), None, False), ((2, 40, 50), (0, -1), True), ((2, 40, 50), 1, False)),
        *(((3, 4), -1, False), ((1,), 0, False), ((0, 3), 0, False)),
    ):
        x = np.random.default_rng(1).random(shape)
        expected = np.sqrt((x * x).sum(axis, keepdims=keepdims))
        given = cp.asarray(x)
        same(cp, kernel(given, given, axis=axis, keepdims=keepdims), expected, 1e-12)
    same(cp, kernel(cp.ones((2, 3)), 4, axis=1), np.sqrt([12.0, 12.0]), 1e-12)
    out = cp.zeros(2)
    assert kernel(cp.ones((2, 3)), cp.ones(3), axis=1, out=out) is out
    same(cp, out, np.sqrt([3.0, 3.0]), 1e-12)


def totals_of_other_types(cp):
    count = cp.ReductionKernel("T x", "int64 n", "x > 2", "a + b", "n = a", "0", "count_above")
    mean = cp.ReductionKernel(
        "T x",
        "float64 y",
        "x",
        "a + b",
        "y = a / (_in_ind.size() / _out_ind.size())",
        "0",
        "mean",
        reduce_type="double",
    )
    largest = cp.ReductionKernel(
        "T x",
        "int64 place",
        "Largest{x, _J}",
        "larger(a, b)",
        "place = a.place",
        None,
        "place_of_largest",
        reduce_type="Largest",
        preamble="""
        struct Largest {
            double value;
            long long place;
            __device__ Largest() : value(0), place(-1) {}
            __device__ Largest(double v, long long p) : value(v), place(p) {}
        };
        __device__ Largest larger(const Largest& a, const Largest& b) {
            if (a.place < 0) return b;
            if (b.place < 0) return a;
            return a.value < b.value || (a.value == b.value && b.place < a.place) ? b : a;
        }
        """,
    )
    x = np.arange(600, dtype="f4").reshape(20, 30) % 7
    for axis in (None, 0, 1):
        same(cp, count(cp.asarray(x), axis=axis), np.asarray((x > 2).sum(axis)))
        same(cp, mean(cp.asarray(x), axis=axis), np.asarray(x.mean(axis, "f8")), 1e-12)
        same(cp, largest(cp.asarray(x), axis=axis), np.asarray(x.argmax(axis)))


def reductions_that_are_refused(cp):
    kernel = cp.ReductionKernel("T x", "T z", "x", "max(a, b)", "z = a", None, "largest")
    both = cp.ReductionKernel("T x", "T y, T z", "x", "a + b", "y = a, z = a", "0", "both")
    for call, error in (
        (lambda: kernel(cp.ones(0)), ValueError),
        (lambda: kernel(cp.ones((2, 3)), axis=2), (ValueError, IndexError)),
        (lambda: kernel(cp.ones((2, 3)), axis=(0, -2)), ValueError),
        (lambda: kernel(cp.ones((2, 3)), axis=0, out=cp.ones(2)), ValueError),
        (lambda: kernel(cp.ones(2), cp.ones(()), out=cp.ones(())), ValueError),
        (lambda: kernel(cp.ones(2), out=cp.ones((), "f4")), TypeError),
        (lambda: kernel(cp.ones(2), other=1), TypeError),
        (lambda: both(cp.ones(2), out=cp.ones(())), NotImplementedError),
        (lambda: kernel(1), ValueError),
    ):
        with pytest.raises(error):
            call()
    y, z = cp.zeros(()), cp.zeros(())
    assert both(cp.ones(3), y, z) is y
    same(cp, z, 3.0)


def raw_kernels_of_complex_numbers(cp):
    kernel = cp.RawKernel(
        r"""
        #include <cupy/complex.cuh>
        extern "C" __global__ void turn(const complex<double>* x, complex<double>* y, complex<float>* z, int n) {
            const int i = blockDim.x * blockIdx.x + threadIdx.x;
            if (i < n) {
                y[i] = 2.0 * conj(x[i]) * complex<double>(0, 1) + exp(x[i]) / x[i].real();
                z[i] = complex<float>(abs(x[i]), 1.5f) * 2.0f;
            }
        }
        """,
        "turn",
    )
    x = np.arange(1, 11) * (0.5 + 0.25j)
    y, z = cp.zeros(10, "c16"), cp.zeros(10, "c8")
    kernel((1,), (32,), (cp.asarray(x), y, z, np.int32(10)))
    same(cp, y, 2 * x.conj() * 1j + np.exp(x) / x.real, 1e-12)
    same(cp, z, (np.abs(x) * 2 + 3j).astype("c8"), 1e-6)


PROGRAMS = {
    program.__name__: program
    for program in (
        elements_of_each_type,
        shapes_are_broadcast,
        outputs_are_given,
        raw_arrays_are_indexed_by_the_kernel,
        what_surrounds_the_loop,
        raw_kernels_of_complex_numbers,
        types_that_do_not_fit_are_refused,
        totals_along_axes,
        totals_of_other_types,
        reductions_that_are_refused,
    )
}
