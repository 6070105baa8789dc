"""Hosts and other tools: hooks, transcripts and settings files of agents, what other memories export, and what is exported."""

CLAUDE_CODE, PLAIN = "claude-code", "plain"  # hosts that run hooks
HOSTS = (CLAUDE_CODE, PLAIN)
