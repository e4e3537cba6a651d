"""The promises of SECURITY.md."""

import ast
from pathlib import Path

import numpy as np
import pytest

from accel.device import Device
from accel.errors import BoundsError, ReadOnlyError, ReleasedError
from accel.memory import HostStorage, heap_of

ROOT = Path(__file__).parents[1]
MODULES = [file for room in ("accel", "backends") for file in (ROOT / room).rglob("*.py")]
RUNS_DATA = {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve"}
OF_THE_PROGRAM = {
    ("function_source.py", "eval"),  # annotations of kernels: text of the program that is running
    ("task_definition.py", "eval"),  # annotations of tasks
    ("programs.py", "cloudpickle"),  # its tasks, on the way to workers of Dask
    ("programs.py", "pickle"),
}
OUTSIDE = [(3, 1), (0, 4), (2, 2), (-1, 1), (4, 0), (2**62, 2**62)]


@pytest.fixture
def storage():
    with HostStorage(3, "float32") as made:
        made.store(0, [1, 2, 3])
        yield made


def reached(module):
    """Yield what a module imports from, and the names of the functions it calls."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names):
                yield from (name.name.split(".")[0] for name in names)
            case ast.ImportFrom("pickle", [ast.alias("PickleBuffer" | "dumps")]):
                pass  # wrap memory, and write; they read nothing
            case ast.keyword("allow_pickle", ast.Constant(False)):
                pass
            case ast.ImportFrom(module=str(origin)):
                yield origin.split(".")[0]
            case ast.Call(func=ast.Name("eval" as name)) | ast.keyword("allow_pickle" as name):
                yield name


def test_no_module_can_run_what_it_reads():
    assert MODULES
    found = {(module.name, name) for module in MODULES for name in reached(module)}
    found -= OF_THE_PROGRAM
    assert not [(module, name) for module, name in found if name in RUNS_DATA | {"eval", "allow_pickle"}]


@pytest.mark.parametrize("size", [-1, 2**61, 2**80, True, np.True_, 1.0, "3"])
def test_an_impossible_size_is_refused_before_memory_is_asked_for(monkeypatch, size):
    asked = []
    monkeypatch.setattr(type(heap_of(Device.CPU).backend), "allocate", lambda *_, **__: asked.append(size))
    with pytest.raises((TypeError, ValueError)):
        HostStorage(size, "float64")
    assert not asked


@pytest.mark.parametrize(("start", "count"), OUTSIDE)
def test_a_read_outside_is_refused(storage, start, count):
    with pytest.raises((BoundsError, ValueError)):
        storage.load(start, count)


@pytest.mark.parametrize("index", [3, -4, 2**62, -(2**62)])
def test_an_index_outside_is_refused(storage, index):
    with pytest.raises(BoundsError):
        storage[index]
    with pytest.raises(BoundsError):
        storage[index] = 9


@pytest.mark.parametrize(("start", "values"), [(3, [9]), (2, [9, 9]), (-1, [9]), (0, [9, 9, 9, 9])])
def test_a_write_outside_is_refused_and_writes_nothing(storage, start, values):
    with pytest.raises(BoundsError):
        storage.store(start, values)
    assert storage.load(0, 3).tolist() == [1, 2, 3]


def test_released_memory_is_out_of_reach(storage):
    storage.release()
    for use in (lambda: storage[0], lambda: storage.load(0), lambda: storage.store(0, 9), lambda: storage.pointer):
        with pytest.raises(ReleasedError):
            use()


def test_read_only_memory_is_not_written():
    array = np.arange(3, dtype="float32")
    array.flags.writeable = False
    with HostStorage(array) as looking, pytest.raises(ReadOnlyError):
        looking.store(0, 9)
    assert array.tolist() == [0, 1, 2]
