"""The verbs that take time."""
