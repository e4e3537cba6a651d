"""The arguments of kernels: each has a type, each that does not fit is refused by the name of its parameter."""

from types import GenericAlias
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import AcceleratorDataContainer, Buffer, BufferView, LayoutTensor, NDBuffer, xp
from accel.dtypes import as_dtype, f32, i8, i32
from accel.errors import (
    DeviceMismatchError,
    DTypeError,
    KernelSignatureError,
    LayoutError,
    ReadOnlyError,
    ReleasedError,
)
from accel.kernels import Static, func, kernel
from accel.kernels.annotations import accept_of
from accel.kernels.argument_types import any_value
from accel.kernels.frontend.types import BufferType, ScalarType, StaticType, StructType, TensorType
from accel.layout import ComposedLayout, Layout, Swizzle
from accel.memory import DeviceStorage, HostStorage
from tests.remedies import suggestions
from tests.tables import rows


class Pair(NamedTuple):
    """Two numbers."""

    count: i32
    factor: float


class Nested(NamedTuple):
    """A view, and two numbers."""

    data: BufferView[f32]
    pair: Pair
    any: Any


def accepted(value, annotation=None):
    """Return the type of an argument named x, and the leaves it becomes."""
    leaves = []
    accept = any_value if annotation is None else accept_of(annotation)
    return accept(value, "x", leaves), leaves


@pytest.fixture
def c():
    return accel.container(np.arange(24, dtype="float32"))


@pytest.mark.parametrize(
    ("value", "dtype", "weak"),
    [
        (3, "int64", True),
        (3.5, "float64", True),
        (True, "bool", True),
        (1j, "complex128", True),
        (np.int8(3), "int8", False),
        (np.float64(3.5), "float64", False),
        (np.bool_(True), "bool", False),
    ],
)
def test_a_number_has_the_type_that_numpy_gives_it(value, dtype, weak):
    kind, (leaf,) = accepted(value)
    assert kind == ScalarType(as_dtype(dtype), weak)
    assert leaf.numbers == (value,)
    assert type(leaf.numbers[0]) in {bool, int, float, complex}


def test_a_number_of_ml_dtypes_keeps_its_dtype():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kind, (leaf,) = accepted(ml_dtypes.bfloat16(1.5))
    assert (kind, leaf.numbers) == (ScalarType(as_dtype("bfloat16"), weak=False), (1.5,))


@given(st.sampled_from(["int8", "uint16", "int32", "uint64"]), st.integers(-(2**70), 2**70))
def test_an_integer_is_passed_if_its_annotated_type_holds_it(dtype, number):
    limits = np.iinfo(dtype)
    if limits.min <= number <= limits.max:
        assert accepted(number, as_dtype(dtype).type)[1][0].numbers == (number,)
    else:
        with pytest.raises(OverflowError, match="out of range"):
            accepted(number, as_dtype(dtype).type)


@given(st.floats(width=32))
def test_a_float_is_passed_as_it_is(number):
    kind, (leaf,) = accepted(number, f32)
    assert kind == ScalarType(as_dtype("float32"), weak=False)
    np.testing.assert_equal(leaf.numbers[0], number)


@pytest.mark.parametrize(
    ("value", "annotation", "error"),
    [
        (float("nan"), i32, DTypeError),
        (2.5, i32, DTypeError),
        (2.5, int, DTypeError),
        (1e39, f32, OverflowError),
        (1j, float, DTypeError),
        (2, bool, DTypeError),
        ("2", f32, DTypeError),
        (None, f32, DTypeError),
        (np.ones(3), f32, KernelSignatureError),
        (2**63, None, OverflowError),
        (object(), None, KernelSignatureError),
        ([1.0], None, KernelSignatureError),
        (np.datetime64("2020"), None, DTypeError),
    ],
)
def test_a_number_that_does_not_fit_is_refused(value, annotation, error):
    with pytest.raises(error):
        accepted(value, annotation)


@pytest.mark.parametrize(
    ("value", "annotation", "message"),
    [
        (2.5, i32, r"int32 is annotated, which cannot hold 2\.5 \(float\); write int\(x\)"),
        (1j, f32, r"float32 is annotated, which cannot hold 1j \(complex\); write float\(x\)"),
        ("a", complex, r"complex128 is annotated, which cannot hold 'a' \(str\); write complex\(x\)"),
        (2, bool, r"bool is annotated, which cannot hold 2 \(int\); write bool\(x\)"),
    ],
)
def test_a_number_that_does_not_fit_is_told_the_conversion(value, annotation, message):
    with pytest.raises(DTypeError, match=message):
        accepted(value, annotation)


def test_memory_of_an_unknown_dtype_is_a_dtype_error():
    for dtype in (object, ">f4"):
        with pytest.raises(DTypeError, match="cannot be the dtype of memory"):
            accepted(np.zeros(3, dtype))


def test_a_whole_number_is_a_float_where_one_is_annotated():
    _, (leaf,) = accepted(2, f32)
    assert type(leaf.numbers[0]) is float


def test_memory_is_passed_as_address_extents_and_strides(c):
    pointer = c.storage.pointer
    passed = {
        "BufferView": (c[4:10], (pointer + 16, 6, 1)),
        "AcceleratorDataContainer": (c, (pointer, 24, 1)),
        "HostStorage": (c.storage, (pointer, 24, 1)),
        "NDBuffer": (NDBuffer(c, (4, 6)), (pointer, 4, 6, 6, 1)),
        "Buffer": (Buffer(c, 3, offset=2), (pointer + 8, 3, 1)),
        "Array": (xp.reshape(xp.asarray(c), (4, 6))[1:, ::-2], (pointer + 44, 3, 3, 6, -2)),
    }
    for kind, (value, numbers) in passed.items():
        result, (leaf,) = accepted(value)
        axes = len(numbers) // 2
        assert result == BufferType(kind, as_dtype("float32"), axes, numbers[-1] == 1)
        assert leaf.numbers == numbers


@pytest.mark.parametrize("key", [np.s_[:], np.s_[::2], np.s_[::-1], np.s_[3:], np.s_[4:4]])
def test_a_numpy_array_is_passed_without_a_copy(key):
    array = np.arange(12, dtype="int16")[key]
    result, (leaf,) = accepted(array)
    assert result == BufferType("ndarray", as_dtype("int16"), 1, array.strides[0] == 2)
    assert leaf.numbers[1:] == (array.size, array.strides[0] // 2)
    assert not array.size or leaf.numbers[0] == array.__array_interface__["data"][0]


def test_the_layout_of_a_tensor_is_a_constant(c):
    layout = Layout(((2, 2), 6), ((1, 12), 2))
    kind, (leaf,) = accepted(LayoutTensor(c, layout))
    assert kind == TensorType(as_dtype("float32"), layout, Layout(1))
    assert leaf.numbers == (c.storage.pointer,)


def test_tensors_at_other_addresses_have_the_same_type(c):
    t = LayoutTensor(c, Layout((4, 6), (6, 1)))
    kinds = {accepted(t.tile((2, 3), (i, j)))[0] for i in range(2) for j in range(2)}
    assert len(kinds) == 1


def test_a_swizzled_tensor_is_passed_with_the_address_of_the_origin(c):
    swizzled = ComposedLayout(Swizzle(1, 0, 2), 0, Layout((4, 4), (4, 1)))
    t = LayoutTensor(c, swizzled)
    part = t.tile((2, 2), (1, 1))
    kind, (leaf,) = accepted(part)
    assert leaf.numbers == (c.storage.pointer,)
    assert kind.swizzle == Swizzle(1, 0, 2)
    places = [[kind.swizzle(kind.first + kind.layout(i, j)) for j in range(2)] for i in range(2)]
    np.testing.assert_array_equal(c.to_numpy()[places], part.to_numpy())


def test_a_named_tuple_is_passed_by_its_fields(c):
    value = Nested(c[2:4], Pair(3, 2), np.int8(1))
    for annotation in (Nested, None):
        kind, leaves = accepted(value, annotation)
        assert isinstance(kind, StructType)
        assert [leaf.name for leaf in leaves] == ["x_data", "x_pair_count", "x_pair_factor", "x_any"]
    kind, leaves = accepted(value, Nested)
    assert kind.fields[1] == StructType(Pair, (ScalarType(as_dtype("int32"), False), ScalarType(as_dtype("f64"), True)))
    assert leaves[2].numbers == (2.0,)


@func
def helper(x):
    return x


@pytest.mark.parametrize("value", ["text", None, Layout(4, 1), Swizzle(1, 0, 2), f32, np.dtype("i4"), int, helper])
def test_what_has_no_number_is_a_constant(value):
    assert accepted(value) == (StaticType(value), [])


@pytest.mark.parametrize("values", [(1, True, 1.0), (0.0, -0.0, 0), ((1, 2), (1, 2.0)), ("f32", f32, np.dtype("f4"))])
def test_each_constant_is_compiled_for_itself(fake, c, values):
    @kernel
    def fill(v, x: Static):
        v[0] = x

    for _ in range(2):
        for value in values:
            fill(c, value)
    assert len(fake.compiled) == len(values)
    assert [kinds["x"] for kinds, _ in fake.lowered] == [StaticType(value) for value in values]


def test_a_constant_without_a_hash_is_refused():
    with pytest.raises(KernelSignatureError, match="a constant has a hash; found list: pass a tuple"):
        accepted([1, 2], Static)


def test_a_kernel_cannot_have_another_kernel_as_argument():
    @kernel
    def other(x):
        x[0] = 1

    with pytest.raises(KernelSignatureError, match="found Kernel"):
        accepted(other)


@pytest.mark.parametrize(
    ("annotation", "given"),
    [
        (BufferView, "view"),
        (BufferView[f32], "view"),
        (BufferView["f32"], "view"),
        (BufferView[Any], "view"),
        (NDBuffer, "buffer"),
        (NDBuffer[f32], "buffer"),
        (NDBuffer[f32, Literal[2]], "buffer"),
        (NDBuffer[np.dtype("f4"), 2], "buffer"),
        (LayoutTensor, "tensor"),
        (LayoutTensor[f32], "tensor"),
        (np.ndarray, "array"),
        (accel.AcceleratorDataContainer, "container"),
        (xp.Array, "standard"),
    ],
)
def test_annotated_memory_of_that_class_is_accepted(c, annotation, given):
    values = {
        "view": c[:],
        "buffer": NDBuffer(c, (4, 6)),
        "tensor": LayoutTensor(c, Layout((4, 6), (6, 1))),
        "array": np.ones(3),
        "standard": xp.ones(3),
        "container": c,
    }
    accepted(values[given], annotation)


@pytest.mark.parametrize(
    "annotation",
    [
        BufferView["banana"],
        BufferView[3],
        BufferView[object],
        NDBuffer[f32, 0],
        NDBuffer[f32, "two"],
        NDBuffer[f32, Literal[2], 3],
        NDBuffer[()],
        list[f32],
        list,
        object,
        3,
        f32 | None,
        "f32 +",
    ],
)
def test_an_annotation_that_kernels_do_not_know_is_refused_when_decorating(annotation):
    def scale(v: annotation):
        v[0] = 1

    with pytest.raises(TypeError, match="the parameter v of scale") as caught:
        kernel(scale)
    assert "write" in str(caught.value) or "evaluated" in str(caught.value)


def test_an_annotation_may_name_what_is_defined_later(fake, c):
    @kernel
    def fill(v: "later"):
        v[0] = later

    with pytest.raises(NameError):
        fill(c[:])
    later = BufferView
    fill(c[:])
    assert fake.launches[0].arguments == (c.storage.pointer, 24, 1)


def test_each_refusal_names_the_parameter_and_the_kernel(fake, c, tmp_path):
    fake.written = {"v"}

    @kernel
    def scale(v: BufferView[f32], factor: f32 = 2.0):
        v[0] = factor

    released = accel.zeros(3, "float32")
    gone = released[:]
    released.release()
    readonly = np.ones(3, "float32")
    readonly.flags.writeable = False
    refusals = [
        (c, KernelSignatureError, r"BufferView is annotated; found AcceleratorDataContainer: write data\[:\]"),
        (np.ones(3), KernelSignatureError, r"BufferView is annotated; found ndarray: write BufferView\(data\)"),
        (NDBuffer(c), KernelSignatureError, r"found NDBuffer: write BufferView\(data\)"),
        (3, KernelSignatureError, "BufferView is annotated; found int"),
        (accel.zeros(3, "int32")[:], DTypeError, "float32 is annotated, and its argument has dtype int32"),
        (gone, ReleasedError, "was released"),
        (BufferView(readonly), ReadOnlyError, "the kernel writes it, and its argument is read-only"),
    ]
    for value, error, message in refusals:
        with pytest.raises(error, match=f"the parameter v of scale: .*{message}"):
            scale(value)
    with pytest.raises(OverflowError, match=r"the parameter factor of scale: .*out of range for float32"):
        scale(c[:], 1e39)
    assert not fake.launches


@pytest.mark.parametrize(
    ("annotation", "value", "message"),
    [
        (NDBuffer[f32, Literal[2]], "row", "2 axes are annotated, and its argument has 1"),
        (NDBuffer[f32, Literal[1]], "matrix", "1 axis is annotated, and its argument has 2"),
    ],
)
def test_another_number_of_axes_is_refused(c, annotation, value, message):
    values = {"row": NDBuffer(c), "matrix": NDBuffer(c, (4, 6))}
    with pytest.raises(LayoutError, match=message):
        accepted(values[value], annotation)


def test_memory_without_axes_is_refused():
    with pytest.raises(KernelSignatureError, match="has no axes; pass its number"):
        accepted(np.zeros(()))


def test_memory_that_requires_gradients_is_refused():
    class Tracked:
        requires_grad = True

        def __dlpack__(self, **_):
            raise AssertionError

    with pytest.raises(KernelSignatureError, match=r"requires gradients.*x\.detach\(\)"):
        accepted(Tracked())
    with pytest.raises(KernelSignatureError, match=r"requires gradients.*x\.detach\(\)"):
        accepted(Tracked(), accel.BufferView)


def test_memory_of_several_devices_is_refused(fake, c):
    @kernel
    def add(v, w):
        v[0] = w[0]

    with pytest.raises(DeviceMismatchError, match="add has v on cpu and w on sim; move them to one device"):
        add(c, accel.zeros(3, device="sim"))


def test_arguments_are_given_by_position_by_name_and_by_default(fake, c):
    @kernel
    def scale(v, factor=2.0, offset=1):
        v[0] = factor + offset

    for arguments, named in [((c,), {}), ((c, 2.0), {"offset": 1}), ((), {"factor": 2.0, "v": c})]:
        scale(*arguments, **named)
    assert {each.arguments for each in fake.launches} == {(c.storage.pointer, 24, 1, 2.0, 1)}
    for arguments, named in [((), {}), ((c, 1, 2, 3), {}), ((c,), {"other": 1}), ((c,), {"v": c})]:
        with pytest.raises(KernelSignatureError, match=r"scale\(v, factor, offset\): "):
            scale(*arguments, **named)


def test_a_function_for_kernels_is_not_called_elsewhere():
    for result in (func(helper.__wrapped__), func()(helper.__wrapped__)):
        assert result.source.name == result.__name__ == "helper"
        with pytest.raises(RuntimeError, match="helper is a function for kernels; call it in a function with @kernel"):
            result(1)
        assert result.__wrapped__(1) == 1


def test_annotated_small_integers_have_their_own_range():
    assert accepted(-128, i8)[1][0].numbers == (-128,)
    with pytest.raises(OverflowError):
        accepted(128, i8)


SOURCES = {
    AcceleratorDataContainer: "accel.zeros(4, 'int16', device=device)",
    BufferView: "accel.zeros(4, 'complex64', device=device)[1:]",
    NDBuffer: "NDBuffer(accel.zeros(8, 'float64', device=device), (2, 2), (4, 2))",
    LayoutTensor: "accel.zeros(6, 'int64', device=device).view(Layout.col_major(2, 3)).tile((2, 2), (0, 1))",
    np.ndarray: "np.zeros((2, 3), 'complex128')",
    HostStorage: "accel.zeros(4, 'uint8').storage",
    DeviceStorage: "accel.zeros(4, 'uint8', device='sim').storage",
    type(xp.zeros(1)): "xp.zeros((2, 3), dtype='bool', device=device)",
}


@pytest.mark.parametrize("device", ["cpu", "sim"])
@rows("cls", SOURCES)
def test_the_conversion_that_an_error_names_is_accepted(cls, device):
    x = eval(SOURCES[cls], {**globals(), "device": device})
    for dtype in ("float32", "bfloat16", "int8", "complex64"):
        accept = accept_of(GenericAlias(cls, (as_dtype(dtype).type,)))
        if x.dtype != dtype:
            with pytest.raises(DTypeError) as caught:
                accept(x, "x", [])
            [remedy] = suggestions(str(caught.value))
            converted = eval(remedy, {**globals(), "x": x})
            assert accept(converted, "x", []).dtype == dtype
            assert getattr(converted, "device", x.device) == x.device
