"""Strings and sequences."""

import numpy as np

from .cases import program


def letters(gpu, *shape):
    return gpu.random.integers(0, 4, shape, "u1")


def scores_of(a, b, match, other, gap, least):
    """Return the table of scores of an alignment; with a least score it is a local one."""
    table = np.zeros((a.size + 1, b.size + 1), int)
    if least is None:
        table[0], table[:, 0] = gap * np.arange(b.size + 1), gap * np.arange(a.size + 1)
    for i in range(1, a.size + 1):
        for j in range(1, b.size + 1):
            score = table[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else other)
            score = max(score, table[i - 1, j] + gap, table[i, j - 1] + gap)
            table[i, j] = score if least is None else max(score, least)
    return table


@program
def align_globally(gpu):
    n = 40
    a, b = letters(gpu, 2, n)
    scores = gpu.empty((n + 1, n + 1), "i4")
    gpu.launch("align_globally", 1, 64, gpu.array(a), gpu.array(b), scores, n)
    gpu.expect(scores, scores_of(a, b, 2, -1, -1, None))


@program
def align_locally(gpu):
    a, b, best = letters(gpu, 50), letters(gpu, 40), gpu.zeros(1, "i4")
    gpu.launch("align_locally", 1, 64, gpu.array(a), gpu.array(b), 50, 40, best)
    gpu.expect(best, scores_of(a, b, 3, -2, -1, 0).max())


@program
def edit_distances(gpu):
    a, b = letters(gpu, 2, 20, 8)
    distances = gpu.empty(20, "i4")
    gpu.launch("edit_distances", 1, 32, gpu.array(a), gpu.array(b), distances, 20)
    gpu.expect(distances, [-scores_of(*pair, 0, -1, -1, None)[8, 8] for pair in zip(a, b, strict=True)])


@program
def find(gpu):
    text, word = gpu.random.integers(97, 99, 300, "i1"), np.array([97, 98, 98], "i1")
    places, count = gpu.empty(300, "i4"), gpu.zeros(1, "i4")
    gpu.launch("find", 3, 128, gpu.array(text), 300, gpu.array(word), 3, places, count, shared=3)
    expected = [i for i in range(298) if (text[i : i + 3] == word).all()]
    gpu.expect(count, [len(expected)])
    gpu.expect(np.sort(gpu.numpy(places[: len(expected)])), expected)


@program
def compact(gpu):
    values, out, count = gpu.random.integers(0, 100, 120, "i4"), gpu.empty(120, "i4"), gpu.empty(1, "i4")
    gpu.launch("compact", 1, 128, gpu.array(values), out, count, 120)
    expected = values[values % 3 == 0]
    gpu.expect(count, expected.size)
    gpu.expect(out[: expected.size], expected)


@program
def run_lengths(gpu):
    values = gpu.random.integers(0, 3, 120, "i4")
    items, lengths, runs = gpu.empty(120, "i4"), gpu.empty(120, "i4"), gpu.empty(1, "i4")
    gpu.launch("run_lengths", 1, 128, gpu.array(values), items, lengths, runs, 120)
    heads = np.flatnonzero(np.diff(values, prepend=-1))
    gpu.expect(runs, heads.size)
    gpu.expect(items[: heads.size], values[heads])
    gpu.expect(lengths[: heads.size], np.diff(heads, append=120))


@program
def lower_bounds(gpu):
    values, keys = np.sort(gpu.random.integers(0, 200, 110, "i4")), gpu.random.integers(-5, 205, 90, "i4")
    places = gpu.empty(90, "i4")
    gpu.launch("lower_bounds", 2, 64, gpu.array(values), 110, gpu.array(keys), places, 90)
    gpu.expect(places, np.searchsorted(values, keys))
