"""The id of a vault: under it each person's own folder keeps what they allow the vault. It allows nothing by itself."""

from __future__ import annotations

from memoryclaw.config import is_vault_id
from memoryclaw.errors import ConfigError
from memoryclaw.text import yaml_text
from memoryclaw.text.encoding import readable
from memoryclaw.vault.edits import with_setting
from memoryclaw.vault.layout import CONFIG_FILE
from memoryclaw.writing.context import WriteContext
from memoryclaw.writing.writer import Edit, commit, text_change

KEY = "vault.id"


def id_in(text: str) -> str:
    """What the text of settings says of the id."""
    read = yaml_text.load(readable(text)).value
    section = read.get("vault") if isinstance(read, dict) else None
    return str(section.get("id") or "") if isinstance(section, dict) else ""


def identify(context: WriteContext, fresh: str) -> None:
    """Writes a fresh id into the settings of a vault that has none, and makes them where they are missing; one commit."""

    def change(text: str) -> str:
        current = id_in(text)
        if is_vault_id(current):  # another process was first
            return text
        if current:
            raise ConfigError(f"{CONFIG_FILE}: vault.id must have 32 hex digits; take the line out")
        return with_setting(text, KEY, fresh, CONFIG_FILE)

    edit = Edit(CONFIG_FILE, text_change(change), consumes=True)
    commit(context, [edit], "vault-id", verb="identify")
