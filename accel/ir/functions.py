"""The mathematical functions of kernels: their names, and what they take. What they compute, each layer says itself."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

__all__ = ["FUNCTIONS", "Function"]


class Function(NamedTuple):
    """A function that `Call` names.

    Attributes
    ----------
    name : str
        Its name in the array API standard, where that has it.
    arity : int
        Number of arguments; they have one type.
    kinds : str
        The kinds of types that arguments may have: ``i``, ``u``, ``f`` (bfloat16 too), ``c``.
    result : {"same", "real", "truth"}
        The type of the result: that of the arguments, that of the parts of a complex argument, or `TRUTH`.
    c : str
        Its name in the C library, in CUDA and in HIP, for float64; for float32 the suffix ``f`` follows. Empty if there
        is none: then each layer computes it.
    llvm : str
        The name of LLVM's own function, which becomes an instruction where the processor has it; empty if it has none.
    aliases : tuple of str
        Other names in `math` and NumPy.
    keeps_integers : bool
        Whether the result for an integer is that integer.
    """

    name: str
    arity: int = 1
    kinds: str = "f"
    result: Literal["same", "real", "truth"] = "same"
    c: str = ""
    llvm: str = ""
    aliases: tuple[str, ...] = ()
    keeps_integers: bool = False


_NUMBERS, _ALL = "iuf", "iufc"

_TABLE = (
    Function("abs", kinds=_ALL, result="real", c="fabs", llvm="fabs", aliases=("absolute", "fabs")),
    Function("acos", c="acos", aliases=("arccos",)),
    Function("acosh", c="acosh", aliases=("arccosh",)),
    Function("asin", c="asin", aliases=("arcsin",)),
    Function("asinh", c="asinh", aliases=("arcsinh",)),
    Function("atan", c="atan", aliases=("arctan",)),
    Function("atan2", 2, c="atan2", aliases=("arctan2",)),
    Function("atanh", c="atanh", aliases=("arctanh",)),
    Function("cbrt", c="cbrt"),
    Function("ceil", kinds=_NUMBERS, c="ceil", llvm="ceil", keeps_integers=True),
    Function("conj", kinds=_ALL, aliases=("conjugate",), keeps_integers=True),
    Function("copysign", 2, c="copysign", llvm="copysign"),
    Function("cos", c="cos"),
    Function("cosh", c="cosh"),
    Function("erf", c="erf"),
    Function("erfc", c="erfc"),
    Function("exp", c="exp"),
    Function("exp2", c="exp2"),
    Function("expm1", c="expm1"),
    Function("floor", kinds=_NUMBERS, c="floor", llvm="floor", keeps_integers=True),
    Function("fma", 3, c="fma", llvm="fma"),
    Function("fmod", 2, c="fmod"),
    Function("hypot", 2, c="hypot"),
    Function("imag", kinds=_ALL, result="real"),
    Function("isfinite", kinds=_NUMBERS, result="truth"),
    Function("isinf", kinds=_NUMBERS, result="truth"),
    Function("isnan", kinds=_NUMBERS, result="truth"),
    Function("log", c="log"),
    Function("log10", c="log10"),
    Function("log1p", c="log1p"),
    Function("log2", c="log2"),
    Function("nextafter", 2, c="nextafter"),
    Function("popcount", kinds="iu", aliases=("bitwise_count",)),
    Function("real", kinds=_ALL, result="real", keeps_integers=True),
    Function("round", kinds=_NUMBERS, c="rint", llvm="roundeven", aliases=("rint",), keeps_integers=True),  # to even
    Function("rsqrt"),
    Function("sign", kinds=_NUMBERS),
    Function("signbit", kinds=_NUMBERS, result="truth"),
    Function("sin", c="sin"),
    Function("sinh", c="sinh"),
    Function("sqrt", c="sqrt", llvm="sqrt"),
    Function("square", kinds=_NUMBERS),
    Function("tan", c="tan"),
    Function("tanh", c="tanh"),
    Function("trunc", kinds=_NUMBERS, c="trunc", llvm="trunc", keeps_integers=True),
)

FUNCTIONS: Mapping[str, Function] = {function.name: function for function in _TABLE}
"""The functions by their names; ``complex``, which makes a number of two parts, is none of them."""
