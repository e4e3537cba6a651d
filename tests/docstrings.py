"""What docstrings of public names lack: of each name that `accel` shows through ``__all__``, and of their members."""

import ast
import enum
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from types import FunctionType, ModuleType

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
EXAMPLES_NEEDED = "accel.xp"
NAMED_BY_RESULT = "accel.layout"
"""There the first line of a function says, in mathematics, what it is: its result."""


def modules(module: ModuleType | None = None, found: dict[str, ModuleType] | None = None) -> dict[str, ModuleType]:
    """Return the public modules by name: those that `accel` has in ``__all__``, and those that these have."""
    module, found = module or import_module("accel"), {} if found is None else found
    found[module.__name__] = module
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, ModuleType) and value.__name__.startswith("accel.") and value.__name__ not in found:
            modules(value, found)
    return found


def public() -> dict[str, object]:
    """Return the public functions and classes of ours by name, each once, under its shortest name."""
    named: dict[int, tuple[str, object]] = {}
    for module in modules().values():
        for name in module.__all__:
            value = getattr(module, name)
            if str(getattr(value, "__module__", "")).partition(".")[0] != "accel" or isinstance(value, ModuleType):
                continue
            if isinstance(value, type) or callable(value):
                named.setdefault(id(value), (f"{module.__name__}.{name}", value))
    return dict(named.values())


class Docstring:
    """The sections of a docstring in NumPy's style."""

    def __init__(self, text: str) -> None:
        self.summary, _, rest = text.partition("\n")
        self.separated = not rest or rest.startswith("\n")
        parts = SECTION.split(text)
        self.sections = dict(zip(parts[1::2], parts[2::2], strict=True))

    @cached_property
    def described(self) -> set[str]:
        """The names of parameters and attributes."""
        lines = "\n".join(self.sections.get(name, "") for name in ("Parameters", "Other Parameters", "Attributes"))
        heads = [line.partition(" : ")[0] for line in lines.splitlines() if line and not line.startswith(" ")]
        return {name.strip().lstrip("*").strip("`") for head in heads for name in head.split(",")}


def lacks(name: str, value: object) -> list[str]:
    """Return what the docstring of a function or class lacks."""
    if isinstance(value, type):
        return [*_of_class(name, value), *(gap for each in _members(name, value) for gap in each)]
    return _of_function(name, value)


def _text(value: object) -> str:
    own = value.__dict__.get("__doc__") if isinstance(value, type) else getattr(value, "__doc__", None)
    return inspect.cleandoc(own) if isinstance(own, str) else ""


def _of_function(name: str, function: object, *, bound: bool = False) -> list[str]:
    """``bound``: a method, the first parameter of which is not described, nor its result if the summary says it."""
    doc = Docstring(_text(function))
    gaps = _summary(doc)
    if not doc.summary:
        return [f"{name}: {gap}" for gap in gaps]
    try:
        signature = inspect.signature(function)
    except ValueError:
        return [f"{name}: {gap}" for gap in gaps]
    gaps += [f"parameter {each}" for each in _parameters(signature)[bound:] if each not in doc.described]
    returned = signature.return_annotation
    if (
        not bound
        and not name.startswith(NAMED_BY_RESULT)
        and returned not in (None, "None", inspect.Signature.empty)
        and not {"Returns", "Yields"} & doc.sections.keys()
    ):
        gaps.append("returns")
    if _raises(function) and "Raises" not in doc.sections:
        gaps.append("raises")
    if not bound and name.startswith(EXAMPLES_NEEDED) and ">>>" not in doc.sections.get("Examples", ""):
        gaps.append("example")
    return [f"{name}: {gap}" for gap in gaps]


def _summary(doc: Docstring) -> list[str]:
    if not doc.summary:
        return ["docstring"]
    gaps = [] if doc.separated else ["empty line after the summary"]
    return gaps if doc.summary.endswith(".") else [*gaps, "summary of one sentence"]


def _parameters(signature: inspect.Signature) -> list[str]:
    return [name for name in signature.parameters if not name.startswith("_")]


def _of_class(name: str, kind: type) -> list[str]:
    doc = Docstring(_text(kind))
    gaps = _summary(doc)
    if doc.summary and not issubclass(kind, BaseException | enum.Enum) and "__init__" in vars(kind):
        described = set().union(*(Docstring(_text(base)).described for base in kind.__mro__))
        several = {"args", "kwargs"} if getattr(kind, "_is_protocol", False) else set()
        if doc.described:  # the parameters are those of several forms of the call
            several = {"arguments", "keywords"}
        parameters = _parameters(inspect.signature(kind.__init__))[1:]
        gaps += [f"parameter {each}" for each in parameters if each not in described | several]
    return [f"{name}: {gap}" for gap in gaps]


def _members(name: str, kind: type) -> Iterator[list[str]]:
    for member, value in vars(kind).items():
        if member.startswith(("_", "test_")):
            continue
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if isinstance(function, FunctionType):
            if not inherits(kind, member) or _text(function):
                yield _of_function(f"{name}.{member}", function, bound=not isinstance(value, staticmethod))
        elif isinstance(function, property | cached_property) and not (_text(function) or inherits(kind, member)):
            yield [f"{name}.{member}: docstring"]


def inherits(kind: type, member: str) -> bool:
    """Tell whether a base documents a member: `inspect.getdoc` returns its text then."""
    return any(_text(vars(base)[member]) for base in kind.__mro__[1:] if member in vars(base))


def _raises(function: object) -> bool:
    """Tell whether the source of a function has a ``raise`` of its own, which is not in a function inside it."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    except (OSError, SyntaxError, TypeError):
        return False
    return isinstance(tree, ast.FunctionDef) and any(_raised(statement) for statement in tree.body)


def _raised(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return False
    if isinstance(node, ast.Raise):
        return node.exc is not None
    return any(map(_raised, ast.iter_child_nodes(node)))
