"""`linked_text`: what a kernel of numba.cuda is linked with, if that is text in CUDA."""

from pathlib import Path
from typing import Any

from numba.cuda.core import config
from numba.cuda.cudadrv.driver import LinkerError
from numba.cuda.cudadrv.mappings import FILE_EXTENSION_MAP

from accel.errors import CapabilityError

__all__ = ["linked_text"]


def linked_text(library: Any) -> tuple[list[str], list[str]]:
    """Return the texts that a library of code is linked with, and options for their compiler.

    Raises
    ------
    CapabilityError
        If it is linked with code for NVIDIA's GPUs that is compiled.
    RuntimeError
        If it is linked with a file that is not there, or of no kind that numba-cuda knows.
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
        further = [each for each in config.CUDA_NVRTC_EXTRA_SEARCH_PATHS.split(":") if each]
        options += [f"-I{each}" for each in (folder / "include", folder / "memory_management", *further)]
    return texts, options


def _name(item: Any) -> str:
    return item if isinstance(item, str) else str(item.name)


def _text(item: Any) -> str:
    kind = _kind_of_file(Path(item)) if isinstance(item, str) else str(getattr(item, "kind", ""))
    if kind != "cu":
        raise CapabilityError(
            f"a kernel is linked with {_name(item)}, which is {kind or type(item).__name__} for NVIDIA's GPUs; the "
            f"simulated device links with CUDA text only: write link=[cuda.CUSource(text)]"
        )
    data = Path(item).read_text(encoding="utf-8") if isinstance(item, str) else item.data
    return data.decode() if isinstance(data, bytes) else str(data)


def _kind_of_file(path: Path) -> str:
    """Return the kind of a file; for wrong ones raise what numba-cuda's linker does, as programs catch it."""
    kind = path.suffix.lstrip(".")
    if not kind:
        raise RuntimeError("Don't know how to link file with no extension")
    if kind not in ("cu", *FILE_EXTENSION_MAP):
        raise RuntimeError(f"Don't know how to link file with extension .{kind}")
    if not path.exists():
        raise LinkerError(f"{path} not found")
    return kind
