"""The positive controls: which mutations of the corpus do harm, and which of those the checks report.

python -m tests.cuda_on_sim.controls [--results FILE] [--only PROGRAM ...]

It takes an hour of one core, writes a line of JSON for each mutation to FILE, goes on where FILE ends, and then writes
docs/cuda_on_sim_controls.md.
"""

import argparse
import json
import os
import sys
from collections import Counter
from contextlib import suppress
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
INVALID, CRASH = "does not compile", "the process ended"
PATIENCE = 120  # seconds


def every_mutation(programs, only=()):
    """Return the mutations by name, of all programs or of some."""
    some = {name: each for name, each in programs.items() if not only or name in only}
    found = [*[each for each in source_mutations(programs) if each.program in some], *host_mutations(some)]
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


class Child:
    """A process that judges a mutation: what writes anywhere may end it."""

    def __init__(self, program, mutation):
        self.mutation = mutation
        self.reader, writer = get_context("fork").Pipe(duplex=False)
        self.process = get_context("fork").Process(target=self._judge, args=(program, writer))
        self.process.start()
        writer.close()

    def _judge(self, program, writer):
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        for stage in (reported, verdict):
            with suppress(KernelSyntaxError):
                writer.send(stage(program, self.mutation))

    def line(self):
        """Wait for it, and return what it found."""
        found = []
        with suppress(EOFError):
            while self.reader.poll(PATIENCE):
                found.append(self.reader.recv())
        self.process.kill()
        self.process.join()
        reports = found[0] if found else []
        harm = found[1] if len(found) > 1 else CRASH if found else INVALID
        return {"name": self.mutation.name, "kind": self.mutation.kind, "harm": harm, "reports": reports}


def run(results, only):
    """Append a line for each mutation that the file does not have yet."""
    programs, done = every_program(), {line["name"] for line in read(results)}
    wanted = [each for each in every_mutation(programs, only).values() if each.name not in done]
    cores = os.cpu_count()
    with results.open("a") as file:
        for first in range(0, len(wanted), cores):
            children = [Child(programs[each.program], each) for each in wanted[first : first + cores]]
            for child in children:
                print(json.dumps(child.line()), file=file, flush=True)
            print(f"\r{first} of {len(wanted)}", end="", flush=True)


def read(results):
    """Return the lines of a file of results."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=ROOT / ".controls.jsonl")
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    run(arguments.results, arguments.only)
