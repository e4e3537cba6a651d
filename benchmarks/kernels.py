"""Kernels on the host, against numba, NumPy, Quadrants and memcpy: launches, loops, debug mode, the first call.

python benchmarks/kernels.py [--quick] [PART ...]

The parts are streams, threads, debug, first, launch, loops, sum and stencil; all of them by default. Quadrants is
measured if it is installed. Each goal says what was found, and how it was met or missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import kernel_rivals as rivals
import numpy as np
from kernel_loops import kernels
from timing import medians, report

import accel
from accel import LayoutTensor
from accel.layout import row_major

Results = Mapping[str, Any]
ONE = np.float32(1)


class Sizes(SimpleNamespace):
    """How much is measured."""

    @classmethod
    def of(cls, *, quick: bool) -> "Sizes":
        """Return the sizes of a full run, or of one that only shows that everything works."""
        if quick:
            return cls(launches=100, rounds=3, loops=(10**4, 10**6), sum=10**6, edge=512, work=10**7, processes=1)
        return cls(
            launches=5000, rounds=15, loops=(10**5, 10**6, 3 * 10**7), sum=3 * 10**7, edge=4096, work=10**8, processes=7
        )


def goal(result: float, most: float, unit: str = "") -> str:
    """Say whether what was found is at most as much as the goal."""
    verdict = "met" if result <= most else "MISSED"
    return f"{verdict}: {result:.3g}{unit}, at most {most:.3g}{unit}"


def microseconds(named: Mapping[str, Callable[[], object] | None], *, number: int, rounds: int) -> dict[str, float]:
    """Return the medians of those that exist."""
    times = medians({name: call for name, call in named.items() if call}, number=number, rounds=rounds, pause=0.005)
    return {name: round(time / 1e3, 3) for name, time in times.items()}


class Bench:
    """The loops of all rivals, and the sizes."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.ours, self.checked = kernels(), kernels(debug=True)
        self.numba = rivals.numba_loops()

    @cached_property
    def quadrants(self) -> Any:
        """The loops of Quadrants, or None. Its threads disturb others, so it starts where it is first measured."""
        return rivals.quadrants_loops()

    def by_quadrants(
        self, name: str, *arrays: np.ndarray, numbers: tuple[Any, ...] = ()
    ) -> Callable[[], object] | None:
        """Return a call of a loop of Quadrants, on views of arrays of its own."""
        if self.quadrants is None:
            return None
        views = [self.quadrants.array(each)[:] for each in arrays]
        return partial(getattr(self.quadrants, name), *views, *numbers)

    def launch(self) -> Results:
        """The time of a launch of a warm kernel, on 16 elements."""
        data, array, scale, theirs = accel.zeros(64, "float32"), np.zeros(16, "float32"), self.ours.scale, None
        view, quadrants = data[:16], self.quadrants
        if quadrants is not None:
            owned = quadrants.array(np.zeros(64, "float32"))
            theirs = owned[:16]
        named = {
            "accel": lambda: scale(view, 2.0),
            "accel, fresh slice": lambda: scale(data[:16], 2.0),
            "numba, parallel": lambda: self.numba.scale(array, ONE),
            "numba, serial": lambda: self.numba.serial_scale(array, ONE),
            "numpy": lambda: np.multiply(array, ONE, out=array),
            "quadrants": quadrants and (lambda: quadrants.scale(theirs, 2.0)),
            "quadrants, fresh slice": quadrants and (lambda: quadrants.scale(owned[:16], 2.0)),
        }
        times = microseconds(named, number=self.sizes.launches, rounds=self.sizes.rounds)
        more = times["accel, fresh slice"] - times["accel"]
        return {
            "us": times,
            "goals": {"launch": goal(times["accel"], 4, " us"), "a fresh slice more": goal(more, 1.5, " us")},
        }

    def loops(self) -> Results:
        """Scale and saxpy of several sizes."""
        return {f"{size:.0e}": self._loops_of(size) for size in self.sizes.loops}

    def _loops_of(self, size: int) -> Results:
        x, y = np.random.default_rng(0).random((2, size), "float32")
        ours, theirs = [accel.container(each)[:] for each in (x, y)], [x.copy(), y.copy()]
        target = np.empty_like(x)
        into, out_of = (accel.zeros(size, "float32") for _ in range(2))
        named = {
            "scale": {
                "accel": lambda: self.ours.scale(ours[0], 1.0),
                "numba": lambda: self.numba.scale(theirs[0], ONE),
                "numpy": lambda: np.multiply(x, ONE, out=x),
                "quadrants": self.by_quadrants("scale", x, numbers=(1.0,)),
            },
            "saxpy": {
                "accel": lambda: self.ours.saxpy(ours[1], ours[0], 1e-6),
                "numba": lambda: self.numba.saxpy(theirs[1], theirs[0], np.float32(1e-6)),
                "numpy": lambda: np.add(np.multiply(x, np.float32(1e-6), out=target), y, out=y),
                "quadrants": self.by_quadrants("saxpy", y, x, numbers=(1e-6,)),
            },
        }
        number = max(1, 3 * 10**7 // size // 2)
        times = {name: microseconds(each, number=number, rounds=self.sizes.rounds) for name, each in named.items()}
        copies = {"memcpy": lambda: rivals.memcpy(target, x), "two threads": lambda: into.copy_from(out_of)}
        assert np.array_equal(ours[0].to_numpy(), theirs[0])
        np.testing.assert_allclose(ours[1].to_numpy(), theirs[1], rtol=1e-3)
        return {name: {"us": each, "goals": self._loop_goals(each, size)} for name, each in times.items()} | {
            "copy of one array, us": microseconds(copies, number=number, rounds=self.sizes.rounds)
        }

    def _loop_goals(self, result: Mapping[str, float], size: int) -> Results:
        goals = {"times numba": goal(result["accel"] / result["numba"], 1.1)}
        if size == 10**6 and "quadrants" in result:
            goals["times Quadrants"] = goal(result["accel"] / result["quadrants"], 1 / 5)
        return goals

    def sum(self) -> Results:
        """The sum of many float32, and its relative error."""
        x = np.random.default_rng(0).random(self.sizes.sum, "float32")
        view, exact = accel.container(x)[:], float(np.sum(x, dtype="float64"))
        named = {
            "accel": lambda: self.ours.total(view),
            "np.sum": lambda: np.sum(x),
            "numba": lambda: self.numba.total(x),
            "numba, reassociated": lambda: self.numba.reassociated_total(x),
            "quadrants": self.by_quadrants("total", x),
        }
        times = microseconds(named, number=1, rounds=self.sizes.rounds)
        errors = {name: abs(float(named[name]()) - exact) / exact for name in times}
        return {
            "us": times,
            "relative errors": errors,
            "goals": {
                "error": goal(errors["accel"], 1e-7),
                "times np.sum": goal(times["accel"] / times["np.sum"], 0.8),
            },
        }

    def stencil(self) -> Results:
        """A five-point stencil on a square LayoutTensor."""
        edge = self.sizes.edge
        x = np.random.default_rng(0).random((edge, edge), "float32")
        ours = [LayoutTensor(accel.container(each.ravel()), row_major(edge, edge)) for each in (x * 0, x)]
        out, target = np.zeros_like(x), np.zeros_like(x)
        quadrants = self.quadrants
        arrays = [quadrants.array(each) for each in (out, x)] if quadrants else []
        named = {
            "accel": lambda: self.ours.stencil(*ours),
            "numba": lambda: self.numba.stencil(out, x),
            "numpy": lambda: rivals.numpy_stencil(target, x),
            "quadrants": quadrants and (lambda: quadrants.stencil(*arrays)),
        }
        times = microseconds(named, number=1, rounds=self.sizes.rounds)
        np.testing.assert_allclose(ours[0].to_numpy(), out, rtol=1e-6)
        return {"us": times, "goals": {"times numba": goal(times["accel"] / times["numba"], 1.1)}}

    def debug(self) -> Results:
        """The time of debug mode, as a multiple of the time without."""
        size, edge = 10**6, self.sizes.edge
        x, y = (accel.full(size, 1.0, "float32")[:] for _ in range(2))
        out, into = (LayoutTensor(accel.zeros(edge * edge, "float32"), row_major(edge, edge)) for _ in range(2))
        calls = {"scale": (x, 1.0), "saxpy": (y, x, 1e-9), "total": (x,), "stencil": (out, into)}
        results = {}
        for name, arguments in calls.items():
            named = {each: partial(getattr(loops, name), *arguments) for each, loops in self._modes().items()}
            number = 1 if name == "stencil" else 30
            results[name] = microseconds(named, number=number, rounds=self.sizes.rounds)
        goals = {name: goal(each["debug"] / each["release"], 2) for name, each in results.items()}
        return {"us": results, "goals": goals}

    def _modes(self) -> Mapping[str, SimpleNamespace]:
        return {"release": self.ours, "debug": self.checked}

    def streams(self) -> Results:
        """Launches on several streams at once, beside the same launches one after another."""
        count, size = 4, 10**6
        views = [accel.zeros(size, "float32")[:] for _ in range(count)]
        streams = [accel.new_stream("cpu") for _ in range(count)]
        launches = self.sizes.work // size

        def at_once() -> None:
            events = [
                self.ours.add.on(stream)(v, 1.0)
                for _ in range(launches)
                for stream, v in zip(streams, views, strict=True)
            ]
            for event in events:
                event.wait()

        def in_turn() -> None:
            for _ in range(launches):
                for view in views:
                    self.ours.add(view, 1.0)

        times = {"streams": [], "in turn": []}
        for _ in range(self.sizes.rounds):
            for name, run in (("streams", at_once), ("in turn", in_turn)):
                start = perf_counter()
                run()
                times[name].append((perf_counter() - start) / launches / count * 1e6)
        assert all((view.to_numpy() == 2 * self.sizes.rounds * launches).all() for view in views)
        return {"us a launch": {name: round(median(each), 2) for name, each in times.items()}}

    def threads(self) -> Results:
        """Launches by several threads at once, each on memory of its own: launches a second."""
        results = {}
        self._launched(1, 16, 1)  # compiles
        for size in (16, 10**5, 10**6):
            number = max(self.sizes.launches * 1000 // (size + 1000), self.sizes.launches // 10)
            results[f"{size} elements"] = {
                f"{count} threads": self._launched(count, size, number) for count in (1, 2, 4)
            }
        return {"launches a second": results}

    def _launched(self, count: int, size: int, number: int) -> float:
        views = [accel.zeros(size, "float32")[:] for _ in range(count)]
        barrier = threading.Barrier(count + 1)

        def run(view: Any) -> None:
            barrier.wait()
            for _ in range(number):
                self.ours.add(view, 1.0)

        workers = [threading.Thread(target=run, args=(view,)) for view in views]
        for worker in workers:
            worker.start()
        barrier.wait()
        start = perf_counter()
        for worker in workers:
            worker.join()
        seconds = perf_counter() - start
        assert all((view.to_numpy() == number).all() for view in views)
        return round(count * number / seconds)

    def first(self) -> Results:
        """The first call in a fresh process, with an empty cache on the disk and with a full one."""
        scripts = rivals.first_calls(with_quadrants=rivals.has_quadrants())
        result = {name: self._first(script) for name, script in scripts.items()}
        goals = {
            "cold, with imports": goal(result["accel"]["cold"]["imports"] + result["accel"]["cold"]["call"], 0.7, " s"),
            "warm, with imports": goal(result["accel"]["warm"]["imports"] + result["accel"]["warm"]["call"], 0.3, " s"),
        }
        return {"seconds": result, "goals": goals}

    def _first(self, script: str) -> Results:
        times: dict[str, list[Mapping[str, float]]] = {"cold": [], "warm": []}
        for _ in range(self.sizes.processes):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "first.py").write_text(script)
                for each in times.values():
                    each.append(_in_a_process(folder))
        return {
            name: {part: round(median(one[part] for one in result), 3) for part in result[0]}
            for name, result in times.items()
        }


def _in_a_process(folder: str) -> Mapping[str, float]:
    caches = {"ACCEL_CACHE_DIR": f"{folder}/caches/accel", "NUMBA_CACHE_DIR": f"{folder}/caches/numba"}
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, f"{folder}/first.py"],
        cwd=folder,
        env=os.environ | caches,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1]) | {"process": perf_counter() - start}


PARTS = ("streams", "threads", "debug", "first", "launch", "loops", "sum", "stencil")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds, for a look")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    given = parser.parse_args()
    unknown = {*given.parts} - {*PARTS}
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; the parts are {', '.join(PARTS)}")
    bench = Bench(Sizes.of(quick=given.quick))
    absent = {} if rivals.has_quadrants() else {"quadrants": "not installed"}
    report("kernels", absent | {name: getattr(bench, name)() for name in given.parts or PARTS})


if __name__ == "__main__":
    main()
