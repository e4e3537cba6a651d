"""The demo's kernels on GPUs, on the stand-in, which has no array functions: they are called with containers."""

import io

import numpy as np
import pytest
from rich.console import Console

import accel
from accel import Device, xp
from accel.demo import kernels
from accel.demo.debugging import show_planted_error
from accel.demo.filters import gaussian_weights
from accel.layout import Layout, row_major

from ..demo import standard

pytestmark = pytest.mark.usefixtures("gpu_machine")


def noise(*shape):
    return np.random.default_rng(8).normal(0, 100, shape)


def on_gpu(values):
    return accel.container(values.ravel(), device="gpu")


@pytest.mark.parametrize("debug", [False, True])
def test_smoothing_along_both_axes_is_that_of_array_functions(debug):
    x, weights = noise(31, 27), gaussian_weights(0.8)
    margin = 2 * (len(weights) - 1)
    rows, columns = x.shape
    between, out = (accel.empty((rows - margin) * width, "float64", "gpu") for width in (columns, columns - margin))
    side_by_side = on_gpu(np.array(weights))
    with accel.using(debug=debug):
        kernels.smooth(on_gpu(x)[:], between[:], side_by_side[:], columns, columns, columns)
        kernels.smooth(between[:], out[:], side_by_side[:], columns - margin, columns, 1)
    expected = np.asarray(standard.gaussian(xp.asarray(x), 0.8))
    np.testing.assert_allclose(out.to_numpy(), expected.ravel(), rtol=0, atol=1e-11)


@pytest.mark.parametrize("debug", [False, True])
def test_the_peaks_are_those_of_array_functions(debug):
    x, reach = np.rint(noise(25, 30) / 50), 2
    rows, columns = (extent - 2 * reach for extent in x.shape)
    window, peaks = on_gpu(x).view(row_major(*x.shape)), accel.empty(rows * columns, "bool", "gpu")
    middle = window[reach : reach + rows, reach : reach + columns]
    with accel.using(debug=debug):
        kernels.find_peaks(window, middle, peaks.view(row_major(rows, columns)), Layout((reach + 1, reach + 1)))
    np.testing.assert_array_equal(peaks.to_numpy(), np.asarray(standard.peaks(xp.asarray(x), reach)).ravel())


@pytest.mark.slow
def test_the_planted_error_is_shown_and_the_gpu_stays_usable():
    text = io.StringIO()
    show_planted_error(Device.best(), Console(file=text, width=100))
    assert "kernel[smooth_row_too_far] tid=30, got index 32 (offset=0, size=32)" in text.getvalue()
