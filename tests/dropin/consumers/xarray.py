"""xarray: our arrays as the data of variables."""

import numpy as np
import xarray as xr

X = np.random.default_rng(9).normal(size=(4, 6))


def array(a, values=X):
    return xr.DataArray(a(values), dims=("time", "space"), coords={"time": [1, 2, 2, 5], "space": np.arange(6) * 0.5})


def of(function):
    """Return a function that gives the data of what a function makes of a DataArray."""
    return lambda a: function(array(a)).data


def dataset(a):
    data = xr.Dataset({"x": array(a), "y": array(a) * 2})
    return [(data.x + data.y).data, data.mean("time").y.data, data.isel(time=0).x.data]


REDUCTIONS = ["sum", "mean", "std", "var", "min", "max", "prod", "any", "all"]

RETURNS_OURS = {
    "DataArray": of(lambda d: d),
    "Variable": lambda a: (xr.Variable(("x", "y"), a(X)) * 2).data,
    "arithmetic": of(lambda d: (d + 1) * d - d / 2),
    "broadcasting by name": of(lambda d: d - d.mean("time")),
    "comparison": of(lambda d: d > 0),
    "ufuncs": of(lambda d: np.sin(d) + np.exp(d)),
    **{name: of(lambda d, name=name: getattr(d, name)("time")) for name in REDUCTIONS},
    **{
        f"{name}, skipna=False": of(lambda d, name=name: getattr(d, name)(skipna=False))
        for name in ("sum", "mean", "max")
    },
    "isel": of(lambda d: d.isel(time=[2, 0], space=slice(1, 4))),
    "sel": of(lambda d: d.sel(space=1.0, method="nearest")),
    "transpose": of(lambda d: d.transpose("space", "time")),
    "stack": of(lambda d: d.stack(both=("time", "space"))),
    "expand_dims": of(lambda d: d.expand_dims("new")),
    "concat": of(lambda d: xr.concat([d, d], "space")),
    "where": of(lambda d: d.where(d > 0, 0.0)),
    "xr.where": of(lambda d: xr.where(d > 0, d, -d)),
    "fillna": of(lambda d: d.fillna(0.0)),
    "isnull": of(lambda d: d.isnull()),
    "clip": of(lambda d: d.clip(-1, 1)),
    "shift": of(lambda d: d.shift(time=1, fill_value=0.0)),
    "roll": of(lambda d: d.roll(time=1)),
    "diff": of(lambda d: d.diff("time")),
    "dot": of(lambda d: xr.dot(d, d, dim="time")),
    "groupby, mean": of(lambda d: d.groupby("time").mean()),
    "astype": of(lambda d: d.astype("float32")),
    "apply_ufunc": of(lambda d: xr.apply_ufunc(lambda x: x * 2, d)),
    "Dataset": dataset,
    "copy": of(lambda d: d.copy(deep=True)),
}
RETURNS_VALUES = {
    "to_numpy": lambda a: array(a).to_numpy(),
    "values": lambda a: array(a).values,
    "repr": lambda a: len(repr(array(a))) > 0,
    "to_pandas": lambda a: array(a).to_pandas().to_numpy(),
    "argmax": of(lambda d: d.argmax("time")),
    "median": of(lambda d: d.median("time")),
    "cumsum": of(lambda d: d.cumsum("time")),
    "coarsen": of(lambda d: d.coarsen(space=2).sum()),
    "interp": of(lambda d: d.drop_duplicates("time").interp(space=[0.25, 0.75])),
    "equals": lambda a: array(a).equals(array(a)),
}
