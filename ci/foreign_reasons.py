"""Why tests of other projects fail on our arrays: patterns of module, test, line and message, with a reason."""

__all__ = ["REASONS"]

REASONS = [
    (
        r"test_array_api_lazy",
        "SciPy knows lazy libraries by the names of those that are not ([report](../upstream/scipy-test-lazy.md))",
    ),
    (
        r"test_filters.*test_input_validation",
        "SciPy expects the message of a library that it knows ([report](../upstream/scipy-test-messages.md))",
    ),
]
