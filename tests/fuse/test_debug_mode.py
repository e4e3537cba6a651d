"""Debug mode: loops check their indices, and the line that makes a NaN is found."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import KernelBoundsError, NanError
from accel.fusion import lowering
from accel.kernels import kernel

DEVICES = ("cpu", "sim")


def line_of(function: Any, number: int) -> int:
    """Return the line of a statement of a function."""
    return function.__code__.co_firstlineno + number


def smoothed(u: Any) -> Any:
    inner = u[:-2] + u[2:]
    u[1:-1] = 0.5 * inner
    return xp.sum(inner)


def test_each_access_has_a_guard_in_debug_mode_only() -> None:
    fused, u = accel.fuse(smoothed), xp.ones(7)
    assert "site" not in fused.source("ir", u)
    with accel.debug():
        text = fused.source("ir", u)
    loads, stores = text.count(": float64 = m"), text.count("] = v")
    assert text.count("if 0 <= ") == loads + stores
    assert f"read u at smoothed ({__file__}:{line_of(smoothed, 1)})" in text
    assert f"write u at smoothed ({__file__}:{line_of(smoothed, 2)})" in text


def test_loops_that_reduce_have_guards_with_lines_too() -> None:
    def normed(x: Any) -> Any:
        most = xp.max(x, axis=1, keepdims=True)
        return xp.sum(x / most, axis=0)

    with accel.debug():
        text = accel.fuse(normed).source("ir", xp.ones((30, 40)))
    first, second = (f"at normed ({__file__}:{line_of(normed, number)})" for number in (1, 2))
    for access in (f"read x {first}", f"write memory 1 {first}", f"read x {second}", f"write the result {second}"):
        assert access in text


@pytest.mark.parametrize("device", DEVICES)
def test_the_setting_is_read_at_each_call(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong index map is found in debug mode, with the line of the access; the function is traced anew for it."""
    traces = []

    @accel.fuse
    def shifted(x: Any) -> Any:
        traces.append(1)
        return x[1:] * 2

    x = xp.arange(6.0, device=device)[:5]
    for _ in range(2):
        shifted(x)
    exact = lowering.offset_and_strides

    def wrong(index_map: Any, strides: Any, rank: int) -> Any:
        offset, steps = exact(index_map, strides, rank)
        return offset + (index_map[0].start > 0), steps

    monkeypatch.setattr(lowering, "offset_and_strides", wrong)
    with accel.debug():
        for _ in range(2):
            with pytest.raises(KernelBoundsError) as error:
                np.asarray(shifted(x).to_device("cpu"))
    assert str(error.value).splitlines() == [
        "Array Out Of Range: kernel[shifted] tid=3, got index 5 (offset=0, size=5).",
        "Callstack:",
        f"shifted (test_debug_mode.py:{line_of(shifted.__wrapped__, 3)})",
        "The access: read of the array 'x', axis 0.",
        "There were no other accesses out of range.",
    ]
    shifted(x)
    assert len(traces) == 2


def test_the_compiler_says_nothing(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It cannot use vectors for functions in loops with guards, and would say so if it was told to."""
    fused = accel.fuse(lambda x, y: (xp.exp(x) * xp.sin(y), xp.sum(xp.exp(x[::2]), axis=0)))
    x = xp.ones((30, 40))
    with accel.using(debug=True, cache_dir=tmp_path):
        fused(x, x)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("device", DEVICES)
def test_views_of_memory_with_any_strides_pass(device: str) -> None:
    base = xp.reshape(xp.arange(60.0, device=device), (3, 4, 5))
    x, y = base[::-2, 1:, ::3][0].T, base[1, :2, :4]

    def added(x: Any, y: Any) -> Any:
        return x[::-1] + y[:, 1:]

    with accel.debug(nan=True):
        found = accel.fuse(added)(x, y)
    expected = added(*[np.asarray(each.to_device("cpu")) for each in (x, y)])
    np.testing.assert_array_equal(np.asarray(found.to_device("cpu")), expected)


@accel.fuse
def slopes(x: Any, y: Any) -> Any:
    root = xp.sqrt(x)
    chosen = xp.where(x > 0, root, 0.0)
    inverse = 1 / y
    change = inverse[1:] - inverse[:-1]
    y[...] = 5.0
    return chosen[1:] * change, root[0]


@pytest.mark.parametrize("device", DEVICES)
class TestNan:
    def test_the_line_that_makes_one_is_named(self, device: str) -> None:
        x, y = xp.asarray([-1.0, 4.0, 9.0], device=device), xp.ones(3, device=device)
        with accel.debug(nan=True), pytest.raises(NanError) as error:
            slopes(x, y)
        line = line_of(slopes.__wrapped__, 2)
        assert isinstance(error.value, FloatingPointError)
        assert str(error.value) == (
            f"Not A Number: the fused function slopes makes a NaN by sqrt(-1.0), at test_debug_mode.py:{line} in "
            "slopes; it is the element (0,) of (3,). It reaches a result or an argument; nothing was written: check "
            "the operands, or choose others by xp.where before the operation"
        )
        np.testing.assert_array_equal(np.asarray(y.to_device("cpu")), 1.0)

    def test_the_infinity_before_it_is_named(self, device: str) -> None:
        x, y = xp.ones(4, device=device), xp.asarray([1.0, 0.0, 0.0, 0.0], device=device)
        with accel.debug(nan=True), pytest.raises(NanError) as error:
            slopes(x, y)
        made, before = line_of(slopes.__wrapped__, 5), line_of(slopes.__wrapped__, 4)
        assert f"by sub(inf, inf), at test_debug_mode.py:{made} in slopes" in str(error.value)
        assert "it is the element (1,) of (3,), and 1 more" in str(error.value)
        assert f"The infinity was made by truediv(1.0, 0.0), at test_debug_mode.py:{before}" in str(error.value)

    def test_a_nan_that_is_not_chosen_is_none(self, device: str) -> None:
        x, y = xp.asarray([1.0, -1.0, 4.0], device=device), xp.ones(3, device=device)
        with accel.debug(nan=True):
            found, _ = slopes(x, y)
        np.testing.assert_array_equal(np.asarray(found.to_device("cpu")), 0.0)
        np.testing.assert_array_equal(np.asarray(y.to_device("cpu")), 5.0)

    def test_a_nan_beside_a_result_that_is_a_part_is_none(self, device: str) -> None:
        def logarithms(x: Any) -> Any:
            every = xp.log(x)
            return every[1:], every.reshape(3, 1)[1:]

        x = xp.asarray([-1.0, 1.0, 4.0], device=device)
        with accel.debug(nan=True):
            found = accel.fuse(logarithms)(x)
        assert float(found[0][0]) == 0

    def test_a_nan_that_was_there_is_none(self, device: str) -> None:
        x = xp.asarray([1.0, xp.nan], device=device)
        with accel.debug(nan=True):
            found = accel.fuse(lambda x: (x * 2, xp.sum(x), xp.where(x > 0, x, xp.nan)))(x)
        assert np.isnan(float(found[1]))

    def test_calls_of_the_library_are_operations(self, device: str) -> None:
        def total(x: Any) -> Any:
            return xp.sum(xp.sort(x)) * 2

        x = xp.asarray([xp.inf, -xp.inf], device=device)
        with accel.debug(nan=True), pytest.raises(NanError, match=rf":{line_of(total, 1)} in total"):
            accel.fuse(total)(x)

    def test_what_is_written_is_checked(self, device: str) -> None:
        def rooted(x: Any) -> None:
            x[0] = 3.0
            x[1:] = xp.sqrt(x[1:])

        x = xp.asarray([-1.0, 4.0, -9.0], device=device)
        with accel.debug(nan=True), pytest.raises(NanError, match=rf"sqrt\(-9\.0\), at .*:{line_of(rooted, 2)} in"):
            accel.fuse(rooted)(x)
        np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), [-1.0, 4.0, -9.0])

    def test_arrays_without_axes(self, device: str) -> None:
        def divided(x: Any, y: Any) -> Any:
            z = xp.expand_dims(x[...], axis=0)
            z[-1::2] = 7.0
            z[:0] = 5.0
            return x * 2, y / (y + 0 * x)

        x, y = xp.asarray(1.0, device=device), xp.asarray(0.0, device=device)
        with (
            accel.debug(nan=True),
            pytest.raises(NanError, match=rf"truediv\(0\.0, 0\.0\), at .*:{line_of(divided, 4)}"),
        ):
            accel.fuse(divided)(x, y)

    def test_kernels_find_them_too(self, device: str) -> None:
        @kernel
        def divided(v, w):
            for i in range(v.size):
                w[i] = v[i] / v[i]

        v, w = accel.zeros(3, device=device), accel.zeros(3, device=device)
        divided(v, w)
        with accel.debug():
            divided(v, w)
        with accel.debug(nan=True), pytest.raises(NanError, match="written into the parameter 'w'"):
            divided(v, w).wait()
