"""NumPy's own functions and ufuncs, given arrays of ours: they return arrays of ours, or say why they cannot."""

import io

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import BoundsError, DeviceMismatchError, DTypeError, OverlapError, ReleasedError

from ..tables import rows

GIVEN = {
    "x": np.array([[3.0, -1.5, 2.0], [5.5, 2.5, -4.0], [0.5, 7.0, 1.0]]),
    "v": np.array([0.1, 0.5, 0.9]),
    "w": np.array([4.0, 2.0, 7.0]),
    "n": np.array([4, 0, 2]),
    "b": np.array([True, False, True]),
    "host": np.array([1.0, 2.0, 3.0]),
}
CALLS = """
np.concatenate([v, w]); np.concatenate((v, host)); np.concatenate([host, v]); np.block([[v], [w]]); np.fft.rfft2(x)
np.apply_along_axis(lambda row: row.sum(), 0, x); np.median(x, axis=1); np.ones(3, like=v); np.isscalar(v)
np.add(v, [1, 2, 3])
np.sin(v); np.add(v, 1); np.add(v, host); np.add(host, v); host * v; v - host; host < v; host @ x; x @ host
np.float64(2) * v; np.sqrt(v, dtype='float32')
np.modf(w); np.divmod(w, 3); np.frexp(w); np.add.reduce(x); np.add.reduce(x, axis=1); np.add.accumulate(v)
np.multiply.outer(v, w); np.add.reduceat(v, [0, 2]); np.add.reduceat(v, n[:2] % 3); np.maximum.reduce(x, axis=(0, 1))
np.add(v, 1, where=b, out=np.zeros(3)) * 1; np.array([v, w]); np.random.default_rng(0).permutation(v).sum()
np.vectorize(abs)(v); list(np.ndindex(np.shape(x)))[-1]
"""
FROM_NUMPY = ("np.array(", "np.random", "np.vectorize", "np.add(v, 1, where")
CASES = [each.strip() for each in CALLS.replace("\n", ";").split(";") if each.strip()]


def arrays(device="cpu"):
    return {
        name: values if name == "host" else xp.asarray(values, device=device, copy=True)
        for name, values in GIVEN.items()
    }


def same(result, expected, kind=xp.Array):
    if isinstance(expected, tuple | list):
        assert type(result) is type(expected)
        for one, other in zip(result, expected, strict=True):
            same(one, other, kind)
    elif isinstance(expected, np.ndarray | np.generic) and kind is xp.Array and type(result) not in (bool, int):
        assert type(result) is kind
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(np.asarray(result), expected)
    else:
        np.testing.assert_array_equal(result, expected)


@rows("case", CASES)
def test_the_result_is_that_of_numpy_as_arrays_of_ours(case):
    result, expected = eval(case, {"np": np}, arrays()), eval(case, {"np": np}, dict(GIVEN))
    same(result, expected, np.ndarray if case.startswith(FROM_NUMPY) else xp.Array)


class TestOut:
    def test_ours_and_numpys_are_returned(self):
        x = xp.asarray([1.5, 2.5])
        for target in (xp.zeros(2), np.zeros(2)):
            assert np.add(x, 1, out=target) is target
            assert np.cumsum(x, out=target) is target
            assert np.concatenate([x[:1], x[1:]], out=target) is target
            assert np.take(x, [1, 0], out=target) is target
            np.testing.assert_array_equal(target, [2.5, 1.5])
        target = before = np.ones(2)
        target += x
        assert target is before
        assert target.tolist() == [2.5, 3.5]

    def test_of_several_outputs(self):
        whole = xp.zeros(2)
        fraction, same_whole = np.modf(xp.asarray([1.5, 2.25]), out=(None, whole))
        assert same_whole is whole
        np.testing.assert_array_equal(fraction, [0.5, 0.25])

    @pytest.mark.parametrize(
        "write",
        [
            lambda x: np.add(x, 1, out=x),
            lambda x: np.add.at(x, [0], 1),
            lambda x: np.cumsum(x, out=x),
            lambda x: np.copyto(x, 1),
            lambda x: np.put(x, [0], 1),
            lambda x: np.fill_diagonal(x[:, None], 1),
        ],
    )
    def test_read_only_memory_is_not_written(self, write):
        one = xp.ones(1)
        with pytest.raises(OverlapError, match="write to a copy"):
            write(xp.broadcast_to(one, (3,)))
        assert one[0] == 1

    def test_functions_that_write_to_their_argument(self):
        x = xp.zeros(3)
        np.copyto(x, [1, 2, 3])
        np.put(x, [0], 9)
        np.putmask(x, x == 2, 7)
        np.testing.assert_array_equal(x, [9, 7, 3])
        np.add.at(x, xp.asarray([0, 0]), 1)
        assert x[0] == 11


class TestRefusals:
    def test_dtypes_that_no_array_has(self):
        for make in (
            lambda x: np.add(x, np.longdouble(1)),
            lambda x: np.equal(x, [None], dtype=object),
            lambda x: np.concatenate([x, np.array([None])]),
            lambda x: np.astype(x, "U3"),
        ):
            with pytest.raises(DTypeError):
                make(xp.ones(1))

    def test_indices_outside(self):
        with pytest.raises(BoundsError):
            np.take(xp.ones(3), [7])
        with pytest.raises(BoundsError):
            np.add.at(xp.ones(3), [7], 1)

    def test_other_errors_are_those_of_numpy(self):
        with pytest.raises(ValueError, match="dimensions"):
            np.concatenate([xp.ones(3), xp.ones((2, 2))])
        with pytest.raises(np.linalg.LinAlgError):
            np.linalg.inv(xp.zeros((2, 2)))


class TestStrangers:
    def test_get_their_turn(self):
        class Stranger:
            def __array_ufunc__(self, function, method, *inputs, **keywords):
                return [type(each) for each in inputs]

            def __array_function__(self, function, types, arguments, keywords):
                return "theirs"

        assert np.add(xp.ones(2), Stranger()) == [xp.Array, Stranger]
        assert np.concatenate([xp.ones(2), Stranger()]) == "theirs"

    def test_without_a_rule_are_refused(self):
        class Stranger:
            __array_ufunc__ = None

            def __array_function__(self, function, types, arguments, keywords):
                return NotImplemented

        with pytest.raises(TypeError):
            np.add(xp.ones(2), Stranger())
        with pytest.raises(TypeError, match="no implementation found"):
            np.concatenate([xp.ones(2), Stranger()])

    def test_masked_arrays_stay_masked(self):
        masked = np.ma.masked_array([1.0, 2.0], [True, False])
        assert isinstance(np.add(xp.ones(2), masked), np.ma.MaskedArray)


class TestFiles:
    def test_arrays_are_saved(self, tmp_path):
        x = xp.asarray([[1.0, 2.0]])
        np.save(tmp_path / "x.npy", x)
        np.savez(tmp_path / "x.npz", first=x)
        text = io.StringIO()
        np.savetxt(text, x)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), x)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npz")["first"], x)
        np.testing.assert_array_equal(np.loadtxt(io.StringIO(text.getvalue()), ndmin=2), x)


class TestDevices:
    @pytest.mark.parametrize(
        "use",
        [
            np.spacing,
            lambda x: np.apply_along_axis(np.sum, 0, x),
            lambda x: np.add(np.ones(2), x),
            lambda x: np.ones(2) * x,
            lambda x: np.add(np.ones(2), 1, out=x),
            lambda x: np.add.at(x, 0, np.ones(2)),
        ],
    )
    def test_numpy_cannot_read_a_device(self, sim, use):
        x = xp.ones(2, device=sim)
        with pytest.raises(DeviceMismatchError, match=r"NumPy's \w+ cannot read it there; write x\.to_device\('cpu'\)"):
            use(x)

    def test_facts_are_known_without_reading(self, sim):
        x = xp.ones((2, 3), dtype="float32", device=sim)
        assert (np.ndim(x), np.shape(x), np.size(x), np.size(x, 0), np.iscomplexobj(x)) == (2, (2, 3), 6, 2, False)
        assert np.result_type(x, np.int8) == np.float32

    def test_arrays_of_two_devices(self, sim):
        x, y = xp.ones(2), xp.ones(2, device=sim)
        for mix in (lambda: np.add(x, y), lambda: np.concatenate([x, y])):
            with pytest.raises(DeviceMismatchError, match=r"on cpu and sim"):
                mix()


class TestCopiesToTheHost:
    """The setting ``host_copies``."""

    @pytest.mark.parametrize(
        "use",
        [
            np.sin,
            np.add.reduce,
            np.median,
            lambda x: np.stack([x, x]),
            lambda x: np.add(np.ones(2), x),
            lambda x: np.ones(2) * x,
            lambda x: np.ones(2, like=x),
            np.linalg.norm,
        ],
    )
    def test_results_are_on_the_device_again(self, sim, use):
        x = xp.asarray([0.5, 2.0], device=sim)
        with accel.using(host_copies="allow"):
            result = use(x)
        assert (type(result), result.device) == (xp.Array, sim)
        np.testing.assert_array_equal(result.to_device("cpu"), use(np.array([0.5, 2.0])))

    def test_what_is_written_is_copied_back(self, sim):
        x, out = xp.asarray([0.5, 2.0], device=sim), xp.zeros(2, device=sim)
        with accel.using(host_copies="allow"):
            assert np.add(x, 1, out=out) is out
            assert out.tolist() == [1.5, 3.0]
            assert np.cumsum(x, out=out) is out
            np.add.at(x, [0, 0], 1)
            np.copyto(out[:1], 9)
        assert (x.tolist(), out.tolist()) == ([2.5, 2.0], [9.0, 2.5])


WRITES_ITSELF = {
    "at": lambda x: np.add.at(x, [0, 1, 2, 3], x),
    "place": lambda x: np.place(x, x > 2, x),
    "put": lambda x: np.put(x, [3, 2, 1, 0], x),
    "put_along_axis": lambda x: np.put_along_axis(x, np.argsort(x), x, -1),
}


@pytest.mark.parametrize("name", WRITES_ITSELF)
@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_an_array_is_written_from_itself(name, device):
    values = np.asarray([5.0, 1.0, 3.0, 2.0])
    x = xp.asarray(values, device=device, copy=True)
    with accel.using(host_copies="allow"):
        WRITES_ITSELF[name](x)
    WRITES_ITSELF[name](values)
    assert x.tolist() == values.tolist()


def test_masks_are_kept():
    x, masked = xp.ones(3), np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])
    for result in (x + masked, masked + x, x == masked):
        assert np.ma.getmaskarray(result).tolist() == [False, True, False]
    with pytest.raises(TypeError, match="MaskedArray"):
        x[...] = masked


def test_a_view_made_by_numpy_knows_of_a_release():
    container = accel.zeros(5)
    view = np.lib.stride_tricks.sliding_window_view(xp.asarray(container), 2)
    container.release()
    with pytest.raises(ReleasedError):
        view + 1


def test_an_array_that_a_function_returns_unchanged_is_the_same_object():
    x = xp.ones((2, 3))
    assert np.atleast_2d(x) is x
    assert [result is x for result in np.atleast_1d(x, x)] == [True, True]
