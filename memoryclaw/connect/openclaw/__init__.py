"""OpenClaw: its configuration edited in place, its old notes as proposals."""
