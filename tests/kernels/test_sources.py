"""Compiler messages become errors at a line of the user's source."""

import pytest

from accel.errors import KernelSyntaxError
from accel.kernels.raw.sources import KernelSource

FILE = "a dir/my (1).cu"
TEXT = "".join(f"line {number}\n" for number in range(1, 9))
UNKNOWN = {
    "NVRTC": """
        {file}(4): warning #177-D: variable "n" was declared but never referenced

        {file}(5): error: identifier "nope" is undefined
              if (i < nope) return;
                      ^

        1 error detected in the compilation of "kernels.cu".
    """,
    "clang": """
        In file included from /tmp/comgr/input/CompileSource:3:
        {file}:5:13: error: identifier "nope" is undefined
            5 |     if (i < nope) return;
              |             ^
        1 error generated when compiling for gfx942.
    """,
    "g++": """
        {file}: In function 'void f(accel::View<const float, 2>)':
        {file}:5:13: error: identifier "nope" is undefined
    """,
}
INCLUDED = {
    "NVRTC": """
        {file}(5): catastrophic error: cannot open source file "missing.h"
          #include "missing.h"
    """,
    "clang": "{file}:5:10: fatal error: 'missing.h' file not found",
    "g++": "{file}:5:10: fatal error: missing.h: No such file or directory",
}
IN_THE_VIEW = {
    "NVRTC": """
        view.cuh(12): error: static assertion failed with "one integer for each axis"
                  static_assert(sizeof...(index) == Rank, "one integer for each axis");
                  ^
                  detected during instantiation of "T &accel::View<T, Rank>::operator()" at line 5 of {file}
    """,
    "clang": """
        view.cuh:12:23: error: static assertion failed due to requirement 'n == 2': one integer for each axis
           12 |         static_assert(sizeof...(index) == Rank, "one integer for each axis");
        {file}:5:24: note: in instantiation of function template specialization 'accel::View<float, 2>' requested here
    """,
    "g++": """
        view.cuh: In instantiation of 'T& accel::View<T, Rank>::operator()(Index ...) const [with T = float]':
        {file}:5:24:   required from here
        view.cuh:12:40: error: static assertion failed: one integer for each axis
    """,
}


def refused(said, file=FILE):
    """Return the error for a compiler message, which is preceded by a header line."""
    lines = [line.removeprefix("        ") for line in said.format(file=file).splitlines()]
    return KernelSource(TEXT, file).located_error(
        "f", KernelSyntaxError("\n".join(["the kernel f could not be compiled:", *lines]))
    )


@pytest.mark.parametrize("compiler", UNKNOWN)
@pytest.mark.parametrize("file", [FILE, "<source>", r"C:\kernels\f.cu"])
@pytest.mark.parametrize(
    ("said", "what"),
    [
        (UNKNOWN, 'identifier "nope" is undefined'),
        (INCLUDED, "missing.h"),
        (IN_THE_VIEW, "one integer for each axis"),
    ],
)
def test_each_compilers_words_lead_to_the_line(compiler, file, said, what):
    error = refused(said[compiler], file)
    assert (error.filename, error.lineno, error.text) == (file, 5, "line 5")
    assert error.msg.startswith("f does not compile: ")
    assert what in error.msg
    assert "\n" not in error.msg
    assert error.__notes__[0].startswith("the kernel f could not be compiled:\n")


@pytest.mark.parametrize("said", ["nvrtc: error: invalid value for --gpu-architecture", "other.h(5): error: bad", ""])
def test_what_names_no_line_of_the_source_is_left_as_it_is(said):
    error = refused(said)
    assert error.filename is None
    assert said in str(error)


def test_a_line_that_is_not_there_has_no_text():
    error = refused("{file}(99): error: unexpected end of file")
    assert (error.lineno, error.text) == (99, None)


def test_the_file_is_named_as_c_writes_text():
    assert '#line 1 "C:\\\\a \\"b\\".cu"\n' in KernelSource("", 'C:\\a "b".cu').unit


@pytest.mark.slow
def test_what_all_kernels_are_given_is_installed(installed):
    assert (installed / "accel/kernels/raw/view.cuh").read_text() in KernelSource("", "<source>").unit
