"""`Explanation`: the errors of failed checks in debug mode, with the call stack and the memory that was accessed."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from accel.abc.kernels import Failure
from accel.errors import KernelBoundsError, KernelLaunchError, NanError
from accel.ir import Site
from accel.kernels.argument_types import Memory

__all__ = ["Explanation"]

_PARTS = ("subview", "nested subview")
_NUMBERED = ("tile", "thread")
_TOGETHER = {"barrier": "a barrier", "warp": "a shuffle or vote of a warp"}


class Explanation:
    """Makes the errors of one launch.

    Parameters
    ----------
    kernel : str
        Name of the kernel.
    sites : sequence of Site
        The sites of its program.
    memory : mapping of str to Memory
        The memory of each parameter; empty if nothing is checked.
    launched : str
        The line of the user's code that launched it; empty if the caller's traceback has it.
    """

    __slots__ = ("_kernel", "_launched", "_memory", "_sites")

    def __init__(
        self, kernel: str, sites: Sequence[Site], memory: Mapping[str, Memory] | None = None, launched: str = ""
    ) -> None:
        self._kernel = kernel
        self._sites = sites
        self._memory = {name: _Facts(each) for name, each in (memory or {}).items()}
        self._launched = launched

    def __call__(self, failure: Failure) -> Exception:
        """Return the error of a failed check."""
        error = self._error(failure, self._sites[failure.site])
        if self._launched:
            error.add_note(f"launched at {self._launched}")
        return error

    def _error(self, failure: Failure, site: Site) -> Exception:
        where = f"kernel[{self._kernel}] tid={failure.iteration}"
        stack = _call_stack(site)
        if site.what == "division":
            return ZeroDivisionError(f"Division By Zero: {where}.\n{stack}\n{_count(failure, 'divisions by zero')}")
        if site.what == "nan":
            return NanError(
                f"Not A Number: {where}.\n{stack}\nIt was written into the parameter {site.parameter!r}, "
                f"{failure.offset} elements from its first one{self._memory.get(site.parameter, '')}.\n"
                f"{_count(failure, 'failed checks')}"
            )
        if site.what in _TOGETHER:
            return KernelLaunchError(
                f"{_TOGETHER[site.what]} was not reached by all threads: {where}.\n{stack}\n"
                f"Move it out of the branch or loop that only some threads run."
            )
        return self._out_of_range(failure, site, where, stack)

    def _out_of_range(self, failure: Failure, site: Site, where: str, stack: str) -> KernelBoundsError:
        facts = self._memory.get(site.parameter)
        kind, offset = (facts.kind, facts.offset) if facts else ("Array", 0)
        what, size = f"{site.what if site.what in _NUMBERED else 'index'} {failure.at}", failure.extent
        view = f"offset={offset + failure.offset}, "
        if site.what in _PARTS:  # `frontend.parts` says what the numbers are
            what = f"offset {failure.offset} and size {failure.at - size * (failure.at >= size)}"
            view, size = f"offset={offset}, " * (site.what == _PARTS[0]), size - 1
        return KernelBoundsError(
            f"{kind} Out Of Range: {where}, got {what} ({view}size={size}).\n{stack}\n"
            f"{_access(failure, site, 'parameter' if facts else 'array')}{facts or ''}.\n"
            f"{_count(failure, 'accesses out of range')}"
        )


class _Facts:
    """What an error says of memory; it keeps no memory alive."""

    __slots__ = ("_text", "kind", "offset")

    def __init__(self, memory: Memory) -> None:
        self.kind = memory.kind
        self.offset = memory.offset
        self._text = f", of dtype {memory.dtype.name}, in memory of {memory.storage.size} elements"

    def __str__(self) -> str:
        return self._text


def _call_stack(site: Site) -> str:
    places = [f"{name} ({PurePath(file).name}:{line})" for name, file, line in site.calls]
    lines = [f"{'  ' * depth}{place}" for depth, place in enumerate(places)]
    return "\n".join(["Callstack:", *lines])


def _access(failure: Failure, site: Site, of: str) -> str:
    if site.what in _PARTS:
        return f"The access: {site.what.replace('subview', 'sub-view')} of the {of} {site.parameter!r}"
    return f"The access: {site.what} of the {of} {site.parameter!r}, axis {failure.axis}"


def _count(failure: Failure, what: str) -> str:
    if failure.failures == 1:
        return f"There were no other {what}."
    return f"In all, there were {failure.failures} {what}; this is the first that was recorded."
