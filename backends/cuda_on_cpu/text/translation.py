"""`translated`: C++ of the text of CUDA and HIP kernels.

Nearly all of it stays as it is, because the headers here define the words of CUDA. Changed is what no macro can change:
inline PTX, dynamic shared memory, and in checked code, declarations without a value, statements with barriers, and
functions that may return an address. Lines keep their numbers.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from .barriers import marks
from .declarations import uninitialised
from .dynamic_shared import in_functions, pointers
from .locals import kept_apart
from .ptx import is_ptx, translated_ptx
from .scopes import ScopedToken, in_device_code, scoped
from .tokens import Token, code_of, edited, tokens

__all__ = ["constants", "translated", "without_launches"]


def translated(source: str, *, checked: bool) -> str:
    """Return C++ for a source.

    Parameters
    ----------
    source : str
        CUDA or HIP.
    checked : bool
        Whether each local variable that is declared without a value is told to the checks.

    Examples
    --------
    >>> translated("void f() { float x; }", checked=True)
    'void f() { float x; accel_sim::declared(x); }'
    """
    source = translated_ptx(source, partial(_refused, source)) if "asm" in source else source
    everything = list(tokens(source))
    code = scoped(everything)
    edits = [
        *_macros(everything),
        *pointers(source, code),
        *in_functions(source, code),
    ]
    if checked:
        edits += [*uninitialised(code), *marks(source, everything, code), *kept_apart(code)]
    return edited(source, edits)


def _macros(everything: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits of what the bodies of macros declare."""
    for token in everything:
        if token.kind == "directive" and "__shared__" in token.text and "extern" in token.text:
            body = token.text[1:].replace("\\\n", " \n")
            for start, end, text in pointers(body, scoped([*tokens(body)]), within=True):
                yield token.start + 1 + start, token.start + 1 + end, text + "\\\n" * body.count("\n", start, end)


@lru_cache(maxsize=1)  # for all assembly of a source
def _scoped(source: str) -> list[ScopedToken]:
    return scoped([*tokens(source)])


def _refused(source: str, at: int, assembly: str) -> str | None:
    """Return an error of inline PTX, where the preprocessor does not take it out; None for assembly of the host."""
    if not is_ptx(assembly) and not in_device_code(_scoped(source), at):
        return None
    quoted = "".join([c for c in assembly if c.isprintable() and c not in '"\\'])[:60]
    return f"({_error(f'inline PTX ({quoted})')})"


def without_launches(source: str) -> str:
    """Return a source in which each launch of a kernel is an error, where the preprocessor does not take it out.

    Examples
    --------
    >>> without_launches("child<<<1, 32>>>(x);")
    'child(({ static_assert(false, "CUDA that is not simulated: kernel launches from kernels"); }))(x);'
    """
    code = code_of(source) if "<<<" in source else ()
    edits = []
    for index, token in enumerate(code):
        if token.text == "<<<" and code[index - 1].text != "operator":
            last = next((later for later in code[index:] if later.text == ">>>"), token)
            edits.append((token.start, last.end, f"(({_error('kernel launches from kernels')}))"))
    return edited(source, edits)


def _error(what: str) -> str:
    """Return an expression that is an error."""
    return f'{{ static_assert(false, "CUDA that is not simulated: {what}"); }}'


def constants(source: str) -> tuple[str, ...]:
    """Return the names of the ``__constant__`` variables of a source.

    Examples
    --------
    >>> constants("__constant__ float weights[4] = {1}; __constant__ const int n;")
    ('weights', 'n')
    """
    code = code_of(source)
    variables: list[str] = []
    for index, token in enumerate(code):
        if token.text == "__constant__":
            names = []
            for later in code[index + 1 :]:
                if later.kind == "mark" and later.text in {"=", ";", "[", "{", ","}:
                    break
                names += [later.text] if later.kind == "name" else []
            variables += names[-1:]
    return tuple(dict.fromkeys(variables))
