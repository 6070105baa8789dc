"""Other memory tools, each asked through its own code; `peers.py` runs them."""
