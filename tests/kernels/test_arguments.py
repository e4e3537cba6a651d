"""Arguments of kernels are checked against the parameters and converted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import Device, LayoutTensor, NDBuffer, xp
from accel.abc import Swizzling
from accel.dtypes import as_dtype, exact_cast
from accel.errors import DeviceMismatchError, DTypeError, KernelSignatureError, LayoutError, ReadOnlyError
from accel.interchange import Interchange
from accel.kernels.raw.parameters import parameters_of
from accel.kernels.raw.signature import Signature
from accel.layout import row_major

from ..tables import rows


def bind(signature, *arguments):
    """Return the converted arguments for a kernel with this signature."""
    parameters = parameters_of(f'extern "C" __global__ void f({signature}) {{}}', "f")
    return Signature("f", parameters).bind(arguments)


@pytest.fixture
def c():
    return accel.container(np.arange(24, dtype="float32"))


def test_a_number_becomes_a_scalar_of_the_type():
    values, uses, device = bind("int a, float b, unsigned char c, bool d, double2 e", 1, 2, np.int64(255), True, 1j)
    assert [value.dtype.name for value in values] == ["int32", "float32", "uint8", "bool", "complex128"]
    assert values == (1, 2, 255, True, 1j)
    assert (uses, device) == ([], None)


@settings(max_examples=100, deadline=None, database=None)
@given(st.sampled_from(["int8", "uint16", "int32", "uint64"]), st.integers(-(2**70), 2**70))
def test_an_integer_arrives_whole_or_not_at_all(dtype, number):
    limits = np.iinfo(dtype)
    if limits.min <= number <= limits.max:
        assert bind(f"{dtype}_t n", number).values == (number,)
    else:
        with pytest.raises(OverflowError, match=rf"the parameter {dtype} n of f: .* is out of range for {dtype}"):
            bind(f"{dtype}_t n", number)


@settings(max_examples=100, deadline=None, database=None)
@given(st.sampled_from(["__half", "float", "double"]), st.integers(-(2**70), 2**70) | st.floats())
def test_a_number_is_rounded_as_storing_rounds_it_or_refused(declared, number):
    parameter = f"{declared} x"
    dtype = {"__half": "float16", "float": "float32", "double": "float64"}[declared]
    try:
        expected = exact_cast(number, as_dtype(dtype))
    except OverflowError:
        with pytest.raises(OverflowError, match=rf"the parameter {dtype} x of f: .* is out of range for {dtype}"):
            bind(parameter, number)
    else:
        (value,) = bind(parameter, number).values
        assert (value.dtype, value.tobytes()) == (expected.dtype, expected.tobytes())


def test_a_scalar_of_the_type_is_taken_as_it_is():
    given = (np.float32(0.1), np.int64(-1), np.complex64(1j), np.bool_(True))
    taken = bind("float a, long long b, float2 c, bool d", *given).values
    assert all(value is number for value, number in zip(taken, given, strict=True))


def test_a_pointer_is_the_address_of_the_first_element(c):
    first = c.storage.pointer
    bounded = bind("float* x, const float* y, const float* z", c, c[5:9], c.storage.window(8, 3, c.dtype))
    assert bounded.values == (first, first + 20, first + 8)
    assert [use.writing for use in bounded.uses] == [True, False, False]
    assert bounded.device is Device.CPU


def test_a_view_is_a_structure_of_address_extents_and_strides(c):
    (value,), _, _ = bind("accel::View<float, 2> x", NDBuffer(c, (3, 2), (-4, 1), offset=9))
    assert value.shape == (1,)
    assert value.dtype.itemsize == 8 + 2 * 16
    (data, extents, strides) = value[0]
    assert (data, extents.tolist(), strides.tolist()) == (c.storage.pointer + 36, [3, 2], [-4, 1])


def test_what_may_not_be_written_is_taken_where_the_kernel_only_reads(c):
    constant = LayoutTensor(c, row_major(4, 6)).get_immutable()
    bind("accel::View<const float, 2> x", constant)
    with pytest.raises(ReadOnlyError, match=r"View<float32, 2> x of f: it is not const, and its argument is read-only"):
        bind("accel::View<float, 2> x", constant)


class Strange(Interchange):
    """Elements of a container whose operand is changed by the test."""

    def __init__(self, container, **changes):
        self.container = container
        self.changes = changes

    def __accel_operand__(self):
        return self.container.__accel_operand__()._replace(**self.changes)

    def _lent_storage(self):
        return self.container.storage


VIEW, POINTER = "accel::View<float, 1> x", "float* x"


@rows(
    ("signature", "make", "error", "said"),
    [
        ("int n", lambda c: 1.0, DTypeError, "int32 n of f: values of dtype float64 cannot be stored as int32"),
        ("float a", lambda c: 1e300, OverflowError, "float32 a of f: 1e.300 is out of range"),
        ("bool a", lambda c: 1, DTypeError, "bool a of f: "),
        ("int n", lambda c: "one", DTypeError, "int32 n of f: "),
        ("int n", lambda c: None, DTypeError, "int32 n of f: "),
        ("int n", lambda c: [1, 2], KernelSignatureError, "int32 n of f: one number is needed; found 2"),
        (
            "int n",
            lambda c: c,
            KernelSignatureError,
            r"AcceleratorDataContainer is memory; write x.to_numpy\(\).item\(\)",
        ),
        (
            "int n",
            lambda c: xp.asarray(1),
            KernelSignatureError,
            r"a number is needed, and Array is memory; write int\(x\)",
        ),
        ("float2 z", lambda c: xp.asarray(1), KernelSignatureError, r"Array is memory; write complex\(x\)"),
        (
            POINTER,
            lambda c: 5,
            KernelSignatureError,
            r"float32\* x of f: memory is needed; found int: write accel.cont",
        ),
        (VIEW, lambda c: np.zeros(3), KernelSignatureError, "memory is needed; found ndarray"),
        (POINTER, lambda c: accel.zeros(3), DTypeError, "the dtypes must agree, and its argument has dtype float64"),
        (
            POINTER,
            lambda c: NDBuffer(c, (3,), (2,)),
            LayoutError,
            r"a bare pointer needs contiguous memory; found extents \(3,\) with strid",
        ),
        (VIEW, lambda c: NDBuffer(c, (4, 6)), LayoutError, r"its argument has 2 axes; write accel::View<T, 2>"),
        (VIEW, lambda c: NDBuffer(c, ()), LayoutError, r"its argument has 0 axes; write T\*, or pass another view"),
        (
            VIEW,
            lambda c: Strange(c, swizzle=Swizzling(1, 1)),
            LayoutError,
            "its argument is swizzled or has no strides",
        ),
        (VIEW, lambda c: Strange(c, strides=(6,)), LayoutError, r"the address or strides \(6,\) are no multiples of 4"),
        (POINTER, lambda c: Strange(c, start=2), LayoutError, "are no multiples of 4 bytes; pass a copy"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_name_of_the_parameter(c, signature, make, error, said):
    with pytest.raises(error, match=said):
        bind(signature, make(c))


VECTORS = st.sampled_from([
    ("float4", "float32", 4, 16), ("float3", "float32", 3, 4), ("int2", "int32", 2, 8), ("uchar4", "uint8", 4, 4),
    ("short3", "int16", 3, 2), ("ulonglong4", "uint64", 4, 16), ("double2", "float64", 2, 16),
    ("half2", "float16", 2, 4), ("longlong1", "int64", 1, 8),
])  # fmt: skip


@settings(max_examples=100, deadline=None, database=None)
@given(VECTORS, st.integers(0, 40), st.integers(0, 20))
def test_a_pointer_to_vectors_takes_memory_of_their_scalars_if_it_is_whole_vectors(vector, size, start):
    name, dtype, lanes, alignment = vector
    c = accel.container(np.arange(64).astype(dtype))
    part = c[start : start + size]
    if size % lanes:
        with pytest.raises(LayoutError, match=f"no multiple of the .* of a {name}; pass memory of whole vectors"):
            bind(f"{name}* x", part)
    elif part.__accel_operand__().address % alignment:
        with pytest.raises(LayoutError, match=f"its address is no multiple of {alignment} bytes, as {name} needs"):
            bind(f"const {name}* x", part)
    else:
        (pointer,) = bind(f"{name}* x", part).values
        assert (int(pointer), pointer.extent) == (part.__accel_operand__().address, part.nbytes)


def test_a_pointer_to_two_floats_takes_complex_numbers_too():
    for dtype, kind in (("complex64", "float2"), ("complex128", "double2")):
        c = accel.zeros(3, dtype)
        (pointer,) = bind(f"{kind}* x", c).values
        assert pointer.extent == 3 * np.dtype(dtype).itemsize
    with pytest.raises(
        DTypeError, match=r"the dtypes must agree \(float4 is 4 of float32\), and its argument has dtype"
    ):
        bind("float4* x", accel.zeros(4, "complex64"))
    with pytest.raises(DTypeError, match="the dtypes must agree, and its argument has dtype float32"):
        bind("cuFloatComplex* x", accel.zeros(4, "float32"))


def test_a_pointer_to_vectors_needs_what_other_pointers_need(c):
    with pytest.raises(LayoutError, match="a bare pointer needs contiguous memory"):
        bind("float4* x", NDBuffer(c, (4,), (2,)))
    with pytest.raises(LayoutError, match="its argument is swizzled"):
        bind("float4* x", Strange(c, swizzle=Swizzling(1, 1)))
    with pytest.raises(ReadOnlyError, match="it is not const"):
        bind("float4* x", Strange(c, writable=False))
    bind("const float4* x", Strange(c, writable=False))


def test_each_number_of_arguments_but_the_right_one_is_refused():
    for arguments in ((), (1,), (1, 2, 3)):
        with pytest.raises(KernelSignatureError, match=r"f takes 2 arguments \(int32 a, float32 b\); found"):
            bind("int a, float b", *arguments)
    with pytest.raises(KernelSignatureError, match=r"f takes 0 arguments \(none\); found 1"):
        bind("", 1)


def test_the_parameter_that_is_named_is_the_one_whose_argument_is_wrong(c):
    for wrong in range(3):
        arguments = [c, 1, c]
        arguments[wrong] = "nothing"
        with pytest.raises((KernelSignatureError, DTypeError), match=rf"the parameter .*{'abd'[wrong]} of f: "):
            bind("float* a, int b, const float* d", *arguments)


def test_memory_of_two_devices_is_refused(c):
    with pytest.raises(DeviceMismatchError, match="the arguments of f are on cpu and sim; move them to one"):
        bind("float* a, float* b", c, c.to("sim"))


def test_an_argument_that_is_given_twice_is_used_twice(c):
    assert [use.writing for use in bind("float* a, const float* b", c, c).uses] == [True, False]


@pytest.mark.parametrize(
    ("declared", "dtype"),
    [
        ("__half", "float16"),
        ("__nv_bfloat16", "bfloat16"),
        ("nv_bfloat16", "bfloat16"),
        ("hip_bfloat16", "bfloat16"),
        ("__hip_bfloat16", "bfloat16"),
    ],
)
def test_types_that_are_not_c_s_own_are_numbers_too(declared, dtype):
    (value,) = bind(f"{declared} x", 1.5).values
    assert (value.dtype, value) == (as_dtype(dtype), 1.5)
