"""How LLVM is told that iterations are independent, so that it compares no addresses before it uses vectors."""

from accel.ir import FUNCTIONS, Binary, Call, Expr, For, Load, Loop, of_type

from .forms import DOUBLE, FLOAT
from .guards import all_expressions_in, guards_in, has_loops
from .machine_code import features
from .vector_math import has_vectors, lanes

__all__ = ["ACCESS", "nodes", "of_loop"]

ACCESS = ", !llvm.access.group !1"
"""What follows each access to a view in such a loop."""

_NODES = """!1 = distinct !{{}}
!2 = distinct !{{!2, !6}}
!3 = distinct !{{!3, !6, !7}}
!4 = distinct !{{!4, !6, !8, !9}}
!5 = distinct !{{!5, !6, !8, !10}}
!6 = !{{!"llvm.loop.parallel_accesses", !1}}
!7 = !{{!"llvm.loop.vectorize.predicate.enable", i1 true}}
!8 = !{{!"llvm.loop.interleave.count", i32 1}}
!9 = !{{!"llvm.loop.vectorize.width", i32 {few}}}
!10 = !{{!"llvm.loop.vectorize.width", i32 {many}}}
"""
_PLAIN, _MASKED, _FEW, _MANY = (f", !llvm.loop !{node}" for node in range(2, 6))

_WIDE = 4
"""Bytes of numbers of which a vector has few enough to be worth a mask."""


def nodes() -> str:
    """Return the nodes of a module to which the text refers."""
    return _NODES.format(few=lanes(8), many=lanes(4))


def of_loop(step: Loop | For, vector_math: bool) -> str:
    """Return what follows the jump to the next iteration.

    Where processors have masks for all types, the last vector of a row is masked, instead of numbers one by one.
    Masks keep LLVM from several totals, and are slow for complex numbers, divisions of integers, and small types alone.
    """
    if has_loops(step.body):
        return _PLAIN
    parts = list(all_expressions_in(step.body))
    if called := [x for x in parts if _calls_library(x)]:
        # LLVM does not know that a call takes as long for one number as for a vector, and keeps none in a register.
        # Where it cannot do as it is told, as with guards, it prints a remark.
        of_vectors = _FEW if any(of_type(x).itemsize == DOUBLE.nbytes for x in called) else _MANY
        told = vector_math and not any(guards_in(step.body)) and all(map(_is_of_vectors, called))
        return of_vectors if told else _PLAIN
    unfit = step.reductions or any(map(_is_slow_with_masks, parts))
    wide = any(isinstance(x, Load) and x.dtype.itemsize >= _WIDE for x in parts)
    return _MASKED if wide and not unfit and features().get("avx512bw") else _PLAIN


def _calls_library(x: Expr) -> bool:
    if isinstance(x, Call) and x.function in FUNCTIONS:
        return bool(FUNCTIONS[x.function].c and not FUNCTIONS[x.function].llvm)
    return isinstance(x, Binary) and x.op == "pow" and x.dtype.kind not in "iuc"


def _is_of_vectors(x: Expr) -> bool:
    name = FUNCTIONS[x.function].c if isinstance(x, Call) else "pow"
    return has_vectors(name, DOUBLE if of_type(x).itemsize == DOUBLE.nbytes else FLOAT)


def _is_slow_with_masks(x: Expr) -> bool:
    return of_type(x).kind == "c" or (isinstance(x, Binary) and x.op in ("floordiv", "mod"))
