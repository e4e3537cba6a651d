"""Tiles cover each pixel once, and their halo mirrors the picture at its edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel import xp
from accel.demo.tiles import Tile, cover, cut

SIZES = st.integers(1, 40)


@given(SIZES, SIZES, SIZES)
def test_each_pixel_is_in_one_tile(height, width, side):
    times = np.zeros((height, width), dtype=int)
    for tile in cover(height, width, side):
        times[tile.index] += 1
        assert tile.bottom - tile.top <= side
        assert tile.right - tile.left <= side
    assert (times == 1).all()


@given(SIZES, SIZES, SIZES)
def test_tiles_differ_by_one_pixel_at_most_and_are_as_few_as_possible(height, width, side):
    tiles = [*cover(height, width, side)]
    for extents in ({tile.bottom - tile.top for tile in tiles}, {tile.right - tile.left for tile in tiles}):
        assert max(extents) - min(extents) <= 1
    assert len(tiles) == math.ceil(height / side) * math.ceil(width / side)


@given(SIZES, SIZES, st.integers(0, 90), st.data())
def test_halo_is_the_symmetric_padding_of_numpy(height, width, halo, data):
    picture = np.arange(height * width).reshape(height, width)
    top, left = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    tile = Tile(top, left, data.draw(st.integers(top + 1, height)), data.draw(st.integers(left + 1, width)))
    padded = np.pad(picture, halo, mode="symmetric")
    expected = padded[tile.top : tile.bottom + 2 * halo, tile.left : tile.right + 2 * halo]
    np.testing.assert_array_equal(np.asarray(cut(xp.asarray(picture), tile, halo)), expected)


@pytest.mark.parametrize("halo", [0, 2])
def test_channels_stay_together(halo):
    picture = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    result = np.asarray(cut(xp.asarray(picture), Tile(0, 0, 4, 5), halo))
    np.testing.assert_array_equal(result, np.pad(picture, ((halo, halo), (halo, halo), (0, 0)), mode="symmetric"))
