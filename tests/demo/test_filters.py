"""Each filter gives the result of SciPy or NumPy on the same array."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

from accel import xp
from accel.demo import filters

from . import standard

SIZES = st.integers(1, 12)
HOST = pytest.mark.parametrize("device", ["cpu", "sim"])  # other devices may round a product and a sum at once


def noise(shape, seed=0):
    return np.random.default_rng(seed).normal(0, 100, shape)


def mirrored(x, halo):
    return xp.asarray(np.pad(x, halo, mode="symmetric"))


def test_luminance_is_exact_and_keeps_black_and_white():
    pixels = np.array([[[0, 0, 0], [255, 255, 255], [1, 2, 3]]], dtype=np.uint8)
    light = np.asarray(filters.luminance(xp.asarray(pixels)))
    np.testing.assert_array_equal(light, [[0, 255, (54 + 2 * 183 + 3 * 19) / 256]])


@pytest.mark.parametrize("radius", [0, 1, 5])
def test_box_sum_equals_scipys_mean(radius):
    x = noise((17, 23))
    side = 2 * radius + 1
    result = np.asarray(filters.box_sum(mirrored(x, radius), radius)) / side**2
    np.testing.assert_allclose(result, ndimage.uniform_filter(x, side), rtol=0, atol=1e-11)


def test_box_sum_of_whole_numbers_is_exact(device):
    x = np.random.default_rng(1).integers(0, 256 * 255, (90, 90)).astype(float)
    window = np.lib.stride_tricks.sliding_window_view(x, (65, 65))
    result = filters.box_sum(xp.asarray(x, device=device), 32).container().to_numpy().reshape(26, 26)
    np.testing.assert_array_equal(result, window.sum((2, 3)))


@pytest.mark.parametrize("sigma", [0.5, 1.5, 3.0])
def test_gaussian_equals_scipys(sigma, device):
    x = noise((31, 37))
    padded = xp.asarray(mirrored(x, len(filters.gaussian_weights(sigma)) - 1), device=device)
    result = filters.gaussian(padded, sigma).container().to_numpy().reshape(x.shape)
    np.testing.assert_allclose(result, ndimage.gaussian_filter(x, sigma, truncate=4.0), rtol=0, atol=1e-11)


@HOST
@settings(deadline=None, max_examples=25)
@given(height=SIZES, width=SIZES, sigma=st.sampled_from([0.3, 0.5, 1.5]))
def test_gaussian_is_bit_for_bit_that_of_array_functions(device, height, width, sigma):
    margin = 2 * (len(filters.gaussian_weights(sigma)) - 1)
    x = noise((height + margin, width + margin))
    result = filters.gaussian(xp.asarray(x, device=device), sigma).container().to_numpy()
    np.testing.assert_array_equal(result, np.asarray(standard.gaussian(xp.asarray(x), sigma)).ravel())


def test_bell_sums_to_one():
    centre, *sides = filters.gaussian_weights(2.5)
    assert centre + 2 * sum(sides) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("reach", [1, 3])
def test_peaks_are_the_largest_around(reach, device):
    x = noise((20, 21))
    expected = x == ndimage.maximum_filter(x, 2 * reach + 1)
    result = filters.peaks(xp.asarray(mirrored(x, reach), device=device), reach)
    np.testing.assert_array_equal(result.container().to_numpy().reshape(x.shape), expected)


@HOST
@settings(deadline=None, max_examples=25)
@given(st.data())
def test_peaks_of_one_height_are_all_marked(device, data):
    reach = data.draw(st.integers(1, 3))
    sides = st.sampled_from([2 * reach + 1, 2 * reach + 4, 2 * reach + 9])
    heights = st.sampled_from([-np.inf, 0.0, 1.0, 2.0])
    x = data.draw(hnp.arrays(np.float64, st.tuples(sides, sides), elements=heights))
    result = filters.peaks(xp.asarray(x, device=device), reach).container().to_numpy()
    np.testing.assert_array_equal(result, np.asarray(standard.peaks(xp.asarray(x), reach)).ravel())


@pytest.mark.parametrize("line", [np.s_[7, :], np.s_[:, 7], (range(15), range(15)), (range(15), range(14, -1, -1))])
def test_a_line_of_any_direction_is_a_ridge_and_its_flanks_are_not(line):
    drawn = np.zeros((15, 15), dtype=bool)
    drawn[line] = True
    blurred = ndimage.gaussian_filter(drawn.astype(float), 1.5)
    result = np.asarray(filters.ridges(xp.asarray(blurred))) & (blurred[1:-1, 1:-1] > 0.05)
    # The pixels beside a diagonal are nearer to its centre line than their neighbours across it.
    beside = ndimage.binary_dilation(drawn)
    assert result[drawn[1:-1, 1:-1]].all()
    assert not result[~beside[1:-1, 1:-1]].any()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_robust_level_is_numpys_median_and_scaled_distance(values):
    centre, spread = filters.robust_level(xp.asarray(np.array(values)))
    assert float(centre) == np.median(values)
    assert float(spread) == 1.4826 * np.median(np.abs(values - np.median(values)))


@given(st.integers(0, 3))
def test_inner_takes_a_margin_off_each_edge(margin):
    x = noise((8, 9))
    np.testing.assert_array_equal(
        np.asarray(filters.inner(xp.asarray(x), margin)), x[margin : 8 - margin, margin : 9 - margin]
    )
