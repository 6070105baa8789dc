"""docs/reference/settings.md, and a table of docs/reference/security.md, are made from config.SETTINGS: `python -m tests.test_settings_doc` writes them anew."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from memoryclaw import config
from memoryclaw.config import SETTINGS, Setting

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reference" / "settings.md"
SECURITY = ROOT / "docs" / "reference" / "security.md"
BEGIN, END = "<!-- from config.SETTINGS -->\n", "<!-- end -->\n"
HEAD = """# Settings

Set how a vault behaves in `memoryclaw.yaml` in its root. Every key is optional, and the file may be missing. A wrong value stops a command with one sentence that names the key; an unknown key is ignored, and
`status` and `check` say so. Changes count from the next command on.

```yaml
retrieval:
  budget: 400
```

Your own settings, for all vaults, are in `~/.config/memoryclaw/config.yaml` (or below `$XDG_CONFIG_HOME`), in the same form. They count
where a vault says nothing. Those for one vault are in `vaults/<id>/config.yaml` beside it, where `<id>` is the vault's `vault.id`; they
count before your general ones and the vault's.

The column *from a vault* says whether `memoryclaw.yaml` may set a key. What sends, runs, tracks or lets others see is read only from your
own settings (*no*), or a vault may only ask for less of it than you allow (*only narrower*), whatever you allow it yourself: a vault that
you got from somebody else could do harm with it. [Security](security.md#what-a-vault-may-set) gives the reasons. `status` and `check` list what a vault asks for in vain, and
[`memoryclaw adopt`](cli.md#adopt) allows it.
"""
TAIL = """
`not used yet` marks keys that are accepted and checked, but that no command reads so far.

## Environment

| variable | what it does |
|---|---|
| `MEMORYCLAW_VAULT` | The vault's folder, where `--vault` is not given. Without either: the nearest folder upwards that holds `memoryclaw.yaml`, else `vault.default` of your own settings, else `~/.memoryclaw/vault`. |
| `MEMORYCLAW_NOW` | The time, such as `2026-04-20T08:00:00Z`, in place of the clock: the same question then gives the same answer on any day. A day before 1970 or after 2100 is refused, and by whatever writes also from the clock of the machine. |
| `NO_COLOR` | Set to anything, it turns colours off. |
"""


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
    rows = "".join(
        f"| `{key.key}` | `{_written(key.default)}` | {_allowed(key)} | {key.verdict.name} | {_about(key)} |\n"
        for key in keys
    )
    return f"\n## {name}\n\n| key | default | may be | from a vault | what it does |\n|---|---|---|---|---|\n{rows}"


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _allowed(setting: Setting) -> str:
    if isinstance(setting.allowed, tuple):
        return ", ".join(f"`{value}`" for value in setting.allowed)
    kinds = {bool: "`true`, `false`", str: "a name", tuple: "a list of names", dict: "a map by name"}
    limits = f"{setting.least:g} to {setting.most:,.0f}"
    return (
        kinds.get(setting.allowed)
        or ("a whole number, " if setting.allowed is int else "a number, ") + limits
    )


def _about(setting: Setting) -> str:
    chosen = isinstance(setting.allowed, tuple) and len(setting.allowed) == 1
    used = chosen or setting.key in _used()
    return setting.about if used else f"{setting.about} *(not used yet)*"


@cache
def _used() -> frozenset[str]:
    """The keys that some module reads from the Config."""
    sources = [
        path.read_text() for path in (ROOT / "memoryclaw").rglob("*.py") if path != Path(config.__file__)
    ]
    read = {name for source in sources for name in re.findall(r"\bconfig\.(\w+)", source)}
    # Where folders are, config.py itself tells those who touch the disk.
    return frozenset(s.key for s in SETTINGS if config._field(s.key) in read or s.key.startswith("paths."))


def security() -> str:
    """The page of threats, with each setting: whether a vault may set it, and why, those of one reason on one line."""
    before, _, rest = SECURITY.read_text(encoding="utf-8").partition(BEGIN)
    alike: dict[tuple[str, str], list[str]] = {}
    for key in SETTINGS:
        alike.setdefault((key.verdict.name, key.why), []).append(f"`{key.key}`")
    rows = "".join(f"| {', '.join(keys)} | {verdict} | {why} |\n" for (verdict, why), keys in alike.items())
    table = f"| keys | from a vault | why |\n|---|---|---|\n{rows}"
    return f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"


def test_the_settings_page_says_what_config_accepts() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.test_settings_doc`"
    assert SECURITY.read_text(encoding="utf-8") == security(), "run `python -m tests.test_settings_doc`"


def test_every_setting_has_a_verdict_and_a_reason() -> None:
    for setting in SETTINGS:
        assert isinstance(setting.verdict, config.Verdict), setting.key
        assert re.fullmatch(r"[A-Z][^\n]+\.", setting.why), setting.key


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    SECURITY.write_text(security(), encoding="utf-8")
