"""Kernels of texts in CUDA on the module that stands for CuPy: results, and reports with lines of the Python file."""

from pathlib import Path

import pytest

import accel
from accel.errors import KernelMemoryError, KernelRaceError, KernelSyntaxError
from accel.testing import cupy_on_sim, no_races, seeded
from accel.testing.simulation import drop

from .cupy_class_programs import CLASS_PROGRAMS
from .cupy_jit_programs import JIT_PROGRAMS
from .cupy_name_programs import LIBRARY_PROGRAMS, NAME_PROGRAMS
from .cupy_programs import PROGRAMS
from .cupy_vectorize_programs import VECTORIZE_PROGRAMS


@pytest.fixture(autouse=True)
def nothing_is_in_flight():
    drop()
    yield
    drop()


@pytest.fixture
def cp():
    """The module that stands for CuPy, with all checks."""
    with accel.using(kernel_checks="all"), cupy_on_sim() as cupy:
        yield cupy


EVERY = {**PROGRAMS, **JIT_PROGRAMS, **CLASS_PROGRAMS, **NAME_PROGRAMS, **VECTORIZE_PROGRAMS, **LIBRARY_PROGRAMS}
SLOW = (
    *("elements_of_each_type", "totals_along_axes", "totals_of_other_types", "shapes_are_broadcast"),
    *("raw_kernels_of_complex_numbers", "raw_arrays_are_indexed_by_the_kernel", "arrays_of_two_axes"),
    *("types_are_those_of_operators_with_numbers_of_a_fixed_type", "choices_and_loops", "arrays_are_broadcast"),
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in EVERY]
)
def test_programs_of_cupy_give_what_numpy_gives(cp, name):
    with seeded(3), no_races():
        EVERY[name](cp)


def line_of(text):
    """Return the line of this file with a text; of this call the text is one, too."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_report_names_the_line_of_the_python_file(cp):
    shift = cp.ElementwiseKernel(
        "raw T x",
        "T y",
        """
        const T next = x[i + 1];
        y = next;
        """,
        "shift",
    )
    with pytest.raises(KernelMemoryError, match="x\\[10\\], right after the end of x") as caught:
        shift(cp.ones(10), size=10).get()
    place = caught.value.reports[0].place.frames[0]
    assert (Path(place.file).name, place.line) == (Path(__file__).name, line_of("const T next"))


def test_a_race_of_elements_is_reported(cp):
    total = cp.ElementwiseKernel("T x", "raw T sum", "sum[0] += x;", "total")
    result = cp.zeros(1)
    total(cp.ones(10), result)
    with pytest.raises(KernelRaceError) as caught:
        result.get()
    assert caught.value.reports[0].place.frames[0].line == line_of('"sum[0] += x;"')
    drop()


def test_an_error_of_the_text_is_raised_by_the_call(cp):
    with pytest.raises(KernelSyntaxError, match="nothing_like_it"):
        cp.ElementwiseKernel("T x", "T y", "y = nothing_like_it(x);", "wrong")(cp.ones(3))


def test_arrays_on_another_device_are_refused(cp):
    with cp.cuda.Device(1):
        x = cp.ones(3)
    with pytest.raises(ValueError, match="different from the current device"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "copied")(x)


def test_a_text_that_the_file_does_not_have_is_named_by_its_kernel(cp):
    text = f"y = x[i + {5}]"
    with pytest.raises(KernelMemoryError) as caught:
        cp.ElementwiseKernel("raw T x", "T y", text, "shift")(cp.ones(10), size=10).get()
    assert caught.value.reports[0].place.where == "<operation of shift>:1"


def test_a_report_names_the_line_of_a_kernel_in_python(cp):
    from cupyx import jit

    @jit.rawkernel()
    def beyond(x):
        i = jit.threadIdx.x
        if i > 0:
            x[i + 1] = 1

    x = cp.ones(10)
    beyond((1,), (10,), (x,))
    with pytest.raises(KernelMemoryError, match="x\\[10\\], right after the end of x") as caught:
        x.get()
    place = caught.value.reports[0].place.frames[0]
    assert (Path(place.file).name, place.line) == (Path(__file__).name, line_of("x[i + 1] = 1"))
    assert place.text == "x[i + 1] = 1"


def test_what_a_vectorized_function_does_wrong_names_its_line(cp):
    @cp.vectorize
    def endless(x):
        while x > 0:
            x += 1
        return x

    with accel.using(kernel_limit=1), pytest.raises(accel.errors.KernelCheckError, match=r"while x > 0|x \+= 1"):
        endless(cp.ones(1)).get()
