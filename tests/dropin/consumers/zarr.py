"""zarr: arrays in memory, written from our arrays and indexed by them."""

import numpy as np
import zarr

X = np.arange(24.0).reshape(4, 6)


def written(write, dtype="float64"):
    def run(a):
        array = zarr.create_array(zarr.storage.MemoryStore(), shape=(4, 6), chunks=(2, 3), dtype=dtype)
        write(array, a)
        return array[:]

    return run


def stored(a, **options):
    return zarr.create_array(zarr.storage.MemoryStore(), data=a(X), chunks=(2, 3), **options)[:]


def appended(a):
    array = zarr.array(X, chunks=(2, 3))
    array.append(a(X))
    return array[:]


def read(select):
    return lambda a: select(zarr.array(X, chunks=(2, 3)), a)


RETURNS_VALUES = {
    "assignment": written(lambda z, a: z.__setitem__(slice(None), a(X))),
    "assignment of rows": written(lambda z, a: z.__setitem__((slice(1, 3), slice(None)), a(X[:2]))),
    "assignment of a number": written(lambda z, a: z.__setitem__(slice(None), a(X)[1, 2])),
    "assignment of other dtypes": written(lambda z, a: z.__setitem__(slice(None), a(X, "int32"))),
    "assignment of views": written(lambda z, a: z.__setitem__(slice(None), a(np.arange(24.0).reshape(6, 4)).T)),
    "assignment of booleans": written(lambda z, a: z.__setitem__(slice(None), a(X > 5)), "bool"),
    "create_array": stored,
    "create_array, shards": lambda a: stored(a, shards=(4, 6)),
    "array": lambda a: zarr.array(a(X), chunks=(2, 3))[:],
    "append": appended,
    "blocks": written(lambda z, a: z.blocks.__setitem__((0, 1), a(X[:2, :3]))),
    "oindex": read(lambda z, a: z.oindex[a([0, 2]), :]),
    "vindex": read(lambda z, a: z.vindex[a([0, 2]), a([1, 5])]),
    "masks": read(lambda z, a: z.vindex[a(X > 7)]),
    "index arrays": read(lambda z, a: z[a([0, 2])]),
    "oindex, assigned": written(lambda z, a: z.oindex.__setitem__((a([0, 2]), slice(None)), a(X[:2]))),
    "vindex, assigned": written(lambda z, a: z.vindex.__setitem__((a([0, 2]), a([1, 5])), a([7.0, 8.0]))),
    "masks, assigned": written(lambda z, a: z.set_mask_selection(a(X > 5), a(2.0))),
}
