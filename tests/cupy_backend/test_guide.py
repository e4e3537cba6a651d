"""The pages of the guide that need a GPU run on the stand-in, all their Python in order."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs/guide"
BLOCK = re.compile(r"^```python(?: gpu)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [page for page in sorted(GUIDE.glob("*.md")) if "```python gpu\n" in page.read_text()]


def test_there_are_pages_to_run():
    assert {page.stem for page in PAGES} == {"on_a_gpu", "your_own_cuda_or_hip"}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_on_the_page_runs_on_a_gpu(gpu_machine, page):
    text, namespace = page.read_text(encoding="utf-8"), {"__name__": page.stem}
    for block in BLOCK.finditer(text):
        # The empty lines make line numbers in tracebacks match the page.
        above = text.count("\n", 0, block.start(1))
        exec(compile("\n" * above + block[1], page, "exec"), namespace)
    namespace.clear()
