"""Text of users for terminals and files of lines."""

__all__ = ["printable"]


def printable(text: str, kept: str = "") -> str:
    """Return a text in which a mark stands for each character that controls a terminal, or ends a line.

    Parameters
    ----------
    text : str
        The text.
    kept : str
        Characters that stay.
    """
    return "".join([each if each.isprintable() or each in kept else "\ufffd" for each in text])
