"""The engine ``threads``: tasks run in threads of this process, those that share no elements at once.

**Tiny tasks.** To wake a thread takes longer than many tasks. So a task runs in the thread that submits it, if its last
run on stores of about this size took less than that, it is one point, and all that it must come after is over.
``engine.using(inline=False)`` ends this.

**Large stores.** A launch whose plain stores are aligned is cut into tiles of rows that fit into the cache of a core.
"""

from collections.abc import Sequence
from contextvars import copy_context
from typing import Any

from accel import config
from accel.call_sites import call_site
from accel.engines.dividing import divided
from accel.engines.futures import Future
from accel.engines.inline import run_inline
from accel.engines.inline_attached import run_attached
from accel.engines.launch import Launch
from accel.engines.local import LocalEngine
from accel.engines.tasks import Task
from accel.engines.work import TaskWork
from accel.store.regions import Work

__all__ = ["ThreadsEngine", "make"]


class ThreadsEngine(LocalEngine):
    """Runs tasks in threads, as many as the setting ``threads`` allows."""

    name = "threads"

    def call(self, task: Task, values: tuple[Any, ...]) -> Future:
        """Submit a task with its arguments in the order of its parameters."""
        if self.inline and self.device is None:
            over = run_inline(task, values) or run_attached(task, values)
            if over is not None:
                return over
        return self.submit(Launch(task, values))

    def divided(self, launch: Launch) -> Launch:
        """Return the launch, cut into tiles that fit into a cache."""
        return divided(launch)

    def start(self, work: TaskWork, after: Sequence[Work]) -> None:
        """Give a work to the threads, or run it at once if it is tiny."""
        if not self.inline:
            work.duration = None
        elif work.tiny and all(each.soon() if isinstance(each, TaskWork) else each.done() for each in after):
            work.run_here()
            return
        work.start_after(after, copy_context(), config.current().threads, call_site())


def make(**options: Any) -> ThreadsEngine:
    """Return an engine with options."""
    made = ThreadsEngine()
    made.set(options)
    return made
