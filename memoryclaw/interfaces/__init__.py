"""The doors: each parses what it is asked, calls the app and prints. None of them decides anything."""
