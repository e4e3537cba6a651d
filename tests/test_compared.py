"""The tables of the page that compares: as `ci/compared.py` writes them, from measured results."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/guide/compared.md"


def test_the_tables_are_what_the_script_writes():
    text = PAGE.read_text(encoding="utf-8")
    assert runpy.run_path(str(ROOT / "ci/compared.py"))["written"](text) == text


def test_each_word_on_another_library_names_its_documentation():
    [table] = re.findall(r"<!-- features -->\n(.*?)<!--", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    rows = [line.strip("| ").split(" | ") for line in table.strip().splitlines()[2:]]
    assert len(rows) > 8
    assert [cell for row in rows for cell in row[2:] if cell.strip(" |") and "](https://" not in cell] == []
