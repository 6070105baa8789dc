"""From raw logs to a change set: cut, understand, reconcile, mine. Pure: turns go in, planned changes come out."""
