"""The engine ``threads``: tasks run in threads of this process, those that share no elements at once.

**Tiny tasks.** To wake a thread takes longer than many tasks. So a task runs in the thread that submits it, if its last
run on stores of about this size took less than that, it is one point, and all that it must come after is over.
``engine.using(inline=False)`` ends this.

**Large stores.** A launch whose plain stores are aligned is cut into tiles of rows that fit into the cache of a core.
"""

from collections.abc import Sequence
from contextvars import copy_context
from functools import partial
from typing import Any

from accel import config
from accel.engines.durations import Duration
from accel.engines.futures import Future, WorksFuture
from accel.engines.inline_attached_tasks import run_attached
from accel.engines.inline_tasks import plain_uses, run_body, run_if_tiny
from accel.engines.local import LocalEngine
from accel.engines.row_tiling import tile_rows
from accel.engines.task_definition import TaskDefinition
from accel.engines.task_launch import Launch
from accel.engines.work import TaskWork
from accel.store import box_order
from accel.store.box_order import Use
from accel.store.regions import Work
from accel.support.call_sites import call_site

__all__ = ["ThreadsEngine"]


class ThreadsEngine(LocalEngine):
    """Runs tasks in threads, as many as the setting ``threads`` allows."""

    name = "threads"

    def call(self, task: TaskDefinition, values: tuple[Any, ...]) -> Future:
        """Submit a task with its arguments in the order of its parameters."""
        plain = plain_uses(task, values) if self.device is None else None
        if plain is not None:
            over = run_if_tiny(task, values, *plain) if self.inline else None
            if over is not None:
                return over
            if self.budget is None and self.progress is None:
                return self._submit_plain(task, values, *plain)
        elif self.inline and self.device is None:
            over = run_attached(task, values)
            if over is not None:
                return over
        return self.submit(Launch(task, values))

    def _submit_plain(self, task: TaskDefinition, values: tuple[Any, ...], uses: list[Use], nbytes: int) -> Future:
        work = TaskWork(task.what, uses, partial(self._act_plain, task, values))
        if self.inline:
            work.duration = Duration(task.seconds, nbytes)
        after = box_order.enter(work, uses)
        try:
            self.start(work, after, call_site())
        except BaseException as error:
            work.give_up(error)
            raise
        return WorksFuture((work,))

    def _act_plain(self, task: TaskDefinition, values: tuple[Any, ...]) -> None:
        if not run_body(task, values):
            self._act(Launch(task, values).point(()), None, 0)

    def tile(self, launch: Launch) -> Launch:
        """Return the launch, cut into tiles that fit into a cache."""
        return tile_rows(launch)

    def start(self, work: TaskWork, after: Sequence[Work], site: str) -> None:
        """Queue a work for the threads, or run it at once if it is tiny."""
        if not self.inline:
            work.duration = None
        elif work.tiny and all(each.soon() if isinstance(each, TaskWork) else each.done() for each in after):
            work.run_here()
            return
        work.start_after(after, copy_context(), config.current().threads, site)
