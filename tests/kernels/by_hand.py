"""Launches of kernels that are written by hand: those of the guide, of the demo, and of other tests."""

from functools import partial

import numpy as np
import pytest

import accel
from accel import xp
from accel.demo.filters import gaussian, peaks
from accel.demo.planted_error import smooth_row
from accel.errors import KernelBoundsError

from . import on_views
from .launch_recorder import recording
from .layers import by_interpreter
from .on_grids import launch_all, launch_wrong
from .on_views import counted

__all__ = ["cases_by_hand"]

PAGES = ("kernels", "kernels_inside", "coming_from")
OUTSIDE = [
    lambda v: on_views.read_at(v, 16),
    lambda v: on_views.write_at(v, -1),
    lambda v: on_views.write_at_in_a_loop(v, 16),
    on_views.shift_by_size,
    lambda v: on_views.write_nested(v, 99),
    lambda v: on_views.write_in_subview(v, 12, 8, 3),
    lambda v: on_views.write_in_subview(v, 4, 4, 4),
    lambda v: on_views.write_in_constructed(v, -1, 5, 2),
]


def launch_on_views():
    for dtype in ("int32", "float16", "float64"):
        on_views.scale(counted("cpu", dtype=dtype)[::1], 3)
    on_views.fill_with(counted("cpu")[-5:], -1)
    on_views.scale_floats(counted("cpu", dtype="float32")[3:])
    on_views.add(counted("cpu")[:10], counted("cpu")[10:20])
    on_views.read_at(counted("cpu")[8:], 3)
    on_views.write_in_subview(counted("cpu")[8:], 3, 4, 2)
    on_views.write_in_constructed(counted("cpu")[8:], 3, 4, 2)
    on_views.write_in_slice(counted("cpu")[8:], -4, 100)


def launch_demo():
    x = np.random.default_rng(0).normal(size=(12, 14))
    gaussian(xp.asarray(x), 0.5)
    peaks(xp.asarray(x), 2)
    smooth_row(accel.container(x[0])[:], accel.zeros(12)[:])


def cases_by_hand(run_page, root):
    """Return launches in debug mode, and those without a failed check in release mode too."""
    with recording() as launched:
        for name in PAGES:
            run_page(root / f"docs/guide/{name}.md")
        puzzles = run_page(root / "docs/guide/puzzles.md")
        for solution, check in puzzles["solutions"].items():
            check(solution, "cpu", 9)
        launch_on_views()
        launch_demo()
        launch_all()
        for launch in (*[partial(launch, counted("cpu")[8:24]) for launch in OUTSIDE], *launch_wrong()):
            with accel.debug(), pytest.raises(KernelBoundsError):
                launch()
    return [case for pair in launched for case in (pair[1:] if by_interpreter(pair[1]).failure else pair)]
