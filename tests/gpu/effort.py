"""Number of examples: ``ACCEL_GPU_EXAMPLES`` of each property; other numbers are derived from it."""

import os

from hypothesis import HealthCheck, settings

__all__ = ["EXAMPLES", "THOROUGH"]

EXAMPLES = int(os.environ.get("ACCEL_GPU_EXAMPLES", "200"))
THOROUGH = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
