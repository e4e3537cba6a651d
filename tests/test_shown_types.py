"""`ci/types`: the programs that are made of pages, and what is expected of them."""

import importlib.util
import sys

import pytest


@pytest.fixture(scope="module")
def shown_types(root):
    spec = importlib.util.spec_from_file_location("shown_types", root / "ci/shown_types.py")
    module = importlib.util.module_from_spec(spec)
    before = sys.path.copy()
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


PAGE = """A page.

```python
import accel
```

A session:

```python
>>> for x in (1,
...           2):
...     x
1
2
>>> accel.zeros(2)
```
"""


def test_the_program_of_a_page_has_each_statement_on_its_line(shown_types, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    program = (tmp_path / shown_types._written(page, tmp_path)).read_text().splitlines()
    text = PAGE.splitlines()
    for number, line in enumerate(program):
        assert not line or text[number].endswith(line)
    assert [line for line in program if line] == [
        "import accel", "for x in (1,", "          2):", "    x", "accel.zeros(2)",
    ]  # fmt: skip


def test_errors_that_are_expected_are_of_pages_that_exist(shown_types, root):
    for name, _ in shown_types._EXPECTED:
        assert (root / "docs/guide" / name).is_file()


def test_modules_with_a_stub_are_compared(shown_types, root):
    stubs = {
        path.relative_to(root).with_suffix("").as_posix().replace("/", ".") for path in root.glob("accel/**/*.pyi")
    }
    modules = {name.removesuffix(".__init__") for name in stubs}
    assert modules == {"accel", *(f"accel.{name}" for name in shown_types._STUBBED.split("|"))}
