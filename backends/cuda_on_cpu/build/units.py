"""`unit_of`: the C++ of a source with what its module needs, one file for the compiler."""

from collections.abc import Sequence

from accel.errors import KernelSyntaxError

from ..text.counted import counted
from ..text.ptx import CALLS
from ..text.tokens import line_of
from ..text.translation import constants, translated, without_launches

__all__ = ["literal", "unit_of"]


def unit_of(source: str, kernels: Sequence[str], macros: str = "", *, checked: bool, counts: bool = False) -> str:
    """Return the text for the compiler: headers, macros, the source, an entry for each kernel, the names of both.

    Raises
    ------
    KernelSyntaxError
        If there is a character of number 0, which compilers leave out.
    """
    at = source.find("\0")
    if at >= 0:
        file, line = line_of(source, at)
        raise KernelSyntaxError(f"{file}:{line}: error: a character of number 0; remove it")
    source = source.replace("\r\n", "\n")  # as compilers read it
    if counts:
        source, points = counted(source)
        macros = f'#define ACCEL_SIM_COUNTERS {len(points)}\n#include "accel_sim/counted.h"\n{macros}'
    text = without_launches(translated(source, checked=checked))
    headers = [name for name, needed in (("declared", checked), ("ptx", CALLS in text)) if needed]
    included = "".join([f'#include "accel_sim/{name}.h"\n' for name in ("kernel", *headers)])
    entries = "".join([f"ACCEL_SIM_ENTRY({number}, {kernel})\n" for number, kernel in enumerate(kernels)])
    return (
        f"{included}{macros}"
        f'#line 1 "<source>"\n{text}\n'
        f'#line 1 "<kernels>"\n{entries}#include "accel_sim/module.h"\n'
        f"ACCEL_SIM_NAMES(accel_sim_kernels, {literal(kernels)})\n"
        f"ACCEL_SIM_NAMES(accel_sim_constants, {literal(constants(source))})\n"
    )


def literal(texts: Sequence[str]) -> str:
    """Return a literal of texts, each with a zero after it."""
    escaped = [text.replace("\\", r"\\").replace('"', r"\"") for text in texts]
    return " ".join([f'"{text}\\0"' for text in escaped]) or '""'
