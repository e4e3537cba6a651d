"""The report of the demo of stores: one self-contained HTML page."""

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from accel.demo.html import fact_list, page, table, version_section
from accel.demo.stores.atlas import Atlas
from accel.demo.stores.county_map import county_map
from accel.demo.stores.findings import Findings
from accel.demo.stores.highlights import Highlights
from accel.demo.stores.page_style import STYLE, legend
from accel.demo.stores.program import RINGS
from accel.demo.stores.runs import Run
from accel.demo.timeline import in_seconds
from accel.engines import Preview

__all__ = ["report_page"]

_PACKAGES = ("accel-container", "numpy", "dask", "distributed", "bokeh_sampledata")


def report_page(
    atlas: Atlas, runs: Sequence[Run], previews: Sequence[Preview] = (), missing: Sequence[str] = ()
) -> str:
    """Return the page.

    Parameters
    ----------
    atlas : Atlas
        The data.
    runs : sequence of Run
        What each engine found; one or more.
    previews : sequence of Preview
        What each launch does.
    missing : sequence of str
        Why an engine was left out.
    """
    first_findings = runs[0].findings
    sections = [_head(atlas), _runs(runs, missing), _map(atlas, first_findings), _launches(previews)]
    findings = _findings(Highlights(atlas, first_findings))
    return page("accel demo stores", [*sections, *findings, version_section(_PACKAGES)], STYLE)


def _head(atlas: Atlas) -> str:
    facts = {
        "Counties": f"{len(atlas.counties):,}",
        "Rings around and in them": f"{len(atlas.rings):,}",
        "Vertices": f"{len(atlas.vertices):,}",
        "Cities of the world": f"{len(atlas.cities):,}",
    }
    return (
        "<h1>Counties and cities, tile by tile</h1>\n"
        '<p class="soft">The outlines of the counties of the United States are lists of vertices; the names of cities '
        "are strings. Tasks measured the outlines, found the county of each city, and counted characters: each task on "
        f"one tile, in threads and in a Dask cluster. NumPy did the same without tiles.</p>\n{fact_list(facts)}\n"
    )


def _runs(runs: Sequence[Run], missing: Sequence[str]) -> str:
    rows = [(run.where, run.tasks, in_seconds(run.seconds), "no" if run.complaints else "yes") for run in runs]
    events = [f"{run.where}: {run.event}." for run in runs if run.event]
    notes = "".join(f'<p class="soft">{escape(note)}</p>\n' for note in (*events, *missing))
    complaints = [f"{run.where}: {complaint}" for run in runs for complaint in run.complaints]
    if complaints:
        verdict = f'<p class="verdict bad">&#10007; Results differ from NumPy\'s.</p>\n{_items(complaints, "bad")}'
    else:
        verdict = (
            '<p class="verdict good">&#10003; All results are those of NumPy.</p>\n'
            '<p class="soft">Boxes, places and counts are equal; areas differ by less than a square metre.</p>\n'
        )
    runs_table = table(("Engine", "Tasks", "Time", "As NumPy"), rows)
    return f"<section>\n<h2>Runs</h2>\n{verdict}{runs_table}{notes}</section>\n"


def _map(atlas: Atlas, findings: Findings) -> str:
    tiles = (np.arange(len(atlas.rings)) // RINGS).tolist()
    return (
        "<section>\n<h2>Map</h2>\n<figure>\n"
        '<label class="toggle"><input type="radio" name="color" id="by-area" checked> Color by area</label>\n'
        '<label class="toggle"><input type="radio" name="color" id="by-tile"> Color by tile</label>\n'
        '<label class="toggle"><input type="checkbox" id="with-cities" checked> Show the cities</label>\n'
        f'<div class="scroll">{county_map(atlas, findings, tiles)}</div>\n{legend()}'
        "<figcaption>Point at a county to see its name, its area, its cities and its tile. Alaska, Hawaii and Puerto "
        "Rico have scales and places of their own. Boundaries: U.S. Census Bureau, TIGER/Line. Cities: GeoNames, "
        "CC BY 3.0. Both are from bokeh_sampledata.</figcaption>\n</figure>\n</section>\n"
    )


def _launches(previews: Sequence[Preview]) -> str:
    """Return the numbers of each launch, and below them how its stores are cut, to unfold."""
    parts = "".join(
        f"<h3>{escape(preview.lines[0])}</h3>\n{_items(preview.lines[1:])}"
        f"<details><summary>Its partitions</summary>\n{preview.svg()}</details>\n"
        for preview in previews
    )
    return f"<section>\n<h2>Launches</h2>\n{parts}</section>\n"


def _items(lines: Sequence[str], kind: str = "soft") -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="{kind}">{items}</ul>\n'


def _findings(best: Highlights) -> Iterator[str]:
    yield "<section>\n<h2>Findings</h2>\n"
    yield fact_list(
        {
            "Area of all counties": f"{best.area:,.0f} km²",
            "Cities in a county": f"{best.cities:,}",
            "Most frequent length of a name": f"{best.usual_length} characters",
            "Longest name": best.longest_name,
        }
    )
    yield "<h3>Largest states</h3>\n"
    yield table(("State", "Area, km²"), ((name, f"{area:,.0f}") for name, area in best.states(8)))
    yield "<h3>Counties with the most cities</h3>\n"
    yield table(("County", "Cities", "Area, km²"), best.counties(8))
    yield "</section>\n"
