"""The stubs that type checkers read, written from the same table as the functions.

``python -m accel.xp.stubs`` writes them anew; a test compares them with the table.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from accel.xp import creation, data_types, reshaping, signatures
from accel.xp.functions import elementwise

__all__ = ["rendered", "write"]

_HEAD = """# Written by `python -m accel.xp.stubs` from the table in signatures.py.
from builtins import bool as _bool
from collections.abc import Sequence
from typing import Literal

from accel.device import Device as Device
from accel.device import DeviceLike
from accel.dtypes import DType, DTypeLike
from accel.xp.array import Array as Array
from accel.xp.operators import Scalar
"""
_CORE = """
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi

from accel.xp import fft as fft
from accel.xp import linalg as linalg
from accel.xp.array_library import default_device as default_device
from accel.xp.info import Info
from accel.xp.results import UniqueAll, UniqueCounts, UniqueInverse

_Axis = int | tuple[int, ...] | None

__array_api_version__: str
newaxis: None

def __array_namespace_info__() -> Info: ...
"""
_LINALG = """
from accel.xp.results import QR, SVD, Eig, Eigh, Slogdet

_Axis = int | tuple[int, ...] | None

"""
_FFT = """
_Axes = Sequence[int] | None
_Norm = Literal["backward", "ortho", "forward"]

"""
_FREQUENCIES = """
fftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array
rfftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array
"""
_PRIVATE = re.compile(r"\b(bool|Axis|Axes|Norm)\b")


def _privately(name: re.Match[str]) -> str:
    return f"_{name[0]}"


def _functions(table: str) -> str:
    """Write a table of signatures as a stub, with private names for what the stub does not export."""
    return "".join(f"def {_PRIVATE.sub(_privately, row)}: ...\n" for row in table.splitlines() if row)


def _exports(module: str, names: Sequence[str]) -> str:
    return "".join(f"from accel.xp.{module} import {name} as {name}\n" for name in names)


def rendered() -> dict[str, str]:
    """Return the text of each stub by the name of its file."""
    exports = _exports("creation", creation.__all__) + _exports("data_types", data_types.__all__)
    exports += _exports("reshaping", reshaping.__all__)
    core = _functions(elementwise() + signatures.FUNCTIONS + signatures.METHODS)
    return {
        "__init__.pyi": _HEAD + exports + _CORE + core,
        "linalg.pyi": _HEAD + _LINALG + _functions(signatures.LINALG),
        "fft.pyi": _HEAD + _FFT + _functions(_FREQUENCIES + signatures.FFT),
    }


def write(folder: Path) -> None:
    """Write the stubs into a folder."""
    for name, text in rendered().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent)
