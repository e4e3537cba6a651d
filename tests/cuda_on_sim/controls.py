"""The positive controls: which mutations of the corpus do harm, and which of those the checks report.

python -m tests.cuda_on_sim.controls [--results FILE] [--only PROGRAM ...]

It takes 20 minutes of one core, writes a line of JSON for each mutation to FILE, goes on where FILE ends, and then
writes docs/cuda_on_sim_controls.md.
"""

import argparse
import json
import os
import sys
from collections import Counter
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from accel.errors import KernelCheckError, KernelSyntaxError

from .corpus.cases import OPTIONS, every_program
from .judgements import JUDGED
from .mutations import Altered, host_mutations, source_mutations
from .oracle import ENDLESS, HARMLESS, ORDERS, verdict

__all__ = ["does_harm", "every_mutation", "page", "reported"]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/cuda_on_sim_controls.md"
TEMPLATE = Path(__file__).with_name("controls_page.md")
SEEDS = 3
INVALID, CRASH = "does not compile", "the process ended"
PATIENCE = 120  # seconds


def every_mutation(programs, only=()):
    """Return the mutations by name, of all programs or of some."""
    some = {name: each for name, each in programs.items() if not only or name in only}
    mutations = [*[each for each in source_mutations(programs) if each.program in some], *host_mutations(some)]
    return {mutation.name: mutation for mutation in mutations}


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
    """A forked process that runs functions: what writes anywhere may end it, and this one never uses the device."""

    def __init__(self, *functions):
        self.reader, writer = get_context("fork").Pipe(duplex=False)
        self.process = get_context("fork").Process(target=self._run, args=(functions, writer))
        self.process.start()
        writer.close()

    def _run(self, functions, writer):
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
        for function in functions:
            with suppress(KernelSyntaxError):
                writer.send(function())

    def results(self, patience=PATIENCE):
        """Wait for it, and return what the functions returned, up to the one that ended it.

        `patience` is how many seconds one function may take; None for no bound.
        """
        results = []
        with suppress(EOFError):
            while self.reader.poll(patience):
                results.append(self.reader.recv())
        self.process.kill()
        self.process.join()
        return results


def line_of(mutation, match):
    """Return what was found out about a mutation, as a line of the results."""
    reports = match[0] if match else []
    harm = match[1] if len(match) > 1 else CRASH if match else INVALID
    return {"name": mutation.name, "kind": mutation.kind, "harm": harm, "reports": reports}


def run(results, only):
    """Append a line for each mutation that the file does not have yet."""
    programs, done = every_program(), {line["name"] for line in read(results)}
    # It compiles each program that the cache does not have, which takes minutes after a change of the headers.
    [every] = Child(partial(every_mutation, programs, only)).results(patience=None)
    remaining = [each for each in every.values() if each.name not in done]
    cores = os.cpu_count()
    with results.open("a") as file:
        for first in range(0, len(remaining), cores):
            some = remaining[first : first + cores]
            children = [
                Child(partial(reported, programs[each.program], each), partial(verdict, programs[each.program], each))
                for each in some
            ]
            for mutation, child in zip(some, children, strict=True):
                file.write(json.dumps(line_of(mutation, child.results())) + "\n")
                file.flush()
            sys.stdout.write(f"\r{first} of {len(remaining)}")
            sys.stdout.flush()


def read(results):
    """Return the lines of a file of results."""
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def does_harm(line):
    """Return whether a mutation makes a race or a wrong access."""
    judged = JUDGED.get(line["name"])
    return judged.harm if judged else line["harm"] not in {HARMLESS, ENDLESS, INVALID}


def page(lines):
    """Return the page for the documentation."""
    compiled = [line for line in lines if line["harm"] != INVALID]
    harmful = [line for line in compiled if does_harm(line)]
    reported_ones = [line for line in harmful if line["reports"]]
    kinds = "\n".join(_row(kind, compiled) for kind in dict.fromkeys(line["kind"] for line in lines))
    missed = "\n".join(f"| {_code(line['name'])} | {_why(line)} |" for line in harmful if not line["reports"])
    unseen = [line for line in compiled if not does_harm(line) and line["reports"] and line["harm"] != ENDLESS]
    counts = Counter(kind for line in unseen for kind in line["reports"])
    judged = "\n".join(
        f"| {_code(name)} | {'yes' if each.harm else 'no'} | {each.why} |" for name, each in JUDGED.items()
    )
    return TEMPLATE.read_text(encoding="utf-8").format(
        programs=len(every_program()),
        made=len(compiled),
        harmful=len(harmful),
        reported=len(reported_ones),
        share=100 * len(reported_ones) / len(harmful),
        kinds=kinds,
        missed=missed,
        unseen=len(unseen),
        unseen_kinds=", ".join(f"{kind} ({count})" for kind, count in counts.most_common()),
        unseen_names="\n".join(f"- {_code(line['name'])}: {', '.join(line['reports'])}" for line in unseen),
        judged=judged,
        orders=ORDERS,
        seeds=SEEDS,
    )


def _row(kind, compiled):
    lines = [line for line in compiled if line["kind"] == kind]
    harmful = [line for line in lines if does_harm(line)]
    return f"| {KINDS[kind]} | {len(lines)} | {len(harmful)} | {sum(bool(line['reports']) for line in harmful)} |"


def _code(name):
    return f"`{name}`"


def _why(line):
    judged = JUDGED.get(line["name"])
    return judged.why if judged else MISSED.get(line["name"], line["harm"])


KINDS = {
    "barrier": "a barrier is deleted",
    "fence": "a fence is deleted",
    "bound": "a bound is loosened",
    "guard": "an `if` is removed",
    "early return": "an early return is removed",
    "first value": "the first value of a local variable is dropped",
    "first write": "a first write to memory is dropped",
    "grid": "a grid is a block larger",
    "shorter": "an array is an element shorter",
    "memset": "the host does not set memory to zero",
}
_LANE = "the value comes from a lane outside of the mask: undefined, but no check looks for it"
MISSED = {
    "halves_apart: bound 1 of halves_apart, line 66": _LANE,
    "halves_apart: bound 2 of halves_apart, line 68": _LANE,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=ROOT / ".controls.jsonl")
    parser.add_argument("--only", nargs="*", default=[], help="programs; the page is not written")
    arguments = parser.parse_args()
    run(arguments.results, arguments.only)
    if not arguments.only:
        PAGE.write_text(page(read(arguments.results)), encoding="utf-8")
