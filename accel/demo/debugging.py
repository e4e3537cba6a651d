"""Show what debug mode reports when a kernel leaves its views."""

import traceback
from inspect import getsourcelines, unwrap

import numpy as np
from rich.console import Console
from rich.syntax import Syntax

import accel
from accel.demo.planted_error import smooth_row, smooth_row_too_far, smoothed
from accel.device import Device
from accel.errors import KernelBoundsError
from accel.kernels import Kernel
from accel.views import BufferView

__all__ = ["show_planted_error"]

_SIZE = 32
_UNTOUCHED = -1.0


def show_planted_error(device: Device, console: Console) -> None:
    """Run a kernel with an off-by-one error in debug mode, and print the error that this raises.

    Raises
    ------
    RuntimeError
        If debug mode does not do what the text says.
    """
    row = np.arange(_SIZE, dtype=np.float64) ** 2
    x = accel.container(row, device=device)
    again = accel.empty(_SIZE - 2, "float64", device)
    memory = accel.full(_SIZE - 1, _UNTOUCHED, "float64", device)
    # Two handles: after the error, only the bytes of the one that the kernel writes count as incomplete.
    out: BufferView[np.float64] = BufferView(memory.storage.window(0, _SIZE - 2, memory.dtype))
    behind: BufferView[np.float64] = BufferView(memory.storage.window(out.nbytes, 1, memory.dtype))
    with accel.debug():
        error = _error_of(smooth_row_too_far, x[:], out)
        smooth_row(x[:], again[:]).wait()
    _require(behind.to_numpy()[0] == _UNTOUCHED, "the element behind the view was written")
    expected = (row[:-2] + 2 * row[1:-1] + row[2:]) / 4
    _require(np.array_equal(again.to_numpy(), expected), "the corrected kernel gave another result")
    _print(console, error, device)


def _error_of(kernel: Kernel, *views: BufferView[np.float64]) -> KernelBoundsError:
    try:
        kernel(*views).wait()
    except KernelBoundsError as error:
        return error
    raise RuntimeError("debug mode did not report the planted error")


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise RuntimeError(otherwise)


def _print(console: Console, error: KernelBoundsError, device: Device) -> None:
    console.rule("Debug mode: a kernel that takes one step too many")
    for function in (smoothed, smooth_row_too_far):
        lines, first = getsourcelines(unwrap(function))
        code = "".join(lines).rstrip()
        console.print(Syntax(code, "python", line_numbers=True, start_line=first, background_color="default"))
    for part in ("\n", *traceback.format_exception_only(error)):
        console.print(part.rstrip(), style="red", markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"\nThe last step, tid={_SIZE - 2}, reads x[{_SIZE}] and writes out[{_SIZE - 2}]. Each is one element "
        f"behind the end of its view. Debug mode checks each access before it is done, so the element behind out was "
        f"not written. {device} stays usable: the kernel without the error ran next, and its result is right.",
        highlight=False,
    )
    console.rule("The demo, with each access of its kernels checked")
    if device.type == "sim":
        console.print(f"{device} also looks for races between the steps of each loop, which takes about a minute.")
