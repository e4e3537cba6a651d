"""Reading the tables of what docstrings say."""

import re
from functools import cache
from importlib import import_module
from typing import NamedTuple

__all__ = ["Entry", "entry", "names"]

_TABLES = {
    "": ("elementwise", "reductions", "shapes", "computations"),
    "fft": ("transforms",),
    "linalg": ("linear_algebra",),
    "random": ("draws",),
    "special": ("special_functions", "distributions"),
}
"""The modules with a table, for each part of the namespace."""

_PARAMETER = re.compile(r"(\*{0,2}\w+)(?: : ([^:]+))?: (.*)")


class Entry(NamedTuple):
    """What the docstring of one function says.

    Parameters
    ----------
    summary : str
        The first line.
    notes : list of str
        More sentences.
    parameters : dict of str to tuple of str
        The type, which is empty where the signature has it, and the text of parameters.
    returns : str
        What the function returns; empty for what is said of its family.
    errors : dict of str to str
        For each class of errors of its own when it is raised.
    example : str
        A session at a prompt, without the import.
    """

    summary: str
    notes: list[str]
    parameters: dict[str, tuple[str, str]]
    returns: str
    errors: dict[str, str]
    example: str


def names() -> list[str]:
    """Return the paths of all functions that have an entry, such as ``linalg.svd``."""
    return [path for section in _TABLES for path in _texts(section)]


@cache
def entry(path: str) -> Entry:
    """Return what is said of a function.

    Parameters
    ----------
    path : str
        Its name in `accel.xp`, such as ``linalg.svd``.
    """
    text = _texts(path.rpartition(".")[0])[path]
    if not text.startswith("= "):
        return _parsed(text)
    other = text[2:].strip()
    of_other = entry(other)
    notes = [f"The same as `{other}`.", *of_other.notes]
    return of_other._replace(notes=notes, example=of_other.example.replace(f"xp.{other}(", f"xp.{path}("))


@cache
def _texts(section: str) -> dict[str, str]:
    tables = [import_module(f"accel.xp.documentation.{name}").TEXT for name in _TABLES[section]]
    parts = re.split(r"^([\w.]+)(?:\n| (?==))", "".join(tables), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _parsed(text: str) -> Entry:
    head, prompt, example = text.partition("    >>> ")
    summary, *lines = [line.strip() for line in head.splitlines() if line.strip()]
    result = Entry(summary, [], {}, "", {}, _dedented(prompt + example))
    for line in lines:
        if line.startswith("= "):
            result = result._replace(returns=line[2:])
        elif line.startswith("! "):
            kind, _, when = line[2:].partition(": ")
            result.errors[kind] = when
        elif found := _PARAMETER.fullmatch(line):
            result.parameters[found[1].lstrip("*")] = found[2] or "", found[3]
        else:
            result.notes.append(line)
    return result


def _dedented(example: str) -> str:
    return "\n".join(line[4:] for line in example.rstrip().splitlines())
