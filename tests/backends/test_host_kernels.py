"""Kernels of the host: loops, reductions, memory, and debug mode."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from accel.backends.common.host_kernels import host_kernel, host_source
from accel.backends.cpu import BACKEND
from accel.backends.sim.kernels import interpret
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel.abc import Failure, SupportsKernels
from accel.device import Device
from accel.dtypes import as_dtype
from accel.errors import CapabilityError
from accel.ir import (
    Assign,
    Atomic,
    Break,
    Cast,
    Check,
    Const,
    Continue,
    Extent,
    For,
    Frame,
    Guard,
    If,
    Load,
    Local,
    Loop,
    Number,
    Once,
    Reduction,
    Stride,
    While,
)

from . import short_ir as ir
from .host_runs import arguments_of, run, same

N, J, K = (ir.local(name) for name in "ijk")
LAYERS = pytest.mark.parametrize("run", [run, lambda program, memories: interpret(program, memories, {})])
I64 = np.dtype(np.int64)
FLOATS = [as_dtype(name) for name in ("float16", "bfloat16", "float32", "float64")]
small = st.integers(-12, 12)
paces = st.integers(-5, 5).filter(bool)


def number(value, dtype=ir.F32):
    return Const(value, np.dtype(dtype))


def counted(axes):
    """Return a loop that adds 1, atomically, to the element of each combination of indices, which begin anywhere."""
    names = [ir.local(f"i{axis}") for axis in range(len(axes))]
    at = ir.index(0)
    for local, values in zip(names, axes, strict=True):
        place = ir.op("floordiv", ir.op("sub", local, ir.index(values.start)), ir.index(values.step))
        at = ir.add(ir.op("mul", at, ir.index(max(len(values), 1))), place)
    bounds = ([ir.index(getattr(values, end)) for values in axes] for end in ("start", "stop", "step"))
    return Loop(tuple(names), *map(tuple, bounds), (Atomic("add", "v", at, number(1, I64)),))


class TestLoops:
    @LAYERS
    @settings(max_examples=40)
    @given(axes=st.lists(st.builds(range, small, small, paces), min_size=1, max_size=3))
    def test_each_combination_of_indices_is_done_once(self, run, axes):
        result = np.zeros(math.prod(map(len, axes)), np.int64)
        run(ir.program(counted(axes), parameters=[ir.view("v", I64)]), {"v": result})
        assert result.tolist() == [1] * result.size

    @pytest.mark.parametrize("threads", [1, 2, 5])
    def test_each_iteration_is_done_once_in_several_threads(self, threads):
        result = np.zeros((1003, 997), np.int64)
        with accel.using(threads=threads):
            run(ir.program(counted([range(1003), range(997)]), parameters=[ir.view("v", I64)]), {"v": result.ravel()})
        assert (result == 1).all()

    @LAYERS
    @settings(max_examples=40)
    @given(start=small, stop=small, step=paces)
    def test_inner_loops_count_as_python_s(self, run, start, stop, step):
        put = Assign(J, ir.add(ir.op("mul", J, ir.index(3)), K))
        body = (Assign(J, ir.index(1)), Assign(K, ir.index(99)), For(K, *map(ir.index, (start, stop, step)), (put,)))
        body += (ir.put("v", ir.index(0), J), ir.put("v", ir.index(1), K))
        result = np.zeros(2, np.int64)
        run(ir.program(Once(body), parameters=[ir.view("v", I64)]), {"v": result})
        total, last = 1, 99
        for last in range(start, stop, step):
            total = total * 3 + last
        assert result.tolist() == [total, last]

    @LAYERS
    def test_break_and_continue_end_the_innermost_loop_or_its_iteration(self, run):
        odd = ir.compare("eq", ir.op("mod", K, ir.index(2)), ir.index(1))
        late = ir.compare("gt", K, ir.index(6))
        inner = For(K, ir.index(0), N, ir.index(1), (If(late, (Break(),)), If(odd, (Continue(),)), self.add(K)))
        skip = If(ir.compare("eq", N, ir.index(5)), (Continue(),))
        body = (Assign(J, ir.index(0)), skip, inner, ir.put("v", N, J))
        result = np.full(12, -1, np.int64)
        run(ir.program(ir.loop(body, ir.index(12)), parameters=[ir.view("v", I64)]), {"v": result})
        expected = [sum(k for k in range(min(i, 7)) if k % 2 == 0) for i in range(12)]
        expected[5] = -1
        assert result.tolist() == expected

    def add(self, value):
        return Assign(J, ir.add(J, value))

    @LAYERS
    def test_while_evaluates_its_condition_each_time(self, run):
        halve = While(
            ir.compare("gt", J, ir.index(1)),
            (
                Assign(J, ir.op("floordiv", J, ir.index(2))),
                Assign(K, ir.add(K, ir.index(1))),
                If(ir.compare("eq", K, ir.index(50)), (Break(),)),
            ),
        )
        body = (Assign(J, N), Assign(K, ir.index(0)), halve, ir.put("v", N, K))
        result = np.zeros(100, np.int64)
        run(ir.program(ir.loop(body, ir.index(100)), parameters=[ir.view("v", I64)]), {"v": result})
        assert result.tolist() == [max(i, 1).bit_length() - 1 for i in range(100)]

    def test_no_iteration_sees_a_variable_of_another(self):
        body = (If(ir.compare("eq", N, ir.index(3)), (Assign(J, ir.index(7)),)), ir.put("v", N, J))
        result = np.zeros(6, np.int64)
        run(ir.program(ir.loop(body, ir.index(6)), parameters=[ir.view("v", I64)]), {"v": result})
        assert result.tolist() == [0, 0, 0, 7, 0, 0]

    @LAYERS
    def test_steps_see_what_steps_before_left_in_the_frame(self, run):
        n = ir.local("n")
        first = Once((Assign(n, Load("v", ir.index(0), I64)),), Frame((), (n,)))
        second = ir.loop((ir.put("v", N, ir.add(n, N)),), n, frame=Frame((n,), ()))
        third = Once((ir.put("v", ir.index(9), n),), Frame((n,), ()))
        result = np.array([5, *[0] * 9])
        run(ir.program(first, second, third, parameters=[ir.view("v", I64)], frame=(n,)), {"v": result})
        assert result.tolist() == [5, 6, 7, 8, 9, 0, 0, 0, 0, 5]

    def test_the_last_iteration_leaves_its_variables_in_the_frame(self):
        body = (Assign(J, ir.op("mul", N, ir.index(3))),)
        program = ir.program(ir.loop(body, ir.index(5), frame=Frame((), (N, J))), frame=(N, J), results=(N, J))
        assert run(program)[1] == (4, 12)

    def test_bounds_are_those_from_before_the_loop(self):
        bounds = tuple(Load("v", ir.index(place), I64) for place in range(2))
        body = (Atomic("add", "v", ir.index(1), number(1, I64)),)
        result = np.array([300, 400])
        with accel.using(threads=3):
            run(ir.program(ir.loop(body, bounds, "i", "j"), parameters=[ir.view("v", I64)]), {"v": result})
        assert result.tolist() == [300, 400 + 300 * 400]

    @LAYERS
    @given(size=st.integers(0, 30), step=st.sampled_from([1, 2, 3, -1, -2]))
    def test_views_have_strides_of_any_sign(self, run, size, step):
        place = ir.strided("v", N)
        body = ir.put("v", place, ir.op("mul", ir.get("v", place), number(2), ir.F32))
        whole = np.arange(90, dtype="f4")
        expected = whole.copy()
        expected[:size][::step] *= 2
        program = ir.program(ir.loop([body], Extent("v", 0)), parameters=[ir.view()])
        assert run(program, {"v": whole[:size][::step]}) == (None, ())
        assert np.array_equal(whole, expected)

    def test_arrays_belong_to_an_iteration(self):
        fill = For(K, ir.index(0), ir.index(8), ir.index(1), (ir.put("a", K, ir.op("mul", K, N)),))
        total = For(K, ir.index(0), ir.index(8), ir.index(1), (Assign(J, ir.add(J, Load("a", K, I64))),))
        body = (fill, Assign(J, ir.index(0)), total, ir.put("v", N, J))
        program = ir.program(
            ir.loop(body, ir.index(5000)), parameters=[ir.view("v", I64)], arrays=(ir.private("a", 8, I64),)
        )
        result = np.zeros(5000, np.int64)
        run(program, {"v": result})
        assert np.array_equal(result, 28 * np.arange(5000))

    def test_arrays_that_no_stack_holds_are_refused(self):
        program = ir.program(ir.loop((), ir.index(1)), arrays=(ir.private("a", 1 << 18, I64),))
        with pytest.raises(CapabilityError, match="take 2097152 bytes, and at most 1048576 are possible on the host"):
            host_source(program)


def reduced(dtype, op, start=0):
    """Return the program that reduces a view x, from a first value."""
    total = ir.local("total", dtype)
    first = Once((Assign(total, Const(start, total.dtype)),), Frame((), (total,)))
    take = Assign(total, ir.op(op, total, ir.get("x", ir.strided("x", N), dtype), dtype))
    over = ir.loop((take,), Extent("x", 0), reductions=(Reduction(total, op),))
    return ir.program(first, over, parameters=[ir.view("x", dtype)], frame=(total,), results=(total,))


class TestReductions:
    @pytest.mark.parametrize("dtype", FLOATS, ids=str)
    @given(data=st.data())
    @settings(max_examples=20)
    def test_a_sum_of_floats_is_rounded_once(self, dtype, data):
        size = data.draw(st.integers(0, 5000))
        x = np.random.default_rng(size).normal(size=size).astype(dtype)
        _, (result,) = run(reduced(dtype, "add", 3), {"x": x})
        exact = 3 + math.fsum(x.astype(float))
        scale = float(np.abs(x.astype(float)).sum()) + abs(exact)
        step = {2: 2.0**-8, 4: 2.0**-24, 8: 2.0**-53}[dtype.itemsize]
        assert abs(float(result) - exact) <= step * abs(exact) + 20 * scale * 2.0 ** (
            -53 if dtype.itemsize == 8 else -24
        )

    @pytest.mark.parametrize("code", ["i1", "u2", "i4", "u8", "i8"])
    @pytest.mark.parametrize("op", ["add", "mul", "min", "max"])
    def test_reductions_of_integers_are_those_of_numpy(self, code, op):
        limits = np.iinfo(code)
        x = np.random.default_rng(1).integers(limits.min, limits.max, 3000, code, endpoint=True) | (op == "mul")
        _, (result,) = run(reduced(code, op, 3), {"x": x})
        whole = np.concatenate([np.full(1, 3, code), x])
        exact = {"add": lambda y: y.sum(dtype=code), "mul": lambda y: y.prod(dtype=code), "min": np.min, "max": np.max}
        assert result == exact[op](whole)

    @pytest.mark.parametrize("dtype", FLOATS, ids=str)
    def test_a_product_of_floats_is_that_of_numpy(self, dtype):
        x = np.random.default_rng(1).uniform(0.5, 1.5, 40).astype(dtype)
        _, (result,) = run(reduced(dtype, "mul", 3), {"x": x})
        step = {2: 2.0**-8, 4: 2.0**-24, 8: 2.0**-53}[dtype.itemsize]
        assert abs(float(result) / (3 * np.prod(x.astype(float))) - 1) < 50 * step

    @pytest.mark.parametrize("op", ["min", "max"])
    @pytest.mark.parametrize("dtype", FLOATS, ids=str)
    def test_the_least_and_the_largest_float_are_nan_if_one_is(self, op, dtype):
        x = np.random.default_rng(1).normal(size=3000).astype(dtype)
        _, (result,) = run(reduced(dtype, op), {"x": x})
        assert result == getattr(np, op)(np.append(x, np.zeros(1, dtype)))
        x[1234] = np.nan
        assert np.isnan(run(reduced(dtype, op), {"x": x})[1][0])

    def test_infinities_add_up(self):
        x = np.ones(3000, np.float32)
        x[77] = np.inf
        assert run(reduced("f4", "add"), {"x": x})[1] == (np.inf,)
        x[2999] = -np.inf
        assert np.isnan(run(reduced("f4", "add"), {"x": x})[1][0])

    def test_of_nothing_are_the_value_from_before(self):
        for op in ("add", "mul", "min", "max"):
            assert run(reduced("f4", op, 5), {"x": np.zeros(0, np.float32)})[1] == (5,)

    def test_complex_numbers_add_up(self):
        x = np.random.default_rng(2).normal(size=(4000, 2)).view(np.complex128)[:, 0]
        _, (result,) = run(reduced("c16", "add", 1j), {"x": x})
        assert abs(result - (x.sum() + 1j)) < 1e-10

    def test_do_not_depend_on_the_number_of_threads(self):
        x = np.random.default_rng(2).random(2_000_000, np.float32)
        kernel = host_kernel(reduced("f4", "add"))
        result = set()
        for threads in (1, 2, 3, 8):
            with accel.using(threads=threads):
                result |= {kernel.run(arguments_of(reduced("f4", "add"), {"x": x}, {}))[1] for _ in range(3)}
        assert len(result) == 1

    def test_over_two_axes_in_branches(self):
        total = ir.local("total", "f8")
        x = np.random.default_rng(3).random((57, 91))
        at = ir.add(ir.op("mul", N, Stride("x", 0)), ir.op("mul", J, Stride("x", 1)))
        value = ir.get("x", at, total.dtype)
        take = Assign(total, ir.op("add", value, total, "f8"))
        body = (If(ir.compare("gt", value, number(0.5, "f8")), (take,)),)
        first = Once((Assign(total, number(0, "f8")),), Frame((), (total,)))
        over = ir.loop(body, (Extent("x", 0), Extent("x", 1)), "i", "j", reductions=(Reduction(total, "add"),))
        views = [ir.view("x", "f8", 2)]
        program = ir.program(first, over, parameters=views, frame=(total,), results=(total,))
        assert run(program, {"x": x})[1][0] == pytest.approx(x[x > 0.5].sum(), rel=1e-14)


class TestAtomics:
    @pytest.mark.parametrize(
        "dtype", [np.dtype(c) for c in ("i1", "u2", "i4", "u8", "f2", "f4", "f8")] + [FLOATS[1]], ids=str
    )
    @pytest.mark.parametrize("op", ["add", "min", "max", "exchange", "compare"])
    def test_are_those_of_the_interpreter(self, dtype, op):
        old = Local("old", dtype)
        value = Cast(ir.op("sub", N, ir.index(3)), dtype)
        expected = Const(2, dtype) if op == "compare" else None
        body = (Atomic(op, "v", ir.op("mod", N, ir.index(3)), value, old, expected), ir.put("w", N, old))
        step = Once((For(N, ir.index(0), ir.index(9), ir.index(1), body),))
        program = ir.program(step, parameters=[ir.view("v", dtype), ir.view("w", dtype)])
        arrays = [{"v": np.array([2, 1, 3]).astype(dtype), "w": np.zeros(9, dtype)} for _ in range(2)]
        run(program, arrays[0])
        interpret(program, arrays[1], {})
        assert all(same(arrays[0][name], arrays[1][name]) for name in "vw")

    @pytest.mark.parametrize("code", ["i4", "f4", "f8"])
    def test_lose_nothing_in_several_threads(self, code):
        body = (Atomic("add", "v", ir.op("mod", N, ir.index(2)), number(1, code)),)
        program = ir.program(ir.loop(body, ir.index(1_000_000)), parameters=[ir.view("v", code)])
        result = np.zeros(2, code)
        with accel.using(threads=4):
            run(program, {"v": result})
        assert result.tolist() == [500_000, 500_000]

    def test_of_complex_numbers_are_refused(self):
        body = (Atomic("add", "v", N, number(1, "c8")),)
        with pytest.raises(CapabilityError, match="no processor changes a complex64 atomically; keep real and"):
            host_source(ir.program(ir.loop(body, ir.index(1)), parameters=[ir.view("v", "c8")]))


def shifted(shift, size, *, pace=1):
    """Return the program that copies ``x[pace * i + shift]`` to ``y[i]``, in debug mode."""
    at = ir.add(ir.op("mul", N, ir.index(pace)), ir.index(shift))
    value = ir.get("x", at, ir.F32, ir.guard(0, "x", at))
    body = (ir.put("y", N, value, ir.guard(1, "y", N)),)
    return ir.program(ir.loop(body, ir.index(size)), parameters=[ir.view("x"), ir.view("y")], sites=2, debug=True)


class TestDebugMode:
    @settings(max_examples=40)
    @given(shift=st.integers(-30, 30), pace=st.integers(-3, 3), size=st.integers(0, 40))
    def test_failures_are_counted_and_nothing_is_accessed_outside(self, shift, pace, size):
        block = np.full(60, 7, np.float32)
        x, y = block[20:40], np.full(60, 5, np.float32)
        x[:] = np.arange(1, 21)
        failure, _ = run(shifted(shift, size, pace=pace), {"x": x, "y": y[10:45]})
        places = [pace * i + shift for i in range(size)]
        right = [x[place] if 0 <= place < 20 else 0 for place in places]
        assert y[10:45].tolist() == (right + [5] * 35)[:35]
        assert (y[:10] == 5).all()
        assert (y[45:] == 5).all()
        wrong = [i for i in range(size) if not 0 <= places[i] < 20]
        late = [i for i in range(size) if i >= 35]
        assert (failure.failures if failure else 0) == len(wrong) + len(late)
        if wrong and (not late or wrong[0] <= late[0]):
            assert failure == Failure(0, wrong[0], 0, places[wrong[0]], 20, 0, len(wrong) + len(late))

    def test_the_record_names_the_first_axis_that_is_out_of_range_and_the_flattened_iteration(self):
        check = Guard(0, (N, J), (ir.index(9), ir.index(5)), ir.index(77))
        body = (Check(check),)
        program = ir.program(ir.loop(body, (ir.index(4), ir.index(6)), "i", "j"), debug=True)
        assert run(program)[0] == Failure(0, 5, 1, 5, 5, 77, 4)

    def test_the_call_after_a_failure_has_a_clean_record(self):
        kernel, x, y = host_kernel(shifted(0, 20)), np.zeros(10, np.float32), np.zeros(20, np.float32)
        arguments = [arguments_of(shifted(0, 20), {"x": each, "y": y}, {}) for each in (x, y)]
        assert [kernel.run(each)[0] is None for each in (*arguments, *arguments)] == [False, True, False, True]

    def test_indices_that_wrap_around_are_found(self):
        at = ir.op("mul", N, ir.index(1 << 62))
        body = (ir.put("v", at, number(1), ir.guard(0, "v", at)),)
        program = ir.program(ir.loop(body, ir.index(5)), parameters=[ir.view()], debug=True)
        failure, _ = run(program, {"v": np.zeros(1, np.float32)})
        assert failure == Failure(0, 1, 0, 1 << 62, 1, 0, 3)

    def test_inner_loops_are_checked_too(self):
        at = ir.add(ir.op("mul", N, ir.index(4)), K)
        body = (For(K, ir.index(0), ir.index(4), ir.index(1), (ir.put("v", at, number(1), ir.guard(0, "v", at)),)),)
        program = ir.program(ir.loop(body, ir.index(4)), parameters=[ir.view()], debug=True)
        result = np.zeros(20, np.float32)
        assert run(program, {"v": result[:14]})[0] == Failure(0, 3, 0, 14, 14, 0, 2)
        assert result.tolist() == [1] * 14 + [0] * 6

    def test_indices_from_memory_are_checked(self):
        x, y = np.array([0, 3, 1, -1, 2]), np.zeros(3, np.float32)
        place = ir.local("place")
        load = Assign(place, Load("x", N, I64, ir.guard(0, "x", N)))
        body = (load, ir.put("y", place, number(1), ir.guard(1, "y", place)))
        program = ir.program(
            ir.loop(body, Extent("x", 0)), parameters=[ir.view("x", I64), ir.view("y")], sites=2, debug=True
        )
        assert run(program, {"x": x, "y": y})[0] == Failure(1, 1, 0, 3, 3, 0, 2)
        assert y.tolist() == [1, 1, 1]

    def test_atomics_out_of_range_are_not_done(self):
        old = ir.local("old", "f4")
        body = (Atomic("add", "v", N, number(1), old, None, ir.guard(0, "v", N)), ir.put("w", N, old))
        program = ir.program(ir.loop(body, ir.index(3)), parameters=[ir.view(), ir.view("w")], debug=True)
        result = np.full(3, 4, np.float32)
        old = np.zeros(3, np.float32)
        assert run(program, {"v": result[:2], "w": old})[0].failures == 1
        assert (result.tolist(), old.tolist()) == ([5, 5, 4], [4, 4, 0])


class TestTheBackend:
    def test_compiles_and_launches(self):
        assert isinstance(BACKEND, SupportsKernels)
        program = ir.program(
            ir.loop((ir.put("v", N, ir.local("x", "f4")),), Extent("v", 0)), parameters=[ir.view(), Number("x", ir.F32)]
        )
        kernel, result = BACKEND.compile_kernel(Device.CPU, program), np.zeros(5, np.float32)
        once = {"grid": (1, 1, 1), "block": (1, 1, 1), "explain": None}
        arguments = arguments_of(program, {"v": result}, {"x": 2.5})
        assert kernel.launch(arguments, stream=None, **once) is None
        assert result.tolist() == [2.5] * 5
        with pytest.raises(CapabilityError, match="no streams; write stream=None"):
            kernel.launch(arguments, stream=object(), **once)

    def test_returns_results_and_raises_what_explains_a_failure(self):
        once = {"grid": (1, 1, 1), "block": (1, 1, 1), "stream": None}
        fetch = BACKEND.compile_kernel(Device.CPU, ir.computed(number(3), "f4")).launch([], explain=None, **once)
        assert fetch() == (3,)
        x = np.zeros(3, np.float32)
        kernel = BACKEND.compile_kernel(Device.CPU, shifted(1, 3))
        with pytest.raises(IndexError, match="at=3"):
            kernel.launch(
                arguments_of(shifted(1, 3), {"x": x, "y": x}, {}), explain=lambda f: IndexError(str(f)), **once
            )

    def test_prints_its_text(self):
        text = BACKEND.kernel_source(ir.computed(number(3), "f4"), "host")
        assert text.startswith("; kernel")
        assert " @run(" in text
        with pytest.raises(CapabilityError, match="write 'host'"):
            BACKEND.kernel_source(ir.computed(number(3), "f4"), "cuda")

    def test_one_kernel_runs_in_several_threads_at_once(self):
        program = reduced("f4", "add")
        kernel = host_kernel(program)
        arrays = [np.full(300_000, value, np.float32) for value in range(8)]

        def work(x):
            with accel.using(threads=3):
                return [float(kernel.run(arguments_of(program, {"x": x}, {}))[1][0]) for _ in range(30)]

        with ThreadPoolExecutor(8) as pool:
            for value, result in enumerate(pool.map(work, arrays)):
                assert result == [300_000.0 * value] * 30

    def test_threads_compile_at_once(self):
        gate, result = threading.Barrier(6), [ir.computed(number(each % 3, "f8"), "f8") for each in range(6)]

        def work(program):
            gate.wait()
            return float(run(program)[1][0])

        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(work, result)) == [0, 1, 2, 0, 1, 2]
