"""Read the cells of pictures back from SVG, HTML and terminal text."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def svg_grids(picture):
    """Return the grids of a picture's SVG: captions, cells and lines."""
    root = ET.fromstring(picture.svg())
    body = root.find(f"{SVG}g")
    return [_svg_grid(grid) for grid in body.findall(f"{SVG}g")]


def _svg_grid(grid):
    texts = grid.findall(f"{SVG}text")
    return SimpleNamespace(
        caption="".join(text.text for text in texts if "ink" in text.get("class")),
        names=[text.text for text in texts if "soft" in text.get("class")],
        cells=[_svg_cell(cell) for cell in grid.findall(f"{SVG}g")],
        lines=[_line(path) for path in grid.findall(f"{SVG}path") if path.get("class") == "line"],
    )


def _svg_cell(cell):
    rect, texts = cell.find(f"{SVG}rect"), cell.findall(f"{SVG}text")
    where, said = cell.find(f"{SVG}title").text.split(": ", 1)
    return SimpleNamespace(
        where=where,
        said=said,
        texts=[text.text for text in texts],
        fill=rect.get("fill"),
        inks={text.get("fill") for text in texts},
        **{name: float(rect.get(name)) for name in ("x", "y", "width", "height")},
    )


def _line(path):
    way, start, _end = re.fullmatch(r"M([\d.e+]+ [\d.e+]+)([HV])([\d.e+]+)", path.get("d")).group(2, 1, 3)
    x, y = map(float, start.split())
    return SimpleNamespace(across=way == "H", at=y if way == "H" else x, weight=float(path.get("stroke-width")))


def svg_cells(picture):
    """Return the cells of all grids."""
    return [cell for grid in svg_grids(picture) for cell in grid.cells]


def html_cells(picture):
    """Return coordinate, tooltip, texts, colours and borders of each cell of a picture's HTML."""
    root = ET.fromstring(picture.html())
    return [_html_cell(cell) for cell in root.iter("td") if cell.get("title")]


def _html_cell(cell):
    where, said = cell.get("title").split(": ", 1)
    inner = cell.find("div")
    fill, ink = re.fullmatch(r"background:(#\w{6});color:(#\w{6})", inner.get("style")).groups()
    sides = dict(re.findall(r"border-(\w+)-width:(\d)px", cell.get("style")))
    return SimpleNamespace(where=where, said=said, texts=list(inner.itertext()), fill=fill, inks={ink}, sides=sides)


def text_rows(picture, width):
    """Return the texts of the cells of each line in a terminal; colours delimit the cells."""
    lines = picture.text(width, 1 << 24).splitlines()
    rows = [re.findall(r"\x1b\[48[\d;]+m([^\x1b]+)\x1b\[0m", line) for line in lines]
    return [[text.strip() for text in row] for row in rows if row]


def terminal_inks(text):
    """Return background and foreground colour of each coloured part of a terminal text."""
    result = re.findall(r"\x1b\[48;([25]);([\d;]+);38;[25];([\d;]+)m", text)
    return [tuple(_web(part) if kind == "5" else _hex(part.split(";")) for part in parts) for kind, *parts in result]


def _web(code):
    amounts = (0, 95, 135, 175, 215, 255)
    return _hex([amounts[(int(code) - 16) // power % 6] for power in (36, 6, 1)])


def _hex(parts):
    return f"#{bytes(map(int, parts)).hex()}"


def contrast(one, other):
    """Return the contrast of two colours as WCAG 2 defines it."""
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
