"""The Model Context Protocol: tools, resources and a prompt over the official SDK; docs/reference/mcp.md describes it."""
