"""Hosts with shell hooks: their transcripts, answers and settings files."""
