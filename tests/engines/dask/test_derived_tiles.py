"""Tiles that constraints derive, on a cluster: each worker gets what its tile needs."""

import numpy as np
import pytest

from accel.engines import InOut, Input, Output, bloat, image, scale, task
from accel.store import create_store, from_array

from ..stores import store_of


@pytest.fixture(scope="module")
def derived():
    """Tasks that are sent by value."""

    @task(constraints=[image("at", "x")])
    def gather(at: Input, x: Input, y: Output):
        points = at.span_read_accessor() - np.array(x.domain.lo)
        y.span_write_accessor()[...] = x.span_read_accessor()[tuple(points.T)]

    @task(constraints=[image("at", "x")])
    def spread(at: Input, x: InOut):
        x.span_read_write_accessor()[...] *= 2
        x.span_read_write_accessor()[...] += 1

    @task(constraints=[bloat("y", "x", (1,), (1,))])
    def neighbours(x: Input, y: Output):
        at, n = y.domain.lo[0] - x.domain.lo[0], y.shape[0]
        values = np.pad(x.span_read_accessor(), 1)
        y.span_write_accessor()[...] = values[at : at + n] + values[at + 2 : at + 2 + n]

    @task(constraints=[scale((2,), "x", "y")])
    def repeat(x: Input, y: Output):
        y.span_write_accessor()[...] = np.repeat(x.span_read_accessor(), 2)

    return {each.name: each for each in (gather, spread, neighbours, repeat)}


def test_points_are_gathered(cluster, derived):
    rng = np.random.default_rng(4)
    table, points = rng.random((20, 9)), np.stack([rng.integers(0, 20, 30), rng.integers(0, 9, 30)], 1)
    at, x, y = store_of(points), store_of(table), create_store("float64", (30,))
    derived["gather"](at.partition_by_tiling((7, 2)), x, y.partition_by_tiling((7,)))
    assert (cluster.gather(y) == table[tuple(points.T)]).all()


def test_points_that_the_cluster_computed_are_read(cluster, derived):
    at, x = create_store("int64", (6,)), store_of(np.arange(20.0))
    derived["repeat"](from_array(np.array([3, 0, 9])).partition_by_tiling((1,)), at)
    y = create_store("float64", (6, 1))
    derived["gather"](at.promote(1, 1).partition_by_tiling((2, 1)), x, y.project(1, 0).partition_by_tiling((2,)))
    assert cluster.gather(y).ravel().tolist() == [3, 3, 0, 0, 9, 9]


def test_images_that_overlap_are_written_in_the_order_of_the_colors(cluster, derived):
    expected, x = np.zeros(9), store_of(np.zeros(9))
    derived["spread"](from_array(np.array([0, 5, 3, 8, 1, 1])).partition_by_tiling((2,)), x)
    for part in (slice(0, 6), slice(3, 9), slice(1, 2)):
        expected[part] = expected[part] * 2 + 1
    assert cluster.gather(x).tolist() == expected.tolist()


def test_stencils_of_results_on_the_cluster(cluster, derived):
    array = np.arange(17.0) ** 2
    x, y, z = store_of(array), create_store("float64", (17,)), create_store("float64", (17,))
    derived["neighbours"](x, y.partition_by_tiling((5,)))
    derived["neighbours"](y, z.partition_by_tiling((4,)))
    for _ in range(2):
        padded = np.pad(array, 1)
        array = padded[:-2] + padded[2:]
    assert cluster.gather(z).tolist() == array.tolist()
