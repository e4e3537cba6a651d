"""The surroundings of pixels, as SciPy computes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from accel.demo import windows
from accel.demo.pictures import SOURCES

images = st.builds(
    lambda seed, shape: np.random.default_rng(seed).standard_normal(shape),
    st.integers(0, 1000),
    st.tuples(st.integers(9, 20), st.integers(9, 20)),
)


@given(images, st.integers(0, 4))
def test_means_and_smallest_elements_of_squares(image, radius):
    side = 2 * radius + 1
    np.testing.assert_allclose(windows.mean(image, side), ndimage.uniform_filter(image, side), atol=1e-12)
    np.testing.assert_array_equal(windows.smallest(image, side), ndimage.minimum_filter(image, side))


@given(images, st.floats(0.5, 2))
def test_gaussians(image, sigma):
    np.testing.assert_allclose(windows.blurred(image, sigma), ndimage.gaussian_filter(image, sigma), atol=1e-12)


@given(images, st.integers(1, 3), st.data())
def test_the_largest_marked_element(image, reach, data):
    side = 2 * reach + 1
    marks = data.draw(st.lists(st.booleans(), min_size=side * side, max_size=side * side).filter(any))
    footprint = np.reshape(marks, (side, side))
    mirrored = ndimage.maximum_filter(image, footprint=footprint)
    np.testing.assert_array_equal(windows.largest(image, footprint), mirrored)
    alone = ndimage.maximum_filter(image, footprint=footprint, mode="constant", cval=-np.inf)
    np.testing.assert_array_equal(windows.largest(image, footprint, -np.inf), alone)


@pytest.mark.parametrize("source", SOURCES)
def test_pictures_are_those_that_scikit_image_loads(source):
    from skimage import data

    loaded = {"sky": data.hubble_deep_field, "retina": data.retina}[source().name]()
    np.testing.assert_array_equal(source().pixels, loaded)
