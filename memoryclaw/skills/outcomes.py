"""How the runs of a skill ended, as the ledger has them: how often it succeeds, how it failed last, and what does better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from memoryclaw.errors import VaultError
from memoryclaw.skills.skill_file import SkillFile
from memoryclaw.text.dates import parse_timestamp
from memoryclaw.text.prompts import one_line
from memoryclaw.vault.layout import timestamp
from memoryclaw.vault.ledger import Ledger

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
    def told(self) -> tuple[RunOutcome, ...]:
        """The runs that tell something of the skill."""
        return tuple(run for run in self.runs if run.by in _TELLING)

    @property
    def succeeded(self) -> int:
        """How many of these succeeded."""
        return sum(run.ok for run in self.told)

    @property
    def rate(self) -> float:
        """The share of these that succeeded; 0 without one."""
        return round(self.succeeded / len(self.told), 4) if self.told else 0.0

    @property
    def last_failure(self) -> RunOutcome | None:
        """The latest run that failed."""
        return next((run for run in reversed(self.told) if not run.ok), None)

    @property
    def degraded(self) -> bool:
        """True for a skill that, as it is written now, failed twice in a row and has not succeeded since."""
        last = [run.ok for run in self.told if run.digest in ("", self.digest)][-DEGRADED:]
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
    values = {key: event.get(key) for key in ("by", "why", "tool", "digest")}
    texts = {key: value if isinstance(value, str) else "" for key, value in values.items()}
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
