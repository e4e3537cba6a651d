"""Code for processes of tests that fork: what a child does, and how it ended."""

__all__ = ["code_for_children"]


def code_for_children(seconds: int = 60) -> str:
    """Return what defines ``in_child``: it is 0 if work is true in a child, which ends after seconds at the latest.

    It needs the modules ``os`` and ``signal``.
    """
    return f"""
def in_child(work):
    child = os.fork()
    if not child:
        status = 1
        try:
            signal.alarm({seconds})
            status = 0 if work() else 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""
