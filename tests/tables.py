"""Tests of tables: one test for all rows, each of which is a subtest."""

import inspect
from functools import wraps

__all__ = ["rows"]


def rows(names, values, ids=str):
    """Make one test of all rows of a table: each runs as a subtest, with the fixtures of the test.

    As `pytest.mark.parametrize`, which makes a test of each row: that costs milliseconds a row, in each process.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [value if len(names) > 1 else (value,) for value in values]

    def decorate(function):
        parameters = inspect.signature(function).parameters
        assert table
        assert set(names) <= parameters.keys()

        @wraps(function)
        def test(*args, subtests, **fixtures):
            for row in table:
                with subtests.test(" ".join(map(ids, row))):
                    function(*args, **fixtures, **dict(zip(names, row, strict=True)))

        others = [parameter for name, parameter in parameters.items() if name not in names]
        subtests = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        test.__signature__ = inspect.Signature([*others, *[subtests][: "subtests" not in parameters]])
        return test

    return decorate
