"""HTTP on loopback: JSON in, JSON out, the same answers as the command line's `--json`; docs/reference/http.md describes it."""
