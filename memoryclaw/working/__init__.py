"""Working memory: the task, goal, plan and facts of a running session."""
