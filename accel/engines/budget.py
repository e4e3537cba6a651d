"""`Budget`: the bytes that the tiles of tasks may take on each device.

**What is counted.** A store that was never written before, and whose boxes tasks write, becomes tiles: memory for each
box alone. These count, and so do copies of boxes on another device than their store, and boxes of stores whose values
are read when they are used: each point reads its boxes, and drops them. Memory that existed before, such
as attached memory of the user, is used in place and does not count. Nor do values that a reduction combines.

`accel.engines.memory_budget.admission` explains when a point begins, and why none waits for ever. Its two premises
hold: `Budget.check` refuses a launch whose points do not fit alone, and one that the body of a task submits.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from accel.device import Device
from accel.engines.execution import Memory
from accel.engines.memory_budget.admission import Admission
from accel.engines.memory_budget.requests import Promise, Request, refuse_larger
from accel.engines.points import Operand, Point, root_of
from accel.engines.staging import give_back, is_lazy, memory_of, part_of, point_bytes, staged_in, uses_memory
from accel.engines.tiles import Tile, TiledContents
from accel.engines.work import inside_task
from accel.errors import StoreError
from accel.memory.sizes import as_bytes
from accel.store.regions import Access
from accel.store.root import Root
from accel.store.store_targets import Place

__all__ = ["Budget"]


class _Use(NamedTuple):
    """An operand of a point that gets memory.

    Attributes
    ----------
    operand : Operand
        The operand.
    root : Root
        Its root.
    contents : TiledContents or None
        The tiles of its root; None if its memory is used in place, or copied from and to its root.
    tile : Tile or None
        The tile whose memory it uses; None if it needs memory of its own.
    """

    operand: Operand
    root: Root
    contents: TiledContents | None
    tile: Tile | None


class Budget(Admission):
    """Admits points of launches as long as their tiles fit.

    Parameters
    ----------
    budget : int or str
        The most bytes on each device, as in ``"2 GiB"``.
    spill_folder : str, optional
        Folder of the file for tiles that wait; by default the system's folder for temporary files.
    """

    def __init__(self, budget: int | str, spill_folder: str | None = None) -> None:
        super().__init__(as_bytes(budget, "budget"), spill_folder)
        self.spill_folder = spill_folder

    def check(self, points: Sequence[Point], places: Sequence[Place]) -> None:
        """Refuse a launch with a point that does not fit, before any point runs.

        Raises
        ------
        StoreError
            If a point needs more than the budget at once, or the caller is the body of a task.
        """
        if inside_task():
            raise StoreError(
                "the body of a task cannot launch tasks under a budget: it holds memory while it waits for them; "
                "launch them after it, or in the body write: with accel.engines.engine('eager').using()"
            )
        for point, place in zip(points, places, strict=True):
            self._make_tiles(point, place)
            refuse_larger(point, point_bytes(point, place), self.nbytes)

    def _make_tiles(self, point: Point, place: Place) -> None:
        """Make the values of roots tiles, where a point writes the root and it has no values yet."""
        for operand in point.operands:
            root = root_of(operand)
            writes = uses_memory(operand) and operand.access is not Access.READ
            if writes and root.contents is None and root.place.device is place.device:
                root.adopt(TiledContents(root, self))

    @contextmanager
    def admitted(self, point: Point, place: Place) -> Iterator[dict[str, Memory]]:
        """Wait until a point fits, and give it the memory of its operands."""
        uses: list[_Use] = []

        def request() -> Request:
            uses[:] = [self._use(operand, place) for operand in point.operands if uses_memory(operand)]
            tiles = {use.tile: None for use in uses if use.tile is not None}
            return Request(point, tiles, _fresh(uses, place.device))

        with self.promised(request) as promise:
            memories = {use.operand.name: self._memory(use, place) for use in uses}
            try:
                yield memories
                for use in uses:
                    if use.operand.access is not Access.READ and not use.operand.empty:
                        self._keep(use, memories[use.operand.name], promise)
            finally:
                memories.clear()

    def _use(self, operand: Operand, place: Place) -> _Use:
        root = root_of(operand)
        contents = root.contents
        if (
            root.place.device is place.device
            and isinstance(contents, TiledContents)
            and contents.memory is self
            and contents.gathered is None
        ):
            return _Use(operand, root, contents, contents.exact(operand.box))
        return _Use(operand, root, None, None)

    def _memory(self, use: _Use, place: Place) -> Memory:
        operand, root, contents, tile = use
        assert operand.map is not None, "the operand has a shape"
        if contents is not None:
            storage = tile.memory if tile is not None else contents.copy(operand.box, filled=operand.access.reads)
            return Memory(storage, operand.map.on_box(), root.place)
        if root.place.device is not place.device:
            return staged_in(operand, place)
        if is_lazy(root):
            return Memory(part_of(root, operand.box), operand.map.on_box(), root.place)
        return Memory(memory_of(root), operand.map, root.place)

    def _keep(self, use: _Use, memory: Memory, promise: Promise) -> None:
        """Count the elements that a body has written, as a tile."""
        contents, tile = use.contents, use.tile
        if contents is None:
            give_back(use.operand, memory)
            return
        with self.changed:
            if tile is None:
                tile = Tile(use.operand.box, memory.storage, use.root.place)
                tile.pins = 1
                promise.values.append(tile)
                self.take_in(tile, promise, tile.nbytes)
            self.forget(tile)
        if use.tile is None:
            contents.add(tile)
        contents.written(tile)


def _fresh(uses: Sequence[_Use], device: Device) -> dict[Device, int]:
    """Return the bytes that a point allocates besides the tiles that it uses, on its device and on the host."""
    fresh = {device: 0}
    for operand, root, contents, tile in uses:
        elsewhere, lazy = root.place.device is not device, is_lazy(root)
        if elsewhere or lazy or (contents is not None and tile is None):
            fresh[device] += operand.nbytes
        if elsewhere and lazy:  # they pass through memory of the host
            fresh[Device.CPU] = fresh.get(Device.CPU, 0) + operand.nbytes
    return fresh
