"""How LLVM is told that iterations are independent, so that it compares no addresses before it uses vectors."""

from accel.ir import FUNCTIONS, Binary, Call, Expr, Loop, of_type

from .guards import all_expressions_in
from .machine_code import features

__all__ = ["ACCESS", "NODES", "of_loop"]

ACCESS = ", !llvm.access.group !1"
"""What follows each access to a view in such a loop."""

NODES = """!1 = distinct !{}
!2 = distinct !{!2, !4}
!3 = distinct !{!3, !4, !5}
!4 = !{!"llvm.loop.parallel_accesses", !1}
!5 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}
"""
"""The nodes of a module to which the text refers."""


def of_loop(step: Loop) -> str:
    """Return what follows the jump to the next iteration.

    The last iterations are done by a vector of which a part is masked, instead of one by one, where processors have
    masks for all types. Functions of the library would compute what is masked too, and for 0 some take long.
    """
    masked = features().get("avx512bw") and not any(map(_is_unfit, all_expressions_in(step.body)))
    return ", !llvm.loop !3" if masked else ", !llvm.loop !2"


def _is_unfit(x: Expr) -> bool:
    """Whether an expression calls the library, or is complex: the parts of complex numbers are not masked together."""
    if isinstance(x, Call) and x.function in FUNCTIONS and FUNCTIONS[x.function].c and not FUNCTIONS[x.function].llvm:
        return True
    return (isinstance(x, Binary) and x.op in ("pow", "floordiv", "mod")) or of_type(x).kind == "c"
