"""What a launch will do, in numbers and pictures, and how far it is."""

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.engines import InOut, Input, Output, engine, task
from accel.engines.partition_pictures import picture_of, svg_of, text_of
from accel.engines.progress import Progress, line_on
from accel.store import create_store


@task
def scale(a: float, x: Input, c: Input, y: InOut):
    y.span_read_write_accessor()[...] += a


@scale.variant("sim")
def _(a, x, c, y):
    pass


def launch(shape=(300, 400), tile=(100, 100)):
    x, c, y = create_store("float32", shape), create_store("float32", (10,)), create_store("float32", shape)
    return scale.bind(2.0, x.partition_by_tiling(tile), c, y.partition_by_tiling(tile))


def test_a_preview_counts_what_all_tasks_read_and_write():
    preview = engine("threads").preview(launch())
    whole = 300 * 400 * 4
    assert (preview.tasks, preview.color_shape) == (12, (3, 4))
    assert (preview.read, preview.written) == (2 * whole + 12 * 40, whole)
    assert preview.moved == {}
    assert preview.largest == 2 * 100 * 100 * 4 + 40
    assert preview.peak == 2 * whole + 40


def test_a_preview_tells_the_peak_under_a_budget():
    with engine("threads").using(budget="100 KiB") as chosen:
        preview = chosen.preview(launch())
    assert preview.peak == preview.budget == 100 * 1024
    assert "78.2 KiB for the largest task, at most 100.0 KiB in all; the budget is 100.0 KiB" in str(preview)


def test_a_preview_tells_what_is_copied_to_a_device_and_back():
    preview = engine("threads", device="sim").preview(launch())
    whole = 300 * 400 * 4
    assert preview.moved == {"sim": 2 * whole + 12 * 40, "cpu": whole}
    assert "copies 938.0 KiB to sim, 468.8 KiB to cpu" in str(preview)


def test_a_preview_submits_nothing():
    given = launch()
    engine("threads").preview(given)
    assert given.arguments["y"].store.root.contents is None


def test_stores_that_are_cut_alike_have_one_picture():
    preview = engine("threads").preview(launch((5,), (2,)))
    assert [picture.title for picture in preview.pictures] == [
        "x (read), y (read and write): float32 of shape (5,), in tiles of (2,)",
        "c (read): float32 of shape (10,), whole to each task",
    ]


def test_an_unbound_output_is_said_to_have_no_shape_yet():
    @task
    def choose(x: Output):
        pass

    preview = engine("threads").preview(choose.bind(create_store("int64")))
    assert str(preview).endswith("x (write): int64, of a shape that the task chooses")


def test_the_text_of_a_picture_has_a_cell_for_each_tile():
    assert text_of(picture_of("x", (5, 7), (2, 4), (3, 2))) == (
        "x\n"
        "      0:4   4:7\n"
        "    ┌─────┬─────┐\n"
        "0:2 │ 0,0 │ 0,1 │\n"
        "    ├─────┼─────┤\n"
        "2:4 │ 1,0 │ 1,1 │\n"
        "    ├─────┼─────┤\n"
        "4:5 │ 2,0 │ 2,1 │\n"
        "    └─────┴─────┘"
    )


def test_hundreds_of_tiles_are_abbreviated():
    picture = picture_of("x", (9000,), (10,), (900,))
    text = text_of(picture)
    assert "…" in text
    assert "8990:9000" in text
    assert len(text.splitlines()[1]) < 100
    assert len(svg_of([picture], ["heading"])) < 10_000


def test_empty_tiles_are_counted_and_not_drawn():
    text = text_of(picture_of("x", (5, 5), (2, 2), (4, 5)))
    assert text.endswith("11 more colors have empty tiles, past the end of the store")
    assert "3,0" not in text


def test_of_more_than_two_dimensions_those_with_the_most_tiles_are_drawn():
    text = text_of(picture_of("x", (4, 6, 100, 50), (1, 2, 20, 50), (4, 3, 5, 1)))
    assert text.endswith("drawn: dimension 0 down, dimension 2 across, at color 0 of dimensions 1, 3")
    assert "│ 3,0,4,0 │" in text


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9), st.integers(1, 70)), min_size=1, max_size=4))
def test_the_picture_of_any_partition_is_valid_and_names_each_drawn_color_once(dims):
    shape, tile, colors = zip(*dims, strict=True)
    picture = picture_of("a < b & c", shape, tile, colors)
    assert len({len(line) for line in text_of(picture).splitlines() if line.strip()[:1] in "┌├└"}) == 1
    root = ET.fromstring(svg_of([picture], ["a <heading>", "b & c"]))
    titles = [each.text for each in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == len({*titles})


def test_a_page_of_a_preview_needs_no_other_file():
    preview = engine("threads").preview(launch())
    page = preview.html()
    assert page.startswith("<!doctype html>")
    assert "scale on engine threads: 12 tasks" in page
    assert not any(word in page for word in ("href", "src=", "url(", "@import"))
    assert preview._repr_html_() == preview.svg()


@pytest.mark.parametrize("name", ["threads", "eager"])
def test_progress_is_told_after_each_task(name):
    seen = []
    x = create_store("float64", (100,))

    @task
    def fill(x: Output):
        x.span_write_accessor()[...] = 1

    with engine(name).using(progress=seen.append):
        fill(x.partition_by_tiling((30,))).wait()
    assert [(each.task, each.done, each.tasks) for each in seen] == [("fill", done, 4) for done in (1, 2, 3, 4)]
    assert (seen[-1].nbytes, seen[-1].total) == (800, 800)
    assert seen[-1].seconds_left == 0
    np.testing.assert_array_equal(x.get_physical_store(), np.ones(100))


def test_progress_counts_tasks_that_fail():
    seen = []

    @task
    def fail(x: Output):
        raise ZeroDivisionError

    with engine("threads").using(progress=seen.append):
        future = fail(create_store("float64", (10,)).partition_by_tiling((5,)))
        assert isinstance(future.exception(), ZeroDivisionError)
    assert seen[-1].done == 2


class Terminal(io.StringIO):
    def isatty(self):
        return True


def progress(done, seconds):
    return Progress("saxpy", done, 40, done << 20, 40 << 20, seconds)


def test_a_terminal_shows_one_line_that_changes_and_short_launches_none():
    terminal = Terminal()
    show = line_on(terminal)
    for done, seconds in ((1, 0.5), (10, 2.0), (11, 2.01), (40, 8.0)):
        show(progress(done, seconds))
    assert terminal.getvalue() == (
        "\r\x1b[Ksaxpy: 10 of 40 tasks, 10.0 MiB of 40.0 MiB, 5.0 MiB/s, 2.0 s, 6.0 s left"
        "\r\x1b[Ksaxpy: 40 of 40 tasks, 40.0 MiB of 40.0 MiB, 5.0 MiB/s, 8.0 s\n"
    )


def test_a_file_shows_no_progress():
    log = io.StringIO()
    line_on(log)(progress(10, 5.0))
    assert not log.getvalue()


@pytest.mark.parametrize("wrong", ["yes", 1, object()])
def test_progress_that_is_no_callable_is_refused(wrong):
    with (
        pytest.raises(TypeError, match="progress is True, False or a callable"),
        engine("threads").using(progress=wrong),
    ):
        pass


def test_a_spill_folder_without_a_budget_is_refused(tmp_path):
    with pytest.raises(TypeError, match="needs a budget"), engine("threads").using(spill_folder=str(tmp_path)):
        pass
