"""`module_of`: the modules of a kernel as one for this processor, with what the machine needs of each source."""

import linecache
import re
from collections.abc import Sequence
from typing import NamedTuple

from .cuda_text import only_called, text_of_assembly
from .kinds import parts, size_and_alignment
from .texts import Adapter

__all__ = ["Parameter", "Source", "source_of"]

_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(DILocation|DISubprogram|DILexicalBlock|DIFile)\((.*)\)$", re.MULTILINE)
_FIELD = re.compile(r'(\w+): ("[^"]*"|[^,]+)')
_ALLOCATED = re.compile(r'addrspacecast .* (@"?_cudapy_smem_\w+"?) to .*!dbg (!\d+)')
_CONSTANT = re.compile(r"^@[^\n]* = [^\n]*\baddrspace\(4\) [^\n]*?constant (\[[^\n]*?\]) ", re.MULTILINE)
_LOCAL = re.compile(r"= alloca (\[\d+ x [^\n]+)")
_CALLED = re.compile(r'^declare [^@]*@"?([^"(\s]+)"?\(', re.MULTILINE)
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*(?::[^=]*)?=[^=]")


class Parameter(NamedTuple):
    """A parameter of the kernel: its type in LLVM's language, and its name."""

    kind: str
    name: str


class Source(NamedTuple):
    """A kernel for processors, as text.

    Attributes
    ----------
    texts : tuple of str
        Its modules, in the language of LLVM.
    entry : str
        The symbol of the kernel.
    parameters : tuple of Parameter
        What it takes.
    linked : tuple of str
        What it is linked with, in CUDA.
    options : tuple of str
        For the compiler of that.
    constant_size, local_size : int
        Bytes of its constant arrays, and of the local ones of a thread.
    """

    texts: tuple[str, ...]
    entry: str
    parameters: tuple[Parameter, ...]
    linked: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    constant_size: int = 0
    local_size: int = 0


def source_of(texts: Sequence[str], entry: str, linked: Sequence[str] = (), options: Sequence[str] = ()) -> Source:
    """Return a kernel for processors, of the modules that numba-cuda makes of it, and of CUDA text."""
    names = dict[str, str]()
    for text in texts:
        for variable, name in _names_of_shared(text).items():
            names.setdefault(variable, f'@"_ZZ1kvE{len(name)}{name}_{len(names)}"')

    def shared(variable: str) -> str:
        return names.setdefault(variable, f'@"_ZZ1kvE6shared_{len(names)}"')

    adapter = Adapter(shared)
    adapted = tuple(map(adapter.adapted, texts))
    called = [name for text in adapted for name in _CALLED.findall(text)]
    further = [only_called(text, called) for text in linked]
    if adapter.assembly:
        further.append(text_of_assembly(tuple(adapter.assembly.values())))
    parameters = _parameters(adapted, entry)
    sizes = _nbytes(_CONSTANT, texts), _nbytes(_LOCAL, texts)
    return Source(adapted, entry, parameters, tuple(further), tuple(options), *sizes)


def _nbytes(variable: re.Pattern[str], texts: Sequence[str]) -> int:
    kinds = [parts(kind)[0] for text in texts for kind in variable.findall(text)]
    return sum(size_and_alignment(kind)[0] for kind in kinds)


def _parameters(texts: Sequence[str], entry: str) -> tuple[Parameter, ...]:
    head = re.compile(rf'^define [^@\n]*@"?{re.escape(entry)}"?\((.*)\)', re.MULTILINE)
    found = next(filter(None, map(head.search, texts)))
    if not found[1]:
        return ()
    pairs = [each.rsplit(" ", 1) for each in parts(found[1])]
    return tuple(Parameter("ptr" if kind.endswith("*") else kind, name.strip('%"')) for kind, name in pairs)


def _names_of_shared(text: str) -> dict[str, str]:
    """Return what the source of Python calls its variables in shared memory, where the line says so."""
    if "_cudapy_smem_" not in text:
        return {}
    nodes = {node: dict(_FIELD.findall(fields)) for node, _, fields in _NODE.findall(text)}
    names = {}
    for variable, location in _ALLOCATED.findall(text):
        place = nodes.get(location, {})
        scope = nodes.get(place.get("scope", ""), {})
        file = nodes.get(scope.get("file", ""), {})
        path = f"{file.get('directory', '')}/{file.get('filename', '')}".replace('"', "")
        found = _ASSIGNED.match(linecache.getline(path, int(place.get("line", 0))))
        if found:
            names[variable] = found[1]
    return names
