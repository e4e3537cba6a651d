"""`Finding`: what a program did wrong, at lines of a repository."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from accel.support.kernel_reports import KernelReport, ThreadPlace
from accel.support.kernel_reports.texts import who
from accel.support.report_files.repository import Repository

__all__ = ["Finding", "Location", "finding_of", "merged"]


@dataclass(frozen=True, slots=True)
class Location:
    """A line.

    Attributes
    ----------
    file : str
        Path from the root of the repository, with slashes; from the root of the file system if it is not in there.
    line : int
        From 1; 0 if it is not known.
    note : str
        What happens there; may be empty.
    code : str
        The text of the line; may be empty.
    """

    file: str
    line: int
    note: str = ""
    code: str = ""

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Finding:
    """What a program did wrong.

    Attributes
    ----------
    check : str
        What found it, as in ``race``.
    title : str
        What it is, in a few words.
    text : str
        All that is known, in several lines.
    location : Location or None
        Where it is.
    others : tuple of Location
        Other lines that have to do with it, such as the other side of a race.
    severe : bool
        Whether results may be wrong.
    expected : bool
        Whether the test that met it passed all the same.
    tests : tuple of str
        The tests that met it.
    picture : str
        An SVG document; may be empty.
    """

    check: str
    title: str
    text: str
    location: Location | None
    others: tuple[Location, ...] = ()
    severe: bool = True
    expected: bool = False
    tests: tuple[str, ...] = ()
    picture: str = ""

    def json(self) -> dict[str, Any]:
        """Return it as a value for `json.dumps`, which `from_json` reads."""
        return asdict(self)

    def met_in(self, test: str, *, expected: bool) -> "Finding":
        """Return it as a test met it."""
        return replace(self, tests=(test,), expected=expected)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Finding":
        """Return the finding that `json` described."""
        location, others = values["location"], values["others"]
        places = {"location": location and Location(**location), "others": tuple(Location(**each) for each in others)}
        return cls(**{**values, **places, "tests": tuple(values["tests"])})


def finding_of(
    report: KernelReport, repository: Repository, otherwise: Location | None = None, *, picture: bool = False
) -> Finding:
    """Return a report of a kernel as a finding.

    Its line is that of the innermost call that is in the repository.

    Parameters
    ----------
    report : KernelReport
        The report.
    repository : Repository
        What paths are relative to.
    otherwise : Location, optional
        Where it is if none of its lines is in the repository.
    picture : bool
        Whether to draw it.
    """
    sides = [_location(each, report, repository) for each in (report.place, report.other) if each is not None]
    location, *others = sides
    return Finding(
        check=report.check,
        title=f"{report.kind} in kernel {report.kernel}",
        text=str(report),
        location=location or otherwise,
        others=tuple(each for each in others if each is not None),
        severe=report.check != "banks",
        picture=report.svg() if picture else "",
    )


def _location(place: ThreadPlace, report: KernelReport, repository: Repository) -> Location | None:
    note = f"{who(place, report.grid, report.block)} {place.action}"
    for frame in place.frames:
        found = repository.find(frame.file, frame.line, frame.text)
        if found is not None:
            return Location(*found, note, frame.text.strip())
    return None


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of their lines, each once, with all tests that met it.

    It is expected if each of these tests passed.
    """
    found: dict[object, Finding] = {}
    for each in sorted(findings, key=lambda each: each.tests):  # workers send them in any order
        sides = frozenset((place.file, place.line) for place in (each.location, *each.others) if place is not None)
        key = (each.check, each.title, sides)
        first = found.get(key, each)
        shown = first if each.expected or not first.expected else each
        tests = tuple(dict.fromkeys((*first.tests, *each.tests)))
        found[key] = replace(shown, tests=tests, expected=first.expected and each.expected)
    return sorted(found.values(), key=_order)


def _order(finding: Finding) -> tuple[bool, str, int, str]:
    place = finding.location or Location("", 0)
    return finding.expected, place.file, place.line, finding.title
