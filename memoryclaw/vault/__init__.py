"""The vault: which files it holds, what stands in a note, a fact, a log line, and how each is read and patched."""
