"""The positive controls: which mutations of the corpus do harm, and which of those the checks report.

python -m tests.cuda_on_sim.controls [--results FILE] [--only PROGRAM ...]

It takes an hour of one core, writes a line of JSON for each mutation to FILE, goes on where FILE ends, and then writes
docs/cuda_on_sim_controls.md.
"""

import argparse
import json
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from accel.errors import KernelCheckError, KernelSyntaxError

from .corpus.cases import OPTIONS, every_program
from .judged import JUDGED
from .mutations import Altered, host_mutations, source_mutations
from .oracle import ENDLESS, HARMLESS, verdict

__all__ = ["every_mutation", "reported"]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/cuda_on_sim_controls.md"
SEEDS = 3
INVALID = "does not compile"


def every_mutation(programs):
    """Return the mutations by name."""
    found = [*source_mutations(programs), *host_mutations(programs)]
    return {mutation.name: mutation for mutation in found}


def reported(program, mutation, seeds=SEEDS, warp=32):
    """Return the kinds of the reports for a mutation, of the first order that has any."""
    kind = mutation.kind if mutation.number >= 0 else ""
    for seed in range(seeds):
        gpu = Altered(
            mutation.source, seed=seed, warp=warp, kind=kind, number=mutation.number, options=OPTIONS, limit=5
        )
        try:
            program.run(gpu)
        except KernelCheckError as error:
            return sorted({f"{report.check}: {report.kind}" for report in error.reports})
        except (AssertionError, IndexError, ValueError, OverflowError):
            continue  # a wrong result is no report
    return []


def judge(name):
    """Return what is found out about a mutation, as a line of the results."""
    programs = every_program()
    mutation = _mutations()[name]
    program = programs[mutation.program]
    try:
        return {"name": name, "kind": mutation.kind, "harm": verdict(program, mutation), "reports": reported(program, mutation)}
    except KernelSyntaxError:
        return {"name": name, "kind": mutation.kind, "harm": INVALID, "reports": []}


_known = {}


def _mutations():
    if not _known:
        _known.update(every_mutation(every_program()))
    return _known


def run(results, only):
    """Append a line for each mutation that the file does not have yet."""
    done = {line["name"] for line in read(results)}
    wanted = [name for name in _mutations() if name not in done and (not only or name.partition(":")[0] in only)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork")) as pool, results.open("a") as file:
        for number, line in enumerate(pool.map(judge, wanted)):
            print(json.dumps(line), file=file, flush=True)
            print(f"\r{number + 1} of {len(wanted)}", end="", flush=True)


def read(results):
    """Return the lines of a file of results."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=ROOT / ".controls.jsonl")
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    run(arguments.results, arguments.only)
