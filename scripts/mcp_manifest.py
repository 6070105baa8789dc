"""Prints docs/reference/mcp-manifest.json: all that an MCP client may rely on, as the server lists it.

`python scripts/mcp_manifest.py > docs/reference/mcp-manifest.json` writes it anew; tests/interfaces/test_mcp_manifest.py fails when it is out
of date, and holds its digest, so that no tool changes unnoticed.
"""

from __future__ import annotations

import json
import sys

from memoryclaw.interfaces.mcp.server import manifest

if __name__ == "__main__":
    sys.stdout.write(json.dumps(manifest(), ensure_ascii=False, indent=2, sort_keys=True) + "\n")
