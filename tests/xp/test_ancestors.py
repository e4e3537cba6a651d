"""The class of arrays has at most four ancestors, `object` included."""

from accel import xp


def test_the_class_of_arrays_has_at_most_four_ancestors():
    assert len(xp.Array.__mro__) - 1 <= 4, [base.__name__ for base in xp.Array.__mro__[1:]]
