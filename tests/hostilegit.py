"""What a repository can be told to run: hooks, filters, drivers and programs, each of which leaves a mark when it does."""

from __future__ import annotations

from pathlib import Path

from gitvault import git


def script(root, mark):
    """A program in the repository that leaves the mark."""
    path = root / ".git" / f"{mark.name}.sh"
    path.write_text(f"#!/bin/sh\ntouch {mark}\ncat 2>/dev/null\nexit 0\n")
    path.chmod(0o755)
    return str(path)


def _hook(name):
    def plant(root, evil):
        (root / ".git/hooks").mkdir(exist_ok=True)
        hook = root / ".git/hooks" / name
        hook.write_text(Path(evil).read_text())
        hook.chmod(0o755)

    return plant


def _config(*pairs, attributes="", info=""):
    def plant(root, evil):
        for key, value in pairs:
            git(root, "config", key, value.replace("EVIL", evil))
        for place, lines in ((".gitattributes", attributes), (".git/info/attributes", info)):
            if lines:
                (root / place).parent.mkdir(exist_ok=True)
                with (root / place).open("a") as file:
                    file.write(lines)

    return plant


def _hooks_path(root, evil):
    (root / "h").mkdir()
    for name in ("post-commit", "reference-transaction", "post-index-change", "pre-commit"):
        (root / "h" / name).write_text(Path(evil).read_text())
        (root / "h" / name).chmod(0o755)
    git(root, "config", "core.hooksPath", str(root / "h"))


def _include(root, evil):
    (root / ".git/inc").write_text(f"[core]\n fsmonitor = {evil}\n")
    git(root, "config", "include.path", "inc")


VECTORS = {
    "hook pre-commit": _hook("pre-commit"),
    "hook reference-transaction": _hook("reference-transaction"),
    "hook post-index-change": _hook("post-index-change"),
    "core.fsmonitor": _config(("core.fsmonitor", "EVIL")),
    "core.hooksPath": _hooks_path,
    "filter.clean": _config(("filter.e.clean", "EVIL"), attributes="*.md filter=e\n"),
    "filter.process": _config(("filter.e.process", "EVIL"), info="*.md filter=e\n"),
    "gpg.program": _config(("commit.gpgsign", "true"), ("gpg.program", "EVIL")),
    "diff.external": _config(("diff.external", "EVIL")),
    "textconv": _config(("diff.t.textconv", "EVIL"), attributes="*.md diff=t\n"),
    "core.editor": _config(("core.editor", "EVIL"), ("core.pager", "EVIL")),
    "alias": _config(("alias.update-ref", "!EVIL"), ("alias.ls-files", "!EVIL")),
    "include.path": _include,
    "merge driver": _config(("merge.e.driver", "EVIL"), attributes="*.md merge=e\n"),
}


# What would hide another in one repository (a folder of hooks hides the hooks) stands apart.
APART = ("core.hooksPath", "gpg.program", "filter.process", "textconv", "include.path", "merge driver")
TOGETHER = {"apart": APART, "the rest": [name for name in VECTORS if name not in APART]}
# Builtins cannot be aliased, and no editor opens with -m; a merge driver needs a merge.
HARMLESS = {"alias", "core.editor", "merge driver"}
