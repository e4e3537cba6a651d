"""Programs with `cupyx.jit.rawkernel`, as `cupy_programs` has those with texts in CUDA."""

import importlib

import numpy as np
import pytest

from .cupy_programs import same

__all__ = ["JIT_PROGRAMS"]

SCALE = 3


def jit_of(cp):
    """Return `cupyx.jit` of a module."""
    return importlib.import_module("cupyx.jit")


def loops_of_elements(cp):
    jit = jit_of(cp)

    @jit.rawkernel()
    def saxpy(a, x, y, n):
        """Add."""
        i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        step = jit.gridDim.x * jit.blockDim.x
        for j in range(i, n, step):
            y[j] += a * x[j] + SCALE

    x, y = np.arange(1000, dtype="f4"), np.ones(1000, "f4")
    given = cp.asarray(y)
    saxpy((4,), (64,), (np.float32(2), cp.asarray(x), given, np.uint32(1000)))
    same(cp, given, 2 * x + y + 3)
    given = cp.asarray(y)
    saxpy[4, 64](2.0, cp.asarray(x), given, np.uint32(1000))
    same(cp, given, 2 * x + y + 3)


def sums_of_blocks(cp):
    jit = jit_of(cp)

    @jit.rawkernel()
    def total(x, out, n):
        part = jit.shared_memory(cp.float32, 64)
        t = jit.threadIdx.x
        i = jit.grid(1)
        if i < n:
            part[t] = x[i]
        else:
            part[t] = 0
        jit.syncthreads()
        half = np.uint32(32)
        while half > 0:
            if t < half:
                part[t] += part[t + half]
            jit.syncthreads()
            half //= np.uint32(2)
        if t == 0:
            jit.atomic_add(out, 0, part[0])

    x, out = np.arange(500, dtype="f4"), cp.zeros(1, "f4")
    total((8,), (64,), (cp.asarray(x), out, np.uint32(500)))
    same(cp, out, np.array([x.sum()], "f4"))


def arrays_of_two_axes(cp):
    jit = jit_of(cp)

    @jit.rawkernel()
    def turned(x, y):
        i, j = jit.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            y[j, i] = x[i, j] if j > 0 else -x[i, j]

    x = np.arange(60.0).reshape(6, 10)
    y = cp.zeros((10, 6))
    turned((2, 2), (8, 8), (cp.asarray(x), y))
    expected = x.T.copy()
    expected[0] *= -1
    same(cp, y, expected)
    z = cp.zeros((6, 10))
    turned((2, 2), (8, 8), (cp.asarray(x).T, z))
    expected = x.copy()
    expected[:, 0] = x[:, 0]
    expected[0] *= -1
    same(cp, z, expected)


def operators_are_those_of_python(cp):
    jit = jit_of(cp)

    @jit.rawkernel()
    def operated(x, y, out, real):
        i = jit.threadIdx.x
        out[i, 0] = x[i] // y[i]
        out[i, 1] = x[i] % y[i]
        out[i, 2] = min(x[i], y[i]) + max(x[i], y[i]) * 2 - (x[i] << 1)
        out[i, 3] = 1 if not (x[i] == y[i]) or x[i] > 100 else 0  # noqa: SIM201 - the operator is tried
        real[i, 0] = x[i] / y[i]
        real[i, 1] = cp.sqrt(cp.absolute(real[i, 0]))
        real[i, 2] = cp.float64(x[i]) ** 2
        real[i, 3] = len(out) + out.ndim + out.size

    x, y = np.array([7, -7, 7, -7, 5], "i4"), np.array([2, 2, -2, -2, 5], "i4")
    out, real = cp.zeros((5, 4), "i4"), cp.zeros((5, 4))
    operated((1,), (5,), (cp.asarray(x), cp.asarray(y), out, real))
    least, most = np.minimum(x, y), np.maximum(x, y)
    same(cp, out, np.stack([x // y, x % y, least + most * 2 - 2 * x, x != y], 1).astype("i4"))
    same(cp, real, np.stack([x / y, np.sqrt(np.abs(x / y)), x**2.0, np.full(5, 27.0)], 1), 1e-7)


def loops_and_functions(cp):
    jit = jit_of(cp)

    @jit.rawkernel(device=True)
    def squared(v):
        return v * v

    @jit.rawkernel(device=True)
    def added(x, i, v):
        return x[i] + squared(v)

    @jit.rawkernel()
    def counted(x, out, n):
        i = jit.threadIdx.x
        sum = cp.float64(0)
        for j in range(n):
            if j == i:
                continue
            if j > 6:
                break
            value = added(x, j, x[j])
            sum += value
        out[i] = sum

    x, out = np.arange(8.0), cp.zeros(8)
    counted((1,), (8,), (cp.asarray(x), out, 8))
    terms = x[:7] + x[:7] ** 2
    same(cp, out, terms.sum() - np.append(terms, 0))


def lanes_of_warps(cp):
    jit = jit_of(cp)

    @jit.rawkernel()
    def shuffled(x):
        lane = jit.laneid()
        value = x[lane]
        for k in jit.range(5):
            value += jit.shfl_xor_sync(0xFFFFFFFF, value, 1 << k)
        jit.syncwarp()
        x[lane] = value + jit.warpsize

    x = cp.arange(32, dtype="i4")
    shuffled((1,), (32,), (x,))
    same(cp, x, np.full(32, 31 * 16 + 32, "i4"))


def dynamic_shared_memory_and_atomics(cp):
    jit = jit_of(cp)

    @jit.rawkernel()
    def mixed(x, out):
        part = jit.shared_memory(np.int32, None)
        t = jit.threadIdx.x
        part[t] = x[t]
        jit.syncthreads()
        jit.atomic_max(out, 0, part[jit.blockDim.x - 1 - t])
        jit.atomic_min(out, 1, part[t])
        old = jit.atomic_exch(out, 2, 5)
        jit.atomic_cas(out, 3, 0, 9)
        jit.atomic_or(out, 4, 1 << t)
        if old > 5:
            out[2] = 0

    x, out = np.arange(5, 13, dtype="i4"), cp.zeros(5, "i4")
    out[1] = 100
    mixed((1,), (8,), (cp.asarray(x), out), shared_mem=32)
    same(cp, out, np.array([12, 5, 5, 9, 255], "i4"))


def what_kernels_do_not_have_is_refused(cp):  # noqa: C901 - many small kernels
    jit = jit_of(cp)

    @jit.rawkernel()
    def chained(x):
        if 0 < x[0] < 1:
            x[0] = 1

    @jit.rawkernel()
    def listed(x):
        for each in [1, 2]:
            x[0] = each

    @jit.rawkernel()
    def narrowed(x):
        x[0] = 0.5

    @jit.rawkernel()
    def unknown(x):
        x[0] = nothing_of_this_name  # noqa: F821

    @jit.rawkernel()
    def of_numpy(x):
        x[0] = np.sqrt(x[0])

    @jit.rawkernel()
    def doubled(x):
        x[0] *= 2

    @jit.rawkernel()
    def calls(x):
        doubled(x)

    x = cp.ones(1, "i4")
    for kernel in (chained, listed, narrowed, unknown, of_numpy, calls):
        with pytest.raises(Exception):  # noqa: B017, PT011 - of CuPy's own classes
            kernel((1,), (1,), (x,))
    with pytest.raises(TypeError):
        doubled((1,), (1,), (np.ones(1),))
    with pytest.raises(Exception):  # noqa: B017, PT011
        jit.grid(1)


JIT_PROGRAMS = {
    program.__name__: program
    for program in (
        loops_of_elements,
        sums_of_blocks,
        arrays_of_two_axes,
        operators_are_those_of_python,
        loops_and_functions,
        lanes_of_warps,
        dynamic_shared_memory_and_atomics,
        what_kernels_do_not_have_is_refused,
    )
}
