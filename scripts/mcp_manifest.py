"""Prints docs/reference/mcp-manifest.json: all that an MCP client may rely on, as the server lists it.

`python scripts/mcp_manifest.py > docs/reference/mcp-manifest.json` writes it anew; tests/interfaces/test_mcp_manifest.py fails when it is out
of date, and holds its digest, so that no tool changes unnoticed.
"""

from __future__ import annotations

import json
import sys

from memoryclaw.interfaces.mcp.server import INSTRUCTIONS, PROMPT, TEMPLATE, tools

LISTED = {"tools": tools(), "resourceTemplates": [TEMPLATE], "prompts": [PROMPT]}

if __name__ == "__main__":
    manifest = {
        "instructions": INSTRUCTIONS,
        **{
            kind: [value.model_dump(mode="json", by_alias=True, exclude_none=True) for value in values]
            for kind, values in LISTED.items()
        },
    }
    sys.stdout.write(json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
