"""Conversion of one argument of a launch: checked against its parameter, and converted to its C++ type."""

import struct
from collections.abc import Callable
from math import gcd, prod
from typing import Any, TypeAlias, cast

import numpy as np

from accel.abc import Operand, Pointer
from accel.dtypes import DType, exact_cast
from accel.errors import AccelError, DTypeError, KernelSignatureError, LayoutError, ReadOnlyError
from accel.interchange.export import Interchange, Lender
from accel.kernels.raw.parameters import Parameter
from accel.kernels.raw.vectors import Vector
from accel.memory import AnyStorage, DeviceStorage, HostStorage
from accel.memory.storage_work import Use
from accel.views import DynamicRankBuffer, LayoutTensor, NDBuffer

__all__ = ["Conversion", "conversion", "converting", "exactly", "fitting", "strided_view"]

_VIEWS = frozenset({LayoutTensor, NDBuffer, DynamicRankBuffer})

Conversion: TypeAlias = Callable[[Any, list[Use]], Any]
"""Returns an argument as the kernel takes it, and appends the memory that it uses to a list."""


def conversion(parameter: Parameter) -> Conversion:
    """Return the function that converts arguments for a parameter; it is made once, not at every launch.

    It raises the errors of `Signature.bind`, without the name of the parameter.
    """
    return _number(parameter.dtype) if parameter.rank is None else _memory(parameter)


def _number(dtype: DType) -> Conversion:
    ranges, scalar = fitting(dtype), dtype.type

    def convert(argument: Any, _: list[Use]) -> Any:
        kind = type(argument)
        if kind is scalar:
            return argument
        if kind in ranges:
            least, most = ranges[kind]
            if least <= argument <= most:
                return scalar(argument)
        return exactly(argument, dtype)

    return convert


def fitting(dtype: DType) -> dict[type, tuple[float, float]]:
    """Return the Python types whose numbers are converted without further checks, with their ranges."""
    if dtype.kind in "iu":
        return {int: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))}
    if dtype.kind != "f":
        return {}
    most = float(np.finfo(dtype).max)
    whole = min(most, 2.0**53)  # integers up to here are exact as float64, before rounding to the dtype
    return {float: (-most, most), int: (-whole, whole)}


def exactly(argument: Any, dtype: DType) -> Any:
    """Return a number as a scalar of a dtype; raise if more than floating-point rounding would be lost."""
    if hasattr(argument, "__accel_operand__"):
        raise KernelSignatureError(
            f"a number is needed, and {type(argument).__name__} is memory; write {_as_number(argument, dtype)}"
        )
    number = exact_cast(argument, dtype)
    if number.ndim:
        raise KernelSignatureError(f"one number is needed; found {number.size}")
    return number[()]


def _as_number(argument: Any, dtype: DType) -> str:
    """Return the code that converts memory of one element to a number; arrays of the standard convert themselves."""
    if hasattr(argument, "__array_namespace__"):
        return f"{type(dtype.type(0).item()).__name__}(x)"
    return "x.to_numpy().item()"


def _memory(parameter: Parameter) -> Conversion:
    by_value = _view(parameter.rank, parameter.dtype.itemsize) if parameter.rank else _pointer
    fits = _fits(parameter)

    def convert(argument: Any, uses: list[Use]) -> Any:
        uses.append(Use(_storage(argument), parameter.writable))
        operand: Operand = argument.__accel_operand__()
        address = operand.address
        if not fits(operand, address):
            _check(parameter, operand, address)
        return by_value(operand, address)

    return convert


def _fits(parameter: Parameter) -> Callable[[Operand, int], bool]:
    """Return the function that tells whether memory at an address fits a parameter; `_check` says why it does not."""
    _, dtype, rank, writable, vector = parameter
    if vector is not None:
        return _fits_vectors(parameter, vector)
    size = dtype.itemsize

    def fits(operand: Operand, address: int) -> bool:
        _, _, element_type, _, strides, may_write, swizzle, table = operand
        return (
            element_type is dtype
            and (may_write or not writable)
            and swizzle is None
            and table is None
            and (len(strides) == rank if rank else operand.contiguous)
            and not gcd(address, *strides) % size
        )

    return fits


def _fits_vectors(parameter: Parameter, vector: Vector) -> Callable[[Operand, int], bool]:
    """Return `_fits` for a pointer to vectors: memory of whole vectors, or of their scalars."""
    dtypes, alignment, nbytes = (parameter.dtype, vector.scalar), vector.alignment, vector.nbytes
    writable = parameter.writable

    def fits(operand: Operand, address: int) -> bool:
        return (
            operand.dtype in dtypes
            and (operand.writable or not writable)
            and operand.swizzle is None
            and operand.table is None
            and operand.contiguous
            and not address % alignment
            and not prod(operand.extents) * operand.dtype.itemsize % nbytes
        )

    return fits


def _pointer(operand: Operand, address: int) -> Any:
    return Pointer.to(address, prod(operand.extents) * operand.dtype.itemsize)


def _view(rank: int, itemsize: int) -> Callable[[Operand, int], Any]:
    """Return the function that makes an `accel::View` of an operand."""
    packed = struct.Struct(f"Q{2 * rank}q")
    fields = [("data", np.uint64), ("extents", np.int64, (rank,)), ("strides", np.int64, (rank,))]
    kind = np.dtype(fields, align=True)

    def view(operand: Operand, address: int) -> Any:
        strides = [stride // itemsize for stride in operand.strides]
        return np.frombuffer(packed.pack(address, *operand.extents, *strides), kind)

    return view


def strided_view(parameter: Parameter) -> Callable[[Any], tuple[Any, ...] | None]:
    """Return the function that describes a view for a parameter: without errors, as fast as possible.

    It returns the storage, the address, and for ``accel::View`` the extents and the strides in elements; None if the
    memory does not fit, or must be checked more closely.
    """
    rank, size, fits = parameter.rank, parameter.dtype.itemsize, _fits(parameter)

    def described(argument: Any) -> tuple[Any, ...] | None:
        if type(argument) not in _VIEWS:  # others may wait, or run code of the user
            return None
        try:
            operand: Operand = argument.__accel_operand__()
        except AccelError:  # the general way raises it again, with the name of the parameter
            return None
        address = operand.address
        if not fits(operand, address):
            return None
        storage = cast("Lender", argument)._lent_storage()
        if not rank:
            return storage, address
        return storage, address, *operand.extents, *[stride // size for stride in operand.strides]

    return described


def _storage(argument: Any) -> AnyStorage:
    if isinstance(argument, Interchange):
        return cast("Lender", argument)._lent_storage()
    if isinstance(argument, HostStorage | DeviceStorage):
        return argument
    raise KernelSignatureError(
        f"memory is needed; found {type(argument).__name__}: write accel.container(values, device=...), a view of one, "
        f"an array of accel.xp, or accel.from_dlpack(x) for another library's"
    )


def _check(parameter: Parameter, operand: Operand, address: int) -> None:
    """Raise an error if memory does not fit the parameter."""
    rank, size = len(operand.extents), operand.dtype.itemsize
    vector = parameter.vector
    if operand.dtype != parameter.dtype and (vector is None or operand.dtype != vector.scalar):
        kind = "" if vector is None else f" ({vector.name} is {vector.lanes} of {vector.scalar.name})"
        raise DTypeError(
            f"the dtypes must agree{kind}, and its argument has dtype {operand.dtype.name}; write "
            f"{converting(operand.dtype, parameter.dtype if vector is None else vector.scalar)}"
        )
    if parameter.writable and not operand.writable:
        raise ReadOnlyError("it is not const, and its argument is read-only; write const, or pass a copy")
    if parameter.rank and rank != parameter.rank:
        declared = f"accel::View<T, {rank}>" if rank else "T*"
        raise LayoutError(f"its argument has {rank} axes; write {declared}, or pass another view")
    if operand.swizzle is not None or operand.table is not None:
        raise LayoutError("its argument is swizzled or has no strides; pass a copy")
    if not parameter.rank and not operand.contiguous:
        raise LayoutError(
            f"a bare pointer needs contiguous memory; found extents {operand.extents} with strides {operand.strides}: "
            f"write accel::View<T, {rank}>, or pass a copy"
        )
    if vector is not None:
        _check_vectors(vector, prod(operand.extents) * size, address)
    elif gcd(address, *operand.strides) % size:
        raise LayoutError(f"the address or strides {operand.strides} are no multiples of {size} bytes; pass a copy")


def converting(source: DType, target: DType) -> str:
    """Return the Python that converts memory `x` to a dtype."""
    array = "xp.real(xp.asarray(x))" if source.kind == "c" != target.kind else "xp.asarray(x)"
    return f"xp.astype({array}, {target.name!r})"


def _check_vectors(vector: Vector, nbytes: int, address: int) -> None:
    """Raise an error if contiguous memory is not that of whole vectors."""
    if nbytes % vector.nbytes:
        raise LayoutError(
            f"its argument has {nbytes} bytes, no multiple of the {vector.nbytes} of a {vector.name}; pass memory of "
            f"whole vectors"
        )
    if address % vector.alignment:
        raise LayoutError(
            f"its address is no multiple of {vector.alignment} bytes, as {vector.name} needs; pass a copy, or a part "
            f"that begins with a whole vector"
        )
