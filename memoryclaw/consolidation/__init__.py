"""Logs become episodes, facts and drafts of skills: planned without writing, then applied commit by commit."""
