"""The pages of the reference: each public name once, with the docstring that `help` shows."""

import inspect
import re
from collections.abc import Iterable, Iterator
from importlib import import_module

from names import MODULES, Name, names

__all__ = ["escaped", "pages"]

_LARGE = 12
"""A class with more members has a page of its own."""
_STANDARD = {
    "_creation_functions": "Creation",
    "_data_type_functions": "Data types",
    "_elementwise_functions": "Element by element",
    "_indexing_functions": "Indexing",
    "_linear_algebra_functions": "Linear algebra",
    "_manipulation_functions": "Shapes and axes",
    "_searching_functions": "Searching",
    "_set_functions": "Sets",
    "_sorting_functions": "Sorting",
    "_statistical_functions": "Statistics",
    "_utility_functions": "Utility",
}
"""Groups of the array standard, by the module in which its reference implementation has them."""
_NUMPY, _DATA = "Names of NumPy", "Dtypes and constants"
_FOREIGN = "object,BaseException,tuple,Protocol,Generic,Enum,dict,list,str,int"
"""Classes whose members are not described with those of ours."""
_KINDS = {"class": "Classes", "exception": "Exceptions", "function": "Functions", "data": "Data"}


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    yield "index", _index()
    for module in MODULES:
        for group in _pages_of(module):
            yield from group


def _index() -> str:
    rows = [f":doc:`{module}`\n   {_first_line(module)}" for module in MODULES]
    text = "Every public name has one place here; names of several modules are with the first of them."
    return "\n\n".join([_title("Reference", "="), text, *rows, _toctree(MODULES)])


def _first_line(module: str) -> str:
    return (import_module(module).__doc__ or "").strip().partition("\n")[0]


def _pages_of(module: str) -> Iterator[list[tuple[str, str]]]:
    groups = _by_subject(module) if module == "accel.xp" else _by_kind(module)
    large = [each for each in names()[module] if each.home == each.path and _is_large(each)]
    yield [(each.path, _page_of_class(each)) for each in large]
    if module == "accel.xp":
        files = {title: f"{module}.{re.sub('[^a-z]+', '_', title.lower())}" for title in groups}
        yield [
            (files[title], "\n\n".join([_title(f"accel.xp: {title}", "="), _current(module), *_section(group)]))
            for title, group in groups.items()
        ]
        parts = [f":doc:`{file}`" for file in files.values()]
        below = [*files.values(), *[each.path for each in large]]
        yield [(module, "\n\n".join([*_head(module), *parts, _toctree(below)]))]
    else:
        sections = [part for title, group in groups.items() for part in (_title(title, "-"), *_section(group))]
        yield [(module, "\n\n".join([*_head(module), *sections, _toctree([each.path for each in large])]))]


def _by_kind(module: str) -> dict[str, list[Name]]:
    groups = {title: [each for each in names()[module] if each.kind == kind] for kind, title in _KINDS.items()}
    return {title: group for title, group in groups.items() if group}


def _by_subject(module: str) -> dict[str, list[Name]]:
    import array_api_strict as standard

    groups: dict[str, list[Name]] = {title: [] for title in (*_STANDARD.values(), _NUMPY, _DATA)}
    for each in names()[module]:
        theirs = getattr(getattr(standard, each.name, None), "__module__", None) or ""
        title = _DATA if each.kind == "data" else _STANDARD.get(theirs.rpartition(".")[2], _NUMPY)
        groups[title].append(each)
    return groups


def _section(group: list[Name]) -> Iterator[str]:
    """Yield a table of names, and their descriptions."""
    rest = [each for each in group if each.kind != "data"]
    if rest:
        yield _table([(f":py:obj:`{each.name} <{each.home}>`", _summary(each.value)) for each in rest])
    yield from (_data(each) for each in group if each.kind == "data")
    for each in rest:
        if each.home == each.path and not _is_large(each):
            yield _description(each)


def _summary(value: object) -> str:
    """Return the first sentence of a docstring, in one line."""
    paragraph = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return escaped(" ".join(paragraph.split()))


def _table(rows: list[tuple[str, str]]) -> str:
    body = "\n".join(f"   * - {left}\n     - {right}" for left, right in rows)
    return f".. list-table::\n   :widths: 25 75\n\n{body}"


def _description(each: Name) -> str:
    if each.kind == "function":
        return f".. autofunction:: {each.path}"
    return f".. auto{each.kind}:: {each.path}\n   :members:\n   :inherited-members: {_FOREIGN}"


def _data(each: Name) -> str:
    value = re.sub(r" at 0x[0-9a-f]+", "", repr(each.value)).replace("\n", " ")
    value = value if len(value) < 80 else f"{value[:77]}..."
    return f".. py:data:: {each.path}\n   :value: {value}"


def _is_large(each: Name) -> bool:
    if each.kind != "class":
        return False
    own = [member for member, value in inspect.getmembers(each.value) if not member.startswith("_") and value.__doc__]
    return len(own) > _LARGE


def _page_of_class(each: Name) -> str:
    return "\n\n".join([_title(each.path, "="), _current(each.module), _description(each)])


def _head(module: str) -> list[str]:
    lines = [escaped(line) for line in (inspect.getdoc(import_module(module)) or "").splitlines()]
    return [_title(module, "="), f".. py:module:: {module}", "\n".join(_without_sections(lines))]


def _without_sections(lines: list[str]) -> list[str]:
    """Return the lines above the first heading: Sphinx allows none of NumPy's sections outside of descriptions."""
    lines_below = [k - 1 for k, line in enumerate(lines) if k and set(line) == {"-"}]
    return lines[: min(lines_below, default=len(lines))]


def _current(module: str) -> str:
    return f".. py:currentmodule:: {module}"


def escaped(line: str) -> str:
    """Return a line of a docstring for Sphinx: bars are no substitutions, and an underscore in an address no link."""
    if "``" in line or ">>>" in line:
        return line
    return re.sub(r"(?<![<`])(https?://\S+)", r"`\1 <\1>`__", line).replace("|", r"\|")


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def _toctree(below: Iterable[str]) -> str:
    rows = "\n".join(f"   {page}" for page in below)
    return f".. toctree::\n   :hidden:\n\n{rows}\n" if rows else ""
