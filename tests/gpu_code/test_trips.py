"""The host computes how many iterations a loop has, and which distances a launch has, before it launches."""

from math import prod

from accel.backends.cupy.device_code import reach, trips
from hypothesis import given
from hypothesis import strategies as st

from accel.ir import INDEX, Assign, Cast, Extent, Loop, Number, Program, Stride

from .pieces import POSITION, const, index, local, program, view

V, N = view("v", "f4", 2), Number("n", INDEX)
FEW = st.integers(-50, 50)
STEPS = FEW.filter(bool)


def looped(starts, stops, steps):
    indices = (POSITION, local("j"))[: len(starts)]
    return Loop(indices, tuple(starts), tuple(stops), tuple(steps), ())


@given(st.lists(st.tuples(FEW, FEW, STEPS), min_size=1, max_size=2))
def test_iterations_are_those_of_ranges(ranges):
    loop = looped(*[[*map(const, bounds)] for bounds in zip(*ranges, strict=True)])
    assert trips(program("f", [V], loop), loop)([0, 1, 1, 1, 1]) == prod(len(range(*each)) for each in ranges)


@given(st.integers(0, 50), st.integers(0, 50), FEW, STEPS)
def test_bounds_are_computed_from_arguments_and_the_prelude(rows, columns, n, step):
    half = Assign(local("half"), index("floordiv", index("add", Extent("v", 1), local("n")), const(2)))
    lost = Assign(local("lost", "f4"), Cast(local("n"), local("lost", "f4").dtype))
    loop = looped([const(1), local("n")], [index("mul", Extent("v", 0), const(3)), local("half")], [const(step)] * 2)
    function = Program("f", (V, N), (lost, half), (loop,))
    expected = len(range(1, 3 * rows, step)) * len(range(n, (columns + n) // 2, step))
    assert trips(function, loop)([0, rows, columns, 7, 8, n]) == expected


def test_arithmetic_wraps_around_as_on_the_device():
    loop = looped([const(0)], [index("mul", local("n"), const(4))], [const(1)])
    assert trips(program("f", [N], loop), loop)([(1 << 62) + 5]) == 20


def test_what_a_step_before_computes_is_not_known():
    loop = looped([const(0)], [local("total")], [const(1)])
    assert trips(program("f", [V], loop, frame=(local("total"),)), loop) is None


@given(st.lists(st.tuples(st.integers(0, 9), FEW), min_size=2, max_size=2))
def test_no_element_is_further_away_than_the_reach(axes):
    extents, strides = zip(*axes, strict=True)
    distances = [i * strides[0] + j * strides[1] for i in range(extents[0]) for j in range(extents[1])]
    distance = reach(program("f", [N, V], looped([const(0)], [Stride("v", 0)], [const(1)])))
    assert distance([1 << 40, 0, *extents, *strides]) >= max([0, *map(abs, distances)])
