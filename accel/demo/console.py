"""`DemoConsole`: where the demos print."""

from rich.console import Console

__all__ = ["DemoConsole"]


class DemoConsole(Console):
    """A console that goes on when its reader leaves."""

    def on_broken_pipe(self) -> None:
        """Continue, to write the files; rich would exit with 1, which here means that results differ."""
