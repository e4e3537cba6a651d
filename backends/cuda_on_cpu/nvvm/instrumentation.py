"""`instrumented`: a module with a call of the checks before each access, as with ``-fsanitize=thread``.

It works on the text after the passes of LLVM, one instruction a line: what these have made registers of is no access.
Accesses of a local variable by its name are not checked, as nobody else can make them; an index of it that is not
constant is.
"""

import re
from collections.abc import Iterator

from .kinds import parts, size_and_alignment, split_kind

__all__ = ["instrumented"]

_FUNCTION = re.compile(r'^define .*?@"?([^"(]+)"?\(')
_HEAD = re.compile(r"^(define .*?)((?: !\w+ !\d+)* \{)$")
_INSTRUCTION = re.compile(r"^ +(?:(%\S+) = )?((?:tail |notail )?call|[a-z]+) (.*)$")
_ORDER = re.compile(r' (?:syncscope\("\w*"\) )?(?:unordered|monotonic|acquire|release|acq_rel|seq_cst)$')
_RANGE = re.compile(r"(?:void )@llvm\.(mem\w+)\.\S*\((.*)\)")
_INDEX = re.compile(r"%|\bi\d+ [1-9]")
_UPDATES = {"add", "sub", "and", "or", "xor", "nand"}
_LOCAL = "declare void @accel_sim_local(ptr, i64, ptr, i64)"


def instrumented(text: str) -> str:
    """Return a module with the calls."""
    lines: list[str] = []
    declared: dict[str, str] = {}
    function: _Function | None = None
    for line in text.splitlines():
        if line.startswith("define "):
            found = _FUNCTION.match(line)
            function = None if found is None or found[1].startswith("accel") else _Function(declared)
            lines.append(_HEAD.sub(r'\1 "frame-pointer"="all"\2', line))
        elif function is not None and line.startswith("  "):
            lines += function.instrumented(line)
        else:
            lines.append(line)
    present = {line for line in lines if line.startswith("declare ")}
    named = " ".join(present)
    return "\n".join([*lines, *[each for name, each in declared.items() if f"@{name}(" not in named], ""])


class _Function:
    """The instructions of a function, one by one."""

    def __init__(self, declared: dict[str, str]) -> None:
        self._declared = declared
        self._bases: dict[str, tuple[str, bool]] = {}
        """Of addresses: what they are in, and whether the place in it is not constant."""
        self._locals: dict[str, int] = {}
        self._number = 0

    def instrumented(self, line: str) -> list[str]:
        """Return an instruction, after the calls of the checks that it needs, or with one in its place."""
        found = _INSTRUCTION.match(line)
        if found is None:
            return [line]
        target, operation, rest = found.groups()
        if operation == "alloca":
            self._locals[target] = _size_of_local(rest)
        elif operation == "getelementptr":
            self._note_address(target, parts(rest))
        elif operation in {"load", "store"}:
            return list(self._access(line, target, operation, rest))
        elif operation == "atomicrmw":
            return list(self._update(line, target, rest))
        elif operation == "cmpxchg":
            return list(self._exchange(line, target, rest))
        elif operation.endswith("call"):
            return [*self._copies(rest), _not_last(line)]
        return [line]

    def _note_address(self, target: str, operands: list[str]) -> None:
        base = next((each[4:] for each in operands if each.startswith("ptr ")), "")
        where, varies = self._bases.get(base, (base, False))
        indices = [each for each in operands if re.match(r"i\d+ ", each)]
        self._bases[target] = where, varies or any("%" in each for each in indices)

    def _access(self, line: str, target: str | None, operation: str, rest: str) -> Iterator[str]:
        atomic = rest.startswith("atomic ")
        rest = rest.removeprefix("atomic ")
        volatile = rest.startswith("volatile ")
        operands = parts(rest.removeprefix("volatile "))
        kind, value = (operands[0], "") if operation == "load" else split_kind(operands[0])
        at = _ORDER.sub("", operands[1].removeprefix("ptr "))
        debug = _debug(operands)
        size, natural = size_and_alignment(kind)
        if self._is_local(at):
            yield from self._checked_index(at, size, debug)
            yield line
        elif atomic:
            bits = 8 * size
            if operation == "load":
                call = self._call(f"__tsan_atomic{bits}_load", f"i{bits}", f"ptr {at}, i32 0", "ptr, i32")
                yield f"  {target} = {call}{debug}"
            else:
                call = self._call(
                    f"__tsan_atomic{bits}_store", "void", f"ptr {at}, i{bits} {value}, i32 0", f"ptr, i{bits}, i32"
                )
                yield f"  {call}{debug}"
        else:
            aligned = next((int(each[6:]) for each in operands if each.startswith("align ")), natural)
            yield self._check("read" if operation == "load" else "write", at, size, aligned, volatile=volatile) + debug
            yield line

    def _check(self, what: str, at: str, size: int, aligned: int, *, volatile: bool) -> str:
        if size not in {1, 2, 4, 8, 16}:
            call = self._call(f"__tsan_{what}_range", "void", f"ptr {at}, i64 {size}", "ptr, i64")
        else:
            kind = ("unaligned_" if aligned < size else "") + ("volatile_" if volatile else "")
            call = self._call(f"__tsan_{kind}{what}{size}", "void", f"ptr {at}", "ptr")
        return f"  {call}"

    def _update(self, line: str, target: str | None, rest: str) -> Iterator[str]:
        operation, rest = rest.removeprefix("volatile ").split(" ", 1)
        operands = parts(rest)
        at, debug = operands[0].removeprefix("ptr "), _debug(operands)
        kind, value = split_kind(_ORDER.sub("", operands[1]))
        if self._is_local(at):
            yield line
            return
        bits = 8 * size_and_alignment(kind)[0]
        name = f"fetch_{operation}" if operation in _UPDATES else "exchange"
        call = self._call(f"__tsan_atomic{bits}_{name}", kind, f"ptr {at}, {kind} {value}, i32 0", f"ptr, {kind}, i32")
        yield f"  {target} = {call}{debug}" if target else f"  {call}{debug}"

    def _exchange(self, line: str, target: str | None, rest: str) -> Iterator[str]:
        operands = parts(rest.removeprefix("weak ").removeprefix("volatile "))
        at, debug = operands[0].removeprefix("ptr "), _debug(operands)
        kind, expected = split_kind(operands[1])
        _, value = split_kind(_ORDER.sub("", _ORDER.sub("", operands[2])))
        if self._is_local(at):
            yield line
            return
        name = f"__tsan_atomic{8 * size_and_alignment(kind)[0]}_compare_exchange_val"
        arguments = f"ptr {at}, {kind} {expected}, {kind} {value}, i32 0, i32 0"
        self._number += 1
        old, same, half = (f"%accel.{self._number}.{part}" for part in ("old", "same", "half"))
        yield f"  {old} = {self._call(name, kind, arguments, f'ptr, {kind}, {kind}, i32, i32')}{debug}"
        yield f"  {same} = icmp eq {kind} {old}, {expected}"
        yield f"  {half} = insertvalue {{ {kind}, i1 }} poison, {kind} {old}, 0"
        yield f"  {target} = insertvalue {{ {kind}, i1 }} {half}, i1 {same}, 1"

    def _copies(self, rest: str) -> Iterator[str]:
        """Yield checks of what an intrinsic function reads and writes."""
        found = _RANGE.match(rest)
        if found is None or found[1] not in {"memcpy", "memmove", "memset"}:
            return
        operands, debug = parts(found[2]), _debug(parts(rest))
        size = operands[2]
        names = ("accel_sim_writes",) if found[1] == "memset" else ("accel_sim_writes", "accel_sim_reads")
        for name, operand in zip(names, operands, strict=False):
            at = operand.rpartition(" ")[2]
            if not self._is_local(at):
                yield f"  {self._call(name, 'void', f'ptr {at}, {size}', 'ptr, i64')}{debug}"

    def _is_local(self, at: str) -> bool:
        """Tell whether an address is that of a local variable, or of a counter: nobody else uses these."""
        return self._bases.get(at, (at, False))[0] in self._locals or "@accel_sim_counters" in at

    def _checked_index(self, at: str, size: int, debug: str) -> Iterator[str]:
        base, varies = self._bases.get(at, (at, False))
        if varies:
            arguments = f"ptr {base}, i64 {self._locals[base]}, ptr {at}, i64 {size}"
            yield f"  {self._call('accel_sim_local', 'void', arguments, 'ptr, i64, ptr, i64')}{debug}"

    def _call(self, name: str, result: str, arguments: str, kinds: str) -> str:
        self._declared[name] = f"declare {result} @{name}({kinds})"
        return f"notail call {result} @{name}({arguments})"


def _size_of_local(rest: str) -> int:
    operands = parts(rest)
    size = size_and_alignment(operands[0])[0]
    counted = [each for each in operands[1:] if re.fullmatch(r"i\d+ \d+", each)]
    return size * int(counted[0].split()[1]) if counted else size


def _debug(operands: list[str]) -> str:
    return next((f", {each}" for each in operands if each.startswith("!dbg ")), "")


def _not_last(line: str) -> str:
    """Return a call that is one even at the end of a function: its line is found by the address that it returns to."""
    return (
        line.replace("tail call ", "call ", 1)
        if " asm " in line
        else re.sub(r"(?:no)?(?:tail )?call ", "call ", line, count=1)
    )
