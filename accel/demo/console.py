"""`DemoConsole`: where the demos print, and `announce`, for output without progress bars."""

from rich.console import Console

__all__ = ["DemoConsole", "announce"]


class DemoConsole(Console):
    """A console that goes on when its reader leaves."""

    def on_broken_pipe(self) -> None:
        """Continue, to write the files; rich would exit with 1, which here means that results differ."""


def announce(console: Console, step: str, verb: str = "Computing") -> None:
    """Print a step before it runs, unless the console is a terminal, which shows a progress bar."""
    if not console.is_terminal:
        console.print(f"{verb}: {step}", markup=False, highlight=False, soft_wrap=True)
