"""Slices of arrays whose neighbours are far apart are copied before they are read many times; writes keep order."""

from random import Random
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.fusion import packed_slices

from .comparison import same

DEVICES = ("cpu", "sim")


@pytest.fixture
def all_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy all slices that are read."""
    monkeypatch.setattr(packed_slices, "_SMALLEST", 0)
    monkeypatch.setattr(packed_slices, "_READS", 0)


def spread(u: Any) -> Any:
    x = u[..., 1]
    return x[1:-1, 1:-1] - (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2]) / 4


def moved(u: Any) -> Any:
    before = u[..., 0]
    u[1:-1, :, 1] = (before[2:] - before[:-2]) * 2 + before[1:-1]
    u[..., 0] = u[..., 1] + u[..., 0]
    return before


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [spread, moved])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_slice_is_copied_once(function: Any, device: str, order: str) -> None:
    values = np.arange(150.0 * 200 * 3).reshape(150, 200, 3) % 101
    values = values if order == "C" else np.asfortranarray(values.transpose(2, 0, 1)).transpose(1, 2, 0)
    fused, unfused = [xp.asarray(values, copy=True, device=device) for _ in range(2)]
    copies = [step for step in accel.fuse(function).explain(fused).steps if "copies" in step.operations]
    found, expected = accel.fuse(function)(fused), function(unfused)
    assert len(copies) == 1
    same([found, fused], [expected, unfused], 0, "an array")


STATEMENTS = [
    "u[1:-1, :, {0}] = u[2:, :, {1}] * 2 - u[:-2, :, {2}]",
    "u[..., {0}] += u[::-1, :, {1}]",
    "v[:, 1:, {0}] = u[:, :-1, {1}] + v[:, :-1, {2}]",
    "t = t + u[..., {0}] * v[..., {1}]",
    "u[2, :, {0}] = v[1, ::-1, {1}]",
    "v[..., {0}] = xp.where(u[..., {1}] > t, t, v[..., {2}])",
    "w = xp.copy(u); w[0] = 3; t = t - w[..., {0}]",
    "t = t + xp.sum(u[..., {0}], axis=0)",
    "u[...] = v[:, :, ::-1] * 0.5",
]


@pytest.mark.usefixtures("all_slices")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("seed", range(30))
def test_reads_and_writes_of_slices_keep_their_order(seed: int, device: str) -> None:
    random = Random(seed)
    lines = [
        each.format(*random.choices(range(3), k=3)) for each in random.choices(STATEMENTS, k=random.randrange(2, 9))
    ]
    text = "\n    ".join(["def program(u, v):", "t = u[..., 2]", *lines, "return t, xp.copy(u[..., 0])\n"])
    names: dict[str, Any] = {"xp": xp}
    exec(compile(text, "<random program>", "exec"), names)
    values = [np.arange(60.0).reshape(5, 4, 3) % each for each in (7, 11)]
    runs = []
    for function in (accel.fuse(names["program"]), names["program"]):
        arrays = [xp.asarray(each, copy=True, device=device) for each in values]
        runs.append([*function(*arrays), *arrays])
    try:
        same(*runs, 0, "an array")
    except AssertionError as error:
        error.add_note(text)
        raise
