"""A question to a context: understood, looked up, ranked, explained and packed; and looking around without one."""
