"""An MCP server by hand, over standard input and output: it starts at once, and fails, dies or falls silent when it is told to.

`python plaintools.py FILE`: every call is a line of FILE, so that a test sees what was really done.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

TEXT = {"type": "string"}
TOOLS = {
    "note": {"text": TEXT, "count": {"type": "integer"}},
    "email_api": {"to": TEXT, "subject": TEXT, "body": TEXT},
    "find": {"name": TEXT},
    "fail": {"text": TEXT},
    "die": {},
    "hang": {},
    "chatter": {},
}


def answer(method: str, params: dict[str, Any], book: Path) -> dict[str, Any] | None:
    """The result of one request; None where there is none, ever."""
    if method == "initialize":
        version = params["protocolVersion"]
        about = {"name": "plain", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [tool(name) for name in TOOLS]}
    return called(params["name"], params.get("arguments", {}), book)


def called(name: str, args: dict[str, Any], book: Path) -> dict[str, Any] | None:
    """What a tool does, and its result."""
    with book.open("a") as file:
        file.write(json.dumps([name, args]) + "\n")
    if name == "die":
        os._exit(3)
    if name == "hang":
        return None
    if name == "chatter":
        sys.stdout.write("Hello! This is no JSON.\n{}\n")
        sys.stderr.write("debug: hello\n")
        return {"content": []}
    if name == "fail":
        return {"content": [{"type": "text", "text": f"no: {args.get('text', '')}"}], "isError": True}
    if name == "find":
        result = {"id": 7, "mail": f"{args['name']}@example.com", "said": "$recipient {{recipient}}"}
        return {"content": [{"type": "text", "text": "found"}], "structuredContent": result}
    return {"content": [{"type": "text", "text": f"noted {args.get('text', args)}"}]}


def tool(name: str) -> dict[str, Any]:
    """How a tool is listed."""
    required = [key for key in TOOLS[name] if key != "count"]
    schema = {
        "type": "object", "properties": TOOLS[name], "required": required, "additionalProperties": False,
    }  # fmt: skip
    return {"name": name, "description": name, "inputSchema": schema}


def main() -> None:
    """Answers until standard input ends."""
    book = Path(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] in {"initialize", "tools/list", "tools/call"}:
            result = answer(request["method"], request.get("params", {}), book)
            if result is None:
                continue
            reply["result"] = result
        else:
            reply["error"] = {"code": -32601, "message": "no such method"}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
