"""Mutations whose harm was judged by reading, as the oracle cannot see it, with the reason."""

JUDGED = {}
