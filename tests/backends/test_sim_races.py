"""The race check reports all unordered accesses, in whatever order they happened to run, and nothing else."""

import re
from itertools import product

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.abc import Leaf, Operand, Plan, Span
from accel.errors import InFlightError, RaceError
from accel.memory.thread_stream import ThreadStream
from accel.testing.blocks import host_span, lent, random_bytes

from ..profiles import repeats

SIM = Device.SIM
pytestmark = pytest.mark.usefixtures("sim", "seed")


@pytest.fixture
def block(heap):
    with lent(heap, 1000) as block:
        yield block


@pytest.fixture
def streams(sim):
    return [sim.new_stream(SIM) for _ in range(2)]


def write(sim, block, stream, start=0, nbytes=100):
    sim.copy(Span(block, start, nbytes), host_span(random_bytes(nbytes)), stream=stream)


def read(sim, block, stream, start=0, nbytes=100):
    sim.copy(host_span(np.empty(nbytes, np.uint8)), Span(block, start, nbytes), stream=stream)


def fill(sim, block, stream, start=0, nbytes=100):
    sim.fill(Operand(Span(block, start, nbytes), 0, np.dtype("uint8"), (nbytes,), (1,)), 1, stream=stream)


def expect_race(sim):
    """Return the report of the only race, after checking that it was both raised and recorded."""
    with pytest.raises(RaceError) as caught:
        sim.synchronize(SIM)
    assert list(sim.races) == [str(caught.value).splitlines()[0]]
    sim.races.clear()
    return str(caught.value)


class TestPlanted:
    @pytest.mark.parametrize(("first", "second"), [(write, write), (write, read), (read, write), (fill, read)])
    def test_two_streams_without_an_event_between(self, sim, block, streams, first, second):
        first(sim, block, streams[0])
        second(sim, block, streams[1], start=50)
        report = expect_race(sim)
        assert re.search(r"(writes|reads) bytes \[\d+, \d+\) of <1000 bytes of sim at 0x", report)
        assert all(stream.name in report for stream in streams)
        assert report.splitlines()[0].count(f"test_sim_races.py:{first.__code__.co_firstlineno + 1} in ") >= 1
        assert report.splitlines()[0].count("submitted at ") == 2

    def test_it_is_raised_where_the_one_that_ran_later_is_waited_for(self, sim, block, streams):
        events = []
        for stream in streams:
            write(sim, block, stream)
            events.append(stream.record())
        for event in events:
            event.settle()
        raised = []
        for event in events:
            try:
                event.wait()
            except RaceError as error:
                raised.append(error)
        assert len(raised) == len(sim.races) == 1
        assert isinstance(raised[0], InFlightError)
        sim.races.clear()

    def test_an_order_to_work_before_is_not_enough(self, sim, block, streams):
        fill(sim, block, streams[0], 500)
        streams[1].wait_for(streams[0].record())
        write(sim, block, streams[0])
        read(sim, block, streams[1])
        expect_race(sim)

    def test_that_the_host_waits_later_is_no_order(self, sim, block, streams):
        write(sim, block, streams[0])
        read(sim, block, streams[1])
        streams[0].record().settle()
        expect_race(sim)

    def test_the_default_stream_waits_for_none(self, sim, block, streams):
        write(sim, block, streams[0])
        read(sim, block, None)
        expect_race(sim)

    def test_memory_of_the_host(self, sim, block, heap, streams):
        result = np.empty(100, np.uint8)
        with lent(heap, 100) as other:
            for each, stream in zip((block, other), streams, strict=True):
                sim.copy(host_span(result), Span(each, 0, 100), stream=stream)
            assert "of the host's memory" in expect_race(sim)

    def test_freeing_in_the_order_of_another_stream(self, sim, streams):
        block = sim.allocate(SIM, 100, alignment=1, stream=None)
        write(sim, block, streams[0])
        sim.free(block, stream=streams[1])
        expect_race(sim)
        if not block.native.freed:  # then the release was the operation that failed with the race
            sim.free(block, stream=None)

    def test_on_two_devices(self, sim, block):
        write(sim, block, sim.new_stream(SIM))
        read(sim, block, sim.new_stream(SIM[1]))
        failures = []
        for device in sim.devices():
            try:
                sim.synchronize(device)
            except RaceError as error:
                failures.append(error)
        assert len(failures) == len(sim.races) == 1
        sim.races.clear()

    def test_after_many_that_were_ordered(self, sim, block, streams):
        for _ in range(50):
            for one, other in (streams, streams[::-1]):
                write(sim, block, one)
                other.wait_for(one.record())
        write(sim, block, streams[0])
        write(sim, block, streams[1])
        expect_race(sim)


class TestOrdered:
    def test_by_an_event(self, sim, block, streams):
        write(sim, block, streams[0])
        streams[1].wait_for(streams[0].record())
        read(sim, block, streams[1])
        streams[0].wait_for(streams[1].record())
        write(sim, block, streams[0])
        sim.synchronize(SIM)

    def test_by_an_event_of_a_third_stream(self, sim, block, streams):
        third = sim.new_stream(SIM[2])
        write(sim, block, streams[0])
        third.wait_for(streams[0].record())
        streams[1].wait_for(third.record())
        write(sim, block, streams[1])
        sim.synchronize(SIM)

    def test_by_the_host(self, sim, block, streams):
        write(sim, block, streams[0])
        streams[0].record().settle()
        write(sim, block, streams[1])
        while not streams[1].record().done():
            pass
        write(sim, block, streams[0])
        streams[0].synchronize()
        write(sim, block, streams[1])
        sim.synchronize(SIM)
        write(sim, block, streams[0])
        sim.synchronize(SIM)

    def test_by_a_thread_of_the_host(self, sim, block, streams):
        thread = ThreadStream()
        write(sim, block, streams[0])
        thread.wait_for(streams[0].record())
        streams[1].wait_for(thread.submit(lambda: None))
        write(sim, block, streams[1])
        streams[1].synchronize()
        thread.close()

    def test_reads_need_none(self, sim, block, streams):
        for stream in streams:
            read(sim, block, stream)
        sim.synchronize(SIM)

    def test_nor_do_other_bytes(self, sim, block, streams):
        write(sim, block, streams[0], 0, 100)
        write(sim, block, streams[1], 100, 100)
        sim.synchronize(SIM)

    def test_nor_tiles_side_by_side(self, sim, block, streams):
        whole = Span(block, 0, 100)
        tiles = [Operand(whole, 5 * number, np.dtype("uint8"), (10, 5), (10, 1)) for number in range(2)]
        for tile, stream in zip(tiles, streams, strict=True):
            sim.fill(tile, 3, stream=stream)
        sim.synchronize(SIM)
        sim.fill(tiles[0]._replace(extents=(10, 6)), 3, stream=streams[0])
        sim.fill(tiles[1], 3, stream=streams[1])
        expect_race(sim)

    @pytest.mark.parametrize(("step", "races"), [(2, False), (3, True)])
    def test_nor_elements_between_one_another(self, sim, block, streams, step, races):
        target = Operand(Span(block, 0, 100), 1, np.dtype("uint8"), (30,), (step,))
        source = target._replace(span=Span(block, 500, 100))
        sim.copy_strided(target, source, Plan((Leaf(30, step, step),), 1), stream=streams[0])
        sim.fill(target._replace(start=0, strides=(2,)), 0, stream=streams[1])
        if races:
            expect_race(sim)
        sim.synchronize(SIM)

    def test_a_new_block_where_another_was(self, sim, heap, streams):
        for stream in streams:
            with lent(heap, 100) as block:
                write(sim, block, stream)
                stream.synchronize()
        first = xp.zeros(100, device="sim")
        address = first.__accel_operand__().span.block.pointer
        del first
        with streams[0]:
            assert xp.ones(100, device="sim").__accel_operand__().span.block.pointer == address


class TestDetection:
    """Random programs: the check reports a race exactly where a model that compares all pairs finds one."""

    @pytest.mark.parametrize("program", range(repeats(40)))
    def test_agrees_with_reachability(self, sim, block, program):
        draw = np.random.default_rng(program)
        streams = [sim.new_stream(SIM) for _ in range(3)]
        before, uses, last = {}, [], [set(), set(), set()]
        for step in range(12):
            number = int(draw.integers(3))
            if draw.random() < 0.4:
                other = int(draw.integers(3))
                streams[number].wait_for(streams[other].record())
                last[number] |= last[other]
            else:
                start, writing = int(draw.integers(3)) * 50, bool(draw.integers(2))
                (fill if writing else read)(sim, block, streams[number], start, 60)
                before[step] = set(last[number])
                last[number] |= {step}
                uses.append((step, start, writing))
        expected = any(
            abs(start - other_start) < 60 and (writing or other_writing) and step < other and step not in before[other]
            for (step, start, writing), (other, other_start, other_writing) in product(uses, uses)
        )
        for stream in streams:
            stream.record().settle()
        assert bool(sim.races) == expected
        sim.races.clear()
        for stream in streams:
            try:
                stream.synchronize()
            except RaceError:
                assert expected


class TestArrays:
    def test_a_forgotten_wait_is_reported_at_the_line_that_computes(self, sim, heap):
        x = xp.asarray(accel.zeros(100, device="sim"))
        with accel.new_stream("sim"):
            x += 1
        with pytest.raises(RaceError) as caught:
            x * 2
        report = sim.races.pop()
        assert str(caught.value) == report
        assert report.count("test_sim_races.py") == 2
        assert report.startswith("a race: mul on the default stream of sim")

    def test_bytes_are_stale_too(self, sim, streams):
        target = accel.zeros(10, device="sim")
        source = accel.container(np.ones(10), device="sim")
        x = xp.asarray(target)
        sim.copy(target.__accel_operand__().span, source.__accel_operand__().span, stream=streams[0])
        assert float(x[3]) == 0
        with pytest.raises(RaceError):
            streams[0].synchronize()
        sim.races.clear()

    def test_streams_that_wait_are_in_order(self, streams):
        with streams[0]:
            x = xp.arange(10, device="sim")
            x += 1
        streams[1].wait_for(streams[0].record())
        with streams[1]:
            y = xp.sum(x)
            assert int(y) == 55

    def test_views_read_nothing(self, streams):
        with streams[0]:
            x = xp.zeros((4, 5), device="sim")
        with streams[1]:
            assert [view.shape for view in (x.T, x[1:, 2], xp.reshape(x, (20,)))] == [(5, 4), (3,), (20,)]

    def test_parts_written_on_two_streams(self, sim, streams):
        x = xp.zeros((6, 6), device="sim")
        sim.synchronize(SIM)
        for number, stream in enumerate(streams):
            with stream:
                x[:, 3 * number : 3 * number + 3] = number
                x[number, 3 * number] = 7
        sim.synchronize(SIM)
        with streams[0]:
            x[x > 6] = 0
        with streams[1], pytest.raises(RaceError):
            x[0, 0] = 1
        sim.races.clear()

    def test_a_write_that_would_race_is_not_made(self, sim, streams):
        x = xp.zeros(3, device="sim")
        sim.synchronize(SIM)
        with streams[0]:
            x += 1
        with streams[1], pytest.raises(RaceError):
            x += 10
        sim.races.clear()
        sim.synchronize(SIM)
        assert [float(each) for each in x] == [1, 1, 1]


def test_memory_of_the_host_at_the_address_of_other_memory_that_is_gone_is_no_race(sim, heap, streams):
    """Only the copy has kept the first memory alive, and nobody has asked whether the copy is done."""
    addresses = []
    for stream in (*streams, *(sim.new_stream(SIM) for _ in range(6))):
        with lent(heap, 1000) as block:
            values = np.empty(1000, np.uint8)
            addresses.append(values.__array_interface__["data"][0])
            sim.copy(host_span(values), Span(block, 0, 1000), stream=stream)
            del values
            other = sim.new_stream(SIM)
            while stream.tasks:  # others' work is done meanwhile
                other.record().settle()
                other.submit("nothing", lambda operation: None)
    assert len(set(addresses)) < len(addresses)
    assert not sim.races


def test_a_race_in_memory_of_a_device_is_reported_although_the_host_s_is_gone(sim, block, streams):
    write(sim, block, streams[0])
    write(sim, block, streams[1])
    assert "a race" in expect_race(sim)
