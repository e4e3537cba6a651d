"""The pages of the guide about GPUs run on the stand-in, all their Python in order, as all pages run on `sim`."""

from pathlib import Path

import pytest

from tests.pages import run_page

GUIDE = Path(__file__).parents[2] / "docs/guide"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["on_a_gpu", "your_own_cuda_or_hip"])
def test_the_python_on_the_page_runs_on_a_gpu(gpu_machine, name):
    run_page(GUIDE / f"{name}.md").clear()
