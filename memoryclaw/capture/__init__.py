"""Turns of any host, redacted and durable, in the logs; and what was thought of a memory, in the ledger."""
