"""A snapshot reports the memory in use, its owners and what keeps it alive; as a table, as data and as HTML."""

import json
import re
import weakref

import numpy as np
import pytest

import accel
from accel import Ownership
from accel.memory import Snapshot, snapshot


def owner_of(nbytes):
    result = [owner for owner in snapshot().owners if owner.nbytes == nbytes]
    assert len(result) == 1
    return result[0]


def test_owners_are_listed_with_their_handles():
    with accel.zeros(12_345, "uint8") as c, c.share():
        result = owner_of(14_336)
        assert (result.device, result.ownership, result.handles, result.keep_alives) == (
            c.device,
            Ownership.MANAGED,
            2,
            0,
        )
    assert all(owner.nbytes != 14_336 for owner in snapshot().owners)


def test_memory_that_is_looked_at_is_listed_and_not_counted():
    before = snapshot().live_bytes
    c = accel.from_numpy(np.zeros(54_321, np.uint8))
    assert owner_of(54_321).ownership is Ownership.EXTERNAL
    assert snapshot().live_bytes == before
    c.release()
    assert all(owner.nbytes != 54_321 for owner in snapshot().owners)


def test_the_largest_come_first():
    with accel.zeros(1000), accel.zeros(100_000), accel.zeros(10):
        sizes = [owner.nbytes for owner in snapshot().owners]
        assert sizes == sorted(sizes, reverse=True)


def test_exports_are_counted():
    c = accel.zeros(12_345, "uint8")
    array, view = np.asarray(c), c.memoryview()
    c.release()
    result = owner_of(14_336)
    assert (result.handles, result.exports, result.transfers) == (0, 1, ())
    del array, view


def test_work_in_flight_is_named_by_its_line(stream, held):
    source, target = accel.zeros(12_345, "uint8"), accel.zeros(12_345, "uint8")
    with accel.debug():
        transfer = target.copy_from_async(source, stream=stream)
    holding = [owner for owner in snapshot().owners if owner.transfers]
    assert [owner.nbytes for owner in holding] == [14_336, 14_336]
    assert all(owner.transfers == (transfer.site,) for owner in holding)
    assert all((owner.handles, owner.exports, owner.keep_alives) == (1, 0, 1) for owner in holding)
    held.set()
    transfer.wait()
    assert not any(owner.transfers for owner in snapshot().owners)


def test_objects_that_pretend_to_be_something_are_left_alone():
    class Lazy:
        @property
        def __class__(self):
            raise KeyError("nobody may ask me")

    class Plain:
        pass

    lazy, target = Lazy(), Plain()
    proxy = weakref.proxy(target)
    del target
    with accel.zeros(12_345, "uint8") as c:
        looking = weakref.proxy(c.storage.owner)
        assert owner_of(14_336).handles == 1
    del lazy, proxy, looking


def test_debug_mode_tells_where_memory_was_made():
    with accel.debug():
        c = accel.zeros(12_345, "uint8")
    assert re.search(r"test_snapshot\.py:\d+ in test_debug_mode_tells", owner_of(14_336).site)
    c.release()
    with accel.zeros(12_345, "uint8"):
        assert owner_of(14_336).site == ""


def test_free_and_total_are_those_of_the_device():
    with accel.using(sim_memory=1 << 20), accel.empty(1 << 10, device="sim:2"):
        usage = next(usage for usage in snapshot().devices if usage.device is accel.Device("sim:2"))
        assert (usage.free_bytes, usage.total_bytes) == ((1 << 20) - (1 << 13), 1 << 20)


def test_where_nobody_knows_nothing_is_said(toy):
    c = accel.empty(3, device="sim")
    usage = next(usage for usage in snapshot().devices if usage.device is accel.Device.SIM)
    assert (usage.free_bytes, usage.total_bytes) == (None, None)
    assert "unknown" in str(snapshot())
    c.release()


def test_printed_it_is_a_table_whose_columns_line_up():
    with accel.debug():
        c = accel.zeros(12_345, "uint8")
    lines = str(snapshot()).splitlines()
    head = next(line for line in lines if line.startswith("  device  bytes"))
    row = next(line for line in lines if "14.0 KiB" in line and "test_snapshot" in line)
    for name, cell in (
        ("bytes", "14.0 KiB"),
        ("ownership", "managed"),
        ("kept alive by", "none"),
        ("made at", c and __file__),
    ):
        assert head.index(name) == row.index(cell)
    c.release()


def test_of_very_many_owners_the_table_shows_the_largest():
    containers = [accel.zeros(10) for _ in range(50)]
    text = str(snapshot())
    assert re.search(r"Owners, the largest 20 of \d+", text)
    assert len(text.splitlines()) < 50
    del containers


def test_as_data_it_is_what_json_can_carry():
    with accel.zeros(12_345, "uint8"):
        result = snapshot()
        assert json.loads(result.to_json()) == result.as_dict()
        assert result.as_dict()["owners"][0].keys() == set(result.owners[0]._fields)
        assert {"managed"} <= {owner["ownership"] for owner in result.as_dict()["owners"]}


def test_as_html_it_has_the_same_cells_and_escapes_them():
    code = compile("import accel; c = accel.zeros(12_345, 'uint8')", "<b>&.py", "exec")
    names = {}
    with accel.debug():
        exec(code, names)
    page = snapshot()._repr_html_()
    assert "&lt;b&gt;&amp;.py:1 in &lt;module&gt;" in page
    assert "<b>" not in page
    assert "prefers-color-scheme: dark" in page
    names["c"].release()


@pytest.mark.parametrize("form", [str, Snapshot._repr_html_])
def test_of_nothing_it_says_so(form):
    assert "none" in form(Snapshot(()))
    assert "no device was used yet" in form(Snapshot(()))
