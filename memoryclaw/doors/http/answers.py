"""What goes back over the wire: JSON in UTF-8, never kept by a cache, never guessed at by a browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from memoryclaw.doors.http.refusals import Refusal

_ALWAYS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def answer(shape: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """One answer."""
    try:
        data = json.dumps(shape, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character in a file: JSON can say it, UTF-8 cannot
        data = json.dumps(shape).encode()
    return Response(data, status, {**_ALWAYS, **(headers or {})}, "application/json")


def refused(refusal: Refusal) -> Response:
    """One answer that is a failure."""
    return answer(refusal.shape, refusal.status, refusal.headers)
