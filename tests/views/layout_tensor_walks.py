"""Random views of views, each with a model: the same view of a NumPy array."""

from hypothesis import strategies as st

from accel.layout import row_major

from .layout_tensors import vectors


def tiled(found, model, draw):
    sizes = [draw(st.integers(1, 5)) for _ in range(found.rank)]
    counts = [-(-extent // size) for extent, size in zip(found._geometry.extents, sizes, strict=True)]
    coords = [draw(st.integers(0, count - 1)) for count in counts]
    key = tuple([slice(c * size, (c + 1) * size) for c, size in zip(coords, sizes, strict=True)])
    return found.tile(tuple(sizes), tuple(coords)), model[key]


def distributed(found, model, draw):
    grid = row_major(*[draw(st.integers(1, 4)) for _ in range(found.rank)])
    thread = draw(st.integers(0, grid.size - 1))
    places = [thread // stride % extent for extent, stride in grid.leaves]
    key = tuple([slice(place, None, extent) for place, (extent, _) in zip(places, grid.leaves, strict=True)])
    return found.distribute(grid, thread), model[key]


def sliced(found, model, draw):
    key = tuple([slice(draw(st.integers(-11, 11)), draw(st.none() | st.integers(-11, 11))) for _ in range(found.rank)])
    return found[key], model[key]


def indexed(found, model, draw):
    place = draw(st.integers(-found.shape[0], found.shape[0] - 1))
    key = (place, *(slice(None),) * (found.rank - 1))
    return found[key], model[key]


def vectorized(found, model, draw):
    pairs = zip(found._geometry.extents, found.shape, strict=True)
    divisors = [[n for n in (1, 2, 3) if extent % n == inside % n == 0] for extent, inside in pairs]
    counts = [draw(st.sampled_from(choice)) for choice in divisors]
    return found.vectorize(*counts), vectors(model, model.ndim - found.rank, counts)


def transposed(found, model, draw):
    return found.transpose(), model.swapaxes(0, 1)


def parted(found, model, draw):
    count, axis = draw(st.integers(1, 4)), draw(st.integers(0, found.rank - 1))
    number, alignment = draw(st.integers(0, count - 1)), draw(st.integers(1, 3))
    length = -(-found.shape[axis] // (count * alignment)) * alignment
    key = (slice(None),) * axis + (slice(number * length, (number + 1) * length),)
    return found.split_part(count, number, axis, alignment), model[key]


STEPS = (tiled, distributed, sliced, indexed, vectorized, transposed, parted)


def applies(step, found):
    if step is vectorized:
        return len(found._geometry.element_shape) in (0, found.rank)
    if step is tiled:
        return all(found._geometry.extents)
    return found.rank == 2 if step is transposed else step is not indexed or (found.rank > 1 and found.shape[0] > 0)


def walked(start, data, count, steps=STEPS):
    """Return a view made by several steps, and its model; steps that do not apply are skipped."""
    found, model = start
    for step in data.draw(st.lists(st.sampled_from(steps), max_size=count)):
        if applies(step, found):
            found, model = step(found, model, data.draw)
    return found, model
