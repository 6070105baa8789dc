"""A synthetic set of memories and questions with the traps that recall falls into; `benchmarks/traps.py` runs it."""
