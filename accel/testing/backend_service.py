"""`use_backend`: a backend object serves its devices inside a ``with`` block."""

import gc
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from accel.abc import Backend
from accel.memory.heap import heaps
from accel.memory.sizes import in_words
from accel.registry import Service, providers
from accel.support.device_names import DEVICE_TYPES
from accel.testing.simulation import in_use

__all__ = ["serving", "use_backend"]


@contextmanager
def use_backend(backend: Backend, *types: str) -> Iterator[Backend]:
    """Let a backend object serve its devices inside the block, and restore what served them before.

    The block has fresh heaps, array libraries and pools of pinned memory for these devices. Blocks may be nested; the
    innermost one that is still open serves. All threads of the process see the change. So no other thread may use
    devices of the same type while the block begins or ends.

    Parameters
    ----------
    backend : Backend
        The object, not its class.
    *types : str
        Types of device that it serves, as in ``cuda``; by default the types of its `Backend.devices`.

    Yields
    ------
    Backend
        The same object.

    Raises
    ------
    TypeError
        If the object lacks members of `Backend`.
    ValueError
        If a type is unknown, or no type is given and the backend lists no device.
    RuntimeError
        At the beginning, if memory of the replaced backend is in use: copies of it would go to the wrong backend.
    AssertionError
        At the end, if memory of this backend is still in use and no other error leaves the block.

    Examples
    --------
    >>> import accel
    >>> from accel.backends.sim import SimBackend
    >>> from accel.testing import use_backend
    >>> with use_backend(SimBackend()) as backend:
    ...     accel.zeros(3, device="sim").device.is_available()
    True
    """
    __tracebackhide__ = True
    _refuse_incomplete(backend)
    served = _types_of(backend, types)
    for type in served:
        _refuse_replacing(type, backend)
    live = ""
    with ExitStack() as stack:
        for type in served:
            stack.enter_context(serving(type, backend))
        yield backend
        live = ", ".join(filter(None, map(_live_memory, served)))
    if live:
        raise AssertionError(
            f"memory of {backend.name} is in use after its block ({live}); release it inside the block, "
            f"or delete what refers to it"
        )


class _Block:
    """An open block, and what served its type of device before."""

    __slots__ = ("before",)
    before: Service


# The open blocks of each type, the innermost last.
_open: dict[str, list[_Block]] = {}
_lock = threading.Lock()


@contextmanager
def serving(type: str, backend: Backend) -> Iterator[None]:
    """Let a backend serve a type of device inside the block; does not check for live memory, as `use_backend` does."""
    block = _Block()
    with _lock:
        block.before = providers.exchange(type, Service(backend))
        _open.setdefault(type, []).append(block)
    try:
        yield
    finally:
        with _lock:
            _end(type, block)


def _end(type: str, block: _Block) -> None:
    blocks = _open[type]
    place = blocks.index(block)
    del blocks[place]
    if place == len(blocks):
        providers.exchange(type, block.before)
    else:  # a block that began later is still open: it restores, in the end, what this one would restore now
        blocks[place].before = block.before


def _refuse_replacing(type: str, backend: Backend) -> None:
    """Raise `RuntimeError` if memory is in use whose backend would be replaced."""
    live = _live_memory(type)
    if live:
        raise RuntimeError(
            f"{backend.name} cannot serve {type} while memory of the backend that it replaces is in use ({live}); "
            f"release that memory before the block, or delete what refers to it"
        )


def _live_memory(type: str) -> str:
    """Say how much memory of a type of device is in use; empty if there is none."""
    here = [heap for heap in heaps() if heap.device.type == type]
    for heap in heaps():  # work on another device may hold memory of these
        heap.wait()
    if any(map(in_use, here)):  # otherwise there is nothing to collect, and a collection takes long
        gc.collect()
    return ", ".join(f"{heap.device}: {in_words(in_use(heap))}" for heap in here if in_use(heap))


def _types_of(backend: Backend, types: tuple[str, ...]) -> tuple[str, ...]:
    served = types or tuple(dict.fromkeys(device.type for device in backend.devices()))
    for type in served:
        if type not in DEVICE_TYPES:
            raise ValueError(f"{type!r} is no type of device: write {', '.join(DEVICE_TYPES)}")
    if not served:
        raise ValueError(
            f"{backend.name} lists no device here ({dict(backend.why_unavailable())}); "
            f"say which type it serves, as in use_backend(backend, 'cuda')"
        )
    return served


def _refuse_incomplete(backend: object) -> None:
    """Raise `TypeError` if an object is not a whole backend."""
    if isinstance(backend, type):
        raise TypeError(f"a backend is an object; found the class {backend.__name__}: write {backend.__name__}()")
    missing = [name for name in vars(Backend) if name[0] != "_" and not hasattr(backend, name)]
    if missing:
        raise TypeError(
            f"{type(backend).__name__} is not a backend: it has no {', '.join(missing)}; "
            f"accel.abc.Backend says what each of them does"
        )
