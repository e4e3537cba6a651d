"""Outputs whose shape the bodies choose, on the workers of a cluster."""

import numpy as np
import pytest

from accel.engines import InOut, Output, task
from accel.errors import StoreError
from accel.store import create_store, from_array


@pytest.mark.parametrize("shapes", [((2, 3), (1, 3)), ((0, 3), (2, 3))])
def test_outputs_of_unknown_shape_are_joined_in_the_order_of_colors(cluster, shapes):
    @task
    def produce(rows: tuple, columns: tuple, x: InOut, y: Output):
        color = int(x.span_read_accessor()[0])
        result = y.create_output_buffer((rows[color], columns[color]), bind_buffer=True)
        np.asarray(result)[...] = color + 1

    x, y = from_array(np.arange(2.0), read_only=False), create_store("float64", ndim=2)
    rows, columns = zip(*shapes, strict=True)
    produce(rows, columns, x.partition_by_tiling((1,)), y)
    expected = np.concatenate([np.full(shape, color + 1.0) for color, shape in enumerate(shapes)])
    assert y.shape == expected.shape
    assert np.array_equal(cluster.gather(y), expected)


def test_outputs_that_cannot_be_joined_are_refused(cluster):
    @task
    def produce(x: InOut, y: Output):
        y.create_output_buffer((1, int(x.span_read_accessor()[0]) + 1), bind_buffer=True)

    x, y = from_array(np.arange(2.0), read_only=False), create_store("float64", ndim=2)
    future = produce(x.partition_by_tiling((1,)), y)
    with pytest.raises(StoreError, match="cannot be joined"):
        future.wait()
