"""The code of a launch on the host: a function that is written for the types of one call, and compiled by Python.

It checks and passes the arguments in straight-line code, and does what `accel.memory.storage_work.on_host` does, for
memory that nothing else uses.

**The invariant** is that of `accel.memory.hazards`: the kernel is recorded in the hazards of all its memory in one
step, or not at all. Here the step needs no lock. It is a sequence of statements without calls, so no other thread runs
in between. It is done only if no memory has hazards, so nothing has to be waited for. Another thread that records work
on several allocations may be half way. If it has recorded one that is also used here, that one has a hazard; else it
records all of them after this kernel. While the kernel runs, it stays recorded, and a keep-alive of each owner is
counted. So the kernel may let go of the GIL. A brief kernel keeps the GIL, and is not even recorded.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from accel import config
from accel.abc.kernels import Failure, PreparesCalls
from accel.containers import AcceleratorDataContainer
from accel.errors import AccelError
from accel.ir import Program
from accel.kernels.call_code import Argument, Call, arguments_of, write_call, write_value
from accel.kernels.call_signature import Bound
from accel.kernels.failures import Explanation
from accel.kernels.frontend.types import BufferType, TensorType
from accel.kernels.launch_code import Code, indented, is_array, write_memory
from accel.kernels.specialization import DONE, Geometry, Specialization
from accel.memory.hazards import IDLE, forget_these
from accel.memory.submission import Submission
from accel.views import Buffer, BufferView, LayoutTensor, NDBuffer

__all__ = ["host_launch"]

_STRIDED = NDBuffer, Buffer
_MEMORY = BufferView, AcceleratorDataContainer, LayoutTensor, *_STRIDED
_LAYOUT = "_geometry", "_pad"


def host_launch(kernel: Specialization, call: Call) -> Callable[..., Any] | None:
    """Return the function that launches a kernel on the host; None if such calls need the general way.

    It takes what that of `device_launch` takes, and returns what the launch returns, or `MISSED`.
    """
    arguments = arguments_of(kernel.program, call)
    if arguments is None:
        return None
    views = [each for each in arguments if each.has_memory]
    if not all(type(each.value) in _MEMORY or is_array(each.value) for each in views):
        return None
    code, passed = Code([], _scope(kernel, call)), list[str]()
    write_call(kernel.program, kernel.captured, call, code)
    code.lines.append("if stream is not None or extents is not None: return MISSED")
    for argument in arguments:
        passed += _write_view(argument, code) if argument.has_memory else write_value(argument, code)
    _write_launch(kernel, code, views, passed)
    return code.function(kernel.program.name, "arguments, stream=None, extents=None")


def _scope(kernel: Specialization, call: Call) -> dict[str, Any]:
    return {
        "DONE": DONE,
        "IDLE": IDLE,
        "Submission": Submission,
        "foreign": kernel.heap.foreign,
        "explain": Explanation(kernel.program.name, kernel.program.sites),
        "explained": partial(_explained, kernel.program, call.bind),
        "forget_these": forget_these,
        "heap": kernel.heap,
        "partial": partial,
        "run": kernel.compiled.launch,
        **Geometry()._asdict(),
    }


def _explained(
    program: Program, bind: Callable[[tuple[Any, ...]], Bound], arguments: tuple[Any, ...], failure: Failure
) -> Exception:
    """Return the error of a failed check."""
    facts = None
    with suppress(AccelError):  # another thread may have released the memory
        facts = bind(arguments).memory
    return Explanation(program.name, program.sites, facts)(failure)


def _write_view(argument: Argument, code: Code) -> list[str]:
    """Append the lines that check memory; return what is passed for it."""
    i, value, kind, *_ = argument
    if isinstance(kind, TensorType):  # its layout is a constant
        code.scope[f"layout{i}"] = value._geometry, value._pad
        offset = write_memory(i, value, kind.dtype, code, writes=argument.writes)
        same = " or ".join(f"a{i}.{name} is not layout{i}[{k}]" for k, name in enumerate(_LAYOUT))
        code.lines.extend([f"if {same}: return MISSED", *_address(argument)])
        return [f"p{i} + {offset}"]
    assert isinstance(kind, BufferType), "it has memory"
    offset = write_memory(i, value, kind.dtype, code, writes=argument.writes)
    code.lines.extend(_address(argument))
    if isinstance(value, AcceleratorDataContainer):
        return [f"p{i}", f"s{i}.size", "1"]
    if is_array(value):
        return _write_array(i, kind, offset, code)
    if isinstance(value, _STRIDED):
        rank = f"len(a{i}._shape) != {kind.rank} or (a{i}._strides[-1] == 1) is not {kind.dense}"
        code.lines.append(f"if {rank}: return MISSED")
    numbers = [f"a{i}.{name}[{axis}]" for name in ("_shape", "_strides") for axis in range(kind.rank)]
    return [f"p{i} + {offset}", *numbers]


def _write_array(i: int, kind: BufferType, offset: str, code: Code) -> list[str]:
    """Append the lines that check extents and strides of an array; return what is passed for it."""
    itemsize, rank = kind.dtype.itemsize, kind.rank
    code.lines.append(f"if len(h{i}) != {rank} or (t{i}[-1] == {itemsize}) is not {kind.dense}: return MISSED")
    if itemsize > 1:
        code.lines.append(f"if {' or '.join(f't{i}[{axis}] % {itemsize}' for axis in range(rank))}: return MISSED")
    steps = [f"t{i}[{axis}] // {itemsize}" for axis in range(rank)]
    return [f"p{i} + {offset}", *[f"h{i}[{axis}]" for axis in range(rank)], *steps]


def _address(argument: Argument) -> list[str]:
    """Return the lines that find the address and the hazards of memory."""
    i, readonly = argument.i, ""
    if not _owned(argument):
        return [f"r{i} = foreign", f"p{i} = n{i}.__array_interface__['data'][0]"]
    if argument.writes:
        readonly = f" or s{i}._const or o{i}.readonly"
    return [
        f"o{i} = s{i}._owner",
        f"if o{i} is None or o{i}.heap is not heap{readonly}: return MISSED",
        f"b{i} = o{i}.allocation",
        f"if b{i} is None: return MISSED",
        f"r{i} = o{i}.hazard_record",
        f"if r{i} is IDLE: r{i} = o{i}.own_hazard_record()",
        f"p{i} = b{i}.pointer + s{i}._start",
    ]


def _write_launch(kernel: Specialization, code: Code, views: Sequence[Argument], passed: Sequence[str]) -> None:
    """Append the lines that record the kernel, run it, and forget it."""
    accesses = [f"x{view.i} = {_span(view)}, work" for view in views]
    writes = "".join(f"x{view.i}, " for view in views if view.writes)
    reads = "".join(f"x{view.i}, " for view in views if not view.writes)
    idle = [f"r{view.i}.hazards is None" for view in views] + [f"o{view.i}.handles" for view in views if _owned(view)]
    prepared = kernel.compiled.prepared() if isinstance(kernel.compiled, PreparesCalls) else None
    if prepared is not None:
        code.scope.update(prepared=prepared, settings=config.current)
        code.lines.extend(["threads = settings().threads", *_brief(views, passed)])
    code.lines.extend(["work = Submission()", *accesses, f"hazards = ({writes}), ({reads}), ({writes})"])
    code.lines.append("with work.begun:")
    done = _call(kernel, passed, prepared=prepared is not None)
    # No calls between this check and the try block, and none in the finally block where nothing else happened.
    code.lines.extend(indented([f"if {' and '.join(idle) or True}:", *indented(_run(views, done))]))
    code.lines.append("return MISSED")


def _owned(view: Argument) -> bool:
    """Tell whether memory has an owner; that of an array of NumPy is kept alive by the call."""
    return type(view.value) is not np.ndarray


def _span(view: Argument) -> str:
    """Return the expression of the addresses of the first byte of memory, and past its last one, or beyond these."""
    i = view.i
    if _owned(view):
        return f"p{i}, p{i} + s{i}.size * s{i}.dtype.itemsize"
    return f"*((p{i}, p{i} + n{i}.nbytes) if n{i}.flags.forc else (0, {1 << 64}))"


def _brief(views: Sequence[Argument], passed: Sequence[str]) -> list[str]:
    """Return the lines that run the kernel while no other thread of Python runs: then nothing need be recorded.

    There is no call between the checks and the launch, so no other thread runs in between either.
    """
    # Read again: another thread may have replaced the record.
    idle = "".join(
        f"o{view.i}.hazard_record.hazards is None and o{view.i}.handles and "
        if _owned(view)
        else f"r{view.i}.hazards is None and "
        for view in views
    )
    return [f"if {idle}prepared(True, threads, {', '.join(passed)}): return DONE"]


def _run(views: Sequence[Argument], done: Sequence[str]) -> list[str]:
    ended = [line for view in views for line in _ended(view)]
    return [
        *[f"r{view.i}.hazards = hazards{f'; o{view.i}.keep_alives += 1' * _owned(view)}" for view in views],
        *(["try:", *indented(done), "finally:", *indented(ended)] if views else done),
    ]


def _call(kernel: Specialization, passed: Sequence[str], *, prepared: bool) -> list[str]:
    """Return the lines that call the kernel, and return what the launch returns."""
    if prepared:
        return [f"prepared(False, threads, {', '.join(passed)})", "return DONE"]
    arguments = "".join(f"{each}, " for each in passed)
    explain = "partial(explained, arguments)" if kernel.program.debug else "explain"
    launch = f"finish = run(({arguments}), grid=grid, block=block, stream=None, explain={explain})"
    if kernel.program.results:
        return [launch, f"return finish(){'[0]' if kernel.single else ''}"]
    return [launch, "return DONE"]


def _ended(view: Argument) -> list[str]:
    i = view.i
    forgotten = [
        f"if r{i}.hazards is hazards: r{i}.hazards = None",
        f"elif r{i}.hazards is not None: forget_these(r{i}, {{work}}, set())",
    ]
    if not _owned(view):
        return forgotten
    return [*forgotten, f"if o{i}.handles: o{i}.keep_alives -= 1", f"else: heap.defer(o{i}.drop_keep_alive)"]
