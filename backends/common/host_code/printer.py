"""Prints a program in LLVM's language."""

from accel.ir import Loop, Once, Program

from .grids import threads
from .launching import run
from .slots import Slots
from .steps import finish, loop, once

__all__ = ["printed"]

_WEIGHTS = '!0 = !{!"branch_weights", i32 2000, i32 1}\n'


def printed(program: Program, slots: Slots) -> str:
    """Return the text of a module, whose function ``run`` runs all steps."""
    helpers: dict[str, str] = {}
    functions = []
    for number, step in enumerate(program.steps):
        if isinstance(step, Loop):
            functions.append(loop(program, slots, helpers, number, step))
            if step.reductions:
                functions.append(finish(program, slots, helpers, number, step))
        elif isinstance(step, Once):
            functions.append(once(program, slots, helpers, number, step))
        else:
            functions.append(threads(program, slots, helpers, number, step))
    functions.append(run(program, slots, helpers))
    title = f"; {program.name}\n"
    return "\n".join([title, *functions, *helpers.values(), _WEIGHTS])
