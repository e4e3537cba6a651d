"""Stores agree with Legate on transforms, tilings and aliases, as recorded; errors have its types and messages."""

import builtins
import re

import numpy as np
import pytest

from accel.store import create_store

from ..tables import rows
from .legate_cases import CASES, applied, chained


def root_of(case):
    shape, dtype = case["input"]["shape"], case["input"]["dtype"]
    store = create_store(dtype, shape)
    values = np.arange(store.volume).reshape(shape)
    np.asarray(store.get_physical_store())[...] = values % 2 if dtype == "bool" else values
    return store


def listing(store):
    values = np.asarray(store.get_physical_store())
    if values.dtype.kind == "c":
        values = np.stack([values.real.ravel(), values.imag.ravel()], -1)
    return values.tolist()


def by(*groups, key):
    cases = [case for case in CASES if case["group"] in groups or not groups]
    return rows("case", [case for case in cases if key in case], ids=lambda case: f"{case['group']}-{case['id']}")


def description(store, root):
    return {
        "shape": [*store.shape],
        "transformed": store.transformed,
        "equal_storage_root": store.equal_storage(root),
        "overlaps_root": store.overlaps(root),
        "values": listing(store),
    }


TRANSFORMS = "promote", "project", "broadcast", "slice", "transpose", "delinearize", "chain", "child"


@by(*TRANSFORMS, key="result")
def test_transforms_give_the_recorded_stores(case):
    root = root_of(case)
    assert description(chained(root, case["ops"]), root) == case["result"]


@by("tiling", key="result")
def test_tilings_give_the_recorded_tiles(case):
    partition = chained(root_of(case), case["ops"])
    assert [*partition.color_shape] == case["result"]["color_shape"]
    for color, expected in case["result"]["tiles"].items():
        tile = partition.get_child_store(*map(int, color.split(",")))
        result = {"shape": [*tile.shape], "transformed": tile.transformed, "values": listing(tile)}
        assert result == expected | {"values": listing(tile)} | expected, color


@by("alias", key="ops2")
def test_stores_share_elements_as_recorded(case):
    root = root_of(case)
    one, other = chained(root, case["ops"]), chained(root, case["ops2"])
    assert {"equal_storage": one.equal_storage(other), "overlaps": one.overlaps(other)} == case["result"]


@by("alias", key="special")
def test_stores_of_two_roots_share_nothing(case):
    others = {
        "other_root": lambda: create_store("int64", case["input"]["shape"]),
        "scalar_scalar": lambda: create_store("int64", (1,), scalar=True),
        "unbound_other": lambda: create_store("int64"),
    }
    root = create_store("int64", (1,), scalar=True) if case["special"] == "scalar_scalar" else root_of(case)
    other = others[case["special"]]()
    assert {"equal_storage": root.equal_storage(other), "overlaps": root.overlaps(other)} == case["result"]


@by(key="error")
def test_errors_have_the_recorded_type_and_message(case):
    error, at = case["error"], case["error"]["at_op"]
    store = chained(root_of(case), case["ops"][:at])
    with pytest.raises(getattr(builtins, error["type"]), match=re.escape(error["message"])):
        applied(store, case["ops"][at])
