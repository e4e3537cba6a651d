"""Running source that was written by code, so that tracebacks, `inspect` and debuggers can show its lines."""

import linecache
from collections.abc import Mapping
from typing import Any

__all__ = ["run"]


def run(source: str, module: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """Run source in a module's name, and return what it defined.

    Parameters
    ----------
    source : str
        Definitions.
    module : str
        What they give as their ``__module__``.
    names : mapping
        The globals they use.
    """
    file = f"<{module}, generated>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope = {**names, "__name__": module}
    made: dict[str, Any] = {}
    exec(compile(source, file, "exec", dont_inherit=True), scope, made)
    scope.update(made)
    return made
