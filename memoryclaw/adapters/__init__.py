"""One module per outside thing: files, index, git, watcher, templates."""
