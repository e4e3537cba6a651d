"""The solutions of the guide's puzzles, on the host and on the simulated device, in several sizes."""

import pytest

import accel

NAMES = [
    "double",
    "larger_of",
    "outer_sum",
    "smooth",
    "sum_and_max",
    "block_sum",
    "transpose",
    "matmul",
    "prefix_sum",
    "histogram",
    "softmax",
    "mandelbrot",
]


@pytest.fixture(scope="module")
def page(run_page, root):
    """What the page defines."""
    return run_page(root / "docs/guide/puzzles.md")


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("name", NAMES)
class TestASolution:
    @pytest.mark.parametrize("n", [1, 9, 33])
    def test_is_right(self, page, name, device, n):
        page[f"check_{name}"](page[name], device, n)

    def test_leaves_no_view_and_has_no_race(self, page, name, device):
        with accel.debug():
            page[f"check_{name}"](page[name], device, 9)


class Idle:
    """A kernel that does nothing."""

    def __call__(self, *_):
        return 0, 0

    def on(self, **_):
        return self


@pytest.mark.parametrize("name", NAMES)
def test_a_check_refuses_a_kernel_that_does_nothing(page, name):
    with pytest.raises(AssertionError):
        page[f"check_{name}"](Idle(), "cpu", 9)


def test_there_are_as_many_puzzles_as_tests(page):
    assert [solution.__name__ for solution in page["solutions"]] == NAMES
