"""OpenClaw as a host: its configuration, and the notes that it kept before us."""
