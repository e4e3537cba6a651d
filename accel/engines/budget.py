"""`Budget`: the bytes that the tiles of tasks may take on each device.

**What is counted.** A store that was never written before, and whose boxes tasks write, becomes tiles: memory for each
box alone. These count, and so do copies of boxes on another device than their store, and boxes of stores whose values
are read when they are used: each point reads its boxes, and drops them. Memory that existed before, such
as attached memory of the user, is used in place and does not count. Nor do values that a reduction combines.

**The invariant.** A point begins only if all that it will allocate fits what is left of the budget of its device. In
the same step the bytes are promised to it, and its tiles are pinned.

**There is no deadlock.** A point that waits here has pinned nothing and holds nothing. A point that runs never waits
here: under a budget a body cannot launch tasks. So those that run come to an end. If none runs, no tile is pinned; each
point fits when the others have left, which was checked when it was submitted.
"""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, NoReturn

from accel.device import Device
from accel.engines.graph.ledger import Ledger
from accel.engines.graph.spill_file import SpillFile
from accel.engines.points import Operand, Point
from accel.engines.running import Memory
from accel.engines.staging import give_back, is_lazy, memory_of, part_of, point_bytes, staged_in, uses_memory
from accel.engines.tiles import Tile, TiledContents, copy_overlap
from accel.engines.work import inside_task
from accel.errors import StoreError
from accel.memory import AnyStorage
from accel.memory.sizes import as_bytes, in_words
from accel.store.boxes import Box, volume
from accel.store.regions import Access
from accel.store.root import HOST
from accel.store.scratch import elements_of
from accel.store.store_targets import Place

__all__ = ["Budget", "Usage", "refuse_larger"]


class Usage(NamedTuple):
    """What tiles take on a device.

    Attributes
    ----------
    held : int
        Bytes of tiles in memory.
    peak : int
        The most bytes that were held, or promised to points that run, at any time.
    """

    held: int
    peak: int


class _Want:
    """What a point needs for an operand.

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
    promised : int
        Bytes that it may still allocate on the device of the point.
    passing : int
        Bytes of the host that its values take on their way to another device.
    """

    __slots__ = ("contents", "operand", "passing", "promised", "root", "tile")

    def __init__(
        self,
        operand: Operand,
        contents: TiledContents | None = None,
        tile: Tile | None = None,
        promised: int = 0,
        passing: int = 0,
    ) -> None:
        assert operand.root is not None, "the point is of this process"
        self.operand = operand
        self.root = operand.root
        self.contents = contents
        self.tile = tile
        self.promised = promised
        self.passing = passing


class Budget:
    """Admits points of launches as long as their tiles fit.

    Parameters
    ----------
    budget : int or str
        The most bytes on each device, as in ``"2 GiB"``.
    spill_folder : str, optional
        Folder of the file for tiles that wait; by default the system's folder for temporary files.
    """

    # `_changed` guards the ledgers, the order of tiles, and of each tile all but its box. It is notified when a point
    # ends or a tile has moved. It is reentrant, because a finaliser may drop tiles.

    def __init__(self, budget: int | str, spill_folder: str | None = None) -> None:
        self.nbytes = as_bytes(budget, "budget")
        self.spill_folder = spill_folder
        self.spilled = 0
        self._file = SpillFile(spill_folder)
        self._changed = threading.Condition(threading.RLock())
        self._ledgers: dict[Device, Ledger] = {}
        self._busy = 0  # points that run, and threads that write tiles
        self._dropped: deque[Tile] = deque()
        # Tiles in memory that no point uses, the one that was used longest ago first.
        self._idle: OrderedDict[Tile, None] = OrderedDict()

    def usage(self, device: Device) -> Usage:
        """Return what tiles take on a device."""
        with self._changed:
            self._drop_waiting()
            ledger = self._ledger(device)
            return Usage(ledger.held, ledger.peak)

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
            needed = point_bytes(point, place)
            refuse_larger(point, needed, self.nbytes)

    def _make_tiles(self, point: Point, place: Place) -> None:
        """Let roots be tiles that have no values yet and that the point writes."""
        for operand in point.operands:
            root = operand.root
            assert root is not None, "the point is of this process"
            writes = uses_memory(operand) and operand.access is not Access.READ
            if writes and root.contents is None and root.place.device is place.device:
                root.adopt(TiledContents(root, self))

    @contextmanager
    def admitted(self, point: Point, place: Place) -> Iterator[dict[str, Memory]]:
        """Wait until a point fits, and give it the memory of its operands."""
        wants = self._admit(point, place)
        memories: dict[str, Memory] = {}
        try:
            for want in wants:
                memories[want.operand.name] = self._memory(want, place)
            yield memories
            for want in wants:
                if want.operand.access is not Access.READ:
                    self._keep(want, memories[want.operand.name])
        finally:
            memories.clear()
            self._end(wants, place.device)

    def drop(self, tile: Tile) -> None:
        """Free a tile that nothing needs any more, at the latest when the point ends that runs with it."""
        with self._changed:
            tile.dropped = True
            self._settle(tile)
            self._changed.notify_all()

    def drop_later(self, tiles: Sequence[Tile]) -> None:
        """Free tiles when a point is admitted next; for finalisers, which must not wait for a lock."""
        self._dropped.extend(tiles)

    def values(self, contents: TiledContents, box: Box) -> AnyStorage:
        """Return the elements of a box in memory of the host, in C order; the caller has waited for tasks."""
        storage = elements_of(HOST, volume(box), contents.dtype)
        for tile in contents.overlapping(box):
            with self.reading(tile) as part:
                copy_overlap(storage, box, part, tile.box)
        return storage

    @contextmanager
    def reading(self, tile: Tile) -> Iterator[AnyStorage]:
        """Give the elements of a tile, which stays where it is."""
        with self._changed:
            while tile.moving:
                self._changed.wait()
            tile.pins += 1
            self._idle.pop(tile, None)
        try:
            yield tile.storage if tile.storage is not None else tile.mapped(self._file)
        finally:
            with self._changed:
                tile.pins -= 1
                self._settle(tile)
                self._changed.notify_all()

    # Admission

    def _admit(self, point: Point, place: Place) -> list[_Want]:
        while True:
            with self._changed:
                wants, leaving = self._fitting(point, place)
            if not leaving:
                return wants
            self._spill(leaving)

    def _fitting(self, point: Point, place: Place) -> tuple[list[_Want], list[Tile]]:
        """Return what a point was promised, or tiles that must leave the memory before."""
        while True:
            self._drop_waiting()
            wants = [self._want(each, place) for each in point.operands if uses_memory(each)]
            if not any(want.tile is not None and want.tile.moving for want in wants):
                needed = self._needed(wants, place.device)
                lacking = {device: nbytes - self._ledger(device).room for device, nbytes in needed.items()}
                short = next((device for device, nbytes in lacking.items() if nbytes > 0), None)
                if short is None:
                    self._promise(wants, needed)
                    return wants, []
                leaving = self._longest_unused(lacking[short], wants, short)
                if leaving:
                    return wants, leaving
                if not self._busy:
                    self._refuse(point, lacking[short], self._ledger(short))
            self._changed.wait()

    def _want(self, operand: Operand, place: Place) -> _Want:
        root = operand.root
        assert root is not None, "the point is of this process"
        if root.place.device is not place.device:
            return _Want(operand, promised=operand.nbytes, passing=operand.nbytes if is_lazy(root) else 0)
        if is_lazy(root):
            return _Want(operand, promised=operand.nbytes)
        contents = root.contents
        if not isinstance(contents, TiledContents) or contents.budget is not self or contents.gathered is not None:
            return _Want(operand)
        tile = contents.exact(operand.box)
        if tile is None:
            return _Want(operand, contents, None, operand.nbytes)
        return _Want(operand, contents, tile, 0 if tile.storage is not None else tile.nbytes)

    def _needed(self, wants: Sequence[_Want], device: Device) -> Counter[Device]:
        """Return the bytes that a point may still allocate, by device."""
        needed = Counter({device: sum([want.promised for want in wants])})
        needed[Device.CPU] += sum([want.passing for want in wants])
        return needed

    def _promise(self, wants: Sequence[_Want], needed: Mapping[Device, int]) -> None:
        for device, nbytes in needed.items():
            self._ledger(device).promise(nbytes)
        self._busy += 1
        for want in wants:
            if want.tile is not None:
                want.tile.pins += 1
                want.tile.moving = want.tile.storage is None
                self._idle.pop(want.tile, None)

    def _longest_unused(self, lacking: int, wants: Sequence[_Want], device: Device) -> list[Tile]:
        """Choose tiles that free enough bytes together; none if all idle tiles do not, and points are running."""
        kept = [want.tile for want in wants]
        chosen, freed = [], 0
        for tile in self._idle:
            if freed >= lacking:
                break
            if tile.place.device is device and tile not in kept:
                chosen.append(tile)
                freed += tile.nbytes
        if freed < lacking and self._busy:
            return []
        for tile in chosen:
            del self._idle[tile]
            tile.moving = True
        self._busy += bool(chosen)
        return chosen

    def _refuse(self, point: Point, lacking: int, ledger: Ledger) -> NoReturn:
        raise StoreError(
            f"{point} needs {in_words(lacking)} more than is left: {in_words(ledger.held)} of the budget of "
            f"{in_words(self.nbytes)} are held by tiles of this point; write smaller tiles, or a larger budget"
        )

    def _spill(self, tiles: Sequence[Tile]) -> None:
        try:
            for tile in tiles:
                extent = tile.extent or tile.written(self._file)
                with self._changed:
                    self.spilled += 0 if tile.extent is extent else tile.nbytes
                    tile.extent = extent
                    self._take_out(tile)
        finally:
            with self._changed:
                self._busy -= 1
                for tile in tiles:
                    tile.moving = False
                    self._settle(tile)
                self._changed.notify_all()

    # Memory of a point

    def _memory(self, want: _Want, place: Place) -> Memory:
        operand, root, contents, tile = want.operand, want.root, want.contents, want.tile
        assert operand.map is not None, "the operand has a shape"
        if contents is None:
            if root.place.device is not place.device:
                return staged_in(operand, place)
            if is_lazy(root):
                return Memory(part_of(root, operand.box), operand.map.on_box(), root.place)
            return Memory(memory_of(root), operand.map, root.place)
        if tile is None:
            storage = elements_of(root.place, volume(operand.box), root.dtype)
            for each in contents.overlapping(operand.box) if operand.access.reads else ():
                with self.reading(each) as part:
                    copy_overlap(storage, operand.box, part, each.box)
            return Memory(storage, operand.map.on_box(), root.place)
        return Memory(self._present(tile, want), operand.map.on_box(), root.place)

    def _present(self, tile: Tile, want: _Want) -> AnyStorage:
        """Return the memory of a tile, which was read from the file if it had none."""
        storage = tile.storage
        if storage is None:
            storage = tile.read(self._file, tile.place)
            with self._changed:
                self._take_in(tile, storage, want)
                self._changed.notify_all()
        return storage

    def _keep(self, want: _Want, memory: Memory) -> None:
        """Take what a body has written."""
        contents, tile, root = want.contents, want.tile, want.root
        if contents is None:
            give_back(want.operand, memory)
            return
        if tile is None:
            tile = Tile(want.operand.box, root.dtype, root.place)
            with self._changed:
                self._take_in(tile, memory.storage, want)
                tile.pins = 1
            want.tile = tile
            contents.add(tile)
        with self._changed:
            self._forget(tile)
        contents.written(tile)

    def _take_in(self, tile: Tile, storage: AnyStorage, want: _Want) -> None:
        tile.storage, tile.moving = storage, False
        self._ledger(tile.place.device).hold({id(tile): tile.nbytes}, tile.nbytes)
        want.promised -= tile.nbytes

    def _take_out(self, tile: Tile) -> None:
        tile.storage = None
        self._ledger(tile.place.device).free({id(tile): tile.nbytes})

    def _end(self, wants: Sequence[_Want], device: Device) -> None:
        with self._changed:
            self._busy -= 1
            for each, nbytes in self._needed(wants, device).items():
                self._ledger(each).promise(-nbytes)
            for want in wants:
                if want.tile is not None:
                    want.tile.moving = False
                    want.tile.pins -= 1
                    self._settle(want.tile)
            self._changed.notify_all()

    def _settle(self, tile: Tile) -> None:
        """Let a tile that is not used now leave the memory; free it if it was dropped."""
        if tile.pins or tile.moving:
            return
        if tile.dropped:
            self._idle.pop(tile, None)
            self._forget(tile)
        if tile.storage is not None:
            if tile.dropped:
                self._take_out(tile)
            else:
                self._idle[tile] = None

    def _drop_waiting(self) -> None:
        while self._dropped:
            self.drop(self._dropped.popleft())

    def _forget(self, tile: Tile) -> None:
        extent, tile.extent = tile.extent, None
        if extent is not None:
            self._file.free(extent)

    def _ledger(self, device: Device) -> Ledger:
        return self._ledgers.setdefault(device, Ledger(self.nbytes))


def refuse_larger(point: Point, needed: Mapping[str, int], budget: int) -> None:
    """Raise `StoreError` if a point needs more bytes than a budget; ``needed`` has those of each parameter."""
    nbytes = sum(needed.values())
    if nbytes > budget:
        parts = ", ".join([f"{name} {in_words(each)}" for name, each in needed.items() if each])
        raise StoreError(
            f"{point} needs {in_words(nbytes)} at once ({parts}); the budget is {in_words(budget)}; write smaller "
            f"tiles, or a budget of {in_words(nbytes)} or more"
        )
