"""Runs the functions of other libraries on arrays of `accel.xp`, and compares the results with those for NumPy.

As a program: ``python harness.py CONSUMER...`` prints the outcomes as JSON. Each consumer is a module of
``consumers/``. It maps names to functions of a `Maker`:

- ``RETURNS_OURS``: what the function returns must be arrays of ours, on the device of the operands.
- ``RETURNS_VALUES``: only the values of what it returns count.
"""

import json
import os
import sys
import warnings
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # SciPy reads it when it is imported
os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np

import accel
from accel import xp
from accel.errors import DeviceMismatchError

MODES = {"cpu": ("cpu", "never"), "sim": ("sim", "never"), "sim, host copies": ("sim", "allow")}
"""Per column of the table: the device, and the setting ``host_copies``."""

NATIVE, RIGHT, REFUSED = "native", "yes", "refused"
"""Computed without a copy to the host; computed; refused, with an error that says what to write."""


@dataclass(frozen=True)
class Maker:
    """Makes the arrays of one run, for NumPy or for `accel.xp` on a device."""

    xp: object
    device: str = "cpu"

    def __call__(self, values, dtype=None):
        if self.xp is np:
            return np.array(values, dtype=dtype)
        return xp.asarray(np.array(values, dtype=dtype), device=self.device)


def outcome(function, mode, *, ours):
    """Run a function on NumPy's arrays and on ours, and say in a word how that went."""
    device, host_copies = MODES[mode]
    expected = leaves(function(Maker(np)))
    try:
        with accel.using(device=device, host_copies=host_copies):
            found = leaves(function(Maker(xp, device)))
        compare(found, expected, device if ours else None)
    except Exception as error:
        if mode == "sim" and refuses(error):
            return REFUSED
        return f"{type(error).__name__}: {str(error).strip()}"[:400]
    return NATIVE if mode == "sim" else RIGHT


def refuses(error):
    """Tell whether an error comes from ours about the device; libraries chain errors, or quote their text."""
    while error is not None:
        if isinstance(error, DeviceMismatchError):
            return True
        error = error.__cause__ or error.__context__
    return False


def leaves(result):
    """Return the arrays and numbers in a result, in order."""
    if isinstance(result, dict):
        return [leaf for key in sorted(result) for leaf in leaves(result[key])]
    if is_dataclass(result):
        return [leaf for field in fields(result) for leaf in leaves(getattr(result, field.name))]
    if isinstance(result, tuple | list):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def compare(found, expected, device):
    """Check the values, and the type and device if results must be ours."""
    assert len(found) == len(expected), f"{len(found)} results instead of {len(expected)}"
    for ours, theirs in zip(found, expected, strict=True):
        if device is not None:
            assert type(ours) is xp.Array, f"the result is a {type(ours).__module__}.{type(ours).__name__}"
            assert str(ours.device) == device, f"the result is on {ours.device}"
        values, wanted = on_host(ours), np.asarray(theirs)
        if wanted.dtype.kind in "fc":
            np.testing.assert_allclose(values, wanted, rtol=1e-6, atol=1e-8)
        else:
            np.testing.assert_array_equal(values, wanted)


def on_host(result):
    return np.asarray(result.to_device("cpu") if type(result) is xp.Array else result)


def checks(consumer):
    """Return the functions of a consumer, with whether their results must be ours."""
    module = import_module(f"consumers.{consumer}")
    ours = {name: (function, True) for name, function in getattr(module, "RETURNS_OURS", {}).items()}
    return ours | {name: (function, False) for name, function in getattr(module, "RETURNS_VALUES", {}).items()}


def run(consumer):
    """Return the outcome of each function of a consumer, in each mode."""
    return {
        name: {"ours": ours, "modes": {mode: outcome(function, mode, ours=ours) for mode in MODES}}
        for name, (function, ours) in checks(consumer).items()
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the libraries' own
    json.dump({name: run(name) for name in sys.argv[1:]}, sys.stdout, indent=1)
