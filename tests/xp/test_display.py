"""What notebooks show of an array, and its text in formatted strings."""

from xml.etree import ElementTree as ET

import pytest

from accel import xp


def shown(x):
    """Return the line about the array, and the values, as a browser would show them."""
    tree = ET.fromstring(x._repr_html_())
    return "".join(tree.find("summary").itertext()), tree.find("pre").text


def test_the_first_line_says_what_the_array_is(device):
    facts, values = shown(xp.asarray([[1.0, 2.5]], device=device))
    assert facts == f"Array shape (1, 2), dtype float64, device {device}, 16 bytes"
    assert values == "[[1.  2.5]]"


def test_of_large_arrays_the_ends_are_shown(device):
    facts, values = shown(xp.arange(100_000, device=device))
    assert facts.endswith("800,000 bytes")
    assert values == "[    0     1     2 ... 99997 99998 99999]"


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1,) * 5], ids=str)
def test_any_shape_is_shown(shape, device):
    facts, values = shown(xp.ones(shape, device=device))
    assert f"shape {shape}," in facts
    assert ("1." in values) == (0 not in shape)


def test_released_memory_is_not_read():
    x = xp.ones(3)
    x.storage.release()
    assert shown(x)[1] == "released"


def test_the_text_of_an_array_of_no_axes_is_that_of_its_number(device):
    x = xp.asarray([2.5, 4.0], device=device)
    assert f"{x[0]} {x[0]:.2f} {x[0]:>6}" == "2.5 2.50    2.5"
    assert f"{x}" == str(x) == repr(x)
    for dtype, text in {"int64": "2", "bool": "True", "float32": "2.0", "complex64": "(2+0j)"}.items():
        assert str(xp.asarray(2, dtype=dtype, device=device)) == text


def test_completion_offers_methods_and_attributes():
    assert {"T", "astype", "mean", "reshape", "shape", "storage"} <= set(dir(xp.ones(1)))
