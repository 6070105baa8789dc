"""What hosts with shell hooks hand over, and what their settings look like. Pure."""
