"""The computation of the demo: lists and strings of stores, cut into tiles, and the launches of tasks on them."""

import numpy as np
import numpy.typing as npt

from accel.demo.stores import tasks
from accel.demo.stores.atlas import Atlas
from accel.demo.stores.findings import LONGEST, Findings
from accel.engines import Engine, Launch
from accel.store import LogicalStore, Slice, create_store, from_array
from accel.store.arrays import ListLogicalArray, create_list_array, create_struct_array, from_strings

__all__ = ["CITIES", "RINGS", "Program", "outlines"]

RINGS, CITIES = 128, 1024
"""How many rings, and how many cities or names, are in a tile."""


def outlines(atlas: Atlas) -> ListLogicalArray:
    """Return the rings as lists of vertices, which are structs of longitude and latitude."""
    lengths = np.array([len(ring) for ring in atlas.rings], np.int64)
    last = np.cumsum(lengths) - 1
    lon, lat = np.ascontiguousarray(atlas.vertices.T)
    return create_list_array(np.stack((last - lengths + 1, last), axis=1), create_struct_array({"lon": lon, "lat": lat}))


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
        rings, areas, boxes = self._rings.descriptor.data, self._areas, self._boxes
        return tasks.measure.bind(
            rings.partition_by_tiling((RINGS, 2)),
            *self._vertices(),
            areas.partition_by_tiling((RINGS,)),
            boxes.partition_by_tiling((RINGS, 4)),
        )

    def _add_by_state(self) -> Launch:
        areas, states = (store.partition_by_tiling((RINGS,)) for store in (self._areas, self._state_of))
        return tasks.add_by_state.bind(areas, states, self._state_areas)

    def _locate(self) -> Launch:
        return tasks.locate.bind(
            self._places.partition_by_tiling((CITIES, 2)),
            self._rings.descriptor.data,
            *self._vertices(),
            self._county_of,
            self._boxes,
            self._located.partition_by_tiling((CITIES,)),
            self._cities,
        )

    def _count_characters(self) -> Launch:
        # Two views of one store: where each name begins, and where it ends.
        offsets = self._names.offsets.data
        starts, ends = offsets.slice(0, Slice(0, -1)), offsets.slice(0, Slice(1))
        tiles = (store.partition_by_tiling((CITIES,)) for store in (starts, ends))
        return tasks.count_characters.bind(*tiles, self._names.chars.data, self._lengths)

    def _vertices(self) -> tuple[LogicalStore, LogicalStore]:
        vertices = self._rings.vardata
        return vertices.child(0).data, vertices.child(1).data


def _state_of(atlas: Atlas) -> npt.NDArray[np.int32]:
    """Return the state of each ring."""
    numbers = {state: at for at, state in enumerate(atlas.states)}
    return np.array([numbers[atlas.counties[county].state] for county in atlas.county_of], np.int32)


def _zeros(dtype: str, size: int) -> LogicalStore:
    store = create_store(dtype, (size,))
    store.fill(0)
    return store
