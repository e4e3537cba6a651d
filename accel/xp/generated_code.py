"""Running generated source such that tracebacks, `inspect` and debuggers can show its lines."""

import linecache
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from accel.support.lazy import LazyNames

__all__ = ["Compiled", "Made", "fetch_from", "run"]


def run(source: str, module: str, names: Mapping[str, Any], *, title: str = "") -> dict[str, Any]:
    """Run generated source, and return the names that it defines.

    Parameters
    ----------
    source : str
        Definitions of functions.
    module : str
        The ``__module__`` of the functions.
    names : mapping
        The globals of the functions.
    title : str
        What to show as the name of the file; by default the module.
    """
    file = f"<{title or module}, generated>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope = {**names, "__name__": module}
    definitions: dict[str, Any] = {}
    exec(compile(source, file, "exec", dont_inherit=True), scope, definitions)
    scope.update(definitions)
    return definitions


class Made(Mapping[str, Callable[..., Any]]):
    """The functions of a module by name; each is made when it is first asked for.

    `fetch` is the module's ``__getattr__`` (PEP 562).

    Parameters
    ----------
    module : str
        The ``__module__`` of the functions.
    makers : mapping
        For each name a function that makes the function.
    """

    def __init__(self, module: str, makers: Mapping[str, Callable[[], Any]]) -> None:
        self._module = module
        self._makers = makers
        self._functions: dict[str, Callable[..., Any]] = {}

    def __getitem__(self, name: str) -> Callable[..., Any]:
        function = self._functions.get(name)
        if function is None:
            function = self._functions.setdefault(name, self._made(name))  # another thread may have been first
        return function

    def _made(self, name: str) -> Callable[..., Any]:
        return self._makers[name]()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def fetch(self, name: str) -> Callable[..., Any]:
        """Return a function, and store it in the module, so that Python finds it there from then on.

        Raises
        ------
        AttributeError
            If the module has no such function.
        """
        if name not in self._makers:
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        function = self[name]
        setattr(sys.modules[self._module], name, function)
        return function


class Compiled(Made):
    """Functions that are made by running generated source.

    Parameters
    ----------
    module : str
        The ``__module__`` of the functions.
    sources : mapping
        For each name a function that writes the source.
    names : mapping
        The globals of the functions.
    """

    def __init__(self, module: str, sources: Mapping[str, Callable[[], str]], names: Mapping[str, Any]) -> None:
        super().__init__(module, sources)
        self._names = names

    def _made(self, name: str) -> Callable[..., Any]:
        compiled = run(self._makers[name](), self._module, self._names, title=f"{self._module}.{name}")
        return compiled[name]  # type: ignore[no-any-return]


def fetch_from(imported: LazyNames | None, *made: Made) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a module that has functions of several kinds, and lazy imports if it has any."""

    def fetch(name: str) -> object:
        for functions in made:
            if name in functions:
                return functions.fetch(name)
        return (made[0] if imported is None else imported).fetch(name)

    return fetch
