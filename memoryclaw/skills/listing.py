"""Lists, shows, lints and matches the skills of a vault, straight from the files.

A skill is approved by the digests of all its files, by this person on this machine; nothing inside a file approves it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Any

from memoryclaw.errors import InputError, NotFoundError, VaultError
from memoryclaw.late import NamedTuple
from memoryclaw.model import Matched, Problem, Term
from memoryclaw.skills.lint import lint
from memoryclaw.skills.skill_file import SkillFile, read_skill
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.encoding import text_in
from memoryclaw.text.language import Language, fold, words_of
from memoryclaw.text.prompts import one_line
from memoryclaw.vault import files
from memoryclaw.vault.folder import Vault
from memoryclaw.vault.layout import is_safe_path, place_of, timestamp
from memoryclaw.vault.ledger import Ledger
from memoryclaw.writing.decisions import APPROVED, Decision, Decisions, decisions_of, fingerprint

SKILLS = "skills"
ODD = "no file"  # instead of a digest: a link or special file has no bytes that anybody could approve
DRAFT, NOT_APPROVED, CHANGED = "draft", "not approved", "changed since approval"


# Approvals: which versions of a skill, all files of one, the decisions approve.


class Approval(NamedTuple):
    """One approval of one skill: the path of its file, and the digest of each of its files by name inside the skill."""

    path: str
    files: Mapping[str, str]
    at: str


def approvals(decisions: Decisions) -> list[Approval]:
    """The versions that are approved and not rejected since, oldest first."""
    good = decisions.approved_digests()
    return [approval for approval in _groups(decisions.counting) if good.issuperset(approval.files.values())]


def version_of(path: str, digests: Mapping[str, str]) -> dict[str, str]:
    """The digests of a skill's files by name inside it; the file of a single-file skill has its extension as name."""
    home = _home(path)
    return {_inside(home, place): digest for place, digest in digests.items()}


def _groups(decisions: Iterable[Decision]) -> Iterator[Approval]:
    """Groups decisions into approvals: one line a file, the skill's own first, all with the same time."""
    open_: Approval | None = None
    for line in decisions:
        if (
            (line.kind, line.decision) != ("skill", APPROVED)
            or not line.digest
            or not is_safe_path(line.path)
        ):
            continue
        home = _home(open_.path) if open_ and line.at == open_.at else ""
        inside = _inside(home, line.path)
        if open_ and home and line.path.startswith(f"{home}/") and inside not in open_.files:
            open_ = open_._replace(files={**open_.files, inside: line.digest})
            continue
        if open_:
            yield open_
        open_ = Approval(line.path, version_of(line.path, {line.path: line.digest}), line.at)
    if open_:
        yield open_


def _home(path: str) -> str:
    """The folder of a skill; empty for a single-file skill."""
    folder, _, name = path.rpartition("/")
    return folder if name == "SKILL.md" else ""


def _inside(home: str, path: str) -> str:
    return path.removeprefix(f"{home}/") if home else path.rpartition(".")[2]


# Skills as they are in the vault.


Ran = Sequence[Mapping[str, Any]]  # what the ledger has of the runs of skills, the oldest first
Sees = Callable[[str], bool]  # whether a caller sees all of the file at a path


# How the runs of a skill ended, as the ledger has them: how often it succeeds, how it failed last, and what does better.

EVENT = "ran"  # of the ledger
DEGRADED = 2  # failures in a row
WHY = 300  # characters of what went wrong, which may repeat a whole argument
# Who ended a run. Nobody can tell from a run that was broken off, or could not begin, whether the skill is good.
TOOL, CHECK, INTERRUPTED, AGENT, PERSON = "tool", "check", "interrupted", "agent", "person"
_TELLING = frozenset({TOOL, AGENT, PERSON})


class RunOutcome(NamedTuple):
    """How one run ended.

    Attributes:
        ts: when (ISO, UTC).
        ok: whether all of it was done.
        by: who ended it: `tool`, whose call failed or was the last; `check`, before the first call; `interrupted`; or the `agent`
            or `person` who told of it.
        why: what went wrong, in the words of who ended it.
        step: the number of the step that failed; 0 where it is not known.
        tool: the tool of that step.
        digest: of the skill's file as it was run.
    """

    ts: str
    ok: bool
    by: str = TOOL
    why: str = ""
    step: int = 0
    tool: str = ""
    digest: str = ""

    @property
    def where(self) -> str:
        """`step 2 (mail.send)`; empty where the step is not known."""
        return f"step {self.step}" + f" ({self.tool})" * bool(self.tool) if self.step else ""


class Outcomes(NamedTuple):
    """How the runs of one skill ended, the oldest first; `digest` is that of its file now."""

    runs: tuple[RunOutcome, ...] = ()
    digest: str = ""

    @property
    def telling(self) -> tuple[RunOutcome, ...]:
        """The runs that tell something of the skill."""
        return tuple(run for run in self.runs if run.by in _TELLING)

    @property
    def succeeded(self) -> int:
        """How many of these succeeded."""
        return sum(run.ok for run in self.telling)

    @property
    def rate(self) -> float:
        """The share of these that succeeded; 0 without one."""
        return round(self.succeeded / len(self.telling), 4) if self.telling else 0.0

    @property
    def last_failure(self) -> RunOutcome | None:
        """The latest run that failed."""
        return next((run for run in reversed(self.telling) if not run.ok), None)

    @property
    def degraded(self) -> bool:
        """True for a skill that, as it is written now, failed twice in a row and has not succeeded since."""
        last = [run.ok for run in self.telling if run.digest in ("", self.digest)][-DEGRADED:]
        return len(last) == DEGRADED and not any(last)

    @property
    def stopped(self) -> RunOutcome | None:
        """The latest run, if it could not begin."""
        last = self.runs[-1] if self.runs else None
        return last if last is not None and last.by == CHECK else None


NO_RUNS = Outcomes()


def outcomes_of(events: Iterable[Mapping[str, Any]], path: str, digest: str) -> Outcomes:
    """How the runs of the skill in a file ended; of one that was moved, those of the version that it has now."""
    mine = (event for event in events if event.get("path") == path or event.get("digest") == digest)
    return Outcomes(tuple(filter(None, map(_outcome, mine))), digest)


def keep_outcome(
    ledger: Ledger, skill: SkillFile, *, ok: bool, by: str, why: str, session: str, now: datetime
) -> RunOutcome:
    """Keeps how it went when somebody followed a skill. Raises VaultError: it could not be kept."""
    from memoryclaw.capture.log_records import strip_marks  # noqa: PLC0415 - a search notes no outcome

    reason = one_line(strip_marks(why).text)[:WHY]
    outcome = RunOutcome(timestamp(now), ok, by, reason, digest=skill.digest)
    values = {"skill": skill.name, "path": skill.path, "digest": skill.digest, "ok": ok, "by": by}
    values |= {key: value for key, value in (("why", reason), ("session", one_line(session))) if value}
    trouble = ledger.append(EVENT, values, now, durable=True)
    if trouble:
        raise VaultError(trouble.replace("use", "outcome", 1))
    return outcome


def _outcome(event: Mapping[str, Any]) -> RunOutcome | None:
    ok, ts = event.get("ok"), parse_timestamp(str(event.get("ts", "")))
    if not isinstance(ok, bool) or not ts:
        return None
    texts = {key: text_in(event.get(key)) for key in ("by", "why", "tool", "digest")}
    step = event.get("step")
    texts["by"] = texts["by"] or TOOL
    return RunOutcome(ts, ok, **texts, step=step if type(step) is int and step > 0 else 0)


def better(current: Outcomes, others: Iterable[tuple[str, Outcomes]]) -> str:
    """The name of what did better than a degraded skill: the most successful of the others; empty without one.

    Args:
        others: names and outcomes of what does the same, the best match first.
    """
    working = [(rival.rate, name) for name, rival in others if rival.succeeded and not rival.degraded]
    good = [(rate, name) for rate, name in working if rate > current.rate]
    return max(good, key=lambda rated: rated[0])[1] if good else ""


class ListedSkill(NamedTuple):
    """One skill and its state; `digests` are those of all its files, by path."""

    skill: SkillFile
    state: str  # approved | changed since approval | not approved | draft
    digests: dict[str, str]
    outcomes: Outcomes = NO_RUNS

    @property
    def name(self) -> str:
        """What the skill is called."""
        return self.skill.name

    @property
    def version(self) -> str:
        """The digest of all its files together: a decision may name it, and then is of exactly these bytes."""
        lines = "\0".join(f"{path}\0{digest}" for path, digest in sorted(self.digests.items()))
        return files.digest_of(lines.encode("utf-8", "surrogatepass"))[:16]


class LintedSkill(NamedTuple):
    """A skill and its problems."""

    listed: ListedSkill
    problems: tuple[Problem, ...]


# Matches skills to a request by their triggers, names and descriptions, without a model or an index.
# A score is exactly the sum of its terms, and every term is explained by its words.

TRIGGER, NAME, DESCRIPTION = 3.0, 2.0, 1.0  # what all the words of each are worth
ENOUGH = 1.0  # less than this is no match


class SkillMatch(NamedTuple):
    """How a skill matches a request."""

    skill: SkillFile
    score: float
    terms: tuple[Term, ...]
    matched: tuple[Matched, ...]


def match(request: str, skills: Iterable[SkillFile], language: Language) -> list[SkillMatch]:
    """The skills that share a word with the request, best first; those below ENOUGH are not a match."""
    words = _by_token(request, language)
    matches = [scored for skill in skills if (scored := _score(words, skill, language)).score > 0]
    return sorted(matches, key=lambda reading: (-reading.score, reading.skill.name, reading.skill.path))


def _by_token(text: str, language: Language) -> dict[str, str]:
    """The words of a text without stop words, by token."""
    words = [word for word in words_of(text) if not language.is_stop(word)]
    return {token: word for word in words for token in language.token(word).split()}


def _score(words: Mapping[str, str], skill: SkillFile, language: Language) -> SkillMatch:
    def hits_in(text: str, field: str) -> tuple[float, list[Matched]]:
        """The share of a text's words that the request has, and these words as the request spells them."""
        theirs = _by_token(text, language)
        both = [(words[token], word) for token, word in theirs.items() if token in words]
        hits = [Matched(our, field, "literal" if fold(our) == fold(word) else "stem") for our, word in both]
        return len(hits) / max(len(theirs), 1), hits

    header = skill.skill
    triggers = [hits_in(trigger, "trigger") for trigger in header.triggers]
    trigger = max(triggers, key=lambda pair: pair[0], default=(0.0, []))
    name = hits_in(header.name.replace("-", " ").replace("_", " "), "name")
    described = hits_in(header.description, "description")
    share = len({m.word for m in described[1]}) / max(len(set(words.values())), 1)
    values = (
        ("trigger", TRIGGER * trigger[0] ** 2, trigger[1]),
        ("name", NAME * name[0] ** 2, name[1]),
        ("description", DESCRIPTION * share, described[1]),
    )
    terms = tuple(Term(term, round(value, 4)) for term, value, _ in values if value)
    matched = tuple(hit for _, value, hits in values if value for hit in hits)
    return SkillMatch(skill, round(sum(term.value for term in terms), 4), terms, matched)


class SkillOffer(NamedTuple):
    """A skill that shares words with a request: how well it matches, and whether hosts are offered it."""

    match: SkillMatch
    state: str
    offered: bool
    why: str
    outcomes: Outcomes = NO_RUNS
    instead: str = ""  # what did better, where it failed twice in a row


def everything(_path: str) -> bool:
    """What the owner of a vault sees of it."""
    return True


def list_skills(root: str, sees: Sees = everything, ran: Ran = ()) -> list[ListedSkill]:
    """Every skill of a vault, drafts last, by name; of those whose files all are seen."""
    decisions = decisions_of(root)
    paths = [path for path in files.list_files(root, SKILLS) if _is_skill(path)]
    homes = {path.rpartition("/")[0] for path in paths if path.endswith("/SKILL.md")}
    # What else lies in the folder of a skill belongs to it and is not a skill of its own.
    homed = (path for path in paths if path.endswith("/SKILL.md") or path.rpartition("/")[0] not in homes)
    skills = [_read_listed(root, path, decisions) for path in homed]
    if ran:
        skills = [s._replace(outcomes=outcomes_of(ran, s.skill.path, s.skill.digest)) for s in skills]
    visible = (skill for skill in skills if all(map(sees, skill.digests)))
    return sorted(visible, key=lambda listed: (listed.state == DRAFT, listed.name, listed.skill.path))


def show_skill(root: str, name: str, sees: Sees = everything, ran: Ran = ()) -> LintedSkill:
    """One skill, by its name, its folder or its path. Raises NotFoundError: there is none; InputError: several go by this name."""
    skill = find(list_skills(root, sees, ran), name)
    return LintedSkill(skill, tuple(_lint(root, skill)))


def lint_skills(root: str, name: str = "") -> list[Problem]:
    """The problems of one skill, or of all; two skills of one name are one."""
    every = list_skills(root)
    chosen = [find(every, name)] if name else every
    first = {skill.name: skill.skill.path for skill in reversed(every)}
    twins = [
        Problem(
            skill.skill.path, 1, f"is called {skill.name}, as {first[skill.name]} is", "give one another name"
        )
        for skill in chosen
        if first[skill.name] != skill.skill.path
    ]
    return sorted([*twins, *(problem for skill in chosen for problem in _lint(root, skill))])


def match_skills(listed: Iterable[ListedSkill], request: str, language: Language) -> list[SkillOffer]:
    """Those of these skills that share a word with a request, best first."""
    if not request.strip():
        raise InputError("there is nothing to match: say what is to be done, such as 'send an email to John'")
    every = {skill.skill.path: skill for skill in listed}
    matches = match(request, [skill.skill for skill in every.values()], language)
    fitting = [every[skill.skill.path] for skill in matches if skill.score >= ENOUGH]
    return [_offer(skill, every[skill.skill.path], fitting) for skill in matches]


def approved_files(root: str, paths: Iterable[str]) -> set[str]:
    """Those of these files that belong to a skill that is approved as it is."""
    decisions = decisions_of(root)
    asked_paths = set(paths) if approvals(decisions) else set()
    skills = [_read_listed(root, skill, decisions) for skill in sorted({*_skills_with(root, asked_paths)})]
    return asked_paths.intersection(
        path for skill in skills if skill.state == APPROVED for path in skill.digests
    )


def _skills_with(root: str, paths: Iterable[str]) -> Iterator[str]:
    """The paths of the skills that these files belong to, as `list_skills` has them."""
    for path in paths:
        if not path.startswith(f"{SKILLS}/"):
            continue
        homes = [f"{folder}/SKILL.md" for folder in PurePosixPath(path).parents][:-1]
        around = [home for home in homes if files.is_file(root, home)]
        yield from around
        if homes[:1] != around[:1] and _is_skill(path) and files.is_file(root, path):
            yield path


def known_skills(vault: Vault) -> frozenset[str]:
    """The names of all skills and drafts, and the fingerprints of their tools; these are not proposed again."""
    every = [listed.skill for listed in list_skills(os.fspath(vault.root))]
    return frozenset(word for skill in every for word in (skill.name, skill.stem, fingerprint_of(skill)))


def fingerprint_of(skill: SkillFile) -> str:
    """The fingerprint of a skill: of its tools in order, else of its name."""
    return fingerprint("skill", *(skill.tools or (skill.name,)))


def find(every: list[ListedSkill], name: str) -> ListedSkill:
    """The skill with this name, folder or path; a path is never ambiguous."""
    key = name.strip().removesuffix("/")
    for keys in (_paths, lambda listed: (listed.name, listed.skill.stem)):
        matching = [skill for skill in every if key in keys(skill)]
        if len(matching) > 1:
            paths = " and ".join(skill.skill.path for skill in matching)
            raise InputError(f"{len(matching)} skills are called {key}: {paths}; give the path")
        if matching:
            return matching[0]
    close = get_close_matches(key, [skill.name for skill in every], 1)
    hint = f"did you mean {close[0]}?" if close else "`memoryclaw skills list` shows them all"
    raise NotFoundError(f"there is no skill called {key!r}; {hint}")


def _read_listed(root: str, path: str, decisions: Decisions) -> ListedSkill:
    read = files.read_file(root, path)
    skill = read_skill(path, read.data)
    beside = files.list_files(root, skill.folder) if skill.folder else []
    others = {file: files.read_file(root, file).digest for file in beside if file != path}
    odd = dict.fromkeys(files.list_odd(root, skill.folder) if skill.folder else (), ODD)
    digests = {path: read.digest, **others, **odd}
    good, state = approvals(decisions), NOT_APPROVED
    if path.startswith(f"{SKILLS}/_drafts/"):
        state = DRAFT
    elif any(approval.files == version_of(path, digests) for approval in good):
        state = APPROVED
    elif any(approval.path == path for approval in good):
        state = CHANGED
    return ListedSkill(skill, state, digests)


def _is_skill(path: str) -> bool:
    place = place_of(path)
    return place is not None and place.kind == "skill"


def _lint(root: str, skill: ListedSkill) -> list[Problem]:
    return lint(skill.skill.path, files.read_file(root, skill.skill.path).data)


def _offer(match: SkillMatch, listed: ListedSkill, fitting: Sequence[ListedSkill]) -> SkillOffer:
    name, state, outcomes = match.skill.name, listed.state, listed.outcomes
    if match.score < ENOUGH:
        few = "too few of its words are in the request"
        return SkillOffer(match, state, offered=False, why=few, outcomes=outcomes)
    approved = (
        (other.name, other.outcomes) for other in fitting if other is not listed and other.state == APPROVED
    )
    instead = better(outcomes, approved) if outcomes.degraded else ""
    reasons = {
        APPROVED: "it is approved",
        CHANGED: f"it was changed since it was approved; `memoryclaw skills approve {name}`",
        NOT_APPROVED: f"nobody has approved it here; `memoryclaw skills approve {name}`",
        DRAFT: f"it is a draft; `memoryclaw skills approve {name}`",
    }
    return SkillOffer(match, state, state == APPROVED, reasons[state], outcomes, instead)


def _paths(skill: ListedSkill) -> tuple[str, ...]:
    """Its path with and without extension, its folder, and a draft's folder from `_drafts/` on."""
    path, folder = skill.skill.path, skill.skill.folder
    home = folder or path.rpartition(".")[0]
    draft = home.removeprefix(f"{SKILLS}/") if skill.state == DRAFT else path
    return tuple(filter(None, (path, path.rpartition(".")[0], folder, draft)))
