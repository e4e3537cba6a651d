"""The engines of this process: order, failures, reductions, waiting in bodies, and memory that others use too."""

import contextvars
import threading
import time
import traceback
import weakref

import numpy as np
import pytest

import accel
from accel import xp
from accel.engines import InOut, Input, Output, Reduce, align, current, engine, inline_tasks, task
from accel.errors import StoreError, StoreValueError
from accel.store import ADD, MAX, create_buffer, create_store, from_array
from accel.store.box_order import HostWork, enter_idle

from ..threads import interrupt, run_at_once
from .stores import add_one, copy, held_task, store_of, values

ENGINES = {
    "eager": lambda: engine("eager").using(),
    "threads": lambda: engine("threads").using(),
    "never inline": lambda: engine("threads").using(inline=False),
}


@pytest.fixture(params=ENGINES)
def any_engine(request):
    with ENGINES[request.param]() as chosen:
        yield chosen


@pytest.fixture
def threads():
    with accel.using(threads=4), engine("threads").using() as chosen:
        yield chosen


def pending_of(store):
    return store.root.regions.pending(store.map.box, writing=True)


@task
def saxpy(a: float, x: Input, y: InOut):
    y.span_read_write_accessor()[...] += a * x.span_read_accessor()


@task
def total(x: Input, s: Reduce[ADD]):
    np.asarray(s)[...] += x.span_read_accessor().sum()


@task
def fail(x: Input, y: Output):
    raise KeyError("planted")


class TestResults:
    def test_a_task_computes_on_whole_stores(self, any_engine):
        x, y = store_of(np.arange(6.0)), store_of(np.ones(6))
        saxpy(2.0, x, y).wait()
        assert values(y).tolist() == [1, 3, 5, 7, 9, 11]

    def test_each_color_of_a_partition_is_one_call_of_the_body(self, any_engine):
        seen = []

        @task
        def note(x: Input, y: Output):
            seen.append((tuple(x.domain.lo), tuple(x.domain.hi), x.shape))
            y.span_write_accessor()[...] = x.span_read_accessor() + 1

        x, y = store_of(np.arange(35).reshape(5, 7)), create_store("int64", (5, 7))
        note(x.partition_by_tiling((2, 3)), y.partition_by_tiling((2, 3))).wait()
        assert len(seen) == 9
        assert ((4, 6), (4, 6), (1, 1)) in seen
        assert values(y).tolist() == (np.arange(35).reshape(5, 7) + 1).tolist()

    def test_empty_tiles_are_tasks_too(self, any_engine):
        x, y = store_of(np.arange(3)), create_store("int64", (3,))
        copy(x.partition_by_tiling((2,), (4,)), y.partition_by_tiling((2,), (4,))).wait()
        assert values(y).tolist() == [0, 1, 2]

    def test_a_body_sees_the_scalars_as_they_were_given(self, any_engine):
        seen = []

        @task
        def note(a, b: str, x: Input, *, c: tuple = (1, None)):
            seen.append((a, b, c))

        note(2.5, b="text", x=store_of(np.ones(1))).wait()
        note(np.float32(1), "t", store_of(np.ones(1)), c=(b"", 2)).wait()
        assert seen == [(2.5, "text", (1, None)), (1, "t", (b"", 2))]

    def test_views_write_through_to_their_root(self, any_engine):
        x = store_of(np.zeros((4, 6), "int32"))
        add_one(x[1:3, 2:]).wait()
        add_one(x.transpose((1, 0)).partition_by_tiling((2, 4))).wait()
        expected = np.ones((4, 6))
        expected[1:3, 2:] += 1
        assert values(x).tolist() == expected.tolist()

    def test_an_engine_gathers_and_persists(self, any_engine):
        x = store_of(np.zeros(4))
        add_one(x)
        assert any_engine.persist(x) is x
        assert any_engine.gather(x).tolist() == [1, 1, 1, 1]

    def test_a_submitted_launch_can_be_bound_before(self, any_engine):
        x, y = store_of(np.ones(2)), store_of(np.ones(2))
        launch = saxpy.bind(1.0, x, y)
        assert values(y).tolist() == [1, 1]
        any_engine.submit(launch).wait()
        assert values(y).tolist() == [2, 2]


class TestOrder:
    def test_tasks_on_one_store_run_in_the_order_of_submission(self, threads):
        x = store_of(np.zeros(1))

        @task
        def digit(d: int, x: InOut):
            time.sleep(0.001 * (d % 3))
            array = x.span_read_write_accessor()
            array[...] = array * 10 + d

        for d in [1, 2, 3, 4, 5, 6]:
            digit(d, x)
        assert values(x).tolist() == [123456]

    @pytest.mark.parametrize("tile", [(1, 4), (4, 1)])
    def test_tasks_on_disjoint_rows_or_columns_run_at_once(self, threads, tile):
        barrier = threading.Barrier(4)

        @task
        def meet(x: InOut):
            barrier.wait(60)
            x.span_read_write_accessor()[...] += 1

        for x in (store_of(np.zeros((4, 4))), from_array(np.zeros((4, 4)), read_only=False)):
            meet(x.partition_by_tiling(tile)).wait()
            assert (values(x) == 1).all()

    def test_each_color_sees_what_the_colors_before_it_wrote_in_overlapping_tiles(self, any_engine):
        x = create_store("int64", (6,))
        x.fill(1)

        @task
        def add_before(before: Input, here: InOut):
            here.span_read_write_accessor()[...] += before.span_read_accessor()

        with any_engine.using():
            add_before(x[:5].partition_by_tiling((1,)), x[1:].partition_by_tiling((1,))).wait()
        assert np.asarray(x).tolist() == [1, 2, 3, 4, 5, 6]

    def test_readers_run_at_once_and_a_writer_waits_for_them(self, threads):
        x, seen, barrier = store_of(np.zeros(3)), [], threading.Barrier(2)

        @task
        def read(x: Input):
            barrier.wait(60)
            time.sleep(0.002)
            seen.append(x.span_read_accessor().copy())

        read(x)
        read(x)
        add_one(x)
        assert values(x).tolist() == [1, 1, 1]
        assert [each.tolist() for each in seen] == [[0, 0, 0]] * 2

    def test_the_host_waits_for_writers_of_what_it_reads_only(self, threads):
        hold, release = held_task()
        x = store_of(np.zeros(4))
        future = hold(x[2:])
        assert values(x[:2]).tolist() == [0, 0]
        assert not future.done()
        release.set()
        future.wait()

    def test_more_tasks_than_threads_are_all_done(self):
        with accel.using(threads=1), engine("threads").using(inline=False):
            stores = [store_of(np.zeros(2)) for _ in range(40)]
            for _ in range(5):
                for store in stores:
                    add_one(store)
            assert all(values(store).tolist() == [5, 5] for store in stores)

    def test_no_more_threads_are_busy_than_the_setting_allows(self):
        busy, most = [], []

        @task
        def count(x: InOut):
            busy.append(1)
            most.append(len(busy))
            time.sleep(0.001)
            busy.pop()

        with accel.using(threads=2), engine("threads").using(inline=False):
            count(store_of(np.zeros(30)).partition_by_tiling((1,))).wait()
        assert max(most) <= 2

    def test_settings_of_the_caller_are_those_of_the_body(self, any_engine):
        seen = []

        @task
        def note(x: Input):
            seen.append(accel.config.current().sim_seed)

        with accel.using(sim_seed=77):
            future = note(store_of(np.zeros(1)))
        future.wait()
        assert seen == [77]

    def test_threads_that_submit_at_once_lose_no_task(self, threads):
        x = store_of(np.zeros((4, 4), "int64"))

        def submit():
            for _ in range(30):
                add_one(x)
                add_one(x.partition_by_tiling((1, 4)))
                add_one(x.partition_by_tiling((4, 1)))

        run_at_once([submit] * 4)
        assert (values(x) == 360).all()


class TestTinyTasks:
    def test_a_task_known_to_be_tiny_runs_in_the_caller(self):
        where = []

        @task
        def note(x: InOut):
            where.append(threading.get_ident())

        x = store_of(np.zeros(2))
        with engine("threads").using():
            note.seconds = {2: (0.0, 0.0), 5: (0.0, 0.0)}
            note(x).wait()
        assert where == [threading.get_ident()]

    def test_no_task_runs_in_the_caller_if_inline_is_off(self):
        where = []

        @task
        def note(x: InOut):
            where.append(threading.get_ident())

        x = store_of(np.zeros(2))
        with engine("threads").using(inline=False):
            for _ in range(20):
                note(x).wait()
        assert threading.get_ident() not in where

    def test_a_task_that_may_be_long_never_runs_in_the_caller_at_first(self, threads):
        hold, release = held_task()
        future = hold(store_of(np.zeros(1)))
        release.set()
        future.wait()

    def test_an_exception_of_a_tiny_task_is_raised_by_wait_and_by_readers(self, threads):
        x, z = store_of(np.zeros(2)), store_of(np.zeros(2))

        @task
        def sometimes(x: Input, y: InOut):
            if x.span_read_accessor()[0]:
                raise KeyError("planted")

        for _ in range(5):
            sometimes(x, z).wait()
        x.fill(1)
        future = sometimes(x, z)
        with pytest.raises(KeyError, match="planted"):
            future.wait()
        with pytest.raises(KeyError, match="planted"):
            z.get_physical_store()


class TestFailures:
    def test_wait_raises_the_very_exception_with_the_line_of_the_call(self, threads):
        result = []

        @task
        def boom(y: Output):
            result.append(KeyError("planted"))
            raise result[0]

        future = boom(create_store("int8", (1,)))
        with pytest.raises(KeyError) as caught:
            future.wait()
        assert caught.value is result[0] is future.exception()
        assert "boom" in caught.value.__notes__[0]
        assert "test_engines.py" in caught.value.__notes__[0]

    def test_the_traceback_of_a_failure_does_not_grow_with_each_reader(self, any_engine):
        x = store_of(np.zeros(2))
        future = fail(store_of(np.zeros(2)), x)

        def frames():
            lengths = []
            for read in (x.get_physical_store, future.wait):
                with pytest.raises(KeyError) as caught:
                    read()
                names = [each.name for each in traceback.extract_tb(caught.value.__traceback__)]
                assert names[-1] == "fail"
                lengths.append(len(names))
            return lengths

        first = frames()
        add_one(x).exception()
        assert frames() == first

    def test_a_failure_keeps_no_variables_of_the_body_alive(self, threads):
        class Large:
            pass

        kept = []

        @task
        def fail_late(x: InOut):
            large = Large()
            kept.append(weakref.ref(large))
            try:
                {}["inner"]
            except KeyError:
                raise ValueError("planted") from None

        x = store_of(np.zeros(2))
        with pytest.raises(ValueError, match="planted"):
            fail_late(x).wait()
        assert kept[0]() is None

    def test_what_a_failed_task_was_to_write_raises_its_exception_until_it_is_overwritten(self, any_engine):
        x, y = store_of(np.ones(4)), store_of(np.zeros(4))
        fail(x[:2], y[:2])
        for _ in range(2):
            with pytest.raises(KeyError, match="planted"):
                y.get_physical_store()
        assert values(y[2:]).tolist() == [0, 0]
        assert values(x).tolist() == [1, 1, 1, 1]
        copy(x, y)
        assert values(y).tolist() == [1, 1, 1, 1]

    def test_tasks_that_would_read_it_do_not_run_and_fail_alike(self, any_engine):
        ran = []

        @task
        def note(x: Input, y: Output):
            ran.append(1)

        x, y, z, other = (store_of(np.zeros(2)) for _ in range(4))
        first = fail(x, y)
        second = note(y, z)
        third = saxpy(1.0, z, other)
        assert first.exception() is second.exception() is third.exception()
        assert not ran
        with pytest.raises(KeyError, match="planted"):
            other.get_physical_store()

    def test_one_failed_color_leaves_the_tiles_of_others_valid(self, any_engine):
        @task
        def fail_at(which: int, y: Output):
            if y.domain.lo[0] == which:
                raise KeyError("planted")
            y.span_write_accessor()[...] = 1

        y = create_store("int64", (6,))
        future = fail_at(2, y.partition_by_tiling((2,)))
        with pytest.raises(KeyError, match="planted"):
            future.wait()
        assert values(y[:2]).tolist() == values(y[4:]).tolist() == [1, 1]
        with pytest.raises(KeyError, match="planted"):
            y.get_physical_store()

    def test_a_body_that_returns_something_fails_and_says_where_to_write(self, any_engine):
        @task
        def returning(x: Input):
            return 5

        future = returning(store_of(np.zeros(1)))
        with pytest.raises(TypeError, match="returned int; a task returns nothing: write its results to an Output"):
            future.wait()
        assert isinstance(future.exception(), StoreError)

    def test_an_interrupt_of_the_waiting_thread_leaves_the_task_alone(self, threads, monkeypatch):
        hold, release = held_task()
        x = store_of(np.full(1, 4))
        future = hold(x)
        interrupt(future.wait)
        release.set()
        future.wait()
        assert values(x).tolist() == [5]


class TestReductions:
    def test_the_values_of_all_colors_are_combined_with_the_current_value(self, any_engine):
        x, s = store_of(np.arange(100)), store_of(np.array([1000]))
        total(x.partition_by_tiling((7,)), s)
        assert values(s).tolist() == [1000 + 4950]

    def test_a_sum_of_floats_is_the_same_in_each_run(self, threads):
        x = store_of(np.random.default_rng(0).random(1000).astype("float32"))
        results = set()
        for _ in range(10):
            s = store_of(np.zeros(1, "float32"))
            total(x.partition_by_tiling((13,)), s)
            results.add(float(values(s)[0]))
        assert len(results) == 1

    def test_colors_of_a_reduction_run_at_once(self, threads):
        barrier = threading.Barrier(3)

        @task
        def meet(x: Input, s: Reduce[MAX]):
            barrier.wait(60)
            np.asarray(s)[...] = x.span_read_accessor().max()

        s = store_of(np.array([2]))
        meet(store_of(np.arange(9)).partition_by_tiling((3,)), s).wait()
        assert values(s).tolist() == [8]

    def test_tiles_of_a_reduction_are_combined_into_tiles(self, any_engine):
        @task
        def add(x: Input, s: Reduce[ADD]):
            np.asarray(s)[...] += x.span_read_accessor()

        x, s = store_of(np.arange(6)), store_of(np.full(6, 10))
        add(x.partition_by_tiling((4,)), s.partition_by_tiling((4,)))
        add(x, s)
        assert values(s).tolist() == (10 + 2 * np.arange(6)).tolist()

    def test_a_failed_color_makes_the_result_invalid(self, any_engine):
        @task
        def fail_at_two(x: Input, s: Reduce[ADD]):
            if x.domain.lo[0] == 2:
                raise KeyError("planted")

        s = store_of(np.array([5]))
        future = fail_at_two(store_of(np.arange(6)).partition_by_tiling((2,)), s)
        with pytest.raises(KeyError, match="planted"):
            s.get_physical_store()
        assert isinstance(future.exception(), KeyError)


class TestBodiesThatWait:
    def test_a_body_may_submit_tasks_and_wait_for_them_even_with_one_thread(self):
        @task
        def outer(x: InOut):
            inner = store_of(np.zeros(2))
            add_one(inner).wait()
            x.span_read_write_accessor()[...] = values(inner)

        with accel.using(threads=1), engine("threads").using(inline=False):
            x = store_of(np.zeros(2))
            outer(x).wait()
        assert values(x).tolist() == [1, 1]

    def test_a_body_that_asks_for_its_own_store_is_told_so(self, any_engine):
        x = store_of(np.zeros(2))

        @task
        def own(y: InOut):
            x.get_physical_store()

        with pytest.raises(StoreError, match="use the physical store that the body got as an argument"):
            own(x).wait()

    def test_a_body_that_would_wait_for_a_task_after_itself_is_refused(self, threads):
        x, go = store_of(np.zeros(2)), threading.Event()

        @task
        def outer(y: InOut):
            assert go.wait(60)
            add_one(x).wait()

        future = outer(x)
        later = add_one(x)
        go.set()
        with pytest.raises(StoreError, match="would wait for task add_one"):
            future.wait()
        assert isinstance(later.exception(), StoreError)

    def test_a_body_that_would_wait_for_the_host_which_waits_for_the_body_is_refused(self, threads):
        x, y, go = store_of(np.zeros(4)), store_of(np.zeros(4)), threading.Event()

        def waits_by(action):
            @task
            def wait_inside(part: InOut):
                assert go.wait(60)
                action(x[2:])

            return wait_inside

        futures = [
            waits_by(lambda part: part.get_physical_store())(x[:1]),
            waits_by(lambda part: add_one(part).wait())(x[1:2]),
            waits_by(lambda part: saxpy(1.0, part, y[:2]).wait())(x[1:2]),
        ]
        host = threading.Thread(target=lambda: x.fill(7))
        host.start()
        while not isinstance(pending_of(x)[-1], HostWork):
            time.sleep(0.001)
        go.set()
        for future in futures:
            assert isinstance(future.exception(), StoreError)
        host.join(60)
        assert values(x)[0] == 7

    def test_a_task_inside_of_a_body_is_refused_to_wait_for_that_body(self, any_engine):
        x, y = store_of(np.zeros(2)), store_of(np.zeros(2))

        @task
        def inner(y: InOut):
            x.get_physical_store()

        @task
        def outer(x: InOut):
            inner(y).wait()

        result = outer(x).exception()
        assert isinstance(result, StoreError)

    def test_a_physical_store_is_invalid_after_its_task(self, any_engine):
        kept, x, y = [], store_of(np.zeros(2)), store_of(np.zeros(2))

        @task
        def keep(x: InOut):
            kept.append(x)

        @task
        def keep_sum(x: Input, y: Reduce[ADD]):
            kept.append(y)

        for _ in range(3):  # the later ones run in the caller
            keep(x).wait()
            keep_sum(x, y).wait()
        for each in kept:
            assert not each.valid
            with pytest.raises(StoreError, match="its task has ended"):
                np.asarray(each)
        assert len(kept) == 6

    def test_scratch_memory_of_a_body_is_freed_when_it_ends(self, any_engine):
        buffers = []

        @task
        def scratch(x: Input):
            buffers.append(create_buffer("float64", (3,)))

        scratch(store_of(np.zeros(1))).wait()
        with pytest.raises(accel.errors.ReleasedError):
            buffers[0].get_inline_allocation()


class TestMemoryOfTheUser:
    def test_a_copy_between_two_tasks_sees_the_first_and_not_the_second(self):
        with accel.using(threads=1), engine("threads").using(inline=False):
            memory = accel.zeros(4, "float64")
            x = from_array(memory, read_only=False)
            first, gate = held_task()
            first(x)
            target = accel.zeros(4, "float64")
            transfer = target.copy_from_async(memory, stream=accel.new_stream())
            add_one(x)
            gate.set()
            transfer.wait()
            assert target.to_numpy().tolist() == [1, 1, 1, 1]
            assert memory.to_numpy().tolist() == [2, 2, 2, 2]

    def test_arrays_on_the_memory_wait_for_the_task(self, threads):
        array, (later, gate) = xp.full(4, 6.0), held_task()
        later(from_array(array, read_only=False))
        timer = threading.Timer(0.01, gate.set)
        timer.start()
        assert float(xp.sum(array)) == 28
        timer.join()

    def test_works_on_disjoint_tiles_are_all_waited_for(self, threads):
        memory = accel.zeros(16, "float64")
        x = from_array(memory.view(accel.Layout.row_major(4, 4)), read_only=False)
        slow, gate = held_task()
        slow(x[:, :1])
        add_one(x[:, 1:])
        timer = threading.Timer(0.01, gate.set)
        timer.start()
        assert memory.to_numpy().tolist() == [1] * 16
        timer.join()

    def test_a_body_may_use_kernels_and_arrays_on_its_memory(self, any_engine):
        @task
        def double(x: InOut):
            array = xp.asarray(x)
            array *= 2

        memory = accel.container([1.0, 2.0, 3.0])
        x = from_array(memory, read_only=False)
        double(x)
        double(x)
        assert memory.to_numpy().tolist() == [4, 8, 12]

    def test_a_failed_task_makes_readers_of_the_memory_fail_until_it_is_overwritten(self, any_engine):
        memory = accel.zeros(2, "float64")
        future = fail(store_of(np.zeros(2)), from_array(memory, read_only=False))
        with pytest.raises(KeyError, match="planted"):
            future.wait()
        with pytest.raises(KeyError, match="planted"):
            memory.to_numpy()

    def test_a_failed_task_leaves_other_elements_of_the_memory_valid(self, any_engine):
        memory = np.zeros((4, 4))
        x = from_array(memory, read_only=False)
        fail(store_of(np.zeros(2)), x[:2, :2])

        def read(part):
            return part.get_physical_store().span_read_accessor().tolist()

        with pytest.raises(KeyError, match="planted"):
            read(x[1:, 1:])
        assert read(x[2:]) == np.zeros((2, 4)).tolist()
        assert read(x[:, 2:]) == np.zeros((4, 2)).tolist()
        x[:2, :2].fill(3)
        assert read(x)[:2] == [[3, 3, 0, 0]] * 2
        assert np.sum(xp.asarray(memory)) == 12


class TestLargeStores:
    def test_aligned_stores_are_cut_into_tiles_by_the_engine(self, threads):
        shapes = []

        @task(constraints=[align("x", "y")])
        def note(x: Input, y: Output):
            shapes.append(x.shape)
            y.span_write_accessor()[...] = x.span_read_accessor() + 1

        x = store_of(np.arange(1 << 21, dtype="float64").reshape(-1, 16))
        y = create_store("float64", x.shape)
        note(x, y).wait()
        assert len(shapes) > 1
        assert sum(rows for rows, _ in shapes) == x.shape[0]
        assert (values(y) == values(x) + 1).all()

    def test_stores_without_constraints_are_not_cut(self, threads):
        shapes = []

        @task
        def note(x: InOut):
            shapes.append(x.shape)

        note(create_store("float64", (1 << 20,))).wait()
        assert shapes == [(1 << 20,)]


@pytest.mark.parametrize("name", ["eager", "threads"])
def test_a_with_block_makes_an_engine_the_current_one(name):
    chosen, outer, elsewhere = engine(name), current(), []
    with chosen as entered:
        assert current() is entered is chosen
        with engine("eager") as inner, chosen:  # again, inside of another one
            assert current() is chosen
            run_at_once([lambda: elsewhere.append(current())])
        assert current() is chosen
        assert inner is not chosen
        assert elsewhere == [outer]  # other threads have their own
        store = store_of(np.zeros(3))
        add_one(store)
    assert current() is outer
    assert values(store).tolist() == [1, 1, 1]


def test_a_with_block_may_end_in_another_context_than_it_began_in():
    def steps():
        with engine("eager"):
            yield current()

    began, outer = steps(), current()
    assert contextvars.copy_context().run(next, began).name == "eager"
    began.close()
    assert current() is outer


def test_the_current_engine_is_threads_and_that_of_the_innermost_block_otherwise():
    assert current().name == "threads"
    with engine("eager").using() as eager:
        assert current() is eager
        with eager.using(device="cpu") as inner:
            assert current() is inner
    assert current().name == "threads"


@pytest.mark.parametrize("name", ["eager", "threads"])
def test_an_unknown_option_is_refused_with_those_that_there_are(name):
    with pytest.raises(TypeError, match=f"engine {name} has no option 'speed'; its options are"):
        engine(name, speed=3)


def test_an_unknown_engine_is_refused_with_those_that_there_are():
    with pytest.raises(StoreValueError, match="write one of eager, threads"):
        engine("mpi")


def test_a_tiny_task_finds_values_that_another_thread_moves_while_it_is_submitted(threads, monkeypatch):
    x = store_of(np.zeros(2))
    for _ in range(5):
        add_one(x).wait()

    def moved_before(work, uses):
        monkeypatch.undo()
        x.offload_to("sim")
        return enter_idle(work, uses)

    monkeypatch.setattr(inline_tasks, "enter_idle", moved_before)
    add_one(x).wait()
    assert values(x).tolist() == [6, 6]


def test_a_task_that_waits_while_its_store_moves_to_a_device_finds_the_values_there():
    store = create_store("float64", (8,))
    store.fill(1)
    begin = threading.Event()

    @task
    def slow(x: InOut):
        begin.wait(30)
        x.span_read_write_accessor()[...] *= 2

    with accel.using(threads=4), engine("threads").using(inline=False):
        slow(store)
        mover = threading.Thread(target=store.offload_to, args=("sim",))
        mover.start()
        while not any(isinstance(work, HostWork) for work in pending_of(store)):
            time.sleep(0.001)
        after = add_one(store)
        begin.set()
        after.wait()
        mover.join()
    np.testing.assert_array_equal(values(store), np.full(8, 3.0))
