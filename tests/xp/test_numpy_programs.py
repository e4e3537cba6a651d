"""Small programs that were written for NumPy, with `accel.xp` in its place: the same values, on each device."""

import numpy as np
import pytest

from accel import xp as accel_xp


def life(xp):
    board = xp.asarray((np.arange(64).reshape(8, 8) % 3 == 0).astype(int))
    for _ in range(4):
        n = sum(xp.roll(xp.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        board = xp.where((n == 3) | (board == 1) & (n == 2), 1, 0)
    return board.sum()


def kmeans(xp):
    pts = xp.asarray(np.random.default_rng(0).normal(size=(50, 2)))
    c = pts[:3].copy()
    for _ in range(5):
        d = xp.sqrt(((pts[:, None, :] - c[None, :, :]) ** 2).sum(axis=-1))
        k = d.argmin(axis=1)
        for j in range(3):
            if xp.any(k == j):
                c[j] = pts[k == j].mean(axis=0)
    return c


def lstsq(xp):
    x = xp.linspace(0, 1, 20)
    matrix = xp.stack([xp.ones_like(x), x, x**2], axis=1)
    y = 3 - 2 * x + 0.5 * x**2
    coef, *_ = xp.linalg.lstsq(matrix, y, rcond=None)
    return xp.round(coef, 6)


def fftfilter(xp):
    t = xp.linspace(0, 1, 64, endpoint=False)
    s = xp.sin(2 * xp.pi * 3 * t) + 0.5 * xp.sin(2 * xp.pi * 20 * t)
    f_ = xp.fft.rfft(s)
    f = xp.fft.rfftfreq(64, 1 / 64)
    f_[f > 10] = 0
    return xp.fft.irfft(f_, 64)


def montecarlo(xp):
    u = xp.asarray(np.random.default_rng(1).random((1000, 2)))
    return 4 * xp.mean((u**2).sum(axis=1) < 1)


def moving(xp):
    x = xp.arange(20.0)
    w = xp.ones(5) / 5
    return (xp.convolve(x, w, mode="valid"), (xp.cumsum(x)[5:] - xp.cumsum(x)[:-5]) / 5)


def matpow(xp):
    f_ = xp.array([[1, 1], [1, 0]])
    return (xp.linalg.matrix_power(f_, 10), f_ @ f_ @ f_, xp.trace(f_), xp.linalg.det(f_.astype(float)))


def grouping(xp):
    k = xp.array([2, 0, 1, 2, 0, 1, 2])
    v = xp.array([1.0, 2, 3, 4, 5, 6, 7])
    o = k.argsort(kind="stable")
    ks = k[o]
    u, start = xp.unique(ks, return_index=True)
    return (u, [float(g.sum()) for g in xp.split(v[o], start[1:])], xp.bincount(k, weights=v))


def hist(xp):
    v = xp.asarray(np.random.default_rng(2).normal(size=200))
    h, e = xp.histogram(v, bins=10)
    c = (e[1:] + e[:-1]) / 2
    return (h, c, xp.digitize(v[:5], e), xp.percentile(v, [5, 50, 95]))


def masks(xp):
    x = xp.arange(12.0).reshape(3, 4)
    x[x > 6] = -1
    x[:, 1] *= 2
    x[[0, 2], [1, 3]] += 10
    y = xp.where(xp.isnan(x), 0, x)
    idx = xp.nonzero(x < 0)
    return (y, idx[0], x[~(x < 0)], xp.count_nonzero(x == -1), bool((x > 100).any()))


def tricks(xp):
    x = xp.arange(5.0)
    g = x[:, None] - x[None, :]
    i, j = xp.indices((3, 3))
    e = xp.eye(3)[xp.array([0, 2, 1])]
    return (
        g,
        xp.outer(x, x),
        i + j,
        e,
        xp.tile(x, (2, 1)),
        xp.einsum("i,j->ij", x, x),
        xp.ix_(xp.array([0, 1]), xp.array([1, 2]))[0],
        xp.broadcast_to(x, (2, 5)),
        xp.dot(x, x),
    )


def fd(xp):
    u = xp.zeros((12, 12))
    u[0, :] = 1.0
    for _ in range(20):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    _, gx = xp.gradient(u)
    return (u, gx, xp.trapezoid(u[3]), xp.diff(u, axis=0), xp.abs(u).max())


def normal(xp):
    x = xp.asarray(np.random.default_rng(3).normal(size=(6, 3)))
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    return (
        z,
        xp.cov(z, rowvar=False),
        xp.corrcoef(x.T),
        xp.std(x, axis=0),
        xp.linalg.norm(x, axis=1, keepdims=True),
        xp.max(x, axis=0),
        xp.clip(x, -1, 1),
        xp.round(x, 2),
    )


PROGRAMS = (life, kmeans, lstsq, fftfilter, montecarlo, moving, matpow, grouping, hist, masks, tricks, fd, normal)


def leaves(result):
    return [leaf for part in result for leaf in leaves(part)] if isinstance(result, tuple | list) else [result]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_values_are_those_of_numpy(program, device):
    with accel_xp.default_device(device):
        result = leaves(program(accel_xp))
    for ours, theirs in zip(result, leaves(program(np)), strict=True):
        assert not isinstance(ours, accel_xp.Array) or ours.device is device
        values = ours.to_device("cpu") if isinstance(ours, accel_xp.Array) else ours
        np.testing.assert_allclose(np.asarray(values), theirs, atol=1e-09)
