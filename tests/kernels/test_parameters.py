"""Kernel signatures in the many spellings of C++ are parsed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.dtypes import as_dtype
from accel.errors import KernelSignatureError
from accel.kernels.raw.parameters import _SCALARS, Parameter, only_kernel, parameters_of
from accel.kernels.raw.vectors import vector_named

from ..tables import rows

QUICK = settings(max_examples=80, deadline=None, database=None)
KEYWORDS = {word for kind in _SCALARS for word in kind.split()}
names = st.from_regex(r"[A-Za-z_][A-Za-z_0-9]{0,8}", fullmatch=True).filter(lambda name: name not in KEYWORDS)
spaces = st.sampled_from([" ", "  ", "\n    ", " /* why, ( not */ ", " // so,\n"])


@st.composite
def declared(draw):
    """Draw a parameter and a C++ spelling of it."""
    kind, name, space = draw(st.sampled_from(sorted(_SCALARS))), draw(names), draw(spaces)
    dtype, rank = as_dtype(_SCALARS[kind]), draw(st.sampled_from([None, 0, 1, 2, 4]))
    if kind[0] == "c" and kind.startswith("complex"):
        kind = draw(st.sampled_from(["", "thrust::", "cuda::std::"])) + kind
    writable = rank is not None and draw(st.booleans())
    element = kind if writable else draw(st.sampled_from([f"const {kind}", f"{kind} const"]))
    if rank is None:
        text = draw(st.sampled_from([element, kind])) + space + name
    elif rank == 0:
        stars = ["* ", " *", "*", f"*{space}__restrict__ ", " * const ", "* const __restrict__ "]
        text = element + draw(st.sampled_from(stars)) + name
    else:
        room, front = draw(st.sampled_from(["accel::View", "View"])), draw(st.sampled_from(["", "const "]))
        text = f"{front}{room}<{element},{draw(st.sampled_from(['', ' ', space]))}{rank}>{space}{name}"
    return Parameter(name, dtype, rank, writable, vector_named(kind) if rank == 0 else None), text


@st.composite
def kernels(draw):
    """Draw the parameters of a kernel and its source."""
    drawn = draw(st.lists(declared(), max_size=6))
    bounds = draw(st.sampled_from(["", "__launch_bounds__(256, 2) "]))
    name, space = draw(names), draw(spaces)
    head = draw(st.sampled_from([f"{bounds}void ", f"void {bounds}"]))
    text = f",{space}".join(text for _, text in drawn)
    return (
        [parameter for parameter, _ in drawn],
        name,
        f'extern "C"{space}__global__ {head}{name}({text}) {{ f(1, 2); }}',
    )


@QUICK
@given(kernels())
def test_parameters_are_read_from_the_source(kernel):
    parameters, name, source = kernel
    assert list(parameters_of(source, name)) == parameters
    assert only_kernel(source) == name


@QUICK
@given(st.lists(kernels(), min_size=2, max_size=4, unique_by=lambda kernel: kernel[1]))
def test_each_of_several_kernels_has_its_own(found):
    source = "\n".join(["__device__ void helper(int, float) {}", *[text for _, _, text in found]])
    for parameters, name, _ in found:
        assert list(parameters_of(source, name)) == parameters
    with pytest.raises(KernelSignatureError, match=rf"has {', '.join(name for _, name, _ in found)}; name one of them"):
        only_kernel(source)


def test_a_parameter_is_shown_as_it_is_checked():
    source = 'extern "C" __global__ void f(const float* a, View<int, 2> b, accel::View<const double, 1> c, size_t d) {}'
    shown = ["const float32* a", "View<int32, 2> b", "View<const float64, 1> c", "uint64 d"]
    assert [str(parameter) for parameter in parameters_of(source, "f")] == shown
    vectors = 'extern "C" __global__ void f(const float4* a, uchar3 *__restrict__ b, float2* c, float2 d) {}'
    shown = ["const float4* a", "uchar3* b", "float2* c", "complex64 d"]
    assert [str(parameter) for parameter in parameters_of(vectors, "f")] == shown


def test_void_is_no_parameter():
    assert parameters_of('extern "C" __global__ void f(void) {}', "f") == ()


@rows(
    "text",
    [
        "float** x",
        "Mine x",
        "Mine* x",
        "long x",
        "float4 x",
        "float5* x",
        "accel::View<float4, 1> x",
        "const float& x",
        "float x[3]",
        "accel::View<float, 0> x",
        "accel::View<float, N> x",
        "accel::View<Mine, 2> x",
        "accel::View<float, 2>* x",
        "float*",
        "void* x",
        "void (*f)(int)",
    ],
)
def test_a_type_that_cannot_be_checked_is_refused_with_its_text(text):
    with pytest.raises(KernelSignatureError) as caught:
        parameters_of(f'extern "C" __global__ void f(int a, {text}) {{}}', "f")
    assert f"the parameter {text!r} of f has an unsupported type" in str(caught.value)
    assert "accel::View<T, rank>" in str(caught.value)


def test_a_kernel_that_is_not_there_is_refused_with_those_that_are():
    source = 'extern "C" __global__ void one() {} extern "C" __global__ void two() {} __global__ void mangled() {}'
    with pytest.raises(KernelSignatureError, match=r"no kernel 'mangled' is in the source, which has one, two; write"):
        parameters_of(source, "mangled")
    with pytest.raises(KernelSignatureError, match=r"the source has no kernel; write extern"):
        only_kernel('// extern "C" __global__ void one() {}')


def test_a_kernel_that_the_preprocessor_chooses_must_have_the_same_parameters():
    one, other = (f'extern "C" __global__ void f({kind} x) {{}}' for kind in ("int", "float"))
    with pytest.raises(KernelSignatureError, match="the source has f several times, with different parameters"):
        parameters_of(f"#if A\n{one}\n#else\n{other}\n#endif", "f")
    same = f"#if A\n{one}\n#else\n{one}\n#endif"
    assert (only_kernel(same), len(parameters_of(same, "f"))) == ("f", 1)
