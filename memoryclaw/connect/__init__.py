"""Hosts and other programs: settings, hooks and transcripts of agents, what other memories and logs hold, and what is exported."""

CLAUDE_CODE, PLAIN = "claude-code", "plain"  # hosts that run hooks
HOSTS = (CLAUDE_CODE, PLAIN)
