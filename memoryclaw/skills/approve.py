"""skills new, approve, reject: each is one commit. A rejection is remembered; nothing is deleted."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.errors import ConflictError, InputError
from memoryclaw.history.repository import History
from memoryclaw.late import NamedTuple
from memoryclaw.skills.lint import (
    DESCRIPTION_LENGTH,
    NAME_LENGTH,
    NO_DESCRIPTION,
    is_name,
    lint,
    proposed_description,
)
from memoryclaw.skills.listing import DRAFT, ODD, SKILLS, ListedSkill, find, fingerprint_of, list_skills
from memoryclaw.vault import files
from memoryclaw.vault.layout import slug, timestamp
from memoryclaw.writing.context import WriteContext, Written
from memoryclaw.writing.decisions import APPROVED, REJECTED, Decision, decisions_of, record_edit
from memoryclaw.writing.writer import Edit, Move, commit, text_change

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
    """Writes a valid `skills/<name>/SKILL.md` to be filled in."""
    if not is_name(name):
        hint = f", such as {slug(name)}" if name.strip() else ""
        raise InputError(
            f"{name[:80]!r} is not a name for a skill; use up to {NAME_LENGTH} lower-case letters, digits and single hyphens{hint}"
        )
    twin = next(
        (listed for listed in list_skills(context.root) if name in (listed.name, listed.skill.stem)),
        None,
    )
    if twin:
        raise InputError(f"there is a skill called {name} already: {twin.skill.path}")
    path = f"{SKILLS}/{name}/SKILL.md"
    words, description = name.replace("-", " "), " ".join(description.split())
    if len(description) > DESCRIPTION_LENGTH:
        raise InputError(f"a description has at most {DESCRIPTION_LENGTH:,} characters")
    text = context.templates.render(
        "notes/skill.md.j2",
        name=name,
        description=description or f"What {words} does, and when to use it: write it here in one sentence.",
        triggers=[words],
        title=words[:1].upper() + words[1:],
    )
    if problems := lint(path, text.encode()):
        raise InputError(f"{problems[0].message}; {problems[0].hint}")

    def change(there: str) -> str:
        if there and there != text:
            raise InputError(f"{path} exists by now")
        return text

    edit = Edit(path, text_change(change))
    outcome = commit(context, [edit], "skill-new", verb="skills new", run="skill", name=name, path=path)
    return Written(path.removesuffix(".md"), path, outcome.commit, "created", outcome.notice)


def approve_skill(context: WriteContext, name: str, version: str = "") -> SkillDecision:
    """Approves a skill as its files are now; a draft moves to `skills/`.

    Raises:
        ConflictError: its files are not those of this version, as somebody was shown them.
        InputError: lint finds problems in it, or its place is taken.
    """
    skill = _find_unchanged(context, name, version)
    path, digest = skill.skill.path, skill.skill.digest
    target = path.replace(_DRAFTS, f"{SKILLS}/", 1)
    if skill.state == APPROVED:
        return SkillDecision(skill.name, path, "approved", digest, "", "it is approved already")
    advice = _must_be_sound(context, skill)
    home = skill.skill.folder.replace(_DRAFTS, f"{SKILLS}/", 1)
    if target != path and files.exists(context.root, home or target):
        sentence = f"there is a skill called {skill.name} already"
        raise InputError(f"{sentence}; rename the draft's folder and its name")
    moved = {place: place.replace(_DRAFTS, f"{SKILLS}/", 1) for place in skill.digests}
    prints = {path: fingerprint_of(skill.skill)}
    rows = ((moved[place], of, prints.get(place, "")) for place, of in skill.digests.items())
    decisions = [_decision(context, APPROVED, place, digest=of, fingerprint=to) for place, of, to in rows]
    moves = [Move(place, to) for place, to in moved.items() if place != to]
    about = {"name": skill.name, "path": target, "value": digest}
    changes: list[Edit | Move] = [*moves, record_edit(decisions)]
    outcome = commit(context, changes, "skill-approve", verb="skills approve", run="skill", **about)
    beside = ", ".join(to for place, to in moved.items() if place != path)
    also = f"approved with it: {beside}" if beside else ""
    notice = "; ".join(filter(None, (also, advice, outcome.notice)))
    return SkillDecision(skill.name, target, "approved", digest, outcome.commit, notice)


def _find_unchanged(context: WriteContext, name: str, version: str) -> ListedSkill:
    skill = find(list_skills(context.root), name)
    if version and skill.version != version:
        raise ConflictError(f"the skill {skill.name} has changed since it was shown; look at it again")
    return skill


def reject_skill(context: WriteContext, name: str, version: str = "") -> SkillDecision:
    """Rejects a draft, which moves to the archive and is not proposed again, or withdraws the approval of a skill.

    Raises:
        ConflictError: its files are not those of this version, as somebody was shown them.
        InputError: the skill is not approved.
    """
    skill = _find_unchanged(context, name, version)
    return _reject_draft(context, skill) if skill.state == DRAFT else _withdraw(context, skill)


def _reject_draft(context: WriteContext, draft: ListedSkill) -> SkillDecision:
    path, folder = draft.skill.path, draft.skill.folder
    home = folder or path
    to = files.free_path(context.root, f"archive/{home}")
    moves = [Move(place, to + place.removeprefix(home)) for place, of in draft.digests.items() if of != ODD]
    decision = _decision(
        context, REJECTED, path, digest=draft.skill.digest, fingerprint=fingerprint_of(draft.skill)
    )
    target = to + path.removeprefix(home)
    subject = f"Reject the skill draft {draft.name}"
    summary = f"It is kept in {target} and not proposed again."
    return _no(context, draft, [*moves, record_edit([decision])], subject, summary)._replace(path=target)


def _withdraw(context: WriteContext, listed: ListedSkill) -> SkillDecision:
    decisions, path = decisions_of(context.root), listed.skill.path
    approved = decisions.approved_digests()
    digests = [d.digest for d in decisions.all if d.kind == "skill" and d.path == path]
    withdrawn = [digest for digest in dict.fromkeys([*digests, listed.skill.digest]) if digest in approved]
    if not withdrawn:
        raise InputError(
            f"{listed.name} is not approved, so there is nothing to withdraw; `memoryclaw forget {path.removesuffix('.md')}` moves it to the archive"
        )
    edit = record_edit([_decision(context, REJECTED, path, digest=digest) for digest in withdrawn])
    subject = f"Withdraw the approval of the skill {listed.name}"
    withdrawal = _no(context, listed, [edit], subject, f"{path} is no longer offered to hosts.")
    return withdrawal._replace(action="withdrawn", digest=withdrawn[0])


def _no(
    context: WriteContext, listed: ListedSkill, changes: Sequence[Edit | Move], subject: str, summary: str
) -> SkillDecision:
    about = {"subject": subject, "summary": summary}
    outcome = commit(context, changes, "skill-reject", verb="skills reject", run="skill", **about)
    path, digest = listed.skill.path, listed.skill.digest
    return SkillDecision(listed.name, path, "rejected", digest, outcome.commit, outcome.notice)


def _must_be_sound(context: WriteContext, listed: ListedSkill) -> str:
    """Raises InputError for a skill with problems; returns what hosts are told of one without a description."""
    if odd := next((path for path, digest in listed.digests.items() if digest == ODD), ""):
        sentence = f"{odd} is a link, or no file"
        raise InputError(f"{sentence}; a skill is approved by its bytes, so put the file itself there")
    every = lint(listed.skill.path, files.read_file(context.root, listed.skill.path).data)
    missing = [problem for problem in every if problem.message == NO_DESCRIPTION and not listed.skill.folder]
    if problems := [problem for problem in every if problem not in missing]:
        first, others_count = problems[0], len(problems) - 1
        others = f" (and {others_count} more)" if others_count else ""
        sentence = f"{first.path}:{first.line}: {first.message}"
        raise InputError(f"{sentence}; {first.hint}{others}. `memoryclaw skills lint {listed.name}` explains")
    description = proposed_description(listed.skill)
    return f"it has no description; hosts are given “{description}”" if missing else ""


def _decision(
    context: WriteContext, decision: str, path: str, *, digest: str, fingerprint: str = ""
) -> Decision:
    history = History(context.root)
    by = history.author()[0] if history.git_dir else ""
    return Decision(timestamp(context.now), decision, "skill", fingerprint, digest, path, by=by)
