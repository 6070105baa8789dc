"""A `git` on the PATH that dies or fails inside one command, as after an out-of-memory kill, and is the real one for all else."""

from __future__ import annotations

import shutil

REAL = shutil.which("git") or "git"

# What an `update-ref` has left on the disk when it dies; $1 is the branch, $2 the commit, $dir the repository.
MOMENTS = {
    "nothing is locked": "",
    "the branch is locked": ': > "$dir/$1.lock"',
    "the commit is written": 'echo $2 > "$dir/$1.lock"',
    "HEAD is locked": 'echo $2 > "$dir/$1.lock"; : > "$dir/HEAD.lock"',
    "the branch has moved": ': > "$dir/HEAD.lock"; echo $2 > "$dir/$1"',
}
_SCRIPT = """#!/bin/sh
for word; do
    [ "$word" = {verb} ] && [ ! -e {mark} ] && dies=yes
done
[ "$dies" ] || exec {real} "$@"
: > {mark}
{how}
"""
_ONE_MOMENT = """dir="${{1#--git-dir=}}"
while [ $# -gt 3 ]; do shift; done
{moment}
{parent}
kill -9 $$
"""


def killed_once(folder, how, verb="update-ref"):
    """Puts such a git into a folder, to be the first of the PATH; it dies at the first command of this name alone."""
    folder.mkdir()
    script = folder / "git"
    script.write_text(_SCRIPT.format(mark=folder / "mark", real=REAL, how=how, verb=verb))
    script.chmod(0o755)
    return script


def at_moment(name, *, with_its_parent=False):
    """How it dies at one of the moments, alone or with the process that started it."""
    parent = "kill -9 $PPID" if with_its_parent else ""
    return _ONE_MOMENT.format(moment=MOMENTS[name], parent=parent)


def at_call(number, mark, *, with_its_parent=False):
    """How it dies at one of its calls that touch files, by strace; the mark then says so."""
    calls = "%file,%desc"
    parent = "kill -9 $PPID; " if with_its_parent else ""
    return (
        f'strace -qq -o /dev/null -e trace={calls} -e inject={calls}:signal=KILL:when={number} {REAL} "$@"\n'
        f"code=$?\n[ $code -lt 128 ] && exit $code\necho killed > {mark}\n{parent}kill -9 $$\n"
    )
