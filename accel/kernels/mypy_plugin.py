"""A plugin of mypy: what a function with ``@kernel`` or ``@func`` returns, and takes, needs no annotation.

In the configuration of mypy write ``plugins = ["accel.kernels.mypy_plugin"]``. Other type checkers need none.
"""

from collections.abc import Iterator

from mypy.fastparse import _dummy_fallback
from mypy.nodes import (
    CallExpr,
    Decorator,
    Expression,
    FuncDef,
    Import,
    ImportAll,
    ImportBase,
    ImportFrom,
    MemberExpr,
    MypyFile,
    NameExpr,
    Node,
)
from mypy.plugin import Plugin
from mypy.types import AnyType, CallableType, ProperType, Type, TypeOfAny

__all__ = ["plugin"]

_DECORATORS = ("kernel", "func")
_PARTS = ("body", "else_body", "finally_body", "handlers", "defs", "func")


class _KernelPlugin(Plugin):
    """The plugin; mypy asks it for dependencies of each file after it has parsed the file."""

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """Complete the annotations of kernels in a file; they depend on no other file."""
        if any(map(_is_of_accel, file.imports)):
            for node in _statements(file):
                if isinstance(node, Decorator) and any(map(_is_of_kernels, node.original_decorators)):
                    _complete(node.func)
        return []


def _statements(node: Node) -> Iterator[Node]:
    """Yield a node, and the statements in it; visitors of mypy are compiled, and cannot be extended."""
    yield node
    for name in _PARTS:
        part = getattr(node, name, None)
        for each in part if isinstance(part, list) else [part]:
            if isinstance(each, Node):
                yield from _statements(each)


def _is_of_accel(node: ImportBase) -> bool:
    names = [name for name, _ in node.ids] if isinstance(node, Import) else []
    names += [node.id] if isinstance(node, ImportFrom | ImportAll) else []
    return any(name.partition(".")[0] == "accel" for name in names)


def _is_of_kernels(decorator: Expression) -> bool:
    called = decorator.callee if isinstance(decorator, CallExpr) else decorator
    return isinstance(called, NameExpr | MemberExpr) and called.name in _DECORATORS


def _complete(function: FuncDef) -> None:
    if function.type is None:
        anything: list[Type] = [_any() for _ in function.arg_names]
        kinds, names = function.arg_kinds, function.arg_names
        function.type = CallableType(anything, kinds, names, _any(), _dummy_fallback)
    elif isinstance(function.type, CallableType):
        known = function.type
        function.type = known.copy_modified([_given(x) for x in known.arg_types], ret_type=_given(known.ret_type))
    function.unanalyzed_type = function.type


def _given(annotation: Type) -> Type:
    """Return an annotation; where there is none, that of anything."""
    missing = isinstance(annotation, AnyType) and annotation.type_of_any == TypeOfAny.unannotated
    return _any() if missing else annotation


def _any() -> ProperType:
    return AnyType(TypeOfAny.explicit)


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin for a version of mypy."""
    return _KernelPlugin
