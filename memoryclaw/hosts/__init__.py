"""Hosts and other tools: hooks, transcripts and settings files of agents, what other memories export, and what is exported."""
