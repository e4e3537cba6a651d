"""The order of work on boxes: random works against an oracle, interleavings, failures, many works."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.store import create_store, regions
from accel.store.box_order import Use, enter, hosting, leave
from accel.store.box_tree import BoxTree
from accel.store.boxes import box_of, covers, is_empty, overlap, volume, without
from accel.store.regions import IDLE, Access


class Task:
    """A work that is over when the test says so."""

    def __init__(self, failure=None):
        self.failure = failure
        self.over = threading.Event()

    def done(self):
        return self.over.is_set()

    def settle(self):
        assert self.over.wait(20), "a deadlock"


def root_of(*shape):
    return create_store("int64", shape).root


def boxes(shape):
    ends = st.tuples(*[st.tuples(st.integers(0, extent), st.integers(0, extent)) for extent in shape])
    return ends.map(lambda box: tuple((min(pair), max(pair)) for pair in box))


SHAPE = (5, 4)
BOXES = boxes(SHAPE)


def points(box):
    return {(i, j) for i in range(*box[0]) for j in range(*box[1])}


@given(BOXES, BOXES)
def test_boxes_overlap_cover_and_lack_what_their_points_do(one, other):
    mine, theirs = points(one), points(other)
    assert overlap(one, other) == bool(mine & theirs)
    assert is_empty(one) == (not mine)
    assert volume(one) == len(mine)
    if mine:
        assert covers(other, one) == (mine <= theirs)
    rest = [points(box) for box in without(one, other)] if mine else []
    assert set().union(*rest) == mine - theirs
    assert sum(map(len, rest)) == len(mine - theirs)


@settings(max_examples=60)
@given(st.sampled_from([(), (30,), (30, 30), (2, 200, 3)]), st.integers(0, 80), st.randoms(use_true_random=False))
def test_a_tree_finds_the_entries_whose_boxes_overlap(shape, count, random):
    def box():
        ends = [(random.randint(0, extent), random.randint(0, min(extent, 8))) for extent in shape]
        return tuple((low, min(low + size, extent)) for (low, size), extent in zip(ends, shape, strict=True))

    tree, entries = BoxTree(box_of(shape)), []
    for _ in range(count):
        entries.append((box(), object()))
        tree.add(*entries[-1], None)
        if random.random() < 0.3:
            gone = entries.pop(random.randrange(len(entries)))
            assert tree.remove(*gone)
            assert not tree.remove(*gone)
        query = box()
        result = [entry.key for entry in tree.overlapping(query)]
        assert sorted(map(id, result)) == sorted(id(key) for each, key in entries if overlap(each, query))
    for each in entries:
        assert tree.remove(*each)
    assert not tree


def test_a_tree_of_many_tiles_looks_at_few_of_them():
    tree = BoxTree(((0, 100_000), (0, 100)))
    tiles = [(((10 * i, 10 * i + 10), (0, 100)), object()) for i in range(10_000)]
    for box, key in tiles:
        tree.add(box, key, None)
    assert max(len(tree._path(box)) for box, _ in tiles) <= 20
    assert [entry.key for entry in tree.overlapping(tiles[5000][0])] == [tiles[5000][1]]


USES = st.lists(
    st.lists(st.tuples(BOXES, st.sampled_from(list(Access)), st.sampled_from(["add", "max"])), min_size=1, max_size=3),
    max_size=14,
)


def conflict(one, other):
    """Tell whether two works must have an order, from their elements alone."""
    for box, access, op in one:
        for other_box, other_access, other_op in other:
            if access is other_access and (access is Access.READ or (access is Access.REDUCE and op == other_op)):
                continue
            if points(box) & points(other_box):
                return True
    return False


@settings(max_examples=200)
@given(USES, st.randoms(use_true_random=False))
def test_all_works_that_share_elements_have_an_order_also_if_others_have_left(programs, random):
    root, works, after, gone = root_of(*SHAPE), [], {}, set()
    operators = {"add": object(), "max": object()}
    for program in programs:
        work = Task()
        uses = [
            Use(root, box, access, operators[op] if access is Access.REDUCE else None) for box, access, op in program
        ]
        result = enter(work, uses)
        assert work not in result
        assert all(each in works and each not in gone for each in result)
        after[work] = set(result)
        for earlier, its_program in zip(works, programs, strict=False):
            if conflict(its_program, program):
                assert earlier in gone or reaches(after, work, earlier)
        works.append(work)
        for each in works[:-1]:
            if each not in gone and after[each] <= gone and random.random() < 0.3:
                its_uses = [Use(root, box, access) for box, access, _ in programs[works.index(each)]]
                leave(each, its_uses)
                gone.add(each)
    for each, program in zip(works, programs, strict=True):
        if each not in gone:
            leave(each, [Use(root, box, access) for box, access, _ in program])
    assert not root.regions.uses


def reaches(after, work, earlier):
    return any(each is earlier or reaches(after, each, earlier) for each in after[work])


@settings(max_examples=100)
@given(st.lists(st.tuples(BOXES, st.sampled_from([Access.WRITE, Access.READ_WRITE]), st.booleans()), max_size=12))
def test_elements_are_invalid_from_a_failed_write_until_a_write_of_all(program):
    root, invalid = root_of(*SHAPE), np.zeros(SHAPE, bool)
    for box, access, fails in program:
        failure = ValueError() if fails else None
        work, uses = Task(failure), [Use(root, box, access)]
        enter(work, uses)
        leave(work, uses)
        inside = tuple(slice(*pair) for pair in box)
        if fails:
            invalid[inside] = True
        elif access is Access.WRITE:
            invalid[inside] = False
    for point in np.ndindex(SHAPE):
        one = tuple((at, at + 1) for at in point)
        assert (root.regions.failure_of(one) is not None) == invalid[point]


def test_an_empty_use_has_no_order_and_leaves_the_shared_record_of_idle_roots_as_it_is():
    root = root_of(3, 0)
    assert root.regions is IDLE
    works, uses = [Task(), Task(ValueError())], [Use(root, root.box, Access.WRITE)]
    for work in works:
        assert enter(work, uses) == []
    assert root.regions.pending(root.box, writing=True) == []
    for work in works:
        leave(work, uses)
    assert not root.regions.uses
    assert root.regions.failed is None
    assert not IDLE.uses
    assert IDLE.failed is None


def test_a_hundred_thousand_works_leave_nothing_behind():
    root = root_of(1000)
    tiles = [((i, i + 10),) for i in range(0, 1000, 10)]
    for number in range(100_000):
        work, uses = Task(), [Use(root, tiles[number % 100], Access.READ_WRITE)]
        enter(work, uses)
        leave(work, uses)
    assert not root.regions.uses
    assert not root.regions.failed


def test_a_chain_of_writes_in_flight_is_recorded_by_its_last():
    root, box = root_of(10), ((0, 10),)
    works = [Task() for _ in range(1000)]
    for number, work in enumerate(works):
        assert enter(work, [Use(root, box, Access.READ_WRITE)]) == works[max(number - 1, 0) : number]
    assert root.regions.pending(box, writing=False) == [works[-1]]
    for work in works:
        leave(work, [Use(root, box, Access.READ_WRITE)])
    assert not root.regions.uses


def test_the_host_waits_for_tasks_and_later_tasks_wait_for_the_host():
    root, box = root_of(10), ((0, 10),)
    first, uses = Task(), [Use(root, box, Access.READ)]
    enter(first, uses)
    inside, proceed = threading.Event(), threading.Event()

    def host():
        with hosting(root, box, Access.WRITE):
            inside.set()
            assert proceed.wait(20)

    thread = threading.Thread(target=host)
    thread.start()
    while len(root.regions.pending(box, writing=True)) < 2:
        pass
    assert not inside.is_set()
    later = Task()
    after = enter(later, uses)
    leave(first, uses)
    first.over.set()
    assert inside.wait(20)
    (mine,) = [each for each in after if each is not first]
    assert not mine.done()
    proceed.set()
    mine.settle()
    thread.join()
    assert mine.done()


def test_a_host_that_gives_up_does_not_hide_the_tasks_that_it_waited_for():
    root, box = root_of(10), ((0, 10),)
    first, uses = Task(), [Use(root, box, Access.WRITE)]
    enter(first, uses)

    def interrupted():
        raise KeyboardInterrupt

    first.settle = interrupted
    with pytest.raises(KeyboardInterrupt), hosting(root, box, Access.WRITE):
        pass
    assert enter(Task(), uses) == [first]


def test_a_host_that_fails_makes_no_element_valid():
    root, box = root_of(10), ((0, 10),)
    failed, uses = Task(ValueError("planted")), [Use(root, box, Access.WRITE)]
    enter(failed, uses)
    leave(failed, uses)
    with pytest.raises(ZeroDivisionError), hosting(root, box, Access.WRITE):
        1 / 0  # noqa: B018
    assert root.regions.failure_of(box) is failed.failure
    with hosting(root, box, Access.WRITE):
        pass
    assert root.regions.failure_of(box) is None


def test_works_of_several_threads_get_one_order():
    root = root_of(8)
    turn, order, errors = threading.Lock(), {}, []

    def submit(seed):
        random = np.random.default_rng(seed)
        for _ in range(100):
            low = int(random.integers(0, 8))
            uses = [Use(root, ((low, 8),), Access.READ_WRITE)]
            work = Task()
            after = enter(work, uses)
            with turn:
                order[work] = after
            for each in after:
                each.settle()
            if not turn.acquire(timeout=20):
                errors.append("no turn")
            if not all(each.done() for each in after):
                errors.append("too early")
            turn.release()
            leave(work, uses)
            work.over.set()

    threads = [threading.Thread(target=submit, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert not root.regions.uses
    assert regions.IDLE is IDLE
