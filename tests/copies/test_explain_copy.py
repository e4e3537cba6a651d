"""Explanations of copies: they show the plans that are executed, in recorded words, and pictures with true offsets."""

import gc
import re
import weakref
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import accel
from accel import Device, copies, explain_copy, xp
from accel.abc import Fill, Swizzling
from accel.copies import Elements, Mask, few_elements, stages
from accel.copies.explain.plan_memory import excerpt, memory
from accel.dtypes import as_dtype
from accel.errors import BoundsError, DTypeError, LayoutError, OverlapError, ReadOnlyError, ReleasedError
from accel.layout import Layout, Swizzle, row_major
from accel.memory import Heap, HostStorage, allocate

from ..tables import rows
from .model import DTYPES, QUICK, Memory, Named, places, sizes, within

GOLDEN = Path(__file__).parents[1] / "golden"
DEVICES = ("cpu", "sim", "sim:1")
F32 = as_dtype("float32")
dtypes = st.sampled_from(DTYPES)
between = pytest.mark.parametrize(("to", "of"), [(to, of) for to in DEVICES for of in DEVICES])


def of_leaves(*leaves, dtype="float32", device="cpu", room=1 << 12, **options):
    """Return elements of new memory; the first loop is the fastest."""
    return Named(Elements(allocate(Device(device), room, as_dtype(dtype)), 0, leaves, **options))


def with_table(*offsets):
    return of_leaves(table=np.array(offsets, np.int64))


def shifted(count, by):
    """Return two ranges of one memory."""
    storage = allocate(Device.CPU, count + by, F32)
    return Named(Elements(storage, by, ((count, 1),))), Named(Elements(storage, 0, ((count, 1),)))


def reversed_in_place(count):
    storage = allocate(Device.CPU, count, F32)
    return Named(Elements(storage, count - 1, ((count, -1),))), Named(Elements(storage, 0, ((count, 1),)))


ROWS, COLUMNS = ((6, 1), (4, 6)), ((6, 4), (4, 1))
RECORDED = {
    "one piece": lambda: explain_copy(accel.zeros(1000, "float32"), accel.zeros(1000, "float32")),
    "one piece that overlaps": lambda: explain_copy(*shifted(1 << 20, 3)),
    "one element": lambda: explain_copy(of_leaves((1, 7)), of_leaves()),
    "no elements": lambda: explain_copy(accel.zeros(0), accel.zeros(0)),
    "rows": lambda: explain_copy(of_leaves((6, 1), (4, 6)), of_leaves((6, 1), (4, 100))),
    "a transpose": lambda: explain_copy(of_leaves(*ROWS), of_leaves(*COLUMNS)),
    "a transpose of pixels": lambda: explain_copy(
        of_leaves((4, 1), (8, 4), (8, 32), dtype="uint8"), of_leaves((4, 1), (8, 32), (8, 4), dtype="uint8")
    ),
    "an array of the standard": lambda: explain_copy(
        accel.NDBuffer(accel.zeros(24, "int32"), (4, 6)), xp.zeros((6, 4), dtype=xp.int32).T
    ),
    "a gathering by steps": lambda: explain_copy(of_leaves((24, 1)), of_leaves((24, 2))),
    "a gathering into steps": lambda: explain_copy(of_leaves((24, 2)), of_leaves((24, 2))),
    "a gathering that overlaps": lambda: explain_copy(*reversed_in_place(24)),
    "one element again and again": lambda: explain_copy(of_leaves((24, 1)), of_leaves((24, 0))),
    "one row again and again": lambda: explain_copy(of_leaves(*ROWS), of_leaves((6, 1), (4, 0))),
    "a cast": lambda: explain_copy(of_leaves((24, 1)), of_leaves((24, 1), dtype="float64"), cast=True),
    "a mask": lambda: explain_copy(of_leaves((24, 1)), of_leaves((24, 1)), src_idx_bound=20),
    "a mask that fills": lambda: explain_copy(of_leaves((24, 1)), of_leaves((24, 1)), src_idx_bound=1, fill=Fill.ZERO),
    "a swizzle": lambda: explain_copy(of_leaves((64, 1), swizzle=Swizzling(56, 3)), of_leaves((64, 1))),
    "swizzles at both ends": lambda: explain_copy(
        of_leaves((8, 1), swizzle=Swizzling(3, -2, 16)), of_leaves((8, 1), swizzle=Swizzling(12, 2))
    ),
    "a table": lambda: explain_copy(with_table(5, 0, 3), of_leaves((3, 1))),
    "tables at both ends": lambda: explain_copy(with_table(5, 0, 3), with_table(2, 2, 2)),
    "two steps": lambda: explain_copy(of_leaves((6, 1), (4, 7)), of_leaves((4, 1), (6, 8))),
    "two steps of a mask": lambda: explain_copy(of_leaves((6, 1), (4, 7)), of_leaves((4, 1), (6, 8)), src_idx_bound=3),
    "to a device": lambda: explain_copy(of_leaves(*ROWS, device="sim"), of_leaves(*COLUMNS)),
    "a cast to a device": lambda: explain_copy(
        of_leaves((24, 1), device="sim"), of_leaves((24, 1), dtype="float64"), cast=True
    ),
}


def recorded(file):
    """Return the texts of a file by their names."""
    parts = (GOLDEN / file).read_text(encoding="utf-8").removeprefix("# ").split("\n\n# ")
    return {name: text.rstrip("\n") for name, text in (part.split("\n", 1) for part in parts)}


@rows("name", RECORDED)
def test_an_explanation_is_as_recorded(name):
    assert str(RECORDED[name]()) == recorded("copies.txt")[name]


def test_each_kind_is_recorded():
    kinds = {plan.kind for explain in RECORDED.values() for plan in explain().plans}
    assert kinds == {"memcpy", "rows", "transpose", "gather", "table"}


def words(found):
    """Return the text of an explanation in one line."""
    return " ".join(str(found).split())


def test_where_no_backend_knows_both_ends_the_host_does(strangers):
    to, of = strangers
    result = explain_copy(of_leaves(*ROWS, device=to), of_leaves(*COLUMNS, device=of))
    assert "no backend knows both devices, so the copy goes through 96 bytes of temporary memory on cpu" in words(
        result
    )
    assert "step 2 of 2: from the image on the host to the target" in str(result)


class Given:
    """Collects the plans that backends receive."""

    def __init__(self, patch):
        self.plans = []
        give = stages.Stage.give

        def kept(stage, fresh, stream):
            self.plans.append(stage.plan)
            give(stage, fresh, stream)

        patch.setattr(stages.Stage, "give", kept)
        # A few elements of the host are copied without a plan, by the loops that it would have.
        patch.setattr(few_elements, "copied_at_once", lambda target, source: False)


def draw_copy(data, to, of):
    size, dtype, source_dtype = data.draw(sizes), data.draw(dtypes), data.draw(dtypes)
    target, source = Memory(to), Memory(of, seed=11)
    into = data.draw(within(target, dtype, size, distinct=True))
    return (target, into), (source, data.draw(within(source, source_dtype, size)))


@between
@QUICK
@given(st.data())
def test_the_plans_are_those_that_copying_is_done_by(to, of, data):
    (_, into), (_, out_of) = draw_copy(data, to, of)
    expected = explain_copy(Named(into), Named(out_of), cast=True).plans
    with pytest.MonkeyPatch.context() as patch:
        given_plans = Given(patch).plans
        copies.copy(into, out_of, cast=True)
    assert tuple(given_plans) == expected


@pytest.mark.parametrize("fill", Fill)
@settings(QUICK, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_so_are_those_of_masked_copies_of_strangers(strangers, fill, data):
    (_, into), (source, out_of) = draw_copy(data, *strangers)
    out_of = data.draw(within(source, into.element_type, into.size))
    if into.size:
        bound = data.draw(st.integers(-3, 30))
        expected = explain_copy(Named(into), Named(out_of), src_idx_bound=bound, fill=fill).plans
        with pytest.MonkeyPatch.context() as patch:
            given_plans = Given(patch).plans
            stream = accel.new_stream("sim")
            mask = Mask(bound * into.element_type.itemsize, fill)
            copies.copy_async(into, out_of, stream=stream, mask=mask).wait()
        assert tuple(given_plans) == expected


@pytest.mark.parametrize("table", [None, np.arange(24)[::-1].copy()])
def test_so_are_those_of_masked_copies_from_under_a_swizzle(table, stream):
    into, out_of = of_leaves((6, 1), (4, 7), table=table), of_leaves((4, 1), (6, 8), swizzle=Swizzling(12, 2))
    expected = explain_copy(into, out_of, src_idx_bound=9).plans
    with pytest.MonkeyPatch.context() as patch:
        given_plans = Given(patch).plans
        copies.copy_async(into.elements, out_of.elements, stream=stream, mask=Mask(36)).wait()
    assert tuple(given_plans) == expected


@between
@QUICK
@given(st.data())
def test_nothing_is_changed_and_nothing_allocated(to, of, data):
    (target, into), (source, out_of) = draw_copy(data, to, of)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Heap, "allocate", pytest.fail)
        result = explain_copy(Named(into), Named(out_of), cast=True)
        assert result.html()
    target.check()
    source.check()


def test_an_explanation_keeps_no_memory_alive():
    array = np.zeros(3)
    seen = weakref.ref(array)
    result = explain_copy(accel.zeros(3), accel.from_numpy(array))
    del array
    gc.collect()
    assert seen() is None
    assert result.plans


def test_memory_in_use_is_not_waited_for():
    target, source = accel.zeros(1 << 16), accel.zeros(1 << 16)
    with accel.using(strict=True), accel.new_stream("cpu") as stream:
        transfer = target.copy_from_async(source, stream=stream)
        assert explain_copy(source, target).plans
        transfer.wait()


def released():
    container = accel.zeros(3, "float32")
    container.release()
    return container


def read_only():
    return HostStorage.on_array(np.frombuffer(b"123456789012", F32))


WRONG = [
    (ValueError, lambda: of_leaves((3, 1)), lambda: of_leaves((4, 1)), {}),
    (DTypeError, lambda: of_leaves((3, 1)), lambda: of_leaves((3, 1), dtype="int32"), {}),
    (DTypeError, lambda: of_leaves((3, 1)), lambda: of_leaves((3, 1), dtype="int32"), {"cast": 1, "src_idx_bound": 2}),
    (OverlapError, lambda: of_leaves((3, 1), (2, 2)), lambda: of_leaves((6, 1)), {}),
    (OverlapError, lambda: with_table(1, 1), lambda: of_leaves((2, 1)), {}),
    (BoundsError, lambda: of_leaves((1 << 13, 1)), lambda: of_leaves((1 << 13, 0)), {}),
    (BoundsError, lambda: of_leaves((2, 1)), lambda: of_leaves((2, -1)), {}),
    (ReadOnlyError, read_only, lambda: of_leaves((3, 1)), {}),
    (ReadOnlyError, lambda: accel.zeros(3, "float32").view(Layout(3)).get_immutable(), lambda: of_leaves((3, 1)), {}),
    (ReleasedError, released, lambda: of_leaves((3, 1)), {}),
    (ReleasedError, lambda: of_leaves((3, 1)), released, {}),
    (TypeError, lambda: of_leaves((3, 1)), lambda: np.zeros(3, F32), {}),
    (TypeError, lambda: None, lambda: of_leaves((3, 1)), {}),
    (TypeError, lambda: of_leaves((3, 1)), lambda: of_leaves((3, 1)), {"src_idx_bound": "2"}),
    (ValueError, lambda: of_leaves((3, 1)), lambda: of_leaves((3, 1)), {"fill": Fill.ZERO}),
    (ValueError, lambda: of_leaves((3, 1)), lambda: of_leaves((3, 1)), {"src_idx_bound": 2, "fill": "all"}),
]


@rows(("error", "target", "source", "options"), WRONG)
def test_what_cannot_be_copied_is_not_explained(error, target, source, options):
    with pytest.raises(error):
        explain_copy(target(), source(), **options)


@pytest.mark.parametrize(("error", "target", "source", "options"), [case for case in WRONG if not case[3]][:6])
def test_the_error_is_that_of_copying(error, target, source, options):
    into, out_of = target(), source()
    with pytest.raises(error) as explained:
        explain_copy(into, out_of)
    with pytest.raises(error) as copied:
        copies.copy(into.elements, out_of.elements)
    assert str(explained.value) == str(copied.value)


def test_elements_that_begin_inside_others_are_refused():
    odd = xp.asarray(np.ndarray((3,), F32, bytes(16), 0, (6,)), copy=False)
    with pytest.raises(LayoutError, match="no multiples"):
        explain_copy(of_leaves((3, 1)), odd)


@rows("name", RECORDED)
def test_html_is_well_formed_and_needs_nothing_else(name):
    result = RECORDED[name]()
    html = result.html()
    assert html == result._repr_html_()
    page = ET.fromstring(html)
    assert not re.search(r"<script|@import|url\(|href|src=|https?:", html.replace("http://www.w3.org/2000/svg", ""))
    shown = " ".join("".join(page.itertext()).split())
    for line in str(result).splitlines():
        assert line.strip().split(" ", 1)[0] in shown
    assert len(page.findall("{http://www.w3.org/2000/svg}svg")) == len(result.plans)


def pairs(into, out_of):
    """Return for each element its distance in bytes from the first one, at both ends."""
    wide, narrow = into.element_type.itemsize, out_of.element_type.itemsize
    ends = zip(places(into), places(out_of), strict=True)
    return {((to - into.start) * wide, (of - out_of.start) * narrow) for to, of in ends}


@QUICK
@given(st.data())
def test_a_picture_has_items_at_their_places_and_all_of_them_if_they_are_few(data):
    (_, into), (_, out_of) = draw_copy(data, "cpu", "cpu")
    result = explain_copy(Named(into), Named(out_of), cast=True)
    if len(result.plans) == 1:
        (stage,), (plan,) = result._stages, result.plans
        seen = excerpt(stage)
        wide, narrow = stage.target.itemsize, stage.source.itemsize
        elements = [range(plan.itemsize // wide)] * len(seen.items)
        drawn = {
            (item.target + i * wide, item.source + i * narrow)
            for item, inside in zip(seen.items, elements, strict=True)
            for i in inside
        }
        assert drawn <= pairs(into, out_of)
        assert (drawn == pairs(into, out_of)) == (seen.shown == plan.extents)


@QUICK
@given(st.data(), st.booleans())
def test_the_cells_of_memory_have_all_items_of_a_picture(data, target):
    (_, into), (_, out_of) = draw_copy(data, "cpu", "cpu")
    for stage in explain_copy(Named(into), Named(out_of), cast=True)._stages:
        seen = excerpt(stage)
        result = memory(stage, seen, target=target)
        where = {item: row + column for (row, column), items in result.cells.items() for item in items}
        first = {where[item] - (item.target if target else item.source) for item in seen.items}
        assert len(first) == 1
        assert {row for row, _ in result.cells} <= set(result.rows)
        assert {column for _, column in result.cells} <= set(result.columns)


PICTURES = {
    **{
        name: RECORDED[name]
        for name in ("a mask", "a mask that fills", "a swizzle", "a table", "one row again and again")
    },
    "a part of a transpose": lambda: explain_copy(of_leaves((60, 1), (50, 60)), of_leaves((60, 50), (50, 1))),
    "a part of lines in reverse": lambda: explain_copy(
        of_leaves((60, 1), (50, 60)),
        Named(Elements(allocate(Device.CPU, 1 << 12, F32), 4000, ((60, -1), (50, -80)))),
    ),
    "lines in reverse": lambda: explain_copy(
        of_leaves((6, 1), (4, 7)), Named(Elements(allocate(Device.CPU, 64, F32), 63, ((6, -1), (4, -8))))
    ),
    "three loops": lambda: explain_copy(of_leaves((2, 1), (3, 20), (4, 90)), of_leaves((2, 20), (3, 90), (4, 1))),
    "a part of a swizzle": lambda: explain_copy(
        of_leaves((50, 1), swizzle=Swizzling(24, 3, 10)), of_leaves((50, 1), swizzle=Swizzling(24, 3))
    ),
}


def seen_in(svg):
    """Return the texts of a picture, line by line, and the arrows and frames that it draws."""
    space = "{http://www.w3.org/2000/svg}"
    words = {}
    for group in ET.fromstring(svg).iter(f"{space}g"):
        shift = float(group.get("transform")[10:].split()[0])
        for text in group.iter(f"{space}text"):
            words.setdefault(float(text.get("y")), []).append((shift + float(text.get("x")), text.text))
    lines = [" ".join(text for _, text in sorted(words[y])) for y in sorted(words)]
    return "\n".join([*lines, *re.findall(r'class="loop .*?(?="/>)|class="line frame".*?(?=/>)', svg)])


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_as_recorded(name):
    assert seen_in(PICTURES[name]().svg()) == recorded("copy_pictures.txt")[name]


def test_tensors_are_explained_as_they_are_copied():
    plain = accel.zeros(64, "float32").view(row_major(8, 8))
    swizzled = accel.zeros(64, "float32").view(Swizzle(3, 0, 3) @ row_major(8, 8))
    result = str(explain_copy(swizzled, plain))
    assert "source      float32 on cpu, (8,8):(8,1), the first extent fastest" in result
    assert "gather: a swizzle places each item by itself" in result
    with pytest.MonkeyPatch.context() as patch, accel.new_stream("cpu") as stream:
        given_plans = Given(patch).plans
        swizzled.copy_from_async(plain, 9, stream=stream, is_masked=True, fill=Fill.ZERO).wait()
    assert tuple(given_plans) == explain_copy(swizzled, plain, src_idx_bound=9, fill=Fill.ZERO).plans


def test_each_plan_has_a_picture_of_its_own():
    result = RECORDED["two steps"]()
    first, second = result.svg(0), result.svg(1)
    assert first != second
    assert first in result.html().partition(second)[0]
    with pytest.raises(BoundsError, match="plan 2 is asked for, and this copy has 2 plans"):
        result.svg(2)
    with pytest.raises(BoundsError, match="has 0 plans"):
        RECORDED["no elements"]().svg()


def test_repr_says_the_kinds():
    assert repr(RECORDED["rows"]()) == "<CopyExplanation: rows>"
    assert repr(RECORDED["no elements"]()) == "<CopyExplanation: nothing to copy>"
    assert repr(RECORDED["two steps"]()) == "<CopyExplanation: gather, then rows>"
