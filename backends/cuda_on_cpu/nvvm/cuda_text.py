"""CUDA text that kernels of numba.cuda are linked with, and that which stands for inline PTX."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from accel.errors import KernelSyntaxError

from ...common.bounded_folders import used
from ...common.cache_files import is_whole, put
from ..build import disk_cache, flags
from ..build.compiler_process import run
from ..build.compilers import Compiler
from ..build.digests import digest
from ..build.libraries import flags as flags_of_libraries
from ..build.machine_files import HEADERS
from ..build.precompiled import folder_of, precompile, words_for
from ..text.ptx import CALLS
from ..text.translation import translated, without_launches
from .texts import Assembly

__all__ = ["compiled_text", "only_called", "text_of_assembly"]

_KINDS = {
    "i1": "bool", "i8": "unsigned char", "i16": "unsigned short", "i32": "unsigned", "i64": "unsigned long long",
    "half": "unsigned short", "float": "float", "double": "double", "void": "void",
}  # fmt: skip
_FUNCTION = re.compile(r'\n +extern "C" __device__ \w+\s+(\w+)\((?:.|\n)*?\n +\}(?=\n|$)')


def only_called(text: str, called: Iterable[str]) -> str:
    """Return a text without the functions that nobody calls, as far as a program has written it.

    The bindings of numba-cuda for half precision are one text, to which each kernel adds what it needs.
    """
    called = set(called)

    def kept(found: "re.Match[str]") -> str:
        return found[0] if found[1] in called or text.count(found[1]) > 1 else ""

    return _FUNCTION.sub(kept, text)


def text_of_assembly(assembly: Sequence[Assembly]) -> str:
    """Return functions in CUDA for inline PTX; an instruction that is not simulated is an error when it is compiled.

    Raises
    ------
    KernelSyntaxError
        If it has more than one result, or none of the types of CUDA.
    """
    return "".join(map(_function, assembly))


def _function(assembly: Assembly) -> str:
    kinds = [each for each in assembly.arguments.split(", ") if each]
    constraints = [each for each in assembly.constraints.split(",") if not each.startswith("~")]
    outputs = [each for each in constraints if each.startswith("=")]
    if len(outputs) > 1 or not _is_simple(assembly.result):
        raise KernelSyntaxError(f"inline PTX with several results is not simulated: {assembly.text[:60]!r}")
    result = _kind(assembly.result)
    names = [f"{_kind(kind)} a{i}" for i, kind in enumerate(kinds)]
    inputs = [each for each in constraints if not each.startswith("=")]
    pairs = enumerate(zip(kinds, inputs, strict=True))
    values = [f'"{constraint}"({_value(kind, i)})' for i, (kind, constraint) in pairs]
    operands = [f'"{outputs[0]}"(r)'] if outputs else []
    text = re.sub(r"\$(?:\{(\d+)[^}]*\}|(\d+))", r"%\1\2", assembly.text.replace("%", "%%").replace("$$", "\0"))
    text = text.replace("\0", "$").replace("\\0A", "\\n").replace("\\09", "\\t").replace("\\22", '\\"')
    declared, returned = (f"{result} r; ", " return r;") if outputs else ("", "")
    return (
        f'extern "C" __device__ {result} {assembly.name}({", ".join(names)}) {{ {declared}'
        f'asm volatile("{text}" : {", ".join(operands)} : {", ".join(values)} : "memory");{returned} }}\n'
    )


def _value(kind: str, place: int) -> str:
    return f"(unsigned long long)a{place}" if kind.endswith("*") or kind == "ptr" else f"a{place}"


def _is_simple(kind: str) -> bool:
    return kind in _KINDS or kind.endswith("*") or kind == "ptr"


def _kind(kind: str) -> str:
    if not _is_simple(kind):
        raise KernelSyntaxError(f"inline PTX with an operand of the type {kind} is not simulated")
    return _KINDS.get(kind, "void*")


def compiled_text(
    compiler: Compiler, text: str, options: Sequence[str], runtime: Path, *, warp: int, checked: bool
) -> Path:
    """Return the object file of device functions in CUDA, which the cache on disk keeps.

    Raises
    ------
    KernelSyntaxError
        If the text does not compile.
    """
    own = flags.for_kernels(compiler.kind, checked=checked, warp=warp)
    libraries = flags_of_libraries(text, kind=compiler.kind, warp=warp)
    file = disk_cache.folder() / f"{digest(text, own, libraries, tuple(options), runtime.name)}.o"
    if not is_whole(file):
        first = folder_of(compiler, own, runtime)
        if first is not None and not words_for(first):
            precompile(compiler, own, first)
        with TemporaryDirectory(dir=file.parent) as scratch:
            unit, target = Path(scratch, "unit.cpp"), Path(scratch, file.name)
            unit.write_text(_unit(text, checked=checked), encoding="utf-8", errors="surrogateescape")
            words = (*own, *libraries, *options, "-I", str(HEADERS), *words_for(first))
            run([*compiler.command, *words, "-c", str(unit), "-o", str(target)], Path(scratch))
            put(target, file)
    used(file)
    return file


def _unit(source: str, *, checked: bool) -> str:
    text = without_launches(translated(source, checked=checked))
    headers = ["kernel", *(["declared"] if checked else []), *(["ptx"] if CALLS in text else [])]
    return "".join([f'#include "accel_sim/{name}.h"\n' for name in headers]) + f'#line 1 "<source>"\n{text}\n'
