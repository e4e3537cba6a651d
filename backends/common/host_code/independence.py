"""How LLVM is told that iterations are independent, so that it compares no addresses before it uses vectors."""

from accel.ir import FUNCTIONS, Binary, Call, Expr, Loop, of_type

from .guards import all_expressions_in
from .machine_code import features

__all__ = ["ACCESS", "NODES", "of_loop"]

ACCESS = ", !llvm.access.group !1"
"""What follows each access to a view in such a loop."""

NODES = """!1 = distinct !{}
!2 = distinct !{!2, !5}
!3 = distinct !{!3, !5, !6}
!4 = distinct !{!4, !5, !7}
!5 = !{!"llvm.loop.parallel_accesses", !1}
!6 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
!7 = !{!"llvm.loop.interleave.count", i32 1}
"""
"""The nodes of a module to which the text refers."""

_PLAIN, _MASKED, _CALLING = (f", !llvm.loop !{node}" for node in (2, 3, 4))


def of_loop(step: Loop) -> str:
    """Return what follows the jump to the next iteration.

    Where processors have masks for all types, the last iterations are done by a vector of which a part is masked,
    instead of one by one. Not where the library is called: it would compute what is masked too, and for 0 some
    functions take long. There one vector is computed at a time, because a call leaves no number in a register.
    Nor where loops reduce, since masks keep LLVM from several totals, nor for complex numbers, whose parts are masked
    one by one.
    """
    parts = list(all_expressions_in(step.body))
    if any(map(_calls_library, parts)):
        return _CALLING
    unfit = step.reductions or any(of_type(x).kind == "c" for x in parts)
    return _PLAIN if unfit or not features().get("avx512bw") else _MASKED


def _calls_library(x: Expr) -> bool:
    if isinstance(x, Call) and x.function in FUNCTIONS:
        return bool(FUNCTIONS[x.function].c and not FUNCTIONS[x.function].llvm)
    return isinstance(x, Binary) and x.op in ("pow", "floordiv", "mod")
