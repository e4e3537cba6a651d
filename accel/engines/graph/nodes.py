"""`execute`: the values of a graph of calls, within a budget of bytes."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextvars import Context, copy_context
from functools import partial
from typing import Any, NamedTuple

from accel import config
from accel.engines.graph.blocks import Block, Estimate, Job
from accel.engines.graph.order import depth_first
from accel.engines.graph.scheduler import Scheduler, Statistics
from accel.engines.graph.values import buffers_of
from accel.engines.memory_budget.ledger import UNLIMITED
from accel.errors import StoreError, StoreValueError
from accel.memory.sizes import as_bytes, in_words

__all__ = ["Node", "execute", "run_nodes"]


class Node(NamedTuple):
    """A call of a graph.

    Attributes
    ----------
    call : callable
        Called with the values of the dependencies. It does not change them.
    dependencies : sequence of hashable
        Keys of the nodes whose values it needs.
    nbytes : int or None
        Bytes of the result; None if they are not known before. Then the largest result of the same layer counts.
    scratch : int
        Bytes that the call allocates besides, while it runs.
    temporaries : int
        Number of values, each as large as the largest input, or the result if there is none, that the call allocates
        besides. Other than ``scratch`` they are a guess: they are limited to what the budget leaves, and are no
        reason to refuse.
    priority : float or None
        Of two nodes that can run, the one with the smaller number runs first. By default the order is depth first.
    remake : bool
        Whether a node without dependencies is called again where its value is needed again, in place of writing the
        value to a file.
    layer : hashable
        Names the nodes whose results have about the same size.
    """

    call: Callable[..., Any]
    dependencies: Sequence[Hashable] = ()
    nbytes: int | None = None
    scratch: int = 0
    temporaries: int = 0
    priority: float | None = None
    remake: bool = False
    layer: Hashable = None


def execute(
    nodes: Mapping[Hashable, Node],
    targets: Sequence[Hashable],
    *,
    budget: int | str | None = None,
    threads: int | None = None,
    spill_folder: str | None = None,
    statistics: Callable[[Statistics], object] | None = None,
) -> list[Any]:
    """Return the values of some nodes of a graph; what is in memory at any time fits the budget.

    Parameters
    ----------
    nodes : dict of hashable to Node
        The graph.
    targets : sequence of hashable
        Keys of the values to return.
    budget : int or str, optional
        The most bytes, as in ``"2 GiB"``; by default no limit.
    threads : int, optional
        Number of threads; by default ``accel.config.current().threads``.
    spill_folder : str, optional
        Folder of the file for values that wait; by default the system's folder for temporary files.
    statistics : callable, optional
        Called with the `Statistics` at the end, also after an error.

    Raises
    ------
    StoreError
        If a node needs more than the budget at once. If its sizes are known, no node has run then.
    BaseException
        The error of the first node that failed; nodes that had not begun are cancelled.

    Examples
    --------
    >>> import numpy as np
    >>> nodes = {"x": Node(lambda: np.arange(6.0), nbytes=48), "sum": Node(np.sum, ["x"], nbytes=8)}
    >>> execute(nodes, ["sum"], budget="1 KiB")
    [np.float64(15.0)]
    """
    return run_nodes(
        nodes,
        targets,
        UNLIMITED if budget is None else as_bytes(budget, "budget"),
        threads or config.current().threads,
        spill_folder,
        report=statistics,
    )


def run_nodes(
    nodes: Mapping[Hashable, Node],
    targets: Sequence[Hashable],
    budget: int,
    threads: int,
    spill_folder: str | None,
    *,
    constants: Iterable[Any] = (),
    report: Callable[[Statistics], object] | None = None,
) -> list[Any]:
    """Return the values of targets, as `execute` does; memory of constants belongs to the caller and is not counted."""
    order = _ordered(nodes, targets)
    _check(nodes, order, targets, budget)
    blocks, jobs = _planned(nodes, order, {*targets})
    scheduler = Scheduler(budget, threads, spill_folder=spill_folder)
    try:
        for constant in constants:
            scheduler.ledger.ignore(buffers_of(constant))
        scheduler.add(jobs)
        scheduler.wait()
        return scheduler.values([blocks[target] for target in targets])
    finally:
        scheduler.close()
        if report is not None:
            report(scheduler.statistics)


def _ordered(nodes: Mapping[Hashable, Node], targets: Iterable[Hashable]) -> list[Hashable]:
    """Return the keys that are needed, in the order in which they should run."""
    needed = depth_first(_Dependencies(nodes), targets)
    priorities = [node.priority for node in map(nodes.__getitem__, needed)]
    if None in priorities:
        return needed
    places = sorted(range(len(needed)), key=priorities.__getitem__)  # type: ignore[arg-type]
    return [needed[place] for place in places]


class _Dependencies(dict[Hashable, Sequence[Hashable]]):
    """The dependencies of each key; an error for an unknown key names the node that depends on it."""

    def __init__(self, nodes: Mapping[Hashable, Node]) -> None:
        super().__init__({key: node.dependencies for key, node in nodes.items()})

    def __missing__(self, key: Hashable) -> Sequence[Hashable]:
        reader = next((f"node {each!r} depends" for each, needs in self.items() if key in needs), "a target is")
        raise StoreValueError(f"{reader} on {key!r}, and the graph has no such node; its nodes are {[*self][:5]} ...")


def _planned(
    nodes: Mapping[Hashable, Node], order: Sequence[Hashable], targets: set[Hashable]
) -> tuple[dict[Hashable, Block], list[Job]]:
    context = copy_context()
    layers: dict[Hashable, Estimate] = {}
    blocks: dict[Hashable, Block] = {}
    for key in order:
        node = nodes[key]
        estimate = Estimate(node.nbytes) if node.nbytes is not None else layers.setdefault(node.layer, Estimate())
        block = blocks[key] = Block(key, estimate, is_target=key in targets)
        if node.remake and not node.dependencies:
            block.remake = partial(_in_copy, context, node.call)
    jobs = [_job(nodes[key], blocks, key, rank, context) for rank, key in enumerate(order, 1)]
    return blocks, jobs


def _in_copy(context: Context, call: Callable[[], Any]) -> Any:
    """Call with the settings of a context; a copy of it, because several threads may do so."""
    return context.copy().run(call)


def _job(node: Node, blocks: Mapping[Hashable, Block], key: Hashable, rank: int, context: Any) -> Job:
    inputs = {each: blocks[each] for each in node.dependencies}  # each once
    call = node.call
    if len(inputs) != len(node.dependencies):
        call = partial(_repeated, call, [[*inputs].index(each) for each in node.dependencies])
    return Job(
        call,
        inputs.values(),
        blocks[key],
        rank=rank,
        scratch=node.scratch,
        temporaries=node.temporaries,
        context=context,
    )


def _repeated(call: Callable[..., Any], places: Iterable[int], *values: Any) -> Any:
    return call(*[values[place] for place in places])


def _check(nodes: Mapping[Hashable, Node], order: Iterable[Hashable], targets: Iterable[Hashable], budget: int) -> None:
    """Refuse a graph with a node that cannot fit, before anything runs."""
    for key in order:
        node = nodes[key]
        inputs = sum([nodes[each].nbytes or 0 for each in {*node.dependencies}])
        result = node.nbytes or 0
        needed = inputs + result + node.scratch
        if needed > budget:
            raise StoreError(
                f"task {key!r} needs {in_words(needed)} at once (inputs {in_words(inputs)}, result {in_words(result)}, "
                f"scratch {in_words(node.scratch)}); the budget is {in_words(budget)}; write smaller chunks, or a "
                f"budget of {in_words(needed)} or more"
            )
    results = sum([nodes[key].nbytes or 0 for key in {*targets}])
    if results > budget:
        raise StoreError(
            f"the results need {in_words(results)} together; the budget is {in_words(budget)}; write them to a store "
            f"instead, or write a larger budget"
        )
