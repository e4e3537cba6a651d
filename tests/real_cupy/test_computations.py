"""What computations of `accel.xp` ask of the driver: what CuPy asks of it, and which device is current."""

import operator
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from accel.backends.cupy.arrays import _VIEWS

import accel
from accel import xp

from .fake_driver import FakeDriver

VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "broadcast_arrays": lambda lib, x: lib.broadcast_arrays(x, x[0]),
    "broadcast_to": lambda lib, x: lib.broadcast_to(x, (2, 30, 40)),
    "diagonal": lambda lib, x: lib.diagonal(x),
    "expand_dims": lambda lib, x: lib.expand_dims(x, axis=1),
    "flip": lambda lib, x: lib.flip(x),
    "matrix_transpose": lambda lib, x: x.mT if lib is xp else x.T,
    "moveaxis": lambda lib, x: lib.moveaxis(x, 0, 1),
    "permute_dims": lambda lib, x: (lib.permute_dims if lib is xp else lib.transpose)(x, (1, 0)),
    "rot90": lambda lib, x: lib.rot90(x),
    "squeeze": lambda lib, x: lib.squeeze(x[:1], axis=0),
    "swapaxes": lambda lib, x: lib.swapaxes(x, 0, 1),
    "transpose": lambda lib, x: lib.transpose(x),
}
METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "indices": lambda lib, x: (x[3], x[1:4, ::2], x[3, 4], x[None], x[..., 0], x[-1:, 2]),
    "reshape": lambda lib, x: (x.reshape(40, 30), x.reshape(-1), x.ravel()),
    "transposed": lambda lib, x: (x.T, x.transpose(1, 0)),
}
COMPUTATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "operator": lambda lib, x: x + x,
    "number": lambda lib, x: 2 * x,
    "comparison": lambda lib, x: x < x.T.T,
    "in place": lambda lib, x: operator.iadd(x, x),
    "function": lambda lib, x: lib.add(x, x),
    "reduction": lambda lib, x: lib.sum(x, axis=0),
    "new": lambda lib, x: lib.zeros((30, 40)),
}


def calls(driver: FakeDriver, function: Callable[[], Any]) -> dict[str, int]:
    """Return how often a repeated call calls each function of the driver."""
    function()
    before = driver.counts()
    driver.start_counting()
    try:
        function()
        after = driver.counts()
    finally:
        driver.restore()
    return {name: count - before.get(name, 0) for name, count in after.items() if count != before.get(name, 0)}


def test_the_functions_that_make_views_are_those_of_the_list() -> None:
    assert VIEWS.keys() == _VIEWS


@pytest.mark.parametrize("name", [*VIEWS, *METHODS])
def test_views_are_made_without_the_driver(driver: FakeDriver, name: str) -> None:
    view, x = (VIEWS | METHODS)[name], xp.ones((30, 40), device="cuda")
    assert calls(driver, lambda: view(xp, x)) == {}


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_a_computation_asks_which_device_is_current_and_what_cupy_asks(
    driver: FakeDriver, cupy: Any, name: str
) -> None:
    compute, x, theirs = COMPUTATIONS[name], xp.ones((30, 40), device="cuda"), cupy.ones((30, 40))
    with accel.using(device="cuda"):
        ours = calls(driver, lambda: compute(xp, x))
    expected = calls(driver, lambda: compute(cupy, theirs))
    more = {each: count - expected.get(each, 0) for each, count in ours.items() if count != expected.get(each, 0)}
    assert more == {"cudaGetDevice": 1}


@accel.kernel
def scale(v: Any, factor: float) -> None:
    for i in range(v.shape[0]):
        v[i] = v[i] * factor


def test_a_kernel_on_an_array_is_one_launch_and_what_follows_waits_for_nothing(driver: FakeDriver) -> None:
    x = xp.ones(1000, device="cuda")
    launched = calls(driver, lambda: scale(x, 2.0))
    assert launched == {"cuLaunchKernel": 1, "cudaGetDevice": 1}
    computed = calls(driver, lambda: x + 1)
    both = calls(driver, lambda: (scale(x, 2.0), x + 1, x[3:]))
    assert both == {name: launched.get(name, 0) + computed.get(name, 0) for name in launched | computed}


def test_a_kernel_on_a_new_array_records_no_event(driver: FakeDriver) -> None:
    def new() -> None:
        scale(xp.empty(1000, device="cuda"), 2.0)

    assert not [name for name in calls(driver, new) if "Event" in name or "Synchronize" in name]


@pytest.mark.parametrize("name", [*VIEWS, *METHODS, *COMPUTATIONS])
def test_a_thread_without_a_context_gets_the_same(cupy: Any, name: str) -> None:
    function, x = (VIEWS | METHODS | COMPUTATIONS)[name], xp.ones((30, 40), device="cuda")
    expected = xp.asarray(function(xp, xp.ones((30, 40), device="cpu"))[-1]).tolist()
    seen: list[Any] = []
    thread = Thread(target=lambda: seen.append(function(xp, x)[-1]))
    thread.start()
    thread.join()
    assert seen[0].tolist() == expected
