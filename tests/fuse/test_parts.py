"""Functions that need elements while they run: with ``fallback="parts"`` they do what they do unfused."""

import gc
import re
import threading
import weakref
from random import Random
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import FuseError, NanError
from accel.memory import heap_of
from accel.testing.simulation import in_use
from accel.tracing import runs_in_parts

from ..profiles import QUICK
from .comparison import Run, same
from .programs import Program, written

DEVICES = ("cpu", "sim")
PROGRAMS = 20 if QUICK else 100
AT_ONCE = 10


@pytest.fixture(autouse=True)
def no_array_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run functions in parts also where unfused ones are faster."""
    monkeypatch.setattr(runs_in_parts, "_SMALLEST", 0)


def in_parts(function: Any) -> Any:
    """Return a function that always runs in parts, also where it could be fused as a whole."""
    fused = accel.fuse(function, fallback="parts")
    kept: dict[Any, Any] = {}

    def call(*arguments: Any) -> Any:
        bound, leaves = fused._bound(arguments, {})
        return runs_in_parts.run_in_parts(function, bound, leaves.arrays, "f", kept)

    return call


def probed(random: Random, program: Program) -> Program:
    """Return a program that needs elements between its lines, and lends its arrays to NumPy, which writes to them."""
    head, *lines, result = program.source.rstrip().split("\n")
    lines = [line.strip() for line in lines]
    found, names = ["lent = []"], [each.strip() for each in head[head.index("(") + 1 : -2].split(",")]
    for line in lines:
        found.append(line)
        names += re.findall(r"^(v\d+) = ", line)
        found += [probe.format(random.choice(names)) for probe in PROBES if random.random() < 0.15]
    returned = result.strip().removeprefix("return ")
    found.append(f"return {returned}, [{', '.join(names)}], [xp.asarray(each, copy=True) for each in lent]")
    return program._replace(source="\n    ".join([head, *found]) + "\n")


PROBES = [
    "if isinstance({0}, xp.Array) and {0}.size: bool(xp.any({0} == {0}))",
    "if isinstance({0}, xp.Array): {0}.tolist()",
    "if isinstance({0}, xp.Array) and str({0}.device) == 'cpu': lent.append({0}.__array__())",
    "for each in lent: each.flags.writeable and each.ndim and each.__setitem__(..., (each == 0) + each[..., ::-1])",
    "if isinstance({0}, xp.Array) and {0}.ndim and {0}.dtype.kind in 'iuf' and {0}.flags.writeable: {0}[{0} > 1] = 1",
    "if isinstance({0}, xp.Array) and {0}.ndim: {0} = xp.sort({0})",
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("first", range(0, PROGRAMS, AT_ONCE))
def test_programs_do_in_parts_what_they_do_unfused(first: int, device: str) -> None:
    for seed in range(first, first + (AT_ONCE if device == "cpu" else AT_ONCE // 4)):
        program = probed(Random(seed), written(Random(seed)))
        function = in_parts(program.function)
        with np.errstate(all="ignore"), accel.using(host_copies="allow"):
            expected = Run(program, program.function, device)
            for _ in range(2):
                found = Run(program, function, device)
                try:
                    assert type(found.error) is type(expected.error), f"{found.error!r}, not {expected.error!r}"
                    same(found.memories, expected.memories, 0, "an argument")
                    same(found.results, expected.results, 256, "a result")
                except Exception as error:
                    error.add_note(f"seed {seed}, {program.arguments}:\n{program.source}")
                    raise


def both(function: Any, *arguments: Any, device: str = "cpu") -> tuple[Any, list[Any], Any, list[Any]]:
    """Return what a function returns in parts and unfused, and the arguments after each."""
    runs: list[Any] = []
    for each in (accel.fuse(function, fallback="parts"), function):
        passed = [xp.asarray(x, copy=True, device=device) if isinstance(x, np.ndarray) else x for x in arguments]
        with accel.using(device=device, host_copies="allow"):
            runs += [each(*passed), passed]
    return tuple(runs)  # type: ignore[return-value]


def halved(x: Any) -> Any:
    while xp.max(x) > 1:
        x = x / 2 - 0.125
    return x


def chosen(x: Any) -> Any:
    y = x * 2
    return y[y > 2] + 1


def counted(x: Any) -> Any:
    counts = xp.unique_counts(xp.astype(x * 4, "int64"))
    return counts.values * 2, counts.counts + 1


def solved(x: Any) -> Any:
    """Functions that are no functions of arrays of ours, such as SciPy's, take the memory."""
    a, b = x + 4, xp.exp(-x)
    y = np.cumsum(np.asarray(a)) * np.asarray(b)
    b[1:] = 0
    return xp.where(x > 1, xp.asarray(y, device=x.device), b) - x


def of_number(x: Any) -> Any:
    x[...] = x + 1
    return x * float(xp.sum(x)), x.tolist()[0], int(x[0])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [halved, chosen, counted, solved, of_number])
def test_elements_are_there_when_they_are_needed(function: Any, device: str) -> None:
    with pytest.raises(FuseError):
        accel.fuse(function)(xp.linspace(0, 3, 50, device=device))
    found, passed, expected, others = both(function, np.linspace(0, 3, 50), device=device)
    for one, other in zip(arrays_of(found), arrays_of(expected), strict=True):
        assert type(one) is type(other)
        np.testing.assert_allclose(host(one), host(other), rtol=1e-14)
    same(passed, others, 0, "an argument")


def arrays_of(value: Any) -> list[Any]:
    return [*value] if isinstance(value, tuple) else [value]


def host(value: Any) -> Any:
    return np.asarray(value.to_device("cpu")) if isinstance(value, xp.Array) else value


def test_a_program_that_can_be_fused_as_a_whole_is() -> None:
    function = accel.fuse(lambda x: x * 2 + 1, fallback="parts")
    function(xp.ones(3))
    assert len(function.explain(xp.ones(3)).steps) == 1
    assert not function._plans


def test_other_numbers_and_sizes_compile_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []

    def step(x: Any, rate: float) -> Any:
        y = x * rate + 0.013
        return y * float(xp.max(y)) - 1

    function = accel.fuse(step, fallback="parts")
    function(xp.ones(20), 0.3)
    original = heap_of(accel.Device.CPU).backend.compile_kernel
    kind = type(heap_of(accel.Device.CPU).backend)
    monkeypatch.setattr(kind, "compile_kernel", lambda self, *each: compiled.append(each) or original(*each))
    for size, rate in ((20, 0.37), (21, 1e-5), (100, 123.456)):
        x = np.linspace(0, 1, size)
        np.testing.assert_allclose(function(xp.asarray(x), rate), step(xp.asarray(x), rate), rtol=1e-14)
    assert not compiled


def test_what_the_function_keeps_is_an_ordinary_array() -> None:
    class Model:
        def __init__(self) -> None:
            self.u = xp.linspace(0, 1, 9)
            self.history: list[Any] = []

        def step(self) -> None:
            self.u = self.u * 0.5 + 1
            if xp.max(self.u) > 1:
                self.history.append(self.u[1:3])

    fused, unfused = Model(), Model()
    step = accel.fuse(Model.step, fallback="parts")
    for _ in range(3):
        step(fused)
        unfused.step()
    same([fused.u, *fused.history], [unfused.u, *unfused.history], 0, "state")
    fused.u[1] = 7  # the views of it that were kept show that
    assert float(fused.history[-1][0]) == 7


@pytest.mark.parametrize("device", DEVICES)
def test_what_was_written_before_an_error_is_written(device: str) -> None:
    def failing(x: Any, y: Any) -> None:
        x[1:] += 1
        kept.append(y * 2)
        bool(xp.all(x < 3))
        y[0] = 5
        raise KeyError("after")

    kept: list[Any] = []
    x, y = xp.zeros(3, device=device), xp.ones(3, device=device)
    with pytest.raises(KeyError, match="after"):
        accel.fuse(failing, fallback="parts")(x, y)
    assert x.tolist() == [0, 1, 1]
    assert y.tolist() == [5, 1, 1]
    assert kept[-1].tolist() == [2, 2, 2]


def test_a_long_run_keeps_what_it_uses_only() -> None:
    alive: list[Any] = []

    def run(x: Any) -> Any:
        seen = []
        for _ in range(30):
            x = x + 1
            array = np.asarray(x)
            alive.append(weakref.ref(array.base if array.base is not None else array))
            x = x * float(array[0] > -1)
            seen.append(sum(each() is not None for each in alive))
        assert max(seen) < 6
        return x

    np.testing.assert_array_equal(accel.fuse(run, fallback="parts")(xp.zeros(1000)), np.full(1000, 30.0))


def test_a_call_releases_what_it_does_not_return() -> None:
    x = xp.linspace(0, 3, 1000, device="sim")
    function = accel.fuse(solved, fallback="parts")
    gc.collect()
    gc.disable()
    try:
        with accel.using(host_copies="allow", device="sim"):
            before = in_use(heap_of(x.device))
            for _ in range(2):
                function(x)
            assert in_use(heap_of(x.device)) == before
    finally:
        gc.enable()


def test_arguments_are_arrays_of_ours_as_in_other_fused_functions() -> None:
    def function(x: Any, group: dict[str, Any]) -> Any:
        assert isinstance(x, xp.Array)
        group["seen"] = float(xp.sum(x))
        x += group["one"]
        return x

    x, group = np.ones(3), {"one": xp.ones(3)}
    found = accel.fuse(function, fallback="parts")(x, group)
    assert x.tolist() == found.tolist() == [2, 2, 2]
    assert group["seen"] == 3
    own = xp.ones(3)
    assert accel.fuse(function, fallback="parts")(own, group) is own


def test_threads_share_a_function_in_parts() -> None:
    function = accel.fuse(halved, fallback="parts")
    found: list[Any] = [None] * 4

    def call(place: int) -> None:
        for _ in range(5):
            found[place] = function(xp.linspace(0, place + 1, 100))

    threads = [threading.Thread(target=call, args=[place]) for place in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for place, each in enumerate(found):
        same([each], [halved(xp.linspace(0, place + 1, 100))], 0, "a result")


def test_a_nan_is_found_in_a_part() -> None:
    def function(x: Any) -> Any:
        y = x + 1
        if xp.max(y) > 0:
            y = xp.log(y - 3)
        return y

    with accel.debug(nan=True), pytest.raises(NanError, match="log"):
        accel.fuse(function, fallback="parts")(xp.ones(3))


def test_accesses_of_a_part_are_checked_in_debug_mode() -> None:
    with accel.debug():
        same(
            [accel.fuse(halved, fallback="parts")(xp.linspace(0, 3, 9))], [halved(xp.linspace(0, 3, 9))], 0, "a result"
        )


def test_kernels_and_containers_take_arrays_of_a_part() -> None:
    def function(x: Any) -> Any:
        y = x + 1
        with y.container().copy() as copied:
            z = xp.asarray(copied) * 2
            y[0] = 9
            return xp.asarray(z, copy=True), y, np.from_dlpack(y).sum()

    found, _, expected, _ = both(function, np.ones(4))
    for one, other in zip(found, expected, strict=True):
        assert np.asarray(one).tolist() == np.asarray(other).tolist()


def test_a_function_of_small_arrays_runs_unfused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_in_parts, "_SMALLEST", 100)
    function = accel.fuse(halved, fallback="parts")
    for size, is_small in ((99, True), (100, False)):
        same([function(xp.linspace(0, 3, size))], [halved(xp.linspace(0, 3, size))], 0, "a result")
        assert (not function._plans) == is_small
