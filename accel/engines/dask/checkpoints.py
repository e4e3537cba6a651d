"""Checkpoints: tiles are saved, so that nothing before them is computed again or remembered."""

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4
from weakref import finalize

from accel.dtypes import DType
from accel.engines.dask.cluster import Cluster, reaching
from accel.engines.dask.programs import load, save, store_tile
from accel.engines.dask.tiles import Key, SavedFile, Tile
from accel.engines.dask.worker_memory import MEMORY
from accel.store.boxes import extents

if TYPE_CHECKING:
    from dask.task_spec import Task

__all__ = ["Checkpoints"]


class Checkpoints:
    """Saves tiles: workers on this machine write files; values of others pass through this process.

    Files are written by NumPy, without pickles. They are removed with the last tile that may be computed again from
    them, and at the latest with the process.

    Parameters
    ----------
    cluster : Cluster
        Where the tiles are.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._folder: Path | None = None

    def saved(self, tiles: list[Tile], dtype: DType, budget: int | None) -> dict[Key, Tile]:
        """Return tiles that depend on nothing that was computed, by the names of those they replace.

        Blocks until the values are known. Tiles whose task failed are left out.

        Raises
        ------
        DeviceLostError
            If the cluster is gone.
        """
        with reaching(self._cluster):
            self._cluster.wait(tile.value for tile in tiles)
            valid = [tile for tile in tiles if tile.value.status != "error"]
            return self._in_files(valid, dtype, budget) if self._cluster.local else self._by_way_of_here(valid, budget)

    def _in_files(self, tiles: list[Tile], dtype: DType, budget: int | None) -> dict[Key, Tile]:
        from dask.task_spec import Task, TaskRef

        name = f"save-{uuid4().hex}"
        files = [SavedFile(self._here() / f"{name}-{at}.npy") for at in range(len(tiles))]
        saves = {
            (name, at): Task((name, at), save, TaskRef(tile.key), str(file.path))
            for at, (tile, file) in enumerate(zip(tiles, files, strict=True))
        }
        self._cluster.gather(self._cluster.submit(saves, [*saves]).values())
        loads: dict[Key, Task] = {}
        saved: dict[Key, Tile] = {}
        for at, (tile, file) in enumerate(zip(tiles, files, strict=True)):
            key = f"load-{name}", at
            loads[key] = Task(key, load, str(file.path), dtype, extents(tile.box), budget)
            saved[tile.key] = Tile(tile.box, key, 0, frozenset([file]))
        return self._submitted(loads, saved)

    def _by_way_of_here(self, tiles: list[Tile], budget: int | None) -> dict[Key, Tile]:
        from dask.task_spec import Task

        name = f"sent-again-{uuid4().hex}"
        saved: dict[Key, Tile] = {}
        for at, tile in enumerate(tiles):
            key = name, at
            (values,) = self._cluster.gather([tile.value])
            with MEMORY.reading(values) as array:
                saved |= self._submitted({key: Task(key, store_tile, array, budget)}, {tile.key: Tile(tile.box, key)})
        return saved

    def _submitted(self, tasks: "dict[Key, Task]", saved: dict[Key, Tile]) -> dict[Key, Tile]:
        futures = self._cluster.submit(tasks, [*tasks])
        for tile in saved.values():
            tile.future = futures[tile.key]
        return saved

    def _here(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="accel-checkpoints-"))
            finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder
