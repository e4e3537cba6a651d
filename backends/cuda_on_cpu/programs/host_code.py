"""`without_calls`: takes the calls of the checks out of the host code of a program, in the assembly of its units.

Kernels are called by their address, and so are virtual functions. So host code is every function whose address is not
taken, and that no function whose address is taken can reach by calls. Its accesses are not checked; without the calls,
its loops are about three times as fast.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from accel.support.system import LINUX, machine

__all__ = ["KNOWN", "without_calls"]

# Where it is known how calls are written.
KNOWN = LINUX and machine() == "x86_64"

_NAME = r"[A-Za-z_$][\w.$]*"
_ANY_NAME = re.compile(r"(?<![\w.@])[A-Za-z_][\w.$]*")
_FUNCTION = re.compile(rf"\s*\.type\s+({_NAME}),\s*[@%]function")
_LABEL = re.compile(rf"({_NAME}):")
_CALL = re.compile(rf"\s*(?:call|j[a-z]+)q?\s+\*?({_NAME})(?:@\w+)?(?:\(%rip\))?\s*(?:#.*)?$")
_CHECK = re.compile(
    r"\s*callq?\s+\*?(?:__tsan_(?:unaligned_)?(?:volatile_)?(?:read|write|read_write)\d+|"
    r"__tsan_(?:read|write)_range|__tsan_vptr_(?:read|update)|__tsan_func_(?:entry|exit)|"
    r"accel_sim_declared)(?:@\w+)?(?:\(%rip\))?\s*(?:#.*)?$"
)
# Directives that have addresses of functions; the others have their names.
_DATA = (".quad", ".long", ".8byte", ".4byte", ".xword", ".word", ".dc.a")
_ALIAS = re.compile(rf"\s*\.set\s+({_NAME}),\s*({_NAME})\s*$")


def without_calls(units: Sequence[str]) -> list[str]:
    """Return the assembly of all units of a program, without the calls of checks in host code."""
    lines = [unit.split("\n") for unit in units]
    functions = {match[1] for unit in units for match in _FUNCTION.finditer(unit)}
    checked = _checked(lines, functions)
    return ["\n".join(_stripped(unit, functions, functions - checked)) for unit in lines]


def _checked(units: Sequence[list[str]], functions: set[str]) -> set[str]:
    """Return the functions whose address is taken, and all that they call."""
    calls, addresses = defaultdict(set), set()
    for lines in units:
        for function, line in _within(lines, functions):
            if match := _CALL.match(line):
                calls[function].add(match[1])
            elif match := _ALIAS.match(line):
                calls[match[1]].add(match[2])
            elif names := functions.intersection(_addresses(line)):
                addresses |= names
    return _reached(addresses, calls)


def _addresses(line: str) -> Iterable[str]:
    """Return the names whose addresses a line may have."""
    line = line.partition("#")[0].strip()
    if not line or line.endswith(":") or (line[0] == "." and not line.startswith(_DATA)):
        return ()
    return _ANY_NAME.findall(line)


def _reached(first: set[str], calls: dict[str, set[str]]) -> set[str]:
    reached, waiting = set(first), [*first]
    while waiting:
        new = calls.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    return reached


def _within(lines: Iterable[str], functions: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the lines, each with its function; not those that list what runs before `main`, nor those for debuggers."""
    function = section = ""
    for line in lines:
        if line[:1] not in {"\t", " ", "."} and (match := _LABEL.match(line)):
            function = match[1] if match[1] in functions else ""
        elif ".section" in line:
            section = line
        elif line.startswith(("\t.text", "\t.data", "\t.bss")):
            section = ""
        if ".init_array" not in section and ".debug" not in section:
            yield function, line


def _stripped(lines: Iterable[str], functions: set[str], host: set[str]) -> Iterator[str]:
    function = ""
    for line in lines:
        if line[:1] not in {"\t", " ", "."} and (match := _LABEL.match(line)):
            function = match[1] if match[1] in functions else ""
        if function not in host or not _CHECK.match(line):
            yield line
