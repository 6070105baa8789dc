"""Review: what waits for a person, and what a person decided of it. Each decision is one commit, and is remembered."""
