"""Names of C++ as they are in sources, from the names in shared objects."""

import ctypes
import re
import sys

__all__ = ["demangled", "last_name"]

_LENGTH = re.compile(r"(\d+)")


def last_name(symbol: str) -> str:
    """Return the name of a variable, without its namespaces, classes and functions.

    Examples
    --------
    >>> last_name("tile"), last_name("_ZZ5scalePfE4tile"), last_name("_ZN3lib5tableE"), last_name("_ZZ1fIfEvPT_iE1s_0")
    ('tile', 'tile', 'table', 's')
    """
    if not symbol.startswith("_Z"):
        return symbol.split(".")[0]
    found, at = "", 2
    while at < len(symbol):
        length = _LENGTH.match(symbol, at)
        if length is None:
            at += 1
        else:
            end = length.end() + int(length[1])
            if length[1][0] != "0" and symbol[length.end() : end].isidentifier():
                found, at = symbol[length.end() : end], end
            else:
                at = length.end()
    return found or symbol


def demangled(symbol: str) -> str:
    """Return a function as its author wrote it, if the C++ library of the system is there; else its name.

    Examples
    --------
    >>> demangled("helper")
    'helper'
    """
    try:
        library = ctypes.CDLL("libstdc++.so.6" if sys.platform == "linux" else "libc++abi.dylib")
    except OSError:
        return last_name(symbol)
    demangle = library.__cxa_demangle
    demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not text:
        return last_name(symbol)
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))
