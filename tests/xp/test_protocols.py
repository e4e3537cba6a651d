"""The protocols of Python, NumPy, DLPack and the array standard that an array implements."""

import copy
import pickle

import numpy as np
import pytest

from accel import xp
from accel.errors import DTypeError, InterchangeError


class TestNumbers:
    @pytest.mark.parametrize("value", [True, 3, 2.5, 0, 0.0])
    def test_arrays_of_no_axes_become_numbers(self, value):
        x = xp.asarray(value)
        assert [kind(x) for kind in (bool, int, float, complex)] == [
            kind(value) for kind in (bool, int, float, complex)
        ]
        assert [type(kind(x)) for kind in (bool, int, float, complex)] == [bool, int, float, complex]

    def test_an_integer_is_an_index_and_a_complex_number_stays_one(self):
        assert [10, 20][xp.asarray(1, dtype=xp.uint8)] == 20
        assert complex(xp.asarray(1j)) == 1j

    @pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
    @pytest.mark.parametrize("value", [0, 1, 2.5, 1j, False])
    def test_one_element_has_a_truth(self, shape, value, device):
        assert bool(xp.full(shape, value, device=device)) is bool(np.full(shape, value))

    def test_format(self):
        assert f"{xp.asarray(2.5):.2f}" == "2.50"
        assert f"{xp.ones(2)}" == str(xp.ones(2))
        assert f"{xp.asarray(2.5)}" == "2.5"
        with pytest.raises(ValueError, match="format"):
            format(xp.ones(2), ".2f")


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (xp.asarray([1.0, 2.5]), "Array([1. , 2.5], dtype=float64, device=cpu)"),
        (xp.asarray([[1, 2], [3, 4]]), "Array([[1, 2],\n       [3, 4]], dtype=int64, device=cpu)"),
        (xp.asarray(True), "Array(True, dtype=bool, device=cpu)"),
        (xp.zeros((0, 3)), "Array([], shape=(0, 3), dtype=float64, device=cpu)"),
        (xp.asarray([1.5], dtype="bfloat16"), "Array([1.5], dtype=bfloat16, device=cpu)"),
    ],
)
def test_repr(x, text):
    assert repr(x) == text
    assert str(x) == (text if x.ndim else f"{x.item()}")  # a number, as of NumPy's scalars


class TestAttributes:
    def test_transposes(self):
        values = np.arange(24).reshape(2, 3, 4)
        np.testing.assert_array_equal(np.asarray(xp.asarray(values).mT), values.mT)
        np.testing.assert_array_equal(np.asarray(xp.asarray(values[0]).T), values[0].T)

    @pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4)])
    def test_the_transpose_has_the_axes_in_reverse_order(self, shape):
        assert xp.ones(shape).T.shape == shape[::-1]

    def test_the_dtype_is_one_of_numpy(self):
        x = xp.ones(3)
        assert isinstance(x.dtype, np.dtype)
        assert x.dtype == xp.float64

    def test_arrays_are_made_by_functions(self):
        with pytest.raises(TypeError, match="takes no arguments"):
            xp.Array([1, 2])


class TestCopies:
    @pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    @pytest.mark.parametrize("dtype", ["float32", "bool", "complex64", "bfloat16"])
    def test_have_memory_of_their_own(self, again, dtype):
        x = xp.ones((2, 3), dtype=dtype)
        y = again(x)
        assert type(y) is xp.Array
        assert (y.dtype, y.shape, y.device) == (x.dtype, x.shape, x.device)
        y[0, 0] = False
        assert xp.all(x == 1)
        assert not y[0, 0]


class TestInfo:
    info = xp.__array_namespace_info__()

    def test_devices(self):
        assert self.info.default_device() is xp.Device.CPU
        assert xp.Device.CPU in self.info.devices()

    def test_capabilities_hold(self):
        result = self.info.capabilities()
        most = result["max dimensions"]
        assert xp.ones((1,) * most).ndim == most
        with pytest.raises(ValueError, match="dimension"):
            xp.ones((1,) * (most + 1))
        assert result["boolean indexing"]
        assert result["data-dependent shapes"]

    def test_default_dtypes_hold(self):
        result = {
            "real floating": xp.ones(1),
            "complex floating": xp.asarray(1j),
            "integral": xp.arange(1),
            "indexing": xp.argmax(xp.ones(1)),
        }
        assert self.info.default_dtypes(device="cpu") == {kind: x.dtype for kind, x in result.items()}

    def test_dtypes(self, strict):
        theirs = strict.__array_namespace_info__()
        for kind in (None, "bool", "integral", "real floating", "numeric", ("bool", "unsigned integer")):
            assert set(self.info.dtypes(kind=kind)) == set(theirs.dtypes(kind=kind))
        for name, dtype in self.info.dtypes(device="cpu").items():
            assert getattr(xp, name) == dtype
            assert xp.zeros(1, dtype=dtype).dtype == dtype


class TestDtypes:
    def test_promotion_takes_arrays_numbers_and_dtypes(self):
        x = xp.ones(3, dtype=xp.float32)
        assert xp.result_type(x, 1, 2.5) == xp.float32
        assert xp.result_type(xp.int8, "int16", x.dtype) == xp.float32
        assert xp.result_type(x, np.float64(1)) == xp.float64
        assert xp.result_type("bfloat16").name == "bfloat16"

    @pytest.mark.parametrize("numbers", [(), (1,), (1, 2.0)])
    def test_promotion_of_numbers_alone_is_refused(self, numbers):
        with pytest.raises(ValueError, match="at least one array or dtype is needed"):
            xp.result_type(*numbers)

    @pytest.mark.parametrize("value", [None, [1], "no dtype", object], ids=str)
    def test_promotion_of_anything_else_is_refused(self, value):
        with pytest.raises(DTypeError):
            xp.result_type(xp.float32, value)
        with pytest.raises(DTypeError):
            xp.can_cast(value, xp.float32)

    @pytest.mark.parametrize("dtype", [xp.float32, "float64", xp.complex64, xp.ones(1)], ids=str)
    def test_limits_are_numbers_of_python(self, dtype):
        result = xp.finfo(dtype)
        assert {type(result.eps), type(result.max), type(result.min), type(result.smallest_normal)} == {float}
        assert type(result.bits) is int

    def test_the_name_bool_does_not_hide_that_of_python(self):
        assert type(xp.isdtype(xp.int8, "integral")) is bool
        assert type(xp.can_cast(xp.int8, xp.int16)) is bool
        assert xp.bool is np.bool_


class TestFunctions:
    def test_arrays_of_numpy_are_operands(self):
        result = xp.where(np.asarray([True, False]), xp.ones(2), np.zeros(2))
        assert type(result) is xp.Array
        assert np.asarray(result).tolist() == [1.0, 0.0]
        joined = xp.concat([xp.ones(1), np.zeros(2)])
        assert type(joined) is xp.Array
        assert joined.tolist() == [1.0, 0.0, 0.0]

    @pytest.mark.parametrize(
        "call",
        [
            xp.sum,
            xp.argmax,
            xp.count_nonzero,
            xp.linalg.det,
            xp.linalg.vector_norm,
            xp.linalg.matrix_rank,
            lambda x: xp.linalg.slogdet(x).sign,
            xp.mean,
            xp.all,
            lambda x: xp.unstack(x[0, :])[0],
            lambda x: x[0, 0] + 1,
            lambda x: -x[0, 0],
            lambda x: x[0, 0] == 1,
            lambda x: x.std(),
            np.sum,
            lambda x: x[0].dot(x[1]),
        ],
    )
    def test_results_of_no_axes_are_arrays(self, call):
        result = call(xp.eye(3))
        assert type(result) is xp.Array
        assert result.shape == ()


class TestNumpy:
    def test_asarray_shares(self):
        x = xp.zeros(3)
        np.asarray(x)[1] = 5
        assert x[1] == 5
        assert np.array(x, dtype=np.float32, copy=True).dtype == np.float32
        with pytest.raises(ValueError, match="copy"):
            np.array(x, dtype=np.float32, copy=False)


class TestDlpack:
    @pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "complex128", "bool"])
    def test_numpy_shares_it(self, dtype):
        x = xp.zeros((2, 3), dtype=dtype)
        values = np.from_dlpack(x)
        x[0, 1] = True
        assert values[0, 1]
        assert x.__dlpack_device__() == (1, 0)

    @pytest.mark.parametrize("view", [np.s_[::-1], np.s_[:, ::-1], np.s_[::-1, ::2]])
    def test_elements_in_reverse_order_are_copied(self, view):
        x = xp.reshape(xp.arange(12), (3, 4))[view]
        values = np.from_dlpack(x)
        assert min(values.strides) > 0
        np.testing.assert_array_equal(values, np.asarray(x))
        with pytest.raises(InterchangeError, match="write copy=None"):
            x.__dlpack__(copy=False)

    def test_copies(self):
        x = xp.zeros(3)
        np.from_dlpack(x, copy=True)[0] = 1
        assert x[0] == 0

    def test_read_only_memory(self):
        x = xp.broadcast_to(xp.ones(3), (2, 3))
        assert not np.from_dlpack(x).flags.writeable
        with pytest.raises(BufferError, match="readonly"):
            x.__dlpack__()

    def test_what_cannot_be_carried(self):
        with pytest.raises(BufferError):
            xp.ones(3).__dlpack__(dl_device=(2, 0))
