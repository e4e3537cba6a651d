"""Engines: where tasks run."""
