"""Running generated source such that tracebacks, `inspect` and debuggers can show its lines."""

import linecache
from collections.abc import Mapping
from typing import Any

__all__ = ["run"]


def run(source: str, module: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """Run generated source, and return the names that it defines.

    Parameters
    ----------
    source : str
        Definitions of functions.
    module : str
        The ``__module__`` of the functions.
    names : mapping
        The globals of the functions.
    """
    file = f"<{module}, generated>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope = {**names, "__name__": module}
    made: dict[str, Any] = {}
    exec(compile(source, file, "exec", dont_inherit=True), scope, made)
    scope.update(made)
    return made
