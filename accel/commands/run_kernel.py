"""``accel run-kernel``: run a CUDA or HIP program, or one kernel of a file, on the simulated device."""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from accel import config
from accel.commands.kernel_arrays import argument_from, summary
from accel.demo.files import require_folder, save
from accel.device import resolve
from accel.errors import AccelError, KernelCheckError
from accel.kernels import RawKernel
from accel.memory import heap_of
from accel.support.call_sites import named_call_site
from accel.support.kernel_reports import KernelReport
from accel.support.report_files import Location, Output, Repository, annotations, finding_of, merged, write

__all__ = ["run"]

_MAIN = re.compile(r"\bmain\s*\([^;{]*\{")
_KERNEL = re.compile(r"__global__[^;{}()]*?(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:void\s+)?(\w+)\s*\(")


class _Ended(Protocol):
    code: int
    reports: list[KernelReport]
    found: int


class _RunsPrograms(Protocol):
    def run_program(self, sources: Sequence[Path], arguments: Sequence[str], **options: Any) -> _Ended: ...


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    for path in filter(None, (args.json, args.svg)):
        require_folder(path)
    try:
        with config.using(kernel_checks=args.checks, sim_warp=args.warp, sim_seed=args.seed, kernel_limit=args.limit):
            code, reports = _kernel(args) if _names_kernel(args) else _program(args)
    except (AccelError, ValueError, TypeError, UnicodeDecodeError) as error:
        print(f"accel run-kernel: {error}", file=sys.stderr)
        return 1
    if args.json:
        save(args.json, json.dumps([report.json() for report in reports], indent=2))
    if args.svg and reports:
        save(args.svg, reports[0].svg())
    _write(args.reports, args.file, reports)
    return code


def _write(outputs: Sequence[Output], file: Path, reports: Sequence[KernelReport]) -> None:
    repository = Repository(Path.cwd(), [file])
    place = Location(repository.path(file), 0)
    findings = merged(finding_of(each, repository, place, picture=True) for each in reports)
    for output in outputs:
        if output.format == "github":
            print(*annotations(findings), sep="\n", end="\n" if findings else "")
        write(output, findings, repository.root)


def _names_kernel(args: argparse.Namespace) -> bool:
    """Whether to run a kernel, not a program."""
    if args.kernel is not None:
        return True
    text = "".join([path.read_text(encoding="utf-8", errors="replace") for path in (args.file, *args.others)])
    if _MAIN.search(text):
        return False
    kernels = sorted({*_KERNEL.findall(text)})
    content = f"it has the kernels {', '.join(kernels)}" if kernels else "it has no kernels"
    raise ValueError(f"{args.file} has no main; write --kernel NAME to run a kernel: {content}")


def _program(args: argparse.Namespace) -> tuple[int, list[KernelReport]]:
    backend = cast("_RunsPrograms", heap_of(resolve("sim")).backend)
    ended = backend.run_program(
        [args.file, *args.others],
        args.arguments,
        options=[f"-D{macro}" for macro in args.macros],
        folders=args.folders,
        late=args.late,
    )
    if ended.code < 0:
        print(f"accel: the program was ended by signal {-ended.code}", file=sys.stderr)
    if ended.reports:
        kinds = "1 finding" if len(ended.reports) == 1 else f"{len(ended.reports)} distinct findings"
        print(f"accel: {kinds}, {ended.found} in all", file=sys.stderr)
    return (1 if ended.reports or ended.code < 0 else ended.code), ended.reports


def _kernel(args: argparse.Namespace) -> tuple[int, list[KernelReport]]:
    options = [*[f"-I{folder}" for folder in args.folders], *[f"-D{macro}" for macro in args.macros]]
    kernel = RawKernel.from_file(args.file, args.kernel, options=options, enable_cooperative_groups=args.cooperative)
    arguments = _arguments(args, kernel)
    try:
        kernel(*arguments, grid=args.grid, block=args.block, shared=args.shared).wait()
    except KernelCheckError as error:
        print(f"accel: {error}", file=sys.stderr)
        return 1, [*error.reports]
    for parameter, argument in zip(kernel.parameters, arguments, strict=True):
        if parameter.rank is not None:
            print(summary(parameter.name, argument))
    return 0, []


def _arguments(args: argparse.Namespace, kernel: RawKernel) -> list[Any]:
    if args.arguments:
        raise ValueError(f"{kernel} takes its arguments by --arg; found {' '.join(args.arguments)}")
    if len(args.arg) != len(kernel.parameters):
        raise ValueError(f"{kernel} takes {len(kernel.parameters)} arguments; found {len(args.arg)} of --arg")
    random = np.random.default_rng(args.seed)
    arguments = []
    for number, (text, parameter) in enumerate(zip(args.arg, kernel.parameters, strict=True), 1):
        with named_call_site(f"argument {number} ({parameter.name})"):
            arguments.append(argument_from(text, parameter, random))
    return arguments
