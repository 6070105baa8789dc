"""Zones of time: a moment as the clock on somebody's wall shows it. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache

from memoryclaw import late

_OFFSET = late.pattern(r"([+-])(\d\d):?([0-5]\d)")
_OWN = late.pattern(r"T\d[\d:.,]*+ ?([+-]\d\d:?\d\d)$", re.IGNORECASE)


@lru_cache(maxsize=64)
def zone_of(name: str) -> tzinfo | None:
    """The zone with an IANA name (`Europe/Berlin`) or an offset (`-08:00`); None where there is none."""
    if hit := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(hit[2]), minutes=int(hit[3]))
        return timezone(-offset if hit[1] == "-" else offset) if offset < timedelta(hours=24) else None
    if not name:
        return None
    try:
        return late.zoneinfo.ZoneInfo(name)  # most vaults name none, and most turns an offset
    except (ValueError, OSError, LookupError):  # a file system takes offence at some names
        return None


def own_offset(ts: str) -> str:
    """The offset that a time names itself; `Z` and `+00:00` are what machines write, and say nothing of where somebody is."""
    hit = _OWN.search(ts.strip().replace(" ", "T", 1))
    return f"{hit[1][:3]}:{hit[1][-2:]}" if hit and hit[1].strip("+-0:") else ""


def instant(ts: str) -> datetime:
    """A time as a moment that can be compared with others; UTC where it names no zone, and before all others where there is none."""
    moment = datetime.fromisoformat(ts or "0001-01-01")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def offset_at(ts: str, zone: tzinfo | None) -> str:
    """The offset of a zone at a moment in UTC; empty where it is none."""
    if zone is None or "T" not in ts:
        return ""
    try:
        offset = datetime.fromisoformat(ts).astimezone(zone).strftime("%z")
    except (ValueError, OverflowError):
        return ""
    return f"{offset[:3]}:{offset[3:5]}" if offset.strip("+-0") else ""


def local(ts: str, zone: str) -> str:
    """A moment in UTC with the day and hour of a zone, such as `2026-11-24T20:30:00-08:00`; as it is where there is none."""
    place = zone_of(zone)
    if not offset_at(ts, place):
        return ts
    return datetime.fromisoformat(ts).astimezone(place).isoformat(timespec="seconds")
