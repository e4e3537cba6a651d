"""The computation of the demo: lists and strings of stores, cut into tiles, and the launches of tasks on them."""

import numpy as np
import numpy.typing as npt

from accel.demo.stores import tasks
from accel.demo.stores.atlas import Atlas
from accel.demo.stores.findings import LONGEST, Findings
from accel.engines import Engine, Launch
from accel.store import LogicalStore, create_store, from_array
from accel.store.arrays import (
    ListLogicalArray,
    StructLogicalArray,
    create_list_array,
    create_struct_array,
    from_strings,
)

__all__ = ["CITIES", "RINGS", "Program", "outlines"]

RINGS, CITIES = 128, 1024
"""How many rings, and how many cities or names, are in a tile."""

_SIDES = ("west", "south", "east", "north")


def outlines(atlas: Atlas) -> ListLogicalArray:
    """Return the rings as lists of vertices, which are structs of longitude and latitude."""
    lengths = np.array([len(ring) for ring in atlas.rings], np.int64)
    last = np.cumsum(lengths) - 1
    return create_list_array(np.stack((last - lengths + 1, last), axis=1), _points(atlas.vertices))


class Program:
    """The stores and arrays of the demo, and the launches that write them.

    Attributes
    ----------
    launches : tuple of Launch
        In the order in which they are to be submitted.
    """

    def __init__(self, atlas: Atlas) -> None:
        self._rings, self._names, self._places = outlines(atlas), from_strings(atlas.cities), _points(atlas.places)
        self._county_of, self._state_of = from_array(atlas.county_of), from_array(_state_of(atlas))
        rings, cities = len(atlas.rings), len(atlas.cities)
        self._areas, self._located = create_store("float64", (rings,)), create_store("int32", (cities,))
        self._boxes = create_struct_array({side: create_store("float64", (rings,)) for side in _SIDES})
        self._state_areas = _zeros("float64", len(atlas.states))
        self._cities, self._lengths = _zeros("int64", len(atlas.counties)), _zeros("int64", LONGEST)
        self.launches: tuple[Launch, Launch, Launch, Launch] = (
            self._measure(),
            self._add_by_state(),
            self._locate(),
            self._count_characters(),
        )

    def findings(self, engine: Engine) -> Findings:
        """Wait for the tasks, and return what they wrote."""
        written = (self._areas, self._state_areas, self._located, self._cities, self._lengths)
        areas, *others = (engine.gather(store).copy() for store in written)
        sides = [engine.gather(self._boxes.child(at).data) for at in range(len(_SIDES))]
        return Findings(areas, np.stack(sides, axis=1), *others)

    def _measure(self) -> Launch:
        rings, boxes = (array.partition_by_tiling(RINGS) for array in (self._rings, self._boxes))
        return tasks.measure.bind(rings, self._areas.partition_by_tiling((RINGS,)), boxes)

    def _add_by_state(self) -> Launch:
        areas, states = (store.partition_by_tiling((RINGS,)) for store in (self._areas, self._state_of))
        return tasks.add_by_state.bind(areas, states, self._state_areas)

    def _locate(self) -> Launch:
        places, located = self._places.partition_by_tiling(CITIES), self._located.partition_by_tiling((CITIES,))
        return tasks.locate.bind(places, self._rings, self._county_of, self._boxes, located, self._cities)

    def _count_characters(self) -> Launch:
        return tasks.count_characters.bind(self._names.partition_by_tiling(CITIES), self._lengths)


def _points(places: npt.NDArray[np.float64]) -> StructLogicalArray:
    """Return places as structs of longitude and latitude."""
    lon, lat = np.ascontiguousarray(places.T)
    return create_struct_array({"lon": lon, "lat": lat})


def _state_of(atlas: Atlas) -> npt.NDArray[np.int32]:
    """Return the state of each ring."""
    numbers = {state: at for at, state in enumerate(atlas.states)}
    return np.array([numbers[atlas.counties[county].state] for county in atlas.county_of], np.int32)


def _zeros(dtype: str, size: int) -> LogicalStore:
    store = create_store(dtype, (size,))
    store.fill(0)
    return store
