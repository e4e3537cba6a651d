"""Elements are valid XML whatever users write, and every picture has a size that any viewer takes."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel.copies.explain import explain_copy
from accel.engines.partition_pictures import picture_of, svg_of
from accel.layout import Layout, Picture
from accel.pictures import svg
from accel.pictures.html import table
from accel.pictures.style import MONO, Shade, page_style, svg_style
from accel.support.kernel_reports import Frame, KernelReport, ThreadPlace

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="￾￿"))


def report():
    write = ThreadPlace((0, 0, 0), (3, 0, 0), "writes", 4, (Frame("f", "a<b>.cu", 8, "x[i] = y & z;"),))
    read = ThreadPlace((1, 0, 0), None, "reads", 4, ())
    return KernelReport(
        "race", "race", "f<int>", (2, 1, 1), (40, 1, 1), write, read, "x", 12, 1, "a < b", space="global", size=16
    )


def transpose():
    rows, columns = (accel.zeros(48, "float32").view(Layout((6, 8), strides)) for strides in ((8, 1), (1, 6)))
    return explain_copy(rows, columns).svg()


DOCUMENTS = {
    "a copy": transpose,
    "a kernel's report": lambda: report().svg(),
    "a layout": lambda: Picture(Layout((4, 8), (8, 1))).svg(),
    "a layout too large to draw": lambda: Picture(Layout((1000, 1000), (1, 1000))).svg(),
    "tiles": lambda: svg_of([picture_of("x", (10, 9000), (4, 30), (3, 300))], ["two", "lines"]),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_has_a_size_in_numbers_and_colours_for_both_schemes(name):
    root = ET.fromstring(DOCUMENTS[name]())
    width, height = float(root.get("width")), float(root.get("height"))
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert width > 0
    assert height > 0
    page = root.find(f"{SVG}rect[@class='page']")
    assert (page.get("width"), page.get("height")) == (root.get("width"), root.get("height"))
    style = root.find(f"{SVG}style").text
    assert "prefers-color-scheme: dark" in style
    assert "auto" not in re.sub(r"@media [^{]*\{.*?\}\s*\}", "", style, flags=re.DOTALL), (
        "some viewers draw nothing then"
    )


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_has_only_colours_and_classes_that_any_viewer_knows(name):
    root = ET.fromstring(DOCUMENTS[name]())
    style = root.find(f"{SVG}style").text
    assert not re.search(r"var\(|hsl\(|oklch\(|color-mix|@import|url\(", style)
    shapes = [each for each in root.iter() if each.tag in {f"{SVG}{tag}" for tag in ("rect", "path", "text", "circle")}]
    for each in shapes:
        assert re.fullmatch("#[0-9a-f]{6}", each.get("fill", "#000000"))
        classes = each.get("class", "").split()
        assert each.get("fill") or any(f".{word} " in style for word in classes), ET.tostring(each)


def test_each_class_has_a_colour_for_dark_pages():
    style = svg_style("some", MONO, "& .thin { stroke-width: 1; }", {"extra": Shade("fill", "#123456", "#abcdef")})
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    colours = re.compile(r"\.some \.(\w+) \{ (fill|stroke): #")
    assert set(colours.findall(light)) == set(colours.findall(dark))
    assert ".some .extra { fill: #123456; }" in light
    assert ".some .extra { fill: #abcdef; }" in dark


@given(TEXTS, TEXTS, TEXTS)
def test_whatever_users_write_is_text(title, said, code):
    body = svg.group(svg.rect(0, 0, 9, 9, title=said) + svg.text(1, 2, code), title=title)
    document = svg.document("some", 20, 30, body, title=title, about=said, style=svg_style("some", MONO))
    root = ET.fromstring(document)
    assert [each.text for each in root.iter(f"{SVG}title")] == [word for word in (title, title, said) if word]
    assert [each.text for each in root.iter(f"{SVG}text")] == [code] * bool(code)
    assert [each.text for each in root.iter(f"{SVG}desc")] == [said] * bool(said)


def test_an_attribute_cannot_end_its_quotes():
    element = ET.fromstring(svg.element("a", kind='"><b', stroke_width=2.0, fill="", rx=None))
    assert element.attrib == {"class": '"><b', "stroke-width": "2"}


@pytest.mark.parametrize(
    ("length", "ends"),
    [({"right": 30}, (40, 5)), ({"right": -30}, (-20, 5)), ({"down": 9}, (10, 14)), ({"down": -9}, (10, -4))],
)
def test_the_head_of_an_arrow_is_at_its_end_and_points_away(length, ends):
    d = ET.fromstring(svg.arrow(10, 5, kind="line", head=3, **length)).get("d")
    points, here = [], (0.0, 0.0)
    for way, numbers in re.findall(r"([Mmlhv])([-\d. ]+)", d):
        parts = [float(part) for part in numbers.split()]
        step = {"h": (parts[0], 0), "v": (0, parts[0])}.get(way, tuple(parts))
        here = step if way == "M" else (here[0] + step[0], here[1] + step[1])
        points.append(here)
    start, end, one, tip, other = points
    assert start == (10, 5)
    assert end == tip == ends
    for wing in (one, other):
        along = [(wing[k] - tip[k]) * (start[k] - tip[k]) for k in (0, 1)]
        assert max(along) > 0, "the wings point back to the start"
        assert max(abs(wing[k] - tip[k]) for k in (0, 1)) == 3


def test_a_legend_indents_the_texts_that_have_a_swatch():
    rows = [(lambda x, y: svg.rect(x, y - 5, 5, 5), "one", "ink"), (None, "two", "soft")]
    root = ET.fromstring(f"<g>{svg.legend(rows, 7, 20, line=10, indent=9)}</g>")
    assert [(each.get("x"), each.get("y"), each.text) for each in root.iter("text")] == [
        ("16", "20", "one"),
        ("7", "30", "two"),
    ]
    assert [(each.get("x"), each.get("y")) for each in root.iter("rect")] == [("7", "15")]


@given(TEXTS, st.lists(st.tuples(TEXTS, st.integers())))
def test_a_table_has_each_cell_as_text(caption, rows):
    root = ET.fromstring(table(["<name>", "number"], rows, kind="rows", caption=caption, otherwise="<none>"))
    cells = [each.text or "" for each in root.iter("td")]
    assert cells == ([str(cell) for row in rows for cell in row] or ["<none>"])
    assert [each.text for each in root.iter("th")] == ["<name>", "number"]
    assert [each.text for each in root.iter("caption")] == [caption] * bool(caption)


def test_the_style_of_a_page_applies_to_its_elements_alone():
    style = re.sub(r"@media [^{]*\{(.*)\}", r"\1", page_style("some", f"13px {MONO}", "& p { margin: 0; }"))
    selectors = [part.strip() for rule in re.findall(r"([^{}]+)\{", style) for part in rule.split(",")]
    assert selectors
    assert all(selector.split()[0] in {".some", ".some:hover"} for selector in selectors)
