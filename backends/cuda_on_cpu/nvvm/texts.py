"""`Adapter`: modules in the language of LLVM for NVIDIA's GPUs, as such whose instructions processors have.

llvmlite writes one instruction a line. Intrinsic functions get other names, so that LLVM makes nothing of them.
Address spaces go: addresses are the same in all of them. A variable in shared memory is one of the thread, as a worker
runs one block at a time.
"""

import re
from collections.abc import Callable, Iterable
from itertools import count
from typing import NamedTuple

from accel.errors import KernelSyntaxError

from .kinds import size_and_alignment

__all__ = ["Adapter", "Assembly", "renamed"]


class Assembly(NamedTuple):
    """Inline PTX: the name of a function that stands for it, what it has in LLVM's language, and its text."""

    name: str
    result: str
    arguments: str
    text: str
    constraints: str


_COUNTED = re.compile(r"\bB\d+v(\d+)B|\b_cudapy_smem_(\d+)|(?<=[a-z0-9])B\d+v(\d+)B")

_NUMBER_OF_MODULE = re.compile(r"; ModuleID = .*\n")


def renamed(texts: Iterable[str]) -> tuple[list[str], Callable[[str], str]]:
    """Return modules with the numbers that a process counts replaced by those of their order, and the same for a name.

    The first module stays the first, and the others, which come from a set, have an order. So the same kernel has the
    same text in each process.
    """
    first, *others = [_NUMBER_OF_MODULE.sub("", text) for text in texts]
    texts = [first, *sorted(others, key=lambda text: _COUNTED.sub("", text))]
    numbers: dict[str, int] = {}
    for text in texts:
        for found in _COUNTED.finditer(text):
            numbers.setdefault(found[0], len(numbers))

    def replaced(found: "re.Match[str]") -> str:
        number = str(numbers.get(found[0], 0))
        return f"_cudapy_smem_{number}" if found[2] else f"B{len(number) + 1}v{number}B"

    def name(text: str) -> str:
        return _COUNTED.sub(replaced, text)

    return [name(text) for text in texts], name


_DROPPED = re.compile(
    r'target (?:triple|datalayout)|!nvvmir\.version|!nvvm\.annotations|@"?llvm\.used|!llvm\.ident'
    r'|\s*(?:tail )?call void @"?llvm\.dbg\.|declare .*@"?llvm\.(?:dbg\.|nvvm\.barrier0)'
)
_SHARED = re.compile(r'(@"?_cudapy_smem_\w+"?) = (external )?addrspace\(3\) global (.*)')
_SHARED_NAME = re.compile(r'@"?_cudapy_smem_\w+"?')
_SPACE = re.compile(r" addrspace\(\d+\)")
_NVVM = re.compile(r'@"?llvm\.nvvm\.([\w.]+)"?')
_BARRIER = re.compile(r'call (void|i32) @"?llvm\.nvvm\.(barrier0[\w.]*)"?\((.*?)\)')
_CAST = re.compile(r"addrspacecast .* to (.*?) ?(, !dbg .*)?$")
_DIVISION = re.compile(r" = (udiv|urem|sdiv|srem) (?:exact )?(i\d+) ([^,]+), ([^,]+?) ?(?=,|$)")
_TO_INTEGER = re.compile(r"^(\s*)(\S+) = fpto([su])i (half|float|double) (\S+) to i(\d+) ?(.*)")
_UPDATE = re.compile(r" = atomicrmw (?:volatile )?(max|min|umax|umin) (\S+\*) ([^,]+), (i\d+) ([^,]+) monotonic ?")
_ATOMIC = re.compile(r"^\s*(?:\S+ = )?(?:atomicrmw|cmpxchg) ")
_ASM = re.compile(r'call (\S.*?) asm +(?:sideeffect +)?(?:alignstack +)?"([^"]*)", "([^"]*)" ?\((.*?)\)( ?, !dbg .*)?$')
_KNOWN_ASM = {
    "activemask.b32 $0;": "accel.activemask",
    "mov.u32 $0, %lanemask_lt;": "accel.lanemask_lt",
    "mov.u32 $0, %dynamic_smem_size;": "accel.dynamic_shared_size",
    "nanosleep.u32 $0;": "accel.nanosleep",
    "brkpt;": "accel.brkpt",
}
_FILE = re.compile(r'directory: "([^"]*)", filename: "([^"/][^"]*)"')
_DEFINED = re.compile(r"^(define .*?)((?: !\w+ !\d+)* ?\{?)$")
_PROBED = '"probe-stack"="inline-asm"'
"""A frame of any size touches the guard page of the stack."""
_LINES = "emissionKind: LineTablesOnly, debugInfoForProfiling: true"
_CLEARED = re.compile(r"^  store (\[\d+ x .*\]) zeroinitializer, (.*\* [^,]+)(.*)$")
_LOAD = re.compile(r"ld\.global\.(?:ca|cg|cs|lu|cv|nc)\.[bsuf]\d+ \$0, \[\$1\];")
_STORE = re.compile(r"st\.global\.(?:wb|cg|cs|wt)\.[bsuf]\d+ \[\$0\], \$1;")
_CONVERSION = re.compile(r"cvt\.(?:rn\.f16\.\w+|(?:rni\.)?\w+\.f16) \$0, \$1;")
_FLOATS = {"half": "f16", "float": "f32", "double": "f64"}


class Adapter:
    """Makes modules for processors.

    Attributes
    ----------
    assembly : dict
        The inline PTX, by its name.

    Parameters
    ----------
    shared : callable
        Returns the symbol of a variable in shared memory, by its name in a module.
    """

    def __init__(self, shared: Callable[[str], str]) -> None:
        self.assembly: dict[str, Assembly] = {}
        self._shared = shared
        self._places = count(1)
        self._declared: dict[str, str] = {}
        self._dynamic: set[str] = set()

    def adapted(self, text: str) -> str:
        """Return a module for processors."""
        self._declared = {}
        self._dynamic = {found[1] for found in _SHARED.finditer(text) if found[2]}
        lines = [line for line in map(self._line, text.splitlines()) if line is not None]
        return "\n".join([*lines, *self._declared.values(), ""])

    def _line(self, line: str) -> str | None:
        """Return a line; None if it is left out."""
        if not line.startswith("  "):
            return self._line_outside(line)
        if _DROPPED.match(line):
            return None
        if " asm " in line:
            line = _ASM.sub(self._called_assembly, line)
            if " asm " in line:
                raise KernelSyntaxError(f"inline PTX of this form is not simulated: {line.strip()[:80]}")
        if "addrspace" in line:
            line = self._in_one_space(line)
        if "_cudapy_smem_" in line:
            line = _SHARED_NAME.sub(lambda found: self._shared(found[0]), line)
        if "llvm.nvvm." in line:
            line = _NVVM.sub(r'@"accel.nvvm.\1"', _BARRIER.sub(self._numbered, line))
        return self._arithmetic(line)

    def _line_outside(self, line: str) -> str | None:
        """Return a line that is no instruction."""
        if _DROPPED.match(line):
            return None
        shared = _SHARED.match(line)
        if shared:
            return None if shared[2] else f"{self._shared(shared[1])} = hidden thread_local global {shared[3]}"
        if line.startswith("!"):
            return _described(line)
        if line.startswith("define "):
            line = _DEFINED.sub(rf"\1 {_PROBED}\2", line)
        line = _SPACE.sub("", line).replace("addrspacecast", "bitcast")
        kind = "internal" if "NumbaEnv" in line else "hidden"
        return _NVVM.sub(r'@"accel.nvvm.\1"', line).replace(" = common global", f" = {kind} global")

    def _in_one_space(self, line: str) -> str:
        if "addrspacecast" in line and any(f"{name} " in line for name in self._dynamic):
            self._declare("i8*", "accel.dynamic_shared", "")
            return _CAST.sub(r'call i8* @"accel.dynamic_shared"()\2', line)
        return _SPACE.sub("", line.replace("addrspacecast", "bitcast"))

    def _numbered(self, found: "re.Match[str]") -> str:
        """Return a call of a barrier with its number as last argument."""
        name, arguments = f"accel.nvvm.{found[2]}", f"{found[3]}, " if found[3] else ""
        self._declare(found[1], name, "i32, i32" if arguments else "i32")
        return f'call {found[1]} @"{name}"({arguments}i32 {next(self._places) << 10})'

    def _declare(self, result: str, name: str, arguments: str) -> None:
        self._declared[name] = f'declare {result} @"{name}"({arguments})'

    def _arithmetic(self, line: str) -> str:
        if " zeroinitializer, " in line:
            return _CLEARED.sub(self._cleared, line)
        if "div " in line or "rem " in line:
            return _DIVISION.sub(self._divided, line)
        if " = fpto" in line:
            return _TO_INTEGER.sub(self._saturated, line)
        if _ATOMIC.match(line):
            line = _UPDATE.sub(self._updated, line)
            if _ATOMIC.match(line):
                self._declare("void", "accel_nvvm_step", "")
                return f"  call void @accel_nvvm_step()\n{line}"
        return line

    def _cleared(self, found: "re.Match[str]") -> str:
        """Return a call that clears an array: LLVM would make a store of each element."""
        kind, pointer, rest = found.groups()
        self._declare("void", "llvm.memset.p0.i64", "i8*, i8, i64, i1")
        size = size_and_alignment(kind)[0]
        return f'  call void @"llvm.memset.p0.i64"({pointer}, i8 0, i64 {size}, i1 false){rest}'

    def _divided(self, found: "re.Match[str]") -> str:
        name, kind = f"accel.{found[1]}.{found[2]}", found[2]
        self._declare(kind, name, f"{kind}, {kind}")
        return f' = call {kind} @"{name}"({kind} {found[3]}, {kind} {found[4]})'

    def _saturated(self, found: "re.Match[str]") -> str:
        """Return a conversion that saturates. PTX has none to 8 bits: there it is one to 16, of which half is left."""
        blank, target, sign, kind, value, bits, rest = found.groups()
        wide = str(max(int(bits), 16))
        name = f"llvm.fpto{sign}i.sat.i{wide}.{_FLOATS[kind]}"
        self._declare(f"i{wide}", name, kind)
        call = f'call i{wide} @"{name}"({kind} {value})'
        if wide == bits:
            return f"{blank}{target} = {call} {rest}"
        half = f'%"{target.strip(chr(37) + chr(34))}.wide"'
        return f"{blank}{half} = {call} {rest}\n{blank}{target} = trunc i{wide} {half} to i{bits} {rest}"

    def _updated(self, found: "re.Match[str]") -> str:
        operation, pointer, at, kind, value = found.groups()
        name = f"accel.atomic.{operation}.{kind}"
        self._declare(kind, name, f"{pointer}, {kind}")
        return f' = call {kind} @"{name}"({pointer} {at}, {kind} {value})'

    def _called_assembly(self, found: "re.Match[str]") -> str:
        result, text, constraints, arguments, rest = found.groups()
        if _LOAD.fullmatch(text):  # there is no cache
            return f"load {result}, {arguments}{rest or ''}"
        if _STORE.fullmatch(text):
            pointer, value = arguments.split(", ")
            return f"store {value}, {pointer}{rest or ''}"
        name = _KNOWN_ASM.get(text)
        if _CONVERSION.fullmatch(text):
            name = f"accel_nvvm_{text.split()[0].replace('.', '_')}"
        kinds = ", ".join([each.rpartition(" ")[0] for each in arguments.split(", ")]) if arguments else ""
        if name is None:
            name = f"accel_nvvm_asm_{len(self.assembly)}"
            known = [each for each in self.assembly.values() if each[1:] == (result, kinds, text, constraints)]
            name = known[0].name if known else name
            self.assembly[name] = Assembly(name, result, kinds, text, constraints)
        self._declare(result, name, kinds)
        return f'call {result} @"{name}"({arguments}){rest or ""}'


def _described(line: str) -> str:
    """Return a line that describes the source: with whole paths, names without what is around them, and lines only."""
    if "DIFile" in line:
        return _FILE.sub(r'directory: "\1", filename: "\1/\2"', line)
    if "DISubprogram" in line:
        return re.sub(r', name: "[^"]*\.', ', name: "', line)
    return re.sub(r"emissionKind: \w+", _LINES, line)
