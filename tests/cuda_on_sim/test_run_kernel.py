"""``accel run-kernel``: programs and kernels from the command line."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from accel.commands.cli import main

from ..kernels.raw_contract import TURN

KERNELS = """
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
extern "C" __global__ void collide(int* x) { x[0] += threadIdx.x; }
extern "C" __global__ void copied(const double* x, double* y) { y[threadIdx.x] = x[threadIdx.x] + OFFSET; }
"""
PROGRAM = """
#include <cstdio>
__global__ void write(int* x) { x[threadIdx.x] = 1; }
int main(int argc, char** argv) {
    int* x;
    cudaMalloc(&x, 32 * sizeof(int));
    write<<<1, 31 + argc>>>(x);
    return argc == 1 ? 4 : 0;
}
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    file = tmp_path_factory.mktemp("kernels") / "kernels.cu"
    file.write_text(KERNELS)
    return file


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    file = tmp_path_factory.mktemp("program") / "program.cu"
    file.write_text(PROGRAM)
    return file


def run(*arguments):
    return main(["run-kernel", *map(str, arguments)])


def scale(kernels, extent, n, *options):
    arguments = f"--kernel scale --grid 4 --arg float[{extent}]=arange --arg 2 --arg {n} -D OFFSET=1".split()
    return run(kernels, *arguments, *options)


def test_a_kernel_without_findings_shows_its_arrays(kernels, capsys):
    assert scale(kernels, 1000, 1000) == 0
    assert capsys.readouterr().out == "x: float32[1000], 0 to 1998: 0 2 4 6 8 10 ...\n"


def test_a_finding_is_told_and_written_as_json_and_as_a_picture(kernels, tmp_path, capsys):
    files = tmp_path / "reports.json", tmp_path / "report.svg"
    assert scale(kernels, 1000, 1001, "--json", files[0], "--svg", files[1]) == 1
    (report,) = json.loads(files[0].read_text())
    assert (report["check"], report["kind"], report["kernel"]) == ("memory", "out of bounds", "scale")
    assert report["message"] in capsys.readouterr().err
    assert ET.parse(files[1]).getroot().tag.endswith("svg")


def test_reports_are_written_for_continuous_integration(kernels, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(kernels.parent)
    files = [tmp_path / name for name in ("x.sarif", "x.html", "x.xml")]
    reports = "github,sarif:{},html:{},junit:{}".format(*files)
    assert scale(kernels, 1000, 1001, "--reports", reports) == 1
    line = KERNELS.splitlines().index("    if (i < n) x[i] *= factor;") + 1
    assert capsys.readouterr().out.startswith(f"::error file=kernels.cu,line={line},title=accel%3A out of bounds")
    assert json.loads(files[0].read_text())["runs"][0]["results"][0]["ruleId"] == "memory"
    assert "<svg" in files[1].read_text()
    assert len(ET.parse(files[2]).findall(".//failure")) == 1
    assert scale(kernels, 1000, 1000, "--reports", reports) == 0
    assert "::" not in capsys.readouterr().out


@pytest.mark.parametrize("reports", ["pdf", "junit"])
def test_reports_of_no_known_kind_are_refused(kernels, reports):
    with pytest.raises(SystemExit):
        scale(kernels, 1000, 1000, "--reports", reports)


@pytest.mark.parametrize("what", ["arange", "random", "5"])
def test_a_report_names_the_argument_in_which_the_memory_was_given(kernels, capsys, what):
    arguments = f"--kernel scale --block 8 --arg float[4]={what} --arg 2 --arg 8 -D OFFSET=1".split()
    assert run(kernels, *arguments) == 1
    assert "allocated at argument 1 (x); compare" in capsys.readouterr().err


def test_checks_are_chosen(kernels):
    arguments = ["--kernel", "collide", "--arg", "int[1]=zeros", "-D", "OFFSET=1"]
    assert run(kernels, *arguments) == 1
    assert run(kernels, *arguments, "--checks", "memory") == 0


def test_the_order_of_threads_and_random_arrays_depend_on_the_seed(kernels, capsys):
    options = ["-D", "OFFSET=1", "--seed"]
    arguments = ["--kernel", "scale", "--grid", "4", "--arg", "float[64]=random", "--arg", "2", "--arg", "64", *options]
    outputs = []
    for seed in (1, 1, 2):
        assert run(kernels, *arguments, seed) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != outputs[2]


def test_arrays_come_from_files_and_macros_from_options(kernels, tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.arange(8.0))
    arguments = f"--kernel copied --block 8 --arg {tmp_path / 'x.npy'} --arg double[8] -D OFFSET=0.5".split()
    assert run(kernels, *arguments) == 0
    assert capsys.readouterr().out.splitlines()[1] == "y: float64[8], 0.5 to 7.5: 0.5 1.5 2.5 3.5 4.5 5.5 ..."


def test_a_program_with_findings_ends_with_1_and_one_without_as_it_says(program, tmp_path, capfd):
    reports = tmp_path / "reports.json"
    assert run(program, "--json", reports) == 4
    assert json.loads(reports.read_text()) == []
    assert run(program, "one", "--json", reports) == 1
    (report,) = json.loads(reports.read_text())
    assert report["kind"] == "out of bounds"
    assert "accel: 1 finding, 1 in all" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "has no main; write --kernel NAME to run a kernel: it has the kernels collide, copied, scale"),
        (["--kernel", "nothing"], "no kernel 'nothing'"),
        (["--kernel", "collide"], "takes 1 arguments; found 0 of --arg"),
        (["--kernel", "collide", "--arg", "7"], "write TYPE[SHAPE]=WHAT, as in float[1024]=random, or a .npy file"),
        (["--kernel", "collide", "--arg", "int[4]=much"], "'much' is no number for the parameter x"),
        (
            ["--kernel", "collide", "--arg", "int[4]", "--checks", "some"],
            "write all, none, or some of",
        ),
    ],
)
def test_what_cannot_run_is_told_on_one_line(kernels, capsys, arguments, expected):
    assert run(kernels, *arguments) == 1
    message = capsys.readouterr().err
    assert expected in message
    assert message.startswith("accel run-kernel: ")


@pytest.mark.parametrize("option", ["--json", "--svg"])
def test_the_folder_of_a_report_is_there_before_the_kernel_runs(kernels, tmp_path, capsys, option):
    file = tmp_path / "missing" / "report"
    assert scale(kernels, 1000, 1000, option, file) == 1
    told = capsys.readouterr()
    assert told.err == f"accel: [Errno 2] there is no folder {file.parent}; make it first: '{file}'\n"
    assert told.out == ""


def test_a_source_that_does_not_compile_is_told_with_its_line(tmp_path, capsys):
    (tmp_path / "bad.cu").write_text("int main() {\n    return nothing;\n}\n")
    assert run(tmp_path / "bad.cu") == 1
    assert "bad.cu:2" in capsys.readouterr().err


@pytest.mark.parametrize("extents", ["0", "1,2,3,4", "x", ""])
def test_extents_are_one_to_three_numbers_above_0(kernels, capsys, extents):
    with pytest.raises(SystemExit) as ended:
        run(kernels, "--kernel", "scale", "--grid", extents)
    assert ended.value.code == 2
    assert "write as in 4 or 16,16" in capsys.readouterr().err


def test_a_cooperative_kernel_may_wait_for_the_grid(tmp_path, capsys):
    file = tmp_path / "turn.cu"
    file.write_text(TURN)
    arguments = f"{file} --kernel turn_all --grid 2 --block 4 --arg int[8]=arange".split()
    assert run(*arguments) == 1
    assert "not cooperative" in capsys.readouterr().err
    assert run(*arguments, "--cooperative") == 0
    assert "17" in capsys.readouterr().out
