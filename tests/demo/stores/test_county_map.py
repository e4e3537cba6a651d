"""The map shows each county once, with its tile and its area, and keeps areas in proportion."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.demo.stores.county_map import county_map
from accel.demo.stores.projection import HEIGHT, WIDTH, panel_of
from accel.demo.stores.reference import compute_reference

STATES = st.sampled_from(["TX", "AK", "HI", "PR"])


def test_each_county_is_a_path_with_its_facts_escaped(country):
    picture = county_map(country, compute_reference(country), [0, 0, 1, 7, 7])
    titles = [title.text for title in ET.fromstring(picture).iter("title")]
    assert [title.partition(":")[0] for title in titles] == ["Ring <&>, AA", "Hole, AA", "Two Parts, BB"]
    assert [title.rpartition(", ")[2] for title in titles] == ["tile 0", "tile 1", "tile 7"]
    assert "2 cities" in titles[0]
    assert "1 city," in titles[1]


def test_a_city_in_a_county_is_a_dot(country):
    picture = ET.fromstring(county_map(country, compute_reference(country), [0] * 5))
    [dots] = (path.get("d") for path in picture.iter("path") if path.get("class") == "cities")
    assert dots.count("M") == 5


def test_islands_that_are_not_on_the_map_are_left_out(country):
    object.__setattr__(country.counties[0], "state", "GU")
    assert "Ring" not in county_map(country, compute_reference(country), [0] * 5)


@given(STATES, st.floats(-179, 179), st.floats(10, 75))
def test_small_squares_of_one_area_have_one_area_on_the_map(state, lon, lat):
    panel = panel_of(state)

    def area(west, south):
        height = 1e-3 / np.cos(np.radians(south))
        corners = [(west, south), (west + 1e-3, south), (west + 1e-3, south + height), (west, south + height)]
        x, y = panel.project(np.array(corners)).T
        return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))

    assert area(lon, lat) == pytest.approx(area(*panel.centre), rel=0.01)


CORNERS = [
    ("WA", (-124.7, 48.4)),
    ("ME", (-67, 47.4)),
    ("FL", (-81, 25)),
    ("AK", (172.5, 52.9)),
    ("AK", (-141, 70)),
    ("PR", (-67.3, 18)),
]


@pytest.mark.parametrize(("state", "place"), CORNERS)
def test_the_corners_of_the_country_are_on_the_map(state, place):
    [[x, y]] = panel_of(state).project(np.array([place]))
    assert 0 < x < WIDTH
    assert 0 < y < HEIGHT
