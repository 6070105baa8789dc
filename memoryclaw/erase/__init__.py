"""Erasing for good: what goes, what becomes of each file and of what it once was, git's history, and the search for what is left."""
