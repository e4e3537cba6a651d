"""Vertices and edges."""

from typing import NamedTuple

import numpy as np

from .cases import program


class Graph(NamedTuple):
    """Whether there is an edge; the edges; and where the neighbours of each vertex start."""

    matrix: np.ndarray
    edges: tuple
    starts: np.ndarray


def graph(gpu, n=60, density=0.04):
    matrix = np.triu(gpu.random.random((n, n)) < density, 1)
    matrix |= matrix.T
    edges = tuple(each.astype("i4") for each in np.nonzero(matrix))
    return Graph(matrix, edges, np.searchsorted(edges[0], np.arange(n + 1)).astype("i4"))


def components(matrix):
    """Return the least vertex that each can reach."""
    reach = np.eye(len(matrix), dtype=bool) | matrix
    for _ in range(6):
        reach = reach @ reach
    return reach.argmax(1)


def shortest(weights):
    distances = weights.copy()
    for k in range(len(weights)):
        distances = np.minimum(distances, distances[:, k : k + 1] + distances[k])
    return distances


def weights_of(gpu, n):
    weights = np.where(gpu.random.random((n, n)) < 0.3, gpu.random.integers(1, 20, (n, n)), 1000).astype("i4")
    np.fill_diagonal(weights, 0)
    return weights


@program
def breadth_first_search(gpu):
    g = graph(gpu)
    starts, neighbours = gpu.array(g.starts), gpu.array(g.edges[1])
    expected, frontier = np.full(60, -1), np.zeros(60, bool)
    expected[0], frontier[0] = 0, True
    distance, now, size = gpu.array(expected.astype("i4")), gpu.array(np.zeros(60, "i4")), 1
    for level in range(1, 4):
        after, count = gpu.empty(60, "i4"), gpu.zeros(1, "i4")
        gpu.launch("bfs_step", 2, 32, starts, neighbours, now, size, distance, after, count, level)
        frontier = (g.matrix[frontier].any(0)) & (expected < 0)
        expected[frontier] = level
        now, size = after, int(gpu.numpy(count)[0])
        assert size == frontier.sum()
    gpu.expect(distance, expected)


@program
def spread_labels(gpu):
    g = graph(gpu)
    from_, to = map(gpu.array, g.edges)
    labels, count = gpu.array(np.arange(60, dtype="i4")), g.edges[0].size
    for _ in range(60):
        changed = gpu.zeros(1, "i4")
        gpu.launch("spread_labels", -(-count // 64), 64, from_, to, count, labels, changed)
        if not gpu.numpy(changed)[0]:
            break
    gpu.expect(labels, components(g.matrix))


@program
def union_find(gpu):
    g = graph(gpu)
    parents, roots, count = gpu.array(np.arange(60, dtype="i4")), gpu.empty(60, "i4"), g.edges[0].size
    gpu.launch("unite", -(-count // 64), 64, *map(gpu.array, g.edges), count, parents)
    gpu.launch("flatten", 1, 64, parents, roots, 60)
    gpu.expect(roots, components(g.matrix))


@program
def page_rank(gpu):
    g = graph(gpu, density=0.1)
    degrees = np.maximum(1, g.matrix.sum(0)).astype("i4")
    rank = np.full(60, 1 / 60)
    now, after = gpu.array(rank), gpu.empty(60, "f8")
    arrays = [gpu.array(each) for each in (g.starts, g.edges[1], degrees)]
    for _ in range(3):
        gpu.launch("page_rank", 1, 64, *arrays, now, after, 60)
        now, after = after, now
        rank = 0.15 / 60 + 0.85 * (g.matrix @ (rank / degrees))
    gpu.expect(now, rank, rtol=1e-12)


@program
def floyd_warshall(gpu):
    weights, distances = weights_of(gpu, 16), gpu.empty((16, 16), "i4")
    gpu.launch("floyd_warshall", 1, (16, 16), gpu.array(weights), distances)
    gpu.expect(distances, shortest(weights))


@program
def floyd_tiles(gpu):
    weights = weights_of(gpu, 24)
    there = gpu.array(weights)
    for k in range(3):
        for phase, grid in enumerate([1, (3, 2), (3, 3)]):
            gpu.launch("floyd_tiles", grid, (8, 8), there, 24, k, phase)
    gpu.expect(there, shortest(weights))


@program
def triangles(gpu):
    g = graph(gpu, 40, 0.2)
    count, edges = gpu.zeros(1, "u4"), g.edges[0].size
    arrays = [gpu.array(each) for each in (g.starts, g.edges[1], *g.edges)]
    gpu.launch("triangles", -(-edges // 128), 128, *arrays, edges, count)
    matrix = g.matrix.astype(int)
    gpu.expect(count, (matrix @ matrix * matrix).sum())
