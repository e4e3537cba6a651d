"""Tasks on views without elements leave the store as it is, on each engine: also where the view repeats all of it."""

import numpy as np
import pytest

from accel.engines import InOut, Input, Output, engine, task
from accel.store import from_array

from .stores import store_of, values

ENGINES = {
    "eager": lambda: engine("eager"),
    "threads": lambda: engine("threads").using(inline=False),
    "inline": lambda: engine("threads"),
    "a budget": lambda: engine("threads").using(budget=1 << 20),
    "sim": lambda: engine("eager").using(device="sim"),
    "sim and a budget": lambda: engine("threads").using(device="sim", budget=1 << 20),
}
EMPTY = {
    "promoted": lambda x: x.promote(0, 0),
    "broadcast": lambda x: x.promote(0, 1).broadcast(0, 0),
    "sliced": lambda x: x.promote(0, 3)[1:1],
}
VALUES = {"one number": np.array(7.0), "several": np.arange(3.0)}


@pytest.fixture(params=ENGINES)
def any_engine(request):
    with ENGINES[request.param]() as chosen:
        yield chosen


@task
def overwrite(y: Output):
    pass


@task
def change(y: InOut):
    pass


@task
def fail(y: Output):
    raise KeyError("planted")


@task
def write_both(x: Output, y: Output):
    pass


for each in (overwrite, change, fail, write_both):
    each.variant("sim")(each.__wrapped__)


@pytest.mark.parametrize("make", [store_of, lambda array: from_array(array.copy(), read_only=False)])
@pytest.mark.parametrize("view", EMPTY)
@pytest.mark.parametrize("which", VALUES)
def test_the_elements_stay(any_engine, make, view, which):
    array = VALUES[which]
    for each in (overwrite, change):
        x = make(array)
        for _ in range(3):  # the later ones may run in the caller
            each(EMPTY[view](x)).wait()
        assert values(x).tolist() == array.tolist()


@pytest.mark.parametrize("view", EMPTY)
@pytest.mark.parametrize("which", VALUES)
def test_a_task_that_fails_leaves_the_elements_valid(any_engine, view, which):
    x = store_of(VALUES[which])
    for _ in range(3):
        with pytest.raises(KeyError, match="planted"):
            fail(EMPTY[view](x)).wait()
    assert values(x).tolist() == VALUES[which].tolist()


@pytest.mark.parametrize("view", EMPTY)
@pytest.mark.parametrize("which", VALUES)
def test_elements_that_no_task_wrote_stay_invalid(any_engine, view, which):
    @task
    def read(x: Input):
        pass

    read.variant("sim")(read.__wrapped__)
    x = store_of(VALUES[which])
    with pytest.raises(KeyError, match="planted"):
        fail(x).wait()
    overwrite(EMPTY[view](x)).wait()
    assert read(x).exception() is not None


@pytest.mark.parametrize("view", EMPTY)
@pytest.mark.parametrize("which", VALUES)
def test_the_host_reads_them_whatever_happened_to_the_store(any_engine, view, which):
    x = store_of(VALUES[which])
    with pytest.raises(KeyError, match="planted"):
        fail(x).wait()
    empty = EMPTY[view](x)
    expected = (0, *VALUES[which].shape)
    assert np.asarray(empty).shape == np.asarray(empty.get_physical_store()).shape == expected
    assert any_engine.gather(any_engine.persist(empty)).shape == expected


def test_they_share_no_elements_with_other_stores(any_engine):
    x = store_of(np.arange(3.0))
    write_both(x, x.promote(0, 0))
