"""Findings as annotations of GitHub, SARIF, JUnit's XML and HTML: places, names of users, and what formats require."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.support.kernel_reports import Frame, KernelReport, ThreadPlace
from accel.support.report_files import (
    Finding,
    Location,
    Output,
    Repository,
    annotations,
    finding_of,
    merged,
    outputs,
    write,
)
from accel.support.report_files.junit import junit
from accel.support.report_files.page import page
from accel.support.report_files.sarif import sarif

HOSTILE = [
    "<script>alert(1)</script>",
    "]]>",
    "\x00\x07\x1b[31m\x7f\x85\u2028\ud800\uffff",
    "::error::pwned",
    "\n::error file=x::pwned\r\n",
    "100%0A::add-mask::x, a: b, c=d",
    "\"'><img src=x onerror=alert(1)>&amp;",
    "a b/ü#?.cu",
]
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=[]), max_size=20))
LOCATIONS = st.builds(Location, TEXTS, st.integers(0, 99), TEXTS, TEXTS)
FINDINGS = st.builds(
    Finding,
    check=TEXTS,
    title=TEXTS,
    text=TEXTS,
    location=st.none() | LOCATIONS,
    others=st.lists(LOCATIONS, max_size=2).map(tuple),
    severe=st.booleans(),
    expected=st.booleans(),
    tests=st.lists(TEXTS, max_size=2).map(tuple),
)
RACE = Finding(
    "race", "race in kernel sums", "race\n  details", Location("k/sums.cu", 8, "thread 1 writes", "x[0] = 1;"),
    (Location("k/sums.cu", 9, "thread 2 reads"),), tests=("test_it.py::test",),
)  # fmt: skip


def report(*frames, others=None, kernel="sums", message="a race"):
    here = ThreadPlace((0, 0, 0), (1, 0, 0), "writes", 4, frames)
    other = None if others is None else ThreadPlace((0, 0, 0), (2, 0, 0), "reads", 4, others)
    return KernelReport(
        "race", "race", kernel, (1, 1, 1), (32, 1, 1), here, other, "memory of x", 0, 1, message, size=8
    )


@pytest.fixture
def repository(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "k").mkdir()
    (tmp_path / "k/sums.cu").write_text("\n")
    return tmp_path


def decoded(line):
    """Return what GitHub's runner reads in a line: the command, the properties and the message."""
    match = re.fullmatch(r"::(\w+) ([^\n\r]*?)::([^\n\r]*)", line)
    assert match, line

    def plain(text, *codes):
        for code, character in (*codes, ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            text = text.replace(code, character)
        return text

    properties = dict(each.split("=", 1) for each in match[2].split(","))
    values = {name: plain(value, ("%3A", ":"), ("%2C", ",")) for name, value in properties.items()}
    return match[1], values, plain(match[3])


def test_an_annotation_has_the_line_the_title_and_the_whole_text():
    assert decoded(annotations([RACE])[0]) == (
        "error",
        {"file": "k/sums.cu", "line": "8", "title": "accel: race in kernel sums"},
        "race\n  details\nmet in test_it.py::test",
    )


def test_what_a_test_expects_is_no_annotation_and_slow_accesses_are_warnings():
    assert annotations([replace(RACE, expected=True)]) == []
    assert decoded(annotations([replace(RACE, severe=False)])[0])[0] == "warning"


@given(FINDINGS)
def test_no_name_ends_an_annotation_or_begins_another_command(finding):
    for line in annotations([finding]):
        assert len(line.splitlines()) == 1
        command, properties, message = decoded(line)
        assert command in {"error", "warning"}
        assert set(properties) <= {"file", "line", "title"}
        assert properties["title"] == "accel: " + shown(finding.title)
        assert message.startswith(shown(finding.text))


def shown(text):
    return "".join([each if each.isprintable() or each in "\t\r\n" else "\ufffd" for each in text])


def check_location(location, root):
    physical = location["physicalLocation"]
    artifact = physical["artifactLocation"]
    assert re.fullmatch(r"[!-~]*", artifact["uri"])
    assert artifact.get("uriBaseId") in {None, "SRCROOT"}
    assert ("uriBaseId" in artifact) == (not artifact["uri"].startswith("file:///"))
    assert physical.get("region", {"startLine": 1})["startLine"] >= 1


def check_sarif(text, root):
    """Check what SARIF 2.1.0 requires."""
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "accel"
    assert len({each["id"] for each in rules}) == len(rules)
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == f"{root.as_uri()}/"
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning"}
        assert isinstance(result["message"]["text"], str)
        for location in (*result.get("locations", ()), *result.get("relatedLocations", ())):
            check_location(location, root)
        assert all(each["kind"] in {"inSource", "external"} for each in result.get("suppressions", ()))
    return run["results"]


def test_sarif_has_both_sides_of_a_race_relative_to_the_repository(tmp_path):
    [result] = check_sarif(sarif([RACE], tmp_path), tmp_path)
    [here], [other] = result["locations"], result["relatedLocations"]
    assert here["physicalLocation"] == {
        "artifactLocation": {"uri": "k/sums.cu", "uriBaseId": "SRCROOT"},
        "region": {"startLine": 8, "snippet": {"text": "x[0] = 1;"}},
    }
    assert (other["id"], other["message"]["text"], other["physicalLocation"]["region"]) == (
        1,
        "thread 2 reads",
        {"startLine": 9},
    )
    assert "suppressions" not in result
    [expected] = check_sarif(sarif([replace(RACE, expected=True)], tmp_path), tmp_path)
    assert expected["suppressions"]


def test_the_fingerprint_of_sarif_stays_when_lines_move(tmp_path):
    def fingerprint(finding):
        return check_sarif(sarif([finding], tmp_path), tmp_path)[0]["partialFingerprints"]

    moved = replace(RACE, location=replace(RACE.location, line=80))
    assert fingerprint(moved) == fingerprint(RACE) != fingerprint(replace(RACE, title="race in kernel other"))


@given(st.lists(FINDINGS, max_size=3))
def test_sarif_is_valid_for_any_names(findings):
    root = Path("/a repository/ü")
    for result, finding in zip(check_sarif(sarif(findings, root), root), findings, strict=True):
        if finding.location is not None and not finding.location.file.startswith("/"):
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            assert unquote(uri, errors="surrogatepass") == finding.location.file


@given(st.lists(FINDINGS, max_size=3))
def test_junit_is_xml_for_any_names(findings):
    suites = ET.fromstring(junit(findings).encode(errors="backslashreplace"))
    cases = suites.findall("testsuite/testcase")
    assert len(cases) == int(suites.get("tests")) == len(findings)
    assert [len(case) for case in cases] == [1] * len(findings)
    assert int(suites.get("failures")) == len(suites.findall(".//failure")) == sum(not f.expected for f in findings)


def test_junit_keeps_text_that_looks_like_the_end_of_a_section():
    [failure] = ET.fromstring(junit([replace(RACE, text="a ]]> <b>\x00")])).iter("failure")
    assert failure.text == "a ]]> <b>\ufffd\nmet in test_it.py::test"


class Reader(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data):
        self.text += data


@given(st.lists(FINDINGS, max_size=3))
def test_a_page_has_only_the_elements_of_its_author(findings):
    reader = Reader(page(findings))
    assert reader.tags <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ol", "li", "a", "code", "span", "article",
        "pre",
    }  # fmt: skip
    assert reader.attributes <= {"lang", "charset", "name", "content", "http-equiv", "class", "href", "id"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_picture_in_a_page_has_only_the_elements_of_its_author(tmp_path, name):
    frame = Frame(name, name, 3, name)
    found = finding_of(report(frame, others=(frame,), kernel=name, message=name), Repository(tmp_path), picture=True)
    reader = Reader(page([found]))
    assert not reader.tags & {"script", "img"}
    assert not any(each.startswith("on") for each in reader.attributes)
    assert "svg" in reader.tags


def test_the_place_of_a_report_is_the_innermost_line_in_the_repository(repository):
    inner, outer = Frame("max", "/usr/include/cub.cuh", 7, ""), Frame("sums", "sums.cu", 3, " x[0] = 1;")
    found = finding_of(report(inner, outer, others=(outer,)), Repository(repository, [repository / "k/test.py"]))
    assert found.location == Location("k/sums.cu", 3, "thread 1 of block 0 writes", "x[0] = 1;")
    assert found.others == (Location("k/sums.cu", 3, "thread 2 of block 0 reads", "x[0] = 1;"),)


def test_a_report_without_a_line_in_the_repository_is_at_the_given_one(repository):
    test = Location("test_it.py", 5)
    for file in ("/usr/include/cub.cuh", "<source>", "a\0b", "x" * 5000):
        assert finding_of(report(Frame("f", file, 7, "text")), Repository(repository), test).location == test


def test_a_kernel_in_python_text_is_found_by_its_line_if_there_is_one(repository):
    source = repository / "test_kernels.py"
    source.write_text("K = '''\nvoid k(int* x) {\n    x[0] = 1;\n}'''\n")
    where = Repository(repository, [source])
    assert where.find("<source>", 2, "x[0] = 1;") == ("test_kernels.py", 3)
    source.write_text(source.read_text() * 2)
    assert where.find("<source>", 2, "x[0] = 1;") is None


def test_paths_are_from_the_folder_with_git(repository):
    assert Repository(repository / "k").root == repository.resolve()
    assert Repository(repository / "k").path(repository / "k/sums.cu") == "k/sums.cu"
    assert Repository(repository / "k").path(Path("/elsewhere")) == "/elsewhere"


def test_equal_findings_are_one_with_all_tests_and_expected_only_if_all_passed():
    race, passed = RACE.met_in("a", expected=False), RACE.met_in("b", expected=True)
    turned = replace(race, location=RACE.others[0], others=(RACE.location,), tests=("c",))
    [found] = merged([passed, turned, race])
    assert (found.tests, found.expected) == (("a", "b", "c"), False)
    assert merged([passed, passed]) == [passed]
    assert len(merged([race, replace(race, check="memory")])) == 2


@given(FINDINGS)
def test_a_finding_comes_back_from_json(finding):
    assert Finding.from_json(json.loads(json.dumps(finding.json()))) == finding


def test_outputs_are_written_to_their_files(tmp_path):
    for word, start in (("sarif", "{"), ("html", "<!doctype html>"), ("junit", "<?xml")):
        [output] = outputs(f"{word}:{tmp_path}/new/{word}")
        write(output, [replace(RACE, text="\ud800")], tmp_path)
        assert (tmp_path / "new" / word).read_text().startswith(start)
    write(Output("github", None), [RACE], tmp_path)


@pytest.mark.parametrize("text", ["", "pdf", "sarif:", "github:x", "html,,github"])
def test_an_unknown_output_is_refused_with_those_that_are_known(text):
    with pytest.raises(ValueError, match="write github, sarif:FILE, junit:FILE or html:FILE"):
        outputs(text)
