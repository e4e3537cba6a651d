"""A class of views has at most four ancestors, `object` included."""

import inspect

import pytest

import accel.views

CLASSES = [
    getattr(accel.views, name)
    for name in accel.views.__all__
    if inspect.isclass(getattr(accel.views, name)) and name != "AddressSpace"  # an enumeration of Python's
]


@pytest.mark.parametrize("view", CLASSES)
def test_a_class_of_views_has_at_most_four_ancestors(view):
    assert len(view.__mro__) - 1 <= 4, [base.__name__ for base in view.__mro__[1:]]
