"""`when_imported`: run an action when a module is imported, without importing it."""

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, TypeAlias

__all__ = ["Action", "when_imported"]

Action: TypeAlias = Callable[[ModuleType], object]
"""What runs after an import; its argument is the module."""

_waiting: dict[str, list[Action]] = {}


def when_imported(name: str, action: Action) -> None:
    """Run an action at once if a module is imported already, else after its first import.

    The action does not run if that import fails; it waits for the next one. An action that fails gives a
    `RuntimeWarning`, because the program that imports the module may not use our arrays at all.

    Parameters
    ----------
    name : str
        The full name of the module.
    action : callable
        A function of the module.
    """
    _waiting.setdefault(name, []).append(action)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    _run_if_imported(name)


def _run_if_imported(name: str) -> None:
    module = sys.modules.get(name)
    if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        _run(name, module)


def _run(name: str, module: ModuleType) -> None:
    for action in _waiting.pop(name, ()):
        try:
            action(module)
        except Exception as error:
            message = f"accel could not prepare {name} for its arrays: {type(error).__name__}: {error}"
            warnings.warn(message, RuntimeWarning, stacklevel=2)


# The bases of `importlib.abc` add nothing here, and their module imports forty others.


class _Finder:
    """Finds waited-for modules by the other finders, and wraps their loaders.

    It stays in `sys.meta_path`: if it were removed while another thread walks along that list, that thread would skip
    a finder.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not _waiting:
            return None
        for name in tuple(_waiting):
            # An import that began before the action was registered did not ask this finder.
            _run_if_imported(name)
        return self._found(fullname, path, target) if fullname in _waiting else None

    def _found(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        for finder in tuple(sys.meta_path):
            # Python skips finders without the method too.
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    loader: Any = _Loader(spec.loader)
                    spec.loader = loader
                return spec
        return None


class _Loader:
    """A loader that runs the actions after the module."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None, "importlib sets it"
        # The module, and what reads its files, see its own loader.
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _run(module.__spec__.name, module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


_FINDER = _Finder()
