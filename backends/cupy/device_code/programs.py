"""A program as C++ text for CUDA and HIP: one kernel for each step, and one for the totals of its reductions."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from textwrap import wrap

from accel.errors import CapabilityError
from accel.ir import Array, Atomic, Local, Loop, Once, Program, Step, View

from .expressions import Printer, bare
from .parameters import kernel_parameters
from .statements import Body
from .steps import initial_totals, is_joined, kept, launched
from .totals import accumulator
from .trees import memories, nodes
from .types import identifier, type_name

__all__ = ["PARTIAL", "THREADS", "device_source", "kernel_name", "reductions", "shared_bytes", "totals_name"]

THREADS = 256
"""Threads of a block, in kernels whose grid is not explicit."""

PARTIAL = 32
"""Bytes for the total of a block, in a reduction."""

_ALIGNED = 16
_INDENT = "    "
_WIDTH = 100


def device_source(*programs: Program) -> str:
    """Return the text of programs with different names, with all that they need.

    The macro ``ACCEL_INDEX=32`` makes distances in memory, and numbers of iterations, integers of 32 bits. On HIP,
    ``ACCEL_WARP`` is the number of threads of a warp.

    Raises
    ------
    CapabilityError
        If GPUs cannot run one of them.
    """
    lines: list[str] = []
    for program in programs:
        _refuse(program)
        lines += [line for number in launched(program) for line in _kernels(program, number)]
    kernels = "\n".join(lines)
    return f"#define ACCEL_THREADS {THREADS}\n#define ACCEL_PARTIAL {PARTIAL}\n\n{_headers(kernels)}{kernels}\n"


def kernel_name(program: Program, number: int) -> str:
    """Return the name of the kernel of a step."""
    return f"{identifier(program.name)}{number}"


def totals_name(program: Program, number: int) -> str:
    """Return the name of the kernel that joins the totals of a step's blocks."""
    return f"{kernel_name(program, number)}_totals"


def shared_bytes(program: Program) -> int:
    """Return the bytes of shared memory of a block of an explicit grid."""
    return sum(_room(array) for array in program.arrays if array.space == "shared")


def _room(array: Array) -> int:
    return -(-array.size * array.dtype.itemsize // _ALIGNED) * _ALIGNED


def _refuse(program: Program) -> None:
    kinds = {node.name: node.dtype for node in nodes(program) if isinstance(node, View | Array)}
    for node in nodes(program.steps):
        if isinstance(node, Atomic) and kinds[node.memory].itemsize > 8:
            raise CapabilityError(
                f"{program.name} has an atomic operation on {node.memory}, whose elements have 16 bytes, and GPUs have "
                f"these for 8 bytes at most; keep real and imaginary parts in two views of float64"
            )


# The headers, and for each the names that a kernel contains at least one of if it needs the header.
_HEADERS = {
    "numbers": "",
    "floats": "float_floordiv float_mod has_sign is_finite is_infinite is_nan",
    "floats16": "bf16 f16",
    "complex": "c64 c128",
    "loops": "Range slot",
    "failures": "failures",
    "atomics": "atomic_add atomic_compare atomic_exchange atomic_max atomic_min",
    "reductions": "ComplexSum DoubleSum FloatProduct FloatSum Largest Product Smallest Sum store_partial",
    "threads": "ACCEL_WARP all_of_warp any_of_warp ballot_of_warp copy_async lane shuffled thread_in_grid "
    "wait_for_copies",
}


@cache
def _header(name: str) -> str:
    return (resources.files(__package__) / f"{name}.cuh").read_text("utf-8")


def _headers(kernels: str) -> str:
    """Return the headers that kernels need."""
    used = {"", *re.findall(r"\w+", kernels)}
    return "".join([f"{_header(name)}\n" for name, names in _HEADERS.items() if used.intersection(names.split(" "))])


def _kernels(program: Program, number: int) -> Iterator[str]:
    step = program.steps[number]
    bound = f"__launch_bounds__({THREADS}) " if isinstance(step, Loop) else ""
    yield from _function(program, f"{bound}void {kernel_name(program, number)}", _step(program, step))
    if isinstance(step, Loop) and step.reductions:
        yield from _function(
            program, f"__launch_bounds__({THREADS}) void {totals_name(program, number)}", _totals(program, step)
        )


def _function(program: Program, head: str, body: Iterator[str]) -> Iterator[str]:
    parameters = wrap(", ".join(_parameters(program)), _WIDTH)
    yield f'extern "C" __global__ {head}('
    for line in parameters:
        yield 2 * _INDENT + line
    yield ") {"
    for line in body:
        yield _INDENT + line
    yield "}"


def _parameters(program: Program) -> Iterator[str]:
    yield from (each.text for each in kernel_parameters(program))
    if kept(program):
        yield "unsigned char* frame"
    if reductions(program):
        yield "unsigned char* scratch"
        yield "unsigned blocks"
    if program.debug:
        yield "i64* failures"


def reductions(program: Program) -> int:
    """Return the largest number of reductions of a loop."""
    return max([len(step.reductions) for step in program.steps if isinstance(step, Loop)], default=0)


def _step(program: Program, step: Step) -> Iterator[str]:
    printer = Printer(program)
    yield from _prelude(program, printer)
    declared = {assign.target.name for assign in program.prelude}
    yield from _shared_arrays(program)
    if isinstance(step, Loop):
        yield from _loop(program, step, declared, printer)
        return
    if program.debug:
        yield f"const i64 iteration = {'0' if isinstance(step, Once) else 'thread_in_grid()'};"
    yield from _local_arrays(program, step)
    if isinstance(step, Once):
        yield from _read(program, step.frame.reads)
        declared |= {local.name for local in step.frame.reads}
        yield from Body(printer, {}).lines(step.body, declared)
        yield from _written(program, step.frame.writes)
    else:
        yield from Body(printer, {}).lines(step.body, declared)


def _prelude(program: Program, printer: Printer) -> Iterator[str]:
    for assign in program.prelude:
        target = assign.target
        yield f"{type_name(target.dtype)} {identifier(target.name)} = {bare(printer.text(assign.value))};"


def _loop(program: Program, step: Loop, declared: set[str], printer: Printer) -> Iterator[str]:
    yield from _read(program, step.frame.reads)
    initial = initial_totals(program) if is_joined(program) else {}
    for reduction in step.reductions:
        total = reduction.total
        before = bare(printer.text(initial[total.name])) if initial else _slot(program, total)
        yield f"{accumulator(reduction)} {identifier(total.name)}({before});"
    yield from _ranges(step, printer)
    yield "for (count_t iteration = first_iteration(); iteration < iterations; iteration += iterations_at_once()) {"
    declared |= {local.name for local in (*step.frame.reads, *step.indices)}
    totals = {each.total.name: identifier(each.total.name) for each in step.reductions}
    lines = [*_indices(step), *_local_arrays(program, step), *Body(printer, totals).lines(step.body, declared)]
    yield from [_INDENT + line for line in lines]
    yield "}"
    for number, reduction in enumerate(step.reductions):
        yield f"store_partial({identifier(reduction.total.name)}, scratch, {number});"


def _ranges(step: Loop, printer: Printer) -> Iterator[str]:
    ranges = zip(step.starts, step.stops, step.steps, strict=True)
    for axis, each in enumerate(ranges):
        yield f"const Range range{axis}({', '.join([bare(printer.text(x)) for x in each])});"
    counts = " * ".join([f"count_t(range{axis}.count)" for axis in range(len(step.indices))])
    yield f"const count_t iterations = {counts};"


def _indices(step: Loop) -> Iterator[str]:
    """Yield the loop variables of an iteration; the last one is the fastest."""
    last = len(step.indices) - 1
    for axis, local in enumerate(step.indices):
        inner = [f" / count_t(range{each}.count)" for each in range(last, axis, -1)]
        number = "iteration" + "".join(inner)
        if axis:
            number += f" % count_t(range{axis}.count)"
        yield f"i64 {identifier(local.name)} = range{axis}[{number}];"


def _totals(program: Program, step: Loop) -> Iterator[str]:
    if is_joined(program):
        yield from _joined_totals(program, step)
        return
    for number, reduction in enumerate(step.reductions):
        slot = _slot(program, reduction.total)
        yield f"finish<{accumulator(reduction)}>({slot}, scratch, {number}, blocks);"


def _joined_totals(program: Program, step: Loop) -> Iterator[str]:
    """Yield the statements that compute totals, and then do with them what the last step does."""
    printer, initial, last = Printer(program), initial_totals(program), program.steps[-1]
    assert isinstance(last, Once), "of a joined program"
    for number, reduction in enumerate(step.reductions):
        total, name = reduction.total, identifier(reduction.total.name)
        yield f"{type_name(total.dtype)} {name} = {bare(printer.text(initial[total.name]))};"
        yield f"finish<{accumulator(reduction)}>({name}, scratch, {number}, blocks);"
    yield "if (threadIdx.x == 0) {"
    body = [*_prelude(program, printer), *_local_arrays(program, last)]
    declared = {each.target.name for each in program.prelude} | {local.name for local in last.frame.reads}
    yield from [_INDENT + line for line in (*body, *Body(printer, {}).lines(last.body, declared))]
    yield "}"


def _slot(program: Program, local: Local) -> str:
    return f"slot<{type_name(local.dtype)}>(frame, {[each.name for each in program.frame].index(local.name)})"


def _read(program: Program, reads: Sequence[Local]) -> Iterator[str]:
    for local in reads:
        yield f"{type_name(local.dtype)} {identifier(local.name)} = {_slot(program, local)};"


def _written(program: Program, writes: Sequence[Local]) -> Iterator[str]:
    for local in writes:
        yield f"{_slot(program, local)} = {identifier(local.name)};"


def _local_arrays(program: Program, step: Step) -> Iterator[str]:
    used = memories(step)
    for array in program.arrays:
        if array.space == "local" and array.name in used:
            yield f"{type_name(array.dtype)} {identifier(array.name)}[{array.size}];"


def _shared_arrays(program: Program) -> Iterator[str]:
    """Yield the arrays of a block, one after the other in the memory that a launch gives it."""
    shared = [array for array in program.arrays if array.space == "shared"]
    if shared:
        yield "extern __shared__ uint4 memory_of_block[];"
    first = 0
    for array in shared:
        kind, name = type_name(array.dtype), identifier(array.name)
        yield f"{kind}* const {name} = reinterpret_cast<{kind}*>(memory_of_block + {first // _ALIGNED});"
        first += _room(array)
