"""pandas: from our arrays."""

import numpy as np
import pandas as pd

X = np.random.default_rng(14).normal(size=(4, 3))


def assigned(a):
    frame = pd.DataFrame(X.copy(), columns=list("abc"))
    frame["d"] = a(X[:, 0])
    frame.loc[:, "a"] = a(X[:, 1])
    return frame.to_numpy()


RETURNS_VALUES = {
    "Series": lambda a: pd.Series(a(X[0])).to_numpy(),
    "Series of a dtype": lambda a: pd.Series(a(X[0], "float32"), index=list("abc")).dtype.name,
    "DataFrame": lambda a: pd.DataFrame(a(X), columns=list("abc")).to_numpy(),
    "DataFrame of a dict": lambda a: pd.DataFrame({"a": a(X[:, 0]), "b": a(X[:, 1])}).to_numpy(),
    "assignment": assigned,
    "Series arithmetic": lambda a: (pd.Series(X[0]) + a(X[1])).to_numpy(),
    "Index": lambda a: pd.Index(a([3, 1, 2])).to_numpy(),
    "cut": lambda a: pd.cut(a(X[:, 0]), 3, labels=False),
    "factorize": lambda a: pd.factorize(np.asarray(a([3, 1, 3])))[0],
    "isin": lambda a: pd.Series([1, 2, 3]).isin(np.asarray(a([1, 3]))).to_numpy(),
    "take by index array": lambda a: pd.Series(X[:, 0]).iloc[a([2, 0])].to_numpy(),
    "mask": lambda a: pd.Series(X[:, 0])[np.asarray(a(X[:, 0]) > 0)].to_numpy(),
    "to_numeric": lambda a: pd.to_numeric(a(X[0])),
}
