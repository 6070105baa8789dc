"""Writes what the TypeScript client has of the served OpenAPI document: its types (`schema.ts`) and the address of each verb (`verbs.ts`).

`python scripts/typescript_client.py TOOLS` needs Node, and in the folder TOOLS what `npm install` of clients/typescript brings.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from memoryclaw.interfaces.http.server import document

SOURCES = Path(__file__).resolve().parent.parent / "clients/typescript/src"


def verbs() -> str:
    """The text of `verbs.ts`: method and path of each verb, and the digest of the document that the types were made of."""
    described = document()
    parts = json.dumps([described["paths"], described["components"]], sort_keys=True)
    digest = hashlib.sha256(parts.encode()).hexdigest()
    rows = [
        f"  {operation['operationId']}: {json.dumps([method.upper(), path])},"
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    ]
    table = "\n".join(rows)
    return f"// Written by scripts/typescript_client.py, as schema.ts is.\n// OpenAPI: {digest}\nexport const VERBS = {{\n{table}\n}} as const;\n"


def schema(tools: Path) -> str:
    """The text of `schema.ts`, as openapi-typescript makes it."""
    with tempfile.TemporaryDirectory(prefix="memoryclaw-") as folder:
        source, target = Path(folder) / "openapi.json", Path(folder) / "schema.ts"
        source.write_text(json.dumps(document()), encoding="utf-8")
        subprocess.run(
            [tools / "node_modules/.bin/openapi-typescript", source, "--output", target],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return target.read_text(encoding="utf-8")


if __name__ == "__main__":
    (SOURCES / "schema.ts").write_text(schema(Path(sys.argv[1])), encoding="utf-8")
    (SOURCES / "verbs.ts").write_text(verbs(), encoding="utf-8")
