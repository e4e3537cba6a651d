"""The stubs that type checkers read, written from the same table as the functions.

``python -m accel.xp.stubs`` writes them anew; a test compares them with the table.
"""

import ast
from pathlib import Path

from accel.xp import creation, data_types, signatures
from accel.xp.functions import parsed, unary_and_binary

__all__ = ["rendered", "write"]

_HEAD = '''# Written by `python -m accel.xp.stubs` from the table in signatures.py.
from builtins import bool as _bool
from collections.abc import Sequence
from typing import Literal

from accel.dtypes import DType, DTypeLike
'''
_CORE = '''from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi

from accel.device import Device as Device
from accel.xp import fft as fft
from accel.xp import linalg as linalg
from accel.xp.array import Array as Array
from accel.xp.array import Scalar
from accel.xp.home import default_device as default_device
from accel.xp.info import namespace_info as __array_namespace_info__
from accel.xp.results import UniqueAll, UniqueCounts, UniqueInverse

__array_api_version__: str
newaxis: None
_Axis = int | tuple[int, ...] | None
'''
_LINALG = '''
from accel.xp.array import Array
from accel.xp.results import QR, SVD, Eigh, Slogdet

_Axis = int | tuple[int, ...] | None
'''
_FFT = '''
from accel.device import DeviceLike
from accel.xp.array import Array

_Norm = Literal["backward", "ortho", "forward"]

def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Array: ...
def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Array: ...
'''
_PRIVATE = {"bool": "_bool", "Axis": "_Axis", "Norm": "_Norm"}


class _Privately(ast.NodeTransformer):
    """Give names that the stub may not export, or that a dtype shadows, their private spelling."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(_PRIVATE.get(node.id, node.id), node.ctx)


def _functions(table: str) -> str:
    return "".join(f"{ast.unparse(_Privately().visit(function))}\n" for function in parsed(table))


def _exports(module: str, names: list[str]) -> str:
    return "".join(f"from accel.xp.{module} import {name} as {name}\n" for name in names)


def rendered() -> dict[str, str]:
    """Return the text of each stub by the name of its file."""
    exports = _exports("creation", creation.__all__) + _exports("data_types", data_types.__all__)
    core = _functions(unary_and_binary() + signatures.FUNCTIONS + signatures.METHODS)
    return {
        "__init__.pyi": _HEAD + exports + _CORE + core,
        "linalg.pyi": _HEAD + _LINALG + _functions(signatures.LINALG),
        "fft.pyi": _HEAD + _FFT + _functions(signatures.FFT),
    }


def write(folder: Path) -> None:
    """Write the stubs into a folder."""
    for name, text in rendered().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent)
