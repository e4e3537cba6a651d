"""Python without its global interpreter lock: what `accel` says at its import, and in `accel info`."""

import sys

import pytest

from accel.commands.info import machine_report, machine_text
from accel.support.free_threading import NOT_SAFE

IMPORT = """
import importlib, sys, warnings
{gil}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import accel
    import accel.xp
    importlib.import_module("accel")
print([(each.category.__name__, str(each.message), each.filename) for each in caught])
"""


@pytest.mark.parametrize(
    ("gil", "expected"),
    [
        ("sys._is_gil_enabled = lambda: False", [("RuntimeWarning", NOT_SAFE, "<string>")]),
        ("sys._is_gil_enabled = lambda: True", []),
        ("vars(sys).pop('_is_gil_enabled', None)", []),
    ],
)
def test_the_import_warns_once_where_there_is_no_gil(python, root, gil, expected):
    assert python(IMPORT.format(gil=gil), root) == str(expected)


def test_info_says_it(monkeypatch):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert NOT_SAFE in machine_text(machine_report())
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: True)
    assert NOT_SAFE not in machine_text(machine_report())
