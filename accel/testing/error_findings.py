"""Findings in the errors of tests that have no reports as data: races of streams and of Python's kernels, leaks."""

import re
from collections.abc import Iterator, Sequence

from accel.errors import KernelBoundsError, KernelCheckError, NanError, RaceError
from accel.support.report_files import Finding, Location, Repository

__all__ = ["findings_of_error"]

_LINE = re.compile(r"(?P<file>[^\s()<>,;]+\.\w+):(?P<line>\d+)\b")
_LEAK = "more in use than before"


def findings_of_error(
    error: BaseException | None, repository: Repository, test: Location, known: Sequence[str]
) -> list[Finding]:
    """Return a finding for each error of a chain that is about memory, races or leaks.

    Parameters
    ----------
    error : BaseException or None
        What failed the test.
    repository : Repository
        What paths are relative to.
    test : Location
        Where it is if no line is known.
    known : sequence of str
        The messages of reports that there are already: an error with one of these is left out.
    """
    findings = []
    for each in _chain(error, set()):
        check, text = _check(each), str(each)
        if check and not any(message in text for message in known):
            located = (repository.find(match["file"], int(match["line"])) for match in _LINE.finditer(text))
            places = dict.fromkeys(Location(*place) for place in located if place is not None)
            first, *others = places or [test]
            findings.append(Finding(check, _title(check, text), text, first, tuple(others)))
    return findings


def _chain(error: BaseException | None, seen: set[int]) -> Iterator[BaseException]:
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    yield error
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _chain(each, seen)
    yield from _chain(error.__cause__, seen)
    yield from _chain(None if error.__suppress_context__ else error.__context__, seen)


def _check(error: BaseException) -> str:
    if isinstance(error, KernelCheckError):
        return ""
    if isinstance(error, AssertionError):
        return "leak" if _LEAK in str(error) else ""
    checks = ((RaceError, "race"), (KernelBoundsError, "memory"), (NanError, "nan"))
    return next((check for kind, check in checks if isinstance(error, kind)), "")


def _title(check: str, text: str) -> str:
    if check == "leak":
        return "memory that stays in use"
    first = re.split(r"[:;\n]", text, maxsplit=1)[0]
    return "race of two streams" if first == "a race" else first[:120].removeprefix("a ")
