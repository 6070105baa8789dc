"""How a change reaches the vault: a patch of each file, the writer with its commit, and the verbs that write."""
