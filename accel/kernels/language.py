"""The names that have a meaning only inside kernels: places of threads, barriers, atomics, accumulators."""

from collections.abc import Sequence
from typing import Any, NoReturn

from accel.dtypes import DTypeLike
from accel.layout import Layout
from accel.support.shared_sections import with_sections
from accel.views import AddressSpace

__all__ = [
    "Place3",
    "accumulator",
    "async_copy",
    "async_wait",
    "atomic_add",
    "atomic_compare",
    "atomic_exchange",
    "atomic_max",
    "atomic_min",
    "barrier",
    "block_index",
    "block_size",
    "fma",
    "grid",
    "grid_size",
    "lane_index",
    "rsqrt",
    "stack_allocation",
    "thread_index",
    "unroll",
    "vector",
    "warp_all",
    "warp_any",
    "warp_ballot",
    "warp_shuffle",
    "warp_shuffle_down",
    "warp_shuffle_up",
    "warp_shuffle_xor",
    "warp_size",
]


def _outside(name: str) -> NoReturn:
    raise RuntimeError(f"{name} has a meaning only in a kernel; write it in a function with @accel.kernel")


class Place3:
    """A place or a size along three axes, as in ``thread_index.x``.

    Attributes
    ----------
    x, y, z : int
        Along each axis; in kernels only.
    """

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        self.what: str = what

    def __getattr__(self, axis: str) -> int:
        if axis in ("x", "y", "z"):
            _outside(f"{self!r}.{axis}")
        raise AttributeError(f"{self!r} has x, y and z; found {axis!r}")

    def __repr__(self) -> str:
        return {"thread": "thread_index", "block": "block_index"}.get(self.what, self.what)


thread_index: Place3 = Place3("thread")
"""The place of the thread in its block."""

block_index: Place3 = Place3("block")
"""The place of the block in the grid."""

block_size: Place3 = Place3("block_size")
"""The threads of a block along each axis."""

grid_size: Place3 = Place3("grid_size")
"""The blocks of the grid along each axis."""


def grid(*extents: int) -> Any:
    """Return the coordinates of a grid, for a loop ``for i, j in grid(m, n)``; the last axis is fastest.

    As an outermost loop of a kernel, it is parallel over all coordinates.

    Parameters
    ----------
    *extents : int
        The extents, one for each axis.

    Returns
    -------
    iterator
        The coordinates, one for each axis.
    """
    _outside("grid")


def accumulator(dtype: DTypeLike, start: Any = 0) -> Any:
    """Return a variable that a parallel loop adds to, multiplies, or takes the minimum or maximum with.

    Parameters
    ----------
    dtype : dtype
        Its type.
    start : number
        Its value before the loop.

    Returns
    -------
    accumulator
        A variable with the methods of the operation.

    Notes
    -----
    In the loop write ``s += x``, ``s *= x``, ``s = min(s, x)`` or ``s = max(s, x)``; always the same one. After the
    loop it is a number. Sums of floats are at least as accurate as pairwise summation.
    """
    _outside("accumulator")


def unroll(values: Any) -> Any:
    """Return the values of a range or a tuple, for a loop that is repeated while the kernel is compiled.

    The loop variable is then a constant. The bounds of the range must be constants.

    Parameters
    ----------
    values : range or tuple
        The range, or the tuple.

    Returns
    -------
    iterable
        The values.
    """
    _outside("unroll")


def vector(*numbers: Any) -> Any:
    """Return a small vector of numbers, with arithmetic on all of them at once; ``v[0]`` or ``v.x`` is one of them.

    Parameters
    ----------
    *numbers : number
        The numbers, at least one.

    Returns
    -------
    vector
        The vector.
    """
    _outside("vector")


def stack_allocation(
    dtype: DTypeLike, shape: int | Sequence[int] | Layout, space: AddressSpace = AddressSpace.LOCAL
) -> Any:
    """Return an array of the thread, or with ``AddressSpace.SHARED`` of the block of threads; it is not initialised.

    Parameters
    ----------
    dtype : dtype
        Type of the elements.
    shape : int, tuple of int, or Layout
        Known while the kernel is compiled. With a layout, the array is a tensor.
    space : AddressSpace
        ``LOCAL``, or ``SHARED`` in a kernel with an explicit grid.

    Returns
    -------
    array
        The array.
    """
    _outside("stack_allocation")


def rsqrt(x: float) -> float:
    """Return the reciprocal of a square root.

    Parameters
    ----------
    x : float
        The number.

    Returns
    -------
    float
        The result.
    """
    _outside("rsqrt")


def fma(x: float, y: float, z: float) -> float:
    """Return ``x * y + z``, rounded once.

    Parameters
    ----------
    x : float
        The first factor.
    y : float
        The second factor.
    z : float
        What is added.

    Returns
    -------
    float
        The result.
    """
    _outside("fma")


def barrier() -> None:
    """Wait for all threads of the block."""
    _outside("barrier")


def lane_index() -> int:
    """Return the number of the thread in its warp.

    Returns
    -------
    int
        The number, from 0.
    """
    _outside("lane_index")


def warp_size() -> int:
    """Return the number of threads of a warp.

    Returns
    -------
    int
        32, or 64 on some GPUs of AMD.
    """
    _outside("warp_size")


_of_lanes = with_sections("""
    Parameters
    ----------
    value : number
        The number.
    lane : int
        The number of the lane.
    by : int
        How many lanes.
    mask : int
        The bits that differ.

    Returns
    -------
    number
        The value there.
""")


@_of_lanes
def warp_shuffle(value: Any, lane: int) -> Any:
    """Return the value of another lane; all threads of the warp call it together, as all ``warp_`` functions."""
    _outside("warp_shuffle")


@_of_lanes
def warp_shuffle_up(value: Any, by: int) -> Any:
    """Return the value of the lane ``by`` below, or the own value if there is none."""
    _outside("warp_shuffle_up")


@_of_lanes
def warp_shuffle_down(value: Any, by: int) -> Any:
    """Return the value of the lane ``by`` above, or the own value if there is none."""
    _outside("warp_shuffle_down")


@_of_lanes
def warp_shuffle_xor(value: Any, mask: int) -> Any:
    """Return the value of the lane whose number is the own one xor a mask."""
    _outside("warp_shuffle_xor")


_of_conditions = with_sections("""
    Parameters
    ----------
    condition : bool
        The condition.

    Returns
    -------
    bool
        Whether it holds.
""")


@_of_conditions
def warp_any(condition: Any) -> bool:
    """Return whether a condition holds for a thread of the warp."""
    _outside("warp_any")


@_of_conditions
def warp_all(condition: Any) -> bool:
    """Return whether a condition holds for all threads of the warp."""
    _outside("warp_all")


def warp_ballot(condition: Any) -> int:
    """Return a uint64 with a bit for each thread of the warp for which a condition holds.

    Parameters
    ----------
    condition : bool
        The condition.

    Returns
    -------
    int
        The bits.
    """
    _outside("warp_ballot")


def async_copy(target: Any, target_index: Any, source: Any, source_index: Any) -> None:
    """Begin to copy an element to shared memory; it is there after `async_wait` by the same thread.

    Parameters
    ----------
    target : array, view or shared memory
        Shared memory.
    target_index : int or tuple of int
        The coordinates in it.
    source : array, view or shared memory
        Where the element is.
    source_index : int or tuple of int
        The coordinates there.
    """
    _outside("async_copy")


def async_wait() -> None:
    """Wait for the copies that this thread began with `async_copy`; other threads see them after a `barrier`."""
    _outside("async_wait")


_of_atomics = with_sections("""
    Parameters
    ----------
    memory : array, view or shared memory
        Where the element is.
    index : int or tuple of int
        The coordinates of the element.
    value : number
        The number.

    Returns
    -------
    number
        The old element.
""")


@_of_atomics
def atomic_add(memory: Any, index: Any, value: Any) -> Any:
    """Add to an element at once for all threads, and return the old element."""
    _outside("atomic_add")


@_of_atomics
def atomic_min(memory: Any, index: Any, value: Any) -> Any:
    """Replace an element by the minimum with a value at once for all threads, and return the old element."""
    _outside("atomic_min")


@_of_atomics
def atomic_max(memory: Any, index: Any, value: Any) -> Any:
    """Replace an element by the maximum with a value at once for all threads, and return the old element."""
    _outside("atomic_max")


@_of_atomics
def atomic_exchange(memory: Any, index: Any, value: Any) -> Any:
    """Set an element at once for all threads, and return the old element."""
    _outside("atomic_exchange")


@_of_atomics
def atomic_compare(memory: Any, index: Any, expected: Any, value: Any) -> Any:
    """Set an element if it equals ``expected``, at once for all threads, and return the old element.

    Parameters
    ----------
    expected : number
        What the element is compared with.
    """
    _outside("atomic_compare")
