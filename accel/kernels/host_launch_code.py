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

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from accel import config
from accel.abc.kernels import Failure, PreparesCalls
from accel.containers import AcceleratorDataContainer
from accel.errors import AccelError
from accel.ir import Parameter, Program, View
from accel.kernels.call_signature import Bound
from accel.kernels.captures import ABSENT
from accel.kernels.failures import Explanation
from accel.kernels.frontend.types import ArgumentType, BufferType, ScalarType, StaticType, TensorType
from accel.kernels.raw.conversions import fitting
from accel.kernels.specialization import DONE, Geometry, Specialization
from accel.memory.captures import ACTIVE
from accel.memory.hazards import IDLE, forget_these
from accel.memory.submission import Submission
from accel.views import Buffer, BufferView, LayoutTensor, NDBuffer

__all__ = ["MISSED", "HostCall", "host_launch"]

MISSED = object()
"""What the function returns if it did nothing: the general way launches the kernel, or says what is wrong."""

_STRIDED = NDBuffer, Buffer
_MEMORY = BufferView, AcceleratorDataContainer, *_STRIDED
_LAYOUT = "_geometry", "_dtype", "_pad"


class HostCall(NamedTuple):
    """A call whose like is to be launched fast.

    Attributes
    ----------
    arguments : tuple
        The arguments, one for each parameter.
    kinds : tuple of ArgumentType
        Their types.
    annotated : tuple of bool
        Which parameters have an annotation, and so take numbers of other types.
    debug : bool or None
        The kernel's own debug mode; None if the settings say.
    bind : callable
        Binds such arguments to the parameters of the kernel.
    """

    arguments: tuple[Any, ...]
    kinds: tuple[ArgumentType, ...]
    annotated: tuple[bool, ...]
    debug: bool | None
    bind: Callable[[tuple[Any, ...]], Bound]


class _Argument(NamedTuple):
    """One argument of such a call: its number, itself, its type, its parameter in the program (None for a constant)."""

    i: int
    value: Any
    kind: ArgumentType
    annotated: bool
    parameter: Parameter | None


class _Code(NamedTuple):
    """The lines that check arguments, the values that are passed, the views, and the objects that the lines name."""

    lines: list[str]
    passed: list[str]
    views: list[_Argument]
    scope: dict[str, Any]


def host_launch(kernel: Specialization, call: HostCall) -> Callable[[tuple[Any, ...]], Any] | None:
    """Return the function that launches a kernel on the host; None if such calls need the general way.

    It takes the arguments, and returns what the launch returns, or `MISSED`.
    """
    arguments = [*_arguments(kernel, call)]
    if not all(map(_supported, arguments)):
        return None
    code = _Code([], [], [], _scope(kernel, call))
    count = len(arguments)
    code.lines.append(f"if len(arguments) != {count} or ACTIVE: return MISSED")
    code.lines.extend([", ".join(f"a{i}" for i in range(count)) + ", = arguments"] if count else [])
    if call.debug is None:
        code.lines.append(f"if {'not ' if kernel.program.debug else ''}debugging(): return MISSED")
    if kernel.program.debug:
        code.lines.append(f"if current().nan_checks is not {config.current().nan_checks}: return MISSED")
    _write_captured(kernel, code)
    for argument in arguments:
        _write_argument(argument, code)
    _write_launch(kernel, code)
    text = "\n".join(["def launch(arguments):", *_indented(code.lines)])
    # It consists of numbers and of the names in here. The name of the file hides it from `call_site`.
    exec(compile(text, f"<accel: launch of {kernel.program.name}>", "exec"), code.scope)  # noqa: S102
    launch: Callable[[tuple[Any, ...]], Any] = code.scope["launch"]
    return launch


def _arguments(kernel: Specialization, call: HostCall) -> Iterator[_Argument]:
    parameters = iter(kernel.program.parameters)
    for i, (value, kind, annotated) in enumerate(zip(call.arguments, call.kinds, call.annotated, strict=True)):
        passed = isinstance(kind, ScalarType | BufferType | TensorType)
        yield _Argument(i, value, kind, annotated, next(parameters) if passed else None)


def _supported(argument: _Argument) -> bool:
    if isinstance(argument.kind, BufferType):
        return type(argument.value) in _MEMORY
    if isinstance(argument.kind, TensorType):
        return type(argument.value) is LayoutTensor and argument.kind.swizzle is None
    return isinstance(argument.kind, ScalarType | StaticType)


def _scope(kernel: Specialization, call: HostCall) -> dict[str, Any]:
    return {
        "ABSENT": ABSENT,
        "ACTIVE": ACTIVE,
        "DONE": DONE,
        "IDLE": IDLE,
        "MISSED": MISSED,
        "Submission": Submission,
        "current": config.current,
        "debugging": config.debugging,
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


def _write_captured(kernel: Specialization, code: _Code) -> None:
    for i, (values, name, value) in enumerate(kernel.captured.names):
        code.scope.update({f"values{i}": values, f"known{i}": value})
        code.lines.append(f"if values{i}.get({name!r}, ABSENT) is not known{i}: return MISSED")
    for i, (cell, value) in enumerate(kernel.captured.cells):
        code.scope.update({f"cell{i}": cell, f"held{i}": value})
        code.lines.append(f"if cell{i}.cell_contents is not held{i}: return MISSED")
    if kernel.captured.cells:
        first = len(code.lines) - len(kernel.captured.cells)
        code.lines[first:] = ["try:", *_indented(code.lines[first:]), "except ValueError: return MISSED"]


def _write_argument(argument: _Argument, code: _Code) -> None:
    i, value, kind, *_ = argument
    if isinstance(kind, StaticType):
        code.scope[f"value{i}"] = value
        code.lines.append(f"if a{i} is not value{i}: return MISSED")
    elif isinstance(kind, ScalarType):
        code.lines.extend(_number(argument, kind, code.scope))
        code.passed.append(f"a{i}")
    elif isinstance(kind, BufferType | TensorType):
        code.lines.extend(_buffer(argument, kind, code) if isinstance(kind, BufferType) else _tensor(argument, code))
        code.lines.extend(_address(argument))
        code.views.append(argument)


def _number(argument: _Argument, kind: ScalarType, scope: dict[str, Any]) -> list[str]:
    """Return the lines that check a number, and make it one of Python's."""
    i, value, _, annotated, _ = argument
    ranges = fitting(kind.dtype) if kind.weak or annotated else {}
    if not ranges:
        scope[f"class{i}"] = type(value)
        item = [] if type(value) in {bool, complex} else [f"a{i} = a{i}.item()"]
        return [f"if type(a{i}) is not class{i}: return MISSED", *item]
    (first, within), *rest = [(each.__name__, _within(i, each, limits, scope)) for each, limits in ranges.items()]
    if not rest or not annotated:
        return [f"if type(a{i}) is not {first} or not {within}: return MISSED"]
    return [
        f"if type(a{i}) is int and {rest[0][1]}: a{i} = float(a{i})",
        f"if type(a{i}) is not {first} or not {within}: return MISSED",
    ]


def _within(i: int, kind: type, limits: tuple[float, float], scope: dict[str, Any]) -> str:
    """Return the condition that a number of a type fits."""
    least, most = f"least{i}_{kind.__name__}", f"most{i}_{kind.__name__}"
    scope |= {least: limits[0], most: limits[1]}
    return f"{least} <= a{i} <= {most}"


def _buffer(argument: _Argument, kind: BufferType, code: _Code) -> list[str]:
    """Return the lines that check strided memory."""
    i, value, *_ = argument
    code.scope.update({f"class{i}": type(value), f"dtype{i}": kind.dtype})
    if isinstance(value, AcceleratorDataContainer):
        code.passed.extend([f"p{i}", f"s{i}.size", "1"])
    else:
        numbers = [f"a{i}.{name}[{axis}]" for name in ("_shape", "_strides") for axis in range(kind.rank)]
        code.passed.extend([f"p{i} + a{i}._offset * {kind.dtype.itemsize}", *numbers])
    rank = f"len(a{i}._shape) != {kind.rank} or (a{i}._strides[-1] == 1) is not {kind.dense}"
    return [
        f"if type(a{i}) is not class{i}: return MISSED",
        *([f"if {rank}: return MISSED"] if isinstance(value, _STRIDED) else []),
        f"s{i} = a{i}._storage",
        f"if s{i}.dtype is not dtype{i}: return MISSED",
    ]


def _tensor(argument: _Argument, code: _Code) -> list[str]:
    """Return the lines that check a tensor: its layout is a constant."""
    i, value, *_ = argument
    code.scope.update({f"class{i}": type(value), f"layout{i}": (value._geometry, value._dtype, value._pad)})
    code.passed.append(f"p{i} + a{i}._offset * {value._dtype.itemsize}")
    geometry, dtype, pad = (f"a{i}.{name} is not layout{i}[{k}]" for k, name in enumerate(_LAYOUT))
    return [
        f"if type(a{i}) is not class{i} or {geometry} or {dtype} or {pad}: return MISSED",
        *([f"if a{i}._readonly: return MISSED"] if _writes(argument) else []),
        f"s{i} = a{i}._storage",
    ]


def _address(argument: _Argument) -> list[str]:
    """Return the lines that find the address and the hazards of memory."""
    i, readonly = argument.i, ""
    if _writes(argument):
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


def _writes(argument: _Argument) -> bool:
    return isinstance(argument.parameter, View) and argument.parameter.writable


def _write_launch(kernel: Specialization, code: _Code) -> None:
    """Append the lines that record the kernel, run it, and forget it."""
    numbers = [view.i for view in code.views]
    accesses = [
        f"x{view.i} = p{view.i}, p{view.i} + s{view.i}.size * s{view.i}.dtype.itemsize, work" for view in code.views
    ]
    writes = "".join(f"x{view.i}, " for view in code.views if _writes(view))
    reads = "".join(f"x{view.i}, " for view in code.views if not _writes(view))
    idle = " and ".join(f"r{i}.hazards is None and o{i}.handles" for i in numbers)
    prepared = kernel.compiled.prepared() if isinstance(kernel.compiled, PreparesCalls) else None
    if prepared is not None:
        code.scope.update(prepared=prepared, settings=config.current)
        code.lines.extend(["threads = settings().threads", *_brief(numbers, code.passed)])
    code.lines.extend(["work = Submission()", *accesses, f"hazards = ({writes}), ({reads}), ({writes})"])
    code.lines.append("with work.begun:")
    # No calls between this check and the try block, and none in the finally block where nothing else happened.
    code.lines.extend(_indented([f"if {idle or True}:", *_indented(_run(kernel, numbers, code))]))
    code.lines.append("return MISSED")


def _brief(numbers: Sequence[int], passed: Sequence[str]) -> list[str]:
    """Return the lines that run the kernel while no other thread of Python runs: then nothing need be recorded.

    There is no call between the checks and the launch, so no other thread runs in between either.
    """
    # Read again: another thread may have replaced the record.
    idle = "".join(f"o{i}.hazard_record.hazards is None and o{i}.handles and " for i in numbers)
    return [f"if {idle}prepared(True, threads, {', '.join(passed)}): return DONE"]


def _run(kernel: Specialization, numbers: Sequence[int], code: _Code) -> list[str]:
    done, ended = _call(kernel, code), [line for i in numbers for line in _ended(i)]
    return [
        *[f"r{i}.hazards = hazards; o{i}.keep_alives += 1" for i in numbers],
        *(["try:", *_indented(done), "finally:", *_indented(ended)] if numbers else done),
    ]


def _call(kernel: Specialization, code: _Code) -> list[str]:
    """Return the lines that call the kernel, and return what the launch returns."""
    if "prepared" in code.scope:
        return [f"prepared(False, threads, {', '.join(code.passed)})", "return DONE"]
    arguments = "".join(f"{each}, " for each in code.passed)
    explain = "partial(explained, arguments)" if kernel.program.debug else "explain"
    launch = f"finish = run(({arguments}), grid=grid, block=block, stream=None, explain={explain})"
    if kernel.program.results:
        return [launch, f"return finish(){'[0]' if kernel.single else ''}"]
    return [launch, "return DONE"]


def _ended(i: int) -> list[str]:
    return [
        f"if r{i}.hazards is hazards: r{i}.hazards = None",
        f"elif r{i}.hazards is not None: forget_these(r{i}, {{work}}, set())",
        f"if o{i}.handles: o{i}.keep_alives -= 1",
        f"else: heap.defer(o{i}.drop_keep_alive)",
    ]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]
