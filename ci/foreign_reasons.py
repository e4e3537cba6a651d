"""Why tests of other projects fail on our arrays: patterns of module, test, line and message, with a reason."""

__all__ = ["REASONS"]

REASONS = [
    (r"_lib.tests.test__util .*test_array_api_lazy", "SciPy lists the eager libraries by name (upstream.md, 3)"),
    (r"test_filters.py.*Regex", "SciPy expects the message of one of the libraries that it knows (upstream.md, 4)"),
]
