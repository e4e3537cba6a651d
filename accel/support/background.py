"""`Background`: one thread that does what nobody waits for, such as compiling what later calls will use.

Work is done one piece after another. A fork waits until the piece that is being done has ended, so that the child has
no library in the middle of a change; so does the end of the process, since it unloads what the piece is using. Both
wait for some seconds at most. The thread ends when nothing is left to do.
"""

import atexit
import threading
from collections.abc import Callable, Hashable
from time import monotonic, sleep
from typing import Any

from accel.support.locks import start
from accel.support.system import at_fork

__all__ = ["BACKGROUND", "Background"]

_LONGEST = 10.0
"""Seconds that a fork and the end of the process wait."""

_LOOK = 0.01
"""Seconds between two looks of `Background.wait`."""


class Background:
    """Does work in another thread, each piece once.

    Attributes
    ----------
    results : dict
        What was made, by key; None of what failed.
    errors : dict
        Why, by key.
    closed : bool
        Whether the process ends, so that nothing begins any more.
    """

    def __init__(self) -> None:
        self.results: dict[Hashable, Any] = {}
        self.errors: dict[Hashable, BaseException] = {}
        self.closed: bool = False
        self._clear()

    def _clear(self) -> None:
        # Reentrant: a finaliser, a signal handler and a piece itself may submit more.
        self._lock = threading.RLock()
        self._working = threading.RLock()
        """Held while a piece is being done."""
        self._pieces: dict[Hashable, Callable[[], Any]] = {}
        self._thread: threading.Thread | None = None

    def submit(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what a function returned in the other thread; None until then, and if it failed.

        Never waits for the function. It is called once for each key.
        """
        if key in self.results:
            return self.results[key]
        with self._lock:
            if key not in self.results and not self.closed:
                self._pieces.setdefault(key, make)
                self._start()
        return None

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to do; tell whether it came to that."""
        end = monotonic() + seconds
        while self._pieces and not self.closed and monotonic() < end:
            with self._lock:
                self._start()
            sleep(_LOOK)
        return not self._pieces

    def _start(self) -> None:
        if self._thread is not None:
            return
        thread = self._thread = threading.Thread(target=self._serve, name="accel-background", daemon=True)
        try:
            start(thread)
        except RuntimeError:  # the next call tries again
            self._thread = None
        except BaseException:  # an interrupt; if the thread runs already, the next one finds that less is left to do
            self._thread = None
            raise

    def _serve(self) -> None:
        while (piece := self._next()) is not None:
            key, make = piece
            with self._working:
                if not self._is_over() and key in self._pieces:
                    self.results[key] = self._made(key, make)
                    with self._lock:
                        self._pieces.pop(key, None)

    def _next(self) -> tuple[Hashable, Callable[[], Any]] | None:
        """Return what is to be done next; None if this thread is to end."""
        with self._lock:
            if self._pieces and not self._is_over():
                return next(iter(self._pieces.items()))
            if self._thread is threading.current_thread():
                self._thread = None
            return None

    def _is_over(self) -> bool:
        return self.closed

    def _made(self, key: Hashable, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except BaseException as error:  # a broken library fails in any way; there is nobody to tell
            self.errors[key] = error.with_traceback(None)
            return None

    def close(self) -> None:
        """Begin nothing any more, and wait for what is being done."""
        self.closed = True
        self._working.acquire(timeout=_LONGEST)

    # Forks

    def before_fork(self) -> None:
        """Wait for what is being done, and let nothing begin."""
        self._working.acquire(timeout=_LONGEST)

    def after_fork(self) -> None:
        """Let work begin again in the process that forked."""
        if self._working._is_owned():  # type: ignore[attr-defined]
            self._working.release()

    def start_child(self) -> None:
        """Forget what was asked for: it is asked for again by calls that need it."""
        self._clear()


BACKGROUND = Background()
"""That of the process."""

atexit.register(BACKGROUND.close)
at_fork(before=BACKGROUND.before_fork, after_in_parent=BACKGROUND.after_fork, after_in_child=BACKGROUND.start_child)
