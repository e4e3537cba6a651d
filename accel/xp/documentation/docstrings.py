"""Composing a docstring in NumPy's style from a signature and the tables."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from textwrap import indent, wrap
from typing import NamedTuple

from accel.xp.documentation.entries import Entry, entry
from accel.xp.documentation.parameters import ERRORS, OF_CREATION, OF_SECTIONS, TEXTS

__all__ = ["Parameter", "docstring"]

_WIDTH = 112  # of the text of parameters, so that lines of stubs have at most 120 characters

_TYPES = {
    "Any": "Any",
    "Axes": "sequence of int, optional",
    "Axis": "int or tuple of int, optional",
    "DTypeLike": "dtype_like",
    "Norm": '{"backward", "ortho", "forward"}',
    "Scalar": "scalar",
}
"""The words for annotations that are not their own."""

_ELEMENTWISE = "The results, in the shape to which the operands broadcast."
_REDUCED = "The results: without the axes, or with axes of extent 1 there if ``keepdims``."
_OUT_OF_RANGE = "If an axis is out of range."


class Parameter(NamedTuple):
    """A parameter of a function.

    Parameters
    ----------
    name : str
        The name, with the stars of those that take several arguments.
    annotation : str
        The annotation in a table of signatures; empty if there is none.
    default : str
        The default, as Python writes it; empty if there is none.
    """

    name: str
    annotation: str
    default: str


def docstring(path: str, parameters: Iterable[Parameter], returns: str, origin: str, page: str) -> str:
    """Compose the docstring of a function, without the indentation of its lines.

    Parameters
    ----------
    path : str
        The name of the function in `accel.xp`, such as ``linalg.svd``.
    parameters : iterable of Parameter
        Its parameters.
    returns : str
        The annotation of its result.
    origin : str
        What the function belongs to, such as "the array standard".
    page : str
        The address of its page there.
    """
    about, parameters = entry(path), list(parameters)
    names = {each.name for each in parameters}
    section, _, name = path.rpartition(".")
    result = about.returns or (_REDUCED if "keepdims" in names else _ELEMENTWISE)
    sections = {
        "Parameters": "\n".join(_described(each, about, OF_SECTIONS.get(section, {})) for each in parameters),
        "Returns": f"{_words(returns)}\n{_filled(result)}",
        "Raises": "\n".join(_raised(about, names)),
        "Examples": f">>> import accel.xp as xp\n{about.example}",
    }
    lines = [about.summary, *(["\n".join(about.notes)] if about.notes else []), f"`{name}` of {origin}: {page}"]
    return "\n\n".join([*lines, *(f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items() if text)])


def _described(parameter: Parameter, about: Entry, of_section: Mapping[str, str]) -> str:
    plain = parameter.name.lstrip("*")
    kind, text = about.parameters.get(plain, ("", ""))
    usual = TEXTS.get(plain, ("", ""))
    words = kind or _words(parameter.annotation) or usual[0]
    if parameter.default == "...":
        words = f"{words.removesuffix(', optional')}, optional"
    elif parameter.default not in {"", "None"}:
        words = f"{words.removesuffix(', optional')}, default {parameter.default}"
    head = parameter.name if parameter.name.startswith("**") else f"{parameter.name} : {words}"
    return f"{head}\n{_filled(text or of_section.get(plain) or usual[1])}"


def _raised(about: Entry, names: set[str]) -> Iterator[str]:
    errors = (OF_CREATION if "device" in names else ERRORS) | about.errors
    if names & {"axis", "axes", "axis1"}:
        errors["BoundsError"] = _OUT_OF_RANGE
    for kind, when in errors.items():
        yield f"{kind}\n{_filled(when)}"


def _filled(text: str) -> str:
    return (
        f"    {text}" if len(text) <= _WIDTH else indent("\n".join(wrap(text, _WIDTH, break_long_words=False)), "    ")
    )


@cache
def _words(annotation: str) -> str:
    """Return an annotation as NumPy's docstrings write types."""
    parts = _alternatives(annotation)
    words = " or ".join(_word(part) for part in parts if part != "None")
    return f"{words.removesuffix(', optional')}, optional" if "None" in parts else words


def _word(part: str) -> str:
    head, _, inside = part.removesuffix("]").partition("[")
    if head == "Literal":
        return "{" + inside.replace("'", '"') + "}"
    if head == "Sequence":
        return f"sequence of {_words(inside)}"
    if head == "list":
        return f"list of {_words(inside)}"
    if head == "tuple":
        kinds = list(dict.fromkeys(each.strip() for each in re.split(r",(?![^[]*\])", inside) if each.strip() != "..."))
        return f"tuple of {' and '.join(map(_words, kinds))}"
    return _TYPES.get(part, part)


def _alternatives(annotation: str) -> list[str]:
    """Split a union at its outermost bars."""
    return [part.strip() for part in re.split(r"\|(?![^[]*\])", annotation)]
