"""The methods and attributes of NumPy's arrays, compared with NumPy."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import accel
from accel import xp
from accel.errors import BoundsError, CapabilityError, DeviceMismatchError, DTypeError, OverlapError, ReleasedError
from accel.xp.calls import method
from accel.xp.methods import Methods

from ..tables import rows

VALUES = np.array([[3.0, -1.5, 2.0, 0.0], [5.5, 2.5, -4.0, 1.0], [0.0, 7.0, 1.0, -2.0]])
SORTED = np.array([1.0, 2.0, 4.0, 8.0])
GIVEN = {
    "x": VALUES,
    "v": VALUES[1],
    "s": SORTED,
    "n": np.array([[4, 0, 2], [7, 1, -3]]),
    "i": np.array([2, 0]),
    "z": VALUES * (1 + 2j),
    "t": np.arange(24.0).reshape(2, 3, 4),
    "b": VALUES > 1,
    "one": VALUES[:1, :1],
}
CALLS = """
x.T; t.T; v.T; x.real; z.real; z.imag; x.imag; x.itemsize; x.strides; x.T.strides; x.nbytes
x.all(); b.all(1); b.all(axis=0, keepdims=True); b.any(); b.any(0); b.any(axis=(0, 1))
x.argmax(); x.argmax(1); x.argmax(axis=0, keepdims=True); x.argmin(); x.argmin(0)
x.max(); x.max(1); x.max(axis=0, keepdims=True); x.min(); x.min(0); x.min(axis=(0, 1), keepdims=True)
x.mean(); x.mean(0); n.mean(1, 'float32'); x.prod(); x.prod(1); n.prod(dtype='float64')
x.sum(); x.sum(0); x.sum(1, 'float32'); x.sum(axis=(0, 1)); n.sum(1, keepdims=True); b.sum()
x.std(); x.std(1); x.std(ddof=1); x.std(0, ddof=1, keepdims=True); x.var(); x.var(0, ddof=1); x.var(1, 'float32')
x.trace(); x.trace(1); t.trace(0, 1, 2); n.trace(dtype='float64')
x.argsort(kind='stable'); x.argsort(0, 'stable'); x.argsort(axis=None, kind='stable');
n.argsort(kind='stable'); v.argpartition(1)[1]
x.compress([True, False, True], 0); v.compress([0, 1, 1]); x.diagonal(); x.diagonal(1); t.diagonal(0, 1, 2)
x.nonzero(); b.nonzero(); x.repeat(2); x.repeat(2, 1); x.repeat([1, 0, 2], axis=0); v.repeat(2)
s.searchsorted(3.0); s.searchsorted(v); s.searchsorted(v, 'right');
s.searchsorted(v, sorter=s.argsort())
x.take([0, -1]); x.take(i, 0); x.take(i, axis=1); x.take([[0, 1], [2, 0]], 0); x.take(5)
x.flatten(); x.flatten('F'); x.T.ravel(); x.ravel(); x.ravel('F'); x.T.ravel('F')
x.reshape(2, 6); x.reshape((2, 6)); x.reshape([4, -1]); x.reshape(-1); x.reshape(2, -1, order='F');
t.reshape(3, 8, order='F')
x.T.reshape(-1); x.T.reshape(2, 6); t.reshape(-1, 4); one.reshape(()); x.reshape(-1, order='F')
one.squeeze(); one.squeeze(0); one.squeeze(axis=(0, 1)); x.squeeze(); t.swapaxes(0, 2); x.swapaxes(0, 1)
x.transpose(); t.transpose(1, 0, 2); t.transpose((2, 0, 1)); t.transpose([2, 0, 1]); t.transpose(None)
x.astype('float32'); x.astype(int); x.astype(bool); n.astype(complex); x.astype(np.float32, copy=False)
x.clip(0, 2); x.clip(min=0); x.clip(max=1.5); x.clip(v, 6); n.clip(0, None); z.conj(); x.conj(); b.conj(); z.conjugate()
x.copy(); x.T.copy(); x.cumprod(); x.cumprod(1); x.cumsum(); x.cumsum(0); n.cumsum(1, 'float32')
x.dot(v); v.dot(v); x.dot(x.T); v.dot(2); x.round(); x.round(1); (x / 3).round(decimals=2)
x.view('int64'); x.view(np.int64); z.view('float64'); x.view()
x.item(0); x.item(-1); x.item(1, 2); x.item((1, 2)); one.item(); n.item(4); b.item(1); z.item(3)
x.tolist(); n.tolist(); b.tolist(); x.sum().tolist(); x.tobytes(); x.T.tobytes(); x.tobytes('F'); n[0].tobytes()
2.5 in x; 2.25 in x; 7 in n; (1 in v) or (9 in v); divmod(x, 2); divmod(7.0, s); divmod(v, s); round(s[1])
len(x); [row.sum() for row in x]; list(reversed(s)); x[0, 1].item(); np.float64(2) * x; 2 * x; np.float32(3) - x
x.clip(np.float32(0), 2); n.clip(np.int8(1)); n.clip(np.float32(1.5)); n.clip(np.array(1), np.int64(3))
x.sum(initial=1.0); x.max(initial=10.0); x.mean(where=x > 0)
n.byteswap().tolist(); x.T.byteswap().tobytes(); z.byteswap().tobytes(); b.byteswap(); x.sum().byteswap();
t[:0].byteswap()
i.choose([v[:2], v[1:3], v[2:]]); (n % 3).choose([n, -n, n]); n.choose([n, -n], mode='clip'); i.choose(x[:, :2])
"""


def same(result, expected):
    if isinstance(expected, tuple | list) and not isinstance(result, np.ndarray):
        assert type(result) is type(expected)
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            same(one, other)
    elif isinstance(expected, np.ndarray | np.generic) and not isinstance(result, bool | int | float):
        assert type(result) is xp.Array
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(result.to_device("cpu"), expected)
    else:
        assert type(result) is type(expected) or isinstance(expected, np.generic)
        assert result == expected


@rows("call", [each.strip() for each in CALLS.replace("\n", ";").split(";") if each.strip()])
def test_the_result_is_that_of_numpy(call, device):
    ours = {name: xp.asarray(values, device=device) for name, values in GIVEN.items()}
    same(eval(call, {"np": np}, ours), eval(call, {"np": np}, dict(GIVEN)))


def test_every_method_is_called_above():
    public = {name for name in vars(Methods) if not name.startswith("_")}
    assert {name for name in public if f".{name}" not in CALLS} == {
        *("dump", "dumps", "fill", "partition", "put", "shape", "sort", "to_numpy", "tofile"),
    }


def test_to_numpy_makes_a_new_array():
    x = xp.asarray(VALUES.T, copy=True)
    values = x.to_numpy()
    assert type(values) is np.ndarray
    values[...] = 0
    np.testing.assert_array_equal(x, VALUES.T)
    assert not np.shares_memory(values, np.asarray(x))


METHODS = [name for name in vars(Methods) if not name.startswith("_") and callable(getattr(xp.Array, name))]


@rows("name", [name for name in METHODS if hasattr(np, name) and name != "clip"])
def test_positional_parameters_are_those_of_numpy(name):
    """NumPy's methods have no signatures; its functions have the same parameters after the array."""
    ours, theirs = (inspect.signature(getattr(home, name)).parameters for home in (xp.Array, np))
    result = [each.name for each in ours.values() if each.kind is each.POSITIONAL_OR_KEYWORD][1:]
    expected = [each for each in list(theirs)[1:] if each not in ("kind", "order", "copy")]
    result = [each for each in result if each not in ("kind", "order", "casting", "subok")]
    assert result == expected[: len(result)] or name in ("compress", "astype", "put")


@rows("name", METHODS)
def test_methods_say_what_they_do(name):
    assert getattr(xp.Array, name).__doc__.partition("\n")[0].endswith((".", "``."))


def test_a_method_that_the_library_lacks_is_refused(device):
    with pytest.raises(CapabilityError, match=r"has no method unknown; compute it on the host, with x\.to_device"):
        method(xp.ones(2, device=device), "unknown")


def test_rounding(device):
    x = xp.asarray(VALUES / 3, device=device)
    same(round(x, 1), np.round(VALUES / 3, 1))
    assert (round(x[0, 1]), type(round(x[0, 1]))) == (0, int)


class TestInPlace:
    def test_sort(self, device):
        for axis in (-1, 0):
            x, expected = xp.asarray(VALUES, device=device, copy=True), VALUES.copy()
            assert x.sort(axis) is None
            expected.sort(axis)
            same(x, expected)

    def test_sort_in_descending_order(self, device):
        for axis in (-1, 0):
            x = xp.asarray(VALUES, device=device, copy=True)
            same(x.argsort(axis, descending=True), np.argsort(-VALUES, axis, kind="stable"))
            x.sort(axis, descending=True)
            same(x, -np.sort(-VALUES, axis))

    def test_partition(self, device):
        x = xp.asarray(VALUES, device=device, copy=True)
        assert x.partition(1) is None
        same(x[:, 1], np.sort(VALUES)[:, 1])

    def test_fill(self, device):
        x = xp.asarray(VALUES, device=device, copy=True)
        x[1].fill(8)
        same(x.sum(1), np.array([3.5, 32.0, 6.0]))

    def test_read_only_memory_is_not_sorted(self, device):
        x = xp.broadcast_to(xp.ones(1, device=device), (3,))
        for change in (x.sort, lambda: x.fill(1), lambda: x.partition(1)):
            with pytest.raises(OverlapError, match="write to a copy"):
                change()

    def test_views_write_to_the_array(self, device):
        x = xp.asarray(VALUES, device=device, copy=True)
        for view in (x.T, x.ravel(), x.reshape(4, 3), x.view(), x.swapaxes(0, 1), x.transpose(1, 0), x.reshape(-1)):
            view[...] = 0.0
            assert not x.any()
            x[...] = xp.asarray(VALUES, device=device)
        for duplicate in (x.copy(), x.flatten(), x.astype("float64"), x.T.ravel()):
            duplicate[...] = 0.0
            same(x, VALUES)

    def test_parts_of_complex_numbers_are_views(self, device):
        z = xp.asarray(GIVEN["z"], device=device, copy=True)
        z.imag[...] = 0.0
        same(z, VALUES + 0j)


class TestShape:
    def test_is_set_and_other_arrays_on_the_memory_keep_theirs(self, device):
        values = np.arange(12.0)
        x = xp.asarray(values, device=device)
        other, storage = x[:], x.storage
        x.shape = 3, -1
        same(x, values.reshape(3, 4))
        assert (other.shape, values.shape, x.storage is storage) == ((12,), (12,), True)
        x[1, 0] = 99
        assert other[4] == 99
        x.shape = 12
        same(x, np.asarray(other.to_device("cpu")))

    def test_of_what_only_a_copy_can_have_is_refused_as_numpy_does(self, device):
        x = xp.ones((4, 4), device=device)[:, :2]
        with pytest.raises(
            AttributeError, match=r"shape \(8,\) needs a copy: .* \(4, 2\).* write x = x\.reshape\(\(8,\)\)"
        ):
            x.shape = (8,)
        x.shape = 2, 2, 2
        assert x.shape == (2, 2, 2)

    def test_of_a_number_and_of_no_elements(self, device):
        total, none = xp.sum(xp.ones(3, device=device)), xp.zeros((0, 3), device=device)
        total.shape = none.shape = (-1, 1)
        assert (total.tolist(), none.shape) == ([[3.0]], (0, 1))


class TestOut:
    def test_is_written_and_returned(self, device):
        x, target = xp.asarray(VALUES, device=device), xp.zeros(4, device=device)
        assert x.sum(0, out=target) is target
        same(target, VALUES.sum(0))
        assert x.take([3, 0, 1, 1], out=target) is target
        same(target, VALUES.take([3, 0, 1, 1]))

    def test_has_the_shape_of_the_result(self, device):
        x, target = xp.asarray(VALUES, device=device), xp.zeros((2, 4), device=device)
        with pytest.raises(ValueError, match=r"out has shape \(2, 4\), and the result has \(4,\); write"):
            x.sum(0, out=target)
        assert not target.any()

    def test_holds_the_kind_of_the_result(self, device):
        with pytest.raises(DTypeError, match="float64 values do not fit an array of int64"):
            xp.asarray(VALUES, device=device).sum(0, out=xp.zeros(4, dtype="int64", device=device))

    @pytest.mark.parametrize("wrong", ["float32", 3, [0.0] * 4, (1, 2), object()])
    def test_is_an_array(self, wrong, device):
        x = xp.asarray(VALUES, device=device)
        calls = [
            lambda: x.all(0, wrong),
            lambda: x.sum(0, out=wrong),
            lambda: x.take([0], out=wrong),
            lambda: x.clip(0, out=wrong),
            lambda: x.std(0, out=wrong),
            lambda: xp.median(x, out=wrong),
            lambda: xp.cumsum(x, out=wrong),
            lambda: xp.nanmax(x, 0, out=wrong),
            lambda: np.sum(x, 0, out=wrong),
            lambda: np.median(x, 0, out=wrong),
            lambda: np.add(x, x, out=wrong),
        ]
        for call in calls:
            with pytest.raises((TypeError, ValueError)):
                call()


class TestRefusals:
    def test_an_item_of_several(self, device):
        with pytest.raises(ValueError, match=r"this array has shape \(3,\); write x\.item\(index\)"):
            xp.ones(3, device=device).item()
        with pytest.raises(BoundsError, match=r"item 3 of 3; the array's shape is \(3,\)"):
            xp.ones(3, device=device).item(3)

    def test_casts(self, device):
        with pytest.raises(TypeError, match="float64 is not cast to int64 with casting='safe'; write casting='unsafe'"):
            xp.ones(3, device=device).astype("int64", casting="safe")
        with pytest.raises(DTypeError, match=r"only without its imaginary part; write xp\.real"):
            xp.asarray(1j, device=device).astype(float)
        with pytest.raises(DTypeError):
            xp.ones(3, device=device).astype("U3")
        with pytest.raises(DTypeError):
            xp.ones(3, device=device).view("O")

    def test_shapes_and_indices(self, device):
        x = xp.ones((2, 3), device=device)
        with pytest.raises(ValueError, match="reshape"):
            x.reshape(4, -1)
        with pytest.raises((ValueError, IndexError)):
            x.sum(2)
        with pytest.raises(BoundsError):
            x.take([7])


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (2, 0, 1)])
def test_orders_of_elements_are_those_of_numpy(order, axes, device):
    values = np.arange(24.0).reshape(2, 3, 4)
    x, values = xp.permute_dims(xp.asarray(values, device=device), axes), values.transpose(axes)
    np.testing.assert_array_equal(x.ravel(order).tolist(), values.ravel(order).tolist())
    np.testing.assert_array_equal(x.flatten(order).tolist(), values.flatten(order).tolist())
    if order != "K":
        assert x.copy(order).strides == values.copy(order).strides
        assert x.reshape(6, 4, order=order).tolist() == values.reshape(6, 4, order=order).tolist()


@pytest.mark.parametrize("mode", ["r", "raw"])
def test_a_qr_decomposition_has_two_factors(mode, device):
    x = xp.eye(2, device=device)
    with pytest.raises(ValueError, match="'reduced', 'complete'"):
        xp.linalg.qr(x, mode=mode)


def test_reductions_take_the_parameters_of_numpy():
    values = np.arange(6.0).reshape(2, 3)
    x = xp.asarray(values, copy=True)
    for name in ("all", "any", "max", "mean", "min", "prod", "std", "sum", "var"):
        ours, theirs = getattr(x, name), getattr(values, name)
        np.testing.assert_array_equal(ours(0), theirs(0))
        np.testing.assert_array_equal(ours(axis=(0, 1), keepdims=True), theirs(axis=(0, 1), keepdims=True))
        out = xp.zeros(2, dtype=theirs(1).dtype)
        assert ours(1, out=out) is out
        np.testing.assert_array_equal(out, theirs(1))
    np.testing.assert_array_equal(x.std(ddof=1), values.std(ddof=1))
    np.testing.assert_array_equal(x.sum(initial=3.0), values.sum(initial=3.0))
    assert x.sum(dtype="float32").dtype == np.float32


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_casts_have_the_order_of_numpy(order, dtype, device):
    for values in (VALUES, np.asfortranarray(VALUES), VALUES[:, ::2], VALUES.T[::-1]):
        x = xp.asarray(values, device=device)
        for copy in (False, True):
            found, expected = x.astype(dtype, order=order, copy=copy), values.astype(dtype, order=order, copy=copy)
            same(found, expected)
            if order in "CF" or (order == "A" and device == accel.Device.CPU):
                for flag in ("c_contiguous", "f_contiguous", "writeable"):
                    assert getattr(found.flags, flag) == getattr(expected.flags, flag)
            if device == accel.Device.CPU:  # a copy to another device is in C order
                assert (found is x) == (expected is values)


def test_flags_are_those_of_numpy(device):
    for values in (VALUES, VALUES.T, VALUES[:, ::2], VALUES[0], np.zeros((0, 3)), np.broadcast_to(1.0, (2, 2))):
        x = xp.asarray(values, device=device)
        names = ("aligned", "c_contiguous", "f_contiguous", "contiguous", "forc")
        if device == accel.Device.CPU or values.flags.c_contiguous:  # elsewhere a copy need not have the strides
            assert [getattr(x.flags, name) for name in names] == [getattr(values.flags, name) for name in names]
        assert x.flags["C_CONTIGUOUS"] == x.flags.c_contiguous


def test_views_of_bytes_are_of_numpy():
    x = xp.asarray(VALUES, copy=True)
    view = x.view("V8")
    assert (type(view), view.dtype, view.shape) == (np.ndarray, np.dtype("V8"), VALUES.shape)
    assert np.array_equal(view, VALUES.view("V8"))
    x.view([("low", "u4"), ("high", "u4")])["low"] = 0
    same(x.view("uint64") & 0xFFFFFFFF, np.zeros(VALUES.shape, "uint64"))
    there = xp.asarray(VALUES, device="sim")
    with pytest.raises(DeviceMismatchError, match=r"write x\.to_device"):
        there.view("V8")


def test_means_in_a_dtype(device):
    x = xp.asarray(GIVEN["n"], device=device)
    for dtype in (None, "float32", "complex64"):
        same(xp.mean(x, dtype=dtype), np.mean(GIVEN["n"], dtype=dtype))
        same(xp.mean(x, 0, dtype), np.mean(GIVEN["n"], 0, dtype))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of no elements, and of infinities
@given(arrays(st.sampled_from(("float64", "float32", "int64", "bool")), array_shapes(min_dims=0, min_side=0)))
def test_means_have_the_bits_of_numpy(values):
    x = xp.asarray(values, copy=True)
    for keepdims in (False, True):
        expected = np.asarray(values.mean(keepdims=keepdims))
        for result in (x.mean(keepdims=keepdims), xp.mean(x, keepdims=keepdims)):
            found = np.asarray(result)
            assert (found.dtype, found.shape, found.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())


def test_methods_refuse_memory_that_was_released(device):
    x, index = xp.ones(3, device=device), xp.asarray([0], device=device)
    x.storage.release()
    for call in (
        *(x.sum, x.mean, x.copy, x.squeeze, x.nonzero, x.transpose, x.flatten, x.argsort, lambda: x.T),
        *(lambda: x.astype(float), lambda: x.reshape(3), lambda: x.item(0), lambda: x.clip(0, 1)),
        *(lambda: x.take(index), lambda: x.repeat(2)),
    ):
        with pytest.raises(ReleasedError):
            call()
