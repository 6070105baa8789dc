"""How things are done: skills listed, linted, matched, approved, offered to hosts and run."""
