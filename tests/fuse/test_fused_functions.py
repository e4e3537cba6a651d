"""Functions of arrays give the results of the unfused functions, on each device."""

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError, FuseError, ReleasedError
from accel.memory import assert_no_leak

DEVICES = ("cpu", "sim")
Function = Callable[..., Any]


def arrays(device: str, shape: tuple[int, ...] = (4, 5), count: int = 2, dtype: str = "float64") -> list[Any]:
    rng = np.random.default_rng(0)
    return [xp.asarray((rng.random(shape) * 10 - 3).astype(dtype), device=device) for _ in range(count)]


def host(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [host(each) for each in value]
    if isinstance(value, dict):
        return {name: host(each) for name, each in value.items()}
    return np.asarray(value.to_device("cpu")) if isinstance(value, xp.Array) else value


def same(one: Any, other: Any) -> None:
    np.testing.assert_equal(host(one), host(other))


def close(one: Any, other: Any) -> None:
    """Compare what functions within 4 ulp computed."""
    np.testing.assert_allclose(host(one), host(other), rtol=2e-15)


def halves(x: Any, y: Any) -> Any:
    return x[::2, 1:], y[1:, ::-1] * 2


def in_place(x: Any, y: Any) -> Any:
    z = xp.zeros_like(x)
    z[1:-1] = x[:-2] + x[2:]
    z[0] += y[0]
    z[:, 2] = 7
    return z


def of_views(x: Any, y: Any) -> Any:
    z = x * 2
    row = z[1]
    row += 1
    z[:, 0] = row[0]
    flat = z.reshape(-1)
    flat[3] = 11.0
    return z, row, flat


def steps(x: Any, y: Any) -> Any:
    for _ in range(4):
        x = 0.25 * (xp.roll(x, 1, axis=0) + xp.roll(x, -1, axis=0) + xp.roll(x, (1, 1), axis=(0, 1)) + y)
    return x


def written_results(x: Any, y: Any) -> Any:
    z = xp.sort(x, axis=1)
    before = z[:2] * 2
    z[1:3] = y[1:3]
    z[0] = xp.max(z, axis=0)
    return z, before, xp.sort(z, axis=0)


def _written_between(x: Any, y: Any) -> Any:
    z = x * 2
    rows = z.T
    before = xp.tensordot(rows, y, 1)
    z[0] = 5
    return before, xp.tensordot(rows, y, 1), z


PROGRAMS: dict[str, Function] = {
    "elementwise": lambda x, y: (x - y) * 2 + 1,
    "several results": lambda x, y: (x + y, x - y, {"product": x * y}),
    "choice": lambda x, y: xp.where(x > y, x, -y),
    "limits": lambda x, y: xp.clip(x, 0.0, y),
    "broadcast": lambda x, y: x[:, None, :] * y[None, :, :],
    "transposed": lambda x, y: xp.tensordot(x.T, y, 1),
    "reshaped": lambda x, y: (x.T.reshape(-1), (x + y).reshape(2, 10), xp.reshape(y, (5, 4))),
    "joined": lambda x, y: (xp.concat([x, y + 1]), xp.stack([x, y], axis=1), xp.roll(x, 2)),
    "library": lambda x, y: (xp.sort(x + y, axis=1), xp.cumulative_sum(x[0] * 2), xp.argmax(y, axis=0)),
    "integers": lambda x, y: (xp.astype(x, xp.int8) // 3, xp.astype(y, xp.int32) % 2 == 0, xp.arange(5) * 2),
    "truth": lambda x, y: (~(x > 1) | (y < 2), xp.any(x > 6), xp.logical_xor(x > 0, y)),
    "constants": lambda x, y: (xp.ones((2, 3)) * 2, xp.full_like(x, 3, dtype="int16"), xp.empty((0, 3)) + 1),
    "views": halves,
    "views that are written": of_views,
    "in place": in_place,
    "steps": steps,
    "results of calls that are written": written_results,
    "views in calls": lambda x, y: (
        xp.tensordot(x.T, y[:, ::-1], 1),
        xp.sort(x[1:, ::2], axis=0),
        xp.sort((x + y).T, axis=1),
        _written_between(x, y),
    ),
    "the arguments": lambda x, y: (x, y[0], x[1:]),
    "no axes": lambda x, y: (x[1, 1] * y[0, 0], xp.sum(x * y)),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_unfused_function(name: str, device: str) -> None:
    function, operands = PROGRAMS[name], arrays(device)
    fused = accel.fuse(function)
    for _ in range(2):
        same(fused(*operands), function(*operands))


@pytest.mark.parametrize("device", DEVICES)
def test_functions_of_mathematics_are_close(device: str) -> None:
    def softmax(x: Any) -> Any:
        powers = xp.exp(x - xp.max(x, axis=1, keepdims=True))
        return powers / xp.sum(powers, axis=1)[:, None]

    (x,) = arrays(device, count=1)
    close(accel.fuse(softmax)(x), softmax(x))


@pytest.mark.parametrize("device", DEVICES)
def test_arguments_are_written(device: str) -> None:
    def shift(x: Any, y: Any) -> None:
        x[1:, :] = x[:-1, :] + y[1:, :]
        x *= 2
        y[...] = x[::-1]

    one, other = arrays(device), arrays(device)
    accel.fuse(shift)(*one)
    shift(*other)
    same(one, other)


@pytest.mark.parametrize("device", DEVICES)
def test_arguments_that_change_places(device: str) -> None:
    @accel.fuse
    def swap(x: Any, y: Any) -> None:
        z = xp.asarray(x, copy=True)
        x[...] = y
        y[...] = z

    x, y = arrays(device)
    before = [each.copy() for each in host([x, y])]
    swap(x, y)
    same([y, x], before)


@pytest.mark.parametrize("device", DEVICES)
def test_elements_at_indices_of_an_array_are_written(device: str) -> None:
    def changed(x: Any, places: Any) -> None:
        x[places, places] = 7
        x[places] += 1

    (one,), (other,) = arrays(device, count=1), arrays(device, count=1)
    places = xp.asarray([2, 0], device=device)
    accel.fuse(changed)(one, places)
    changed(other, places)
    same(one, other)


def test_arguments_that_share_memory_are_written_as_unfused() -> None:
    def shift(x: Any, y: Any) -> None:
        x += 1
        y *= 2

    one, other = xp.arange(8.0), xp.arange(8.0)
    accel.fuse(shift)(one[:-1], one[1:])
    shift(other[:-1], other[1:])
    same(one, other)


@pytest.mark.parametrize("device", DEVICES)
def test_numbers_are_passed_anew_without_a_new_trace(device: str) -> None:
    traces = []

    @accel.fuse
    def scaled(x: Any, factor: float, count: int) -> Any:
        traces.append(1)
        return x * (factor / 2) + count

    (x,) = arrays(device, count=1)
    for factor, count in ((2.0, 1), (3.5, -4), (0.1, 7)):
        same(scaled(x, factor, count), x * (factor / 2) + count)
    assert len(traces) == 1


def test_static_arguments_are_values() -> None:
    @accel.fuse(static="power")
    def raised(x: Any, power: int) -> Any:
        result = xp.ones_like(x)
        for _ in range(power):
            result = result * x
        return result

    (x,) = arrays("cpu", count=1)
    same(raised(x, 3), x * x * x)
    same(raised(x, power=2), x * x)


@pytest.mark.parametrize("device", DEVICES)
def test_arrays_that_a_function_refers_to_are_read_in_each_call(device: str) -> None:
    x, y = arrays(device)

    @accel.fuse
    def added(z: Any) -> Any:
        return z + y

    same(added(x), x + y)
    y[...] = 5.0
    same(added(x), x + 5.0)


def test_repeated_calls_with_other_arguments() -> None:
    @accel.fuse(static="power")
    def raised(x: Any, y: Any, power: int = 2, offset: float = 0.5, *, last: float = 1.0) -> Any:
        return x**power + y * offset - last

    def check(*arguments: Any, **keywords: Any) -> None:
        for _ in range(2):
            same(raised(*arguments, **keywords), raised.__wrapped__(*arguments, **keywords))

    x, y = arrays("cpu")
    z = arrays("cpu", (4, 5), 3)[2]
    check(x, y)
    check(x, z)
    check(z, z)
    check(x, x, 2)
    check(x, y, 2, 0.25)
    check(x, y, 2, 1)
    check(x, y, 2, last=3)
    check(x.T, y.T)
    check(x, y[0])
    check(xp.asarray(x, dtype="float32"), y)


@pytest.mark.parametrize("device", DEVICES)
def test_arrays_that_the_function_makes_are_new_in_each_call(device: str) -> None:
    @accel.fuse
    def added(x: Any) -> Any:
        total, diagonal, listed = xp.linspace(0, 1, 3), xp.eye(3), xp.asarray([0.0, 0.0, 0.0])
        total += x
        listed += x
        diagonal[0] = total
        return total, diagonal, listed

    with accel.using(device=device):
        x = xp.ones(3)
        for _ in range(2):
            total, diagonal, listed = added(x)
            same(listed, x)
            same(total, np.array([1.0, 1.5, 2.0]))
            same(diagonal[0], np.array([1.0, 1.5, 2.0]))


@pytest.mark.parametrize("device", DEVICES)
def test_copies_of_arguments_are_not_the_arguments(device: str) -> None:
    def changed(x: Any, y: Any) -> Any:
        copies = [xp.asarray(x, copy=True), xp.astype(x, x.dtype), +x]
        for place in range(3):
            copies[place] *= 2
        return copies

    x, y = arrays(device)
    before = host(x).copy()
    results = accel.fuse(changed)(x, y)
    same(x, before)
    same(results, changed(x, y))


def test_one_array_as_two_arguments_is_written_once() -> None:
    def both(x: Any, y: Any) -> None:
        x += 1
        y *= 2

    x, y = xp.arange(4.0), xp.arange(4.0)
    fused = accel.fuse(both)
    for _ in range(2):
        fused(x, x)
        both(y, y)
        same(x, y)
    fused(x, y)
    same(x, y / 2 + 1)


def test_views_that_are_read_only() -> None:
    def repeated(x: Any) -> Any:
        return xp.broadcast_to(x, (3, *x.shape))

    x = xp.arange(3.0)
    result = accel.fuse(repeated)(x)
    assert not result.flags.writeable
    x[0] = 7
    same(result[2], x)
    for function in (lambda x: repeated(x).__setitem__(0, 1), lambda x: repeated(x).__iadd__(1)):
        with pytest.raises(ValueError):  # noqa: PT011 - of the class that the unfused function raises
            accel.fuse(function)(x)


@pytest.mark.parametrize("device", DEVICES)
def test_parts_of_complex_numbers_are_views(device: str) -> None:
    def changed(z: Any) -> None:
        z.real[0] = 5.0
        xp.imag(z)[...] += 1

    z, other = xp.asarray([1 + 2j, 3 - 1j], device=device), xp.asarray([1 + 2j, 3 - 1j], device=device)
    accel.fuse(changed)(z)
    changed(other)
    same(z, other)


def test_a_fused_function_keeps_no_argument() -> None:
    fused = accel.fuse(lambda x: x + 1)
    x = xp.ones(1000)
    fused(x)
    reference = weakref.ref(x)
    del x
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("device", DEVICES)
def test_memory_between_loops_and_calls_is_free_after_a_call(device: str) -> None:
    fused = accel.fuse(lambda x: xp.sort(x + 1) * 2)
    (x,) = arrays(device, count=1)
    for _ in range(3):
        fused(x)
    gc.collect()
    gc.disable()
    try:
        fused(x)
        assert gc.collect() == 0  # what is in a cycle would be kept until such a collection
    finally:
        gc.enable()


def test_arrays_of_numpy_and_containers_are_operands() -> None:
    @accel.fuse
    def added(x: Any, y: Any) -> Any:
        return x + y * np.arange(3.0)

    result = added(np.ones(3), accel.container([1.0, 2.0, 3.0]))
    same(result, np.ones(3) + np.array([1.0, 2.0, 3.0]) * np.arange(3.0))


@pytest.mark.parametrize("device", DEVICES)
def test_calls_with_containers_see_what_happened_to_them(device: str) -> None:
    @accel.fuse
    def increased(x: Any, y: Any) -> Any:
        y += x
        return y

    x, y, other = (accel.full(3, number, device=device) for number in (1.0, 2.0, 3.0))
    for number in range(1, 4):
        result = increased(x, y)
        same([*result.tolist()], [2.0 + number] * 3)
        same([*y.to_numpy()], [2.0 + number] * 3)
    x.fill(5.0)
    same([*increased(x, other).tolist()], [8.0] * 3)
    same([*increased(x, accel.full(3, 1.0, device=device)).tolist()], [6.0] * 3)
    del result
    x.release()
    with pytest.raises(ReleasedError):
        increased(x, y)
    with assert_no_leak():
        z = accel.full(3, 2.0, device=device)
        increased(y, z)
        z.release()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x if xp.sum(x) > 0 else -x,
        lambda x: float(x[0, 0]) * x,
        lambda x: x[x > 0],
        lambda x: x[0, 0].item(),
        lambda x: x.tolist(),
        xp.nonzero,
        xp.unique_values,
        lambda x: list(range(xp.astype(x[0, 0], xp.int64))),
    ],
)
def test_a_function_that_needs_elements_is_refused_before_anything_has_run(function: Function, device: str) -> None:
    (x,) = arrays(device, count=1)
    before = host(x).copy()

    def writing(x: Any) -> Any:
        x += 1
        return function(x)

    with pytest.raises(FuseError) as error:
        accel.fuse(writing)(x)
    assert isinstance(error.value, TypeError)
    same(x, before)


def test_a_refusal_names_the_line() -> None:
    @accel.fuse
    def branch(x: Any) -> Any:
        if x[0] > 0:
            return x
        return -x

    with pytest.raises(FuseError, match=r"test_fused_functions\.py:\d+ in branch"):
        branch(xp.ones(3))


def test_a_function_that_cannot_be_fused_runs_unfused_if_asked() -> None:
    @accel.fuse(fallback="eager")
    def positive(x: Any) -> Any:
        return x[x > 0]

    x = xp.asarray([1.0, -2.0, 3.0])
    with pytest.warns(RuntimeWarning, match="positive runs unfused: .* a boolean mask") as warned:
        same(positive(x), np.array([1.0, 3.0]))
    assert warned[0].filename == __file__
    same(positive(x[1:]), np.array([3.0]))  # without another warning


def test_errors_are_those_of_the_unfused_function() -> None:
    x, y = xp.ones((3, 4)), xp.ones((2, 4))
    for function in (lambda x, y: x + y, lambda x, y: x[5], lambda x, y: x.reshape(5), lambda x, y: x @ y):
        with pytest.raises(Exception) as unfused:  # noqa: PT011 - of any kind
            function(x, y)
        with pytest.raises(type(unfused.value)):
            accel.fuse(function)(x, y)


def test_arrays_on_two_devices_are_refused() -> None:
    with pytest.raises(DeviceMismatchError, match="move them"):
        accel.fuse(lambda x, y: x + y)(xp.ones(3), xp.ones(3, device="sim"))


def test_arrays_are_made_on_the_default_device_as_unfused() -> None:
    @accel.fuse
    def added(x: Any) -> Any:
        return x + xp.ones(3)

    with pytest.raises(DeviceMismatchError):
        added(xp.ones(3, device="sim"))
    with accel.using(device="sim"):
        same(added(xp.ones(3)), np.full(3, 2.0))


def test_a_number_of_the_host_is_read_in_each_call() -> None:
    number = xp.asarray(2.0)

    @accel.fuse
    def scaled(x: Any) -> Any:
        return x * number

    x = xp.ones(3, device="sim")
    same(scaled(x), np.full(3, 2.0))
    number[...] = 5.0
    same(scaled(x), np.full(3, 5.0))


def test_numbers_that_a_dtype_cannot_hold_are_refused_in_each_call() -> None:
    added = accel.fuse(lambda x, count: x + count)
    x = xp.asarray([1, 2], dtype="int8")
    same(added(x, 3), x + 3)
    with pytest.raises(OverflowError):
        added(x, 300)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("limit", [1e300, 1 + 2j, 1 << 70])
def test_limits_that_a_dtype_cannot_hold_are_refused_though_nothing_needs_the_result(limit: Any) -> None:
    def limited(x: Any) -> Any:
        xp.clip(x, limit, None)
        return x

    x, errors = xp.asarray([1, 2]), []
    for function in (limited, accel.fuse(limited)):
        with pytest.raises((OverflowError, TypeError)) as error:
            function(x)
        errors.append(error.type)
    assert errors[0] is errors[1]


def test_zeros_of_either_sign_are_two_constants() -> None:
    signed = accel.fuse(lambda x, zero: -xp.copysign(x, zero), static="zero")
    x = xp.ones(2)
    same(signed(x, 0.0), -x)
    same(signed(x, -0.0), x)


def test_fused_functions_within_fused_functions() -> None:
    inner = accel.fuse(lambda x: x * 2)
    x = xp.asarray([1.0, 2.0])
    same(accel.fuse(lambda x: inner(x) + 1)(x), x * 2 + 1)


def test_a_traced_array_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    @accel.fuse
    def printed(x: Any) -> Any:
        print(x)  # noqa: T201 - of the function that is traced
        return x + 1

    for _ in range(3):
        printed(xp.ones((2, 3)))
    assert capsys.readouterr().out == "Array(traced, shape=(2, 3), dtype=float64, device=cpu)\n"


def test_the_setting_turns_fusing_off() -> None:
    calls = []

    @accel.fuse
    def counted(x: Any) -> Any:
        calls.append(1)
        return x + 1

    x = xp.ones(3)
    with accel.using(fuse="off"):
        counted(x)
        counted(x)
    assert len(calls) == 2


@pytest.mark.parametrize("device", DEVICES)
def test_complex_numbers(device: str) -> None:
    def steps(c: Any) -> Any:
        z = xp.zeros_like(c)
        for _ in range(3):
            z = xp.where(abs(z) < 2.0, z * z + c, z)
        return z, xp.square(c) * 2j, xp.conj(c) * c

    c = xp.asarray(np.random.default_rng(0).random((40, 3)) * (2 - 1j) - 1, device=device)
    close(accel.fuse(steps)(c), steps(c))
    assert len(accel.fuse(steps).explain(c).steps) == 1


@pytest.mark.parametrize("exponent", [3, 4.0, 7, 8])
def test_small_powers_are_products(exponent: float) -> None:
    x = xp.asarray(np.random.default_rng(0).random(1000) * 4 - 2)
    np.testing.assert_allclose(host(accel.fuse(lambda x: x**exponent)(x)), host(x**exponent), rtol=9e-16)


@pytest.mark.parametrize("device", DEVICES)
def test_a_write_to_no_elements_changes_none(device: str) -> None:
    def changed(x: Any, y: Any) -> Any:
        more = x[None]
        more[-1:-2:3, :] = 3
        more[1:] += y
        x[:, :0] = 7
        return more, x + 1, xp.sum(y)

    one, other = arrays(device), arrays(device)
    same(accel.fuse(changed)(*one), changed(*other))
    same(one, other)


def test_calls_with_arrays_of_numpy_wait_for_copies_into_them() -> None:
    """A copy that is late writes what the next call reads."""
    added = accel.fuse(lambda x, y: (x + y, x))
    values, other = np.zeros(3), np.ones(3)
    array = xp.asarray(values)
    memory = array.container()
    for _ in range(2):
        same(added(values, other)[0], np.ones(3))
    gate = threading.Event()
    thread = accel.new_stream("cpu")
    thread.submit(lambda: gate.wait(30))
    with thread:
        transfer = memory.copy_from_async(accel.container([5.0, 6.0, 7.0]), stream=thread)
    threading.Timer(0.05, gate.set).start()
    total, same_array = added(values, other)
    same(total, np.array([6.0, 7.0, 8.0]))
    transfer.wait()
    same_array[0] = 9.0
    assert values[0] == 9.0


@pytest.mark.parametrize(
    "layout", [lambda x: x, lambda x: x.T, lambda x: xp.permute_dims(x, (1, 0, 2)), lambda x: x[::-1]]
)
def test_a_reshape_copies_where_it_copies_unfused(layout: Function) -> None:
    def written(x: Any, y: Any) -> Any:
        arrays = [
            x * 2,
            xp.where(x > 1, x, y),
            xp.zeros_like(x),
            xp.asarray(x, copy=True),
            x + y,
            x.copy(),
            xp.clip(x, 0, 3),
        ]
        arrays += [xp.exp(-x) * 0, xp.astype(x, "int32"), x * xp.ones(x.shape)]
        flat = [xp.reshape(each, (-1,)) for each in arrays]
        for each in arrays:
            each[...] = 7
        return flat

    x, y = (layout(xp.asarray(np.random.default_rng(0).random((3, 4, 5)))) for _ in range(2))
    for one, other in zip(accel.fuse(written)(x, y), written(x, y), strict=True):
        close(one, other)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_imaginary_numbers_are_true(dtype: str, device: str) -> None:
    def truths(z: Any) -> Any:
        return xp.astype(z, "bool"), xp.logical_not(z), xp.where(z, 1, 0), xp.any(z * 1, axis=0), xp.all(z)

    z = xp.asarray(np.array([[2j, 1, 0, 1 + 1j, -0.0j, np.nan * 1j]] * 50, dtype), device=device)
    same(accel.fuse(truths)(z), truths(z))
