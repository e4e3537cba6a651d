"""Runs numba-cuda's tests under its simulator and on simulated devices, and compares; exits with 1 if one surprises.

A surprise is a test that passes under the simulator and fails here, and for which `numba_reasons.py` has no reason.
Without arguments all tests run, and the page docs/guide/numba_tests.md is written.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from numba_reasons import REASONS

__all__: list[str] = []

_ROOT = Path(__file__).parent.parent
_PAGE = _ROOT / "docs" / "guide" / "numba_tests.md"
_NEEDED = 0.95
_ON_SIM = {"NUMBA_TESTS_ON_SIM": "1", "ACCEL_KERNEL_LIMIT": "600"}
_ENDED = (0, 1, 2, 3, 4, 5)
"""Exit codes of pytest; others are those of a crash."""

_CHILDREN = """
import importlib.abc
import sys


class Enter(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "numba.cuda":
            return None
        sys.meta_path.remove(self)
        spec = next(found for finder in sys.meta_path if (found := finder.find_spec(name, path, target)))
        execute = spec.loader.exec_module

        def enter(module):
            execute(module)
            sys.modules["numba"].cuda = module
            from accel.testing import numba_cuda_on_sim

            block = numba_cuda_on_sim()
            block.__enter__()
            module._accel_block = block

        spec.loader.exec_module = enter
        return spec


if not any("multiprocessing" in word for word in sys.orig_argv):  # accel sees to those itself
    sys.meta_path.insert(0, Enter())
"""


def main() -> int:
    """Run the tests both ways, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="files of the tests, below numba/cuda/tests")
    parser.add_argument("--results", type=Path, help="a folder with results of both ways; those that exist are read")
    given = parser.parse_args()
    with TemporaryDirectory() as scratch:
        folder = given.results or Path(scratch)
        folder.mkdir(exist_ok=True)
        theirs = _results(folder / "simulator.jsonl", given.files, {"NUMBA_ENABLE_CUDASIM": "1"})
        ours = _results(folder / "sim.jsonl", given.files, _ON_SIM)
    lines = [*_page(theirs, ours)]
    if not given.files:
        _PAGE.write_text("\n".join([*lines, ""]), encoding="utf-8")
    surprises = [name for name in _lost(theirs, ours) if _reason(name, _outcome(ours, name)) is None]
    print(*lines[:12], *(f"surprise: {name}: {_outcome(ours, name)}" for name in surprises), sep="\n")
    passed, lost = _passed(theirs), _lost(theirs, ours)
    return int(bool(surprises) or len(lost) > (1 - _NEEDED) * len(passed))


def _results(file: Path, names: list[str], settings: dict[str, str]) -> dict[str, str]:
    """Return the outcome of each test; those that a file has do not run again."""
    package = find_spec("numba_cuda")
    assert package is not None, "ci/numba_tests installs it"
    tests = Path(str(package.origin)).parent / "numba" / "cuda" / "tests"
    with TemporaryDirectory() as children:
        Path(children, "sitecustomize.py").write_text(_CHILDREN, encoding="utf-8")
        environment = {
            **os.environ,
            **settings,
            "NUMBA_TESTS_RESULTS": str(file),
            "NUMBA_TESTS_CHILDREN": children,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": os.pathsep.join([str(_ROOT), str(_ROOT / "ci")]),
        }
        options = ["-q", "-p", "numba_tests_plugin", "-p", "no:cacheprovider", "-c", os.devnull, "--tb=no"]
        options += ["--rootdir", str(tests), "--continue-on-collection-errors", "-W", "ignore"]
        words = [sys.executable, "-m", "pytest", *options, *(str(tests / name) for name in names or ["."])]
        while subprocess.run(words, env=environment, check=False).returncode not in _ENDED:
            print("the process crashed; the rest runs in another one", flush=True)
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(json.loads(line) for line in lines)


def _passed(results: dict[str, str]) -> list[str]:
    return [name for name, outcome in results.items() if outcome == "passed"]


def _outcome(results: dict[str, str], name: str) -> str:
    return results.get(name, "failed: its file cannot be imported")


def _lost(theirs: dict[str, str], ours: dict[str, str]) -> list[str]:
    """Return the tests that pass under the simulator and not here; a file that is not collected loses its tests."""
    return [name for name in _passed(theirs) if _outcome(ours, name) != "passed"]


def _reason(name: str, outcome: str) -> str | None:
    found = (reason for pattern, reason in REASONS if re.search(pattern, f"{name} {outcome}"))
    return next(found, None)


def _page(theirs: dict[str, str], ours: dict[str, str]) -> Iterator[str]:
    passed, lost = _passed(theirs), _lost(theirs, ours)
    gained = [name for name in _passed(ours) if theirs.get(name, "skipped") == "skipped"]
    kept = len(passed) - len(lost)
    yield "# numba-cuda's own tests without a GPU"
    yield ""
    yield "The package numba-cuda has tests for GPUs. Many of them also run under its simulator"
    yield "(`NUMBA_ENABLE_CUDASIM=1`), which skips the others. Here all of them ran on simulated devices, unchanged"
    yield "([numba_cuda_on_sim](gpu_tests_without_a_gpu.md))."
    yield ""
    yield f"* {len(passed)} tests pass under the simulator; {kept} of them pass here, {kept / max(len(passed), 1):.1%}."
    yield f"* {len(gained)} tests that the simulator skips pass here."
    yield f"* {sum(each == 'skipped' for each in ours.values())} tests are skipped here."
    missing = [name for name in theirs if name not in ours]
    if missing:
        yield f"* {len(missing)} tests have not run here, of those that the simulator skips."
    yield ""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba-cuda", "numba", "numpy"))
    yield f"Run with {versions}. `ci/numba_tests` runs them again and writes this page."
    yield ""
    yield "| file | simulator | here | here failed |"
    yield "|---|---|---|---|"
    counts = [Counter(_file(name) for name in _passed(results)) for results in (theirs, ours)]
    failed = Counter(_file(name) for name, outcome in ours.items() if outcome.startswith("failed"))
    for file in sorted({*counts[0], *counts[1], *failed}):
        yield f"| `{file}` | {counts[0][file]} | {counts[1][file]} | {failed[file] or ''} |"
    yield ""
    yield "## What fails here"
    yield ""
    yield "| tests | of those that pass under the simulator | why |"
    yield "|---|---|---|"
    failed_here = {name for name, outcome in ours.items() if outcome.startswith("failed")} | {*lost}
    reasons = {name: _reason(name, _outcome(ours, name)) or "no reason is known" for name in sorted(failed_here)}
    for reason, number in Counter(reasons.values()).most_common():
        of_them = sum(reasons[name] == reason for name in lost)
        yield f"| {number} | {of_them or ''} | {reason} |"


def _file(name: str) -> str:
    return name.partition("::")[0].removesuffix(".py")


if __name__ == "__main__":
    sys.exit(main())
