"""Two demos: stars and blood vessels found in pictures, on any device; counties and cities measured by tasks on tiles.

``accel demo`` runs the first. `accel.demo.pipeline` computes the result with `accel`; `accel.demo.reference` computes
it with NumPy for comparison. ``accel demo stores`` runs the second, which is `accel.demo.stores`.
"""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

from accel.device import Device, resolve
from accel.errors import DeviceUnavailableError

__all__ = ["SUBJECTS", "main"]

SUBJECTS = ("pictures", "stores")

_NEEDED = {"pictures": ("numpy", "skimage", "PIL", "rich"), "stores": ("numpy", "rich", "bokeh_sampledata")}
_EXTRAS = {"pictures": "demo", "stores": "demo-stores"}
_DIFFERENT, _REFUSED, _INTERRUPTED = 1, 2, 130


def main(
    device: str = "best", out: str | Path = "accel-demo", *, debug: bool = False, subject: str = "pictures"
) -> int:
    """Run a demo and return its exit code.

    Parameters
    ----------
    device : str
        Where to compute; ``best`` is the first accelerator of this machine, or the CPU. That of stores runs on the CPU.
    out : str or Path
        Folder for the pictures and the report.
    debug : bool
        Show first what debug mode reports about a kernel with an error; then run with debug mode on.
    subject : str
        ``pictures`` or ``stores``.

    Returns
    -------
    int
        0 if the results are those of the reference, 1 if they differ or a simulated device reported a race, 2 if the
        demo cannot run, 130 if interrupted.
    """
    try:
        return _run(subject, device, Path(out), debug)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except DeviceUnavailableError as error:
        print(f"accel demo: {_in_shell(str(error))}", file=sys.stderr)
    except _RefusalError as error:
        print(f"accel demo: {error}", file=sys.stderr)
    except OSError as error:
        print(f"accel demo: cannot use {error.filename or out}: {error.strerror or error}", file=sys.stderr)
    return _REFUSED


def _in_shell(message: str) -> str:
    """Return a message about a device with options of the command in place of Python."""
    message = message.replace("accel.using(fallback='warn')", "set ACCEL_FALLBACK=warn")
    return re.sub(r"device='(.+?)'", r"--device \1", message)


class _RefusalError(Exception):
    """The demo cannot run; the message has the reason."""


def _run(subject: str, device: str, folder: Path, debug: bool) -> int:
    absent = [name for name in _NEEDED[subject] if find_spec(name) is None]
    if absent:
        raise _RefusalError(f"{', '.join(absent)} not installed: pip install 'accel-container[{_EXTRAS[subject]}]'")
    # Imported here, because they import the packages checked above.
    if subject == "stores":
        if debug or device not in ("best", "cpu"):
            raise _RefusalError("its tasks run on the CPU, and it has no kernels to debug: accel demo stores")
        from accel.demo.stores.run import run_stores

        return run_stores(folder)
    from accel.demo.run import run_demo

    return run_demo(_device(device), folder, debug=debug)


def _device(name: str) -> Device:
    try:
        return Device.best() if name == "best" else resolve(name)
    except ValueError as error:
        raise _RefusalError(str(error)) from None
