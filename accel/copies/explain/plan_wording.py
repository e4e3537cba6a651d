"""The sentences of an explanation, for readers who do not know the planner."""

from collections.abc import Iterator

from accel.abc import Fill, Swizzling
from accel.copies.stages import End, Stage

__all__ = ["amount", "count", "kind_of", "loops_of", "sentences"]

_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def amount(nbytes: int) -> str:
    """Return a number of bytes as text."""
    for size, unit in _UNITS:
        if nbytes >= 100 * size or (nbytes >= size and nbytes % size == 0):
            return f"{nbytes / size:,.4g} {unit}"
    return count(nbytes, "byte")


def count(number: int, thing: str) -> str:
    """Return a number with its noun, singular or plural."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def loops_of(stage: Stage) -> list[tuple[str, str, str]]:
    """Return for each loop, the slowest first: steps, stride in the target, stride in the source."""
    into, out_of = stage.target, stage.source
    return [
        (f"{leaf.extent:,}", _step(into, leaf.target_stride), _step(out_of, leaf.source_stride))
        for leaf in stage.plan.leaves
    ]


def _step(end: End, stride: int) -> str:
    return f"{stride:,}" if end.operand.table is None else "by a table"


def sentences(stage: Stage) -> Iterator[tuple[str, str]]:
    """Yield the sentences about a plan, each with its subject."""
    yield "kind", kind_of(stage)
    yield "items", _items(stage)
    for about, said in (("broadcast", _broadcast(stage)), ("cast", _cast(stage)), ("mask", _mask(stage))):
        if said:
            yield about, said
    for end in (stage.target, stage.source):
        if end.operand.swizzle is not None:
            yield "swizzle", _swizzle(end, end.operand.swizzle)
    yield "overlap", _overlap(stage)
    yield "done by", _worker(stage)


def kind_of(stage: Stage) -> str:
    """Return the kind of a plan, and the reason for it."""
    return f"{stage.plan.kind}: {_REASONS[stage.plan.kind](stage)}"


def _why_memcpy(stage: Stage) -> str:
    if not stage.plan.leaves:
        return "there is one element"
    return f"the elements are contiguous in the same order at both ends, so they are one piece of {_nbytes(stage)}"


def _why_rows(stage: Stage) -> str:
    plan = stage.plan
    run = plan.leaves[-1].extent * plan.itemsize
    return (
        f"the fastest loop is contiguous at both ends, and the next loop does not continue where it ends, so "
        f"{plan.nbytes // run:,} pieces of {amount(run)} are copied"
    )


def _why_transpose(stage: Stage) -> str:
    assert stage.plan.tile is not None, "a transpose turns tiles"
    into, out_of = (stage.plan.leaves[number] for number in stage.plan.tile)
    return (
        f"the target's fastest loop steps {count(into.target_stride, 'byte')} where the source steps "
        f"{into.source_stride:,}; another loop steps {count(out_of.source_stride, 'byte')} in the source, so tiles of "
        f"these two loops are transposed in fast memory, and both ends are accessed in contiguous pieces"
    )


def _why_gather(stage: Stage) -> str:
    for applies, why in (
        (stage.plan.bound is not None, "a mask decides for each item whether it is read"),
        (stage.casts, "each element is converted"),
        (stage.target.operand.swizzle or stage.source.operand.swizzle, "a swizzle places each item by itself"),
    ):
        if applies:
            return f"{why}, so items are copied one by one"
    leaf, itemsize = stage.plan.leaves[-1], stage.plan.itemsize
    if leaf.target_stride != itemsize:
        return (
            f"the smallest step in the target is {count(leaf.target_stride, 'byte')}, and an item has {itemsize}, so "
            f"no two items are adjacent there; they are copied one by one"
        )
    if not leaf.source_stride:
        return "the fastest loop does not move in the source: it writes one item again and again"
    return (
        f"the target's fastest loop steps {count(itemsize, 'byte')} where the source steps {leaf.source_stride:,}, "
        f"and no other loop is contiguous in the source, so items are gathered one by one"
    )


def _why_table(stage: Stage) -> str:
    ends = " and the ".join(end.name for end in (stage.target, stage.source) if end.operand.table is not None)
    return f"no loops visit both ends in the same order, so the offsets of the {ends} are read from a table"


_REASONS = {
    "memcpy": _why_memcpy,
    "rows": _why_rows,
    "transpose": _why_transpose,
    "gather": _why_gather,
    "table": _why_table,
}


def _nbytes(stage: Stage) -> str:
    return amount(stage.plan.nbytes)


def _items(stage: Stage) -> str:
    plan = stage.plan
    together = plan.itemsize // stage.target.itemsize
    what = "one element" if together == 1 else f"{together} elements that are adjacent at both ends, moved as one"
    return (
        f"{count(plan.itemsize, 'byte')} each ({what}); accesses of up to {count(plan.vector, 'byte')}; distances in "
        f"{plan.index_bits} bits"
    )


def _broadcast(stage: Stage) -> str:
    times = 1
    for leaf in stage.plan.leaves:
        times *= 1 if leaf.source_stride or stage.source.operand.table is not None else leaf.extent
    return f"each element of the source is written {times:,} times" if times > 1 else ""


def _cast(stage: Stage) -> str:
    if not stage.casts:
        return ""
    source, target = stage.source.operand.dtype.name, stage.target.operand.dtype.name
    return f"{source} becomes {target} as numpy.ndarray.astype does, without a warning where values do not fit"


def _mask(stage: Stage) -> str:
    if stage.plan.bound is None:
        return ""
    fate = "the target becomes zero there" if stage.plan.fill is Fill.ZERO else "the target stays as it is there"
    bound = count(stage.plan.bound // stage.source.itemsize, "element")
    return f"elements {bound} or more after the source's first one are not read; {fate}"


def _swizzle(end: End, swizzle: Swizzling) -> str:
    added = f" with x = distance + {swizzle.offset:,}" if swizzle.offset else ""
    shift = f">> {swizzle.shift}" if swizzle.shift >= 0 else f"<< {-swizzle.shift}"
    return f"the {end.name}'s byte distance x becomes x ^ ((x & {swizzle.mask:#b}) {shift}){added}"


def _overlap(stage: Stage) -> str:
    if not stage.plan.buffered:
        return "no byte is overwritten before it is read, so nothing is buffered"
    if stage.plan.kind == "memcpy":
        return "the ends may share bytes, so they are copied as memmove does"
    return "the ends may share bytes, so the source is read to its end before the target is written"


def _worker(stage: Stage) -> str:
    here, there = stage.target.device, stage.source.device
    memories = "both ends" if here is there else f"{there} and {here}"
    return f"the {stage.worker.backend.name} backend, which knows {memories}"
