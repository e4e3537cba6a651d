"""``accel grade``: the run over all submissions."""

import argparse
import os
import pwd
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import numpy as np

from accel.commands.grading.confinement import landlock_version
from accel.commands.grading.course import Course, Grade, Result
from accel.commands.grading.entries import Entry, entries_in, provide
from accel.commands.grading.output import as_json, as_page, as_table
from accel.commands.grading.process import Limits, Worker, readable_folders
from accel.commands.grading.submission import Submission, SubmissionError
from accel.config import current
from accel.demo.files import require_folder

__all__ = ["run"]

_SHARED = ("cuda_sim/accel_sim_*.so", "cuda_sim/compiler-*.json", "cuda_sim/headers_*/**/*")
"""The machine that kernels run on, which compiler there is, and the precompiled headers."""
_WARM = 'extern "C" __global__ void warm(float* x) { x[threadIdx.x] = 1; }'


def run(args: argparse.Namespace) -> int:
    """Run the command and return its exit code: 0 if all submissions pass all tests."""
    for path in filter(None, (args.json, args.html)):
        require_folder(path)
    try:
        grades = _grades(args)
    except ValueError as error:
        print(f"accel grade: {error}", file=sys.stderr)
        return 2
    tests = [each.test for each in grades[0].results]
    print(as_table(grades))
    if args.json:
        args.json.write_text(as_json(grades, args.seed), encoding="utf-8")
    if args.html:
        args.html.write_text(as_page(grades, tests, args.seed), encoding="utf-8", errors="backslashreplace")
    return 0 if all(each.passed == len(tests) for each in grades) else 1


def _grades(args: argparse.Namespace) -> list[Grade]:
    course, entries = Course(args.tests.resolve(), args.seed), entries_in(args.folder)
    if not entries:
        raise ValueError(f"{args.folder} has no submissions: files .cu, .hip or .py, or folders with one")
    _require_hidden([args.tests, args.folder])
    limits = Limits(
        seconds=args.limit,
        requests=len(course.tests),
        memory=args.memory << 20,
        file_size=args.file_size << 20,
        processes=args.processes * args.jobs,
        user=_user(args.user),
    )
    _warn(limits)
    with _run_folder() as folder:
        grader = _Grader(course, folder, limits, {"kernel_checks": args.checks, "threads": 1})
        grader.warm_up()
        with ThreadPoolExecutor(args.jobs) as pool:
            return list(pool.map(grader.grade, entries))


def _require_hidden(paths: list[Path]) -> None:
    """Refuse places that each submission may read."""
    for path in paths:
        for readable in readable_folders():
            if path.resolve().is_relative_to(readable):
                raise ValueError(f"{path} is in {readable}, which submissions can read; put it elsewhere")


def _user(name: str | None) -> tuple[int, int] | None:
    if name is None:
        return None
    if os.getuid() != 0:
        raise ValueError("--user needs root; without it, submissions run as you")
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise ValueError(f"there is no user {name}") from None
    if entry.pw_uid == 0:
        raise ValueError(f"{name} is root; name another user, such as nobody")
    return entry.pw_uid, entry.pw_gid


def _warn(limits: Limits) -> None:
    if not landlock_version():
        print("accel grade: this kernel has no Landlock: submissions can read what their user can", file=sys.stderr)
    if os.getuid() == 0 and limits.user is None:
        print("accel grade: run as root, so --processes has no effect; write --user nobody", file=sys.stderr)


@contextmanager
def _run_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="accel-grade-"))
    folder.chmod(0o711)  # another user passes through
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Grader:
    """What grades submissions, several at once.

    Compiled code of the machine and its headers is shared as copies: what a submission writes reaches no other.
    """

    def __init__(self, course: Course, folder: Path, limits: Limits, settings: dict[str, object]) -> None:
        self._course = course
        self._folder = folder
        self._limits = limits
        # A kernel that never ends is stopped before its process is, so that its line is known.
        self._settings = {**settings, "kernel_limit": max(1, int(limits.seconds / 2))}
        self._cache = folder / "base"
        self._numbers = count()

    def warm_up(self) -> None:
        """Compile what all kernels need, or take it from the last time.

        Raises
        ------
        ValueError
            If a trivial kernel does not run.
        """
        kept = Path(current().cache_dir).expanduser() / "grading"
        self._cache.mkdir()
        before = _copy_shared(kept, self._cache)
        source = self._folder / "warm.cu"
        source.write_text(_WARM, encoding="utf-8")
        limits = self._limits._replace(seconds=max(self._limits.seconds, 120), file_size=64 << 20)
        with self._submission(Entry("warm.cu", source, "warm.cu"), limits) as (submission, folder):
            try:
                submission.launch("warm", np.zeros(1, "float32"), grid=1, block=1)
            except SubmissionError as error:
                submission.stop()
                raise ValueError(f"kernels do not run here: {error} {submission.output()}") from None
            after = _copy_shared(folder / "cache", self._cache)
        if after != before:
            with suppress(OSError):
                _copy_shared(self._cache, kept)

    def grade(self, entry: Entry) -> Grade:
        """Run the tests with a submission."""
        problem = entry.problem
        if not problem:
            try:
                with self._submission(entry, self._limits) as (submission, _):
                    return self._course.grade(submission)
            except (ValueError, OSError) as error:
                problem = str(error)
        return Grade(entry.name, [Result(test, problem, 0.0) for test in self._course.tests], [])

    @contextmanager
    def _submission(self, entry: Entry, limits: Limits) -> Iterator[tuple[Submission, Path]]:
        folder = self._folder / str(next(self._numbers))
        (folder / "files").mkdir(parents=True)
        shutil.copytree(self._cache, folder / "cache")
        provide(entry, folder / "files")
        if limits.user is not None:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, *limits.user)
        folder.chmod(0o700)
        submission = Submission(
            entry.name, self._course.seed, lambda: Worker(folder, entry.source, self._settings, limits)
        )
        try:
            yield submission, folder
        finally:
            submission.stop()
            shutil.rmtree(folder, ignore_errors=True)


def _copy_shared(folder: Path, target: Path) -> set[str]:
    """Copy what all kernels share, if it is there, and return its names."""
    files = [path for pattern in _SHARED for path in folder.glob(pattern) if path.is_file()]
    for path in files:
        copy = target / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return {str(path.relative_to(folder)) for path in files}
