"""``python -m accel``: the command line."""

from accel.commands.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
