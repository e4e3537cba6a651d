"""`linked_text`: what a kernel of numba.cuda is linked with, if that is text in CUDA."""

from pathlib import Path
from typing import Any

from accel.errors import CapabilityError

__all__ = ["linked_text"]


def linked_text(library: Any) -> tuple[list[str], list[str]]:
    """Return the texts that a library of code is linked with, and options for their compiler.

    Raises
    ------
    CapabilityError
        If it is linked with code for NVIDIA's GPUs that is compiled.
    """
    texts, options = [], list[str]()
    for each in sorted(library._linking_files, key=_name):
        text = _text(each)
        if isinstance(each, str):
            options += ["-I", str(Path(each).absolute().parent)]
        texts.append(text)
    if texts:
        import numba.cuda as package

        folder = Path(package.__file__).parent
        options += [word for name in ("include", "memory_management") for word in ("-I", str(folder / name))]
    return texts, options


def _name(item: Any) -> str:
    return item if isinstance(item, str) else str(item.name)


def _text(item: Any) -> str:
    kind = Path(item).suffix.lstrip(".") if isinstance(item, str) else str(getattr(item, "kind", ""))
    if kind != "cu":
        raise CapabilityError(
            f"a kernel is linked with {_name(item)}, which is {kind or type(item).__name__} for NVIDIA's GPUs; the "
            f"simulated device links with CUDA text only: write link=[cuda.CUSource(text)]"
        )
    data = Path(item).read_text(encoding="utf-8") if isinstance(item, str) else item.data
    return data.decode() if isinstance(data, bytes) else str(data)
