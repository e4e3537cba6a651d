"""The tables of the functions of NumPy that the array standard does not have, or has under another name."""

__all__ = ["ANY", "ARRAYS", "CREATING", "LINALG", "LISTS", "NAMES", "SAME", "TRUTHS", "signatures"]

ARRAYS = (
    "absolute amax amin angle append arccos arccosh arcsin arcsinh arctan arctan2 arctanh argpartition argwhere around "
    "bincount bitwise_not cbrt choose column_stack compress concatenate conjugate convolve copy corrcoef correlate cov "
    "cross cumprod cumsum deg2rad degrees delete diag diagflat diagonal digitize dot dstack ediff1d einsum exp2 "
    "extract fabs flatnonzero fliplr flipud float_power fmax fmin fmod gcd heaviside hstack inner insert interp "
    "intersect1d invert isclose iscomplex isneginf isposinf isreal kron lcm ldexp left_shift lexsort logaddexp2 median "
    "mod nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod "
    "nanquantile nanstd nansum nanvar outer pad partition percentile polyval power ptp quantile rad2deg radians ravel "
    "ravel_multi_index real_if_close resize right_shift rint rollaxis rot90 select setdiff1d setxor1d sinc swapaxes "
    "trace transpose trapezoid trim_zeros true_divide union1d unwrap vander vdot vstack"
)
"""Functions that return an array."""

LISTS = "array_split dsplit hsplit split vsplit"
"""Functions that return a list of arrays."""

ANY = (
    "atleast_1d atleast_2d atleast_3d average divmod frexp gradient histogram histogram2d ix_ modf polyfit unique "
    "unravel_index"
)
"""Functions that return an array or a tuple of arrays, depending on their arguments."""

TRUTHS = "allclose array_equal iscomplexobj isrealobj"
"""Functions that return a bool of Python."""

CREATING = "bartlett blackman geomspace hamming hanning identity indices kaiser logspace tri tril_indices triu_indices"
"""Functions that create arrays, on the device given by ``device=``."""

SAME = (
    "array bool_ complexfloating dtype errstate float16 floating generic index_exp inexact integer intp issubdtype "
    "mgrid ndarray ndim ndindex number ogrid promote_types s_ shape signedinteger size unsignedinteger"
)
"""Names that are NumPy's own, or that have a definition here; ``ndarray`` is `Array`."""

NAMES = (ARRAYS, LISTS, ANY, TRUTHS, CREATING, SAME)
"""All names of NumPy in the main namespace."""

LINALG = {"cond": "Array", "lstsq": "tuple[Array, ...]", "multi_dot": "Array", "norm": "Array", "tensorinv": "Array"}
"""Functions of `numpy.linalg`, and what they return."""


def signatures() -> dict[str, str]:
    """Return the tables of signatures for type checkers, by the name of the module."""
    parameters = "*arguments: Any, **keywords: Any"
    returned = {**dict.fromkeys(ARRAYS.split(), "Array"), **dict.fromkeys(LISTS.split(), "list[Array]")}
    returned |= {**dict.fromkeys(ANY.split(), "Any"), **dict.fromkeys(TRUTHS.split(), "bool")}
    rows = [f"{name}({parameters}) -> {kind}" for name, kind in returned.items()]
    rows += [
        f"{name}(*arguments: Any, device: DeviceLike | None = None, **keywords: Any) -> Any"
        for name in CREATING.split()
    ]
    linalg_rows = [f"{name}({parameters}) -> {kind}" for name, kind in LINALG.items()]
    return {"accel.xp": "\n".join(rows) + "\n", "accel.xp.linalg": "\n".join(linalg_rows) + "\n"}
