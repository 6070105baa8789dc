"""Text without files: encodings, Markdown, YAML, words, dates, tokens, merging and redaction."""
