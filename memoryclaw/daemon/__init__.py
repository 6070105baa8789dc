"""One daemon for each vault: how it is found, started, scheduled and ended."""
