"""The words of memory that all kernels of a process share, and those by which a launch is stopped."""

import ctypes
from enum import IntEnum

from .immortal import immortal

__all__ = ["ASK", "NO_MEMORY", "STOPPED", "Word", "at", "words"]

NO_MEMORY, STOPPED, ASK = -1, -2, -3
"""Values of the word of a launch, besides 0 and the number of a site after 1: why it stops, or that its thread is asked
to look for signals."""


class Word(IntEnum):
    """Where each word is: in words of 8 bytes."""

    ENDS = 0  # whether the process ends
    RUNNING = 1  # how many launches run without Python's lock
    FORKS = 2  # between the first process and this one
    MARK = 3  # the key of the threads' marks: the name of the kernel in which a thread is
    MAIN = 4  # the main thread
    THREAD = 5  # what Python gave for its lock in the watched launch
    WATCHED = 6  # the address of the word of the launch that is watched
    SERIAL = 7  # changes with the watched launch
    WATCHER = 8  # 0 if there is none, 1 while it sleeps, 2 while it watches
    SAID = 9  # whether a fault was reported
    LOCK = 16  # of these four
    CONDITION = 24  # for which the watcher waits


_COUNT = 32
words = immortal((ctypes.c_int64 * _COUNT)())


def at(word: Word) -> str:
    """Return the address of a word, in LLVM's language."""
    return f"getelementptr (i64, ptr @process.words, i64 {int(word)})"
