"""CLI, HTTP and MCP: each parses a request, calls the app and prints. None of them decides anything."""
