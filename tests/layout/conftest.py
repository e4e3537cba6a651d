"""Register the helper modules for assertion rewriting, so that their failures show the compared values."""

import pytest

pytest.register_assert_rewrite("tests.layout.postconditions")
