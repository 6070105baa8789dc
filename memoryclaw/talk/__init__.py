"""What people said, as candidates that explain themselves: own words → corrections → clauses → statements."""
