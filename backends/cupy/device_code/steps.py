"""Which steps of a program have kernels of their own, and what is kept in memory from one to the next."""

from collections.abc import Sequence

from accel.ir import Assign, Const, Frame, Local, Loop, Once, Program

__all__ = ["initial_totals", "is_joined", "kept", "launched"]


def is_joined(program: Program) -> bool:
    """Tell whether a loop has totals that begin with constants, and its kernels do what is done with the totals."""
    if len(program.steps) != 3 or program.debug or program.results:
        return False
    first, loop, last = program.steps
    if not (isinstance(first, Once) and isinstance(loop, Loop) and isinstance(last, Once) and loop.reductions):
        return False
    totals = {each.total for each in loop.reductions}
    constant = all(isinstance(each, Assign) and isinstance(each.value, Const) for each in first.body)
    local = not (first.frame.reads or last.frame.writes) and loop.frame == Frame()
    return constant and local and {*first.frame.writes} == totals == {*last.frame.reads} == {*program.frame}


def initial_totals(program: Program) -> dict[str, Const]:
    """Return the constants that totals begin with, by their names, where steps are joined."""
    first = program.steps[0]
    assert isinstance(first, Once), "of a joined program"
    return {
        each.target.name: each.value
        for each in first.body
        if isinstance(each, Assign) and isinstance(each.value, Const)
    }


def launched(program: Program) -> Sequence[int]:
    """Return the numbers of the steps that have kernels."""
    return (1,) if is_joined(program) else range(len(program.steps))


def kept(program: Program) -> Sequence[Local]:
    """Return the variables that are kept in memory from one step to the next."""
    return () if is_joined(program) else program.frame
