"""Runs the array standard's own tests on `accel.xp`, for several devices and versions; exits with 1 if one surprises.

A surprise is a failure that ci/xfails/DEVICE.txt does not list, or a test listed there that passes. With ``--fused``
each function that a test calls is fused, for the newest version, and the list is ci/xfails/DEVICE-fused.txt.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

__all__: list[str] = []

_HERE = Path(__file__).parent
_NEWEST = "2025.12"
_FUSED = "exec('from fused_namespace import xp')"
_OF_VERSION = "exec('from accel import xp; xp = xp.ones(1).__array_namespace__(api_version=\"{}\")')"
_PARTS = ("array_api_tests", "conftest.py", "reporting.py", "pytest.ini")


def main() -> int:
    """Run the tests of a checkout on each device for each version, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="of data-apis/array-api-tests")
    parser.add_argument("--device", nargs="+", default=["cpu", "sim"])
    parser.add_argument("--fused", action="store_true", help="fuse each function of the newest version")
    parser.add_argument("--version", nargs="+", default=["2023.12", "2024.12", _NEWEST], help="of the standard")
    parser.add_argument("--examples", type=int, help="the number of examples of each property: 50, or 20 with --fused")
    parser.add_argument("--seed", type=int, default=1, help="of the examples")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="among which the tests are shared")
    parser.add_argument("--xfails", type=Path, default=_HERE / "xfails", help="the folder of the known failures")
    given = parser.parse_args()
    given.version = [_NEWEST] if given.fused else given.version
    given.examples = given.examples or (20 if given.fused else 50)
    with TemporaryDirectory() as folder:
        copy = _copied(given.checkout, Path(folder))
        surprises = [_run(given, copy, device, version) for device in given.device for version in given.version]
    return int(any(surprises))


def _copied(checkout: Path, folder: Path) -> Path:
    """Copy the tests to where they may write, with the standard inside, where they look for it."""
    standard = next((each for each in _standards(checkout) if (each / "spec").is_dir()), None)
    if standard is None or not (checkout / "array_api_tests").is_dir():
        sys.exit(
            f"{checkout} is needed as a checkout of data-apis/array-api-tests, with data-apis/array-api inside it (git "
            f"submodule update --init) or beside it"
        )
    for part in _PARTS:
        if (checkout / part).is_dir():
            shutil.copytree(checkout / part, folder / part)
        elif (checkout / part).exists():
            shutil.copy(checkout / part, folder)
    (folder / "array-api").symlink_to(standard.resolve())
    return folder


def _standards(checkout: Path) -> Iterator[Path]:
    yield checkout / "array-api"
    yield checkout.resolve().parent / "array-api"


def _run(args: argparse.Namespace, copy: Path, device: str, version: str) -> bool:
    """Run the tests once, say what was found, and return whether something was not expected."""
    how = ["--examples", args.examples, "--seed", args.seed, "--processes", args.processes]
    known = args.xfails.resolve() / f"{device}{'-fused' if args.fused else ''}.txt"
    command = [sys.executable, "-B", _HERE.resolve() / "standard.py", copy, "--known", known, *how]
    done = subprocess.run(
        [*map(str, command)], check=False, cwd=copy, env=_environment(device, version, args.fused), **_PIPES
    )
    if not done.stdout.startswith("{"):
        print(f"{device} {version}: the tests did not run\n{done.stderr}")
        return True
    result = json.loads(done.stdout)
    _tell(f"{device} {version}{', fused' if args.fused else ''}", result, done.stderr)
    return done.returncode != 0 or bool(result["xpassed"])


_PIPES: Mapping[str, Any] = {"capture_output": True, "text": True}


def _environment(device: str, version: str, fused: bool) -> dict[str, str]:
    module = _FUSED if fused else "accel.xp" if version == _NEWEST else _OF_VERSION.format(version)
    chosen = {"ACCEL_DEVICE": device, "ARRAY_API_TESTS_MODULE": module, "ARRAY_API_TESTS_VERSION": version}
    path = os.pathsep.join([str(_HERE.resolve()), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, **chosen, "PYTHONPATH": path}


def _tell(title: str, result: Mapping[str, Any], output: str) -> None:
    counts: Mapping[str, int] = result["counts"]
    print(f"{title}: {', '.join(f'{count} {kind}' for kind, count in counts.items() if count)}", flush=True)
    if result["failed"]:
        print(output)
    _list("failed, and is not known to:", result["failed"])
    _list("passed, and is known to fail:", result["xpassed"])


def _list(what: str, names: Sequence[str]) -> None:
    for name in names:
        print(f"    {what} {name}")


if __name__ == "__main__":
    sys.exit(main())
