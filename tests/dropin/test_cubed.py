"""cubed computes with our arrays as chunks."""

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("cubed", reason="cubed is not installed; it is no dependency of the tests")

PROGRAM = """
    import numpy as np
    import cubed
    import cubed.array_api as xp
    values = np.arange(24.0).reshape(4, 6)
    x = cubed.from_array(values, chunks=(2, 3), spec=cubed.Spec(allowed_mem="200MB", reserved_mem=0))
    for name in ("mean", "var", "std", "sum", "prod", "max"):
        for axis in (None, 0):
            np.testing.assert_allclose(getattr(xp, name)(x, axis=axis).compute(), getattr(np, name)(values, axis=axis))
    np.testing.assert_allclose((x @ x.T).compute(), values @ values.T)
    print("right")
"""


def test_reductions_of_chunks_that_are_ours():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "CUBED_BACKEND_ARRAY_API_MODULE": "accel.xp"},
    )
    assert done.stdout.strip() == "right", done.stderr
