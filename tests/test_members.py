"""Every member of the reference systems has a counterpart here, or a line with the reason why not."""

import json
import re
from importlib import import_module

import pytest

SEEDS = {
    "000": "buffers.md",
    "001": "layout_tensor.md",
    "002": "buffer_view.md",
    "003": "numojo.md",
    "004": "legate.md",
}
"""The systems built so far, and the page of each."""


def members(root, seed):
    entries = json.loads((root / "tests" / "golden" / "members.json").read_text(encoding="utf-8"))
    return {entry["id"] for entry in entries if entry["seed"] == seed}


def rows(root, page):
    lines = (root / "docs" / "members" / page).read_text(encoding="utf-8").splitlines()
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d", line))
    return {row[0]: row[3] for row in cells}


def look_up(name):
    """Import as much of a dotted name as is a module, and get the rest as attributes."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:]:
            found = getattr(found, part)
        return found
    raise AssertionError(f"there is no {name}")


@pytest.mark.parametrize(("seed", "page"), SEEDS.items())
def test_no_member_is_forgotten(root, seed, page):
    assert set(rows(root, page)) == members(root, seed)


@pytest.mark.parametrize(("seed", "page"), SEEDS.items())
def test_every_counterpart_exists_or_the_line_says_why_not(root, seed, page):
    for identity, here in rows(root, page).items():
        names = re.findall(r"`(accel[\w.]*)`", here)
        for name in names:
            assert look_up(name) is not None, identity
        assert names or re.match(r"none: \w+", here), identity
