"""Docstrings composed of a function's own sections and of shared ones."""

import pytest

from accel.support.shared_sections import with_sections

_SHARED = """
    Parameters
    ----------
    x : float
        A number.
    y : float
        Another number.

    Returns
    -------
    float
        A result.
"""


def test_own_sections_come_before_shared_ones_and_parameters_are_in_the_order_of_the_signature():
    @with_sections(_SHARED)
    def power(y, z, *, x=1):
        """Return a power.

        It is exact.

        Parameters
        ----------
        z : int
            Which one.
        y : int
            The base,
            which is an integer.

        Examples
        --------
        >>> power(2, 1)
        2
        """

    assert power.__doc__.splitlines() == [
        "Return a power.", "", "It is exact.", "",
        "Parameters", "----------", "y : int", "    The base,", "    which is an integer.", "z : int", "    Which one.",
        "x : float", "    A number.", "",
        "Returns", "-------", "float", "    A result.", "",
        "Examples", "--------", ">>> power(2, 1)", "2",
    ]  # fmt: skip


def test_a_parameter_that_nothing_describes_is_an_error_when_the_function_is_defined():
    with pytest.raises(KeyError, match="other"):

        @with_sections(_SHARED)
        def negative(x, other):
            """Return a negative number."""


def test_no_docstring_is_composed_where_python_keeps_none(python):
    lines = "import accel.xp as xp, accel.kernels as kernels\nprint(xp.zeros.__doc__, kernels.atomic_add.__doc__)"
    assert python(lines, PYTHONOPTIMIZE="2").split() == ["None", "None"]
