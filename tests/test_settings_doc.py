"""docs/reference/settings.md, and a table of docs/reference/security.md, are made from config.SETTINGS: `python -m tests.test_settings_doc` writes them anew."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import Any

from memoryclaw import config
from memoryclaw.config import SETTINGS, Setting
from memoryclaw.vault.layout import MOVABLE

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reference" / "settings.md"
SECURITY = ROOT / "docs" / "reference" / "security.md"
BEGIN, END = "<!-- from config.SETTINGS -->\n", "<!-- end -->\n"
HEAD = """# Settings

Set how a vault behaves in `memoryclaw.yaml` in its root. Every key is optional. A wrong value stops a command with one sentence that names the key;
`status` and `check` report unknown keys. Changes take effect from the next command on.

```yaml
retrieval:
  budget: 400
```

Your own settings, in the same form, are in `~/.config/memoryclaw/config.yaml` (or below `$XDG_CONFIG_HOME`): they apply where a vault says nothing.
Those for one vault, in `vaults/<vault.id>/config.yaml` beside it, come before both.

The column *from a vault* says whether `memoryclaw.yaml` may set a key: *no* if only your own settings may, *only narrower* if a vault may ask for less
than they allow. [Security](security.md#what-a-vault-may-set) gives the reasons, and [`memoryclaw adopt`](cli.md#adopt) allows what a vault asks for.
"""
TAIL = """
## Environment

| variable | what it does |
|---|---|
| `MEMORYCLAW_VAULT` | The vault, if there is no `--vault` ([how it is chosen](cli.md#for-every-command)). |
| `MEMORYCLAW_AUDIENCE` | The audience, if there is no `--audience`. |
| `MEMORYCLAW_NOW` | The time, such as `2026-04-20T08:00:00Z`, in place of the clock, so that a question has the same answer on any day. |
| `NO_COLOR` | Set to anything, it turns colours off. |
"""


FOLDERS = f"| `paths.NAME` | `NAME` | a path | yes | Where a folder is, such as `.memory/logs`, for {', '.join(f'`{name}`' for name in MOVABLE)}. |\n"


def page() -> str:
    """The whole page."""
    return (
        HEAD
        + "".join(
            _section(name, list(keys)) for name, keys in groupby(SETTINGS, lambda s: s.key.partition(".")[0])
        )
        + TAIL
    )


def _section(name: str, keys: list[Setting]) -> str:
    rows = (
        FOLDERS
        if name == "paths"
        else "".join(
            f"| `{key.key}` | `{_written(key.default)}` | {_allowed(key)} | {key.verdict.name} | {key.about} |\n"
            for key in keys
        )
    )
    return f"\n## {name}\n\n| key | default | may be | from a vault | what it does |\n|---|---|---|---|---|\n{rows}"


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _allowed(setting: Setting) -> str:
    if isinstance(setting.allowed, tuple):
        return ", ".join(f"`{value}`" for value in setting.allowed)
    kinds = {bool: "`true`, `false`", str: "text", tuple: "a list", dict: "a map"}
    return kinds.get(setting.allowed) or f"{setting.least:g} to {setting.most:,.0f}"


def security() -> str:
    """The page of threats, with each setting that a vault may not simply set, and why, those of one reason on one line."""
    before, _, rest = SECURITY.read_text(encoding="utf-8").partition(BEGIN)
    alike: dict[str, list[str]] = {}
    for key in (each for each in SETTINGS if each.verdict.name != "yes"):
        alike.setdefault(key.why, []).append(f"`{key.key}`")
    rows = "".join(f"| {', '.join(keys)} | {why} |\n" for why, keys in alike.items())
    table = f"| keys | why |\n|---|---|\n{rows}"
    return f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"


def test_the_settings_page_says_what_config_accepts() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.test_settings_doc`"
    assert SECURITY.read_text(encoding="utf-8") == security(), "run `python -m tests.test_settings_doc`"


def test_some_module_reads_every_setting() -> None:
    sources = [
        path.read_text() for path in (ROOT / "memoryclaw").rglob("*.py") if path != Path(config.__file__)
    ]
    read = {
        name
        for source in sources
        for name in re.findall(r"(?:\b(?:config|settings|rules)|\))\.(\w+)", source)
    }
    fixed = {
        setting.key
        for setting in SETTINGS
        if isinstance(setting.allowed, tuple) and len(setting.allowed) == 1
    }
    unread = {setting.key for setting in SETTINGS if config._field(setting.key) not in read}
    # Where folders are, config.py itself tells those who touch the disk.
    assert unread - fixed <= {f"paths.{name}" for name in MOVABLE}


def test_every_setting_has_a_verdict_and_a_reason() -> None:
    for setting in SETTINGS:
        assert isinstance(setting.verdict, config.Verdict), setting.key
        assert re.fullmatch(r"[A-Z][^\n]+\.", setting.why), setting.key


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    SECURITY.write_text(security(), encoding="utf-8")
