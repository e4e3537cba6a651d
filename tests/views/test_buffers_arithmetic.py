"""Arithmetic of buffers is NumPy's, except that an operand of one axis has one value for each row."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import accel
from accel.dtypes import as_dtype
from accel.errors import DeviceMismatchError, DTypeError, LayoutError, OverlapError
from accel.views import Buffer, BufferView, NDBuffer

DEVICES = ["cpu", "sim"]
QUICK = settings(max_examples=80, deadline=None, database=None)
EXACT = {"+": (operator.add, operator.iadd), "-": (operator.sub, operator.isub), "*": (operator.mul, operator.imul)}
OPERATIONS = {**EXACT, "/": (operator.truediv, operator.itruediv)}
MODELS = {"+": np.add, "-": np.subtract, "*": np.multiply}


def model_of(sign, one, other):
    if sign != "/":
        return MODELS[sign](one, other)
    return (np.floor_divide if one.dtype.kind in "iu" else np.true_divide)(one, other)


def buffer_of(values, device):
    return NDBuffer(accel.container(values, device=device), values.shape)


@st.composite
def operands(draw):
    """Draw a left array, and a right operand without zeros: of the same shape, one value a row, or a number."""
    dtype = draw(st.sampled_from(["int32", "uint8", "float32", "complex64"]))
    shape = draw(st.lists(st.integers(1, 4), max_size=3).map(tuple))
    kind = draw(st.sampled_from(["same", "number", "rows"] if len(shape) == 2 else ["same", "number"]))
    wanted = {"same": shape, "number": (), "rows": shape[:1]}[kind]
    left = draw(arrays.arrays(dtype, shape, elements=st.integers(1, 9)))
    return left, draw(arrays.arrays(dtype, wanted, elements=st.integers(1, 9))), kind


class TestResults:
    @QUICK
    @given(st.sampled_from(DEVICES), st.sampled_from(list(OPERATIONS)), operands())
    def test_are_numpys(self, device, sign, drawn):
        left, right, kind = drawn
        expected = model_of(sign, left, right[:, None] if kind == "rows" else right)
        buffer = buffer_of(left, device)
        other = right[()] if kind == "number" else buffer_of(right, device)
        apart, in_place = OPERATIONS[sign]
        result = apart(buffer, other)
        assert buffer.to_numpy().tolist() == left.tolist()
        changed = in_place(buffer, other)
        assert changed is buffer
        for found in (result, changed):
            assert (found.dtype, found.get_shape(), found.device) == (left.dtype, left.shape, buffer.device)
            assert found.to_numpy().tolist() == expected.tolist()

    def test_are_new_and_dense(self, device):
        c = accel.container(np.arange(6.0), device=device)
        result = NDBuffer(c, (3, 2), (1, 3)) + 0
        assert result.is_contiguous
        assert result.storage is not c.storage
        assert result.to_numpy().tolist() == [[0, 3], [1, 4], [2, 5]]

    def test_are_of_the_left_operands_class(self):
        for buffer in (Buffer(np.ones(2)), NDBuffer(np.ones(2))):
            assert type(buffer * 2) is type(buffer)

    def test_in_place_leave_the_rest_alone(self, device):
        c = accel.container(np.arange(6.0), device=device)
        window = NDBuffer(c, (3,), (2,))
        window *= -1
        assert c.to_numpy().tolist() == [0, 1, -2, 3, -4, 5]

    def test_in_place_may_overlap_their_operand(self, device):
        c = accel.container(np.arange(4.0), device=device)
        late = Buffer(c, offset=1)
        late += Buffer(c, size=3)
        assert c.to_numpy().tolist() == [0, 1, 3, 5]

    def test_may_have_a_view_for_operand(self):
        assert (Buffer(np.ones(3)) + BufferView(np.arange(3.0))).to_numpy().tolist() == [1, 2, 3]

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e5m2"])
    def test_of_small_floats_stay_small(self, dtype):
        values = np.array([1, 2, 4]).astype(as_dtype(dtype))
        result = NDBuffer(values) / 2 + 1
        assert result.dtype == values.dtype
        assert result.to_numpy().astype("float32").tolist() == [1.5, 2, 3]

    def test_of_integers_divide_downwards(self):
        assert (Buffer(np.array([-7, 7])) / 2).to_numpy().tolist() == [-4, 3]


class TestRefusals:
    @pytest.mark.parametrize("sign", list(OPERATIONS))
    def test_dtypes_do_not_mix(self, sign):
        for operation in OPERATIONS[sign]:
            with pytest.raises(DTypeError, match=r"float64 and float32 do not mix; write xp.astype\(.*'float64'\)"):
                operation(Buffer(np.ones(2)), Buffer(np.ones(2, "float32")))

    def test_nor_do_numbers_that_the_dtype_cannot_hold(self):
        with pytest.raises(DTypeError, match="cannot be stored as int64"):
            Buffer(np.ones(2, "int64")) * 0.5
        with pytest.raises(OverflowError):
            Buffer(np.ones(2, "int8")) + 128

    @pytest.mark.parametrize(
        ("one", "other"), [((2, 3), (3, 2)), ((4,), (3,)), ((2, 2, 2), (2,)), ((2,), (2, 2)), ((), (1,))]
    )
    def test_shapes_are_equal(self, one, other):
        with pytest.raises(LayoutError, match="do not fit: they must be equal"):
            NDBuffer(np.ones(one)) + NDBuffer(np.ones(other))

    def test_a_row_operand_has_a_value_for_each_row(self):
        with pytest.raises(LayoutError, match=r"one value for each of the 2 rows .*; found 4$"):
            NDBuffer(np.ones((2, 3))) + Buffer(np.ones(4))

    def test_one_for_each_column_is_said_to_be_numpys_rule(self):
        with pytest.raises(
            LayoutError, match=r"found 3; for one value for each column, as NumPy has it, write xp\.asarray"
        ):
            NDBuffer(np.ones((2, 3))) + Buffer(np.ones(3))

    def test_devices_do_not_mix(self):
        with pytest.raises(DeviceMismatchError, match="operands are on cpu and sim"):
            Buffer(np.ones(2)) + Buffer(accel.zeros(2, device="sim"))

    def test_an_operand_is_a_number_or_has_memory(self):
        with pytest.raises(TypeError, match=r"found list .* write numpy\.asarray"):
            operator.add(Buffer(np.ones(2)), [1.0, 2.0])

    def test_booleans_have_no_arithmetic(self):
        with pytest.raises(DTypeError, match="booleans have no arithmetic"):
            Buffer(np.ones(2, bool)) + True

    def test_integers_are_not_divided_by_zero(self, device):
        buffer = buffer_of(np.array([4, 6]), device)
        for zero in (0, buffer_of(np.array([1, 0]), device)):
            for divide in OPERATIONS["/"]:
                with pytest.raises(ZeroDivisionError, match="nothing was written"):
                    divide(buffer, zero)
        assert buffer.to_numpy().tolist() == [4, 6]

    def test_floats_are(self):
        assert (Buffer(np.ones(1)) / 0).to_numpy().tolist() == [np.inf]

    def test_an_element_named_twice_is_not_written(self, device):
        buffer = NDBuffer(accel.zeros(2, device=device), (2, 2), (0, 1))
        with pytest.raises(OverlapError):
            buffer += 1
