"""Elements of views, of arrays, and of the frame."""

from typing import NamedTuple

from .forms import Form, Value
from .text import Text

__all__ = ["Memory", "load", "store"]


class Memory(NamedTuple):
    """A view or an array.

    Attributes
    ----------
    address : str
        Of the first element.
    form : Form
        Of the elements.
    extents, strides : tuple of str
        Of a view, along each axis.
    hints : str
        What follows each access: nothing, or LLVM's metadata.
    """

    address: str
    form: Form
    extents: tuple[str, ...] = ()
    strides: tuple[str, ...] = ()
    hints: str = ""

    def with_stride(self, axis: int, stride: str) -> "Memory":
        """Return it with another stride along an axis."""
        return self._replace(strides=(*self.strides[:axis], stride, *self.strides[axis + 1 :]))


def load(text: Text, form: Form, place: str, hints: str = "") -> Value:
    """Load an element from an address."""
    parts = tuple(
        text.value(f"load {form.memory}, ptr {each}, align {form.nbytes}{hints}") for each in _parts(text, form, place)
    )
    return (text.value(f"icmp ne i8 {parts[0]}, 0"),) if form.kind == "bool" else parts


def store(text: Text, form: Form, place: str, value: Value, hints: str = "") -> None:
    """Store an element at an address."""
    if form.kind == "bool":
        value = (text.value(f"zext i1 {value[0]} to i8"),)
    for each, part in zip(_parts(text, form, place), value, strict=True):
        text.do(f"store {form.memory} {part}, ptr {each}, align {form.nbytes}{hints}")


def _parts(text: Text, form: Form, place: str) -> tuple[str, ...]:
    if form.parts == 1:
        return (place,)
    return place, text.value(f"getelementptr inbounds {form.memory}, ptr {place}, i64 1", "at")
