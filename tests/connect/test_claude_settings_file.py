"""Our hooks in a settings file on disk: added, backed up, and gone again without a trace."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryclaw.connect.claude_code import HOOKS
from memoryclaw.connect.settings_file import BACKUP, carry_out, difference, plan_install, plan_uninstall
from memoryclaw.errors import ConflictError, InputError

COMMAND = "/opt/memoryclaw {} --vault /v"
OTHER = "/new/memoryclaw {} --vault /w"
# Nothing that an edit could bring back from the text alone: empty parts, a mark of the byte order, no last newline.
ODD = '\ufeff{\r\n   "a" : 1 ,"hooks":{  },\r\n\r\n"b":[ ]  }'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "claude/settings.json"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())


def install(path: Path, command: str = COMMAND) -> bool:
    plan = plan_install(os.fspath(path), HOOKS, command)
    if plan.changes:
        carry_out(plan)
    return plan.changes


def uninstall(path: Path) -> bool:
    plan = plan_uninstall(os.fspath(path), HOOKS)
    if plan.changes:
        carry_out(plan)
    return plan.changes


@pytest.mark.parametrize(
    "text", ["{}", "", "{ }\n", ODD, '{"hooks": {"Stop": []}}\n', '{\n\t"model": "opus"\n}\n']
)
def test_install_and_uninstall_leave_no_trace(path: Path, text: str) -> None:
    write(path, text)
    assert install(path)
    assert path.with_name(path.name + BACKUP).read_bytes() == text.encode()
    assert not install(path), "a second install changes nothing"
    assert uninstall(path)
    assert path.read_bytes() == text.encode()
    assert os.listdir(path.parent) == [path.name]
    assert not uninstall(path)


def test_a_file_that_only_we_made_goes_again(path: Path) -> None:
    assert install(path)
    assert set(json.loads(path.read_text())) == {"hooks"}
    assert uninstall(path)
    assert os.listdir(path.parent) == []


def test_what_changed_since_is_kept(path: Path) -> None:
    write(path, ODD)
    install(path)
    write(path, path.read_text(encoding="utf-8").replace('"a" : 1', '"a" : 2'))
    uninstall(path)
    kept = json.loads(path.read_text(encoding="utf-8-sig"))
    assert (kept["a"], kept["b"], kept.get("hooks", {})) == (2, [], {})
    assert path.with_name(path.name + BACKUP).read_bytes() == ODD.encode()


def test_a_second_install_changes_nothing_beside_hooks_that_came_later(path: Path) -> None:
    write(path, "{}")
    install(path)
    later = json.loads(path.read_text())
    later["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "say done"}]})
    write(path, json.dumps(later, indent=2))
    before = path.read_bytes()
    assert not install(path)
    assert path.read_bytes() == before


def test_a_list_that_was_there_though_empty_stays(path: Path) -> None:
    write(path, '{"hooks": {"Stop": []}, "a": 1}')
    install(path)
    write(path, path.read_text().replace('"a": 1', '"a": 2'))
    uninstall(path)
    assert path.read_text() == '{"hooks": {"Stop": []}, "a": 2}'


def test_an_install_of_another_command_takes_the_place_of_the_first(path: Path) -> None:
    write(path, ODD)
    install(path)
    assert install(path, OTHER)
    assert "/opt/memoryclaw" not in path.read_text(encoding="utf-8")
    uninstall(path)
    assert path.read_bytes() == ODD.encode()


def test_a_link_stays_a_link_and_the_mode_stays(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles/settings.json"
    write(real, "{}")
    real.chmod(0o640)
    path.parent.mkdir()
    path.symlink_to(real)
    assert install(path)
    assert path.is_symlink()
    assert "memoryclaw" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert stat.S_IMODE(real.with_name(real.name + BACKUP).stat().st_mode) == 0o600
    path.unlink()
    path.symlink_to("nowhere")
    with pytest.raises(InputError, match=r"is a link to .*nowhere, which is not there"):
        install(path)


def test_a_file_that_changes_in_between_is_not_overwritten(path: Path) -> None:
    write(path, "{}")
    plan = plan_install(os.fspath(path), HOOKS, COMMAND)
    write(path, '{"a": 1}')
    with pytest.raises(ConflictError):
        carry_out(plan)
    assert path.read_text() == '{"a": 1}'


LINES = st.lists(st.sampled_from("abc"), max_size=9)


@given(LINES, LINES, LINES, LINES)
def test_a_change_that_is_shown_leads_from_the_one_text_to_the_other(
    head: list[str], old: list[str], new: list[str], tail: list[str]
) -> None:
    before, after = ([*head, *middle, *tail] for middle in (old, new))
    made, at = [], 0
    for line in difference("\n".join(before), "\n".join(after), "x").splitlines()[2:]:
        if hunk := re.match(r"@@ -(\d+)(,0)?", line):
            start = int(hunk[1]) - (0 if hunk[2] else 1)
            made, at = made + before[at:start], start
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert before[at] == line[1:]
            made += [line[1:]] if line[0] == " " else []
            at += 1
    assert made + before[at:] == after
