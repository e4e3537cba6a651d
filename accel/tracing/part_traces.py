"""`PartTrace`: a run of a function with symbols, in which what was recorded is computed when elements are needed.

Then every array that is used is computed, by one plan, and the function runs on: what it reads of these is memory.
Plans are kept by their graphs. So a call costs the time of the trace, and compiles nothing that an earlier one did.
"""

from collections.abc import Callable, Hashable, MutableMapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.lib.stride_tricks import as_strided

from accel import config
from accel.dtypes import DType
from accel.errors import FuseError
from accel.fusion.graph_keys import graph_key
from accel.fusion.index_maps import IndexMap, offset_and_strides
from accel.fusion.nodes import Call, Constant, Input, Node, Scalar, View, in_order
from accel.tracing.calls_at_once import call_at_once
from accel.tracing.existing_arrays import ExistingArrays
from accel.tracing.nan_origins import NanOrigins
from accel.tracing.plans import Plan
from accel.tracing.result_nodes import with_own_memory
from accel.tracing.symbols import Base, Symbol
from accel.tracing.trace import Trace, input_of, is_contiguous
from accel.tracing.view_bases import SharedBase
from accel.xp.array_base import in_memory, live, view_of
from accel.xp.array_storage import may_overlap
from accel.xp.arrays import wrap
from accel.xp.recording import recorded

__all__ = ["PartTrace", "Plans"]

_MOST_PLANS = 1024

_FEW = 16
"""Numbers of Python up to this one are part of the code; others are passed, so that a change compiles nothing."""


class _Stored(NamedTuple):
    """An array of `accel.xp` that has its elements, and the library's array."""

    array: Any
    native: Any

    @classmethod
    def of(cls, array: Any) -> "_Stored":
        return cls(array, in_memory(array))


class _KeptPlan(NamedTuple):
    """A plan, and the numbers of its scalars, in the order of the graph."""

    plan: Plan
    scalars: list[int]


Plans = MutableMapping[Hashable, Any]
"""The plans of a function by their graphs, and models of results of functions by their arguments."""


class PartTrace(Trace):
    """One run of a function with symbols, in parts.

    Parameters
    ----------
    library : ArrayLibrary
        That of the device.
    plans : Plans
        Those of earlier runs, and of this one.
    name : str
        That of the kernels.
    """

    def __init__(self, library: Any, plans: Plans, name: str) -> None:
        super().__init__(library)
        self.existing: _Existing = _Existing(self)
        self._plans = plans
        self._name = name
        self._values: list[Any] = []
        self._stored: dict[Input, _Stored] = {}
        self._computed: list[ref[Base]] = []  # those with an array
        self._uncomputed: list[ref[Base]] = []  # those without
        self._lent: list[ref[Base]] = []  # those whose memory may be that of other arrays
        self._apart: WeakKeyDictionary[Base, int] = WeakKeyDictionary()

    # Arrays and numbers

    def symbol(self, node: Node, like: Sequence[Any] = ()) -> Symbol:
        """Return a new array with the elements of a node."""
        symbol = super().symbol(node, like)
        self._uncomputed.append(ref(symbol.base))
        return symbol

    def scalar(self, number: Any, dtype: DType | None = None) -> Symbol:
        """Return the symbol of a number, which is known."""
        return self.symbol(self.constant(number.evaluate(()), np.dtype(number.kind) if dtype is None else dtype))

    def constant(self, value: Any, dtype: DType) -> Node:
        """Return a number of a dtype, which is passed if it is likely to be another one in other calls."""
        node: Any = super().constant(value, dtype)
        if dtype.kind not in "iuf" or dtype.isbuiltin != 1 or _is_simple(node.value):
            return node  # type: ignore[no-any-return]

        def passed() -> Node:
            self._values.append(node.value)
            return Scalar(dtype, len(self._values) - 1)

        return self._once(("scalar", node.serial), passed)

    def of_size(self, value: float, dtype: DType) -> Node:
        """Return a number that depends on sizes."""
        return self.constant(value, dtype)

    def exists(self, array: Any, *, shared: bool = False, lent: bool = True) -> Symbol:
        """Return the symbol of an array that exists.

        Parameters
        ----------
        array : Array
            The array.
        shared : bool, optional
            Whether other code may write it at any time.
        lent : bool, optional
            Whether its memory may be that of other arrays.
        """
        kept = recorded(None, _Stored.of, array)
        native = kept.native
        if lent and any(may_overlap(self.real, native, self._native_of(base)) for base in self.written):
            self.compute()
        node = self._input(kept)
        readonly = self.real.backend.is_readonly(native)
        base = Base(node, source=node, readonly=readonly, contiguous=is_contiguous(node))
        if shared or (lent and any(type(each) is SharedBase for each in self._others(base))):
            base.__class__ = SharedBase
        self._computed.append(ref(base))
        if lent:
            self._lent.append(ref(base))
        return Symbol(self, base)

    def _native_of(self, base: Base) -> Any:
        assert base.source is not None, "it exists"
        return self._stored[base.source].native

    def _input(self, kept: "_Stored") -> Input:
        node = input_of(kept.native, 0, "an array")
        self._stored[node] = kept
        return node

    def array_of(self, x: Symbol) -> Any:
        """Return the array of `accel.xp` for a symbol, which has its elements."""
        views: list[Callable[[Any], Any]] = []
        while x.parent is not None:
            x, view = x.parent
            views.append(view)
        base = x.base
        if base.source is None or base.node is not base.source:
            self.compute(base)
        assert base.source is not None, "it is computed"
        return recorded(None, _viewed, self._stored[base.source].array, views[::-1])

    def snapshot(self, base: Base, index_map: IndexMap | None, shape: tuple[int, ...]) -> Node:
        """Return the elements of memory that other code may write, as they are now: all, or those of a view."""
        assert base.source is not None, "it exists"
        array = self._stored[base.source].array
        is_whole = index_map is None or self.real.of_numpy is None or any(axis.turn for axis in index_map)
        node = self._input(recorded(None, _copied, array, None if is_whole else index_map, shape))
        return self.view(node, index_map, shape) if is_whole and index_map is not None else node

    # Elements

    def evaluate(self, function: Callable[[Any], Any], x: Symbol, _: str) -> Any:
        """Return what a function of an array with elements returns."""
        if self.finished:
            raise self.needs_value("it")
        return recorded(None, function, self.array_of(x))

    def lend(self, function: Callable[[Any], Any], x: Symbol, what: str) -> Any:
        """Return what a function of the memory of an array returns, which other code may write from now on."""
        self.compute()  # what is recorded reads the memory as it is now
        result = self.evaluate(function, x, what)
        base = _root(x)
        if type(base) is not SharedBase:
            for other in [base, *self._others(base)]:
                other.__class__ = SharedBase
            self._lent.append(ref(base))
        return result

    def compute(self, *needed: Base, everything: bool = False) -> None:
        """Compute what was written, and all arrays that are there; of those that repeat a number, what is needed."""
        bases = [base for each in self._uncomputed if (base := each()) is not None]
        due = [base for base in bases if everything or base in needed or not _repeats(base.node)]
        if due or self.written:
            recorded(None, self._compute, due)
        self._uncomputed = [ref(base) for base in bases if base.source is None]

    def _compute(self, bases: Sequence[Base]) -> None:
        taken: set[Node] = set()
        outputs = [with_own_memory(base.node, taken) for base in bases]
        writes = self.write_backs
        roots = [*outputs, *(node for each in writes for node in each)]
        nodes = in_order(roots)
        scalars = [node for node in nodes if isinstance(node, Scalar)]
        inputs = [node for node in nodes if isinstance(node, Input)]
        self.inputs: list[Base] = [Base(node, source=node) for node in inputs]
        targets = {each.target for each in writes}
        natives = [live(self._stored[node].array, writing=node in targets) for node in inputs]
        plan, numbers = self._plan(graph_key(nodes, roots), outputs, scalars)
        settings, values = config.current(), [self._values[each.number] for each in scalars]
        if settings.debug and settings.nan_checks:
            NanOrigins(self, outputs, self._name).check(natives, self._values)
        found = plan.run(natives, dict(zip(numbers, values, strict=True)))  # type: ignore[arg-type]
        self._keep(bases, found)

    def _plan(self, graph: Hashable, outputs: Sequence[Node], scalars: list[Scalar]) -> _KeptPlan:
        debug = config.current().debug
        self.adapted: list[Scalar] = scalars
        key = graph, self.real.device, debug
        kept: _KeptPlan | None = self._plans.get(key)
        if kept is None:
            plan = Plan(self, outputs, self._name, debug=debug)
            kept = self._plans[key] = _KeptPlan(plan, [each.number for each in scalars])
            while len(self._plans) > _MOST_PLANS:
                self._plans.pop(next(iter([*self._plans])), None)
        return kept

    def _keep(self, bases: Sequence[Base], found: Sequence[Any]) -> None:
        """Let computed bases have their arrays, and forget what was recorded."""
        stored = self._stored
        for base, native in zip(bases, found, strict=True):
            base.node = base.source = self._input(_Stored.of(wrap(self.real, native)))
            base.order, base.contiguous = None, True
            self._computed.append(ref(base))
        for base in self.written:
            assert base.source is not None, "it was an input"
            base.node = base.source = self._input(stored[base.source])
        self._known.clear()
        self.written.clear()
        self.inputs = []
        self._computed = [each for each in self._computed if each() is not None]
        sources = [used.source for each in self._computed if (used := each()) is not None]
        self._stored = {each: stored[each] for each in sources if each is not None}

    def finish(self) -> None:
        """Let go of arrays: what refers to the trace and to its library in a circle is collected later."""
        self.finished = True
        self.existing = _Existing(self)
        self._stored = {}

    # Writes

    def write(self, x: Symbol, value: Node) -> None:
        """Replace the elements of an array by those of a node; at once, if its memory is that of other arrays too."""
        base = x.base
        if base.source is None or not self._is_lent(base):
            super().write(x, value)
            return
        kept = self.symbol(value)  # so that it is computed
        self.change(x, lambda array: array.__setitem__(..., self.array_of(kept)))

    def change(self, x: Symbol, function: Callable[[Any], Any]) -> None:
        """Call a function that writes to an array, after all that is recorded."""
        self.compute()
        recorded(None, function, self.array_of(x))
        lent = [other for each in self._lent if (other := each()) is not None]
        for base in {_root(x), *lent}:
            assert base.source is not None, "it exists"
            base.node = base.source = self._input(self._stored[base.source])

    def _is_lent(self, base: Base) -> bool:
        """Tell whether memory may be that of other arrays."""
        if type(base) is SharedBase:
            return True
        checked = self._apart.get(base, 0)
        if not checked and not any(each() is base for each in self._lent):
            return False
        if self._others(base, checked):
            return True
        self._apart[base] = len(self._lent)
        return False

    def _others(self, base: Base, first: int = 0) -> list[Base]:
        """Return the bases that may have memory of this one, of those that were lent from a certain one on."""
        native = self._native_of(base)
        lent = [other for each in self._lent[first:] if (other := each()) is not None and other is not base]
        return [other for other in lent if may_overlap(self.real, native, self._native_of(other))]

    # Functions of the library

    def _called(
        self, name: str, function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]
    ) -> Any:
        try:
            return super()._called(name, function, arguments, keywords)
        except FuseError:
            return call_at_once(self, function, arguments, keywords)

    def _model(self, call: Call) -> Any:
        try:
            key = "model", call.name, _form(call.arguments), _form(tuple(call.keywords.items()))
            model = self._plans.get(key, self)
        except TypeError:  # an argument has no hash
            return super()._model(call)
        if model is self:
            model = self._plans[key] = super()._model(call)
        return model

    def _results(self, _: Call, __: Any) -> Any:
        raise _NotRecordedError


class _NotRecordedError(FuseError):
    """A function is called at once."""


class _Existing(ExistingArrays):
    """Arrays that exist, as they are when they are read."""

    def __init__(self, trace: PartTrace) -> None:
        super().__init__(trace)
        self._parts = trace
        self._by_id: dict[int, tuple[ref[Any], Symbol]] = {}

    def capture(self, array: Any) -> Symbol:
        """Return the symbol of an array of `accel.xp` on the device of the trace."""
        known, number = self._by_id, id(array)
        kept = known.get(number)
        if kept is None or kept[0]() is not array:
            symbol = self._parts.exists(recorded(None, _same, array))
            kept = known[number] = ref(array, lambda _: known.pop(number, None)), symbol
        return kept[1]

    def of_numpy(self, values: np.ndarray[Any, DType]) -> Symbol:
        """Return the symbol of an array of NumPy, which its functions may write at any time."""
        return self._parts.exists(self.on_device(values), shared=self._parts.real.of_numpy is not None)

    def selected(self, mask: np.ndarray[Any, DType]) -> tuple[Any, ...]:
        """Return the indices that a mask of NumPy selects."""
        return mask.nonzero()


def _same(array: Any) -> Any:
    """Return another object for an array, which may be forgotten while the memory is not."""
    return view_of(array, in_memory(array))


def _repeats(node: Node) -> bool:
    """Tell whether all elements are one number, as of `zeros`: they take no time where they are read."""
    return isinstance(node, View) and isinstance(node.source, Constant | Scalar)


def _root(x: Symbol) -> Base:
    """Return the base that an array is a view of."""
    while x.parent is not None:
        x, _ = x.parent
    return x.base


def _viewed(array: Any, views: Sequence[Callable[[Any], Any]]) -> Any:
    for view in views:
        array = view(array)
    return array


def _copied(array: Any, index_map: IndexMap | None, shape: tuple[int, ...]) -> _Stored:
    native = live(array)
    if index_map is None:
        return _Stored.of(array.__copy__())
    if 0 in shape:
        copy = np.empty(shape, native.dtype)
    else:
        first = native[tuple([slice(axis.start, axis.start + 1) for axis in index_map])]
        _, steps = offset_and_strides(index_map, native.strides, len(shape))
        copy = as_strided(first, shape, steps).copy()
    return _Stored.of(wrap(array._library, copy))


def _form(value: Any) -> Hashable:
    """Return what the shapes of results depend on."""
    if isinstance(value, tuple | list):
        return type(value), *map(_form, value)
    if isinstance(value, Node):
        return Node, value.shape, value.dtype
    if isinstance(value, float):
        return repr(value)
    hash(value)
    return type(value), value


def _is_simple(value: Any) -> bool:
    """Tell whether a number is likely to be the same one in each call: a small one, or a half, quarter or eighth."""
    return bool(abs(value) <= _FEW and value * 8 == int(value * 8))
