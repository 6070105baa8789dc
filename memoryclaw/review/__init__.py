"""What waits for a person, what a person decides, undo, history and blame."""
