"""The memory of CuPy's results: it is reused on the stream that allocated it, after all streams that use it.

CuPy's pool reuses freed memory for the next request on the stream that allocated it, and does not know about other
streams. So the last reference to memory that other streams use makes its own stream wait for them. What CuPy allocates
on its default stream is not wrapped: it is remembered only if another stream uses it. All other memory of results has
an owner, `ResultMemory`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol
from weakref import ref

from .driver import Driver
from .memory import LentBlock

__all__ = ["DefaultResults", "Order", "ResultMemory", "owner_of", "record_use", "root_of"]


class Order(Protocol):
    """Makes a stream's next work wait for the present work of other streams; called by finalisers."""

    def __call__(self, own: Any, users: Iterable[Any], *, lent: bool, memory: Any) -> None:
        """Let ``own`` wait for ``users``, and if the memory was lent for all streams of the device.

        The memory is kept as long as one of them is captured by another library.
        """
        ...


class ResultMemory:
    """The owner of memory that CuPy allocated in a computation; the memory returns to CuPy's pool with this object.

    Attributes
    ----------
    stream : cupy.cuda.Stream
        The stream that allocated it.
    users : set of cupy.cuda.Stream
        The other streams with work on it.
    lent : bool
        Whether its address is known outside of CuPy, so that any stream may have used it.
    """

    __slots__ = ("_native", "_order", "lent", "stream", "users")

    def __init__(self, order: Order, native: Any, own: Any) -> None:
        self._order = order
        self._native = native
        self.stream = own
        self.users: set[Any] = set()
        self.lent = False

    def __del__(self) -> None:
        # The pool reuses the memory on the same stream, so it is enough that this stream waits.
        if self.users or self.lent:
            self._order(self.stream, self.users, lent=self.lent, memory=self._native)


class _Used(ref[Any]):
    """A reference to an array that owns memory of the default stream, the memory, and who else uses it."""

    __slots__ = ("key", "lent", "memory", "users")

    def __init__(self, array: Any, finalise: Callable[["_Used"], object]) -> None:
        super().__init__(array, finalise)  # type: ignore[call-arg]
        self.key = id(array)
        self.memory = array.data.mem
        self.users: set[Any] = set()
        self.lent = False


class DefaultResults:
    """The arrays of one device whose memory CuPy allocated on its default stream, and which other streams use.

    An array that owns its memory goes before the memory is freed, and so does each view. If a function of CuPy returns
    another owner of the same memory, the uses of both are remembered apart, and waited for when each of them goes.
    """

    __slots__ = ("_default", "_order", "_used")

    def __init__(self, default: Any, order: Order) -> None:
        self._default = default
        self._order = order
        self._used: dict[int, _Used] = {}

    def use(self, array: Any, stream: Any) -> None:
        """Record that a stream uses an array's memory."""
        if stream is not self._default and stream != self._default:
            self._record_of(root_of(array)).users.add(stream)

    def lend(self, array: Any) -> None:
        """Record that any stream may use an array's memory."""
        self._record_of(root_of(array)).lent = True

    def _record_of(self, root: Any) -> _Used:
        used = self._used.get(id(root))
        # Of two threads the second finds the record of the first; the other one goes, and its finaliser with it.
        return self._used.setdefault(id(root), _Used(root, self._finalise)) if used is None else used

    def _finalise(self, used: _Used) -> None:
        self._used.pop(used.key, None)
        self._order(self._default, used.users, lent=used.lent, memory=used.memory)


def record_use(results: DefaultResults, array: Any, stream: Any) -> None:
    """Record that a stream uses an array of CuPy's."""
    owner = getattr(array.data.mem, "_owner", None)
    if type(owner) is LentBlock:
        owner.block.use_by_cupy(stream)
    elif type(owner) is ResultMemory:
        if owner.stream is not stream and owner.stream != stream:
            owner.users.add(stream)
    else:
        results.use(array, stream)


def owner_of(driver: Driver, value: Any) -> object:
    """Return the object that CuPy keeps alive for the memory of an array or a pointer."""
    memory = value.data if isinstance(value, driver.array_type) else value
    return getattr(memory.mem, "_owner", None) if isinstance(memory, driver.pointer_type) else None


def root_of(array: Any) -> Any:
    """Return the array at the end of the chain of bases."""
    while array.base is not None:
        array = array.base
    return array
