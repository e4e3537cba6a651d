"""array-api-extra."""

import array_api_extra as xpx
import numpy as np

rng = np.random.default_rng(7)
X = rng.normal(size=(6, 5))
V = rng.normal(size=7)
NUMBERS = rng.integers(0, 4, 12)


def updated(method, key, value=2.0):
    """Return a function that gives the updated copy, and the operand that stays as it was."""

    def run(a):
        x = a(X)
        return getattr(xpx.at(x)[key], method)(value, copy=True), x

    return run


def updated_in_place(a):
    x = a(X)
    xpx.at(x)[1:3, :].set(9.0, copy=False)
    return x


def inner(a):
    """Return the parts of a partition in order."""
    return [a.xp.sort(xpx.partition(a(V), 3)[:3]), a.xp.sort(a.xp.take(a(V), xpx.argpartition(a(V), 3)[:3]))]


RETURNS_OURS = {
    **{
        f"at.{name}": updated(name, (slice(1, 3), 0))
        for name in ["set", "add", "subtract", "multiply", "divide", "min", "max", "power"]
    },
    "at, by a mask": lambda a: xpx.at(a(X))[a(X) > 0].set(0.0),
    "at, in place": updated_in_place,
    "angle": lambda a: xpx.angle(a(V + 1j)),
    "apply_where": lambda a: xpx.apply_where(a(V) > 0, a(V), lambda t: t**0.5, lambda t: t * 2),
    "apply_where with a fill value": lambda a: xpx.apply_where(a(V) > 0, a(V), a.xp.log, fill_value=0.0),
    "atleast_nd": lambda a: xpx.atleast_nd(a(V), ndim=3),
    "argpartition, partition": inner,
    "cov": lambda a: xpx.cov(a(X)),
    "create_diagonal": lambda a: xpx.create_diagonal(a(V), offset=1),
    "expand_dims": lambda a: xpx.expand_dims(a(V), axis=(0, 2)),
    "isclose": lambda a: xpx.isclose(a(V), a(V + 1e-12)),
    "isin": lambda a: xpx.isin(a(NUMBERS), a([1, 2])),
    "kron": lambda a: xpx.kron(a(X), a(X[:2])),
    "lazy_apply": lambda a: xpx.lazy_apply(lambda t: t + 1, a(V)),
    "lazy_apply, as NumPy": lambda a: xpx.lazy_apply(np.cumsum, a(V), as_numpy=True),
    "nan_to_num": lambda a: xpx.nan_to_num(a([1.0, np.nan, np.inf])),
    "one_hot": lambda a: xpx.one_hot(a(NUMBERS), 4),
    "pad": lambda a: xpx.pad(a(V), (2, 1), constant_values=3.0),
    "setdiff1d": lambda a: xpx.setdiff1d(a(NUMBERS), a([1, 2])),
    "sinc": lambda a: xpx.sinc(a(V)),
}
RETURNS_VALUES = {
    "broadcast_shapes": lambda a: xpx.broadcast_shapes(a(X).shape, (1, 5)),
    "default_dtype": lambda a: xpx.default_dtype(a.xp).name,
    "nunique": lambda a: xpx.nunique(a(NUMBERS)),
}
