"""Working memory: what a running session is at."""
