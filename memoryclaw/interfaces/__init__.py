"""CLI, HTTP, MCP and the page: each parses a request, calls the app and prints. None of them decides anything."""
