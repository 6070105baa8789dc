"""OpenClaw's files as text: its configuration and its notes. Pure, like everything in `core`."""
