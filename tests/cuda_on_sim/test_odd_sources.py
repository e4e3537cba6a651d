"""Sources as C++ allows them: any ends of lines, encodings, strings, comments, and heads of kernels."""

import numpy as np
import pytest

import accel
from accel import RawKernel
from accel.errors import KernelSyntaxError
from tests.tables import rows

HEAD = 'extern "C" __global__ void k(int* y)'
BODY = "{ y[threadIdx.x] = threadIdx.x; }"
DYNAMIC = "#define DYN(T, n) \\\n extern __shared__ \\\n T n[]\n"
ADD = '#define ADD(d, a) \\\n asm("add.s32 %0, %1, 0;" \\\n : "=r"(d) : "r"(a))\n'


def body(statements, value="threadIdx.x"):
    return f"{HEAD} {{ {statements} y[threadIdx.x] = {value}; }}"


SOURCES = {
    "a mark of the order of bytes": f"\ufeff{HEAD} {BODY}",
    "bytes of another encoding": f"// Gr\udcf6\udcdfe\n{HEAD} {BODY}",
    "an end of a line in a name": f"{HEAD.replace('glo', 'glo' + chr(92) + chr(10))} {BODY}",
    "a block of C": f'extern "C" {{\n__global__ void k(int* y) {BODY}\n}}',
    "a block of C after a string":
        f'__device__ const char* s = "}}";\nextern "C" {{\n__global__ void k(int* y) {BODY}\n}}',
    "attributes": f'extern "C" [[gnu::noinline]] __global__ void __launch_bounds__(max(64, 32)) k(int* y) {BODY}',
    "void first": f'extern "C" void __global__ k(int* y) {BODY}',
    "a type after the parameters": f'extern "C" __global__ auto k(int* y) -> void {BODY}',
    "marks of comments in strings":
        f'__device__ const char *s = "/*", *t = "//";\n{HEAD} {BODY}\nconst char* u = "*/";',
    "comments in the head":
        f'extern "C" /* a */ __global__ // b\n void /* c */ k /* d */ (int* y /* , int z */) {BODY}',
    "a kernel in a raw string": f'const char* s = R"(extern "C" __global__ void k(float z))";\n{HEAD} {BODY}',
    "brackets in a raw string":
        body('const char* s = R"x(}}} // /* <<<1, 2>>> asm( )x"; int q; q = s[0] != 125;', "threadIdx.x + q"),
    "shared memory in a macro of three lines":
        DYNAMIC + body("DYN(int, s); s[threadIdx.x] = threadIdx.x;", "s[threadIdx.x]"),
    "assembly in a macro of three lines": ADD + body("int d; ADD(d, threadIdx.x);", "d"),
    "assembly in a raw string": body('int d; asm(R"(add.s32 %0, %1, 0;)" : "=r"(d) : "r"(threadIdx.x));', "d"),
    "comments in assembly": body('int d; asm /* ) */ ("add.s32 %0, %1, 0;" // "\n : "=r"(d) : "r"(threadIdx.x));', "d"),
    "quotes in code that is left out": f"#if 0\nit's not code {{{{{{ \" \n#endif\n{HEAD} {BODY}",
    "digraphs": 'extern "C" __global__ void k(int* y) <% y<:threadIdx.x:> = threadIdx.x; %>',
    "letters of any alphabet": body("int größe; größe = 1; int 数; 数 = -1;", "threadIdx.x + größe + 数"),
    "separators of digits": body("int x; x = 1'000 - 0x3'e8;", "threadIdx.x + x"),
    "a launch in a macro": f"#define LAUNCH(f, n) f<<<n, 1>>>()\n{HEAD} {BODY} // k<<<1, 2>>>()",
    "a function that returns a struct":
        "struct P { int a; __device__ struct P get() const { int z; z = a; struct P p{z}; return p; } };\n"
    + body("P p{0};", "threadIdx.x + p.get().a"),
    "an alias of a struct": "using T = struct { int a, b; };\n" + body("T t; t.a = 0;", "threadIdx.x + t.a"),
}  # fmt: skip


@pytest.mark.slow
@rows("what", SOURCES)
def test_what_compilers_of_cpp_take_runs(what):
    y = accel.zeros(8, "int32", device="sim")
    with accel.using(kernel_checks="all"):
        for source in (SOURCES[what], SOURCES[what].replace("\n", "\r\n")):
            RawKernel.from_source(source, "k")(y, grid=1, block=8, shared=32).wait()
            assert y.to_numpy().tolist() == list(range(8))
            y.copy_from(accel.zeros(8, "int32"))


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_errors_name_the_line_whatever_its_end(ends):
    kernel = RawKernel.from_source(f"\ufeff// one{ends}{HEAD} {{{ends}  *y = nothing;{ends}}}", "k")
    with pytest.raises(KernelSyntaxError, match="nothing") as caught:
        kernel.compiled("sim")
    assert (caught.value.lineno, caught.value.text) == (3, "  *y = nothing;")


def test_files_have_any_encoding(tmp_path):
    for number, text in enumerate((b"\xef\xbb\xbf", b"// Gr\xf6\xdfe\r\n")):
        (tmp_path / f"{number}.cu").write_bytes(text + f"{HEAD} {BODY}".encode())
        y = accel.zeros(8, "int32", device="sim")
        RawKernel.from_file(tmp_path / f"{number}.cu")(y, grid=1, block=8)
        assert np.asarray(y.to("cpu")).tolist() == list(range(8))


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null"])
def test_files_that_may_have_no_end_are_not_read(name):
    with pytest.raises(ValueError, match="is no regular file; write the source to one"):
        RawKernel.from_file(name, "k")
