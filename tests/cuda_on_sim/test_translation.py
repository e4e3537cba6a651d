import re

import pytest
from accel.backends.cuda_on_cpu.text.tokens import code_of, line_of, numbered, tokens
from accel.backends.cuda_on_cpu.text.translation import constants, translated
from hypothesis import example, given
from hypothesis import strategies as st

from ..tables import rows

PIECES = st.sampled_from(
    [
        "x", "int", "1'000.5e-3f", '"a // b"', '"\\""', "'\"'", 'R"x(a)" // )x"', "// comment\n", "/* {\n */", "\n",
        "#define A \\\n b\n", "#include <x.h> // y\n", " ", "{", "}", "(", ")", "<<<", ">>>", "::", ";", "\\", '"', "'",
        "#",         "é", "\t", "extern __shared__ float s[];", "float y;", "asm(", "__constant__",
    ]
)  # fmt: skip


@given(st.lists(PIECES).map("".join))
def test_tokens_are_the_source(source):
    pieces = list(tokens(source))
    assert "".join(token.text for token in pieces) == source
    assert all(source.startswith(token.text, token.start) and token.text for token in pieces)


@example("asm(asm(// comment\nx", False)  # one statement inside of another, both without an end
@given(st.lists(PIECES).map("".join), st.booleans())
def test_any_text_is_translated_and_keeps_its_lines(source, checked):
    assert translated(source, checked=checked).count("\n") == source.count("\n")


@given(st.lists(PIECES.filter(lambda piece: piece not in {"extern __shared__ float s[];", "asm(", "\\"})).map("".join))
def test_unchecked_code_without_cuda_of_its_own_stays_as_it_is(source):
    assert translated(source, checked=False) == source


def test_comments_strings_and_directives_are_no_code():
    source = '#define X {\\\n {\n"{" /* { */ // {\n\'{\' R"({)" x'
    assert [token.text for token in code_of(source)] == ['"{"', "'{'", 'R"({)"', "x"]


def test_a_directive_may_be_indented_and_follow_a_comment():
    assert [token.text for token in code_of("  #if A\n\t/* a */ # define B 1\nx # y")] == ["x", "#", "y"]


def declared(source):
    return re.findall(r"accel_sim::declared\((\w+)\)", translated(source, checked=True))


@rows(
    ("body", "names"),
    [
        ("float x;", ["x"]),
        ("float a, b[4], *c;", ["a", "b", "c"]),
        ("float a = 0, b;", ["b"]),
        ("float a = f(1, 2), b[2] = {1, 2}, c;", ["c"]),
        ("unsigned long long x; const T* p;", ["x", "p"]),
        ("typename A<int, 3>::B x;", ["x"]),
        ("std::array<std::array<float, 2>, 3> x;", ["x"]),
        ("alignas(16) float x[4]; __align__(8) float y;", ["x", "y"]),
        ("if (n) { int q; }", ["q"]),
        ("for (int i = 0; i < n; ++i) { int q; }", ["q"]),
        ("switch (n) { case A::B: int k; break; default: int j; }", ["k", "j"]),
        ("auto g = [&](int k) { float z; return z; };", ["z"]),
        ("f([] { float z; });", ["z"]),
        ("here: float z;", ["z"]),
        ("f(); float\n  z\n ;", ["z"]),
        ("float x = 1; x;", []),
        ("float x(3), y{3}; return x;", []),
        ("for (int i; i < 3;) {}", []),
        ("static float x; extern int y; __shared__ int z; constexpr int k = 1; using T = int;", []),
        ("struct P { int a; float b; } p;", []),
        ("goto end; delete p; x = y ? u : v; a < b; (void)x; break;", []),
        ('int (*p)[3]; asm("x");', []),
        ("int k = n ? n : n * x;", []),
        ('// float x;\n"float y;";', []),
    ],
)  # fmt: skip
def test_local_declarations_without_a_value_are_declared(body, names):
    for head in ("void f(int n)", "template <class T, struct S> __global__ void __launch_bounds__(2) f(struct S s)"):
        assert declared(f"{head} {{ {body} }} int after;") == names


@pytest.mark.parametrize(
    "source",
    [
        "struct A { int x; float y; };",
        "struct alignas(16) A { int x; };",
        "struct __align__(16) { int x; } a;",
        "template <class T> struct A<T, void> : B<T> { int x; };",
        "namespace a::b { int x; namespace { __device__ int y; } }",
        'extern "C" { int x; }',
        "enum E { A, B }; union U { int x; float y; };",
        "typedef struct { int x; } T; class C final { int x; };",
        "using T = struct { int x; }; using U = struct alignas(8) { int x; }; struct ALIGNED(8) A { int x; };",
        "struct A : B<(N > 1)> { int x; }; enum class E : int { A, B }; void f() { using T = struct { int x; }; }",
        "int x = 1; __device__ float y; __constant__ float z[3];",
        "void f(int a) { struct L { int x; }; }",
    ],
)
def test_what_no_function_declares_is_left_alone(source):
    assert translated(source, checked=True) == source


@pytest.mark.parametrize("after", ["", " const", " noexcept", " noexcept(true)", " const &", " -> struct A"])
def test_functions_that_return_a_class_are_functions(after):
    for before in ("struct A f(int n)", "inline enum E f()", "__attribute__((unused)) struct A f()"):
        assert declared(f"{before}{after} {{ int x; }}") == ["x"]
    assert declared(f"auto f(){after or ' -> struct A'} {{ int x; }}") == ["x"]


def test_methods_are_functions():
    assert declared("struct A { int m; A() : m(0), n{1} { int x; } int f() const { int y; } };") == ["x", "y"]


def test_an_if_of_the_preprocessor_may_open_a_bracket_in_each_branch():
    source = "#if A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n  int x;\n}\n__device__ int y;"
    assert declared(source) == ["x"]


POINTER = "accel_sim::here()->dynamic_shared"


@pytest.mark.parametrize(
    ("declaration", "pointer"),
    [
        ("extern __shared__ float s[]", f"float (*const s) = (float (*)){POINTER}"),
        ("__shared__ extern float s[]", f"float (*const s) = (float (*)){POINTER}"),
        ("extern __shared__ __align__(sizeof(T)) unsigned char s[]",
         f"unsigned char (*const s) = (unsigned char (*)){POINTER}"),
        ("extern volatile __shared__ T s[][32]", f"volatile T (*const s)[32] = (volatile T (*)[32]){POINTER}"),
        ("extern __shared__ A<int>::B s[64]", f"A < int > :: B (*const s) = (A < int > :: B (*)){POINTER}"),
        ("extern __shared__ int a[], b[]", f"int (*const a) = (int (*)){POINTER}; int (*const b) = (int (*)){POINTER}"),
        ("extern __shared__ Storage s", f"Storage &s = *(Storage *){POINTER}"),
    ],
)  # fmt: skip
def test_dynamic_shared_memory_becomes_a_pointer(declaration, pointer):
    assert translated(f"void f() {{ {declaration}; }}", checked=False) == f"void f() {{ {pointer}; }}"
    assert translated(f"#define D {declaration}\n", checked=False) == f"#define D {pointer}\n"


def test_dynamic_shared_memory_outside_of_functions_is_declared_in_those_that_use_it():
    source = (
        "extern __shared__ int s[];\nvoid f() { s[0] = 1; }\nvoid g(int* s) { s; } void h() { int s = 0; } void i() {}"
    )
    pointer = f"int (*const s) = (int (*)){POINTER};"
    assert translated(source, checked=False) == f";\nvoid f() {{ {pointer}{source[source.index(' s[0]') :]}"


def test_static_shared_memory_stays():
    source = "__shared__ int a; void f() { __shared__ float s[32]; extern int n; }"
    assert translated(source, checked=True) == source


HOST = [
    'asm volatile("rdtsc" : "=a"(low), "=d"(high));',
    '__asm__ __volatile__("xchgl %0, %1" : "+r"(x), "+m"(y) :: "memory");',
    'asm volatile("cpuid\\n\\tlfence" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1));',
    'asm(".byte 0x0f, 0x31");',
    'asm volatile("" : "+m"(x) : : "memory");',
    'asm volatile("" ::: "memory");',
    'register int r asm("rax");',
]


@pytest.mark.parametrize("statement", HOST)
@pytest.mark.parametrize(
    "head",
    ["{}", "void f() {{ {} }}", "template <int N> struct S {{ static int g() {{ {} }} }};", "#define CLOCK {}\n"],
)
def test_assembly_of_the_host_stays(head, statement):
    for before in ("", "__global__ void k() { int x = 1; }\n", "__device__ int number;\n"):
        source = before + head.format(statement)
        assert translated(source, checked=False) == source


def test_assembly_without_instructions_stays_in_kernels_too():
    source = '__global__ void k(int* x) { asm volatile("" ::: "memory"); }'
    assert translated(source, checked=False) == source


@pytest.mark.parametrize(
    "head",
    [
        "__global__ void f()",
        "__host__ __device__ int f()",
        "struct S { __device__ void f()",
        "void f() { g([] __device__",
    ],
)
def test_assembly_of_the_host_is_an_error_in_code_of_the_device(head):
    assert "static_assert(false" in translated(f"{head} {{ {HOST[0]} }}", checked=False)


@pytest.mark.parametrize("text", ["trap;", "exit;", "ret;", "brkpt;", "@p exit;", "wgmma.fence.sync;", "@!%p ret;"])
def test_inline_ptx_of_a_function_without_attributes_stays_an_error(text):
    assert "static_assert(false" in translated(f'void f() {{ asm volatile("{text}"); }}', checked=False)


def test_inline_ptx_is_an_error_that_names_the_instruction():
    text = translated('void f() { asm volatile("mov.u32 %0, %%smid;\\n"\n : "=r"(x)); }', checked=False)
    assert 'static_assert(false, "CUDA that is not simulated: inline PTX (mov.u32 %0, %%smid;)")' in text
    assert text.count("\n") == 1


def test_constants_are_named():
    source = (
        "__constant__ float a[4] = {1}; static __constant__ const int b; __constant__ T<int> c{}; __device__ int d;"
    )
    assert constants(source) == ("a", "b", "c")


def test_lines_are_numbered_as_the_source_says():
    source = 'a\n#line 7 "dir/b \\"c\\".cu"\nd\n  # line 90\ne\n'
    assert list(numbered(source)) == [
        (("<source>", 1), "a"),
        (('dir/b "c".cu', 7), "d"),
        (('dir/b "c".cu', 90), "e"),
        (('dir/b "c".cu', 91), ""),
    ]
    assert line_of(source, source.index("d\n")) == ('dir/b "c".cu', 7)
    assert line_of(source, 0) == ("<source>", 1)
