"""The engine ``eager``: each task runs in the thread that submits it, before the call returns."""

from collections.abc import Sequence
from typing import Any

from accel.engines.local import LocalEngine
from accel.engines.work import TaskWork
from accel.store.regions import Work

__all__ = ["EagerEngine"]


class EagerEngine(LocalEngine):
    """Runs each task in the caller; an exception of a body is raised by `Future.wait`, as with the other engines."""

    name = "eager"

    def run_graph(self, graph: Any, keys: Any, **options: Any) -> Any:
        """Compute keys of a graph of Dask, one task at a time."""
        return super().run_graph(graph, keys, **{"num_workers": 1, **options})

    def start(self, work: TaskWork, after: Sequence[Work], site: str) -> None:  # noqa: ARG002
        """Run a work after others, which other threads may have begun."""
        for each in after:
            each.settle()
        work.run_here()
