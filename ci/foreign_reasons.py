"""Why tests of other projects fail on our arrays: patterns of module, test, line and message, with a reason."""

__all__ = ["REASONS"]

REASONS = [
    (r"test_array_api_lazy", "SciPy knows lazy libraries by the names of those that are not (upstream.md, 3)"),
    (r"test_filters.*test_input_validation", "SciPy expects the message of a library that it knows (upstream.md, 4)"),
]
