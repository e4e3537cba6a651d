"""The puzzles of the guide as data, for the page in the browser."""

import re
from pathlib import Path

__all__ = ["puzzles"]

_PUZZLE = re.compile(r"^## (\d+\. .+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CHECK = re.compile(r"def (check_(\w+))\(")


def puzzles(page: Path) -> list[dict[str, str]]:
    """Return title, task, check, call and stub of each puzzle, and the Python that comes before all of them."""
    text = page.read_text("utf-8")
    [head, *_] = _BLOCK.findall(text)
    return [_puzzle(title, body, head) for title, body in _PUZZLE.findall(text)]


def _puzzle(title: str, body: str, head: str) -> dict[str, str]:
    check, *_, solution = _BLOCK.findall(body)
    [(name, kernel)] = _CHECK.findall(check)
    task = re.sub(r"\s+", " ", body.partition("```")[0]).strip()
    return {
        "title": title,
        "task": task,
        "head": head,
        "check": check,
        "stub": _stub(solution),
        "call": f'{name}({kernel}, "sim", 16)\n',
        "solution": solution,
    }


def _stub(solution: str) -> str:
    """Return the kernel of a solution without its body."""
    return solution[solution.index("@kernel") :].partition(":\n")[0] + ":\n    ...\n"
