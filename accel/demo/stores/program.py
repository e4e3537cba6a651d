"""The computation of the demo: lists and strings of stores, cut into tiles, and the launches of tasks on them."""

import numpy as np
import numpy.typing as npt

from accel.demo.stores import tasks
from accel.demo.stores.atlas import Atlas
from accel.demo.stores.findings import LONGEST, Findings
from accel.engines import Engine, Launch
from accel.store import LogicalStore, LogicalStorePartition, Slice, create_store, from_array
from accel.store.arrays import ListLogicalArray, create_list_array, create_struct_array, from_strings

__all__ = ["CITIES", "RINGS", "Program", "outlines"]

RINGS, CITIES = 128, 1024
"""How many rings, and how many cities or names, are in a tile."""


def outlines(atlas: Atlas) -> ListLogicalArray:
    """Return the rings as lists of vertices, which are structs of longitude and latitude."""
    lengths = np.array([len(ring) for ring in atlas.rings], np.int64)
    last = np.cumsum(lengths) - 1
    lon, lat = np.ascontiguousarray(atlas.vertices.T)
    return create_list_array(
        np.stack((last - lengths + 1, last), axis=1), create_struct_array({"lon": lon, "lat": lat})
    )


class Program:
    """The stores of the demo, and the launches that write them.

    Attributes
    ----------
    launches : tuple of Launch
        In the order in which they are to be submitted.
    """

    def __init__(self, atlas: Atlas) -> None:
        self._rings, self._names = outlines(atlas), from_strings(atlas.cities)
        self._places, self._county_of = from_array(atlas.places), from_array(atlas.county_of)
        self._state_of = from_array(_state_of(atlas))
        rings, cities = len(atlas.rings), len(atlas.cities)
        self._areas, self._boxes = create_store("float64", (rings,)), create_store("float64", (rings, 4))
        self._located = create_store("int32", (cities,))
        self._state_areas = _zeros("float64", len(atlas.states))
        self._cities, self._lengths = _zeros("int64", len(atlas.counties)), _zeros("int64", LONGEST)
        self.launches = self._measure(), self._add_by_state(), self._locate(), self._count_characters()

    def findings(self, engine: Engine) -> Findings:
        """Wait for the tasks, and return what they wrote."""
        written = (self._areas, self._boxes, self._state_areas, self._located, self._cities, self._lengths)
        return Findings(*(engine.gather(store).copy() for store in written))

    def _measure(self) -> Launch:
        tiles = (_tiles(store, RINGS) for store in (self._rings.descriptor.data, self._areas, self._boxes))
        rings, areas, boxes = tiles
        return tasks.measure.bind(rings, *self._vertices(), areas, boxes)

    def _add_by_state(self) -> Launch:
        return tasks.add_by_state.bind(_tiles(self._areas, RINGS), _tiles(self._state_of, RINGS), self._state_areas)

    def _locate(self) -> Launch:
        return tasks.locate.bind(
            _tiles(self._places, CITIES),
            self._rings.descriptor.data,
            *self._vertices(),
            self._county_of,
            self._boxes,
            _tiles(self._located, CITIES),
            self._cities,
        )

    def _count_characters(self) -> Launch:
        # Two views of one store: where each name begins, and where it ends.
        offsets = self._names.offsets.data
        starts, ends = offsets.slice(0, Slice(0, -1)), offsets.slice(0, Slice(1))
        chars = self._names.chars.data
        return tasks.count_characters.bind(_tiles(starts, CITIES), _tiles(ends, CITIES), chars, self._lengths)

    def _vertices(self) -> tuple[LogicalStore, LogicalStore]:
        vertices = self._rings.vardata
        return vertices.child(0).data, vertices.child(1).data


def _tiles(store: LogicalStore, rows: int) -> LogicalStorePartition:
    """Cut a store into tiles of whole rows; one without columns gets one, so that all have one color shape."""
    table = store if store.ndim == 2 else store.promote(1, 1)
    return table.partition_by_tiling((rows, table.shape[1]))


def _state_of(atlas: Atlas) -> npt.NDArray[np.int32]:
    """Return the state of each ring."""
    numbers = {state: at for at, state in enumerate(atlas.states)}
    return np.array([numbers[atlas.counties[county].state] for county in atlas.county_of], np.int32)


def _zeros(dtype: str, size: int) -> LogicalStore:
    store = create_store(dtype, (size,))
    store.fill(0)
    return store
