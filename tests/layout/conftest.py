"""The helpers of this room assert too, and say what they compared."""

import pytest

pytest.register_assert_rewrite("tests.layout.postconditions")
