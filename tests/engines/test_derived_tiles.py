"""Tiles that `image`, `scale` and `bloat` derive: their definitions by NumPy, on each engine and device."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.engines import (
    ImageComputationHint,
    InOut,
    Input,
    Launch,
    Output,
    Reduce,
    align,
    bloat,
    broadcast,
    engine,
    image,
    row_tiling,
    scale,
    task,
)
from accel.errors import StoreError, StoreTypeError, StoreValueError
from accel.store import (
    ADD,
    create_array,
    create_list_array,
    create_store,
    create_struct_array,
    from_array,
    from_strings,
)

from .stores import held_task, store_of, values

HINTS = [*ImageComputationHint]
ENGINES = {
    "eager": lambda: engine("eager"),
    "threads": lambda: engine("threads").using(inline=False),
    "a budget": lambda: engine("threads").using(budget=1 << 20),
    "sim": lambda: engine("threads").using(device="sim"),
}
QUICK = settings(max_examples=50, deadline=None, database=None)


@pytest.fixture(params=ENGINES)
def any_engine(request):
    with ENGINES[request.param]() as chosen:
        yield chosen


@pytest.fixture(params=[name for name in ENGINES if name != "sim"])
def host_engine(request):
    with ENGINES[request.param]() as chosen:
        yield chosen


def on_each_device(constraints):
    """Return a decorator for a task whose body is that of each device."""

    def decorate(body):
        result = task(constraints=constraints)(body)
        result.variant("sim")(body)
        return result

    return decorate


def to_numpy(span):
    return span if isinstance(span, np.ndarray) else span.to_numpy()


def write(span, array):
    span[tuple([slice(None)] * array.ndim)] = array


def boxes(launch, name):
    """Return for each color the range of each dimension of an operand, as its domain has it."""
    launch = launch if isinstance(launch, Launch) else launch()
    found = []
    for point in launch.points():
        (operand,) = [each for each in point.operands if each.name == name]
        found.append(tuple([slice(low, low + n) for low, n in zip(operand.origin, operand.map.shape, strict=True)]))
    return found


def by_definition(reached, shape):
    """Return the smallest box of some points, those outside of a shape left out."""
    inside = [p for p in reached if all(0 <= at < extent for at, extent in zip(p, shape, strict=True))]
    if not inside:
        return None
    return tuple([slice(min(axis), max(axis) + 1) for axis in zip(*inside, strict=True)])


def same(found, expected):
    if expected is None:
        return any(each.stop <= each.start for each in found)
    return found == expected


@task(constraints=[image("at", "x")])
def touch(at: Input, x: Input):
    pass


class TestImages:
    @QUICK
    @given(st.data(), st.integers(1, 3), st.sampled_from(HINTS))
    def test_each_tile_holds_what_its_points_point_to(self, data, ndim, hint):
        shape = data.draw(st.tuples(*[st.integers(0, 5)] * ndim))
        count, tile = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 4))
        inner = st.integers(-2, 7)
        points = np.array(data.draw(st.lists(st.tuples(*[inner] * ndim), min_size=count, max_size=count)))
        dtype = data.draw(st.sampled_from(["int8", "int64", "uint64", "int32"]))
        if dtype == "uint64":
            points = np.where(points < 0, 2**64 - 1, points.astype("uint64")) if (points < 0).any() else points
        points = points.astype(dtype)
        if hint is ImageComputationHint.FIRST_LAST:
            points = points[np.lexsort(points.T[::-1])]
            if ndim > 1:  # sorted in each coordinate
                points = np.sort(points, axis=0)
        get = task(constraints=[image("at", "x", hint)])(touch.__wrapped__)
        at, x = from_array(points), create_store("float64", shape)
        found = boxes(get.bind(at.partition_by_tiling((tile, ndim)), x), "x")
        for number, box in enumerate(found):
            mine = [tuple(map(int, p)) for p in points[number * tile : (number + 1) * tile]]
            exact = by_definition(mine, shape)
            if hint is ImageComputationHint.NO_HINT:
                assert same(box, exact)
            elif exact is not None:
                assert all(a.start <= b.start and b.stop <= a.stop for a, b in zip(box, exact, strict=True))
            assert all(0 <= a.start <= a.stop <= extent for a, extent in zip(box, shape, strict=True))

    @pytest.mark.parametrize("hint", HINTS)
    def test_indices_need_no_last_dimension(self, hint):
        get = task(constraints=[image("at", "x", hint=hint)])(touch.__wrapped__)
        at, x = from_array(np.array([2, 5, 5, 7, 9])), create_store("float32", (20,))
        expected = [(slice(2, 6),), (slice(5, 8),), (slice(9, 10),)]
        assert boxes(get.bind(at.partition_by_tiling((2,)), x), "x") == expected
        assert boxes(get.bind(at.promote(1, 1).partition_by_tiling((2, 1)), x), "x") == expected

    @pytest.mark.parametrize("hint", HINTS)
    def test_rectangles_have_their_first_and_last_point(self, hint):
        get = task(constraints=[image("at", "x", hint)])(touch.__wrapped__)
        at = from_array(np.array([[0, 0, 1, 2], [1, 1, 1, 1], [5, 5, 4, 4], [5, 5, 4, 4]]))
        x = create_store("float32", (4, 4))
        found = boxes(get.bind(at.partition_by_tiling((2, 4)), x), "x")
        assert found[0] == (slice(0, 2), slice(0, 3))
        assert same(found[1], None)

    def test_an_empty_rectangle_widens_no_image(self):
        at = from_array(np.array([[5, 6], [1, 0]]))
        for hint in (ImageComputationHint.NO_HINT, ImageComputationHint.MIN_MAX):
            get = task(constraints=[image("at", "x", hint)])(touch.__wrapped__)
            launch = get.bind(at.partition_by_tiling((2, 2)), create_store("int8", (9,)))
            assert boxes(launch, "x") == [(slice(5, 7),)]

    def test_a_list_array_is_cut_as_by_the_image_of_its_descriptor(self):
        lists = create_list_array([[0, 2], [3, 2], [3, 3], [4, 7], [8, 9]], create_array("int32", (10,)))
        ranges = lists.descriptor.data
        found = boxes(touch.bind(ranges.partition_by_tiling((2, 2)), lists.vardata.data), "x")
        tiles = [lists.partition_by_tiling(2).get_child_array(color) for color in range(3)]
        assert [each[0].stop - each[0].start for each in found] == [tile.vardata.shape[0] for tile in tiles]

    def test_tasks_see_their_images(self, any_engine):
        @on_each_device([image("at", "x")])
        def gather(at: Input, x: Input, y: Output):
            points, x_lo = to_numpy(at.span_read_accessor()), np.array(x.domain.lo)
            taken = to_numpy(x.span_read_accessor())[tuple((points - x_lo).T)]
            write(y.span_write_accessor(), taken)

        rng = np.random.default_rng(7)
        table, points = rng.random((30, 20)), np.stack([rng.integers(0, 30, 50), rng.integers(0, 20, 50)], 1)
        x, at, y = store_of(table), store_of(points), create_store("float64", (50,))
        gather(at.partition_by_tiling((8, 2)), x, y.partition_by_tiling((8,)))
        assert (values(y) == table[tuple(points.T)]).all()

    def test_values_are_combined_into_images(self, host_engine):
        @task(constraints=[image("at", "bins")])
        def count(at: Input, bins: Reduce[ADD]):
            into = bins.reduce_accessor()
            for place in at.span_read_accessor():
                into.reduce(int(place), 1)

        at = np.random.default_rng(3).integers(0, 40, 100)
        bins = store_of(np.zeros(40, "int64"))
        count(from_array(at).partition_by_tiling((9,)), bins)
        assert values(bins).tolist() == np.bincount(at, minlength=40).tolist()

    def test_tiles_that_overlap_are_written_in_the_order_of_the_colors(self, any_engine):
        @on_each_device([image("at", "x")])
        def spread(at: Input, x: InOut):
            span = x.span_read_write_accessor()
            write(span, to_numpy(span) * 2 + 1)

        at, expected = np.array([0, 5, 3, 8, 1, 1]), np.zeros(9)
        x = store_of(expected)
        spread(from_array(at).partition_by_tiling((2,)), x)
        for part in (slice(0, 6), slice(3, 9), slice(1, 2)):
            expected[part] = expected[part] * 2 + 1
        assert values(x).tolist() == expected.tolist()

    def test_it_waits_for_the_task_that_writes_the_points(self):
        add_later, release = held_task()
        at = store_of(np.array([0, 4]))
        with engine("threads").using(inline=False):
            add_later(at)
            release.set()
            launch = touch.bind(at.partition_by_tiling((1,)), create_store("int8", (9,)))
            assert boxes(launch, "x") == [(slice(1, 2),), (slice(5, 6),)]

    def test_the_points_are_read_at_each_submission(self):
        at = store_of(np.array([0, 4]))
        launch = touch.bind(at.partition_by_tiling((1,)), create_store("int8", (9,)))
        assert boxes(launch, "x") == [(slice(0, 1),), (slice(4, 5),)]
        at.fill(7)
        assert boxes(launch, "x") == [(slice(7, 8),)] * 2

    def test_points_that_a_task_failed_to_write_raise_its_failure(self):
        @task
        def fail(x: Output):
            raise KeyError("planted")

        at = create_store("int64", (4,))
        with engine("eager"):
            fail(at)
            with pytest.raises(KeyError, match="planted"):
                touch(at.partition_by_tiling((2,)), create_store("int8", (9,)))

    def test_points_on_a_device_stay_there(self):
        at = store_of(np.array([3, 1]))
        at.offload_to("sim")
        launch = touch.bind(at.partition_by_tiling((1,)), create_store("int8", (9,)))
        assert boxes(launch, "x") == [(slice(3, 4),), (slice(1, 2),)]
        assert at.root.place.device.type == "sim"

    def test_points_of_a_budget_stay_tiles(self):
        @task
        def number(at: Output):
            at.span_write_accessor()[...] = at.domain.lo[0]

        at = create_store("int64", (8,))
        with engine("threads").using(budget=64):
            number(at.partition_by_tiling((4,)))
            launch = touch.bind(at.partition_by_tiling((4,)), create_store("int8", (9,)))
            assert boxes(launch, "x") == [(slice(0, 1),), (slice(4, 5),)]
            assert at.root.contents.gathered is None

    def test_whole_stores_stay_whole(self):
        at, x = from_array(np.array([3, 1])), create_store("int8", (9,))
        assert boxes(touch.bind(at, x), "x") == [(slice(0, 9),)]

    def test_the_range_may_be_a_view(self):
        at = from_array(np.array([[0, 1], [2, 1]]))
        x = store_of(np.arange(12.0).reshape(3, 4)).transpose((1, 0))[:3]
        assert boxes(touch.bind(at.partition_by_tiling((1, 2)), x), "x") == [
            (slice(0, 1), slice(1, 2)),
            (slice(2, 3), slice(1, 2)),
        ]


@task(constraints=[scale((2, 3), "x", "y")])
def by_factors(x: Input, y: Output):
    pass


@task(constraints=[bloat("x", "y", (1, 0), (2, 1))])
def by_offsets(x: Input, y: Input):
    pass


class TestScaledAndBloated:
    @QUICK
    @given(st.data())
    def test_scaled_tiles_are_by_factors_larger(self, data):
        shape, tile = data.draw(st.tuples(*[st.integers(1, 6)] * 2)), data.draw(st.tuples(*[st.integers(1, 4)] * 2))
        more = data.draw(st.tuples(st.integers(-3, 4), st.integers(-3, 4)))
        bigger = tuple([max(n * by + extra, 0) for n, by, extra in zip(shape, (2, 3), more, strict=True)])
        x, y = create_store("int8", shape), create_store("int8", bigger)
        partition = x.partition_by_tiling(tile)
        found = boxes(by_factors.bind(partition, y), "y")
        for color, box in zip(partition.colors(), found, strict=True):
            ends = [
                (c * n * by, (c + 1) * n * by, extent)
                for c, n, by, extent in zip(color, tile, (2, 3), bigger, strict=True)
            ]
            assert box == tuple([slice(min(low, extent), min(high, extent)) for low, high, extent in ends])

    @QUICK
    @given(st.data())
    def test_bloated_tiles_have_neighbours_at_both_ends(self, data):
        shape, tile = data.draw(st.tuples(*[st.integers(1, 7)] * 2)), data.draw(st.tuples(*[st.integers(1, 4)] * 2))
        x, y = create_store("int8", shape), create_store("int8", shape)
        partition = x.partition_by_tiling(tile)
        found = boxes(by_offsets.bind(partition, y), "y")
        for color, box in zip(partition.colors(), found, strict=True):
            ends = zip(color, tile, shape, strict=True)
            own = product(*[range(c * n, min((c + 1) * n, extent)) for c, n, extent in ends])
            reached = [(i + di, j + dj) for i, j in own for di in (-1, 0, 1, 2) for dj in (0, 1)]
            expected = by_definition(reached, shape)
            assert all(a.start <= b.start and b.stop <= a.stop for a, b in zip(box, expected, strict=True))

    def test_a_stencil_gives_what_numpy_gives(self, any_engine):
        @on_each_device([bloat("y", "x", (1, 1), (1, 1))])
        def blur(x: Input, y: Output):
            padded = np.pad(to_numpy(x.span_read_accessor()), 1)
            low, inner = np.array(y.domain.lo) - x.domain.lo, y.shape
            total = sum(
                padded[tuple(slice(1 + o + d, 1 + o + d + n) for o, d, n in zip(low, delta, inner, strict=True))]
                for delta in product((-1, 0, 1), repeat=2)
            )
            write(y.span_write_accessor(), total)

        array = np.random.default_rng(5).integers(0, 9, (13, 11)).astype("int64")
        x, y = store_of(array), create_store("int64", array.shape)
        blur(x, y.partition_by_tiling((4, 3)))
        padded = np.pad(array, 1)
        expected = sum(padded[i : i + 13, j : j + 11] for i, j in product(range(3), repeat=2))
        assert (values(y) == expected).all()

    def test_bits_are_packed(self, any_engine):
        @on_each_device([scale((1, 8), "packed", "bits")])
        def pack(bits: Input, packed: Output):
            write(packed.span_write_accessor(), np.packbits(to_numpy(bits.span_read_accessor()), axis=1))

        bits = np.random.default_rng(1).random((5, 53)) < 0.5
        packed = create_store("uint8", (5, 7))
        pack(from_array(bits), packed.partition_by_tiling((2, 3)))
        assert (values(packed) == np.packbits(bits, axis=1)).all()

    def test_outputs_are_scaled(self, any_engine):
        @on_each_device([scale((2,), "x", "y")])
        def repeat(x: Input, y: Output):
            write(y.span_write_accessor(), np.repeat(to_numpy(x.span_read_accessor()), 2))

        y = create_store("float64", (14,))
        repeat(store_of(np.arange(7.0)).partition_by_tiling((3,)), y)
        assert values(y).tolist() == np.repeat(np.arange(7.0), 2).tolist()

    def test_constraints_follow_one_another_in_any_order(self):
        @task(constraints=[image("at", "z"), bloat("y", "at", (0,), (1,)), scale((2,), "x", "y")])
        def chained(x: Input, y: Input, at: Input, z: Input):
            pass

        x, y, at = create_store("int8", (4,)), create_store("int8", (8,)), from_array(np.arange(8)[::-1].copy())
        launch = chained.bind(x.partition_by_tiling((2,)), y, at, create_store("int8", (20,)))
        assert boxes(launch, "y") == [(slice(0, 4),), (slice(4, 8),)]
        assert boxes(launch, "at") == [(slice(0, 5),), (slice(4, 8),)]
        assert boxes(launch, "z") == [(slice(3, 8),), (slice(0, 4),)]

    def test_arrays_are_cut_along_their_rows(self, host_engine):
        @task(constraints=[bloat("y", "names", (1,), (0,))])
        def join(names: Input, y: Output):
            first, texts = names.domain.lo[0], names.elements()
            for (i,) in y.domain:
                y.write_accessor()[i] = sum(len(text) for text in texts[max(i - 1 - first, 0) : i + 1 - first])

        names, y = from_strings(["a", "bb", "", "dddd", "eeeee"]), create_store("int64", (5,))
        join(names, y.partition_by_tiling((2,)))
        assert values(y).tolist() == [1, 3, 2, 4, 9]

    def test_an_engine_cuts_a_stencil_on_whole_stores(self, monkeypatch):
        @task(constraints=[align("y", "z"), bloat("y", "x", (1,), (1,))])
        def difference(x: Input, y: Output, z: Input):
            values = np.pad(x.span_read_accessor(), 1)
            at, n = y.domain.lo[0] - x.domain.lo[0], y.shape[0]
            sizes.append(n)
            y.span_write_accessor()[...] = values[at + 2 : at + 2 + n] - values[at : at + n] + z.span_read_accessor()

        sizes, array = [], np.arange(100.0) ** 2
        monkeypatch.setattr(row_tiling, "TILE_BYTES", 400)
        y = create_store("float64", (100,))
        with engine("threads"):
            difference(store_of(array), y, store_of(np.ones(100)))
        padded = np.pad(array, 1)
        assert values(y).tolist() == (padded[2:] - padded[:-2] + 1).tolist()
        assert len(sizes) > 2

    def test_a_preview_draws_derived_tiles(self):
        x, y = create_store("int8", (4, 4)), create_store("int8", (8, 12))
        with engine("eager") as chosen:
            text = str(chosen.preview(by_factors.bind(x.partition_by_tiling((2, 2)), y)))
        assert "y (write): int8 of shape (8, 12), in tiles of (4, 6)" not in text
        assert "y (write): int8 of shape (8, 12), in tiles by scale from those of 'x'" in text


def bad(body=None, **constraint):
    def function(x: Input, y: Input):
        pass

    return task(body or function, **constraint)


class TestErrors:
    @pytest.mark.parametrize(
        ("make", "error", "message"),
        [
            (lambda: image("x", "x"), StoreValueError, "two different parameters"),
            (lambda: image(3, "x"), StoreTypeError, "names of two parameters"),
            (lambda: image("x", "y", "min_max"), StoreTypeError, "hint=ImageComputationHint.MIN_MAX"),
            (lambda: scale((0, 1), "x", "y"), StoreValueError, "1 or more"),
            (lambda: scale(2, "x", "y"), StoreTypeError, "one for each dimension"),
            (lambda: scale((1.5,), "x", "y"), StoreTypeError, "one for each dimension"),
            (lambda: bloat("x", "y", (-1,), (0,)), StoreValueError, "0 or more"),
            (lambda: bloat("x", "y", (1,), (0, 1)), StoreValueError, "an offset for each dimension"),
        ],
    )
    def test_a_wrong_constraint_says_what_to_write(self, make, error, message):
        with pytest.raises(error, match=message):
            make()

    @pytest.mark.parametrize(
        ("constraints", "error", "message"),
        [
            ([image("x", "z")], StoreValueError, "image names 'z', which is no store of body; its stores are x, y"),
            ([image("x", "y"), broadcast("y")], StoreValueError, "'y' would get its tiles by Image"),
            ([align("x", "y"), bloat("x", "y", (1,), (1,))], StoreValueError, "'y' would get its tiles by Bloat"),
            ([scale((2,), "x", "y"), scale((3,), "x", "y")], StoreValueError, "write one of them"),
            ([scale((2,), "x", "y"), scale((2,), "y", "x")], StoreValueError, "derived from themselves"),
            ([image("n", "x")], StoreValueError, "image names 'n'"),
            ([("x", "y")], StoreTypeError, "write what align, broadcast, image, scale or bloat returns"),
        ],
    )
    def test_constraints_that_do_not_fit_are_refused_with_the_task(self, constraints, error, message):
        def body(n: int, x: Input, y: Input):
            pass

        with pytest.raises(error, match=message):
            task(constraints=constraints)(body)

    def test_one_constraint_needs_no_list(self):
        def body(x: Input, y: Input):
            pass

        assert task(constraints=align("x", "y"))(body).constraints == (align("x", "y"),)

    def test_points_that_a_task_only_writes_are_refused(self):
        def body(at: Output, x: Input):
            pass

        with pytest.raises(StoreValueError, match="declare it as an Input or InOut"):
            task(constraints=[image("at", "x")])(body)

    @pytest.mark.parametrize(
        ("at", "x", "message"),
        [
            (lambda: np.zeros(4), lambda: create_store("int8", (3,)), "which has float64; points have integers"),
            (lambda: np.zeros((4, 3), "i8"), lambda: create_store("int8", (3, 3)), "2-D points has 2 coordinates"),
            (lambda: np.zeros((4, 3), "i8"), lambda: create_store("int8", (3,)), "1-D points has 1 coordinates"),
            (lambda: np.zeros((4,), "i8"), lambda: create_store("int8", ()), "0-D points"),
        ],
    )
    def test_a_store_without_points_is_refused(self, at, x, message):
        store = from_array(at())
        tile = (2, *store.shape[1:])
        with pytest.raises(StoreValueError, match=message):
            touch.bind(store.partition_by_tiling(tile), x())

    def test_tiles_that_cut_points_are_refused(self):
        at, x = from_array(np.zeros((4, 2), "i8")), create_store("int8", (3, 3))
        launch = touch.bind(at.partition_by_tiling((2, 1)), x)
        with pytest.raises(StoreValueError, match=r"tiles of 'at' cut its points.*2 in tile_shape\[-1\]"):
            launch.points()

    def test_partitions_of_other_colors_are_refused_and_a_dimension_of_one_color_may_be_left_out(self):
        @task(constraints=[image("at", "x")])
        def gather(at: Input, x: Input, y: Output):
            pass

        at, x, y = from_array(np.zeros((4, 2), "i8")), create_store("int8", (3, 3)), create_store("int8", (4,))
        partition = at.partition_by_tiling((2, 2))
        assert gather.bind(partition, x, y.partition_by_tiling((2,))).color_shape == (2, 1)
        for other in (y.partition_by_tiling((1,)), y.promote(1, 2).partition_by_tiling((2, 1))):
            with pytest.raises(StoreValueError, match="partitions of one color shape"):
                gather.bind(partition, x, other)

    def test_a_partition_in_the_place_of_the_store_is_refused(self):
        x, y = create_store("int8", (4, 4)), create_store("int8", (8, 12))
        for first in (x, x.partition_by_tiling((2, 2))):
            with pytest.raises(StoreValueError, match="give the store itself for 'y', not a partition"):
                by_factors.bind(first, y.partition_by_tiling((2, 2)))

    def test_other_numbers_of_dimensions_are_refused(self):
        with pytest.raises(StoreValueError, match="2 factors; the stores have 2 and 1 dimensions"):
            by_factors.bind(create_store("int8", (4, 4)), create_store("int8", (4,)))
        with pytest.raises(StoreValueError, match="2 offsets; the stores have 1 and 1 dimensions"):
            by_offsets.bind(create_store("int8", (4,)), create_store("int8", (4,)))

    def test_an_unbound_store_gets_no_tiles(self):
        @task(constraints=[scale((2,), "x", "y")])
        def body(x: Input, y: Output):
            pass

        with pytest.raises(StoreValueError, match="'y' is unbound"):
            body.bind(create_store("int8", (4,)).partition_by_tiling((2,)), create_store("int8"))

    def test_an_array_of_several_stores_has_no_points(self):
        lists = create_list_array([[0, 2]], create_array("int32", (10,)))
        with pytest.raises(StoreValueError, match="an array of 2 stores"):
            touch.bind(lists.partition_by_tiling(1), create_store("int8", (3,)))
        struct = create_struct_array({"a": create_array("int64", (4,)), "b": create_array("int64", (4,))})
        with pytest.raises(StoreValueError, match="an array of 2 stores"):
            touch.bind(struct.partition_by_tiling(1), create_store("int8", (3,)))

    def test_a_body_that_waits_for_its_own_points_is_refused(self):
        @task
        def outer(at: InOut):
            touch(store.partition_by_tiling((1,)), create_store("int8", (3,)))

        store = store_of(np.array([0, 1]))
        with engine("eager"), pytest.raises(StoreError, match="the task itself uses"):
            outer(store).wait()
