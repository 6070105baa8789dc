"""All addresses below /v1, in the order in which they are tried; the served document and docs/http.md are made from this table."""

from __future__ import annotations

from memoryclaw.doors.http import asking, keeping, looking, nights, reviewing, skills, working, writing
from memoryclaw.doors.http.table import Row

SUBJECTS: dict[str, tuple[Row, ...]] = {
    "Ask": asking.ROWS,
    "Look": looking.ROWS,
    "Write": writing.ROWS,
    "Log": nights.ROWS,
    "Review": reviewing.ROWS,
    "Skills": skills.ROWS,
    "Session": working.ROWS,
    "Keep": keeping.ROWS,
}
ROWS = tuple(row for rows in SUBJECTS.values() for row in rows)
OPEN = ("/healthz", "/readyz", "/openapi.json")  # these need no token
