"""Large results: they are what NumPy returns, in memory of earlier arrays."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from accel.backends.cpu import BACKEND
from accel.backends.cpu.array_pool import ArrayPool
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import xp
from accel.xp import large_results, signatures
from accel.xp.array_library import library_on
from tests.tables import rows

DTYPES = ("bool", "uint8", "int32", "int64", "float32", "float64", "complex64")
BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "mod": lambda a, b: a % b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "lshift": lambda a, b: a << b,
    "rshift": lambda a, b: a >> b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "abs": abs,
    "neg": lambda a: -a,
    "pos": lambda a: +a,
    "invert": lambda a: ~a,
}
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "in C order": lambda a: a.copy(),
    "in Fortran's order": np.asfortranarray,
    "transposed": lambda a: a.T.copy().T,
    "every other column": lambda a: a.repeat(2, axis=-1)[..., ::2],
    "without the edges": lambda a: np.pad(a, 1)[1:-1, 1:-1],
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "one row": lambda a: a[:1],
    "one column": lambda a: a[:, :1],
    "a row without the other axis": lambda a: a[0],
    "broadcast": lambda a: np.broadcast_to(a[0], a.shape),
    "one element": lambda a: a[0, 0],
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make arrays of any size large, so that few elements take the way of many."""
    monkeypatch.setattr("accel.backends.cpu.array_pool.SMALLEST", 1)
    monkeypatch.setattr(BACKEND, "_arrays", ArrayPool(1 << 20))
    library = library_on("cpu")
    monkeypatch.setattr(library, "large", 1)
    return iter(())


def values(dtype: str, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, 5, (3, 4)).astype(dtype)


def same(function: Callable[..., Any], *operands: Any) -> bool:
    """Compare the result of arrays with NumPy's; tell whether there is one."""
    ours = [xp.asarray(each) if isinstance(each, np.ndarray | np.generic) else each for each in operands]
    with np.errstate(all="ignore"):
        try:
            expected = function(*operands)
        except (TypeError, ValueError, OverflowError) as error:
            with pytest.raises(type(error)):
                function(*ours)
            return False
        result = np.asarray(function(*ours))
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)
    if expected.ndim > 1:
        for flag in ("c_contiguous", "f_contiguous"):
            assert getattr(result.flags, flag) == getattr(expected.flags, flag)
    return True


@pytest.mark.usefixtures("small")
class TestAgainstNumPy:
    @rows("name", list(BINARY))
    def test_operators_of_two_operands(self, name: str) -> None:
        compared = 0
        for one in DTYPES:
            for other in (*DTYPES, 2, 300, -1, 2.5, True, 1j):
                right = values(other, 1) if isinstance(other, str) else other
                if isinstance(other, str) or name not in ("eq", "ne", "lt", "le", "gt", "ge"):
                    compared += same(BINARY[name], values(one), right)
                    compared += same(BINARY[name], right, values(one))
        assert compared > 20

    def test_a_scalar_of_numpy_on_the_left(self) -> None:
        array, scalar = values("float32") + 1, np.float64(2.5)
        for name in ("add", "sub", "mul", "truediv"):
            x = xp.asarray(array)
            result = BINARY[name](scalar, x)
            assert result._native.base is not None  # memory of the pool
            np.testing.assert_array_equal(np.asarray(result), BINARY[name](scalar, array))

    @rows("name", list(UNARY))
    def test_operators_of_one_operand(self, name: str) -> None:
        assert sum(same(UNARY[name], values(dtype)) for dtype in DTYPES) > 3

    @rows("one", list(LAYOUTS))
    def test_the_order_in_memory_is_that_of_numpy(self, one: str) -> None:
        array = values("float64")
        for other in LAYOUTS.values():
            assert same(BINARY["add"], LAYOUTS[one](array), other(array))
            assert same(np.maximum, LAYOUTS[one](array), other(array))
            assert same(lambda x, y: np.where(x > 2, x, y), LAYOUTS[one](array), other(array))
            assert same(lambda x, y: x**y, LAYOUTS[one](array), other(array))
            assert same(lambda x, y: x // (y + 1), LAYOUTS[one](array), other(array))
        assert same(lambda x: x**2, LAYOUTS[one](array))
        assert same(lambda x: x.astype("float32"), np.asarray(LAYOUTS[one](array)))
        assert same(abs, LAYOUTS[one](array))

    @given(st.permutations(range(4)), st.permutations(range(4)), st.lists(st.integers(1, 3), min_size=4, max_size=4))
    def test_axes_in_any_order(self, one: list[int], other: list[int], shape: list[int]) -> None:
        array = np.arange(np.prod(shape)).reshape(shape)
        turned = array.transpose(one).copy().transpose(np.argsort(one))
        same(BINARY["mul"], turned, array.transpose(other).copy().transpose(np.argsort(other)))
        same(lambda x: x.astype("float32"), turned)

    @rows("name", signatures.UNARY.split() + signatures.BINARY.split())
    def test_functions_are_what_they_are_for_few_elements(self, name: str) -> None:
        count = 2 if name in signatures.BINARY.split() else 1
        for dtype in DTYPES:
            operands = [xp.asarray(values(dtype, seed)) for seed in range(count)]
            for given_operands in (operands, [operands[0], 2][:count], [2, operands[0]][-count:]):
                results = []
                for large in (1, 1 << 40):
                    library_on("cpu").large = large
                    try:
                        with np.errstate(all="ignore"):
                            results.append(np.asarray(getattr(xp, name)(*given_operands)))
                    except (TypeError, ValueError, OverflowError) as error:
                        results.append(type(error))
                library_on("cpu").large = 1
                if isinstance(results[0], type):
                    assert results[0] is results[1]
                else:
                    assert results[0].dtype == results[1].dtype
                    np.testing.assert_array_equal(results[0], results[1])

    @rows("dtype", ["float32", "float64", "int64", "complex64"])
    def test_products_of_matrices(self, dtype: str) -> None:
        one, other = values(dtype), values(dtype, 1).T
        for operands in ((one, other), (other, one), (one, one.T), (one[::-1], other), (one, other.copy())):
            x, y = map(xp.asarray, operands)
            for result in (x @ y, xp.matmul(x, y), xp.dot(x, y)):
                assert result._native.base is not None  # memory of the pool
                np.testing.assert_array_equal(np.asarray(result), operands[0] @ operands[1])
        assert (xp.asarray(one) @ xp.asarray(other[:, 0])).shape == (3,)
        with pytest.raises(ValueError, match="mismatch"):
            xp.asarray(one) @ xp.asarray(one)

    def test_scalars_of_numpy_and_other_arrays_are_operands(self) -> None:
        array = values("float32")
        for other in (
            np.float64(2),
            np.int8(2),
            np.asarray(2.0),
            values("int16"),
            np.ma.masked_array(array, array > 2),
        ):
            for function in (BINARY["add"], BINARY["lt"]):
                np.testing.assert_array_equal(np.asarray(function(xp.asarray(array), other)), function(array, other))

    def test_warnings_and_errors_are_those_of_numpy(self) -> None:
        x = xp.asarray([1.0, 0.0])
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            1 / x
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            1 / x
        with pytest.raises(ValueError, match="broadcast"):
            x + xp.zeros(3)
        with pytest.raises(OverflowError):
            xp.asarray([1], dtype="uint8") + 300

    def test_empty_takes_every_spelling_of_a_shape(self) -> None:
        for shape in (3, (2, 3), [2, 3], (), (0, 2), np.int64(3), (np.int64(2), 3)):
            assert xp.empty(shape).shape == np.empty(shape).shape  # type: ignore[arg-type]
        assert xp.empty((2, 2), dtype="float32").dtype == np.float32
        for shape in (-1, (2, -1), (1.5,), "a"):
            with pytest.raises((TypeError, ValueError)):
                xp.empty(shape)  # type: ignore[arg-type]


@pytest.mark.usefixtures("small")
class TestMemory:
    def test_a_result_that_is_gone_gives_its_memory_to_the_next(self) -> None:
        x = xp.asarray(np.ones(1000))
        first = x + 1
        place = first.storage.pointer
        del first
        for compute in (lambda: x * 2, lambda: xp.sqrt(x), lambda: x.astype("int64"), lambda: xp.empty(1000), x.copy):
            assert compute().storage.pointer == place

    def test_a_result_in_use_keeps_it(self) -> None:
        x = xp.asarray(np.ones(1000))
        y = x + 1
        users = [y[3:], np.asarray(y)[::2], np.asarray(y).data, y.container(), np.from_dlpack(y), y.T.storage]  # type: ignore[arg-type]
        del y
        for user in users:
            for value in range(3):
                x * value
            assert np.asarray(user).reshape(-1)[0] == 2

    def test_a_view_shares_and_an_operand_does_not(self) -> None:
        x = xp.asarray(np.ones((10, 100))) + 0
        view, copy = x[2:], +x
        view[...] = 5
        assert x[2, 0] == 5
        assert copy[2, 0] == 1
        x.storage.release()
        with pytest.raises(accel.errors.ReleasedError):
            view + 1
        assert copy[2, 0] == 1

    def test_a_release_of_a_container_leaves_arrays_on_it_alone(self) -> None:
        container = accel.empty(1 << 12)
        container[:] = 3.0
        array = np.asarray(container)
        container.release()
        accel.empty(1 << 12)[:] = 4.0
        assert (array == 3).all()

    def test_memory_in_flight_is_not_used(self) -> None:
        sim = accel.new_stream("sim:0")
        x = xp.asarray(np.arange(1000.0)) * 1
        target = accel.empty(1000, device="sim:0")
        transfer = target.copy_from_async(x.container(), stream=sim)
        del x
        for _ in range(3):
            xp.asarray(np.zeros(1000)) * 1
        transfer.wait()
        assert (target.to_numpy() == np.arange(1000.0)).all()

    def test_a_snapshot_counts_what_is_kept(self) -> None:
        def kept() -> int:
            (usage,) = [each for each in accel.memory.snapshot().devices if each.device is accel.Device.CPU]
            return usage.reusable_bytes

        x = xp.asarray(np.ones(100_000))
        accel.memory.trim("cpu")
        y = x + 1
        before = kept()
        del y
        assert kept() - before >= x.nbytes
        assert accel.memory.trim("cpu") >= x.nbytes
        assert kept() <= before


def test_small_arrays_are_numpys_own() -> None:
    assert (xp.asarray(np.ones(1000)) * 2)._native.base is None


@rows("device", ["sim:0"])
def test_other_devices_have_memory_of_their_own(device: str) -> None:
    library = library_on(device)
    x = xp.ones(1 << 20, device=device)
    assert library.empty_array is None
    assert large_results.copied(library, x._native, x.dtype) is None
    assert (np.asarray((x * 2 + x).to_device("cpu")) == 3).all()
