"""Declarations of tasks, their variants, and what is refused before anything runs."""

import pickle
from functools import partial
from typing import Annotated, Any

import numpy as np
import pytest

import accel
from accel.engines import InOut, Input, Output, Reduce, align, broadcast, engine, task
from accel.errors import CapabilityError, ReadOnlyError, StoreError, StoreTypeError, StoreValueError
from accel.kernels import f32, kernel
from accel.store import ADD, AND, create_store, from_array
from accel.store.arrays import LogicalArray, from_strings


@task
def saxpy(a: float, x: Input, y: InOut):
    y.span_read_write_accessor()[...] += a * x.span_read_accessor()


@task(constraints=[align("x", "y"), broadcast("c")])
def aligned(x: Input, y: Output, c: Input):
    y.span_write_accessor()[...] = x.span_read_accessor() + c.span_read_accessor()


@task
def count(x: Input, s: Reduce[ADD]):
    np.asarray(s)[...] += x.shape[0]


@task
def two(x: Output, y: Output):
    pass


@task
def scale(x: InOut):
    x.span_read_write_accessor()[...] *= 2


@scale.variant("sim")
@kernel
def scale_there(x: accel.LayoutTensor[f32]):
    for i in range(x.shape[0]):
        x[i] *= 3


@kernel
def add(x: accel.BufferView[f32], y: accel.BufferView[f32], factor: f32):
    for i in range(x.size):
        y[i] += factor * x[i]


def store(*shape, dtype="float32"):
    result = create_store(dtype, shape)
    result.fill(1)
    return result


def values(given):
    return np.asarray(given.get_physical_store()).tolist()


def test_a_reduction_can_be_declared_as_type_checkers_understand_it():
    @task
    def added(x: Input, s: Annotated[Any, Reduce(ADD)]):
        np.asarray(s)[...] += x.shape[0]

    x, s = store(6), store(1)
    added(x.partition_by_tiling((2,)), s).wait()
    assert values(s) == [7.0]


class TestBadArguments:
    @pytest.mark.parametrize(
        ("arguments", "named", "message"),
        [
            ((1.0,), {}, "needs an argument for x, y"),
            ((1.0, 2, 3, 4), {}, "takes 3 arguments; found 4"),
            ((1.0,), {"z": 1}, "has no parameter 'z'; it has a, x, y"),
            ((1.0,), {"a": 1}, "got 'a' twice"),
            ((1.0, np.ones(3), np.ones(3)), {}, r"'x' takes a LogicalStore.* found ndarray: write from_array\(x\)"),
            ((store(3), store(3), store(3)), {}, "'a' is a scalar, and got a store"),
            (([1, 2], store(3), store(3)), {}, "'a' takes a number, text.* found list"),
        ],
    )
    def test_are_refused_by_a_type_error(self, arguments, named, message):
        with pytest.raises(StoreTypeError, match=message) as caught:
            saxpy.bind(*arguments, **named)
        assert isinstance(caught.value, TypeError)

    def test_partitions_need_one_color_shape(self):
        with pytest.raises(StoreValueError, match=r"'x' and 'y' have color shapes \(2,\) and \(3,\)"):
            saxpy(1.0, store(6).partition_by_tiling((3,)), store(6).partition_by_tiling((2,)))

    @pytest.mark.parametrize("whole", [True, False])
    def test_more_colors_than_memory_can_list_are_refused(self, whole):
        colors = (10**12,) if whole else (10**4, 1, 1001)
        x, y = (store(*[2] * len(colors)).partition_by_tiling([1] * len(colors), colors) for _ in "xy")
        with pytest.raises(StoreValueError, match=r"has \d+ colors, and a launch has at most 10000000; give .* larger"):
            saxpy(1.0, x, y)

    def test_a_whole_output_of_several_colors_is_refused(self):
        with pytest.raises(StoreValueError, match="each of 3 colors would write all of 'y'"):
            saxpy(1.0, store(6).partition_by_tiling((2,)), store(6))

    def test_elements_written_twice_are_refused_and_disjoint_parts_are_not(self):
        x = store(6)
        with pytest.raises(StoreValueError, match="the same elements through 'x' and 'y'"):
            two(x[:4], x[3:])
        with pytest.raises(StoreValueError, match="the same elements"):
            two(x.partition_by_tiling((2,)), x.partition_by_tiling((2,)))
        two(x[:3], x[3:]).wait()
        two(x.partition_by_tiling((2,)), store(6).partition_by_tiling((2,))).wait()

    def test_a_reduction_that_the_dtype_does_not_have_is_refused(self):
        @task
        def both(s: Reduce[AND]):
            pass

        with pytest.raises(StoreValueError, match="there is no AND of float32"):
            both(store(1))

    def test_what_is_no_operator_is_refused(self):
        with pytest.raises(StoreValueError, match=r"write Reduce\[ADD\]"):
            Reduce["add"]
        with pytest.raises(StoreValueError, match="needs an operator"):
            task(parameters={"x": Reduce})(lambda x: None)

    def test_memory_that_is_read_only_is_no_output(self):
        x = from_array(np.ones(3, "float32"))
        saxpy(1.0, x, store(3)).wait()
        with pytest.raises(ReadOnlyError, match="read_only=False"):
            saxpy(1.0, store(3), x)

    def test_a_detached_store_is_refused(self):
        x = from_array(np.ones(3, "float32"))
        x.detach()
        with pytest.raises(StoreError, match="detached"):
            saxpy(1.0, x, store(3))

    def test_aligned_stores_need_one_shape_and_one_tiling(self):
        with pytest.raises(StoreValueError, match=r"needs 'x' and 'y' cut alike.*shape \(6,\), whole and shape \(5,\)"):
            aligned(store(6), store(5), store(1))
        with pytest.raises(StoreValueError, match=r"in tiles of \(3,\)"):
            aligned(store(5).partition_by_tiling((3,)), store(5).partition_by_tiling((4,)), store(1))

    def test_a_store_for_all_colors_is_no_partition(self):
        with pytest.raises(StoreValueError, match="takes 'c' whole"):
            aligned(*[store(2).partition_by_tiling((1,)) for _ in range(3)])

    def test_a_refused_launch_leaves_stores_as_they_are(self):
        x = store(3)
        with pytest.raises(StoreValueError):
            two(x, x)
        assert values(x) == [1, 1, 1]


class TestDeclarations:
    def test_constraints_name_stores_of_the_task(self):
        with pytest.raises(StoreValueError, match="align names 'a', which is no store of f; its stores are x, y"):

            @task(constraints=[align("a", "x")])
            def f(a: int, x: Input, y: Output):
                pass

        with pytest.raises(StoreValueError, match="two names or more"):
            align("x")
        with pytest.raises(StoreValueError, match="needs a name"):
            broadcast()

    def test_a_task_has_no_open_list_of_arguments(self):
        with pytest.raises(StoreTypeError, match=r"cannot have \*xs"):
            task(lambda *xs: None)

    def test_the_body_may_be_a_partial_function_or_a_method(self):
        class Adder:
            def add(self, a: float, x: InOut):
                x.span_read_write_accessor()[...] += a

            @staticmethod
            def add_two(x: "InOut"):
                x.span_read_write_accessor()[...] += 2

        x, method = store(2), Adder().add
        for result in task(partial(method, 1.0)), task(partial(method, a=1.0)), task(Adder.add_two):
            result(x=x).wait()
        task(method)(1.0, x).wait()
        assert values(x) == [6, 6]
        assert task(partial(method, 1.0)).name == "add"

    def test_a_method_in_its_class_is_refused_with_what_to_write(self):
        with pytest.raises(StoreTypeError, match=r"no object for 'self'; write @staticmethod .* task\(obj.f\)"):

            class Wrong:
                @task
                def f(self, x: InOut):
                    pass

        class Right:
            @staticmethod
            @task
            def f(x: InOut):
                x.span_read_write_accessor()[...] += 2

        x = store(2)
        Right().f(x)
        assert values(x) == [3, 3]

    def test_what_cannot_be_a_body_is_refused(self):
        class NoName:
            def __call__(self, x: Input):
                pass

        def generator(x: Input):
            yield

        async def coroutine(x: Input):
            pass

        for body, message in [
            (5, "a function or a kernel; found int"),
            (NoName(), r"write task\(x.__call__\)"),
            (generator, "without yield"),
            (coroutine, "without yield"),
        ]:
            with pytest.raises(StoreTypeError, match=message):
                task(body)

    def test_the_text_of_an_annotation_is_evaluated_where_the_function_is(self):
        def f(a: "Unknown", x: "Input", s: "Reduce[ADD]"):  # noqa: F821 - as under `if TYPE_CHECKING`
            pass

        assert [each.declared is not None for each in task(f).parameters] == [False, True, True]

    def test_an_annotation_that_the_module_does_not_have_is_an_error(self):
        scope = {}
        exec("def f(x: 'Output'): pass", scope)
        with pytest.raises(StoreTypeError, match="'Output', and its module has no such name"):
            task(scope["f"])

    def test_annotations_can_be_given_beside_the_function(self):
        result = task(parameters={"x": Input, "y": InOut})(add)
        x, y = store(3), store(3)
        result(x, y, 2.0).wait()
        assert values(y) == [3, 3, 3]
        with pytest.raises(StoreValueError, match="'z' is no parameter of add; it has x, y, factor"):
            task(parameters={"z": Input})(add)

    def test_a_launch_is_plain_data(self):
        x, y = store(5), store(5)
        launch = saxpy.bind(2.0, x.partition_by_tiling((2,)), y.partition_by_tiling((2,)))
        assert (len(launch), launch.colors, launch.color_shape) == (3, [(0,), (1,), (2,)], (3,))
        assert {name: each.access and each.access.value for name, each in launch.arguments.items()} == {
            "a": None,
            "x": "read",
            "y": "read_write",
        }
        point = launch.point((2,))
        assert [(each.name, each.box, each.origin, each.nbytes) for each in point.operands] == [
            ("x", ((4, 5),), (4,), 4),
            ("y", ((4, 5),), (4,), 4),
        ]
        assert point.scalars == {"a": 2.0}
        with pytest.raises(IndexError, match="invalid for a launch of color shape"):
            launch.point((3,))
        with pytest.raises(IndexError, match="invalid for a launch of color shape"):
            launch.point((-1,))

    def test_a_point_that_is_sent_has_no_memory(self):
        cloudpickle = pytest.importorskip("cloudpickle", reason="it comes with dask")

        @task
        def local(a: float, x: Input):
            pass

        for each in (saxpy.bind(2.0, store(5), store(5)), local.bind(1.0, store(5))):
            point = each.point(()).sent()
            again = cloudpickle.loads(cloudpickle.dumps(point))
            assert again.task.name == point.task.name
            assert again.operands == point.operands
            assert again.scalars == point.scalars


class TestVariants:
    def test_stores_on_a_device_run_the_variant_for_it(self):
        x = store(4)
        x.offload_to("sim")
        scale(x).wait()
        scale(x).wait()
        assert values(x) == [9, 9, 9, 9]

    def test_an_engine_told_a_device_copies_tiles_there_and_back(self):
        x = store(5)
        for name in ("eager", "threads"):
            with engine(name).using(device="sim"):
                scale(x.partition_by_tiling((2,))).wait()
        assert values(x) == [9] * 5
        assert x.root.place.device is accel.Device.CPU

    def test_memory_of_the_user_on_a_device_is_in_order_with_arrays_on_it(self):
        memory = accel.container([1.0, 2.0, 3.0], "float32", device="sim")
        x = from_array(memory, read_only=False)
        scale(x)
        scale(x.partition_by_tiling((2,)))
        assert memory.to_numpy().tolist() == [9, 18, 27]

    def test_stores_on_a_device_without_a_variant_are_copied_to_the_host(self):
        x, y = store(4), store(4)
        x.offload_to("sim")
        y.offload_to("sim")
        saxpy(2.0, x, y.transpose((0,))).wait()
        assert values(y) == [3, 3, 3, 3]

    def test_a_reduction_on_a_device_is_combined(self):
        s = create_store("int64", (1,))
        s.fill(5)
        s.offload_to("sim")
        count(store(6).partition_by_tiling((4,)), s).wait()
        assert values(s) == [11]

    def test_a_device_without_a_variant_is_refused_before_anything_runs(self):
        with engine("threads").using(device="sim"), pytest.raises(CapabilityError, match="has no body for sim"):
            saxpy(1.0, store(1), store(1))

    def test_a_variant_is_for_a_type_of_device(self):
        with pytest.raises(StoreValueError, match="'gpu7' is no type of device"):
            saxpy.variant("gpu7")


class TestUnboundStores:
    @pytest.fixture(params=["eager", "threads"], autouse=True)
    def any_engine(self, request):
        with engine(request.param).using():
            yield

    def test_the_body_chooses_the_shape(self):
        @task
        def choose(n: int, x: Output):
            buffer = x.create_output_buffer((n, 2), bind_buffer=True)
            np.asarray(buffer)[...] = np.arange(2 * n).reshape(n, 2)

        x = create_store("int64", ndim=2)
        choose(3, x)
        assert x.shape == (3, 2)
        assert values(x) == [[0, 1], [2, 3], [4, 5]]

    def test_the_pieces_of_all_colors_are_joined_in_their_order(self):
        @task
        def positive(x: Input, y: Output):
            array = x.span_read_accessor()
            result = array[array > 0]
            if not result.size:
                y.bind_empty_data()
                return
            np.asarray(y.create_output_buffer(result.shape, bind_buffer=True))[...] = result

        array = np.array([1, -1, 2, -1, -1, -1, 3, 4])
        y = create_store("int64")
        positive(from_array(array).partition_by_tiling((2,)), y)
        assert values(y) == [1, 2, 3, 4]

    def test_an_unbound_input_is_refused(self):
        with pytest.raises(StoreError, match="Illegal to access an uninitialized unbound store"):
            saxpy(1.0, create_store("float32"), store(1))

    def test_a_body_that_binds_nothing_fails(self):
        @task
        def nothing(x: Output):
            pass

        x = create_store("float32")
        future = nothing(x)
        with pytest.raises(StoreError, match="did not bind 'x', which is unbound; call create_output_buffer"):
            future.wait()

    def test_pieces_without_a_dimension_cannot_be_joined(self):
        @task
        def one(x: Input, y: Output):
            y.create_output_buffer((), bind_buffer=True)

        y = create_store("float64", ndim=0)
        with pytest.raises(StoreValueError, match="no dimension along which the values of 2 colors"):
            one(store(2).partition_by_tiling((1,)), y).wait()

    def test_a_later_task_reads_what_was_bound(self):
        @task
        def choose(x: Output):
            np.asarray(x.create_output_buffer((3,), bind_buffer=True))[...] = 4

        x, y = create_store("float32"), store(3)
        choose(x)
        saxpy(1.0, x, y)
        assert values(y) == [5, 5, 5]


def test_a_local_task_is_not_pickled_without_cloudpickle():
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(task(lambda x: None))


class TestArrays:
    @pytest.mark.parametrize("name", ["eager", "threads"])
    def test_a_body_gets_physical_arrays_and_tiles_of_them(self, name):
        array = from_strings(["one", None, "three", "fourteen", ""])
        lengths = create_store("int64", (5,))

        @task
        def measure(texts: Input, y: Output):
            y.span_write_accessor()[...] = [-1 if each is None else len(each) for each in texts]

        with engine(name).using():
            measure(array, lengths).wait()
            assert values(lengths) == [3, -1, 5, 8, 0]
            lengths.fill(0)
            measure(array.partition_by_tiling(2), lengths.partition_by_tiling((2,))).wait()
            assert values(lengths) == [3, -1, 5, 8, 0]

    def test_a_body_writes_the_elements_and_the_mask_of_an_array(self):
        array = LogicalArray(store(4), create_store("bool", (4,)))

        @task
        def write(x: Output):
            x.data.span_write_accessor()[...] = [1, 2, 3, 4]
            x.null_mask.span_write_accessor()[...] = [True, False, True, True]

        write(array).wait()
        physical = array.get_physical_array()
        assert (list(physical), physical.valid().tolist()) == ([1, 2, 3, 4], [True, False, True, True])
