"""The atlas is read as bokeh's own functions read it; the reference finds what is known of a small country."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.demo.stores.atlas import load_atlas, points_of
from accel.demo.stores.findings import RADIUS, Findings, differences
from accel.demo.stores.reference import compute_reference

POINTS = st.lists(st.tuples(*[st.floats(-180, 180)] * 2), max_size=5)
POLYGONS = st.lists(st.lists(POINTS, max_size=3), max_size=3)
ORDERS = st.sampled_from("<>")


def polygon(rings, order):
    head = struct.pack(f"{order}BII", order == "<", 3, len(rings))
    bodies = (struct.pack(f"{order}I{2 * len(ring)}d", len(ring), *np.ravel(ring)) for ring in rings)
    return head + b"".join(bodies)


@given(POLYGONS, ORDERS, st.data())
def test_rings_come_back_in_order_from_either_byte_order(polygons, order, data):
    parts = [polygon(rings, data.draw(ORDERS)) for rings in polygons]
    several = struct.pack(f"{order}BII", order == "<", 6, len(parts)) + b"".join(parts)
    expected = [ring for rings in polygons for ring in rings]
    result = [[tuple(point) for point in ring.tolist()] for ring in points_of(several)]
    assert result == expected


@pytest.mark.parametrize(("data", "message"), [(struct.pack("<BIdd", 1, 1, 0, 0), "type 1"), (b"\1\3\0", "buffer")])
def test_what_is_no_polygon_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        [*points_of(data)]


def test_the_atlas_has_the_counties_and_cities_of_bokeh():
    from bokeh_sampledata.us_counties import data, records

    atlas = load_atlas()
    assert len(atlas.cities) == len(atlas.places) == 45065
    assert [county.name for county in atlas.counties] == [each["name"] for each in records()]
    texas = next(at for at, county in enumerate(atlas.counties) if (county.name, county.state) == ("Travis", "TX"))
    [ring] = (atlas.rings[at] for at in np.flatnonzero(atlas.county_of == texas))
    np.testing.assert_array_equal(ring.T, (data[48, 453]["lons"], data[48, 453]["lats"]))


def test_missing_data_is_told_with_its_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"geographic_boundaries\.db"):
        load_atlas(tmp_path)


def test_the_reference_finds_areas_and_places_of_a_small_country(country):
    result = compute_reference(country)
    strip = np.sin(np.radians(40)) - np.sin(np.radians(30))
    assert result.areas[0] == pytest.approx(RADIUS**2 * np.radians(10) * strip)
    assert result.areas[1] == -result.areas[2]
    assert result.state_areas[0] == pytest.approx(result.areas[0])
    assert result.county_of_city.tolist() == [0, 1, 2, 2, -1, -1, 0]
    assert result.cities_in_county.tolist() == [2, 1, 2]
    assert result.name_lengths[:9].tolist() == [0, 1, 1, 0, 0, 1, 2, 1, 1]
    assert result.boxes[0].tolist() == [-100, 30, -90, 40]


def test_the_counties_have_the_area_of_the_united_states():
    atlas = load_atlas()
    only = type(atlas)(atlas.counties, atlas.rings, atlas.county_of, [], np.empty((0, 2)))
    assert compute_reference(only).areas.sum() == pytest.approx(9.83e6, rel=0.002)


@pytest.mark.parametrize("name", Findings.__dataclass_fields__)
def test_a_difference_is_told_by_name_and_place(country, name):
    expected, result = compute_reference(country), compute_reference(country)
    assert differences(result, expected) == []
    getattr(result, name)[1] += 1
    [told] = differences(result, expected)
    assert name.replace("_", " ") in told
    assert "at (1" in told
