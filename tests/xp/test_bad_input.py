"""Bad input is refused on every device, with what was found and what to write, and changes no array."""

import array_api_strict
import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import (
    BoundsError,
    ConversionError,
    DeviceMismatchError,
    DeviceUnavailableError,
    DTypeError,
    InterchangeError,
    LayoutError,
    OverlapError,
    ReadOnlyError,
    ReleasedError,
)

from ..tables import rows

DEVICES = pytest.mark.parametrize("device", ["cpu", "sim"])
OTHERS = {"cpu": "sim", "sim": "cpu"}
VALUES = np.asarray([1.0, 2.0, 3.0])


def names_on(device):
    """Return the names in the lines below: arrays on a device and on others, and objects of other libraries."""
    names = {
        "np": np,
        "accel": accel,
        "xp": xp,
        "x": xp.asarray(VALUES, device=device, copy=True),
        "i": xp.asarray([1, 2, 3], device=device),
        "b": xp.asarray([True, False], device=device),
        "m": xp.ones((2, 3), device=device),
        "one": xp.zeros(1, device=device),
        "none": xp.zeros(0, device=device),
        "z": xp.asarray(1j, device=device),
        "small": xp.zeros(2, dtype="uint8", device=device),
        "wide": xp.broadcast_to(xp.ones(1, device=device), (3,)),
        "there": xp.ones(3, device=OTHERS[device]),
        "elsewhere": xp.ones(3, device="sim:1"),
        "strict": array_api_strict.ones(3),
        "device": device,
        "values": [1.0, 2.0, 3.0],
    }
    names["gone"] = xp.asarray(VALUES, device=device, copy=True)
    names["gone"].storage.release()
    return names


# A line, the class of its error, and words of its message.
DEVICES_AND_LIBRARIES = [
    *(
        (line, DeviceMismatchError, rf"operands are on {{device}} and {{other}}; move one, .* got .*{operands}$")
        for line, operands in {
            "x + there": r"self of shape \(3,\) on {device}, other of shape \(3,\) on {other}",
            "x += there": r"self of shape \(3,\) on {device}, other of shape \(3,\) on {other}",
            "x[:1] = there[:1]": r"self of shape \(3,\) on {device}, value of shape \(1,\) on {other}",
            "x[xp.astype(there, 'int64')]": r"self of shape \(3,\) on {device}, key of shape \(3,\) on {other}",
            "x[(xp.astype(there, 'int64'), ...)]": r"key\[0\] of shape \(3,\) on {other}",
            "xp.clip(x, max=there)": r"a of shape \(3,\) on {device}, max of shape \(3,\) on {other}",
            "xp.where(x > 0, x, there)": r"x1 of shape \(3,\) on {device}, x2 of shape \(3,\) on {other}",
        }.items()
    ),
    (
        "xp.concat([x, x, there, elsewhere])",
        DeviceMismatchError,
        r"concat got arrays\[0\] of shape \(3,\) on {device}, .*arrays\[2\] .* on {other}, arrays\[3\] .* on sim:1",
    ),
    (
        "xp.where(x > 1, there, elsewhere)",
        DeviceMismatchError,
        r"where got condition .* on {device}, x1 of shape \(3,\) on {other}, x2 .* on sim:1",
    ),
    (
        "xp.clip(x, there, elsewhere)",
        DeviceMismatchError,
        r"clip got a .* on {device}, min .* on {other}, max .* on sim:1",
    ),
    ("xp.meshgrid(x, x, there)", DeviceMismatchError, r"meshgrid got .*arrays\[2\] of shape \(3,\) on {other}"),
    (
        "xp.from_dlpack(x, device=there.device, copy=False)",
        InterchangeError,
        r"to {other} .* by a copy only; write copy=None",
    ),
    ("xp.asarray(x, device=there.device, copy=False)", ValueError, r"on {other} only by a copy; write copy=None"),
    ("x + {1.0}", TypeError, r"set"),
    *(
        (call.format(value), TypeError, rf"found {kind}: write xp\.asarray\(values")
        for call in ("xp.add(x, {})", "xp.where(x > 0, x, {})", "xp.take(x, {})", "xp.full(3, {}, device=device)")
        for value, kind in {"None": "NoneType", "'a'": "str", "{1.0}": "set", "object": "type"}.items()
    ),
    *(
        (call, TypeError, rf"at least one accel\.xp array is needed; found {kinds}: write xp\.asarray\(values\)")
        for call, kinds in {
            "xp.sin(None)": "NoneType",
            "xp.add('a', None)": "str, NoneType",
            "xp.sum({1.0})": "set",
            "xp.concat([])": "nothing",
            "xp.median({1.0})": "set",
        }.items()
    ),
    ("x + strict", TypeError, r"Array"),
    (
        "xp.add(x, strict)",
        TypeError,
        r"an array on {device} or a number is needed; found .*Array: write xp\.asarray\(values",
    ),
    ("xp.from_dlpack(values)", TypeError, r"__dlpack__.* is needed; found builtins.list: write xp\.asarray\(x\)"),
    ("xp.zeros(2, device='banana')", ValueError, r"'banana' names no device: write cpu, cuda"),
    ("xp.zeros(2, device=3)", TypeError, r"as in 'cuda:1', or as Device.CUDA\[1\]; found 3"),
    ("xp.zeros(2, device='sim:99')", DeviceUnavailableError, r"sim:99 was asked for; the devices here are: cpu, sim"),
    ("x.to_device('banana')", ValueError, r"'banana' names no device"),
    ("gone + 1", ReleasedError, r"was released"),
    ("xp.sum(gone)", ReleasedError, r"was released"),
]
DTYPES = [
    *(
        (
            f"xp.zeros(2, dtype={name}, device=device)",
            DTypeError,
            r"cannot be the dtype of memory.* Supported dtypes: bool,",
        )
        for name in (
            "object",
            "'O'",
            "str",
            "'U3'",
            "'S3'",
            "'longdouble'",
            "'M8[s]'",
            "[('a', 'f4')]",
            "'banana'",
            "3",
            "'>f8'",
        )
    ),
    *(
        (f"xp.{name}(x, dtype={dtype})", DTypeError, r"cannot be the dtype of memory")
        for name in ("sum", "prod", "cumulative_sum")
        for dtype in ("'O'", "'U3'", "object", "'banana'")
    ),
    ("xp.astype(x, 'banana')", DTypeError, r"'banana' cannot be the dtype of memory: it names no dtype"),
    (
        "xp.asarray(['a', 'b'], device=device)",
        DTypeError,
        r"numbers or booleans .* this list .* str.*: for strings write accel\.store\.from_strings\(values\)",
    ),
    (
        "xp.asarray({1, 2}, device=device)",
        DTypeError,
        r"of this set NumPy makes elements of dtype object: write xp\.asarray\(",
    ),
    ("xp.asarray([1, None], device=device)", DTypeError, r"of this list NumPy makes elements of dtype object"),
    ("xp.asarray(object(), device=device)", DTypeError, r"of this object NumPy makes elements of dtype object"),
    ("xp.asarray(np.ones(2, 'longdouble'), device=device)", DTypeError, r"float128|longdouble"),
    ("xp.asarray(np.asarray([None]), device=device)", DTypeError, r"dtype\('O'\) cannot be the dtype of memory"),
    ("xp.asarray([1j], dtype='float64', device=device)", TypeError, r"complex"),
    ("xp.astype(z, 'float64')", DTypeError, r"complex128 becomes float64 only without .* write xp\.real\(x\)"),
    ("xp.asarray([[1, 2], [3]], device=device)", ValueError, r"inhomogeneous shape"),
    ("xp.full(2, 1.5, dtype=int, device=device)", DTypeError, r"float64 values do not fit an array of int64"),
    ("xp.full(2, np.nan, dtype='int32', device=device)", DTypeError, r"do not fit an array of int32"),
    ("xp.full_like(i, 1j)", DTypeError, r"complex128 values do not fit"),
    ("xp.reshape(x, (-2,))", LayoutError, r"shape \(-2,\) has the extent -2; write -1"),
    ("x.reshape(3, -2)", LayoutError, r"has the extent -2; write -1"),
    ("xp.finfo('int8')", DTypeError, r"floating-point types; found int8"),
    ("xp.finfo('bool')", DTypeError, r"floating-point types; found bool"),
    ("xp.finfo('bfloat16')", DTypeError, r"floating-point types; found bfloat16"),
    ("xp.iinfo('float32')", DTypeError, r"integer types; found float32: write xp\.finfo"),
]
NUMBERS = [
    (
        "bool(x)",
        ConversionError,
        r"truth value of an array of shape \(3,\) is ambiguous; write xp\.any\(x\) or xp\.all\(x\), or x\[index\]",
    ),
    ("bool(x == x)", TypeError, r"of shape \(3,\) is ambiguous"),
    ("if x == x: pass", ValueError, r"of shape \(3,\) is ambiguous"),
    ("bool(none)", ConversionError, r"of shape \(0,\) is ambiguous"),
    ("bool(m)", ValueError, r"of shape \(2, 3\) is ambiguous"),
    (
        "float(x)",
        ConversionError,
        r"becomes a Python float, and this one has shape \(3,\); write x\[index\] for one element, or xp\.sum\(x\)",
    ),
    ("float(one)", TypeError, r"becomes a Python float, and this one has shape \(1,\)"),
    ("int(x)", TypeError, r"becomes a Python int"),
    ("int(none)", TypeError, r"becomes a Python int"),
    ("int(z)", TypeError, r"complex"),
    ("complex(x)", TypeError, r"becomes a Python complex"),
    ("float(z)", TypeError, r"complex"),
    ("range(i)", TypeError, r"becomes a Python index"),
    ("range(b[0])", TypeError, r"only an array of integers is an index, and this one has dtype bool"),
    ("range(z)", TypeError, r"only an array of integers is an index, and this one has dtype complex128"),
    ("range(x[0])", TypeError, r"only an array of integers is an index, and this one has dtype float64"),
    ("int(xp.asarray(np.nan, device=device))", ValueError, r"NaN to integer"),
    ("int(xp.asarray(np.inf, device=device))", OverflowError, r"infinity to integer"),
    ("len(x[0])", TypeError, r"unsized"),
    ("list(x[0])", TypeError, r"."),
    ("hash(x)", TypeError, r"unhashable"),
    ("small + 300", OverflowError, r"300 out of bounds for uint8; write xp\.astype\(x, dtype\) .* 'float64'"),
    ("small + -1", OverflowError, r"-1 out of bounds for uint8; write xp\.astype"),
    ("small += 300", OverflowError, r"300 out of bounds for uint8; write xp\.astype"),
    ("small[0] = 300", OverflowError, r"300 out of bounds for uint8; write xp\.astype"),
    ("i + 10**30", OverflowError, r"too large to convert.*; write xp\.astype"),
    ("xp.add(i, 10**30)", OverflowError, r"too large to convert.*; write xp\.astype"),
    ("i[0] = 10**30", OverflowError, r"."),
    ("xp.full(3, 10**30, dtype='int64', device=device)", OverflowError, r"."),
    ("xp.asarray(10**5000, device=device)", OverflowError, r"an integer of \d+ bits is out of range"),
    (
        "xp.full(3, 10**30, device=device)",
        OverflowError,
        r"is out of range for every integer dtype; write float\(value\)",
    ),
    ("xp.asarray(300, dtype='uint8', device=device)", OverflowError, r"300 out of bounds for uint8"),
    ("xp.asarray(np.nan, dtype='int32', device=device)", ValueError, r"NaN to integer"),
    ("i // 0.5j", TypeError, r"."),
    ("i ** -1", ValueError, r"negative integer powers"),
    ("~x", TypeError, r"invert"),
    ("x & x", TypeError, r"bitwise_and"),
    ("b - b", TypeError, r"boolean subtract.* bitwise_xor"),
    ("x < 'a'", TypeError, r"'<' not supported between instances of 'Array' and 'str'"),
]
WRITING = [
    ("one[...] = x", ValueError, r"from shape \(3,\) into shape \(1,\)"),
    ("m[0, :] = x[:2]", ValueError, r"from shape \(2,\) into shape \(3,\)"),
    ("one += x", ValueError, r"shape \(1,\) doesn't match the broadcast shape \(3,\)"),
    ("i += 0.5", DTypeError, r"does not fit int64 in place .*; write x = x \+ y, or xp\.astype"),
    ("i /= 2", DTypeError, r"does not fit int64 in place .*; write x = x \+ y, or xp\.astype"),
    ("i += x", DTypeError, r"does not fit int64 in place"),
    ("b += 1", DTypeError, r"does not fit bool in place"),
    ("x += z", DTypeError, r"does not fit float64 in place"),
    ("i[0] = 1.5", DTypeError, r"float64 values do not fit an array of int64; convert them first, with xp\.astype"),
    ("i[0] = np.nan", DTypeError, r"float64 values do not fit an array of int64"),
    ("i[...] = x", DTypeError, r"float64 values do not fit an array of int64"),
    ("x[0] = 1j", DTypeError, r"complex128 values do not fit an array of float64; convert .* xp\.real"),
    *(
        (f"x[...] = {value}", TypeError, rf"found {kind}: write xp\.asarray\(values")
        for value, kind in {"'a'": "str", "None": "NoneType", "{1, 2}": "set", "object": "type"}.items()
    ),
    ("x[...] = z", DTypeError, r"complex128 values do not fit an array of float64"),
    ("b[...] = 2", DTypeError, r"int64 values do not fit an array of bool"),
    ("small[...] = np.float32(1)", DTypeError, r"values do not fit an array of uint8"),
    ("x[...] = ['a', 'b', 'c']", DTypeError, r"of this list NumPy makes elements of dtype str"),
    ("x[...] = [1, 2]", ValueError, r"from shape \(2,\) into shape \(3,\)"),
    ("x[...] = [1, [2, 3]]", ValueError, r"inhomogeneous"),
    ("i[...] = [1.5, 2, 3]", DTypeError, r"float64 values do not fit an array of int64"),
    (
        "wide += 1",
        OverlapError,
        r"elements share memory .* shape \(3,\) with strides \(0,\).* write .* xp\.asarray\(x, copy=True\)",
    ),
    ("wide[0] = 1", OverlapError, r"elements share memory"),
    ("x.shape = (2, 2)", ValueError, r"cannot reshape array of size 3 into shape \(2, ?2\)"),
    ("x.shape = 3.0", TypeError, r"3\.0|float"),
    ("x.ndim = 3", AttributeError, r"ndim"),
    ("x.name = 'x'", AttributeError, r"name"),
    ("xp.add(x, x, into=x)", TypeError, r"unexpected keyword argument 'into'; it has out, where"),
]
INDICES = [
    ("x[3]", BoundsError, r"index 3 is out of bounds for axis 0 with size 3; the array's shape is \(3,\)"),
    ("x[-4]", BoundsError, r"index -4 is out of bounds .* shape is \(3,\)"),
    ("none[0]", BoundsError, r"size 0; the array's shape is \(0,\)"),
    ("x[0, 0]", BoundsError, r"too many indices .* shape is \(3,\)"),
    ("x['a']", BoundsError, r"only integers, slices.* valid indices"),
    ("x[1.0]", BoundsError, r"only integers, slices.* valid indices"),
    ("x[x]", BoundsError, r"must be of integer \(or boolean\) type"),
    ("x[b]", BoundsError, r"boolean index did not match .*size of axis is 3 .* is 2; the array's shape is \(3,\)"),
    ("x[5] = 1", BoundsError, r"index 5 is out of bounds"),
    ("x[::0]", ValueError, r"step cannot be zero"),
    ("x[10**30]", BoundsError, r"shape is \(3,\)"),
    ("xp.take(x, i)", BoundsError, r"index 3 is out of bounds"),
]
AXES_AND_SHAPES = [
    *(
        (f"xp.{name}(x, axis=5)", ValueError, r"axis 5 is out of bounds for array of dimension 1")
        for name in (
            "sum",
            "argmax",
            "sort",
            "argsort",
            "cumulative_sum",
            "std",
            "var",
            "flip",
            "count_nonzero",
            "diff",
            "linalg.vector_norm",
        )
    ),
    *((f"xp.{name}(x, axis=5)", IndexError, r"axis 5 is out of bounds") for name in ("sum", "unstack", "sort")),
    *(
        (f"xp.{name}(x, axis='0')", TypeError, r"'str' object cannot be interpreted as an integer")
        for name in ("sum", "argmax", "sort", "std", "flip", "squeeze", "expand_dims")
    ),
    ("xp.sum(x, axis=1.0)", TypeError, r"'float' object cannot be interpreted as an integer"),
    ("xp.sum(x, axis=(0, 0))", ValueError, r"duplicate value in 'axis'"),
    ("xp.sum(x, banana=1)", TypeError, r"'banana'"),
    ("xp.fft.fft(x, axis=5)", BoundsError, r"an axis or an index is out of range"),
    ("xp.fft.fft(x, n=-1)", ValueError, r"-1"),
    ("xp.fft.fft(x, norm='banana')", ValueError, r"banana.*backward.*ortho.*forward"),
    ("xp.meshgrid(x, indexing='banana')", ValueError, r"'xy' and 'ij'"),
    ("xp.roll(x, 1, axis=5)", ValueError, r"axis 5 is out of bounds"),
    ("xp.permute_dims(x, (1, 0))", ValueError, r"axes don't match"),
    ("xp.squeeze(x, axis=0)", ValueError, r"size not equal to one"),
    ("xp.diff(x, n=-1)", ValueError, r"-1"),
    ("xp.diff(x, n=10**30)", LayoutError, r"less than 2\*\*63 times; write n=\d+"),
    ("xp.diff(x, n=10**400)", LayoutError, r"less than 2\*\*63 times; write n=\d+"),
    ("xp.diff(x, n=1.5)", TypeError, r"integer"),
    ("xp.repeat(x, -1)", ValueError, r"negative"),
    ("xp.zeros(-1, device=device)", ValueError, r"negative dimensions"),
    ("xp.zeros((2, -1), device=device)", ValueError, r"negative dimensions"),
    ("xp.zeros('3', device=device)", TypeError, r"'str'"),
    ("xp.zeros(1.5, device=device)", TypeError, r"1\.5"),
    ("xp.zeros(None, device=device)", TypeError, r"None"),
    ("xp.zeros(10**30, device=device)", ValueError, r"Maximum allowed dimension exceeded"),
    ("xp.eye(-1, device=device)", ValueError, r"negative dimensions"),
    ("xp.linspace(0, 1, -1, device=device)", ValueError, r"-1"),
    ("xp.linspace(0, 1, '3', device=device)", TypeError, r"'str'"),
    ("xp.arange(0, 5, 0, device=device)", ZeroDivisionError, r"division by zero"),
    ("xp.arange(0, np.inf, device=device)", ValueError, r"Maximum allowed size exceeded"),
    ("xp.arange(0, np.nan, device=device)", ValueError, r"cannot compute length"),
    ("xp.reshape(x, (2,))", ValueError, r"size 3 into shape \(2,\)"),
    ("xp.reshape(x, (-1, -1))", ValueError, r"one unknown dimension"),
    ("xp.reshape(none, (0, -1))", ValueError, r"size 0 into shape"),
    ("xp.broadcast_to(x, (2,))", ValueError, r"\(3,\)  and requested shape \(2,\)"),
    ("m + x[:2]", ValueError, r"broadcast together with shapes \(2,3\) \(2,\)"),
    ("m @ m", ValueError, r"size 2 is different from 3"),
    ("m @ 2", ValueError, r"does not have enough dimensions"),
    ("xp.concat([m, xp.ones((2, 2), device=device)])", ValueError, r"must match exactly"),
    ("xp.stack([m, x])", ValueError, r"same shape"),
    ("xp.linalg.inv(m)", ValueError, r"square"),
    ("xp.linalg.inv(xp.zeros((2, 2), device=device))", ValueError, r"Singular"),
    ("xp.linalg.cholesky(-xp.eye(2, device=device))", ValueError, r"not positive definite"),
    ("x.mT", LayoutError, r"x.mT is for 2 axes or more, and this array has 1"),
    ("x[0].mT", LayoutError, r"x.mT is for 2 axes or more, and this array has 0"),
    ("xp.max(none)", ValueError, r"zero-size array"),
    ("xp.argmax(none)", ValueError, r"empty"),
]
LINES = [*DEVICES_AND_LIBRARIES, *DTYPES, *NUMBERS, *WRITING, *INDICES, *AXES_AND_SHAPES]


def run(line, names):
    """Run a line of the tables."""
    exec(compile(line, "line", "exec"), names)


@DEVICES
@rows(("line", "kind", "message"), LINES)
def test_is_refused_with_what_was_found_and_what_to_write(device, line, kind, message):
    names = names_on(device)
    with pytest.raises(kind, match=message.format(device=device, other=OTHERS[device])):
        run(line, names)
    for name, values in (("x", [1, 2, 3]), ("i", [1, 2, 3]), ("one", [0]), ("small", [0, 0]), ("b", [True, False])):
        assert np.asarray(names[name].to_device("cpu")).tolist() == values, f"{line} changed {name}"


SUGGESTED = {
    "x + there": {},
    "xp.concat([x, x, there])": {},
    "xp.from_dlpack(x, device=there.device, copy=False)": {"there": "xp.ones(3, device='sim:1')"},
    "xp.asarray(x, device='sim:2', copy=False)": {},
    "xp.asarray({1, 2}, device=device)": {"values": "{1, 2}"},
    "xp.asarray(['1', '2'], device=device)": {"values": "['1', '2']"},
    "xp.astype(z, 'float64')": {"x": "z"},
    "xp.iinfo('float32')": {},
    "bool(x)": {"index": 0},
    "small + 300": {"x": "small", "dtype": "'float64'"},
    "i[0] = 1.5": {},
    "wide += 1": {"x": "wide"},
    "np.asarray(xp.ones(3, device='sim'))": {"x": "xp.ones(3, device='sim')"},
}


@DEVICES
@rows("line", SUGGESTED)
def test_what_the_message_says_to_write_runs(device, line, follow):
    # `follow` evaluates text.
    assert follow(line, names_on(device) | {"device": repr(device)}, SUGGESTED[line])


@pytest.mark.parametrize(
    "write",
    [
        "x += 1",
        "x += 1j",
        "x += m",
        "x[0] = 1",
        "x[..., 0] = 5.0",
        "x @= m",
        "np.add(1, 1, out=x)",
        "np.add.at(x, 0, 1)",
    ],
)
def test_read_only_memory_is_not_written(write):
    values = np.eye(2)
    values.flags.writeable = False
    with pytest.raises(ReadOnlyError, match=r"read-only; write to a copy of it: xp\.asarray\(x, copy=True\)"):
        run(write, {"np": np, "x": xp.asarray(values), "m": xp.ones((2, 2))})
    assert (values == np.eye(2)).all()


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        (
            "np.add(x, x, out=i)",
            TypeError,
            r"Cannot cast ufunc 'add' output from dtype\('float64'\) to dtype\('int64'\)",
        ),
        ("np.add(x, x, out=one)", ValueError, r"shape \(1,\)"),
        ("np.add(x, x, out=there)", DeviceMismatchError, r"cpu.*sim|sim.*cpu"),
        ("np.add(x, x, out=wide)", OverlapError, r"elements share memory"),
        ("np.add(x, x, out=values)", TypeError, r"."),
        ("np.add(x, x, where=x, out=x)", TypeError, r"from dtype\('float64'\) to dtype\('bool'\)"),
        ("np.add(x, x, where=b, out=x)", ValueError, r"broadcast"),
    ],
)
def test_out_and_where_of_numpy_are_checked(line, kind, message):
    names = names_on("cpu")
    with pytest.raises(kind, match=message):
        run(line, names)
    assert np.asarray(names["i"]).tolist() == [1, 2, 3]


def test_where_leaves_the_other_elements_of_out_as_they_were():
    x, target = xp.asarray(VALUES), xp.zeros(3)
    assert np.add(x, x, where=x > 1, out=target) is target
    assert np.asarray(target).tolist() == [0, 4, 6]


@DEVICES
def test_reversed_arrays_are_exported_as_a_copy_or_not_at_all(device):
    x = xp.flip(xp.asarray(VALUES, device=device))
    result = np.from_dlpack(x, device="cpu")
    assert result.tolist() == [3, 2, 1]
    assert result.strides[0] > 0
    with pytest.raises(InterchangeError, match=r"by a copy only; write copy=None"):
        x.__dlpack__(copy=False, max_version=(1, 0))


@DEVICES
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_no_integer_holds_is_cast_with_the_warning_of_numpy(device, value):
    x = xp.asarray([value, 1.0], device=device)
    with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
        result = xp.astype(x, "int32")
    assert int(result[1]) == 1


@DEVICES
def test_reductions_of_nothing_are_the_identity_or_an_error(device):
    none = xp.zeros((0, 3), device=device)
    assert float(xp.sum(none)) == 0
    assert float(xp.prod(none)) == 1
    assert bool(xp.all(none)) is True
    assert xp.max(none, axis=1).shape == (0,)
    with pytest.raises(ValueError, match="zero-size"):
        xp.max(none, axis=0)


@DEVICES
def test_masked_assignments_of_the_wrong_size_change_nothing(device):
    x = xp.asarray(VALUES, device=device, copy=True)
    with pytest.raises(ValueError, match=r"2 .*3|3 .*2"):
        x[x > 1] = xp.zeros(3, device=device)
    assert np.asarray(x.to_device("cpu")).tolist() == [1, 2, 3]


@DEVICES
def test_an_array_with_axes_is_no_element(device):
    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    for value in (xp.ones(4, device=device), [1, 2]):
        with pytest.raises(LayoutError, match="an array with axes is no element"):
            x[0] = value
    assert x.tolist() == [1, 2, 3]
