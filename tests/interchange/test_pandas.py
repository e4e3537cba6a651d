"""pandas: what it computes with our arrays is what it computes with those of NumPy, or an error."""

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceMismatchError

from ..tables import rows

pd = pytest.importorskip("pandas")

SERIES = [1.0, 2.0, 3.0, 4.0]
FRAME = {"a": SERIES, "b": [5.0, 6.0, 7.0, 8.0]}
CALLS = """
s.isin(x); s.isin(list(x)); f.isin(x); pd.Index([1.0, 9.0]).isin(x); f.query('a in @x', local_dict={'x': x})
pd.Series([1, 2]).isin(k); s.replace(x, 0); s.replace(x, x + 1); pd.Series(x); pd.DataFrame({'c': x})
pd.DataFrame(X); pd.Index(k); pd.Series(X[:, 0]) + X[:, 1]; X[:, 1] * pd.Series(X[:, 0])
pd.Series(X[:, 0]).where(X[:, 0] > 1, X[:, 1]); s.mask(m); s[m]; f[m]; s.loc[k]; s.loc[m]; s.iloc[k]
f.assign(c=w); s.clip(w); s.between(w, w + 1); s == w; s < w; pd.cut(s, x); pd.cut(x, 2); pd.qcut(x, 2)
pd.unique(x); pd.factorize(k); pd.Series(k).value_counts(); s.groupby(g).sum(); pd.Series(x).rolling(2).sum()
s.searchsorted(x); s.reindex(k); s.take(k); pd.concat([s, pd.Series(x)]); pd.to_datetime(k)
f.merge(pd.DataFrame({'a': x})); s.corr(pd.Series(w)); s.combine(pd.Series(w), max)
pd.Index([1.0, 2.0]).get_indexer(x); pd.crosstab(k, k); pd.get_dummies(k); pd.to_numeric(x); pd.isna(x); pd.array(x)
s.dot(w); pd.IntervalIndex.from_breaks(x); pd.Series(x).rank(); pd.Series(x).nlargest(1); s.quantile(x / 10)
pd.TimedeltaIndex(k); s.iat[k[0]]; s.map({1.0: 5}, None); pd.DataFrame({'k': k, 'x': x}).melt('k')
pd.DataFrame({'k': k, 'x': x}).pivot_table('x', 'k'); pd.MultiIndex.from_arrays([k, k]); f.set_index(w); f.drop(k)
s.drop(k); f.nlargest(1, 'a').isin(x); pd.Series(x).isin(x); s.index.isin(k); s.explode().isin(x)
f.apply(lambda column: column * w); s.ewm(1).mean().isin(x); pd.Categorical(x.tolist()); pd.Series(x, dtype='Int64')
s.shift(1).isin(x)
"""


def values(convert):
    found = {
        "x": np.array([1.0, 3.0]),
        "k": np.array([0, 1]),
        "m": np.array([True, False, True, False]),
        "g": np.array([0, 0, 1, 1]),
        "w": np.array([1.0, 3.0, 2.0, 5.0]),
        "X": np.arange(6.0).reshape(3, 2),
    }
    ours = {name: convert(each) for name, each in found.items()}
    return ours | {"pd": pd, "s": pd.Series(SERIES), "f": pd.DataFrame(FRAME)}


def text_of(result):
    return repr(np.asarray(result.to_device("cpu")) if isinstance(result, xp.Array) else result)


@pytest.mark.filterwarnings("ignore")
@rows("call", [each.strip() for each in CALLS.replace("\n", ";").split(";") if each.strip()])
@pytest.mark.parametrize("host_copies", ["never", "allow"])
def test_each_call_is_right_or_refused(call, host_copies, device):
    expected = text_of(eval(call, values(lambda array: array)))
    with accel.using(host_copies=host_copies):
        try:
            found = text_of(eval(call, values(lambda array: xp.asarray(array, device=device, copy=True))))
        except (TypeError, ValueError, LookupError):
            return
    assert found == expected


RIGHT = "s.isin(x); s.isin(list(x)); f.isin(x); s.replace(x, 0); pd.Series(x); s + w; s.where(m, w); s.iloc[k]"


@rows("call", [each.strip() for each in RIGHT.split(";")])
def test_what_programs_use_most_is_right(call, device):
    with accel.using(host_copies="never" if device is Device.CPU else "allow"):
        found = eval(call, values(lambda array: xp.asarray(array, device=device, copy=True)))
    assert text_of(found) == text_of(eval(call, values(lambda array: array)))


def test_elements_have_the_hash_of_their_number(device):
    for values in ([1.5, 2.0], [1, 2], [1 + 2j]):
        x = xp.asarray(values, device=device)
        assert {*x} == {*values}
        assert [hash(each) for each in x] == [hash(each) for each in values]
    with pytest.raises(TypeError, match=r"unhashable type: an array of shape \(2,\); write x\.tolist\(\)"):
        hash(xp.ones(2, device=device))
    with pytest.raises(TypeError, match="unhashable type: an array that is a truth value"):
        hash(xp.asarray(True, device=device))


MASKS = """
s[m]; f[m]; s.loc[m]; f.loc[m]; f.loc[m, 'a']; s.iloc[m]; f.iloc[m]; f.iloc[~m]; put(s, m, w[:2])
put(f.loc, (m, 'b'), w[:2])
put(s.iloc, m, 0); s.groupby(g).sum(); f.groupby(g).sum(); f.groupby([g, m]).sum(); pd.Categorical(k)
f.pivot_table('b', g); f.isin({'a': x}); pd.Series([1, 2], dtype='category').isin(k); f.merge(f, left_on=g, right_on=g)
"""


def put(target, key, value):
    target[key] = value
    return getattr(target, "obj", target)


@pytest.mark.filterwarnings("ignore")
@rows("call", [each.strip() for each in MASKS.replace("\n", ";").split(";") if each.strip()])
def test_masks_and_keys_are_those_of_numpy(call, device):
    expected = text_of(eval(call, values(lambda array: array) | {"put": put}))
    ours = values(lambda array: xp.asarray(array, device=device, copy=True)) | {"put": put}
    with accel.using(host_copies="never" if device is Device.CPU else "allow"):
        assert text_of(eval(call, ours)) == expected
    if device is not Device.CPU:
        with pytest.raises((DeviceMismatchError, TypeError)):
            eval(call, values(lambda array: xp.asarray(array, device=device, copy=True)) | {"put": put})
