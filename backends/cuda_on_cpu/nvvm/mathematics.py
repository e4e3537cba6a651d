"""The functions of libdevice that LLVM has as intrinsic functions, or the C library under the same name.

The others are in ``libdevice.cpp``.
"""

__all__ = ["MATHEMATICS"]

_KINDS = {"": ("double", "f64"), "f": ("float", "f32")}
_INTRINSIC = {
    **dict.fromkeys(("fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "sqrt"), 1),
    **dict.fromkeys(("copysign", "fmax", "fmin"), 2),
    "fma": 3,
}
_NAMES = {"fmax": "maxnum", "fmin": "minnum"}
_UNARY = """
acos acosh asin asinh atan atanh cos cosh erf erfc exp exp2 exp10 expm1 log log10 log1p log2 sin sinh tan tanh
tgamma lgamma round
"""
_BINARY = "atan2 fdim fmod hypot nextafter pow remainder"
_OF_C = {**dict.fromkeys(_UNARY.split(), 1), **dict.fromkeys(_BINARY.split(), 2)}
_INTEGERS = {
    "max": ("smax", 32, 2), "min": ("smin", 32, 2), "umax": ("umax", 32, 2), "umin": ("umin", 32, 2),
    "llmax": ("smax", 64, 2), "llmin": ("smin", 64, 2), "ullmax": ("umax", 64, 2), "ullmin": ("umin", 64, 2),
    "brev": ("bitreverse", 32, 1), "brevll": ("bitreverse", 64, 1), "popc": ("ctpop", 32, 1),
}  # fmt: skip


def _function(name: str, called: str, kind: str, arity: int) -> str:
    arguments = ", ".join([f"{kind} %{'xyz'[i]}" for i in range(arity)])
    kinds = ", ".join([kind] * arity)
    return (
        f"declare {kind} @{called}({kinds}) #7\n"
        f"define {kind} @__nv_{name}({arguments}) alwaysinline nounwind {{\n"
        f"  %r = call {kind} @{called}({arguments}) #7\n  ret {kind} %r\n}}\n"
    )


def _table() -> dict[str, str]:
    table = {}
    for suffix, (kind, short) in _KINDS.items():
        for name, arity in _INTRINSIC.items():
            called = f"llvm.{_NAMES.get(name, name)}.{short}"
            table[f"__nv_{name}{suffix}"] = _function(name + suffix, called, kind, arity)
        for name, arity in _OF_C.items():
            table[f"__nv_{name}{suffix}"] = _function(name + suffix, name + suffix, kind, arity)
    for name, (called, bits, arity) in _INTEGERS.items():
        table[f"__nv_{name}"] = _function(name, f"llvm.{called}.i{bits}", f"i{bits}", arity)
    return table


MATHEMATICS = _table()
"""Their definitions, by their names. Several call the same function of LLVM: each module may have only one."""
