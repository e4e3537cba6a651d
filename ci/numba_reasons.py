"""Why tests of numba-cuda fail on simulated devices: patterns of test and message, with a reason."""

__all__ = ["REASONS"]

REASONS = [
    (r"PTX is not simulated", "the test reads PTX, which is not made"),
]
