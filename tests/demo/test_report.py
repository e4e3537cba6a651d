"""The page is self-contained, escapes its texts and shows every step; detections are drawn on the pictures."""

import base64
import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

import accel
from accel import Device
from accel.demo import pipeline
from accel.demo.annotate import annotated, png
from accel.demo.chart import close_up, timeline_chart
from accel.demo.compare import compare_findings
from accel.demo.outcome import Outcome
from accel.demo.reference import compute_reference
from accel.demo.report import report_page
from accel.demo.timeline import LANES, Span, Timeline
from accel.device import Fallback

HOSTILE = "<script>alert('&')</script>"


def outcome_of(picture, **names):
    timeline = Timeline()
    findings = pipeline.detect(picture, Device.CPU, timeline, side=64)
    comparison = compare_findings(names.pop("claimed", findings), compute_reference(picture))
    return Outcome(picture, findings, comparison, timeline, 9, 20, findings.leading(5, 20))


class Elements(HTMLParser):
    """The elements of a page; asserts that each is closed."""

    VOID = frozenset({"meta", "img", "input", "line", "!doctype"})

    def __init__(self, page):
        super().__init__()
        self.found, self.open = [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def outcome(stars):
    return outcome_of(stars)


@pytest.fixture
def page(outcome):
    return report_page([outcome], Device.CPU)


def test_the_page_needs_nothing_else(page):
    elements = Elements(page).found
    assert not {"script", "link", "iframe", "object", "a"} & {tag for tag, _ in elements}
    assert all(attributes.get("src", "data:").startswith("data:") for _, attributes in elements)
    assert not re.search(r"://|url\(|@import|href", page)


def test_its_pictures_are_pictures(page, stars):
    sources = [attributes["src"] for tag, attributes in Elements(page).found if tag == "img"]
    assert len(sources) == 2
    for source in sources:
        image = Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2])))
        assert image.size == stars.shape[::-1]


def test_what_it_is_told_is_escaped(stars, monkeypatch):
    object.__setattr__(stars, "title", HOSTILE)
    object.__setattr__(stars, "credit", HOSTILE)
    monkeypatch.setattr(accel.device, "fallbacks", lambda: (Fallback(HOSTILE, Device.CPU, HOSTILE),))
    page = report_page([outcome_of(stars)], Device.CPU)
    assert "script" not in {tag for tag, _ in Elements(page).found}
    assert page.count("&lt;script&gt;") >= 5


def test_races_are_escaped():
    page = report_page([], Device.SIM, [HOSTILE])
    assert "script" not in {tag for tag, _ in Elements(page).found}
    assert "&lt;script&gt;" in page


def test_it_tells_what_fell_back_and_why_but_once(outcome, monkeypatch):
    monkeypatch.setattr(accel.device, "fallbacks", lambda: (Fallback("cuda:3", Device.CPU, "no such card"),) * 2)
    assert report_page([outcome], Device.CPU).count("<td>cuda:3</td><td>cpu</td><td>no such card</td>") == 1


def test_it_says_that_nothing_fell_back(outcome, monkeypatch):
    monkeypatch.setattr(accel.device, "fallbacks", tuple)
    assert "None: all work ran on the requested device" in report_page([outcome], Device.CPU)


def test_its_table_has_the_strongest_detections(outcome, page):
    for number, detection in enumerate(outcome.leading, 1):
        assert f"<td>{number}</td><td>{detection.row}</td><td>{detection.column}</td>" in page


def test_it_says_that_the_reference_differs_and_where(stars):
    reference = compute_reference(stars)
    result = reference.marked.copy()
    result[3, 4] = True
    claimed = pipeline.Findings(reference.response, result, 0.0, 1.0, reference.threshold)
    page = report_page([outcome_of(stars, claimed=claimed)], Device.CPU)
    assert "The reference differs" in page
    assert "row 3, column 4 is marked by the pipeline" in page
    assert "The reference agrees" not in page


def test_the_chart_has_a_bar_for_each_step_in_its_lane(outcome):
    svg = ET.fromstring(timeline_chart(outcome.timeline))
    bars = svg.findall("rect")
    assert len(bars) == len(outcome.timeline.spans)
    for bar, span in zip(bars, outcome.timeline.spans, strict=True):
        assert bar.get("class") == f"lane-{LANES.index(span.lane)}"
        assert bar.findtext("title").startswith(f"{span.lane}, {span.label}: ")


def test_bars_are_as_long_as_their_steps():
    timeline = Timeline([Span("load", "a", 10.0, 11.0), Span("compute", "b", 11.0, 14.0)])
    first, second = ET.fromstring(timeline_chart(timeline)).findall("rect")
    assert float(second.get("width")) == pytest.approx(3 * float(first.get("width")), rel=1e-3)
    assert float(second.get("x")) == pytest.approx(float(first.get("x")) + float(first.get("width")), abs=0.02)


def test_the_close_up_shows_one_copy_whole_and_what_runs_beside_it():
    copies = [Span("copy in", f"tile {i}", 10.0 * i, 10.0 * i + 1) for i in range(3)]
    beside = [Span("compute", "before", 5.0, 10.5), Span("reference", "later", 30.0, 31.0)]
    svg = ET.fromstring(close_up(Timeline([*copies, *beside])))
    compute, copy = sorted(svg.findall("rect"), key=lambda bar: float(bar.get("x")))
    assert copy.findtext("title").startswith("copy in, tile 1: ")
    assert compute.findtext("title") == "compute, before: 5.50 s"
    ends = [float(bar.get("x")) + float(bar.get("width")) for bar in (compute, copy)]
    assert float(copy.get("x")) + float(copy.get("width")) / 2 == pytest.approx(ends[0], abs=0.02)
    assert ends[1] <= 870


def test_it_tells_how_much_of_the_copying_is_beside_computing(outcome, page):
    assert f"<strong>{outcome.timeline.overlap():.0%}</strong>" in page


@pytest.mark.parametrize(
    ("device", "words"), [(Device.CPU, "measured with the clock of the host"), (Device.SIM, "are simulated on")]
)
def test_it_says_on_which_clock_the_times_are(outcome, device, words):
    assert words in report_page([outcome], device)


def test_it_says_in_which_step_kernels_are_compiled(page):
    assert "it compiles the kernels" in page


def test_leading_detections_keep_their_distance(outcome):
    leading = outcome.findings.leading(100, 40)
    assert [one.value for one in leading] == sorted((one.value for one in leading), reverse=True)
    places = np.array([(one.row, one.column) for one in leading])
    apart = np.abs(places[:, np.newaxis] - places).max(axis=2) + 1000 * np.eye(len(places))
    assert apart.min() >= 40


def test_each_star_has_a_ring_around_it_and_not_over_it(stars, outcome):
    drawn = np.asarray(annotated(stars, outcome.findings, []))
    changed = (drawn != stars.pixels).any(axis=2)
    for row, column in np.argwhere(outcome.findings.marked):
        assert not changed[row, column]
        assert changed[row, max(column - 16, 0) : column].any()
        assert changed[row, column + 1 : column + 17].any()


def test_lines_are_drawn_where_they_were_found_and_nowhere_else(vessel):
    result = outcome_of(vessel).findings
    changed = (np.asarray(annotated(vessel, result, [])) != vessel.pixels).any(axis=2)
    assert changed[result.marked].all()
    grown = np.lib.stride_tricks.sliding_window_view(np.pad(result.marked, 1), (3, 3)).any(axis=(2, 3))
    assert not changed[~grown].any()


def test_a_picture_with_nothing_on_it_is_drawn_as_it_is(stars):
    nothing = compute_reference(stars)
    nothing.marked[:] = False
    drawn = annotated(stars, nothing, nothing.leading(5, 5))
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(png(drawn)))), stars.pixels)
