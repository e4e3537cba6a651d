"""Prints a program in LLVM's language."""

from accel.errors import CapabilityError
from accel.ir import Loop, Once, Program

from .grids import threads
from .independence import nodes
from .parallel_work import run
from .slots import Slots
from .steps import finish, loop, once

__all__ = ["printed"]

_WEIGHTS = '!0 = !{!"branch_weights", i32 2000, i32 1}\n'


_ARRAYS = 1 << 20
"""Most bytes of arrays: they are on the stack, of which a thread has some MiB."""


def printed(program: Program, slots: Slots) -> str:
    """Return the text of a module, whose function ``run`` runs all steps.

    Raises
    ------
    CapabilityError
        If the host cannot compute with a dtype, or the arrays are too large for the stack.
    """
    nbytes = sum(array.size * array.dtype.itemsize for array in program.arrays)
    if nbytes > _ARRAYS:
        raise CapabilityError(
            f"the arrays of kernel {program.name} take {nbytes} bytes, and at most {_ARRAYS} are possible on the host; "
            f"pass a view instead"
        )
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
    name = program.name.encode()
    title = f'; {program.name}\n@name = private constant [{len(name) + 1} x i8] c"{_escaped(name)}\\00"\n'
    independent = any(isinstance(step, Loop) and step.independent for step in program.steps)
    return "\n".join([title, *functions, *helpers.values(), _WEIGHTS + (nodes() if independent else "")])


def _escaped(name: bytes) -> str:
    return "".join(f"\\{byte:02X}" if byte in b'"\\' or not 32 <= byte < 127 else chr(byte) for byte in name)
