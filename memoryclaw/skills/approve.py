"""skills new, approve, reject: each is one commit. A rejection is remembered; nothing is deleted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoryclaw.errors import ConflictError, InputError
from memoryclaw.history.repository import History
from memoryclaw.skills.lint import DESCRIPTION_LENGTH, NAME_LENGTH, NO_DESCRIPTION, is_name, lint
from memoryclaw.skills.listing import (
    DRAFT,
    ODD,
    SKILLS,
    ListedSkill,
    find,
    fingerprint_of,
    list_skills,
)
from memoryclaw.vault import files
from memoryclaw.vault.layout import free_name, slug, timestamp
from memoryclaw.writing.context import WriteContext, Written
from memoryclaw.writing.decisions import APPROVED, REJECTED, Decision, decisions_of, recorded
from memoryclaw.writing.writer import Edit, Move, text_change, write

_DRAFTS = f"{SKILLS}/_drafts/"


class SkillDecision(NamedTuple):
    """A decision on a skill; `digest` is the SHA-256 of its file."""

    name: str
    path: str
    action: str  # approved | rejected | withdrawn
    digest: str
    commit: str
    notice: str = ""


def new_skill(context: WriteContext, name: str, description: str = "") -> Written:
    """Writes a valid `skills/<name>/SKILL.md` to be filled in.

    Raises:
        InputError: the name or the description cannot be used, or there is a skill of that name.
    """
    if not is_name(name):
        hint = f", such as {slug(name)}" if name.strip() else ""
        raise InputError(
            f"{name[:80]!r} is not a name for a skill; use up to {NAME_LENGTH} small letters, digits and single hyphens{hint}"
        )
    there = next((one for one in list_skills(context.root) if name in (one.name, one.skill.stem)), None)
    if there:
        raise InputError(f"there is a skill called {name} already: {there.skill.path}")
    path, run = f"{SKILLS}/{name}/SKILL.md", context.run("skill")
    text = _scaffold(context, name, " ".join(description.split()))
    if problems := lint(path, text.encode()):
        raise InputError(f"{problems[0].message}; {problems[0].hint}")

    def message() -> str:
        return context.templates.commit_message("skill-new", run=run, name=name, path=path)

    def change(there: str) -> str:
        if there and there != text:
            raise InputError(f"{path} exists by now")
        return text

    outcome = write(
        context.root, [Edit(path, text_change(change))], message, verb="skills new", now=context.now
    )
    return Written(path.removesuffix(".md"), path, outcome.commit, "created", outcome.notice)


def approve_skill(context: WriteContext, name: str, version: str = "") -> SkillDecision:
    """Approves a skill as its files are now; a draft moves to `skills/`.

    Raises:
        ConflictError: its files are not those of this version, as somebody was shown them.
        InputError: lint finds problems in it, or its place is taken.
    """
    found = _as_shown(context, name, version)
    path, digest = found.skill.path, found.skill.digest
    target = path.replace(_DRAFTS, f"{SKILLS}/", 1)
    if found.state == APPROVED:
        return SkillDecision(found.name, path, "approved", digest, "", "it is approved already")
    advice = _must_be_sound(context, found)
    if target != path and files.exists(
        context.root, found.skill.folder.replace(_DRAFTS, f"{SKILLS}/", 1) or target
    ):
        raise InputError(
            f"there is a skill called {found.name} already; rename the draft's folder and its name"
        )
    moved = {at: at.replace(_DRAFTS, f"{SKILLS}/", 1) for at in found.digests}
    decisions = [
        _decision(
            context,
            APPROVED,
            moved[at],
            digest=of,
            fingerprint=fingerprint_of(found.skill) if at == path else "",
        )
        for at, of in found.digests.items()
    ]
    run = context.run("skill")

    def message() -> str:
        return context.templates.commit_message(
            "skill-approve", run=run, name=found.name, path=target, value=digest
        )

    moves = [Move(at, to) for at, to in moved.items() if at != to]
    outcome = write(
        context.root, [*moves, recorded(decisions)], message, verb="skills approve", now=context.now
    )
    beside = ", ".join(to for at, to in moved.items() if at != path)
    also = f"approved with it: {beside}" if beside else ""
    notice = "; ".join(filter(None, (also, advice, outcome.notice)))
    return SkillDecision(found.name, target, "approved", digest, outcome.commit, notice)


def _as_shown(context: WriteContext, name: str, version: str) -> ListedSkill:
    found = find(list_skills(context.root), name)
    if version and found.version != version:
        raise ConflictError(f"the skill {found.name} has changed since it was shown; look at it again")
    return found


def reject_skill(context: WriteContext, name: str, version: str = "") -> SkillDecision:
    """Rejects a draft, which moves to the archive and is not proposed again, or withdraws the approval of a skill.

    Raises:
        ConflictError: its files are not those of this version, as somebody was shown them.
        InputError: the skill is not approved.
    """
    found = _as_shown(context, name, version)
    return _reject_draft(context, found) if found.state == DRAFT else _withdraw(context, found)


def _reject_draft(context: WriteContext, found: ListedSkill) -> SkillDecision:
    path, folder, run = found.skill.path, found.skill.folder, context.run("skill")
    home = folder or path
    to = free_name(f"archive/{home}", lambda at: files.exists(context.root, at))
    moves = [Move(at, to + at.removeprefix(home)) for at, of in found.digests.items() if of != ODD]
    decision = _decision(
        context, REJECTED, path, digest=found.skill.digest, fingerprint=fingerprint_of(found.skill)
    )
    target = to + path.removeprefix(home)
    subject, summary = (
        f"Reject the skill draft {found.name}",
        f"It is kept in {target} and not proposed again.",
    )
    return _no(
        context,
        found,
        _PendingDecision(run, subject, summary, target, "rejected"),
        [*moves, recorded([decision])],
    )


def _withdraw(context: WriteContext, found: ListedSkill) -> SkillDecision:
    decisions, path, run = decisions_of(context.root), found.skill.path, context.run("skill")
    approved = decisions.approved_digests()
    own = [d.digest for d in decisions.all if d.kind == "skill" and d.path == path]
    withdrawn = [digest for digest in dict.fromkeys([*own, found.skill.digest]) if digest in approved]
    if not withdrawn:
        raise InputError(
            f"{found.name} is not approved, so there is nothing to withdraw; `memoryclaw forget {path.removesuffix('.md')}` moves it to the archive"
        )
    edit = recorded([_decision(context, REJECTED, path, digest=digest) for digest in withdrawn])
    subject = f"Withdraw the approval of the skill {found.name}"
    ruling = _PendingDecision(run, subject, f"{path} is no longer offered to hosts.", path, "withdrawn")
    return _no(context, found, ruling, [edit])._replace(digest=withdrawn[0])


class _PendingDecision(NamedTuple):
    """The commit message and the result of a rejection."""

    run: str
    subject: str
    summary: str
    path: str
    action: str


def _no(
    context: WriteContext, found: ListedSkill, ruling: _PendingDecision, changes: Sequence[Edit | Move]
) -> SkillDecision:
    def message() -> str:
        return context.templates.commit_message(
            "skill-reject", run=ruling.run, subject=ruling.subject, summary=ruling.summary
        )

    outcome = write(context.root, changes, message, verb="skills reject", now=context.now)
    digest = found.skill.digest
    return SkillDecision(found.name, ruling.path, ruling.action, digest, outcome.commit, outcome.notice)


def _scaffold(context: WriteContext, name: str, description: str) -> str:
    words = name.replace("-", " ")
    if len(description) > DESCRIPTION_LENGTH:
        raise InputError(f"a description has at most {DESCRIPTION_LENGTH:,} characters")
    return context.templates.render(
        "notes/skill.md.j2",
        name=name,
        description=description or f"What {words} does, and when to use it: write it here in one sentence.",
        triggers=[words],
        title=words[:1].upper() + words[1:],
    )


def _must_be_sound(context: WriteContext, found: ListedSkill) -> str:
    """Raises InputError for a skill with problems; returns the advice for one without a description, which only hosts need."""
    if odd := next((path for path, digest in found.digests.items() if digest == ODD), ""):
        raise InputError(
            f"{odd} is a link, or no file; a skill is approved by its bytes, so put the file itself there"
        )
    every = lint(found.skill.path, files.read_file(context.root, found.skill.path).data)
    missing = [one for one in every if one.message == NO_DESCRIPTION and not found.skill.folder]
    if problems := [one for one in every if one not in missing]:
        first, more = problems[0], len(problems) - 1
        others = f" (and {more} more)" if more else ""
        raise InputError(
            f"{first.path}:{first.line}: {first.message}; {first.hint}{others}. `memoryclaw skills lint {found.name}` explains"
        )
    return "".join(f"it has no description; {one.hint}, then approve it again" for one in missing)


def _decision(
    context: WriteContext, decision: str, path: str, *, digest: str, fingerprint: str = ""
) -> Decision:
    history = History(context.root)
    by = history.author()[0] if history.git_dir else ""
    return Decision(timestamp(context.now), decision, "skill", fingerprint, digest, path, by=by)
