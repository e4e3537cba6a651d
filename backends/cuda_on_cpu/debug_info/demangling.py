"""Names of C++ as they are in sources, from the names in shared objects."""

import re

__all__ = ["last_name"]

_LENGTH = re.compile(r"(\d+)")
_LITERAL = re.compile(r"L[a-z]n?\d+E")  # an argument of a template


def last_name(symbol: str) -> str:
    """Return the name of a variable, without its namespaces, classes and functions.

    Examples
    --------
    >>> last_name("tile"), last_name("_ZZ5scalePfE4tile"), last_name("_ZN3lib5tableE"), last_name("_ZZ1fIfEvPT_iE1s_0")
    ('tile', 'tile', 'table', 's')
    >>> last_name("_ZZ4sortIfLi256EEvPT_E4keys"), last_name("_ZZ4sortILi8EEvPfE4keys")
    ('keys', 'keys')
    """
    if not symbol.startswith("_Z"):
        return symbol.partition(".")[0]
    name, at = "", 2
    while at < len(symbol):
        length, literal = _LENGTH.match(symbol, at), _LITERAL.match(symbol, at)
        if length is None:
            at = literal.end() if literal else at + 1
        else:
            end = length.end() + int(length[1])
            if length[1][0] != "0" and symbol[length.end() : end].isidentifier():
                name, at = symbol[length.end() : end], end
            else:
                at = length.end()
    return name or symbol
