"""pint: quantities of our arrays."""

import numpy as np
import pint

units = pint.UnitRegistry()
X = np.random.default_rng(10).uniform(1, 2, (3, 4))


def of(function):
    """Return a function that gives the magnitude of what a function makes of a quantity of metres."""
    return lambda a: function(units.Quantity(a(X), "m")).magnitude


RETURNS_OURS = {
    "Quantity": of(lambda q: q),
    "array * unit": lambda a: (a(X) * units.m).magnitude,
    "arithmetic": of(lambda q: (q + q * 2 - q / 4) ** 2),
    "with another unit": of(lambda q: q + units.Quantity(3, "cm")),
    "conversion": of(lambda q: q.to("km")),
    "to_base_units": of(lambda q: (q * units.Quantity(2.0, "inch")).to_base_units()),
    "division": of(lambda q: q / units.Quantity(2.0, "s")),
    "comparison": lambda a: units.Quantity(a(X), "m") > units.Quantity(150, "cm"),
    "index": of(lambda q: q[1:, ::2]),
    "ufuncs": of(lambda q: np.sqrt(q * q) + np.abs(q)),
    "sin of an angle": lambda a: np.sin(units.Quantity(a(X), "degree")).magnitude,
    "np.sum, np.mean": lambda a: [f(units.Quantity(a(X), "m"), axis=0).magnitude for f in (np.sum, np.mean, np.max)],
    "np.concatenate": of(lambda q: np.concatenate([q, q.to("cm")])),
    "np.where": of(lambda q: np.where(q > 1.5 * units.m, q, 0 * units.m)),
    "np.stack": of(lambda q: np.stack([q, q])),
    "methods": of(lambda q: q.mean(axis=0)),
    "transpose": of(lambda q: q.T),
    "matmul": of(lambda q: q @ q.T),
}
RETURNS_VALUES = {
    "repr": lambda a: "meter" in repr(units.Quantity(a(X), "m")),
    "format": lambda a: f"{units.Quantity(a(X), 'm')[0, 0]:.2f~}",
}
