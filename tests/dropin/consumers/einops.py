"""einops."""

import einops
import numpy as np

X = np.arange(24.0).reshape(2, 3, 4)


def packed(a):
    joined, shapes = einops.pack([a(X), a(X[:, 0])], "b * c")
    return joined, einops.unpack(joined, shapes, "b * c")


RETURNS_OURS = {
    "rearrange": lambda a: einops.rearrange(a(X), "a b c -> (c a) b"),
    "rearrange, split": lambda a: einops.rearrange(a(X), "a b (c d) -> d a b c", d=2),
    "rearrange of a list": lambda a: einops.rearrange([a(X), a(X)], "n a b c -> n (a b c)"),
    **{
        f"reduce, {name}": lambda a, name=name: einops.reduce(a(X), "a b (c d) -> b c", name, d=2)
        for name in ("min", "max", "sum", "mean", "prod")
    },
    "reduce by a function": lambda a: einops.reduce(a(X), "a b c -> b", lambda x, axis: a.xp.max(x, axis=axis)),
    "repeat": lambda a: einops.repeat(a(X), "a b c -> a (b two) c three", two=2, three=3),
    "einsum": lambda a: einops.einsum(a(X), a(X[0]), "a b c, b d -> a c d"),
    "pack, unpack": packed,
}
RETURNS_VALUES = {
    "asnumpy": lambda a: einops.asnumpy(a(X)),
    "parse_shape": lambda a: einops.parse_shape(a(X), "a _ c"),
}
