"""Tensors and buffers accept the same objects as sources, for copies, and as operands."""

import operator

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import BoundsError, DeviceMismatchError, DTypeError, LayoutError
from accel.layout import Layout, Swizzle, row_major
from accel.views import Buffer, BufferView, DynamicRankBuffer, LayoutTensor, NDBuffer

DEVICES = ["cpu", "sim"]
on_devices = pytest.mark.parametrize("device", DEVICES)
VALUES = np.arange(1.0, 13).reshape(3, 4)
SHAPE = VALUES.shape


def held(device):
    return accel.container(VALUES, device=device)


class Foreign:
    """An array of another library."""

    def __init__(self, array):
        self.__dlpack__ = array.__dlpack__
        self.__dlpack_device__ = array.__dlpack_device__


SOURCES = {
    "xp array": lambda device: xp.asarray(VALUES.copy(), device=device),
    "xp transpose": lambda device: xp.asarray(VALUES.T.copy(), device=device).T,
    "tensor": lambda device: held(device).view(row_major(*SHAPE)),
    "column-major tensor": lambda device: accel.container(VALUES.T, device=device).view(Layout(SHAPE)),
    "part of a tensor": lambda device: accel.container(np.pad(VALUES, 1), device=device).view(row_major(5, 6))[
        1:4, 1:5
    ],
    "NDBuffer": lambda device: NDBuffer(held(device), SHAPE),
    "strided NDBuffer": lambda device: NDBuffer(accel.container(VALUES.T, device=device), SHAPE, (1, 3)),
    "DynamicRankBuffer": lambda device: DynamicRankBuffer(held(device), 2, SHAPE, "float64"),
    "foreign": lambda device: Foreign(xp.asarray(VALUES.copy(), device=device)),
}
ON_HOST = {
    "NumPy array": VALUES.copy,
    "NumPy transpose": lambda: VALUES.T.copy().T,
    "reversed NumPy array": lambda: VALUES[::-1, ::-1].copy()[::-1, ::-1],
    "every other element": lambda: np.repeat(VALUES, 2, axis=1)[:, ::2],
}
FLAT = {
    "container": lambda device: accel.container(VALUES[0], device=device),
    "storage": lambda device: accel.container(VALUES[0], device=device).storage,
    "slice": lambda device: held(device)[0:4],
    "Buffer": lambda device: Buffer(held(device), 4),
    "xp array": lambda device: xp.asarray(VALUES[0].copy(), device=device),
}


def swizzled():
    found = accel.zeros(16).view(Swizzle(1, 0, 2) @ row_major(*SHAPE))
    found[:, :] = VALUES
    return found


def nested():
    found = accel.zeros(12).view(Layout((3, (2, 2)), (4, (1, 2))))
    found[:, :] = VALUES
    return found


def padded():
    return accel.LayoutTensor(VALUES[:2, :3].copy()).tile(SHAPE, (0, 0), "pad", pad_value=9)


STRIDELESS = {
    "swizzled tensor": swizzled,
    "nested tensor": nested,
    "padded tile": padded,
}


def ours(device, values=VALUES):
    """Yield a tensor and a buffer of some values."""
    shape = values.shape
    for make in (lambda c: c.view(row_major(*shape)), lambda c: NDBuffer(c, shape)):
        yield make(accel.container(values, device=device))


def every_source(device):
    found = {name: make(device) for name, make in SOURCES.items()}
    return found | ({name: make() for name, make in ON_HOST.items()} if device == "cpu" else {})


@on_devices
def test_both_look_at_the_same_memory_of_the_same_things(device):
    for name, source in every_source(device).items():
        for kind in (LayoutTensor, NDBuffer):
            view = kind(source)
            assert view.to_numpy().tolist() == VALUES.tolist(), name
            assert str(view.device) == device
            view.fill(5)
            assert kind(source).to_numpy().tolist() == np.full(SHAPE, 5).tolist(), name
            view.copy_from(xp.asarray(VALUES.copy(), device=device))


@on_devices
@pytest.mark.parametrize("make", FLAT.values(), ids=list(FLAT))
def test_all_look_at_flat_memory(device, make):
    source = make(device)
    dynamic = DynamicRankBuffer(source, 1, 4, "float64")
    for view in (LayoutTensor(source), NDBuffer(source), Buffer(source), dynamic):
        assert (view.shape, view.to_numpy().tolist()) == ((4,), VALUES[0].tolist())
    assert LayoutTensor(source, row_major(2, 2), 0).to_numpy().tolist() == NDBuffer(source, (2, 2)).to_numpy().tolist()


def test_what_may_not_be_written_is_not_written_through_any_view():
    array = VALUES.copy()
    array.flags.writeable = False
    for source in (array, array.T, xp.asarray(array), np.broadcast_to(array[0], SHAPE)):
        for view in (LayoutTensor(source), NDBuffer(source), NDBuffer(source).make_dims_unknown()):
            assert view.readonly
            with pytest.raises(ValueError, match="read-only"):
                view.fill(0)


def test_a_layout_for_memory_with_gaps_is_refused_by_both():
    for source in (VALUES[:, ::2], xp.asarray(VALUES)[:, ::2], NDBuffer(VALUES, (3, 2), (4, 2))):
        with pytest.raises(LayoutError, match=r"strides \(4, 2\)"):
            LayoutTensor(source, Layout(6))
        with pytest.raises(LayoutError, match=r"strides \(4, 2\)"):
            NDBuffer(source, (6,))


def test_arrays_whose_elements_lie_between_elements_are_not_looked_at():
    packed = np.zeros(3, np.dtype([("a", "i1"), ("b", "f8")]))["b"]
    apart = np.zeros(3, np.dtype([("a", "c16"), ("b", "f8")]))["a"]  # 24 bytes from one to the next
    for source in (packed, np.zeros(9, "i1")[1:].view("f8"), apart):
        for kind in (LayoutTensor, NDBuffer):
            with pytest.raises(LayoutError, match=r"write x\.copy\(\)"):
                kind(source)
            assert kind(source.copy()).size == source.size
    with pytest.raises(TypeError, match=r"write x\.filled\(value\)"):
        NDBuffer(np.ma.masked_array(VALUES)[:, ::2])


OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
IN_PLACE = {"+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv}


@on_devices
@pytest.mark.parametrize("sign", OPERATORS)
def test_both_compute_with_the_same_things(device, sign):
    left = VALUES[::-1] * 2
    for name, source in every_source(device).items():
        for view in ours(device, left):
            expected = OPERATORS[sign](left, VALUES).tolist()
            result = OPERATORS[sign](view, source)
            assert (type(result), result.to_numpy().tolist()) == (type(view), expected), name
            changed = IN_PLACE[sign](view, source)
            assert changed is view
            assert view.to_numpy().tolist() == expected, name


@on_devices
@pytest.mark.parametrize("make", FLAT.values(), ids=list(FLAT))
def test_both_take_a_number_for_each_row_from_flat_memory(device, make):
    values = np.arange(8.0).reshape(4, 2)
    for view in ours(device, values):
        assert (view + make(device)).to_numpy().tolist() == (values + VALUES[0][:, None]).tolist()
    for view in ours(device):
        with pytest.raises(LayoutError, match=r"one for each column|one value for each column"):
            view + make(device)


@pytest.mark.parametrize("make", STRIDELESS.values(), ids=list(STRIDELESS))
def test_both_take_tensors_without_strides(make):
    source = make()
    values = source.to_numpy()
    for view in ours("cpu"):
        assert (view + source).to_numpy().tolist() == (VALUES + values).tolist()
        view.copy_from(source)
        assert view.to_numpy().tolist() == values.tolist()


@on_devices
def test_both_copy_from_the_same_things_on_any_device(device):
    for there in DEVICES:
        for name, source in every_source(there).items():
            for view in ours(device, np.zeros(SHAPE)):
                view.copy_from(source)
                assert view.to_numpy().tolist() == VALUES.tolist(), name


@on_devices
def test_both_refuse_another_shape_or_dtype_before_anything_is_written(device):
    for view in ours(device):
        for wrong in (np.ones((4, 3)), np.ones(12), accel.zeros(12), accel.zeros(12).storage):
            with pytest.raises(LayoutError, match=r"cannot be copied into shape \(3, 4\): write"):
                view.copy_from(wrong)
        for wrong in (xp.ones((3, 1)), 2 * VALUES[0], np.array(1.0)):
            with pytest.raises(LayoutError, match=r"cannot be copied into shape \(3, 4\): the sizes must be equal"):
                view.copy_from(wrong)
        for wrong in (np.ones(SHAPE, "int64"), xp.ones(SHAPE, dtype=xp.int64)):
            with pytest.raises(DTypeError, match="int64 elements cannot be copied into float64: write"):
                view.copy_from(wrong)
            with pytest.raises((DTypeError, DeviceMismatchError)):
                view + wrong
        assert view.to_numpy().tolist() == VALUES.tolist()


def test_a_tensor_converts_what_it_copies_if_it_is_told_to():
    t = accel.zeros(12, "int32").view(row_major(*SHAPE))
    t.copy_from(VALUES + 0.5, cast=True)
    assert t.to_numpy().tolist() == VALUES.tolist()
    v = accel.zeros(12).view(row_major(*SHAPE)).vectorize(1, 2)
    v.copy_from(VALUES.reshape(3, 2, 1, 2))
    assert v.to_numpy().reshape(SHAPE).tolist() == VALUES.tolist()


NUMBERS = [2, 2.0, True, np.float32(2), np.float64(2), np.int8(2), np.array(2.0)]


@on_devices
@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_a_number_stands_on_either_side_of_both(device, sign, number):
    for view in ours(device):
        for result, expected in (
            (OPERATORS[sign](number, view), OPERATORS[sign](number, VALUES)),
            (OPERATORS[sign](view, number), OPERATORS[sign](VALUES, number)),
        ):
            assert (type(result), result.dtype, result.device) == (type(view), view.dtype, view.device)
            assert result.to_numpy().tolist() == expected.tolist()
        assert view.to_numpy().tolist() == VALUES.tolist()


@on_devices
def test_a_number_on_the_left_follows_the_rules_of_one_on_the_right(device):
    for view in ours(device, np.array([[-7, -1], [1, 7]], "int32")):
        assert (7 / view).to_numpy().tolist() == [[-1, -7], [7, 1]]
        view.fill(0)
        with pytest.raises(ZeroDivisionError, match="nothing was written"):
            1 / view
        for wrong in (lambda v=view: 0.5 * v, lambda v=view: np.float64(0.5) - v):
            with pytest.raises(DTypeError, match="without loss"):
                wrong()
    for view in ours(device, np.ones((2, 2), bool)):
        for wrong in (lambda v=view: 1 + v, lambda v=view: v + v, lambda v=view: v.__iadd__(True)):
            with pytest.raises(DTypeError, match="booleans have no arithmetic; write xp"):
                wrong()


@pytest.mark.parametrize("sign", OPERATORS)
def test_an_array_on_the_left_computes_by_the_rules_of_its_own_library(sign):
    row = VALUES[:1]  # which both libraries broadcast
    for view in ours("cpu"):
        result = OPERATORS[sign](row, view)
        assert (type(result), result.tolist()) == (np.ndarray, OPERATORS[sign](row, VALUES).tolist())
        array = VALUES.copy()
        assert IN_PLACE[sign](array, view) is array
    for device in DEVICES:
        x = xp.asarray(VALUES.copy(), device=device)
        for view in ours(device):
            for operation in (OPERATORS[sign], IN_PLACE[sign]):
                with pytest.raises(TypeError, match=r"arrays of its own library; write xp\.from_dlpack\(x\)"):
                    operation(x, view)
            assert type(OPERATORS[sign](x, xp.from_dlpack(view))) is type(x)


@on_devices
def test_other_memory_on_the_left_becomes_a_view(device):
    c = accel.container(VALUES[0], device=device)
    for other in (c, c.storage, c[:]):
        for view in (LayoutTensor(c), NDBuffer(c)):
            result = other - view * 2
            assert (type(result), result.to_numpy().tolist()) == (type(view), (-VALUES[0]).tolist())
    assert type(NDBuffer(c) + LayoutTensor(c)) is NDBuffer
    assert type(LayoutTensor(c) + NDBuffer(c)) is LayoutTensor


def test_numpy_computes_with_both_as_arrays():
    for view in ours("cpu"):
        for result, expected in (
            (np.add(view, 1), VALUES + 1),
            (np.negative(view), -VALUES),
            (np.add.reduce(view), np.add.reduce(VALUES)),
            (np.maximum(view, VALUES[::-1]), np.maximum(VALUES, VALUES[::-1])),
        ):
            assert (type(result), result.tolist()) == (np.ndarray, expected.tolist())
        with pytest.raises(TypeError, match="__array_ufunc__"):
            np.add(VALUES, VALUES, out=view)


@pytest.mark.parametrize("sign", OPERATORS)
def test_operands_on_two_devices_are_refused_with_the_list_of_what_is_where(sign):
    for here, there in (("cpu", "sim"), ("sim", "cpu")):
        for source in every_source(there).values():
            for view in ours(here):
                listed = rf"{type(view).__name__} on {here}, {type(source).__name__} on {there}; .*device='{here}'"
                for operation in (OPERATORS[sign], IN_PLACE[sign]):
                    with pytest.raises(DeviceMismatchError, match=listed):
                        operation(view, source)
                assert view.to_numpy().tolist() == VALUES.tolist()


@on_devices
def test_an_array_of_no_axes_is_a_number(device):
    for view in ours(device):
        two = xp.asarray(2, dtype=xp.int16, device=device)
        assert (view * two).to_numpy().tolist() == (VALUES * 2).tolist()
        assert (view - np.array(1)).to_numpy().tolist() == (VALUES - 1).tolist()


def test_slices_of_a_buffer_view_compute_with_nothing_and_are_operands():
    v = BufferView(accel.container(VALUES[0]))
    with pytest.raises(TypeError, match="unsupported operand"):
        v + 1
    assert (Buffer(v) + v).to_numpy().tolist() == (2 * VALUES[0]).tolist()


TILES = [(-1, -1), (0, -1), (-2, 0), (1, 1)]


@pytest.mark.parametrize("coords", TILES)
@pytest.mark.parametrize("tail", ["mask", "shrink", "raise"])
def test_both_cut_the_same_tiles(coords, tail):
    row, column = (2 * (coords[0] % 2), 3 * (coords[1] % 2))
    expected = VALUES[row : row + 2, column : column + 3]
    for view in ours("cpu"):
        if tail == "raise" and expected.shape != (2, 3):
            with pytest.raises(BoundsError, match=r"of a tile of shape \(2, 3\), only .* is in bounds"):
                view.tile((2, 3), coords, tail=tail)
        else:
            assert view.tile((2, 3), coords, tail).to_numpy().tolist() == expected.tolist()


def test_both_refuse_tiles_that_are_not_there():
    for view in ours("cpu"):
        for coords, message in (((2, 0), "tile 2 is out of range on axis 0"), ((0, -3), "tile -3 .* on axis 1")):
            with pytest.raises(
                BoundsError, match=message + r".* extent . has 2 tiles of ., so it must be in \[-2, 2\)"
            ):
                view.tile((2, 3), coords)


@on_devices
def test_both_count_and_go_through_the_first_axis(device):
    for view in ours(device):
        assert (len(view), view.size, view.nbytes, view.rank) == (3, 12, 96, 2)
        assert [row.to_numpy().tolist() for row in view] == VALUES.tolist()
    for view in (LayoutTensor(VALUES[0].copy()), NDBuffer(VALUES[0].copy()), Buffer(VALUES[0].copy())):
        assert (len(view), view.size, list(view)) == (4, 4, VALUES[0].tolist())
