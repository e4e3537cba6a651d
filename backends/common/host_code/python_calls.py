"""Makes a function of Python from a function of machine code, which takes the memory of a launch.

It is called as the functions of Python's C library are. So it costs a launch a fifth of what a call through ctypes, of
arguments that `struct` has packed, would cost. Its code depends only on the types of its arguments.
"""

import ctypes
from collections.abc import Callable, Sequence
from functools import partial

from .immortal import immortal
from .machine_code import function_of
from .process import symbols
from .process_words import STOPPED
from .slots import ARGUMENTS, THREADS, WORD, ArgumentKind
from .text import Text

__all__ = ["function_of_python"]

_CONVERSIONS = {
    "int": ("i64", "PyLong_AsLongLong"),
    "uint": ("i64", "PyLong_AsUnsignedLongLong"),
    "float": ("double", "PyFloat_AsDouble"),
}
_API = "PyErr_Occurred", "PyBool_FromLong", *(name for _, name in _CONVERSIONS.values())
_FASTCALL = 0x80

_DATA = object.__basicsize__
"""Where the address of the first element is in an array of NumPy, as ``PyArrayObject_fields`` of its C API has it."""


class _Method(ctypes.Structure):
    """Python's description of a function in C."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_new_function = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
    ("PyCFunction_NewEx", ctypes.pythonapi)
)


def function_of_python(run: int, kinds: Sequence[ArgumentKind], nbytes: int) -> Callable[..., bool]:
    """Return a function that writes all arguments but the first into memory, and gives both to machine code.

    Parameters
    ----------
    run : int
        The address of a function of the memory and of the first argument, a truth value; it returns another one.
    kinds : sequence of ArgumentKind
        The types of the other arguments, 8 bytes each.
    nbytes : int
        Bytes of the memory.
    """
    key = f"call {kinds} {nbytes} {_DATA}"
    address = function_of(partial(_printed, kinds, nbytes), "call", {**symbols(), **_api()}, key)
    method = immortal(_Method(b"launch", address, _FASTCALL, None))  # Python reads it as long as the function exists
    function: Callable[..., bool] = _new_function(ctypes.addressof(method), run, None)
    return function


def _api() -> dict[str, int]:
    return {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in _API}


def _printed(kinds: Sequence[ArgumentKind], nbytes: int) -> str:
    helpers: dict[str, str] = {}
    text = Text(helpers)
    memory = text.slot("i8", "memory", nbytes)
    _, first = _converted(text, "int", 0)
    word = text.value(f"getelementptr i8, ptr {memory}, i64 {WORD}")
    text.do(f"store i64 0, ptr {word}")
    places = THREADS, *range(ARGUMENTS, ARGUMENTS + 8 * len(kinds[1:]), 8)
    number = 1
    for place, name in zip(places, kinds, strict=True):
        kind, value = _converted(text, name, number)
        number += 2 if name == "array" else 1
        text.do(f"store {kind} {value}, ptr {text.value(f'getelementptr i8, ptr {memory}, i64 {place}')}")
    address = text.value(f"call i64 {text.declare('i64', 'PyLong_AsLongLong', 'ptr')}(ptr %self)")
    error = text.value(f"call ptr {text.declare('ptr', 'PyErr_Occurred')}()")
    text.branch(text.value(f"icmp ne ptr {error}, null"), "refuse", "launch")
    text.block("refuse")
    text.leave("ptr null")
    text.block("launch")
    run, truth = text.value(f"inttoptr i64 {address} to ptr"), text.value(f"trunc i64 {first} to i1")
    done = text.value(f"zext i1 {text.value(f'call i1 {run}(ptr {memory}, i1 zeroext {truth})')} to i64")
    stopped = text.value(f"icmp eq i64 {text.value(f'load i64, ptr {word}')}, {STOPPED}")
    text.branch(stopped, "refuse", "done")
    text.block("done")
    boolean = text.declare("ptr", "PyBool_FromLong", "i64")
    text.leave(f"ptr {text.value(f'call ptr {boolean}(i64 {done})')}")
    return "\n".join([text.function("ptr @call(ptr %self, ptr %arguments, i64 %count)"), *helpers.values()])


def _converted(text: Text, name: str, place: int) -> tuple[str, str]:
    """Convert an argument; return its type and its number."""
    if name == "array":
        array = text.value(f"load ptr, ptr {text.value(f'getelementptr ptr, ptr %arguments, i64 {place}')}")
        address = text.value(f"load i64, ptr {text.value(f'getelementptr i8, ptr {array}, i64 {_DATA}')}")
        return "i64", text.value(f"add i64 {address}, {_converted(text, 'int', place + 1)[1]}")
    kind, function = _CONVERSIONS[name]
    argument = text.value(f"load ptr, ptr {text.value(f'getelementptr ptr, ptr %arguments, i64 {place}')}")
    return kind, text.value(f"call {kind} {text.declare(kind, function, 'ptr')}(ptr {argument})")
