"""Processes that end in the middle of work: each must end, with the output of its program only.

Run with ``--count`` and ``--first``, the seeds of the programs; prints each failure, and exits with 1 if there is any.
With ``--program SEED`` it runs one of these programs.
"""

import argparse
import gc
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

HUNG = 60  # seconds


class OwnError(Exception):
    """The error that a program raises at its end."""


def say(text):
    os.write(1, f"{text}\n".encode())  # unbuffered: another thread may hold the lock of a buffer at a fork


class Program:
    """A random mixture of work in progress, and a random end."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.kept = []

    def run(self):
        import accel

        self.accel = accel
        accel.configure(threads=2)
        # No import runs at a fork: Python's lock of the module would stay locked in the child.
        for device in ("cpu", "sim"):
            self.work(device)
            accel.xp.sum(accel.xp.arange(3, device=device) * 2 + 1)
        things = [
            self.cycles,
            self.cycles_on_sim,
            self.streaming,
            self.in_flight,
            self.in_flight_on_sim,
            self.failing_in_flight,
            self.threaded_copies,
            self.external,
            self.external_in_a_cycle,
            self.computing,
            self.fork,
            self.fork,
            self.stop,
        ]
        if self.rng.random() < 0.06:
            things = [self.first_compilation] * 4 + things
        for thing in self.rng.sample(things, self.rng.randint(1, 6)):
            thing()
            time.sleep(self.rng.choice((0, 0, 1e-4, 1e-3, 1e-2)))
        self.end()

    def end(self):
        end = self.rng.choice(("return", "return", "exit", "raise", "_exit", "thread"))
        if end == "exit":
            sys.exit(3)
        if end == "raise":
            raise OwnError
        if end == "_exit":
            say("left")
            os._exit(4)
        if end == "thread":  # which Python waits for
            threading.Thread(target=self.work, args=("cpu", time.monotonic() + 0.05)).start()

    # Work in progress.

    def thread(self, work, *arguments):
        def until_the_end():
            try:
                while True:
                    work(*arguments)
            except RuntimeError as error:  # the stream is closed, or no thread can be started at the end
                if "closed" not in str(error) and "thread" not in str(error):
                    raise

        threading.Thread(target=until_the_end, daemon=True).start()

    def work(self, device, until=0.0):
        accel, rng = self.accel, random.Random(1)
        while True:
            c = accel.full(rng.choice((10, 5000)), 7.0, device=device)
            d = c.share()
            kept = [d]
            kept.append(kept)
            c.deep_copy().to_numpy()
            c.release()
            if time.monotonic() > until:
                return

    def cycles(self):
        self.thread(self.work, "cpu")

    def cycles_on_sim(self):
        self.thread(self.work, "sim")

    def streaming(self):
        stream = self.accel.new_stream("cpu")
        a, b = (self.accel.full(self.rng.choice((100, 50_000)), 1, "uint8") for _ in range(2))
        b = self.accel.empty(a.size, "uint8")
        self.thread(lambda: b.copy_from_async(a, stream=stream))

    def later(self, device, size):
        source, target = (
            self.accel.full(size, 1, "uint8", device=device),
            self.accel.empty(size, "uint8", device=device),
        )
        stream = self.accel.new_stream(device)
        for _ in range(3):
            kept = stream, target.copy_from_async(source, stream=stream)
        if self.rng.random() < 0.5:
            self.kept += [source, target, kept]

    def in_flight(self):
        self.later("cpu", 20_000_000)

    def in_flight_on_sim(self):
        self.later("sim", 1_000_000)

    def failing_in_flight(self):
        stream = self.accel.new_stream("cpu")
        transfer = self.accel.empty(50_000).copy_from_async(self.accel.zeros(50_000), stream=stream)
        transfer.wait()
        self.kept.append((stream, transfer))

    def square(self):
        n = 1024
        accel = self.accel
        source, target = (accel.full(n * n, 1.0, "float32") for _ in range(2))
        rows, columns = (accel.Layout((n, n), strides) for strides in ((n, 1), (1, n)))
        return accel.LayoutTensor(target, columns), accel.LayoutTensor(source, rows)

    def threaded_copies(self):
        target, source = self.square()
        self.thread(target.copy_from, source)

    def first_compilation(self):
        os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(dir=os.environ["ENDS_FOLDER"])
        self.threaded_copies()

    def looking(self):
        import numpy as np

        array, pid = np.zeros(100), os.getpid()
        self.kept.append(array)
        say("external")
        return self.accel.HostStorage(
            array.ctypes.data, 100, "float64", deleter=lambda: os.getpid() == pid and say("deleted")
        )

    def external(self):
        self.kept.append(self.looking())

    def external_in_a_cycle(self):
        cycle = [self.looking()]
        cycle.append(cycle)

    def computing(self):
        xp = self.accel.xp
        x = xp.arange(1000, device=self.rng.choice(("cpu", "sim")))
        self.thread(lambda: xp.sum(x * 2 + 1))

    # Forks and signals.

    def fork(self):
        how = self.rng.choice(("exit", "_exit", "work", "return"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads are running on purpose
            child = os.fork()
        if child:
            threading.Thread(target=self.wait_for, args=(child,)).start()
            return
        if how == "_exit":
            os._exit(0)
        if how == "exit":
            sys.exit(0)
        if how == "work":
            self.work("cpu")
            a, b, stream = self.accel.full(50_000, 1.0), self.accel.empty(50_000), self.accel.new_stream("cpu")
            b.copy_from_async(a, stream=stream).wait()
            target, source = self.square()
            target.copy_from(source)
            gc.collect()
            if (b.to_numpy() != 1).any():
                say("WRONG in a child")
        sys.exit(0)

    def wait_for(self, child):
        say(f"child {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}")

    def stop(self):
        number, delay = self.rng.choice((signal.SIGINT, signal.SIGTERM)), self.rng.random() * 0.1
        if number == signal.SIGTERM and self.rng.random() < 0.7:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
        pid = os.getpid()

        def send():
            time.sleep(delay)
            if os.getpid() == pid:
                say(f"signal {int(number)}")
                os.kill(pid, number)

        threading.Thread(target=send, daemon=True).start()


def found_in(seed):
    """Run a program, and return what is wrong with its end."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "error", "-X", "faulthandler", __file__, "--program", str(seed)]
        started = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "ENDS_FOLDER": folder},
        )
        try:
            out, err = started.communicate(timeout=HUNG)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGABRT)  # whose traceback says where each thread was
            out, err = started.communicate()
            return [f"hangs: {out}\n{err}"]
    return [*judged(started.returncode, out.split("\n"), err)]


def judged(code, said, err):
    """Yield each failure: an exit code, that of a child, a traceback, a deleter that did not run."""
    signals = {int(line.split()[1]) for line in said if line.startswith("signal")}
    codes = {0, 1, 3, 5, *(4 for line in said if line == "left"), *(-number for number in signals)}
    if code not in codes:
        yield f"ended with {code}\n{err}"
    if any(line.startswith("WRONG") for line in said):
        yield str(said)
    yield from (f"a child ended with {line}" for line in said if line.startswith("child") and line != "child 0")
    own = ["OwnError", "SystemExit", *(["KeyboardInterrupt"] if signal.SIGINT in signals else [])]
    for report in err.split("Traceback (most recent call last):")[1:]:
        if not any(line.split(":")[0].split(".")[-1] in own for line in report.splitlines()):
            yield f"a traceback:\n{err}"
    if "Fatal Python error" in err:
        yield f"fatal:\n{err}"
    if code in (0, 1, 3) and not signals and said.count("deleted") != said.count("external"):
        yield f"deleters: {said}"


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--jobs", type=int, default=4)
    options.add_argument("--program", type=int)
    given = options.parse_args()
    if given.program is not None:
        Program(given.program).run()
        return
    seeds = range(given.first, given.first + given.count)
    with ThreadPoolExecutor(given.jobs) as pool:
        findings = {seed: result for seed, result in zip(seeds, pool.map(found_in, seeds), strict=True) if result}
    for seed, result in findings.items():
        sys.stdout.write("\n    ".join((f"program {seed}:", *result, "")) + "\n")
    sys.stdout.write(f"{given.count} processes, {len(findings)} that did not end well\n")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
