"""The vault's own state: status, doctor and sync."""

from __future__ import annotations

from memoryclaw.app import App
from memoryclaw.doors import shapes
from memoryclaw.doors.http.asked import Asked
from memoryclaw.doors.http.lanes import LONG
from memoryclaw.doors.http.table import Row, Shape


def status(app: App, _name: str, _asked: Asked) -> Shape:
    """How the vault stands."""
    return shapes.status(app.status())


def doctor(app: App, _name: str, _asked: Asked) -> Shape:
    """Every check of the vault's health."""
    return shapes.doctor(app.doctor())


def sync(app: App, _name: str, _asked: Asked) -> Shape:
    """Brings the index in line with the files."""
    return shapes.synced(app.sync())


ROWS = (
    Row("GET", "/v1/status", status, "How the vault stands.", like="status"),
    Row("GET", "/v1/doctor", doctor, "Checks the vault's health; repairs nothing.", lane=LONG, like="doctor"),
    Row("POST", "/v1/sync", sync, "Brings the index in line with the files.", lane=LONG, like="sync"),
)
