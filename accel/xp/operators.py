"""The operators of `Array`, compiled from three templates: here every nanosecond counts."""

from typing import Any

__all__ = ["attach"]

_UNARY = """
def __{name}__(self, /):
    if self._record is not None:
        live(self)
    home = self._home
    result = {expression}
    if type(result) is not home.array_type:
        result = home.library.asarray(result)
    made = new(Array)
    made._native = result
    made._home = home
    made._record = None
    return made
"""

_BINARY = """
def __{name}__(self, other, /):
    home = self._home
    if type(other) is Array:
        if other._home is not home:
            home.refuse(other._home)
        if other._record is not None:
            live(other)
        other = other._native
    elif type(other) not in scalars:
        other = home.accept(other)
        if other is NotImplemented:
            return NotImplemented
    if self._record is not None:
        live(self)
    result = {expression}
    if type(result) is not home.array_type:
        result = home.library.asarray(result)
    made = new(Array)
    made._native = result
    made._home = home
    made._record = None
    return made
"""

_IN_PLACE = """
def __{name}__(self, other, /):
    home = self._home
    if type(other) is Array:
        if other._home is not home:
            home.refuse(other._home)
        other = live(other)
    elif type(other) not in scalars:
        other = home.accept(other)
        if other is NotImplemented:
            return NotImplemented
    array = live(self)
    try:
        {expression}
    except (TypeError, ValueError) as error:
        raise bad_write(self, error) from None
    return self
"""

_UNARY_OPERATORS = {"abs": "abs(self._native)", "neg": "-self._native", "pos": "+self._native", "invert": "~self._native"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ARITHMETIC = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}


def _sources() -> dict[str, str]:
    sources = {name: _UNARY.format(name=name, expression=text) for name, text in _UNARY_OPERATORS.items()}
    for name, sign in (_COMPARISONS | _ARITHMETIC).items():
        sources[name] = _BINARY.format(name=name, expression=f"self._native {sign} other")
    for name, sign in _ARITHMETIC.items():
        sources[f"r{name}"] = _BINARY.format(name=f"r{name}", expression=f"other {sign} self._native")
        sources[f"i{name}"] = _IN_PLACE.format(name=f"i{name}", expression=f"array {sign}= other")
    return sources


def attach(cls: type, **names: Any) -> None:
    """Compile every operator with the given names in its globals, and give it to a class."""
    names["__name__"] = cls.__module__
    for name, source in _sources().items():
        made: dict[str, Any] = {}
        exec(compile(source, f"<accel.xp operator {name}>", "exec"), names, made)
        method = made[f"__{name}__"]
        method.__qualname__ = f"{cls.__name__}.__{name}__"
        setattr(cls, f"__{name}__", method)
