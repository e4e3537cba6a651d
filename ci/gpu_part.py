"""Runs one part of what needs a GPU, stage by stage, prints a table, and writes the results as JSON.

Each stage runs even if an earlier one failed. The file of results is written before each stage, so that it tells what
was found even if the machine is taken away. The exit status is 0 if no stage failed, 1 if one did or there is no GPU,
and 2 if packages are missing.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import monotonic

from gpu_install import install, missing
from gpu_parts import MACHINE, PARTS, SECONDS, Chosen
from gpu_record import Record, print_table
from gpu_running import ROOT, Outcome, run

__all__: list[str] = []


def main() -> int:
    """Run the stages of a part and return the exit status."""
    given, end = _arguments(), monotonic() + SECONDS
    lacks = missing(ROOT)
    if lacks:
        print(f"ci/gpu: {lacks}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as result:
        work = Path(result)
        how = install(ROOT, work / "installed")
        machine = run(MACHINE, _environment(work, given), work)
        if machine.bad:
            print("ci/gpu: no stage was run, and nothing is written", file=sys.stderr)
            return 1
        record = Record(given.part, given.name, machine, {"quick": given.quick, "installed_by": how})
        _run(record, given, work, end)
    print(f"== {record.write(given.results)}")
    print_table(record.outcomes)
    return int(record.bad or (given.complete and record.incomplete))


def _arguments() -> argparse.Namespace:
    about = "".join(f"\n  {name:12}{part.about}" for name, part in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="ci/gpu",
        description=f"{__doc__}\nThe parts, each of at most nine minutes:{about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", choices=PARTS, help="what to run")
    parser.add_argument("--name", help="of the machine, in the file's name (default: what the first device is called)")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results", metavar="DIR", help="its folder")
    parser.add_argument("--quick", action="store_true", help="few examples and small copies, for a look")
    parser.add_argument("--examples", type=int, metavar="N", help="examples of each property (default: by the stage)")
    parser.add_argument("--without", default="", metavar="MARKER", help="leave out tests with this marker of pytest")
    parser.add_argument("--complete", action="store_true", help="fail if a stage is not run")
    if len(sys.argv) == 1:
        parser.print_help(sys.stderr)
        sys.exit(2)
    return parser.parse_args()


def _environment(work: Path, args: argparse.Namespace) -> Mapping[str, str]:
    """Return an environment that imports the installed library, and writes nothing to the checkout."""
    paths = [str(work / "installed"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        **({"PYTEST_ADDOPTS": "--maxfail=2"} if args.quick else {}),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(work / "hypothesis"),
    }


def _run(record: Record, args: argparse.Namespace, work: Path, end: float) -> None:
    """Run the stages of a part until a deadline, and record the outcome of each."""
    devices = list(record.machine["devices"])
    chosen = Chosen(devices, work, args.quick, args.examples, args.without)
    stages = list(PARTS[args.part].stages(chosen))
    for stage in stages:
        record.outcomes[stage.name] = Outcome("not run", 0.0, "ci/gpu was ended before this stage")
    for stage in stages:
        record.write(args.results)
        limited = stage._replace(seconds=max(1, min(stage.seconds, end - monotonic())))
        record.outcomes[stage.name] = run(limited, _environment(work, args), work)


if __name__ == "__main__":
    sys.exit(main())
