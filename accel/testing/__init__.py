"""For tests of code that uses accelerators, and of backends. Needs the extra ``accel-container[test]``."""

from accel.testing.conformance import BackendConformance

__all__ = ["BackendConformance"]
