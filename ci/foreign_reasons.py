"""Why tests of other projects fail on our arrays: patterns of module, test, line and message, with a reason."""

__all__ = ["REASONS"]

REASONS = [
    (
        r"array_api_extra.*(test_incompatible_dtype|TestNUnique::test_delegates)",
        "a test knows what some libraries do ([report](../upstream/array-api-extra-tests-of-others.md))",
    ),
    (
        r"test_array_api_lazy",
        "SciPy knows lazy libraries by the names of those that are not ([report](../upstream/scipy-test-lazy.md))",
    ),
    (
        r"test_filters.*test_input_validation",
        "SciPy expects the message of a library that it knows ([report](../upstream/scipy-test-messages.md))",
    ),
]
