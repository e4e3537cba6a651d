"""`flags`: what compilers need for sources that include CUB, Thrust or libcu++ (together: CCCL).

The headers are those of the wheel `nvidia-cuda-cccl`. Before them stands a folder in the cache with the few that
compilers of C++ cannot take: those with inline PTX, which is translated, and those that include what only runs on the
host.
"""

import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from accel.errors import CapabilityError

from ...common.cache_files import move, record, recorded
from ..text.ptx import translated_ptx
from . import disk_cache
from .digests import digest_of_file

__all__ = ["flags"]

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]((?:cub|thrust|cuda|nv)/[^>\"]*)[>\"]", re.MULTILINE)
_WHEELS = ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu13", "nvidia-cuda-cccl-cu12")
_DEVICE_WIDE = ("cub/device/", "cub/util_allocator.cuh")
_OF_THE_HOST = ("cub/util_device.cuh", "cuda/__memory/get_device_address.h", "cuda/__driver/driver_api.h")
_ASM = re.compile(r"\basm\b")


def flags(source: str, *, kind: str, warp: int) -> tuple[str, ...]:
    """Return the options for the headers of CCCL; none if a source includes none of them.

    Parameters
    ----------
    source : str
        CUDA.
    kind : str
        Of the compiler: ``gcc``, ``clang``, ``zig``.
    warp : int
        Threads of a warp.

    Raises
    ------
    CapabilityError
        If the headers are not installed, or do not work on the simulated device.
    """
    included = _INCLUDE.findall(source)
    if not included:
        return ()
    if warp != 32:
        raise CapabilityError(
            f"<{included[0]}> is written for warps of 32 threads; this device has {warp}; use sim_warp=32"
        )
    for name in included:
        if name.startswith(_DEVICE_WIDE):
            raise CapabilityError(
                f"<{name}> launches kernels from the host, which the simulated device does not have; it has the "
                f"parts of CUB for blocks and warps, as <cub/block/block_reduce.cuh>"
            )
    headers = _headers()
    if headers is None:
        raise CapabilityError(
            f"<{included[0]}> is a header of CCCL, which is not installed; run pip install 'accel-container[cuda-sim]'"
        )
    # g++ 12 takes a name that gets another meaning in a class for an error.
    permissive = ("-fpermissive",) if kind == "gcc" else ()
    return ("-isystem", str(_replacements(headers)), "-isystem", str(headers), *permissive)


@cache
def _headers() -> Path | None:
    """Return the folder of the headers; None if no wheel that has them is installed."""
    for wheel in _WHEELS:
        try:
            files = metadata.distribution(wheel).files or []
        except metadata.PackageNotFoundError:
            continue
        for file in files:
            if file.parts[-2:] == ("cub", "cub.cuh"):
                return Path(str(file.locate())).resolve().parents[1]
    return None


def _replacements(headers: Path) -> Path:
    """Return the folder of the headers that replace others; made once for a version of them."""
    folder = disk_cache.folder() / f"cccl_{_key(headers)}"
    if _is_whole(folder):
        return folder
    with disk_cache.only_one(folder.name):
        if not _is_whole(folder):
            with TemporaryDirectory(dir=folder.parent) as scratch:
                names = _write(headers, Path(scratch))
                folder.mkdir(mode=0o700, exist_ok=True)
                digests = {name: digest_of_file(Path(scratch, name)) for name in names}
                for name in names:  # a compiler may be reading an older one
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    move(Path(scratch, name), folder / name)
                record(folder / "digests.json", digests)
    return folder


def _is_whole(folder: Path) -> bool:
    """Return whether all files are there as they were written: the cache drops the oldest when it is full."""
    digests: Any = recorded(folder / "digests.json")
    return digests is not None and all(digest_of_file(folder / name) == value for name, value in digests.items())


@cache
def _key(headers: Path) -> str:
    own = [Path(__file__), *(Path(__file__).parents[1] / "text" / name for name in ("ptx.py", "tokens.py"))]
    texts = [str(headers), *[path.read_text(encoding="utf-8") for path in (headers / "cub" / "version.cuh", *own)]]
    return sha256(repr(texts).encode()).hexdigest()[:32]


def _write(headers: Path, folder: Path) -> list[str]:
    """Write all replacements; return their names."""
    names = []
    for name, text in _replaced(headers):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        names.append(name)
    return names


def _replaced(headers: Path) -> Iterator[tuple[str, str]]:
    # Each header includes this one first.
    yield "cuda/__cccl_config", '#pragma once\n#include "accel_sim/cccl.h"\n#include_next <cuda/__cccl_config>\n'
    yield "cub/cub.cuh", _all_of_blocks_and_warps(headers)
    for name in _OF_THE_HOST:
        yield name, "#pragma once\n#include <cuda/__cccl_config>\n"
    for part in ("cub", "cuda", "thrust"):
        for path in sorted((headers / part).rglob("*")):
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            changed = translated_ptx(text) if _ASM.search(text) else text
            if changed != text:
                yield path.relative_to(headers).as_posix(), changed


def _all_of_blocks_and_warps(headers: Path) -> str:
    files = [path for part in ("block", "thread", "warp") for path in sorted((headers / "cub" / part).glob("*.cuh"))]
    names = [path.relative_to(headers).as_posix() for path in files if "load_to_shared" not in path.name]
    return "#pragma once\n" + "".join([f"#include <{name}>\n" for name in names])
