"""Tasks see the stores that Legate recorded, on each engine of this process and on a simulated device."""

import numpy as np
import pytest

from accel.engines import InOut, Input, engine, task
from accel.store import create_store, from_array

from ..store.legate_cases import CASES, chained

ENGINES = {
    "eager": ("eager", {}),
    "threads": ("threads", {"inline": False}),
    "threads on sim": ("threads", {"device": "sim"}),
    "threads within a budget": ("threads", {"budget": "64 KiB"}),
}
INTEGERS = [case for case in CASES if case["input"]["dtype"] == "int64" and "result" in case]
VIEWS = [case for case in INTEGERS if case["group"] not in ("alias", "tiling")]
TILINGS = [case for case in INTEGERS if case["group"] == "tiling"]


@task
def copy(x: Input, y: InOut):
    y.span_read_write_accessor()[...] = x.span_read_accessor()


@copy.variant("sim")
def copy_there(x, y):
    y.span_read_write_accessor().copy_from(x.span_read_accessor())


@pytest.fixture(params=ENGINES.values(), ids=ENGINES)
def current(request):
    name, options = request.param
    with engine(name).using(**options) as result:
        yield result


def root_of(case):
    shape = case["input"]["shape"]
    return from_array(np.arange(np.prod(shape, dtype=int)).reshape(shape))


def test_a_task_reads_what_the_recorded_transforms_give(current):
    views = [chained(root_of(case), case["ops"]) for case in VIEWS]
    copies = [create_store("int64", view.shape) for view in views]
    for view, result in zip(views, copies, strict=True):
        copy(view, result)
    for case, result in zip(VIEWS, copies, strict=True):
        assert current.gather(result).tolist() == case["result"]["values"], case["id"]


def test_each_color_reads_its_recorded_tile(current):
    for case in TILINGS:
        root = root_of(case)
        result = create_store("int64", root.shape)
        result.fill(-1)
        copy(chained(root, case["ops"]), chained(result, case["ops"]))
        for color, tile in case["result"]["tiles"].items():
            child = chained(result, case["ops"]).get_child_store(*map(int, color.split(",")))
            assert current.gather(child).tolist() == tile.get("values", np.empty(tile["shape"]).tolist()), case["id"]
