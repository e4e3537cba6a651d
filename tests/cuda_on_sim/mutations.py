"""Mutations of the corpus: one change of a program that often makes a race or a wrong access.

Of the source: a barrier or a fence is deleted; a bound is loosened; a guard is removed; a first value is dropped. Of
the host's part: a grid is a block larger, an array an element shorter, or memory is not set to zero.
"""

import re
from typing import NamedTuple

import numpy as np

from .corpus.cases import OPTIONS
from .gpu import Gpu

__all__ = ["Altered", "Mutation", "function_of", "host_mutations", "reachable", "source_mutations"]

CONSTANT = r"(?:-?[\d.]+f?|-?INFINITY|\{\}|~0ull)"
IF = r"\bif \((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\) "
KINDS = {
    "barrier": (re.compile(r"__sync(?:threads|warp)\(\);|\b\w+\.sync\(\);"), lambda _: ";"),
    "fence": (re.compile(r"__threadfence(?:_block)?\(\);"), lambda _: ";"),
    "bound": (re.compile(r"(?<= )(?:[<>]|[<>]=)(?= )"), lambda match: LOOSER[match[0]]),
    "guard": (re.compile(IF + r"(?!return)"), lambda _: ""),
    "early return": (re.compile(IF + "return;"), lambda _: ";"),
    "first value": (re.compile(rf"(?<=[\w\]]) = {CONSTANT}(?=[;,])"), lambda _: ""),
    "first write": (
        re.compile(rf"(?<=[;{{)\n]) *[a-z_](?:[\w\[\]., =+]|\([^()]*\))*? = {CONSTANT}(?:, [\w\[\]]+ = {CONSTANT})*;"),
        lambda _: ";",
    ),
}
OTHER = re.compile(rf" = {CONSTANT}(?=[;,]|$)")
LOOSER = {"<": "<=", ">=": ">", "<=": "<= 1 +", ">": ">="}
TYPE = re.compile(r"\b(?:float|double|int|unsigned|short|bool|long|char|lanes|Partial|half|float\d)\b[ *][^;(){}]*$")
NO_FUNCTION = ("#", "struct", "typedef", "namespace", "using", "//", "}", "__constant__", " ")


class Mutation(NamedTuple):
    """One change.

    Attributes
    ----------
    program, kind : str
        Name of the program, and the kind of the change.
    place : str
        Where it is: the function, the number of its kind there, and the line; or the number of a launch or array.
    source : str
        The kernels afterwards.
    shown : str
        Kernels that show whether it matters: for a first value that is dropped, those with another value instead. Else
        the kernels afterwards.
    number : int
        For a change of the host's part: which launch or array it is about.
    """

    program: str
    kind: str
    place: str
    source: str
    shown: str
    number: int = -1

    @property
    def name(self):
        return f"{self.program}: {self.kind} {self.place}"


class Function(NamedTuple):
    name: str
    first: int
    last: int


def functions(source):
    """Return the functions of a source in the style of the corpus: from column 0 to a brace there."""
    bodies, first, lines = [], None, source.splitlines()
    for number, line in enumerate(lines):
        if first is None and line and not line.startswith(NO_FUNCTION) and not line.endswith(";"):
            first = number
        if first is not None and (line == "}" or (line.endswith("}") and line.count("{") == line.count("}"))):
            head = re.sub(r"__launch_bounds__\(\d+\)", "", " ".join(lines[first : number + 1]))
            bodies.append(Function(re.search(r"(operator.|\w+)\(", head)[1], first, number + 1))
            first = None
    return bodies


def reachable(source, kernels):
    """Return the source with empty lines for the functions that the kernels do not use, and those that they use."""
    lines, every = source.splitlines(), functions(source)
    used = {function.name for function in every if function.name.startswith("operator")} | {*kernels}
    while True:
        text = "\n".join("\n".join(lines[each.first : each.last]) for each in every if each.name in used)
        more = {each.name for each in every if re.search(rf"\b{re.escape(each.name)}\b", text)} | used
        if more == used:
            break
        used = more
    for each in every:
        if each.name not in used:
            lines[each.first : each.last] = [""] * (each.last - each.first)
    return "\n".join(lines) + "\n", [each for each in every if each.name in used]


def source_mutations(programs):
    """Yield the mutations of the sources; each place is changed in the first program that uses it."""
    seen = set()
    for program in programs.values():
        source, used = reachable(program.source, program.kernels())
        for function in used:
            if (program.subject, function.name) not in seen:
                seen.add((program.subject, function.name))
                yield from _of_function(program.name, source, function)


def _of_function(program, source, function):
    starts = [0, *[each.end() for each in re.finditer("\n", source)]]
    first, last = starts[function.first], starts[function.last]
    body = source.index("{", first, last)
    for kind, (pattern, replacement) in KINDS.items():
        number = 0
        for match in pattern.finditer(source, body, last):
            if _is_one(kind, source, match):
                number += 1
                texts = (
                    replacement(match),
                    OTHER.sub(" = 77", match[0]) if kind.startswith("first") else replacement(match),
                )
                mutated, shown = (source[: match.start()] + text + source[match.end() :] for text in texts)
                line = source.count("\n", 0, match.end() - 1) + 1
                yield Mutation(program, kind, f"{number} of {function.name}, line {line}", mutated, shown)


def _is_one(kind, source, match):
    before = source[: match.start()].rpartition("\n")[2]
    if kind == "first value":
        return TYPE.search(before) is not None and not re.search(r"for \([^;]*$|const [^;]*$", before)
    if kind == "first write":
        statement = re.sub(r"\([^()]*\)", "", match[0])  # without the head of a loop
        return TYPE.search(statement.partition("=")[0]) is None
    return True


def function_of(mutation):
    """Return the function that a mutation changes, and the number of its kind there."""
    return mutation.place.partition(",")[0]


def host_mutations(programs):
    """Yield the mutations of the host's part of each program."""
    for program in programs.values():
        source, _ = reachable(program.source, program.kernels())
        counted = Altered(source, options=OPTIONS, checks="none")
        program.run(counted)
        for kind, count in counted.counts.items():
            for number in range(count):
                yield Mutation(program.name, kind, f"of {NAMES[kind]} {number + 1}", source, source, number)


NAMES = {"grid": "launch", "shorter": "array", "memset": "array"}


class Altered(Gpu):
    """A simulated GPU whose host's part has a mutation.

    The kinds are ``grid``: a block more; ``shorter``: an array without its last element; ``memset``: memory that is not
    set to zero. Only the first launches count, as others repeat them.
    """

    def __init__(self, *arguments, kind="", number=-1, **settings):
        super().__init__(*arguments, **settings)
        self.kind, self.number = kind, number
        self.counts = {"grid": 0, "shorter": 0, "memset": 0}
        self._launched = {}
        self._shapes = {}

    def array(self, values):
        values = np.asarray(values)
        result = self._new(values.shape, values.dtype)
        part = values.reshape(result.shape) if result.size == values.size else values.ravel()[: result.size]
        result[...] = super().array(np.ascontiguousarray(part))
        return result

    def empty(self, shape, dtype):
        return self._new((shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype))

    def zeros(self, shape, dtype):
        result = self.empty(shape, dtype)
        if not self._is_it("memset"):
            result[...] = 0
        return result

    def launch(self, name, grid, block, *arguments, shared=0):
        if name not in self._launched:
            self._launched[name] = self._is_it("grid")
        x, *others = (grid,) if isinstance(grid, int) else grid
        super().launch(name, (x + self._launched[name], *others), block, *arguments, shared=shared)

    def numpy(self, array):
        """Return the values; those that a shorter array lacks are zero."""
        values = super().numpy(array)
        _, shape = self._shapes.get(id(array), (None, values.shape))
        return values if values.shape == shape else np.append(values, values.dtype.type(0)).reshape(shape)

    def _new(self, shape, dtype):
        size = int(np.prod(shape))
        result = self.allocate((size - 1,) if self._is_it("shorter") else shape, dtype)
        self._shapes[id(result)] = result, shape
        return result

    def allocate(self, shape, dtype):
        """Return memory that was not written."""
        return super().empty(shape, dtype)

    def _is_it(self, kind):
        """Count a place for a mutation; return whether it is the one."""
        self.counts[kind] += 1
        return kind == self.kind and self.counts[kind] - 1 == self.number
