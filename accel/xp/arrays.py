"""`Array`: an n-d array of the standard over the memory of one device."""

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self, final

from accel.abc import Operand
from accel.abc.stream import is_stream
from accel.device import Device, DeviceLike
from accel.dtypes import KNOWN
from accel.errors import FuseError, LayoutError, reading_pickled
from accel.memory import AnyStorage, heap_of
from accel.xp import (
    array_storage,
    conversions,
    display,
    elements,
    host_access,
    in_place,
    large_functions,
    large_operators,
    large_results,
    missing_members,
    numpy_protocols,
    operators,
    refusals,
    versions,
)
from accel.xp.array_base import in_memory, leads, live, moved, shared_of
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.methods import Methods
from accel.xp.versions import API_VERSIONS

if TYPE_CHECKING:
    from accel.containers import AcceleratorDataContainer
    from accel.interchange.from_dlpack import Received

__all__ = ["API_VERSIONS", "Array", "array_on", "array_received", "wrap"]


@final
class Array(Methods):
    """An n-d array of the array standard, made by functions such as `asarray` and `zeros`, not by its constructor.

    Operators take arrays on the same device and Python numbers. Operands on two devices raise `DeviceMismatchError`,
    an array whose memory was released raises `ReleasedError`, and writing to read-only memory raises `ReadOnlyError`.

    Examples
    --------
    >>> import accel.xp as xp
    >>> x = xp.asarray([1.0, 2.0, 3.0])
    >>> x + 1
    Array([2., 3., 4.], dtype=float64, device=cpu)
    """

    __slots__ = ()

    @property
    def mT(self) -> "Array":
        """The transpose of the last two axes."""
        if self.ndim < 2:
            raise LayoutError(f"x.mT is for 2 axes or more, and this array has {self.ndim}")
        return wrap(self._library, self._library.namespace.matrix_transpose(live(self)), self)

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> "Array":
        """Return this array on a device: the array itself if it is there already, else a copy.

        The copy starts after the work already submitted to the current stream of this array's device.

        Parameters
        ----------
        device : Device or str
            The target.
        stream : Stream, optional
            The stream that copies; the copy may still be in flight on return. Without it, the copy is complete.

        Raises
        ------
        TypeError
            If ``device`` is None, or if ``stream`` is not a stream.
        DeviceMismatchError
            If the stream is of a device that takes no part in the copy.
        """
        if device is None:  # elsewhere, None is the default device
            raise TypeError(
                "to_device takes a device, as in x.to_device('cpu'); for the default write Device.default()"
            )
        if stream is not None and not is_stream(stream):
            raise TypeError(f"{stream!r} is not a stream; write stream=accel.new_stream({str(device)!r})")
        library = library_on(device)
        if library is self._library:
            return self
        array = live(self)
        compact = self._in_c_order(array)
        # If there was no copy, use this array's own storage, so that later writes to it wait for the transfer.
        source = self if compact is array else wrap(self._library, compact)
        computed = None if stream is None else heap_of(self.device).latest()
        if computed is not None:
            stream.wait_for(computed)
        with source.container() as container:
            return array_on(container.to(library.device, stream=stream), self.shape)

    def _in_c_order(self, array: Any) -> Any:
        if self._library.device is Device.CPU:
            from accel import copies

            return copies.in_c_order(array)
        return self._library.namespace.asarray(array, order="C")

    # Indexing

    if TYPE_CHECKING:

        def __getitem__(self, key: Any, /) -> Self: ...
        def __setitem__(self, key: Any, value: Any, /) -> None: ...

    else:
        __getitem__ = elements.item
        __setitem__ = elements.set_item

    def __len__(self) -> int:
        try:
            return len(self._native)
        except FuseError:
            raise
        except TypeError:
            raise TypeError("len() of unsized object: this array has no axes; write x.size") from None

    def __iter__(self) -> "Iterator[Array]":
        return elements.each(self, len(self))

    # Copies and pickles

    def __copy__(self) -> "Array":
        library, array = self._library, live(self)
        try:
            copy = large_results.copied(library, array, array.dtype) if array.nbytes >= library.large else None
            return wrap(library, library.namespace.asarray(array, copy=True) if copy is None else copy)
        except MemoryError as error:
            raise refusals.failure(error) from None

    def __deepcopy__(self, memo: dict[int, object]) -> "Array":
        return self.__copy__()

    def __reduce__(self) -> tuple[object, ...]:
        compact = wrap(self._library, self._in_c_order(live(self)))
        return _unpickled, (compact.container().storage, self.shape)

    # Conversions

    if not TYPE_CHECKING:
        __bool__ = conversions.to_bool
        __int__ = conversions.to_int
        __float__ = conversions.to_float
        __complex__ = conversions.to_complex
        __index__ = conversions.to_index
        __format__ = conversions.to_text
        __array__ = conversions.to_numpy
        __array_interface__ = property(conversions.array_interface)
        # For backends, which find the array under one that NumPy made by it.
        __accel_native__ = property(in_memory)
        __arrow_array__ = conversions.to_pyarrow
        __arrow_c_array__ = conversions.to_arrow
        __buffer__ = conversions.to_buffer
        __dir__ = missing_members.listed
        __repr__ = display.representation
        __str__ = display.text
        _repr_html_ = display.html

    # Protocols

    __array_priority__: float = 10.0
    """Above NumPy's, for libraries that choose the type of a result by it, such as Dask."""

    if not TYPE_CHECKING:
        __array_ufunc__ = numpy_protocols.array_ufunc
        __array_function__ = numpy_protocols.array_function

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """Return `accel.xp`, or for an older version of the standard a namespace without the names that came later.

        Raises
        ------
        ValueError
            If the version is not one of `API_VERSIONS`.
        """
        return sys.modules[__package__] if api_version is None else versions.namespace(api_version)

    @staticmethod
    def _wrap(library: ArrayLibrary, result: Any, *sources: object) -> "Array":
        return wrap(library, result, *sources)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        if (lend := self._library.lend) is not None:
            options = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
            return lend(lambda x: x.__dlpack__(**options), self)
        if dl_device is not None or not host_access.lent_by_copy(self.device):
            return super().__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
        capsule = super().__dlpack__(max_version=max_version, dl_device=Device.CPU.dlpack, copy=copy)
        host_access.count(self, "DLPack")
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return Device.CPU.dlpack if host_access.lent_by_copy(self.device) else self.device.dlpack

    def _lent_copy(self, device: Device) -> "Array":
        return self.__copy__() if device is self.device else self.to_device(device)


def wrap(library: ArrayLibrary, result: Any, *sources: object) -> Array:
    """Make an array of a result of the library.

    A view of one of the sources shares the storage record of the first such source.

    Raises
    ------
    DTypeError
        If arrays cannot have the dtype. Operators and indexing skip this check: their results have dtypes of arrays.
    """
    if type(result) is not library.array_type:
        sources = ()  # a scalar is no view
        if type(result) not in library.native_types:
            result = library.as_array(result)
    if result.dtype not in KNOWN:
        refusals.refuse_dtype(result.dtype)
    array = Array()  # without __init__, which would take longer than the rest
    array._native = result
    array._library = library
    array._shared = None
    if sources:
        new = type(result) is library.based and result.base is None
        for source in sources:
            if (
                type(source) is Array
                and source._library is library
                and (source._native is result if new else _is_view(library, result, source._native))
            ):
                array._shared = source._shared or shared_of(source)
                break
    return array


def large_result(function: Callable[..., Any], library: ArrayLibrary, *operands: Any, **options: Any) -> Array:
    """Call a function of the host's library that returns a large array, and wrap the result."""
    try:
        result = large_functions.computed(function, library, operands, options)
        if result is None:
            return wrap(library, function(*operands, **options))
    except (IndexError, MemoryError, OverflowError) as error:
        raise refusals.failure(error) from None
    array = Array()
    array._native, array._library, array._shared = result, library, None
    large_operators.note_call(array, 2)
    return array


def _is_view(library: ArrayLibrary, result: Any, source: Any) -> bool:
    if type(result) is library.based:
        base = result.base
        if base is None or base is source or base is source.base:  # new memory, or the usual views
            return base is not None or result is source
        if type(base) is library.based and base.base is None and source.base is None:  # both are the root arrays
            return False
    return array_storage.same_memory(library, result, source)


def array_on(container: "AcceleratorDataContainer", shape: tuple[int, ...] | None = None) -> Array:
    """Make an array on a container's memory, without a copy."""
    library = library_on(container.device)
    storage = container.storage
    flat = _at(library, storage.__accel_operand__(), storage)
    array = wrap(library, flat if shape is None else flat.reshape(shape))
    array._shared = array_storage.SharedStorage(storage)
    return array


def array_received(received: "Received") -> Array:
    """Make an array on memory of another library; read-only if several elements share memory."""
    storage, operand = received.storage, received.operand
    library = library_on(storage.device)
    if refusals.repeats(operand.extents, operand.strides):
        operand = operand._replace(writable=False)
    array = wrap(library, _at(library, operand, storage))
    array._shared = array_storage.SharedStorage(storage)
    return array


def _at(library: ArrayLibrary, operand: Operand, storage: AnyStorage) -> Any:
    """Return the library's array on elements of a storage, which the array keeps alive."""
    if library.device is not Device.CPU and 0 in operand.extents:
        # No memory says on which device such elements are.
        return library.namespace.empty(operand.extents, dtype=operand.dtype)
    return library.backend.array(operand, storage.keep_alive())


def _unpickled(*state: Any) -> Array:
    from accel.containers import AcceleratorDataContainer

    with reading_pickled("array"):
        storage, shape = state
        if not isinstance(storage, AnyStorage) or not isinstance(shape, tuple):
            raise TypeError(f"found {type(storage).__name__} and {type(shape).__name__} for its elements and its shape")
        return array_on(AcceleratorDataContainer.on(storage), shape)


elements.bind(Array)
operators.bind(
    Array=Array,
    in_memory=in_memory,
    leads=leads,
    large_operator=large_operators.computed,
    large_result=large_result,
    live=live,
    moved=moved,
    bad_write=refusals.bad_write,
    failure=refusals.failure,
    refuse_read_only=refusals.refuse_read_only,
    written=in_place.written,
)
