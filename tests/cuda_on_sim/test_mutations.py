"""The positive controls: mutations of the corpus that make a race or a wrong access are reported.

All of them run by `python -m tests.cuda_on_sim.controls`; here a few of each kind.
"""

import pytest

from ..tables import rows
from .controls import does_harm, every_mutation, reported
from .corpus.cases import every_program
from .judgements import JUDGED
from .mutations import functions, reachable

PROGRAMS = every_program()
SOME = {
    "tree_sum: barrier 1 of tree_sum, line 8": "race: race",
    "tree_sum: barrier 2 of tree_sum, line 11": "race: race",
    "tree_sum: bound 1 of tree_sum, line 7": "memory: out of bounds",
    "tree_sum: guard 1 of tree_sum, line 10": "memory: index out of bounds",
    "tree_sum: grid of launch 1": "memory: out of bounds",
    "tree_sum: shorter of array 1": "memory: out of bounds",
    "saxpy: guard 1 of saxpy, line 5": "memory: out of bounds",
    "mandelbrot: early return 1 of mandelbrot, line 36": "memory: out of bounds",
    "atomic_sum: first write 1 of atomic_sum, line 56": "init: read of memory that was never written",
    "atomic_sum: memset of array 1": "init: read of memory that was never written",
    "shuffle_sum: first value 1 of shuffle_sum, line 48": "init: read of memory that was never written",
    "last_block_sum: fence 1 of last_block_sum, line 74": "race: race",
    "dft: bound 2 of dft, line 17": "memory: out of bounds",
    "stencil: barrier 1 of stencil, line 14": "race: race",
    "sort_in_warp: grid of launch 1": "memory: out of bounds",
    "transpose_in_warp: barrier 1 of transpose_in_warp, line 79": "race: race",
}


@pytest.fixture(scope="module")
def mutations():
    return every_mutation(PROGRAMS, {name.partition(":")[0] for name in SOME})


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_a_mutation_that_does_harm_is_reported(mutations, name):
    mutation = mutations[name]
    assert SOME[name] in reported(PROGRAMS[mutation.program], mutation, seeds=1)


@pytest.mark.slow
def test_what_was_judged_exists():
    names = every_mutation(PROGRAMS, {name.partition(":")[0] for name in JUDGED})
    assert set(JUDGED) <= set(names)


def test_a_judgement_overrules_the_oracle():
    assert not does_harm({"name": "five_points: memset of array 1", "harm": "the results differ"})
    assert does_harm({"name": "spin_lock: fence 1 of spin_lock, line 9", "harm": ""})
    assert does_harm({"name": "another", "harm": "the results differ"})


@rows("program", PROGRAMS.values(), ids=lambda program: program.name)
def test_the_functions_that_a_program_uses_keep_their_lines(program):
    source, used = reachable(program.source, program.kernels())
    lines, reduced = program.source.splitlines(), source.splitlines()
    assert (
        {*program.kernels()}
        <= {function.name for function in used}
        <= {each.name for each in functions(program.source)}
    )
    for function in used:
        assert lines[function.first : function.last] == reduced[function.first : function.last]
