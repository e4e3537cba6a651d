"""The solutions of the guide's puzzles, compiled for GPUs, on the stand-in."""

import pytest

import accel

from ..kernels.test_puzzles import NAMES


@pytest.fixture(scope="module")
def page(run_page, root):
    """What the page defines."""
    return run_page(root / "docs/guide/puzzles.md")


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_solution_is_right(page, gpu_machine, name, debug):
    with accel.using(debug=debug):
        page[f"check_{name}"](page[name], "gpu", 33)
