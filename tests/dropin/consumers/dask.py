"""Dask arrays with our arrays as chunks."""

import dask
import dask.array as da
import numpy as np

dask.config.set(scheduler="threads")
X = np.random.default_rng(8).normal(size=(6, 8))
N = np.where(X > 1, np.nan, X)


def of(function, values=X):
    """Return a function that computes a Dask array of chunks of 3 by 4."""
    return lambda a: function(da.from_array(a(values), chunks=(3, 4))).compute()


def with_both(function):
    """Return a function that computes with a Dask array and an array."""
    return lambda a: function(da.from_array(a(X), chunks=(3, 4)), a(X)).compute()


def persisted(a):
    return (da.from_array(a(X), chunks=(3, 4)) + 1).persist().sum(axis=0).compute()


def of_delayed(a):
    parts = [da.from_delayed(dask.delayed(a)(X[at : at + 3]), shape=(3, 8), meta=a(X[:0])) for at in (0, 3)]
    return da.concatenate(parts).compute()


REDUCTIONS = ["sum", "prod", "mean", "std", "var", "min", "max", "any", "all", "argmax", "argmin"]

RETURNS_OURS = {
    "from_array": of(lambda d: d),
    "from_delayed": of_delayed,
    "arithmetic": of(lambda d: (d + 1) * d - d / 2),
    "comparison": of(lambda d: d > 0),
    "with an array": with_both(lambda d, x: d * x + x),
    "ufuncs": of(lambda d: da.exp(d) + da.sin(d)),
    "NumPy's ufuncs and functions": of(lambda d: np.sqrt(np.abs(d)) + np.sum(d)),
    **{name: of(lambda d, name=name: getattr(d, name)(axis=0)) for name in REDUCTIONS},
    **{f"{name} of all": of(lambda d, name=name: getattr(d, name)()) for name in REDUCTIONS},
    "cumsum": of(lambda d: d.cumsum(axis=0)),
    "nanmean, nansum": of(lambda d: da.nanmean(d, axis=0) + da.nansum(d), N),
    "slices": of(lambda d: d[1:5, ::2]),
    "index arrays": of(lambda d: d[:, [5, 0, 2]]),
    "masks": of(lambda d: d[d > 0]),
    "newaxis": of(lambda d: d[:, None, 3]),
    "concatenate": of(lambda d: da.concatenate([d, d], axis=1)),
    "stack": of(lambda d: da.stack([d, d])),
    "block": of(lambda d: da.block([[d, d], [d, d]])),
    "reshape": of(lambda d: d.reshape(6, 2, 4)),
    "transpose": of(lambda d: d.T),
    "ravel": of(lambda d: d.ravel()),
    "rechunk": of(lambda d: d.rechunk((2, 8)) + 1),
    "matmul": of(lambda d: d @ d.T),
    "tensordot": of(lambda d: da.tensordot(d, d, axes=((0,), (0,)))),
    "einsum": of(lambda d: da.einsum("ij,kj->ik", d, d)),
    "where": of(lambda d: da.where(d > 0, d, 0.0)),
    "clip": of(lambda d: da.clip(d, -1, 1)),
    "roll": of(lambda d: da.roll(d, 2, axis=0)),
    "diff": of(lambda d: da.diff(d, axis=0)),
    "flip": of(lambda d: da.flip(d, 0)),
    "astype": of(lambda d: d.astype("float32")),
    "map_blocks": of(lambda d: d.map_blocks(lambda block: block * 2)),
    "map_overlap": of(lambda d: d.map_overlap(lambda block: block * 2, depth=1, boundary="reflect")),
    "linalg.norm": of(lambda d: da.linalg.norm(d, axis=0)),
    "persist": persisted,
    "to_backend": lambda a: a(da.from_array(a(X), chunks=(3, 4)).to_backend("numpy").compute()),
}
RETURNS_VALUES = {
    "fft.fft": of(lambda d: da.fft.fft(d.rechunk((3, 8)))),
    "histogram": of(lambda d: da.histogram(d, bins=4, range=(-2, 2))[0]),
    "linalg.qr": of(lambda d: abs(da.linalg.qr(d.rechunk((3, 8)))[1])),
    "linalg.svd": of(lambda d: da.linalg.svd(d.rechunk((3, 8)))[1]),
    "median": of(lambda d: da.median(d, axis=0)),
    "pad": of(lambda d: da.pad(d, 1)),
    "percentile": lambda a: da.percentile(da.from_array(a(np.sort(X[0])), chunks=8), [25, 50]).compute(),
    "repeat": of(lambda d: da.repeat(d, 2, axis=0)),
    "topk": of(lambda d: da.topk(d, 2, axis=0)),
    "unique": of(lambda d: da.unique(d.round())),
}
