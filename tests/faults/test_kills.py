"""A kill at every other call that changes the disk, of every verb that writes, and at every one of its git: the vault is as it was, or as it will be."""

from __future__ import annotations

import signal

import pytest
from gitfaults import broken_git, git_calls, needs_strace
from scenes import VERBS, Vaults, must_hold
from tracing import BUG, OK, every_other, faults

# What git does for us that changes a repository, and a verb that has it done. Objects are written without it.
COMMANDS = {
    "update-index": ("remember a fact", "undo", "review approve"),
    "update-ref": ("edit a note", "forget a note", "consolidate", "consolidate to a branch", "init"),
    "-d": ("approve a branch", "reject a branch"),  # of update-ref, which removes a branch
    "init": ("init",),
}
PAIRS = [(command, name) for command, names in COMMANDS.items() for name in names]


@pytest.mark.parametrize("name", VERBS)
def test_killed_at_any_call_a_verb_is_done_or_not_and_the_next_one_goes_through(
    campaign, vaults: Vaults, name
):
    scene = vaults.scene(name)
    with vaults.fresh(scene) as root:
        whole = vaults.done(scene.verb, root)
    assert whole.code == OK, whole.output
    with campaign("the writer is killed at a system call") as trials:
        for place, fault in enumerate(every_other(faults("KILL", whole.calls))):
            with trials.trial(f"{name}: {fault}"), vaults.fresh(scene) as root:
                ended = vaults.done(scene.verb, root, fault)
                if ended.code == OK:
                    trials.missed()
                else:
                    assert ended.code == -signal.SIGKILL, ended.output
                must_hold(root, scene, ended, again=place % 4 == 0)
        assert trials.count > 2


@needs_strace
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(("command", "name"), PAIRS)
def test_killed_at_every_call_git_loses_nothing(campaign, vaults: Vaults, command, name, together):
    scene = vaults.scene(name)
    row = f"git is killed at a system call, {'with the writer' if together else 'alone'}"
    with campaign(row) as trials:
        for place, fault in enumerate(faults("KILL", git_calls(vaults, scene, command))):
            with (
                trials.trial(f"{name}, git {command}: {fault}"),
                vaults.fresh(scene) as root,
                broken_git(root, command, fault, with_its_parent=together) as git,
            ):
                ended = vaults.done(scene.verb, root, bin_=git.folder, watched=False)
                if not git.has_fired():
                    trials.missed()
                elif together:
                    assert ended.code == -signal.SIGKILL, ended.output
                else:
                    assert ended.code != BUG, ended.output
                must_hold(root, scene, ended, again=place % 2 == 0)
        assert trials.count > 2
