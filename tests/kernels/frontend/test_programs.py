"""What small kernels become."""

import numpy as np

from accel.dtypes import f32
from accel.ir.text import program_text
from accel.kernels import accumulator
from accel.kernels.functions import func

from .execution import lowered


@func
def clipped(x, most):
    if x > most:
        return most
    return x


def test_a_loop_becomes_one_parallel_step():
    def scale(v, factor: f32):
        for i in range(v.size):
            v[i] = clipped(v[i], 5) * factor

    program = lowered(scale, np.ones(3, np.float32), 2.0)[0].program
    assert program_text(program).splitlines()[:2] == [
        "kernel scale(v: float32[:], factor: float32)",
        "  parallel i in range(v.shape[0]):",
    ]
    assert len(program.steps) == 1
    assert not program.frame


def test_what_depends_on_parameters_alone_is_computed_in_each_step():
    def kernel(v, n):
        half, first = n // 2, v[0]
        s = accumulator(f32, 0)
        for i in range(half):
            s += v[i] * first
        return s, half

    program = lowered(kernel, np.ones(3, np.float32), 2)[0].program
    frame = {each.name for each in program.frame}
    assert "half" in {each.target.name for each in program.prelude}
    assert "half" not in frame
    assert {"first", "s"} <= frame
    assert [type(step).__name__ for step in program.steps] == ["Once", "Loop", "Once"]


def test_the_same_kernel_for_the_same_types_is_the_same_program():
    def kernel(v, n):
        for i in range(n):
            x = v[i]
            while x > 1:
                x = x / 2 if i % 2 else x - n
            v[i] = x

    first, second = (lowered(kernel, np.ones(3, np.float32), 2)[0].program for _ in range(2))
    assert first == second
