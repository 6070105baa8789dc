"""Git by plumbing: commits that hold one change and nothing else, the journal of a change, the log read back."""
