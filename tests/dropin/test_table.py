"""Functions of other libraries give right answers for our arrays, as the page in the guide says."""

import pytest

from . import page
from .page import GROUPS, HERE

ALLOWED = {"cpu": {"yes"}, "sim": {"native", "refused"}, "sim, host copies": {"yes"}}


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_the_answers_are_right_and_the_page_has_them(group):
    found, written = page.outcomes(GROUPS[group].split()), page.rows_on_page()
    wrong = [
        f"{consumer}, {name}, {mode}: {outcome}"
        for consumer, rows in found.items()
        for name, row in rows.items()
        for mode, outcome in row["modes"].items()
        if outcome not in ALLOWED[mode]
    ]
    assert not wrong, "\n".join(wrong)
    for consumer, rows in found.items():
        expected = [page.row(name, row) for name, row in rows.items()]
        assert written[page.title(consumer)] == expected, "run ci/drop_in, and look at what it changed"


def test_every_consumer_is_in_a_group():
    assert sorted(" ".join(GROUPS.values()).split()) == sorted(file.stem for file in HERE.glob("consumers/*.py"))
