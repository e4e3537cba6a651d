"""Functions that launch kernels and are written for one kind of call: their lines, and those that check memory.

They are straight-line code, compiled by Python. What they do not expect they leave to the general way.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from accel.containers import AcceleratorDataContainer
from accel.dtypes import DType
from accel.memory import DeviceStorage, HostStorage
from accel.memory.captures import ACTIVE
from accel.views import Buffer, BufferView, DynamicRankBuffer, LayoutTensor, NDBuffer

__all__ = [
    "MISSED",
    "Code",
    "indented",
    "is_array",
    "memory_form",
    "nbytes_of",
    "supports_memory",
    "write_memory",
    "write_names",
]

MISSED = object()
"""What the function returns if it did nothing: the general way launches the kernel, or says what is wrong."""

_STORAGES = HostStorage, DeviceStorage
_BUFFERS = BufferView, NDBuffer, Buffer
_CLASSES = frozenset({AcceleratorDataContainer, DynamicRankBuffer, LayoutTensor, *_BUFFERS, *_STORAGES})
"""The classes of memory that can be described without a call."""


class _WrapsArray(Protocol):
    """An array of `accel.xp`, which has an array of the library of its device."""

    _native: Any
    _library: Any


class Code(NamedTuple):
    """The lines of the function's body, and the objects that they name."""

    lines: list[str]
    scope: dict[str, Any]

    def function(self, name: str, parameters: str) -> Callable[..., Any]:
        """Return the function ``launch`` with these lines; ``name`` is that of the kernel."""
        text = "\n".join([f"def launch({parameters}):", *indented(self.lines)])
        # It consists of numbers and of the names in the scope. The name of the file hides it from `call_site`.
        exec(compile(text, f"<accel: launch of {name}>", "exec"), self.scope)  # noqa: S102
        launch: Callable[..., Any] = self.scope["launch"]
        return launch


def write_names(count: int, code: Code) -> None:
    """Append the lines that check the number of arguments and name them; during captures nothing is done."""
    code.scope.update(ACTIVE=ACTIVE, MISSED=MISSED)
    code.lines.append(f"if len(arguments) != {count} or ACTIVE: return MISSED")
    code.lines.extend([", ".join(f"a{i}" for i in range(count)) + ", = arguments"] if count else [])


def supports_memory(value: Any) -> bool:
    """Tell whether `write_memory` can name the storage of a value."""
    return type(value) in _CLASSES or (type(value) is not np.ndarray and is_array(value))


def is_array(value: Any) -> TypeGuard[_WrapsArray]:
    """Tell whether a value is an array of NumPy, or one of `accel.xp` that is not recorded."""
    if type(value) is np.ndarray:
        return True
    native = getattr(value, "_native", None)
    return native is not None and value._library.lend is None and type(native) is value._library.array_type


def write_memory(i: int, value: Any, dtype: DType, code: Code, *, writes: bool) -> str:
    """Append the lines that check memory of a class and a dtype, and name its storage.

    Returns the expression of the distance in bytes of its first element from the start of the storage.
    """
    kind, name = type(value), f"a{i}"
    code.scope.update({f"class{i}": kind, f"dtype{i}": dtype})
    code.lines.append(f"if type({name}) is not class{i}: return MISSED")
    if is_array(value):
        return _write_array(i, value, code, writes=writes)
    if kind is DynamicRankBuffer:
        code.lines.append(f"{name} = {name}._whole")
    if kind is LayoutTensor:
        code.lines.append(f"if {name}._dtype is not dtype{i}{f' or {name}._readonly' if writes else ''}: return MISSED")
        code.lines.append(f"s{i} = {name}._storage")
        return f"{name}._offset * {dtype.itemsize}"
    code.lines.append(f"s{i} = {name}" if kind in _STORAGES else f"s{i} = {name}._storage")
    code.lines.append(f"if s{i}.dtype is not dtype{i}: return MISSED")
    return "0" if kind in _STORAGES or kind is AcceleratorDataContainer else f"{name}._offset * {dtype.itemsize}"


def _write_array(i: int, value: Any, code: Code, *, writes: bool) -> str:
    """Append the lines that check an array, and name its storage, the array of the library, its extents and strides.

    These are ``n{i}``, ``h{i}`` and ``t{i}``. An array of NumPy has no storage.
    """
    if type(value) is np.ndarray:
        usable = f"not n{i}.flags.{'carray' if writes else 'aligned'}"
        code.lines.extend([f"n{i} = a{i}", f"if n{i}.dtype is not dtype{i} or {usable}: return MISSED"])
        code.lines.append(f"h{i}, t{i} = n{i}.shape, n{i}.strides")
        return "0"
    backend, kind = value._library.backend, type(value._native)
    code.scope.update({f"library{i}": value._library, f"native{i}": kind, f"address{i}": backend.address})
    code.scope[f"is_readonly{i}"] = backend.is_readonly
    code.lines.extend(
        [
            f"n{i} = a{i}._native",
            f"if a{i}._library is not library{i} or type(n{i}) is not native{i}: return MISSED",
            f"if n{i}.dtype is not dtype{i}: return MISSED",
            # As `_lent_storage`, without its calls.
            f"s{i} = None if a{i}._shared is None else a{i}._shared.handle",
            f"if s{i} is None or s{i}.dtype is not dtype{i}: s{i} = a{i}._lent_storage()",
            f"q{i}, h{i}, t{i} = address{i}(n{i}), n{i}.shape, n{i}.strides",
        ]
    )
    if writes:  # of the library's own memory only arrays whose elements share some are read-only
        own = f"s{i}._owner is not None and s{i}._owner.of_library and 0 not in t{i}"
        code.lines.append(f"if not ({own}) and is_readonly{i}(n{i}): return MISSED")
    return f"q{i} - p{i}"


def memory_form(i: int, value: Any) -> list[str]:
    """Return the expressions on which the extents and strides of memory depend; they have hashes."""
    if isinstance(value, LayoutTensor):
        return [f"a{i}._geometry"]
    if is_array(value):
        return [f"h{i}", f"t{i}"]
    return [f"a{i}._shape", f"a{i}._strides"] if isinstance(value, (*_BUFFERS, DynamicRankBuffer)) else [f"s{i}.size"]


def indented(lines: Sequence[str]) -> list[str]:
    """Return lines of a block."""
    return [f"    {line}" for line in lines]


def nbytes_of(i: int, value: Any) -> str:
    """Return the expression of the bytes of the storage of memory that `write_memory` has checked."""
    # The dtype of a tensor need not be that of its storage.
    itemsize = f"s{i}.dtype.itemsize" if isinstance(value, LayoutTensor) else value.dtype.itemsize
    return f"s{i}.size * {itemsize}"
