"""What stores, arrays and engines print: type, shape, place, state and a few values, without waiting."""

import numpy as np
import pytest

import accel
from accel.engines import InOut, Input, Output, engine, task
from accel.store import (
    ScopedAllocator,
    create_array,
    create_buffer,
    create_list_array,
    create_store,
    from_array,
    from_strings,
    task_scope,
)

from ..engines.stores import add_one, held_task, store_of


@task
def fail(x: Output):
    raise KeyError("planted")


def test_a_store_says_what_it_is_and_shows_its_values():
    store = create_store("float32", (2, 2))
    assert repr(store) == "<LogicalStore of float32, shape (2, 2)>"
    store.fill(1.5)
    assert repr(store) == "<LogicalStore of float32, shape (2, 2): [[1.5, 1.5], [1.5, 1.5]]>"
    assert repr(store.project(0, 1).promote(1, 1)) == "<LogicalStore of float32, shape (2, 1): [[1.5], [1.5]]>"
    assert repr(create_store("int8", (2, 0))) == "<LogicalStore of int8, shape (2, 0)>"
    assert "(2, 2) tiles of (1, 1)" in repr(store.partition_by_tiling((1, 1)))


def test_a_store_shows_the_ends_of_many_values():
    text = repr(from_array(np.arange(1_000_000)).promote(0, 10**9))
    assert "999999" in text
    assert len(text) < 300
    assert len(repr(from_array(np.zeros((4,) * 6)))) < 400
    assert repr(create_store("int8", (1,) * 70)).startswith("<LogicalStore of int8, shape (1, 1")


def test_a_store_shows_its_values_after_a_task_on_other_memory_has_failed():
    @task
    def fail(x: InOut):
        raise KeyError("planted")

    one, other = np.ones(40), np.arange(3)
    with engine("threads").using(inline=False):
        broken = from_array(one, read_only=False)
        assert isinstance(fail(broken).exception(), KeyError)
    assert "planted" in repr(broken)
    assert repr(from_array(other)).endswith(": [0, 1, 2]>")


def test_a_store_says_where_its_values_are_and_whose_memory_it_is():
    values = np.arange(3)
    attached, writable = from_array(values), from_array(values.copy(), read_only=False)
    assert repr(attached) == "<LogicalStore of int64, shape (3,), attached, read-only: [0, 1, 2]>"
    assert repr(writable) == "<LogicalStore of int64, shape (3,), attached: [0, 1, 2]>"
    writable.detach()
    assert repr(writable) == "<LogicalStore of int64, shape (3,), detached>"
    moved = store_of(values)
    moved.offload_to("sim")
    assert repr(moved) == "<LogicalStore of int64, shape (3,), FBMEM of sim>"
    assert repr(create_store("int8", (1,), scalar=True)) == "<LogicalStore of int8, shape (1,), scalar>"


def test_a_store_does_not_wait_for_the_task_that_writes_it():
    later, release = held_task()
    store = store_of(np.zeros(3))
    with engine("threads").using(inline=False):
        future = later(store)
        text = repr(store), repr(store[1:])
        release.set()
        future.wait()
    assert text[0] == "<LogicalStore of float64, shape (3,), a task that writes it is in flight>"
    assert "in flight" in text[1]
    assert repr(store) == "<LogicalStore of float64, shape (3,): [1., 1., 1.]>"


def test_a_store_that_a_task_failed_to_write_says_why():
    store = create_store("float64", (3,))
    with engine("eager"):
        fail(store)
    assert repr(store) == "<LogicalStore of float64, shape (3,), not written: KeyError: 'planted'>"
    store.fill(2)
    assert repr(store) == "<LogicalStore of float64, shape (3,): [2., 2., 2.]>"


def test_physical_stores_show_their_values_and_whether_they_are_valid():
    store = store_of(np.arange(3))
    physical = store.get_physical_store()
    assert repr(physical) == "<PhysicalStore of int64, shape (3,), SYSMEM of cpu: [0, 1, 2]>"
    assert repr(store.get_physical_store("sim")) == "<PhysicalStore of int64, shape (3,), FBMEM of sim>"
    assert repr(physical) == "<PhysicalStore of int64, shape (3,), SYSMEM of cpu, not valid any more>"


def test_arrays_show_their_elements():
    plain, text = create_array("int8", (2,), nullable=True), from_strings(["a", None])
    plain.data.fill(7)
    plain.null_mask.fill(True)
    assert repr(plain) == "<LogicalArray of int8, shape (2,), nullable: [7, 7]>"
    assert repr(plain.get_physical_array()) == "<PhysicalArray of int8, shape (2,), nullable: [7, 7]>"
    assert repr(text) == "<StringLogicalArray of string, shape (2,), nullable: ['a', None]>"
    assert repr(text.get_physical_array()) == "<StringPhysicalArray of string, shape (2,), nullable: ['a', None]>"
    assert repr(from_strings(["x"] * 100)) == "<StringLogicalArray of string, shape (100,)>"
    assert repr(create_array("int8", (2,))) == "<LogicalArray of int8, shape (2,)>"
    assert repr(create_list_array(None, create_array("int8"))) == "<ListLogicalArray of list[int8], unbound>"


def test_an_unbound_array_in_its_task_prints():
    @task
    def note(x: Output):
        texts.append(repr(x))
        for name in ("offsets", "chars"):
            getattr(x, name).data.bind_empty_data()

    texts, text = [], from_strings(["a"])
    from accel.store import create_string_array

    with engine("eager"):
        note(create_string_array())
    assert "unbound" in texts[0]
    assert repr(text)


def test_scopes_print_what_they_hold():
    with ScopedAllocator("cpu") as allocator, task_scope("sim") as scope:
        allocator.allocate(10)
        create_buffer("int8", 4)
        assert repr(allocator) == "<ScopedAllocator of SYSMEM, 1 allocations>"
        assert repr(scope) == "<task scope on FBMEM of sim, 1 allocations>"
    assert repr(allocator) == "<ScopedAllocator, over>"


@pytest.mark.parametrize("name", ["eager", "threads"])
def test_unbound_ends_when_the_task_that_chooses_the_shape_is_submitted(name):
    @task
    def choose(n: int, found: Output):
        assert release.wait(60)
        found.create_output_buffer(n, bind_buffer=True)[...] = 3

    @task
    def read(x: Input):
        pass

    import threading

    release = threading.Event()
    if name == "eager":
        release.set()
    store = create_store("int32")
    array = accel.store.LogicalArray(store)
    assert (store.unbound, array.unbound, repr(store)) == (True, True, "<LogicalStore of int32, unbound>")
    with engine(name).using(inline=False) as chosen:
        future = choose(2, store)
        assert (store.unbound, array.unbound, array.nullable) == (False, False, False)
        if name == "threads":
            assert "1 dimension of unknown extents, a task that writes it is in flight" in repr(store)
            assert "in flight" in repr(array)
        release.set()
        future.wait()
        assert (store.unbound, store.shape, chosen.name) == (False, (2,), name)
    assert repr(store) == "<LogicalStore of int32, shape (2,): [3, 3]>"
    assert add_one(store).exception() is None


def test_a_store_whose_task_failed_is_unbound_again():
    @task
    def choose(ok: bool, found: Output):
        if not ok:
            raise ValueError("planted")
        found.bind_empty_data()

    store = create_store("int32")
    with engine("eager"):
        choose(False, store)
        assert store.unbound
        with pytest.raises(ValueError, match="planted"):
            _ = store.shape
        choose(True, store).wait()
    assert (store.unbound, store.shape) == (False, (0,))
