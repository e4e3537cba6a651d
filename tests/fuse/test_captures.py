"""A fused function depends on globals, variables of closures and attributes as the unfused one does."""

import copy
import functools
import pickle
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import FuseError

DEVICES = ("cpu", "sim")

FACTOR: Any = 2.0
WEIGHTS: Any = None
SETTINGS: Any = {}
STEPS: list[Any] = []
parameters = ModuleType("parameters_of_a_user")


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FACTOR", "WEIGHTS", "SETTINGS", "STEPS", "helper"):
        monkeypatch.setattr(sys.modules[__name__], name, globals()[name])


def helper(x: Any) -> Any:
    return x * FACTOR


def same(one: Any, other: Any) -> None:
    np.testing.assert_array_equal(*[np.asarray(each.to_device("cpu")) for each in (one, other)])


def follows(function: Any, changes: Any, *arguments: Any, traces: int | None = None) -> None:
    """Call a function fused and unfused, before and after each change; compare."""
    runs = []

    @functools.wraps(function)
    def counted(*given: Any) -> Any:
        runs.append(1)
        return function(*given)

    fused = accel.fuse(counted)
    for change in (lambda: None, *changes):
        change()
        for _ in range(3):
            same(fused(*arguments), function(*arguments))
    if traces is not None:
        assert len(runs) == traces


def setting(name: str, value: Any) -> Any:
    return lambda: globals().__setitem__(name, value)


X = xp.asarray([1.0, 2.0, 3.0])


def test_a_global_number_that_is_bound_anew_is_traced_anew_and_an_equal_one_is_not() -> None:
    values = [3.0, float("nan"), -0.0, 0.0, 7, True, np.float32(2.5)]
    follows(lambda x: x * FACTOR, [setting("FACTOR", each) for each in values], X, traces=1 + len(values))
    follows(lambda x: x * FACTOR, [setting("FACTOR", float(text)) for text in ("1234.5", "1234.5")], X, traces=2)


def test_a_number_of_a_function_that_is_called_is_seen() -> None:
    follows(lambda x: helper(helper(x)) + 1, [setting("FACTOR", 3.0)], X, traces=2)


def test_a_function_that_is_called_may_be_another_one() -> None:
    follows(lambda x: helper(x) + 1, [setting("helper", lambda x: x - FACTOR), setting("FACTOR", 9)], X, traces=3)


@pytest.mark.parametrize("device", DEVICES)
def test_a_global_array_that_is_bound_anew_is_used(device: str) -> None:
    arrays = [xp.asarray(values, device=device) for values in ([1.0, 2.0, 3.0], [5.0, 5.0, 5.0], 7.0, [[1.0], [2.0]])]

    def changed() -> None:
        WEIGHTS[...] = 4.0

    changes: list[Any] = [each for array in arrays for each in (setting("WEIGHTS", array), changed)]
    globals()["WEIGHTS"] = 1.0
    follows(lambda x: x * WEIGHTS, changes, xp.asarray([1.0, 2.0, 3.0], device=device), traces=len(arrays))


@pytest.mark.parametrize("device", DEVICES)
def test_a_global_array_that_is_bound_anew_to_one_of_the_same_form_needs_no_new_trace(device: str) -> None:
    globals()["WEIGHTS"], x = xp.ones(3, device=device), xp.asarray([1.0, 2.0, 3.0], device=device)

    def function(x: Any) -> Any:
        WEIGHTS[0] += 1
        return x * WEIGHTS + WEIGHTS[::-1]

    def next_one() -> None:
        globals()["WEIGHTS"] = WEIGHTS * 2 + 1

    def twins(x: Any) -> Any:
        return WEIGHTS * x + STEPS

    expected = function(x)
    globals()["WEIGHTS"] = xp.ones(3, device=device)
    same(accel.fuse(function)(x), expected)
    follows(lambda x: x * WEIGHTS + WEIGHTS[::-1], [next_one, next_one], x, traces=1)
    follows(lambda x: WEIGHTS, [next_one], x, traces=1)
    globals()["STEPS"] = WEIGHTS  # two names of one array
    follows(twins, [next_one, setting("STEPS", xp.ones(3, device=device)), next_one], x)
    follows(twins, [setting("WEIGHTS", xp.zeros(3, device=device)), setting("WEIGHTS", STEPS)], x)


def test_a_model_that_binds_its_state_anew_is_traced_once() -> None:
    traces = []

    class Flow:
        def __init__(self) -> None:
            self.u, self.step = xp.asarray([1.0, 2.0, 3.0]), 0.5

        @accel.fuse
        def next(self) -> Any:
            traces.append(1)
            return self.u + self.step * (xp.roll(self.u, 1) - self.u)

    flow, u = Flow(), np.array([1.0, 2.0, 3.0])
    for _ in range(10):
        flow.u, u = flow.next(), u + 0.5 * (np.roll(u, 1) - u)
        same(flow.u, xp.asarray(u))
    assert len(traces) == 1


def test_variables_of_closures_are_seen() -> None:
    power, offset = 2, xp.asarray(3.0)

    def change() -> None:
        nonlocal power, offset
        power, offset = 3, xp.asarray([1.0, 2.0, 3.0])

    def inner(x: Any) -> Any:
        return x**power

    follows(lambda x: inner(x) + offset, [change], X, traces=2)


def test_functions_within_functions_and_fused_and_wrapped_ones_are_searched() -> None:
    fused, partly = accel.fuse(helper), functools.partial(lambda factor, x: helper(x) * factor, 2)

    @functools.lru_cache
    def cached() -> Any:
        return 5.0

    def function(x: Any) -> Any:
        def within(y: Any) -> Any:
            return sum(fused(z) * cached() for z in (y, y))

        return within(x) + partly(x)

    follows(function, [setting("FACTOR", 5.0)], X, traces=2)


def test_what_lists_dicts_and_sets_have_is_seen() -> None:
    def function(x: Any) -> Any:
        for name, values in sorted(SETTINGS.items()):
            x = x * len(name) + sum(values["all"]) + WEIGHTS["array"]
        return x

    globals().update(SETTINGS={"one": {"all": [1.0]}}, WEIGHTS={"array": xp.ones(3)})
    changes = [
        lambda: SETTINGS.update(other={"all": [2.0]}),
        lambda: SETTINGS["one"]["all"].append(3.0),
        lambda: SETTINGS["one"]["all"].__setitem__(0, 7.0),
        lambda: WEIGHTS.update(array=xp.asarray([4.0, 5.0, 6.0])),
        lambda: SETTINGS.pop("one"),
    ]
    follows(function, changes, X, traces=6)


def test_what_a_function_itself_changes_in_a_list_is_a_side_effect_of_the_trace() -> None:
    @accel.fuse
    def noting(x: Any) -> Any:
        STEPS.append("traced")
        return x + len(STEPS)

    globals()["STEPS"] = []
    for _ in range(3):
        same(noting(X), X + 1)
    assert STEPS == ["traced"]


def test_a_global_that_the_function_binds_anew_is_traced_in_each_call() -> None:
    @accel.fuse
    def counting(x: Any) -> Any:
        global FACTOR
        FACTOR += 1
        return x * FACTOR

    globals()["FACTOR"] = 0
    for number in range(1, 5):
        same(counting(X), X * number)


def test_attributes_of_modules_of_the_user_are_seen() -> None:
    parameters.step, parameters.scale = 0.5, lambda x: x * FACTOR  # type: ignore[attr-defined]
    changes = [lambda: setattr(parameters, "step", 0.25), setting("FACTOR", 3.0)]
    changes.append(lambda: setattr(parameters, "scale", lambda x: -x))
    follows(lambda x: parameters.scale(x) * parameters.step, changes, X, traces=4)  # type: ignore[attr-defined]


class Grid(NamedTuple):
    spacing: float


class Model:
    viscosity = 0.5

    def __init__(self) -> None:
        self.grid = SimpleNamespace(spacing=1.0)
        self.weights = xp.ones(3)
        self._scale = 2.0

    @property
    def scale(self) -> float:
        return self._scale * FACTOR

    @staticmethod
    def added(x: Any) -> Any:
        return x + FACTOR

    def scaled(self, x: Any) -> Any:
        return x * self.scale / self.grid.spacing

    @accel.fuse
    def step(self, x: Any, factor: float = 1.0) -> Any:
        return self.added(self.scaled(x)) * factor + self.weights * self.viscosity


def changes_of(model: Any) -> list[Any]:
    return [
        lambda: setattr(model, "_scale", 3.0),
        lambda: setattr(model, "weights", xp.asarray([1.0, 5.0, 9.0])),
        lambda: model.weights.__setitem__(0, 11.0),
        lambda: setattr(model, "viscosity", 0.25),
        lambda: setattr(Model, "viscosity", 0.125),
        lambda: setattr(model, "grid", SimpleNamespace(spacing=4.0)),
        lambda: setattr(model.grid, "spacing", 5.0),
        setting("FACTOR", 11.0),
    ]


def test_methods_see_attributes_of_their_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "viscosity", 0.5)
    unfused = Model.__dict__["step"].__wrapped__
    models = [Model(), Model()]
    for change in (lambda: None, *changes_of(models[0]), *changes_of(models[1])):
        change()
        for model in models * 2:
            same(model.step(X), unfused(model, X))
            same(Model.step(model, X, factor=2.0), unfused(model, X, 2.0))
    assert "1 loop" in str(models[0].step.explain(X))
    assert models[0].step.source("ir", X) == Model.step.source("ir", models[0], X)
    assert models[0].step.__name__ == "step"


def test_attributes_of_global_objects_and_of_classes_are_seen() -> None:
    model = Model()
    changes = [*changes_of(model)[:3], lambda: setattr(model, "viscosity", 0.25)]
    follows(lambda x: model.scaled(x) + model.weights * model.viscosity, changes, X)
    grids = [Grid(2.0), Grid(3.0)]
    follows(lambda x: x * WEIGHTS.spacing, [setting("WEIGHTS", grids[1])], X) if WEIGHTS else None
    follows(lambda x: x * Options.step, [lambda: setattr(Options, "step", 4.0)], X, traces=2)


class Options:
    step = 2.0


@dataclass
class Record:
    """Has no hash, as it is compared by its fields."""

    factor: float
    more: list[float] = field(default_factory=list)


class Slots:
    __slots__ = ("factor", "more", "unset")

    def __init__(self) -> None:
        self.factor, self.more = 1.0, [2.0]


@pytest.mark.parametrize("record", [Record(1.0, [2.0]), Slots()], ids=["dataclass", "slots"])
def test_objects_as_arguments_are_read(record: Any) -> None:
    changes = [lambda: setattr(record, "factor", 5.0), lambda: record.more.append(1.0)]
    follows(lambda x, of: x * of.factor + sum(of.more), changes, X, record, traces=3)


class Scaling:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return x * self.factor + FACTOR


def test_objects_that_are_called_are_searched() -> None:
    scaling = Scaling(2.0)
    follows(scaling, [lambda: setattr(scaling, "factor", 3.0), setting("FACTOR", 7.0)], X, traces=3)
    fused = accel.fuse(scaling)
    for factor in (4.0, 5.0):
        scaling.factor = factor
        same(fused(X), scaling(X))


def test_an_array_that_is_not_used_any_more_is_not_kept() -> None:
    import gc
    import weakref

    globals()["WEIGHTS"] = xp.ones(3)
    fused = accel.fuse(lambda x: x + WEIGHTS)
    references = []
    for _ in range(5):
        fused(X)
        references.append(weakref.ref(WEIGHTS))
        globals()["WEIGHTS"] = xp.ones(3)
    fused(X)
    gc.collect()
    assert [reference() for reference in references] == [None] * 5


def test_arrays_of_numpy_are_read_in_each_call() -> None:
    values = np.array([1.0, 2.0, 3.0])
    follows(lambda x: x * values + xp.asarray(values), [lambda: values.__setitem__(1, 9.0)], X, traces=1)


def test_large_lists_and_modules_of_python_are_taken_to_stay() -> None:
    import math

    values = [1.0] * 1000
    fused = accel.fuse(lambda x: x * values[0] * math.pi)
    same(fused(X), X * math.pi)
    values[0] = 2.0
    same(fused(X), X * math.pi)


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_computed_of_a_global_array_is_computed_in_each_call(device: str) -> None:
    globals()["WEIGHTS"] = xp.asarray([1.0, 2.0, 3.0], device=device)
    x = xp.asarray([1.0, 2.0, 3.0], device=device)

    def function(x: Any) -> Any:
        doubled = WEIGHTS * 2 + xp.sqrt(WEIGHTS) + np.abs(WEIGHTS)
        return x + xp.concat([doubled, WEIGHTS[:1]])[1:] + WEIGHTS[0] + xp.sum(WEIGHTS) + WEIGHTS.max() - WEIGHTS.T

    follows(function, [lambda: WEIGHTS.__setitem__(0, 9.0), lambda: WEIGHTS.__imul__(2)], x, traces=1)


@pytest.mark.parametrize("device", DEVICES)
def test_a_global_array_is_written_in_each_call(device: str) -> None:
    def function(x: Any) -> Any:
        global WEIGHTS
        before = WEIGHTS + 0
        WEIGHTS += x
        WEIGHTS[0] = 7.0
        return before

    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    found = []
    for called in (function, accel.fuse(function)):
        globals()["WEIGHTS"] = array = xp.asarray([0.0, 1.0, 2.0], device=device)
        results = [called(x) for _ in range(3)]
        assert WEIGHTS is array
        found.append([*results, array])
    for one, other in zip(*found, strict=True):
        same(one, other)


def test_an_element_of_a_global_array_is_no_number_of_the_trace() -> None:
    globals()["WEIGHTS"] = xp.asarray([1.0, 2.0, 3.0])
    with pytest.raises(FuseError, match=r"test_captures\.py"):
        accel.fuse(lambda x: x * float(WEIGHTS[0]))(X)
    assert float(WEIGHTS[0]) == 1.0


def test_fused_functions_and_methods_are_pickled_as_functions_are() -> None:
    restored = pickle.loads(pickle.dumps([pickled, Pickled(3.0).scaled, accel.fuse(helper, fallback="eager")]))
    assert restored[0] is pickled
    same(restored[1](X), X * 3)
    same(restored[2](X), X * FACTOR)
    assert copy.deepcopy(pickled) is pickled


@accel.fuse(kernel_name="other_name")
def pickled(x: Any) -> Any:
    return x + 1


class Pickled:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    @accel.fuse
    def scaled(self, x: Any) -> Any:
        return x * self.factor


def test_many_items_are_compared_up_to_a_limit() -> None:
    """A call with large tables among the globals takes no longer for them."""
    globals()["SETTINGS"] = {number: [[number] * 50 for _ in range(50)] for number in range(50)}
    fused = accel.fuse(lambda x: x + len(SETTINGS))
    same(fused(X), X + 50)
    (traced,) = fused._traced.values()
    assert len(traced.check.unchanged.__code__.co_names) < 100
    SETTINGS[50] = None
    same(fused(X), X + 51)


def test_an_array_that_is_also_within_something_else_needs_a_new_trace() -> None:
    def default(x: Any, weights: Any = None) -> Any:
        return x + weights

    for places in ([X * 2], (X * 3,), {"array": X * 4}):
        array = places["array"] if isinstance(places, dict) else places[0]
        globals().update(WEIGHTS=array, STEPS=places)
        default.__defaults__ = (array,)
        each = [lambda x: x * WEIGHTS + sum(STEPS.values() if isinstance(STEPS, dict) else STEPS) - default(x)]
        follows(each[0], [setting("WEIGHTS", X * 5), setting("WEIGHTS", X * 6)], X)


def test_it_is_said_what_changes_again_and_again() -> None:
    fused = accel.fuse(lambda x: x * FACTOR)

    def vary(count: int) -> None:
        for number in range(count):
            globals()["FACTOR"] = number
            same(fused(X), X * number)

    with pytest.warns(RuntimeWarning, match=r"traced anew 20 times, .* the last time FACTOR; pass that as an argument"):
        vary(22)
    vary(30)


class Proxy:
    """Stands for an object that is not there now."""

    def __call__(self) -> None: ...

    @property
    def __class__(self) -> Any:
        raise RuntimeError("working outside of a context")

    @__class__.setter
    def __class__(self, _: type) -> None: ...

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"working outside of a context: {name}")


def test_objects_that_refuse_to_be_looked_at_are_passed_over() -> None:
    globals()["SETTINGS"], Options.proxy = Proxy(), Proxy()  # type: ignore[attr-defined]
    same(accel.fuse(lambda x: x + FACTOR if SETTINGS is not Options.proxy else x)(X), X + FACTOR)
