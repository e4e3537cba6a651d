"""Constraints between the arguments of a task: which tiles each point of a launch gets (Legate's).

`align` and `broadcast` say which stores are cut alike, and which each point gets whole. `image`, `scale` and `bloat`
derive the tiles of one store from those of another.
"""

from collections.abc import Iterable
from operator import index
from typing import NamedTuple, SupportsIndex

from accel.errors import StoreSizeError, StoreTypeError, StoreValueError
from accel.support.enums import PlainEnum

__all__ = [
    "Align",
    "Bloat",
    "Broadcast",
    "Constraint",
    "Derived",
    "Image",
    "ImageComputationHint",
    "Scale",
    "align",
    "bloat",
    "broadcast",
    "image",
    "in_order",
    "scale",
]


class ImageComputationHint(PlainEnum):
    """How the tiles of an `image` are found (Legate's).

    A tile is always a box. With ``NO_HINT`` it is the smallest box of the elements that exist and are pointed to. With
    ``MIN_MAX`` the box of all points is cut off at the ends of the range store. With ``FIRST_LAST`` only the first and
    the last element of each tile of the function store are looked at: its elements must be sorted.
    """

    NO_HINT = "no_hint"
    MIN_MAX = "min_max"
    FIRST_LAST = "first_last"


class Align(NamedTuple):
    """Stores of one shape that are cut alike."""

    names: tuple[str, ...]


class Broadcast(NamedTuple):
    """Stores that each point gets whole."""

    names: tuple[str, ...]


class Image(NamedTuple):
    """A store whose tiles hold what the elements of another one point to."""

    source: str
    target: str
    hint: ImageComputationHint


class Scale(NamedTuple):
    """A store whose tiles are those of another one, by factors larger."""

    source: str
    target: str
    factors: tuple[int, ...]


class Bloat(NamedTuple):
    """A store whose tiles are those of another one, with more elements at their ends."""

    source: str
    target: str
    low: tuple[int, ...]
    high: tuple[int, ...]


Derived = Image | Scale | Bloat
"""What derives the tiles of one store from those of another."""

Constraint = Align | Broadcast | Derived


def align(*names: str) -> Align:
    """Require that these parameters get stores of one shape, cut alike.

    If all are plain stores, an engine may cut them itself: the task then must compute each element, or each row, of its
    results from the same elements or rows of its inputs.

    Parameters
    ----------
    *names : str
        The names of the parameters.

    Returns
    -------
    Align
        The constraint, for `task`.

    Raises
    ------
    StoreValueError
        If there are less than two names.

    Examples
    --------
    >>> from accel.engines import align
    >>> align("x", "y")
    Align(names=('x', 'y'))
    """
    if len(names) < 2:
        raise StoreValueError(f"align needs two names or more, as in align('x', 'y'); found {len(names)}")
    return Align(names)


def broadcast(*names: str) -> Broadcast:
    """Require that each point of a launch gets these stores whole.

    Parameters
    ----------
    *names : str
        The names of the parameters.

    Returns
    -------
    Broadcast
        The constraint, for `task`.

    Raises
    ------
    StoreValueError
        If there is no name.

    Examples
    --------
    >>> from accel.engines import broadcast
    >>> broadcast("c")
    Broadcast(names=('c',))
    """
    if not names:
        raise StoreValueError("broadcast needs a name, as in broadcast('c')")
    return Broadcast(names)


def image(var_function: str, var_range: str, hint: ImageComputationHint = ImageComputationHint.NO_HINT) -> Image:
    """Require that each point gets those elements of a store to which its tile of another store points.

    The task is called with a partition of the function store, and with the range store itself. Each color gets a
    tile of the range store, a box with all elements that its tile of the function store points to. Points outside
    of the range store are left out. If the function store is given whole, so is the range store.

    The values of the function store are read when the task is submitted: the call waits for the tasks that write it.

    Parameters
    ----------
    var_function : str
        The parameter of the function store. It has integers. If the range store has N dimensions, the last dimension of
        the function store has the N coordinates of a point, or the 2 N coordinates of the first and the last point
        of a rectangle, both included, as the descriptor of a list array has; a rectangle that ends before it begins
        is empty. For N = 1 a function store of one dimension has an index in each element.
    var_range : str
        The parameter of the range store.
    hint : ImageComputationHint
        How the tiles are found.

    Returns
    -------
    Image
        The constraint, for `task`.

    Raises
    ------
    StoreTypeError
        If the hint is no `ImageComputationHint`.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.engines import Input, Output, image, task
    >>> from accel.store import create_store, from_array
    >>> @task(constraints=[image("at", "x")])
    ... def gather(at: Input, x: Input, y: Output):
    ...     first = x.domain.lo[0]
    ...     y.span_write_accessor()[...] = x.span_read_accessor()[at.span_read_accessor() - first]
    >>> at, x, y = from_array(np.array([7, 6, 1, 0])), from_array(np.arange(10.0)), create_store("float64", (4,))
    >>> future = gather(at.partition_by_tiling((2,)), x, y.partition_by_tiling((2,)))
    >>> np.asarray(y)
    array([7., 6., 1., 0.])
    """
    if not isinstance(hint, ImageComputationHint):
        raise StoreTypeError(f"{hint!r} is no hint; write hint=ImageComputationHint.MIN_MAX, or leave it out")
    return Image(*_names("image", var_function, var_range), hint)


def scale(factors: Iterable[SupportsIndex], var_smaller: str, var_bigger: str) -> Scale:
    """Require that the tiles of a store are those of another one, by a factor larger in each dimension.

    The task is called with a partition of the smaller store, and with the bigger store itself.

    Parameters
    ----------
    factors : sequence of int
        The factor of each dimension.
    var_smaller, var_bigger : str
        The parameters of the store that is cut, and of the store whose tiles are derived.

    Returns
    -------
    Scale
        The constraint, for `task`.

    Examples
    --------
    >>> from accel.engines import scale
    >>> scale((1, 8), "bytes", "bits")
    Scale(source='bytes', target='bits', factors=(1, 8))
    """
    return Scale(*_names("scale", var_smaller, var_bigger), _counts("scale", "factors", factors, 1))


def bloat(
    var_source: str, var_bloat: str, low_offsets: Iterable[SupportsIndex], high_offsets: Iterable[SupportsIndex]
) -> Bloat:
    """Require that the tiles of a store are those of another one, with more elements at both ends, as stencils need.

    The task is called with a partition of the source store, and with the other store itself. Tiles end where the
    store ends.

    Parameters
    ----------
    var_source, var_bloat : str
        The parameters of the store that is cut, and of the store whose tiles are derived.
    low_offsets, high_offsets : sequence of int
        Number of elements more in each dimension, before the first and after the last element.

    Returns
    -------
    Bloat
        The constraint, for `task`.

    Raises
    ------
    StoreValueError
        If there is no offset for each dimension, low and high.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.engines import Input, Output, bloat, task
    >>> from accel.store import create_store, from_array
    >>> @task(constraints=[bloat("y", "x", (1,), (1,))])
    ... def smooth(x: Input, y: Output):
    ...     values, first = x.read_accessor(), x.domain
    ...     for (i,) in y.domain:
    ...         y.write_accessor()[i] = sum(values[j] for j in (i - 1, i, i + 1) if (j,) in first)
    >>> x, y = from_array(np.arange(6.0)), create_store("float64", (6,))
    >>> future = smooth(x, y.partition_by_tiling((2,)))
    >>> np.asarray(y)
    array([ 1.,  3.,  6.,  9., 12.,  9.])
    """
    low, high = _counts("bloat", "low_offsets", low_offsets, 0), _counts("bloat", "high_offsets", high_offsets, 0)
    if len(low) != len(high):
        raise StoreValueError(f"bloat needs an offset for each dimension, low and high; found {low} and {high}")
    return Bloat(*_names("bloat", var_source, var_bloat), low, high)


def in_order(constraints: Iterable[Constraint]) -> tuple[Derived, ...]:
    """Return the constraints that derive tiles, each after that from whose target it derives.

    Raises
    ------
    StoreValueError
        If a store gets its tiles in two ways, or from its own tiles.
    """
    targets: dict[str, Derived] = {}
    given = {name: each for each in constraints if isinstance(each, Align | Broadcast) for name in each.names}
    for each in constraints:
        if isinstance(each, Derived):
            other = given.get(each.target) or targets.get(each.target)
            if other is not None:
                raise StoreValueError(f"{each.target!r} would get its tiles by {each} and {other}; write one of them")
            targets[each.target] = each
    ordered: dict[str, Derived] = {}
    for each in targets.values():
        _add(each, targets, ordered, ())
    return tuple(ordered.values())


def _add(each: Derived, targets: dict[str, Derived], ordered: dict[str, Derived], within: tuple[str, ...]) -> None:
    if each.target in within:
        raise StoreValueError(f"the tiles of {each.target!r} would be derived from themselves: {each}")
    source = targets.get(each.source)
    if source is not None and each.source not in ordered:
        _add(source, targets, ordered, (*within, each.target))
    ordered[each.target] = each


def _names(what: str, source: str, target: str) -> tuple[str, str]:
    for name in (source, target):
        if not isinstance(name, str):
            raise StoreTypeError(f"{what} takes the names of two parameters, as text; found {type(name).__name__}")
    if source == target:
        raise StoreValueError(f"{what} takes two different parameters; found {source!r} twice")
    return source, target


def _counts(what: str, name: str, values: Iterable[SupportsIndex], least: int) -> tuple[int, ...]:
    """Return one integer for each dimension."""
    try:
        counts = tuple([index(each) for each in values])
    except TypeError:
        raise StoreTypeError(f"{what} takes {name} as integers, one for each dimension; found {values!r}") from None
    if min(counts, default=least) < least:
        raise StoreSizeError(f"the {name} of {what} are {least} or more; found {counts}")
    return counts
