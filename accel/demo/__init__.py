"""The demo: find stars in the Hubble deep field and blood vessels in a retina, on any device.

``accel demo`` runs it. `accel.demo.pipeline` computes the result with `accel`; `accel.demo.reference` computes it with
NumPy and SciPy for comparison.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

from accel.device import Device, resolve
from accel.errors import DeviceUnavailableError

__all__ = ["main"]

_NEEDED = ("numpy", "scipy", "skimage", "PIL", "rich")
_DIFFERENT, _REFUSED, _INTERRUPTED = 1, 2, 130


def main(device: str = "best", out: str | Path = "accel-demo", *, debug: bool = False) -> int:
    """Run the demo and return its exit code.

    Parameters
    ----------
    device : str
        Where to compute; ``best`` is the first accelerator of this machine, or the CPU.
    out : str or Path
        Folder for the pictures and the report.
    debug : bool
        Show first what debug mode reports about a kernel with an error; then run with debug mode on.

    Returns
    -------
    int
        0 if pipeline and reference agree, 1 if they differ or a simulated device reported a race, 2 if the demo cannot
        run, 130 if interrupted.
    """
    try:
        return _run(device, Path(out), debug)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except (DeviceUnavailableError, _RefusalError) as error:
        print(f"accel demo: {error}", file=sys.stderr)
    except OSError as error:
        print(f"accel demo: cannot use {error.filename or out}: {error.strerror or error}", file=sys.stderr)
    return _REFUSED


class _RefusalError(Exception):
    """The demo cannot run; the message has the reason."""


def _run(device: str, folder: Path, debug: bool) -> int:
    absent = [name for name in _NEEDED if find_spec(name) is None]
    if absent:
        raise _RefusalError(f"{', '.join(absent)} not installed: pip install 'accel-container[demo]'")
    # Imported here, because it imports the packages checked above.
    from accel.demo.run import run_demo

    return run_demo(_device(device), folder, debug=debug)


def _device(name: str) -> Device:
    try:
        return Device.best() if name == "best" else resolve(name)
    except ValueError as error:
        raise _RefusalError(str(error)) from None
