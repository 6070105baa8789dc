"""Text by itself: bytes and encodings, Markdown, YAML, words, dates, tokens, merging, redaction. Pure."""
