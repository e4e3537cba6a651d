"""How LLVM is told that iterations are independent, so that it compares no addresses before it uses vectors."""

__all__ = ["ACCESS", "LOOP", "NODES"]

ACCESS = ", !llvm.access.group !1"
"""What follows each access to a view in such a loop."""

LOOP = ", !llvm.loop !2"
"""What follows the jump to the next iteration."""

NODES = """!1 = distinct !{}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.parallel_accesses", !1}
"""
"""The nodes of a module that these refer to."""
