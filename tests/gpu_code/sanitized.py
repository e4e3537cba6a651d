"""Run the copies with AddressSanitizer, whose runtime must be preloaded: an invalid access ends the process.

Two arguments plant a bug: the source text to replace, and its replacement.
"""

import sys

from accel.backends.cupy import launches

from . import copying
from .copying import check_copy
from .test_planted import CASES


def main(right="", wrong=""):
    copying.MARGIN = 0
    text = launches.module_source()
    assert right in text
    for case in CASES.values():
        check_copy(case, text.replace(right, wrong) if right else text, sanitizers=("address", "undefined"))


if __name__ == "__main__":
    main(*sys.argv[1:])
