"""Many vaults on one PostgreSQL server: nodes, which of them is the home of a vault, tokens, quotas, jobs."""
