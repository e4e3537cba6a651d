"""From addresses of instructions to functions and lines of the source."""
