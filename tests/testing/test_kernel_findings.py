"""``pytest --accel-reports``: what tests meet, in projects without a conftest of their own."""

import json
import re
from xml.etree import ElementTree as ET

import pytest

LAUNCHES = """
    import accel
    import pytest
    from accel import xp

    KERNELS = '''
    extern "C" __global__ void beyond(float* x, int n) { x[n] = 1; }
    extern "C" __global__ void race(float* x) {
        x[0] = threadIdx.x;
    }
    '''

    def launch(name, *arguments, threads=1):
        x = xp.empty(4, dtype="float32", device="sim")
        return accel.RawKernel.from_source(KERNELS, name)(x, *arguments, grid=1, block=threads)
"""
MIXED = (
    LAUNCHES
    + """
    @pytest.mark.parametrize("turn", range(3))
    def test_race(turn):
        launch("race", threads=64)

    def test_expected():
        with pytest.raises(accel.errors.KernelMemoryError):
            launch("beyond", 4).wait()

    @pytest.mark.xfail(strict=True)
    def test_fails():
        launch("beyond", 5).wait()
"""
)
STREAMS = """
    import accel
    import accel.xp as xp

    kept = []

    def test_streams(device):
        first, second = accel.new_stream("sim"), accel.new_stream("sim")
        with first:
            x = xp.ones(1000, device="sim")
        with second:
            float(xp.sum(x))

    def test_leak(no_leaks):
        with accel.debug():
            kept.append(accel.zeros(1024, device="sim"))
"""


def line_of(code, text):
    return [text in line for line in code.splitlines()].index(True) + 1


def written(tmp_path, name="accel.sarif"):
    return json.loads((tmp_path / name).read_text())["runs"][0]["results"]


def place(result):
    physical = result["locations"][0]["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]


@pytest.mark.parametrize("workers", [(), ("-n2",)])
@pytest.mark.slow
def test_each_finding_is_written_once_with_all_its_tests_and_what_tests_expect_is_no_annotation(
    tmp_path, project, workers
):
    (tmp_path / ".git").mkdir()
    formats = "--accel-reports=github,sarif,html:out/page.html,junit:out/junit.xml,junit"
    options = ("--accel-kernel-checks=all", formats, "--junitxml=out/pytest.xml", *workers)
    printed = project(MIXED, "3 failed, 1 passed, 1 xfailed", *options)
    line = line_of(MIXED, "x[0] = threadIdx.x;")
    [annotation] = re.findall(r"^::.*$", printed, re.MULTILINE)
    assert annotation.startswith(f"::error file=test_it.py,line={line},title=accel%3A race in kernel race::race in")
    assert annotation.count("%0Amet in test_it.py::test_race[") == 3
    race, expected = sorted(written(tmp_path), key=lambda each: "suppressions" in each)
    assert place(race) == ("test_it.py", line)
    assert place(expected) == ("test_it.py", line_of(MIXED, "x[n] = 1"))
    assert expected["properties"]["tests"] == ["test_it.py::test_expected", "test_it.py::test_fails"]
    assert len(ET.parse(tmp_path / "out/junit.xml").findall(".//failure")) == 1
    names = [each.get("name") for each in ET.parse(tmp_path / "out/pytest.xml").iter("property")]
    assert (names.count("accel-report"), names.count("accel-expected-report")) == (3, 2)
    assert (tmp_path / "out/page.html").read_text().count("<svg") == 2


@pytest.mark.slow
def test_races_of_streams_and_leaks_are_findings_with_their_lines(tmp_path, project):
    project(STREAMS, "1 failed, 1 passed, 1 error", "--accel-reports=sarif", "--accel-devices=sim")
    leak, race = sorted(written(tmp_path), key=lambda each: each["ruleId"])
    assert (leak["ruleId"], *place(leak)) == ("leak", "test_it.py", line_of(STREAMS, "kept.append"))
    assert (race["ruleId"], *place(race)) == ("race", "test_it.py", line_of(STREAMS, "xp.sum"))
    [other] = race["relatedLocations"]
    assert other["physicalLocation"]["region"]["startLine"] == line_of(STREAMS, "xp.ones")


@pytest.mark.slow
def test_findings_of_fixtures_and_of_imports_are_written_too(tmp_path, project):
    code = (
        LAUNCHES
        + """
    @pytest.fixture
    def wrong():
        yield
        launch("beyond", 4).wait()

    def test_right(wrong):
        pass
"""
    )
    project(code, "1 passed, 1 error", "--accel-reports=sarif")
    assert [each["properties"]["tests"] for each in written(tmp_path)] == [["test_it.py::test_right"]]
    project(LAUNCHES + "\n    launch('beyond', 4).wait()", "1 error", "--accel-reports=sarif:again.sarif")
    assert [each["properties"]["tests"] for each in written(tmp_path, "again.sarif")] == [["test_it.py"]]


def test_without_findings_the_files_are_empty_lists(tmp_path, project):
    printed = project("def test(): pass", "1 passed", "--accel-reports=github,sarif", "--accel-reports=html")
    assert "::" not in printed.replace("test_it.py::test", "")
    assert written(tmp_path) == []
    assert "0 findings" in (tmp_path / "accel-reports.html").read_text()


@pytest.mark.parametrize("value", ["pdf", "junit", "sarif:"])
def test_a_value_that_the_option_cannot_have_is_refused(project, value):
    with pytest.raises(AssertionError, match=r"ERROR: --accel-reports: .*write|ERROR: --accel-reports: .*give"):
        project("def test(): pass", "1 passed", f"--accel-reports={value}")


def test_a_file_that_cannot_be_written_fails_the_run(tmp_path, project):
    (tmp_path / "file").touch()
    printed = project("def test(): pass", "1 passed", "--accel-reports=sarif:file/x.sarif", status=4)
    assert "ERROR: --accel-reports: [Errno" in printed
