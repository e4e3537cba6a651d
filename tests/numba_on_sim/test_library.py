"""What numba-cuda itself builds of kernels: ufuncs, reductions, random numbers, launches by size, the cache on disk."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _checks(cuda, checks):
    """Each of them without checks, and with all."""


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("size", [1, 1000, 4097])
def test_reductions(cuda, dtype, size):
    add = cuda.reduce(lambda a, b: a + b)
    x = np.arange(size).astype(dtype)
    assert add(x) == x.sum()
    array = cuda.to_device(x)
    result = cuda.device_array(1, dtype)
    add(array, res=result)
    assert result.copy_to_host()[0] == x.sum()


def test_ufuncs(cuda):
    @cuda.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
    def distance(a, b):
        return (a * a + b * b) ** 0.5

    for dtype in ("float32", "float64"):
        x, y = np.arange(500, dtype=dtype), np.ones(500, dtype)
        np.testing.assert_allclose(distance(x, y), np.hypot(x, y), rtol=1e-6)
        array = distance(cuda.to_device(x), cuda.to_device(y))
        np.testing.assert_allclose(array.copy_to_host(), np.hypot(x, y), rtol=1e-6)

    @cuda.vectorize(["int64(int64, int64)"])
    def total(a, b):
        return a + b

    assert total.reduce(np.arange(100)) == 4950


def test_generalised_ufuncs(cuda):
    @cuda.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,n),(n,p)->(m,p)")
    def product(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] = 0
                for k in range(a.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]

    a, b = np.arange(5 * 2 * 3.0).reshape(5, 2, 3), np.arange(5 * 3 * 4.0).reshape(5, 3, 4)
    np.testing.assert_allclose(product(a, b), a @ b)


def test_random_numbers(cuda):
    from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64

    @cuda.jit
    def draw(states, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = xoroshiro128p_uniform_float64(states, i)

    def drawn(seed):
        out = cuda.device_array(256)
        draw[4, 64](create_xoroshiro128p_states(256, seed=seed), out)
        return out.copy_to_host()

    numbers = drawn(7)
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert 0.4 < numbers.mean() < 0.6
    np.testing.assert_array_equal(drawn(7), numbers)
    assert (drawn(8) != numbers).any()


@pytest.mark.parametrize("size", [0, 1, 100, 5000])
def test_launches_by_size(cuda, size):
    @cuda.jit
    def number(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = i

    x = np.zeros(size, np.int32)
    number.forall(size)(x)
    np.testing.assert_array_equal(x, np.arange(size))


PROGRAM = """
from numba import cuda

@cuda.jit(cache=True)
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2
"""


def test_the_cache_on_disk(cuda, tmp_path, monkeypatch):
    from importlib import import_module, invalidate_caches
    from sys import modules

    (tmp_path / "cached_program.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    hits = []
    for _ in range(2):
        program = import_module("cached_program")
        array = cuda.to_device(np.arange(10.0))
        program.double[1, 32](array)
        np.testing.assert_array_equal(array.copy_to_host(), 2 * np.arange(10))
        hits.append(sum(program.double.stats.cache_hits.values()))
        del modules["cached_program"]
    assert hits == [0, 1]


def test_attributes_of_arguments(cuda):
    @cuda.jit
    def scale(x, factor, pair):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = x[i] * factor + pair[0] - pair[1]

    x = np.arange(10.0)
    for factor in (2, 2.0, np.float32(2), True):
        array = cuda.to_device(x)
        scale[1, 32](array, factor, (3, 1.5))
        np.testing.assert_array_equal(array.copy_to_host(), x * factor + 1.5)


def test_hints_say_which_way_arrays_of_the_host_are_copied(cuda):
    @cuda.jit
    def copy(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i]
            x[i] = -1

    x, y = np.arange(10.0), np.zeros(10)
    copy[1, 32](cuda.In(x), cuda.Out(y))
    np.testing.assert_array_equal(x, np.arange(10))
    np.testing.assert_array_equal(y, np.arange(10))
    copy[1, 32](cuda.InOut(x), y)
    np.testing.assert_array_equal(x, np.full(10, -1))
