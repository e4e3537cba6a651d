"""`explained`: errors of compilers, with CUDA that is not simulated told apart from errors in a source."""

import re

__all__ = ["explained"]

_NOT_SIMULATED = "CUDA that is not simulated: "
_UNKNOWN = re.compile(
    r"error: (?P<said>(?:use of undeclared identifier |unknown type name |no (?:member|type) named )?"
    r"['`](?P<name>[\w:]+)'(?P<more>.*))"
)
_HEADER = re.compile(
    r"error: (?P<said>'?(?P<name>[\w./+-]+\.(?:h|hpp|cuh)|[\w/]+)'?(?:: No such file| file not found).*)"
)
# Of headers of CUDA, and what they declare.
_OF_CUDA = re.compile(
    r"^(?:__\w+|(?:nvcuda|wmma|mma|cuda::|nv::|cub::|thrust::|cooperative_groups|cg::|cudaGraph|cudaDev|cudaTex|cudaSurf)"
    r"\w*.*|cuda|nv|cub|thrust|CU\w+|tex\d?D?\w*|surf\d?D?\w*|barrier|pipeline|curand\w*|cublas\w*|hip\w+)$"
)
_HEADERS_OF_CUDA = re.compile(
    r"^(?:mma|crt/|cuda/|cuda_|cudaTypedefs|nvcuda|cub/|thrust/|cutlass/|cute/|curand|cublas|cufft|cusparse|cusolver|"
    r"cudnn|nvtx|helper_|hip/|rocwmma|hipcub|rocprim|cooperative_groups|nv/|texture_)"
)
_UNDEFINED = re.compile(
    r"^(?:\S*ld: )?(?:(?P<place>[^:\n]+:\d+): |.*?)undefined (?:reference to|symbol:) [`']?(?P<name>.+?)'?$",
    re.MULTILINE,
)
_REFERENCED = re.compile(r">>> referenced by (?:[^\n]*?\()?(?P<place>[^\s():]+:\d+)")


def explained(output: str) -> str:
    """Return what a compiler or a linker said, with CUDA that is not simulated named in the lines of errors.

    Examples
    --------
    >>> explained("a.cu:3:5: error: '__nanosleep' was not declared in this scope")
    "a.cu:3:5: error: CUDA that is not simulated: __nanosleep ('__nanosleep' was not declared in this scope)"
    >>> explained("a.cu:3:5: error: 'total' was not declared in this scope")
    "a.cu:3:5: error: 'total' was not declared in this scope"
    """
    output = _UNKNOWN.sub(_named, output)
    output = _HEADER.sub(lambda match: _renamed(match, _HEADERS_OF_CUDA), output)
    output = output.replace("static assertion failed: " + _NOT_SIMULATED, _NOT_SIMULATED)
    return _undefined(output) + output


def _named(match: re.Match[str]) -> str:
    missing = "not declared" in match["more"] or "does not name" in match["more"] or not match["said"].startswith("'")
    missing = missing or "is not a member of" in match["more"] or "has not been declared" in match["more"]
    return _renamed(match, _OF_CUDA) if missing else match[0]


def _renamed(match: re.Match[str], names: re.Pattern[str]) -> str:
    ours = names.match(match["name"])
    return f"error: {_NOT_SIMULATED}{match['name']} ({match['said']})" if ours else match[0]


def _undefined(output: str) -> str:
    """Return an error for each name that is used and defined nowhere, in the form of the compiler's errors."""
    lines = []
    for match in _UNDEFINED.finditer(output):
        referenced = _REFERENCED.match(output, match.end() + 1)
        place = match["place"] or (referenced["place"] if referenced else "")
        lines.append(f"{place or '<source>'}: error: {match['name']} is declared, and used, but defined nowhere\n")
    return "".join(dict.fromkeys(lines))
