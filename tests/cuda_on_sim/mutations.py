"""Mutations of the corpus: one change of a program that often makes a race or a wrong access.

Of the source: a barrier or a fence is deleted; a bound is loosened; a guard is removed; a first value is dropped. Of the
host's part: a grid is a block larger, an array an element shorter, or memory is not set to zero.
"""

import re
from typing import NamedTuple

__all__ = ["Mutation", "reachable", "source_mutations"]

KINDS = {
    "barrier": re.compile(r"(?:__sync(?:threads|warp)\(\)|\b\w+\.sync\(\));()"),
    "fence": re.compile(r"__threadfence(?:_block)?\(\);()"),
    "bound": re.compile(r"(?<= )[<>]=?(?= )"),
    "guard": re.compile(r"\bif \(((?:[^()]|\([^()]*\))*)\) (?!return)(?=[^;{]*;(?!\s*else)|\{)"),
    "early return": re.compile(r"\bif \(((?:[^()]|\([^()]*\))*)\) return;"),
    "initialisation": re.compile(r"(?<=\w) = (?:-?[\d.]+f?|-?INFINITY|\{\}|~0ull)(?=[;,])"),
    "first write": re.compile(r"(?<=[ {(])[a-z_]+(?:\[[^=;]*\])* = (?:-?[\d.]+f?|-?INFINITY|~0ull);"),
}
LOOSER = {"<": "<=", ">=": ">", "<=": "<= 1 +", ">": ">="}
FUNCTION = re.compile(r"^(?:template.*\n)?[^\s/#}][^;{=]*?\b(\w+|operator.)\([^;{]*\{.*?^\}|^[^\s/#}][^\n]*\{[^\n]*\}$", re.M | re.S)
DECLARED = re.compile(r"\b(?:float|double|int|unsigned|short|bool|long|size_t|lanes|Partial|half)\b[^;(){}]*$")


class Mutation(NamedTuple):
    """One change.

    Attributes
    ----------
    program, kind : str
        Name of the program, and the kind of the change.
    place : str
        Where it is: the function, the number of its kind there, and the line.
    source : str
        The source afterwards; empty if it is not changed.
    number : int
        For a change of the host's part: which launch or array it is about.
    """

    program: str
    kind: str
    place: str
    source: str = ""
    number: int = -1

    @property
    def name(self):
        return f"{self.program}: {self.kind} {self.place}"
