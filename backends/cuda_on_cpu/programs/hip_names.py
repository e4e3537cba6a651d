"""`hip_names`: HIP's names of the functions, types and constants of CUDA's runtime API."""

import re
from functools import cache

from ..build.machine_files import HEADERS

__all__ = ["hip_names"]

_NAME = re.compile(r"\bcuda([A-Z]\w*)")
_ATTRIBUTE = "DevAttr"


@cache
def hip_names() -> str:
    """Return macros: each name of CUDA in the headers of host code, with HIP's beginning.

    Names that differ otherwise are in ``host_hip.h``.
    """
    files = [HEADERS / "accel_sim" / f"host_{part}.h" for part in ("api", "launch", "symbols", "types")]
    names = sorted({name for file in files for name in _NAME.findall(file.read_text(encoding="utf-8"))})
    pairs = [(name, name) for name in names]
    pairs += [(name.replace(_ATTRIBUTE, "DeviceAttribute"), name) for name in names if name.startswith(_ATTRIBUTE)]
    return "".join([f"#define hip{hip} cuda{name}\n" for hip, name in pairs])
