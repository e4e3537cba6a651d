"""Each public name has a docstring in NumPy's style: parameters, results, errors, and in `accel.xp` an example."""

from .docstrings import lacks, public


def test_docstrings_lack_nothing():
    assert [gap for name, value in public().items() for gap in lacks(name, value)] == []
