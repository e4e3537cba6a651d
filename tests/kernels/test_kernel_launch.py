"""Launches of kernels: in order with other work on the memory, on streams, compiled once for each signature."""

import gc
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import accel
from accel import BufferView, Device, LayoutTensor, NDBuffer, config, xp
from accel.dtypes import f32, i32
from accel.errors import (
    CapabilityError,
    DeviceMismatchError,
    DTypeError,
    InFlightError,
    KernelLaunchError,
    KernelSignatureError,
    ReadOnlyError,
    ReleasedError,
)
from accel.kernels import kernel
from accel.layout import Layout
from accel.memory import heap, heap_of
from accel.memory.submission import Submission

FACTOR = 3
KERNEL = import_module("accel.kernels.python_kernel")


@kernel
def scale(v: BufferView[f32], factor: f32):
    """Multiply."""
    for i in range(v.size):
        v[i] = v[i] * factor


def fresh(function=scale.__wrapped__, **options):
    """Return a kernel that nothing was compiled for."""
    return kernel(**options)(function)


def multiply(v, factor):
    v *= factor


@pytest.fixture
def c():
    return accel.container(np.arange(8, dtype="float32"))


@pytest.fixture
def scaled(fake):
    """Return a kernel that scales a view, through the fake front end."""
    fake.written, fake.body = {"v"}, multiply
    return fresh()


def test_a_kernel_looks_like_its_function():
    assert (scale.__name__, scale.__doc__, scale.__module__) == ("scale", "Multiply.", __name__)
    assert scale.__wrapped__.__code__.co_name == "scale"
    assert repr(scale) == "<kernel scale>"


def test_a_kernel_is_pickled_by_reference(monkeypatch):
    assert scale.__reduce__() == "scale"
    monkeypatch.setitem(__import__("sys").modules, __name__, __import__("types").SimpleNamespace(scale=scale))
    assert pickle.loads(pickle.dumps(scale)) is scale


def test_a_launch_is_done_on_return_and_changes_only_its_view(scaled, c):
    event = scaled(c[2:5], 2.0)
    assert event.done()
    event.wait()
    assert c.to_numpy().tolist() == [0, 1, 4, 6, 8, 5, 6, 7]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("factor", [2, 2.0, np.float32(2), float("inf")])
def test_later_launches_do_the_same_as_the_first(scaled, fake, c, factor, times):
    for _ in range(times):
        scaled(c[1:3], factor)
    with np.errstate(all="ignore"):
        assert c[2] == np.float32(2) * np.float32(factor) ** times
    assert len(fake.compiled) == 1
    assert all(type(each.arguments[-1]) is float for each in fake.launches)


class Pair(NamedTuple):
    """A number and a view."""

    factor: float
    data: object


def _arguments(c, other):
    """Return calls with arguments of many types."""
    yield c, 2
    yield c[2:], 2.5
    yield NDBuffer(c, (2, 4)), 1j
    yield NDBuffer(c, (2, 2), (1, 2)), True
    yield LayoutTensor(c, Layout((2, 4), (4, 1))), 2.0
    yield xp.asarray(c)[::-1], np.int8(2)
    yield c.to_numpy(), "text"
    yield Pair(2.0, c), other[:2]
    yield c[:0], 2.0
    yield c[1:], c[:-1]
    yield c.storage, None


def test_the_fast_way_and_the_general_way_pass_the_same(fake, c):
    for given in _arguments(c, accel.zeros(4, "int32")):
        result = fresh(lambda_free)
        for arguments in [given, given]:
            result(*arguments)
        result._launchers = ()
        result(*given)
    triples = zip(*[iter(fake.launches)] * 3, strict=True)
    assert all(one.arguments == two.arguments == three.arguments for one, two, three in triples)
    assert len(fake.compiled) == 11


def lambda_free(v, factor):
    v[0] = factor


def test_the_fast_way_takes_only_what_it_was_made_for(fake, c):
    result = fresh(lambda_free)
    for given in _arguments(c, accel.zeros(4, "int32")):
        result(*given)
    count = len(fake.compiled)
    for given in _arguments(c, accel.zeros(4, "int32")):
        result(*given)
    assert len(fake.compiled) == count == len({(*kinds.values(),) for kinds, _ in fake.lowered})


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda c: c[:], lambda _: accel.zeros(8, "int32")[:]),
        (lambda c: NDBuffer(c, (2, 4)), lambda c: NDBuffer(c, (2, 2, 2))),
        (lambda c: NDBuffer(c, (2, 4)), lambda c: NDBuffer(c, (2, 4), (1, 2))),
        (lambda c: LayoutTensor(c, Layout((2, 4), (4, 1))), lambda c: LayoutTensor(c, Layout((2, 4), (1, 2)))),
        (lambda c: c, lambda c: c[:]),
        (lambda _: 1, lambda _: 1.0),
        (lambda _: np.float32(1), lambda _: 1.0),
        (lambda _: True, lambda _: 1),
        (lambda _: "one", lambda _: "two"),
    ],
)
def test_another_type_is_compiled_anew(fake, c, first, second):
    result = fresh(lambda_free)
    for argument in (first(c), first(c), second(c), second(c), first(c)):
        result(c, argument)
    assert len(fake.compiled) == 2


def test_each_call_is_checked_like_the_first(scaled, fake, c):
    @kernel
    def fill(v: LayoutTensor, n: i32):
        v[0] = n

    tensor = LayoutTensor(c, Layout(8, 1))
    array = np.ones(8, "float32")
    array.flags.writeable = False
    const = c.storage.window(0, 8, c.storage.dtype, const=True)
    refused = [
        (scaled, (BufferView(array), 1.0), ReadOnlyError),
        (scaled, (BufferView.over(const), 1.0), ReadOnlyError),
        (scaled, (c[:], 1e39), OverflowError),
        (scaled, (c[:], 10**400), OverflowError),
        (scaled, (c[:], None), DTypeError),
        (fill, (tensor.get_immutable(), 1), ReadOnlyError),
        (fill, (tensor, 2**31), OverflowError),
        (fill, (tensor, 1.5), DTypeError),
    ]
    for result, arguments, error in refused:
        result(c[:] if result is scaled else tensor, 1)
        count = len(fake.launches)
        for _ in range(2):
            with pytest.raises(error):
                result(*arguments)
        assert len(fake.launches) == count


def test_memory_that_another_thread_releases_during_the_checks_is_not_used(scaled, fake, c):
    scaled(c[:], 1.0)
    (launcher,) = scaled._launchers
    view = c[:]

    def releasing():
        c.release()
        return Submission()

    launcher.__globals__["Submission"] = releasing
    with pytest.raises(ReleasedError):
        scaled(view, 1.0)
    assert len(fake.launches) == 1


def test_another_backend_compiles_anew(scaled, fake, c, monkeypatch):
    scaled(c[:], 1.0)
    monkeypatch.setitem(heap.KNOWN_HEAPS, Device.CPU, heap.Heap(Device.CPU, heap_of(Device.CPU).backend))
    for _ in range(2):
        scaled(accel.zeros(3, "float32")[:], 1.0)
    assert len(fake.compiled) == 2


def test_new_offsets_and_sizes_compile_nothing(scaled, fake, c):
    for start in range(8):
        scaled(c[start:], float(start))
    assert len(fake.compiled) == 1


def test_a_kernel_waits_for_copies_in_flight_and_copies_wait_for_it(scaled, c):
    stream = accel.new_stream("cpu")
    scaled(c[:], 1.0)
    source, target = accel.container(np.full(8, 5, "float32")), accel.zeros(8, "float32")
    held = threading.Event()
    stream.submit(held.wait)
    c.copy_from_async(source, stream=stream)
    timer = threading.Timer(0.02, held.set)
    timer.start()
    scaled(c[:], 2.0)
    target.copy_from_async(c, stream=stream).wait()
    assert target.to_numpy().tolist() == [10] * 8
    timer.join()


def test_a_copy_waits_for_a_kernel_of_another_thread(fake, c):
    began, held = threading.Event(), threading.Event()

    def body(v, _):
        began.set()
        held.wait()
        v[:] = 7

    fake.written = {"v"}
    result = fresh()
    result(c[:], 1.0)  # the second launch goes the fast way
    fake.body = body
    target = accel.zeros(8, "float32")
    with ThreadPoolExecutor() as pool:
        launched = pool.submit(result, c[:], 2.0)
        began.wait()
        threading.Timer(0.02, held.set).start()
        target.copy_from_async(c, stream=accel.new_stream("cpu")).wait()
        launched.result()
    assert target.to_numpy().tolist() == [7] * 8
    assert c.storage.owner.hazards is None


def test_readers_run_at_the_same_time(fake, c):
    both = threading.Barrier(2)
    result = fresh()
    result(c[:], 1.0)

    def body(*_):
        both.wait(10)

    fake.body = body
    with ThreadPoolExecutor() as pool:
        for each in [pool.submit(result, c[:], 2.0) for _ in range(2)]:
            each.result()


def test_writers_of_the_same_memory_exclude_each_other(fake, c):
    inside = []

    def body(v, _):
        inside.append(1)
        assert len(inside) == 1
        threading.Event().wait(0.001)
        inside.pop()

    fake.written, fake.body = {"v"}, body
    result = fresh()
    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(result, c[i % 3 :], 1.0) for i in range(24)]:
            each.result()


def test_a_view_may_be_given_twice(fake, c):
    def body(v, w):
        v[:] = w * 2

    fake.written, fake.body = {"v"}, body
    result = fresh(lambda_free)
    for _ in range(2):
        result(c[4:], c[:4])
        assert c.to_numpy()[4:].tolist() == [0, 2, 4, 6]
    assert c.storage.owner.hazards is None


def test_memory_that_is_released_during_the_kernel_lives_until_its_end(fake):
    c = accel.container(np.arange(8, dtype="float32"))
    result = fresh()
    result(c[:], 1.0)
    owner, seen = c.storage.owner, []

    def body(v, _):
        c.release()
        gc.collect()
        seen.append(v.tolist())

    fake.body = body
    result(c[:], 1.0)
    assert seen == [[0, 1, 2, 3, 4, 5, 6, 7]]
    assert (owner.unused, owner.allocation) == (True, None)
    with pytest.raises(ReleasedError):
        c[0]


def test_a_kernel_that_raises_leaves_its_memory_usable(scaled, fake, c):
    def body(*_):
        raise ArithmeticError

    fake.body = body
    for _ in range(2):
        with pytest.raises(ArithmeticError):
            scaled(c[:], 1.0)
    owner = c.storage.owner
    assert (owner.hazards, owner.keep_alives) == (None, 0)
    fake.body = multiply
    scaled(c[:], 2.0)
    assert c[1] == 2


def test_a_write_to_read_only_memory_is_refused_each_time(scaled, fake, c):
    array = np.ones(8, "float32")
    view = BufferView(array)
    scaled(view, 2.0)
    array.flags.writeable = False
    for _ in range(2):
        with pytest.raises(ReadOnlyError):
            scaled(BufferView(array), 2.0)
    fake.written, fake.body = set(), lambda v, _: None
    fresh()(BufferView(array), 2.0)
    assert (array[0], len(fake.launches)) == (2, 2)


def test_a_kernel_without_memory_runs_on_the_default_device(fake, monkeypatch):
    result = fresh(lambda_free)
    fake.results = ("int64",)
    fake.body = lambda v, factor: (v + factor,)
    assert result(1, 2) == result(1, 2) == 3
    with monkeypatch.context() as patch, accel.Device.SIM:
        patch.setattr(heap_of(Device.SIM), "backend", SimpleNamespace())
        with pytest.raises(CapabilityError, match="sim runs no kernels"):
            result(1, 2)


def test_results_are_numpy_scalars(fake, c):
    fake.results, fake.body = ("float32",), lambda v, _: (v.sum(),)
    result = fresh()
    for stream in (None, accel.new_stream("cpu")):
        for _ in range(2):
            total = result.on(stream)(c[:], 1.0)
            assert (total, type(total)) == (28, np.float32)
    fake.results, fake.body = ("float32", "int64"), lambda v, _: (v.sum(), len(v))
    result = fresh()
    assert result(c[:], 1.0) == result(c[:], 1.0) == (28, 8)


def test_on_a_stream_of_the_cpu_its_thread_runs_the_kernel(scaled, fake, c):
    stream, held, threads = accel.new_stream("cpu"), threading.Event(), []

    def body(v, factor):
        held.wait()
        threads.append(threading.current_thread())
        v *= factor

    fake.body = body
    event = scaled.on(stream)(c[:], 2.0)
    assert not event.done()
    held.set()
    assert c[1] == 2  # waits
    assert threads != [threading.current_thread()]


@pytest.mark.parametrize("written", [{"v"}, set()])
def test_memory_that_a_stream_has_used_has_no_hazards_after_the_next_launch(fake, c, written):
    fake.written, fake.body = {"v"}, multiply
    fresh().on(accel.new_stream("cpu"))(c[:], 2.0).wait()
    fake.written, fake.body = written, lambda v, factor: None
    fresh()(c[:], 2.0)
    assert c.storage.owner.hazards is None


def test_a_late_error_tells_where_the_kernel_was_launched(scaled, fake, c):
    def body(*_):
        raise ArithmeticError

    fake.body = body
    event = scaled.on(accel.new_stream("cpu"))(c[:], 2.0)
    with pytest.raises(ArithmeticError) as caught:
        event.wait()
    assert any(__file__ in note for note in caught.value.__notes__)


def test_in_strict_mode_a_kernel_refuses_to_wait(scaled, c):
    stream, held = accel.new_stream("cpu"), threading.Event()
    scaled(c[:], 1.0)
    stream.submit(held.wait)
    transfer = c.copy_from_async(accel.zeros(8, "float32"), stream=stream)
    with accel.using(strict=True), pytest.raises(InFlightError):
        scaled(c[:], 2.0)
    held.set()
    transfer.wait()


def test_a_stream_of_another_device_is_refused(scaled, c):
    with pytest.raises(DeviceMismatchError, match=r"on memory of cpu; write scale.on\(accel.new_stream\('cpu'\)\)"):
        scaled.on(accel.new_stream("sim"))(c[:], 2.0)
    with pytest.raises(TypeError, match="is no stream"):
        scaled.on(3)


def test_an_explicit_grid_is_passed(fake, c):
    fake.explicit = True
    result = fresh()
    result.on(grid=(2, 3), block=(32, 2))(c[:], 1.0)
    result.on(over=1000)(c[:], 1.0)
    result.on(over=0)(c[:], 1.0)
    assert [(each.grid, each.block) for each in fake.launches] == [((2, 3, 1), (32, 2, 1)), ((4, 1, 1), (256, 1, 1))]


@pytest.mark.parametrize("how", [{"grid": 0}, {"grid": 1, "block": 2000}, {"grid": (1, 1, 1, 1)}, {"over": -1}])
def test_an_impossible_grid_is_refused(fake, c, how):
    fake.explicit = True
    with pytest.raises(ValueError, match=r"possible|extents"):
        fresh().on(**how)(c[:], 1.0)
    assert not fake.launches


def test_a_grid_is_needed_where_the_kernel_asks_for_its_thread_and_refused_elsewhere(fake, c):
    for how in ({"grid": 1}, {"over": 8}, {"block": 32}):
        with pytest.raises(KernelLaunchError, match=r"scale has parallel loops.*write scale\(\.\.\.\)"):
            fresh().on(**how)(c[:], 1.0)
    fake.explicit = True
    result = fresh()
    for launch in (result, result, result.on(block=32)):
        with pytest.raises(KernelLaunchError, match=r"it needs a grid; write scale\.on\(grid=blocks, block=threads\)"):
            launch(c[:], 1.0)
    with pytest.raises(ValueError, match="write one of them"):
        result.on(grid=1, over=8)
    assert not fake.launches


def test_a_kernel_is_compiled_once_for_each_type_and_debug_mode(scaled, fake, c):
    for _ in range(2):
        scaled(c[:], 1.0)
        with accel.debug():
            scaled(c[:], 1.0)
    assert [debug for _, debug in fake.lowered] == [False, True]
    for debug in (True, False):
        result = fresh(debug=debug)
        with accel.using(debug=not debug):
            result(c[:], 1.0)
            result(c[:], 1.0)
        assert fake.lowered[-1][1] is debug
    assert len(fake.lowered) == 4


def test_the_setting_of_the_process_turns_debug_mode_on(scaled, fake, c, monkeypatch):
    scaled(c[:], 1.0)
    monkeypatch.setattr(config, "_process", config.current().__class__(debug=True))
    scaled(c[:], 1.0)
    assert [debug for _, debug in fake.lowered] == [False, True]


def test_a_changed_global_compiles_again(fake, c, monkeypatch):
    def local(v, factor):
        v[0] = FACTOR

    fake.captured = ("FACTOR",)
    result = fresh(local)
    for value, count in [(FACTOR, 1), (4, 2), (4, 2), (5, 3)]:
        monkeypatch.setitem(globals(), "FACTOR", value)
        for _ in range(2):
            result(c[:], 1.0)
            result(c[:], 1.0)
        assert len(fake.compiled) == count


def test_a_changed_closure_compiles_again(fake, c):
    value = object()

    def local(v, factor):
        v[0] = value

    fake.captured = ("value",)
    result = fresh(local)
    for count in (1, 2):
        for _ in range(2):
            result(c[:], 1.0)
        assert len(fake.compiled) == count
        value = object()


def test_a_global_that_hides_a_builtin_compiles_again(fake, c, monkeypatch):
    fake.captured = ("len",)
    result = fresh(lambda_free)
    result(c[:], 1.0)
    result(c[:], 1.0)
    monkeypatch.setitem(globals(), "len", object())
    result(c[:], 1.0)
    assert [device for device, _ in fake.compiled] == [Device.CPU] * 2


def test_threads_that_compile_at_once_compile_once(scaled, fake, c, monkeypatch):
    together, lower = threading.Barrier(4), fake.lower

    def slow(*given):
        threading.Event().wait(0.02)
        return lower(*given)

    monkeypatch.setattr(KERNEL, "lower", slow)

    def first(*_):
        together.wait()
        scaled(c[:], 1.0)

    with ThreadPoolExecutor(4) as pool:
        assert len([*pool.map(first, range(4))]) == 4
    assert (len(fake.compiled), len(fake.launches)) == (1, 4)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals come to the main thread")
def test_an_interrupt_while_compiling_leaves_the_kernel_usable(scaled, fake, c, monkeypatch):
    def interrupted(*_):
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(heap_of(Device.CPU).backend, "compile_kernel", interrupted)
        with pytest.raises(KeyboardInterrupt):
            scaled(c[:], 2.0)
    with ThreadPoolExecutor() as pool:
        pool.submit(scaled, c[:], 2.0).result(10)
    assert c[1] == 2


def test_a_kernel_that_does_not_compile_is_tried_again(scaled, fake, c, monkeypatch):
    def refuse(*_):
        raise CapabilityError("no such dtype")

    with monkeypatch.context() as patch:
        patch.setattr(heap_of(Device.CPU).backend, "compile_kernel", refuse)
        with pytest.raises(CapabilityError, match="no such dtype"):
            scaled(c[:], 2.0)
    scaled(c[:], 2.0)
    assert c[1] == 2


def test_inspect_shows_the_typed_form_and_the_text_of_backends(scaled, fake, c):
    text = scaled.inspect("ir", c[:], factor=2.0)
    assert text.splitlines()[0] == "kernel scale(v: float32[:], factor: float32)"
    assert scaled.inspect("host", c[:], 2.0) == "host scale"
    assert not fake.launches
    with pytest.raises(ValueError, match="no backend writes kernels in 'banana'; the languages are 'ir', 'host'"):
        scaled.inspect("banana", c[:], 2.0)
    with pytest.raises(KernelSignatureError):
        scaled.inspect("ir", c[:])


def test_a_numpy_array_is_written_in_place(scaled):
    array = np.arange(8, dtype="float32")
    scaled(BufferView(array), 2.0)
    scaled(BufferView(array), 2.0)
    assert array.tolist() == [0, 4, 8, 12, 16, 20, 24, 28]
