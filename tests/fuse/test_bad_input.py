"""What cannot be fused, or is wrong, is an error in the words of the unfused function, and leaves all as it was."""

import warnings
from collections import OrderedDict
from collections.abc import Callable
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError, FuseError

from ..tables import rows

DEVICES = ("cpu", "sim")
Function = Callable[..., Any]


def host(value: Any) -> Any:
    return np.asarray(value.to_device("cpu")) if isinstance(value, xp.Array) else value


def same(one: Any, other: Any) -> None:
    np.testing.assert_array_equal(host(one), host(other))


def outcome(function: Function, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return error


class TestErrors:
    """Errors have the class of those of the unfused function, and the user's line; arguments keep their values."""

    @rows(
        "function",
        [
            lambda x, y: x + xp.ones(2),
            lambda x, y: x @ xp.ones(2),
            lambda x, y: xp.where(x > 0, x, xp.ones((2, 2))),
            lambda x, y: xp.concat([x, xp.ones((2, 2))]),
            lambda x, y: x.__setitem__(slice(0, 2), xp.ones(3)),
            lambda x, y: xp.reshape(x, (2, 2)),
            lambda x, y: xp.sum(x, axis=1),
            lambda x, y: x[5],
            lambda x, y: x[0, 0],
            lambda x, y: x[np.asarray([0, 7])],
            lambda x, y: x[np.asarray([True, False])],
            lambda x, y: xp.take(x, xp.asarray([3]), axis=0),
            lambda x, y: x & y,
            lambda x, y: ~x,
            lambda x, y: xp.bitwise_xor(x, 1),
            lambda x, y: x + "text",
            lambda x, y: x + None,
            lambda x, y: xp.sin(),
            lambda x, y: x.no_such_method(),
            lambda x, y: xp.asarray(x, dtype="no dtype"),
            lambda x, y: x.__iadd__(1j),
            lambda x, y: xp.broadcast_to(x, (2, 3)).__setitem__(0, 1.0),
            lambda x, y: 1 / 0,
            lambda x, y: {}["missing"],
            lambda x, y: xp.linalg.inv(xp.zeros((2, 2)) * x[0]),
        ],
    )
    def test_are_those_of_the_unfused_function(self, function: Function) -> None:
        x, y = xp.asarray([1.0, 2.0, 3.0]), xp.asarray([4.0, 5.0, 6.0])

        def program(x: Any, y: Any) -> Any:
            result = x * 2
            return result, function(x, y)

        expected, found = outcome(program, x, y), outcome(accel.fuse(program), x, y)
        assert isinstance(expected, Exception)
        assert type(found) is type(expected)
        same(x, [1.0, 2.0, 3.0])
        same(y, [4.0, 5.0, 6.0])

    @pytest.mark.parametrize("device", DEVICES)
    def test_leave_arguments_as_they_were(self, device: str) -> None:
        def half(x: Any, y: Any) -> None:
            x += 1
            y[0] = 7.0
            raise LookupError("in the midst")

        x, y = xp.ones(3, device=device), xp.ones(3, device=device)
        fused = accel.fuse(half)
        for _ in range(2):
            with pytest.raises(LookupError, match="in the midst") as error:
                fused(x, y)
            assert error.traceback[-1].name == "half"
        same(x, np.ones(3))
        same(y, np.ones(3))

    def test_have_the_line_in_their_traceback(self) -> None:
        @accel.fuse
        def added(x: Any) -> Any:
            y = x * 2
            return y + xp.ones(2)

        with pytest.raises(ValueError, match="broadcast") as error:
            added(xp.ones(3))
        mine = [each for each in error.traceback if str(each.path) == __file__]
        assert (mine[-1].name, str(mine[-1].statement).strip()) == ("added", "return y + xp.ones(2)")

    def test_of_devices_that_are_mixed(self) -> None:
        there = xp.ones(3, device="sim")
        for function in (lambda x: x + there, lambda x: there * x, lambda x: xp.where(x > 0, x, there)):
            with pytest.raises(DeviceMismatchError):
                accel.fuse(function)(xp.ones(3))

    def test_a_call_after_an_error_is_an_ordinary_one(self) -> None:
        bad = True

        @accel.fuse
        def function(x: Any) -> Any:
            return x + xp.ones(2) if bad else x + 1

        x = xp.ones(3)
        with pytest.raises(ValueError, match="broadcast"):
            function(x)
        bad = False
        same(function(x), np.full(3, 2.0))
        same(x + x, np.full(3, 2.0))

    def test_a_function_without_end_is_a_recursion_error(self) -> None:
        @accel.fuse
        def endless(x: Any) -> Any:
            return endless(x + 1)

        for _ in range(2):
            with pytest.raises(RecursionError):
                endless(xp.ones(3))
        same(accel.fuse(lambda x: x + 1)(xp.ones(3)), np.full(3, 2.0))


def test_recursion_is_traced_as_far_as_it_goes() -> None:
    @accel.fuse(static="count")
    def power(x: Any, count: int) -> Any:
        return x if not count else power(x * 2, count - 1)

    same(power(xp.ones(3), 5), np.full(3, 32.0))
    assert "1 loop" in str(power.explain(xp.ones(3), 5))


@pytest.mark.parametrize("device", DEVICES)
class TestRandomNumbers:
    def test_are_not_drawn_while_a_function_is_traced(self, device: str) -> None:
        outside = xp.random.default_rng(0, device=device)
        x = xp.ones(3, device=device)
        functions: list[Function] = [
            lambda x: x + outside.random(3),
            lambda x: x + xp.random.default_rng(1, device=device).normal(size=3),
            outside.shuffle,
            outside.permutation,
            lambda x: outside.choice(x, 2),
            lambda x: outside.bytes(3),
        ]
        before = outside.bit_generator.state
        for function in functions:
            with pytest.raises(FuseError, match=r"test_bad_input\.py:\d+ in .*pass them as an argument"):
                accel.fuse(function)(x)
        assert outside.bit_generator.state == before
        same(x, np.ones(3))

    def test_are_drawn_by_a_function_that_runs_unfused(self, device: str) -> None:
        rng, other = (xp.random.default_rng(5, device=device) for _ in range(2))
        noisy = accel.fuse(lambda x, rng: x + rng.random(3), fallback="eager")
        x = xp.zeros(3, device=device)
        with pytest.warns(RuntimeWarning, match="random numbers"):
            same(noisy(x, rng), other.random(3))
        same(noisy(x, rng), other.random(3))


class TestMasksOfNumPy:
    @pytest.mark.parametrize("device", DEVICES)
    def test_select_as_in_the_unfused_function(self, device: str) -> None:
        mask, plane = np.array([True, False, True]), np.array([[True, False, True], [False, True, False]])
        functions: list[Function] = [
            lambda x, y: x[mask],
            lambda x, y: (x * 2)[~mask] + 1,
            lambda x, y: y[plane],
            lambda x, y: y[:, mask],
            lambda x, y: y[1, mask],
            lambda x, y: y[..., mask],
            lambda x, y: y[None, plane],
            lambda x, y: y[np.array([0, 1]), mask],
            lambda x, y: x[np.zeros(3, bool)],
            lambda x, y: x[np.array([0, 2])],
            lambda x, y: x[np.array([[0, -1], [1, 1]])],
            lambda x, y: y[:, np.array([2, 0])],
        ]
        with accel.using(device=device):
            x, y = xp.asarray([1.0, 2.0, 3.0]), xp.reshape(xp.arange(6.0), (2, 3))
            for function in functions:
                fused = accel.fuse(function)
                for _ in range(2):
                    same(fused(x, y), function(host(x), host(y)))

    @pytest.mark.parametrize("device", DEVICES)
    def test_choose_what_is_written(self, device: str) -> None:
        mask, plane = np.array([True, False, True]), np.array([[True, False, True], [False, True, False]])

        def program(x: Any, y: Any) -> None:
            x[mask] = 7.0
            y[plane] *= 2
            y[:, mask] = x[mask]
            y[0, ~mask] = y[1, 0]

        x, y = np.array([1.0, 2.0, 3.0]), np.arange(6.0).reshape(2, 3)
        here, there = xp.asarray(x.copy(), device=device), xp.asarray(y.copy(), device=device)
        program(x, y)
        accel.fuse(program)(here, there)
        same(here, x)
        same(there, y)

    @pytest.mark.parametrize("device", DEVICES)
    def test_that_change_are_seen(self, device: str) -> None:
        mask, traces = np.array([True, False, True]), []

        @accel.fuse
        def chosen(x: Any) -> Any:
            traces.append(1)
            y = x * 2
            y[mask] = 0.0
            return x[mask], y

        x = xp.asarray([1.0, 2.0, 3.0], device=device)
        for _ in range(3):
            same(chosen(x)[0], [1.0, 3.0])
        assert len(traces) == 1
        mask[1] = True
        same(chosen(x)[0], [1.0, 2.0, 3.0])
        same(chosen(x)[1], np.zeros(3))
        assert len(traces) == 2


class TestArraysOfNumPy:
    def test_are_not_written_unless_they_are_arguments(self) -> None:
        values = np.array([1.0, 2.0, 3.0])

        def write(array: Any, x: Any) -> Any:
            array[0] = 7.0
            array += x
            return array

        def iadd(array: Any, x: Any) -> Any:
            array += x
            return array

        x = xp.ones(3)
        for change in (write, iadd):
            with pytest.raises(FuseError, match=r"test_bad_input\.py:\d+ in .*pass the array as an argument"):
                accel.fuse(lambda x, change=change: change(xp.asarray(values), x), static="change")(x)
            for copy in (lambda: xp.asarray(values, copy=True), lambda: xp.asarray(values, dtype="float32")):
                function = accel.fuse(lambda x, change=change, copy=copy: change(copy(), x), static=("change", "copy"))
                for _ in range(2):
                    same(function(x), change(copy(), x))
        same(values, [1.0, 2.0, 3.0])
        fused = accel.fuse(write)
        for number in (8.0, 8.0, 8.0):
            fused(values, x)
            assert values[0] == number
        same(values, [8.0, 5.0, 6.0])
        fused(values, values)
        same(values, [14.0, 10.0, 12.0])

    @pytest.mark.parametrize("device", DEVICES)
    def test_are_read_in_each_call_and_results_are_copies(self, device: str) -> None:
        values = np.array([1.0, 2.0, 3.0])
        fused = accel.fuse(lambda x: (xp.asarray(values), x + xp.asarray(values)[::-1], xp.asarray(values, "float32")))
        with accel.using(device=device):
            for number in (1.0, 5.0):
                values[0] = number
                found = fused(xp.ones(3))
                for each, expected in zip(found, (values, 1 + values[::-1], values), strict=True):
                    same(each, expected)
                found[0][...] = 0.0
                assert values[0] == number

    def test_that_are_read_only_stay_so(self) -> None:
        values = np.array([1.0, 2.0, 3.0])
        values.flags.writeable = False

        def program(x: Any) -> None:
            xp.asarray(values)[0] = x[0]

        expected, found = outcome(program, xp.ones(3)), outcome(accel.fuse(program), xp.ones(3))
        assert type(found) is type(expected)


class TestWhatIsKept:
    def test_an_array_of_a_trace_that_is_kept_is_refused_with_what_to_do(self) -> None:
        kept: Any = SimpleQueue()  # into which a trace does not look
        accel.fuse(lambda x: kept.put(x + 1))(xp.ones(3))
        array = kept.get()
        uses: list[Function] = [
            np.asarray,
            lambda x: x.tolist(),
            lambda x: xp.ones(3) + x,
            lambda x: x + xp.ones(3),
            accel.fuse(lambda x: x + 1),
            lambda x: accel.fuse(lambda y: x + y)(xp.ones(3)),
        ]
        for use in uses:
            with pytest.raises(FuseError, match=r"was kept, .* return it from the function"):
                use(array)

    def test_names_that_were_bound_to_arrays_of_a_trace_are_as_they_were(self) -> None:
        state, items, named, u = SimpleNamespace(u=1.0), [1], {"u": xp.ones(3)}, xp.ones(3)

        def of_attribute(x: Any) -> None:
            state.u = x + 1

        def of_new_attribute(x: Any) -> None:
            state.other = [x, (x, 1)]

        def of_list(x: Any) -> None:
            items.append(x)

        def of_dict(x: Any) -> None:
            named["u"] = named["v"] = x * 2

        def of_closure(x: Any) -> Any:
            nonlocal u
            u = u + x
            return u

        def of_all(x: Any) -> None:
            for each in (of_attribute, of_new_attribute, of_list, of_dict):
                each(x)
            raise KeyboardInterrupt

        before = dict(vars(state)), [*items], dict(named), u
        for function in (of_attribute, of_new_attribute, of_list, of_dict, of_closure):
            with pytest.raises(FuseError, match=r"binds .* return that array"):
                accel.fuse(function)(xp.ones(3))
            assert (vars(state), items, named, u) == before
        with pytest.raises(KeyboardInterrupt):
            accel.fuse(of_all)(xp.ones(3))
        assert (vars(state), items, named, u) == before

    def test_a_model_with_state_runs_unfused_if_asked(self) -> None:
        class Model:
            def __init__(self) -> None:
                self.u, self.history = xp.ones(3), []

            @accel.fuse(fallback="eager")
            def step(self) -> None:
                self.u = self.u * 2
                self.history.append(self.u)

        model = Model()
        with pytest.warns(RuntimeWarning, match="step runs unfused: step binds u, history"):
            model.step()
        model.step()
        same(model.u, np.full(3, 4.0))
        same(model.history[0], np.full(3, 2.0))

    def test_lists_and_dicts_that_are_arguments_are_not_changed(self) -> None:
        def of_dict(state: Any) -> None:
            state["u"] = state["u"] * 2

        def of_list(state: Any) -> None:
            state.append(state[0])

        def within(state: Any) -> None:
            del state["list"][0]

        x = xp.ones(3)
        for function, state in ((of_dict, {"u": x}), (of_list, [x]), (within, {"list": [x, 1.0]})):
            before = repr(state)
            with pytest.raises(FuseError, match="changes a list or dict among its arguments; return"):
                accel.fuse(function)(state)
            assert repr(state) == before

        def takes(**options: Any) -> Any:
            return options.pop("x") + options.pop("y", 1)

        same(accel.fuse(takes)(x=x), np.full(3, 2.0))

    def test_results_of_other_kinds_are_refused(self) -> None:
        for function in (lambda x: {1, 2}, lambda x: iter([x]), lambda x: OrderedDict(x=x), lambda x: object()):
            with pytest.raises(FuseError, match="return arrays, numbers, or tuples, lists and dicts"):
                accel.fuse(function)(xp.ones(3))

    def test_results_that_are_no_arrays_are_returned(self) -> None:
        expected = (None, 2, 2.5, True, "text", b"b", np.float32(3), np.dtype("int8"), {"a": [1j]}, float, slice(3), ())
        fused = accel.fuse(lambda x: expected)
        for _ in range(2):
            assert fused(xp.ones(3)) == expected


def test_functions_whose_lines_run_later_are_refused() -> None:
    def generator(x: Any) -> Any:
        yield x

    async def coroutine(x: Any) -> Any:
        return x

    for function in (generator, coroutine):
        with pytest.raises(FuseError, match="fuse the functions that it calls"):
            accel.fuse(function)


def test_a_line_is_printed_once_per_trace(capsys: pytest.CaptureFixture[str]) -> None:
    @accel.fuse
    def printing(x: Any) -> Any:
        print("shape", x.shape)  # noqa: T201
        return x + 1

    for shape in ((3,), (3,), (2, 2), (3,)):
        printing(xp.ones(shape))
    assert capsys.readouterr().out == "shape (3,)\nshape (2, 2)\n"


def test_it_is_said_once_that_a_function_runs_unfused() -> None:
    function = accel.fuse(lambda x: x[x > 0], fallback="eager")
    with pytest.warns(RuntimeWarning, match="runs unfused"):
        same(function(xp.ones(3)), np.ones(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for size in (3, 4, 3):
            same(function(xp.ones(size)), np.ones(size))


def test_names_in_static_are_those_of_parameters() -> None:
    with pytest.raises(ValueError, match="static= names power; the parameters of scaled are x, k"):

        @accel.fuse(static=("k", "power"))
        def scaled(x: Any, k: float) -> Any:
            return x * k


def test_arguments_without_a_hash_are_refused() -> None:
    for value in ({1}, bytearray(2), OrderedDict(x=1)):
        with pytest.raises(TypeError, match="must have a hash"):
            accel.fuse(lambda x, y: x)(xp.ones(3), value)
