"""The guide to layouts has a sentence for every operation: the first of its docstring."""

import inspect
from pathlib import Path

import pytest

from accel import layout as library

PAGE = Path(__file__).parents[2] / "docs/guide/layouts.md"
OPERATIONS = [name for name in library.__all__ if inspect.isroutine(getattr(library, name))]


def rows():
    """Return the lines of the table, without its head."""
    table = PAGE.read_text(encoding="utf-8").partition("|---|---|\n")[2]
    return table.splitlines()


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_told_as_in_its_docstring(name):
    sentence = inspect.getdoc(getattr(library, name)).splitlines()[0]
    cell = sentence.replace("|", r"\|")
    assert f"| `{name}` | {cell} |" in rows()


def test_what_is_no_operation_is_not_told():
    assert len(rows()) == len(set(rows())) == len(OPERATIONS)
