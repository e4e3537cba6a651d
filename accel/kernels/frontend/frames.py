"""Values that several steps of a program need: computed again in each step, or kept in the frame."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from accel.ir import Assign, Atomic, For, Frame, Load, Local, Loop, Once, Place, Shuffle, Step, Threads, Vote

__all__ = ["with_frames"]


def with_frames(
    steps: Sequence[Step], results: Sequence[Local], parameters: set[str]
) -> tuple[tuple[Assign, ...], tuple[Step, ...], tuple[Local, ...]]:
    """Return the prelude, the steps with their frames, and the variables of the frame.

    A number that is computed once, from parameters alone, is computed again in each step. All others that cross from
    one step to another are in the frame.
    """
    prelude, rest = _split(steps, parameters)
    computed = {each.target.name for each in prelude}
    used = [_used(step) for step in rest]
    counts = Counter(name for locals_of in used for name in locals_of)
    totals = {each.total.name for step in rest if isinstance(step, Loop) for each in step.reductions}
    in_frame = {each.name for each in results} | totals | {name for name, count in counts.items() if count > 1}
    in_frame -= computed | parameters
    needed = {each.name for each in results if each.name in computed}
    frame = {each.name: each for locals_of in used for each in locals_of.values() if each.name in in_frame}
    framed = [_framed(step, locals_of, in_frame) for step, locals_of in zip(rest, used, strict=True)]
    if needed:  # results are in the frame
        moved = tuple([each for each in prelude if each.target.name in needed])
        prelude = [each for each in prelude if each.target.name not in needed]
        writes = tuple([each.target for each in moved])
        framed.append(Once(moved, Frame((), writes)))
        frame |= {each.name: each for each in writes}
    return tuple(prelude), tuple(framed), tuple(frame.values())


def _split(steps: Sequence[Step], parameters: set[str]) -> tuple[list[Assign], list[Step]]:
    counts = Counter(each.name for step in steps for each in _assigned(step))
    prelude: list[Assign] = []
    inputs = set(parameters)
    rest: list[Step] = []
    for step in steps:
        if not isinstance(step, Once):
            rest.append(step)
            continue
        body = []
        for statement in step.body:
            if (
                isinstance(statement, Assign)
                and counts[statement.target.name] == 1
                and _is_pure(statement.value, inputs)
            ):
                prelude.append(statement)
                inputs.add(statement.target.name)
            else:
                body.append(statement)
        if body:
            rest.append(Once(tuple(body)))
    return prelude, rest


def _is_pure(x: Any, inputs: set[str]) -> bool:
    if isinstance(x, Load | Place):
        return False
    if isinstance(x, Local):
        return x.name in inputs
    return not isinstance(x, tuple) or all(_is_pure(part, inputs) for part in x)


def _framed(step: Step, used: dict[str, Local], in_frame: set[str]) -> Step:
    if isinstance(step, Threads):
        return step
    own = {each.total.name for each in step.reductions} if isinstance(step, Loop) else set()
    shared = [each for each in used.values() if each.name in in_frame and each.name not in own]
    written = {each.name for each in _assigned(step)}
    return step._replace(frame=Frame(tuple(shared), tuple([each for each in shared if each.name in written])))


def _used(step: Step) -> dict[str, Local]:
    """Return the variables of a step, without its loop variables."""
    own = {each.name for each in step.indices} if isinstance(step, Loop) else set()
    return {each.name: each for each in _locals(step) if each.name not in own}


def _locals(x: Any) -> Iterator[Local]:
    if isinstance(x, Local):
        yield x
    elif isinstance(x, tuple):
        for part in x:
            yield from _locals(part)


def _assigned(x: Any) -> Iterator[Local]:
    """Yield the variable of each assignment."""
    if isinstance(x, Assign | For | Shuffle | Vote) or (isinstance(x, Atomic) and x.target is not None):
        yield x.target  # type: ignore[misc]
    if isinstance(x, tuple) and not isinstance(x, Local):
        for part in x:
            yield from _assigned(part)
