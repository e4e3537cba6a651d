"""`Atlas`: the counties of the United States and the cities of the world, from the data that bokeh's examples use."""

import csv
import gzip
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["Atlas", "County", "load_atlas", "points_of"]

_RING, _POLYGON = 3, 6
_QUERY = "SELECT metadata, geometry FROM us_counties ORDER BY id"


@dataclass(frozen=True, slots=True)
class County:
    """A county, or what corresponds to it in its state."""

    name: str
    state: str


@dataclass(frozen=True)
class Atlas:
    """Counties, with the rings that bound them, and cities. Coordinates are in degrees of longitude and latitude.

    Attributes
    ----------
    counties : sequence of County
        In the order of their official numbers.
    rings : sequence of ndarray, float64, shape (n, 2)
        Closed polygons: clockwise around land, and counter-clockwise around holes in it.
    county_of : ndarray, int32
        The county of each ring.
    cities : sequence of str
        Names.
    places : ndarray, float64, shape (n, 2)
        Where the cities are.
    """

    counties: Sequence[County]
    rings: Sequence[npt.NDArray[np.float64]]
    county_of: npt.NDArray[np.int32]
    cities: Sequence[str]
    places: npt.NDArray[np.float64]

    @cached_property
    def states(self) -> list[str]:
        """The postal codes of the states, sorted."""
        return sorted({county.state for county in self.counties})

    @cached_property
    def vertices(self) -> npt.NDArray[np.float64]:
        """The points of all rings, one after the other."""
        return np.concatenate(self.rings)


def load_atlas(folder: Path | None = None) -> Atlas:
    """Read the files of the package ``bokeh_sampledata``, without importing it.

    Parameters
    ----------
    folder : Path, optional
        Where the files are; by default where they were installed.

    Raises
    ------
    FileNotFoundError
        If there are no such files.
    """
    files = _installed() if folder is None else folder
    counties, rings, county_of = _counties(files / "geographic_boundaries.db")
    cities, places = _cities(files / "world_cities.csv.gz")
    return Atlas(counties, rings, np.array(county_of, np.int32), cities, places)


def _installed() -> Path:
    spec = find_spec("bokeh_sampledata")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(2, "install it with: pip install 'accel-container[demo-stores]'", "bokeh_sampledata")
    return Path(spec.submodule_search_locations[0]) / "_data"


def _counties(file: Path) -> tuple[list[County], list[npt.NDArray[np.float64]], list[int]]:
    counties: list[County] = []
    rings: list[npt.NDArray[np.float64]] = []
    county_of: list[int] = []
    if not file.exists():
        raise FileNotFoundError(2, "bokeh_sampledata 2026.1 or newer has it", str(file))
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        for metadata, geometry in connection.execute(_QUERY):
            facts = json.loads(metadata)
            polygons = [*points_of(geometry)]
            rings += polygons
            county_of += [len(counties)] * len(polygons)
            counties.append(County(facts["name"], facts["state"]))
    return counties, rings, county_of


def points_of(geometry: bytes) -> Iterator[npt.NDArray[np.float64]]:
    """Yield the rings of a polygon, or of several, in the binary format WKB.

    Raises
    ------
    ValueError
        If it is something else, or incomplete.

    Examples
    --------
    >>> import struct
    >>> wkb = struct.pack("<BIIIdddddd", 1, 3, 1, 3, 0, 0, 4, 0, 0, 3)
    >>> [ring.tolist() for ring in points_of(wkb)]
    [[[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]]
    """
    yield from _Reader(geometry).rings()


class _Reader:
    """Reads WKB from its start to its end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def rings(self) -> Iterator[npt.NDArray[np.float64]]:
        order = self._order()
        kind = self._integer(order)
        if kind == _POLYGON:
            for _ in range(self._integer(order)):
                yield from self.rings()
        elif kind == _RING:
            for _ in range(self._integer(order)):
                count = self._integer(order)
                yield self._array(f"{order}f8", 2 * count).reshape(count, 2).astype(np.float64)
        else:
            raise ValueError(f"a polygon (3) or several (6) were expected; found the geometry type {kind}")

    def _order(self) -> str:
        return "<" if self._array("u1", 1)[0] else ">"

    def _integer(self, order: str) -> int:
        return int(self._array(f"{order}u4", 1)[0])

    def _array(self, dtype: str, count: int) -> npt.NDArray[np.float64]:
        array = np.frombuffer(self._data, dtype, count, self._at)
        self._at += array.nbytes
        return array


def _cities(file: Path) -> tuple[list[str], npt.NDArray[np.float64]]:
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        rows = [(row["name"], float(row["lng"]), float(row["lat"])) for row in csv.DictReader(lines)]
    return [name for name, *_ in rows], np.array([place for _, *place in rows])
