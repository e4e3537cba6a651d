"""The errors that the interpreter raises: what happened, in which lines of Python, and what to write instead."""

from pathlib import PurePath

from accel.errors import BoundsError, KernelLaunchError, RaceError
from accel.ir import Program

from .accesses import Access, Kind
from .actors import Actor

__all__ = [
    "copied_too_late",
    "line_of",
    "missing_lanes",
    "never_written",
    "out_of_memory",
    "place",
    "race",
    "stuck_barrier",
]

_VERBS = {Kind.READ: "reads", Kind.WRITE: "writes", Kind.ATOMIC: "atomically changes"}


def race(actor: Actor, name: str, at: int, access: Access, other: Access) -> RaceError:
    """Return the error of two accesses that are not ordered."""
    run = actor.run
    first = f"{run.label(access.block, access.thread)} {_VERBS[access.kind]} {_element(actor, name, at, access.site)}"
    second = f"{run.label(other.block, other.thread)} {_VERBS[other.kind]} it"
    return RaceError(
        f"a race in kernel {run.program.name}: {first} at {place(actor, access.site)}, and {second} at "
        f"{place(actor, other.site)}; nothing orders the two: {_remedy(actor, access, other)}"
    )


def _remedy(actor: Actor, access: Access, other: Access) -> str:
    if not actor.run.in_grid:
        return (
            "write atomic_add or another atomic operation, add to an accumulator, or let each iteration write its own"
        )
    if access.block == other.block:
        return "write barrier() between the two, or make both atomic"
    return "blocks run in any order: make both atomic, or let a second kernel do what comes after"


def never_written(actor: Actor, name: str, at: int, site: int | None) -> KernelLaunchError:
    """Return the error of a read of memory that has no value yet."""
    shared = any(array.name == name and array.space == "shared" for array in actor.run.program.arrays)
    return KernelLaunchError(
        f"{_subject(actor)} reads {_element(actor, name, at, site)}, memory that was never written, at "
        f"{place(actor, site)}; write it first{', and call barrier() if another thread does' if shared else ''}"
    )


def copied_too_late(actor: Actor, name: str, at: int, kind: Kind, site: int | None, copy: Access) -> KernelLaunchError:
    """Return the error of an access to an element that an asynchronous copy may still write."""
    return KernelLaunchError(
        f"{_subject(actor)} {_VERBS[kind]} {_element(actor, name, at, site)} at {place(actor, site)}, while the "
        f"asynchronous copy of {actor.run.label(copy.block, copy.thread)} at {place(actor, copy.site)} may still write "
        f"it; write async_wait() before, and barrier() if another thread made the copy"
    )


def out_of_memory(
    actor: Actor, name: str, at: int, valid: tuple[int, int], kind: Kind, site: int | None
) -> BoundsError:
    """Return the error of an access outside of the memory that a parameter or an array has."""
    low, high = valid
    there = f"elements {low} to {high - 1}" if high > low else "no elements"
    return BoundsError(
        f"{_subject(actor)} {_VERBS[kind]} element {at} of {name}, which has {there}, at {place(actor, site)}; run the "
        f"kernel with accel.debug(), which checks each index"
    )


def stuck_barrier(actor: Actor, site: int, other: Actor, there: str) -> KernelLaunchError:
    """Return the error of a barrier that some threads of the block never reach."""
    return KernelLaunchError(
        f"{_subject(actor)} waits at barrier() at {place(actor, site)}, and {_label(other)} {there}; all threads of a "
        f"block must reach the same barrier: write barrier() outside of the branch or loop that only some threads run"
    )


def missing_lanes(actor: Actor, site: int, other: Actor, there: str) -> KernelLaunchError:
    """Return the error of a warp operation that some lanes never reach."""
    return KernelLaunchError(
        f"{_subject(actor)} waits for its warp at {place(actor, site)}, and {_label(other)} of the same warp {there}; "
        f"all threads of a warp must do a warp operation together: write it outside of the branch that only some run"
    )


def place(actor: Actor, site: int | None) -> str:
    """Return the line of Python, innermost function first."""
    return line_of(actor.run.program, site)


def line_of(program: Program, site: int | None) -> str:
    """Return the line of Python of a site, innermost function first."""
    if site is None:
        return f"a line of {program.name} that only debug mode knows"
    calls = program.sites[site].calls[::-1]
    return ", called by ".join(f"{function} ({PurePath(file).name}:{line})" for function, file, line in calls)


def _subject(actor: Actor) -> str:
    label = _label(actor)
    return f"kernel {actor.run.program.name}: {label}" if label else f"kernel {actor.run.program.name}"


def _label(actor: Actor) -> str:
    return actor.run.label(actor.block, actor.thread)


def _element(actor: Actor, name: str, at: int, site: int | None) -> str:
    """Return an element as the source writes it: by the indices of its guard, if there was one."""
    access = None if site is None else actor.indices.get(site)
    if access is None:
        return f"{name}[{at}]"
    indices, offset = access
    text = f"{name}[{', '.join(str(int(index)) for index in indices)}]"
    return f"{text} (of the part that begins at element {int(offset)})" if offset else text
