"""Skills: listed, linted, matched, approved, offered to hosts and run."""
