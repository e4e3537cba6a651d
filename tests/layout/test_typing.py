"""What type checkers know of the shapes of layouts."""

import re

import pytest

from ..kernels.test_typing import checked

PROGRAM = """
from typing import Any, reveal_type
from accel.layout import Layout, logical_divide, row_major, zipped_divide

tile = Layout((4, 8))
reveal_type(tile.shape)
reveal_type(Layout((4, (2, 2)), (2, (1, 8))))
reveal_type(row_major(2, (3, 4)).shape)
reveal_type(Layout(4).shape)
reveal_type(Layout([4, 8]).shape)
rows, columns = tile.shape
inner, outer = zipped_divide(tile, (2, 4)).shape

def halves(layout: Layout, shape: tuple[int, ...], anything: Any) -> Layout[tuple[int, int]]:
    rows, columns = layout.shape
    depth, height, width = row_major(*shape).shape
    whole = Layout(anything)
    whole = logical_divide(whole, 2)
    return tile

rows, columns, depth = tile.shape  # wrong
tile.shape[2]  # wrong
inner, middle, outer = zipped_divide(tile, (2, 4)).shape  # wrong
Layout(4.5)  # wrong
"""
REVEALED = [
    "tuple[int, int]",
    "accel.layout.layout.Layout[tuple[int, tuple[int, int]], tuple[int, tuple[int, int]]]",
    "tuple[int, tuple[int, int]]",
    "int",
    "Any",
]


@pytest.mark.slow
def test_mypy_knows_the_shape_of_a_layout_and_finds_what_does_not_fit_it(root, tmp_path):
    said = checked(PROGRAM, root, tmp_path)
    known = re.sub(r"Literal\[\d+\]\?", "int", said)  # mypy knows the numbers where they are written
    assert re.findall('Revealed type is "(.*)"', known) == REVEALED
    wrong = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]
    assert [int(number) for number in re.findall(r"user.py:(\d+): error", said)] == wrong, said


def test_parameters_are_written_at_run_time_too():
    from accel.layout import Layout

    assert str(Layout[tuple[int, int]]) == "accel.layout.layout.Layout[tuple[int, int]]"
    assert Layout[tuple[int, int], tuple[int, int]]((4, 8)) == Layout((4, 8))
