"""What hosts with shell hooks ask for: a context before a prompt, the turns after it, and their settings."""
