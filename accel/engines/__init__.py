"""Tasks on stores, and where they run."""
