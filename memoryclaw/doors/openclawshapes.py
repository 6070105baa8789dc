"""The JSON of `openclaw`: what was or would be written, how things stand, and what an import proposes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryclaw.jobs.openclaw.importing import Brought
    from memoryclaw.jobs.openclaw.setup import Changed
    from memoryclaw.jobs.openclaw.standing import Standing


def changed(done: Changed) -> dict[str, Any]:
    """What install or uninstall did, or would do."""
    return {**done._asdict(), "notices": list(done.notices)}


def standing(now: Standing) -> dict[str, Any]:
    """How OpenClaw stands to a vault, check by check."""
    return {
        "config": now.config,
        "vault": now.vault,
        "installed": now.installed,
        "ok": all(check.ok for check in now.checks),
        "checks": [check._asdict() for check in now.checks],
    }


def brought(done: Brought) -> dict[str, Any]:
    """What an import proposes."""
    return {
        "workspace": done.workspace,
        "files": list(done.files),
        "proposed": [item._asdict() for item in done.proposed],
        "known": done.known,
        "commit": done.commit,
        "dry_run": done.dry_run,
        "notices": list(done.notices),
    }
