"""The settings of the fleet, and its page: `python memoryclaw-fleet/tests/test_settings.py` writes the table anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

from memoryclaw import config
from memoryclaw_fleet.settings import SETTINGS, FleetSettings

PAGE = Path(__file__).resolve().parents[1] / "docs/fleet.md"
BEGIN, END = "<!-- from settings.SETTINGS -->\n", "<!-- end -->\n"


def page() -> str:
    """The page, with a line for each setting."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    rows = "".join(f"| `{row.key}` | `{row.default}` | {row.about} |\n" for row in SETTINGS)
    table = f"\n| key | default | what it does |\n|---|---|---|\n{rows}\n"
    return f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}"


def test_the_page_has_every_setting() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python memoryclaw-fleet/tests/test_settings.py`"


def test_each_setting_is_the_users_own_with_a_reason() -> None:
    for setting in SETTINGS:
        assert setting.verdict is config.OWN
        assert re.fullmatch(r"[A-Z][^\n]+\.", setting.why), setting.key


def test_the_users_own_count_and_those_of_a_vault_do_not(tmp_path: Path) -> None:
    own = tmp_path / "own/memoryclaw"
    own.mkdir(parents=True)
    (own / "config.yaml").write_text("index:\n  url: postgresql://db/mine\nfleet:\n  llmCalls: 3\n")
    (tmp_path / "memoryclaw.yaml").write_text("index:\n  url: postgresql://thief/x\n  vault: another\n")
    environ = {
        "XDG_CONFIG_HOME": os.fspath(tmp_path / "own"),
        "XDG_CACHE_HOME": os.fspath(tmp_path / "cache"),
    }
    settings = config.load(tmp_path, environ)
    fleet = FleetSettings.of(settings.extra)
    assert (fleet.url, fleet.vault, fleet.llm_calls, fleet.connections) == ("postgresql://db/mine", "", 3, 4)
    assert sum("is read only from your own settings" in notice for notice in settings.notices) == 2


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
