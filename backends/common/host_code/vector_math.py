"""Functions that vectors of the processor compute: those of libmvec, which is part of glibc.

One function computes all values of a dtype: that for the longest vectors which the processor has. So a value depends on
its operands alone, and not on where LLVM uses vectors, or of which length.
"""

import ctypes
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache

from accel.ir import FUNCTIONS
from accel.support.system import machine

from .forms import DOUBLE, FLOAT, Form
from .machine_code import features
from .text import Text
from .vector_widths import of_numbers

__all__ = ["has_vectors", "lanes", "of_vectors", "preferred_width", "symbols"]

_ARITIES = {each.c: each.arity for each in FUNCTIONS.values() if each.c and not each.llvm} | {"pow": 2}
_VECTORS = (("avx512dq", "e", 64), ("avx2", "d", 32), ("sse2", "b", 16))
"""The features of x86-64, the letters that functions of their vectors have in their names, and bytes of a vector."""


def of_vectors(text: Text, name: str, form: Form, arguments: Sequence[str]) -> str | None:
    """Return the value of a function of the C library, as vectors compute it; None if they do not.

    Parameters
    ----------
    text : Text
        Where the call is printed, if it may use vectors.
    name : str
        The name for float64.
    form : Form
        Of the arguments: that of float64 or of float32.
    arguments : sequence of str
        Numbers in registers.
    """
    if not text.vector_math or not has_vectors(name, form):
        return None
    return of_numbers(text, _symbol(name, form), form.register, lanes(form.nbytes), arguments)


def has_vectors(name: str, form: Form) -> bool:
    """Tell whether vectors compute a function of the C library for float64 or float32."""
    return name in _ARITIES and _symbol(name, form) in symbols()


def preferred_width(text: Text) -> str:
    """Return what tells LLVM to use the longest vectors, if functions may: it avoids them on some processors."""
    return ' "prefer-vector-width"="512"' if text.vector_math and _vectors()[1] == 64 else ""


def lanes(nbytes: int) -> int:
    """Return how many numbers of some bytes such a vector has."""
    return _vectors()[1] // nbytes


@cache
def symbols() -> Mapping[str, int]:
    """Return the addresses of the functions of vectors that there are, by name."""
    found = {}
    with suppress(OSError):
        library = ctypes.CDLL("libmvec.so.1")
        for symbol in (_symbol(name, form) for name in _ARITIES for form in (DOUBLE, FLOAT)):
            with suppress(AttributeError):
                found[symbol] = ctypes.cast(library[symbol], ctypes.c_void_p).value or 0
    return found


@cache
def _vectors() -> tuple[str, int]:
    """Return the letter and the bytes of the longest vectors of which the processor has functions."""
    if machine() == "aarch64":
        return "n", 16
    return next(((letter, nbytes) for name, letter, nbytes in _VECTORS if features().get(name)), ("", 16))


def _symbol(name: str, form: Form) -> str:
    return f"_ZGV{_vectors()[0]}N{lanes(form.nbytes)}{'v' * _ARITIES[name]}_{name}{'' if form == DOUBLE else 'f'}"
