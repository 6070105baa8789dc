"""Seeded conversations as a host would log them: work, facts, small talk, tools. The same seed gives the same bytes.

python benchmarks/talk.py 365 DIR [--turns 100] [--seed 7]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from generate import Synthetic

FIRST_DAY = date(2025, 1, 1)
SESSION = 40  # turns of one session, about
_SMALL_TALK = ("ok", "Thanks!", "good morning", "Sure.", "👍", "hm", "One moment please.")
_STATED = (
    "The deadline of {project} is {day}.",
    "{person} is the lead of {project} now.",
    "{person}'s phone number is +49 40 {number}.",
    "My favourite coffee is {word}.",
    "We moved the budget of {project} to {number} EUR.",
    "I prefer {word} for the walls.",
)
_ROUTINES = (
    (("calendar_search", "when"), ("calendar_create", "title"), ("send_email", "to")),
    (("fetch_invoice", "number"), ("check_payment", "number"), ("send_reminder", "to")),
)


class Talk:
    """Days of conversation between a person and an assistant.

    Args:
        seed: another seed is another year.
    """

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._made = Synthetic(seed)

    def day(self, number: int, turns: int) -> dict[str, list[dict[str, Any]]]:
        """The turns of one day by session, about `turns` of them in all."""
        at = datetime.combine(FIRST_DAY + timedelta(days=number), datetime.min.time(), UTC) + timedelta(
            hours=7
        )
        sessions: dict[str, list[dict[str, Any]]] = {}
        left = turns
        while left > 0:
            session = f"{at:%Y-%m-%d}-{len(sessions) + 1}"
            sessions[session] = list(self._session(session, min(left, SESSION), at))
            left -= len(sessions[session])
            at += timedelta(hours=16) * SESSION / turns
        return sessions

    def _session(self, session: str, turns: int, at: datetime) -> Iterator[dict[str, Any]]:
        pick = self._random.choice
        person, project = pick(self._made.people), pick(self._made.projects)
        number = 0
        while number < turns:
            said = list(self._said(person, project))
            for values in said:
                number += 1
                at += timedelta(seconds=self._random.choice((4, 9, 25)))
                yield {"ts": f"{at:%Y-%m-%dT%H:%M:%SZ}", "session": session, "turn": number, **values}

    def _said(self, person: str, project: str) -> Iterator[dict[str, Any]]:
        """One exchange: small talk, a routine with tools, or a question and its answer."""
        dice = self._random.random()
        if dice < 0.15:
            yield {"role": "user", "content": self._random.choice(_SMALL_TALK)}
            return
        text = " ".join(self._made.sentences(self._random.randrange(6, 24)))
        if dice < 0.3:
            stated = self._random.choice(_STATED).format(
                person=person, project=project, word=self._made.zipf(1)[0],
                day=FIRST_DAY + timedelta(days=self._random.randrange(900)), number=self._random.randrange(1000, 99_999),
            )  # fmt: skip
            text = f"{text} {stated}"
        yield {"role": "user", "name": "Nora", "content": f"{person} asks about {project}: {text}"}
        if dice > 0.9:
            for tool, arg in self._random.choice(_ROUTINES):
                args = {arg: f"{person} {self._random.randrange(99)}", "project": project}
                yield {"role": "tool", "tool": tool, "args": args, "result": {"done": True}, "ok": True}
        yield {
            "role": "assistant",
            "name": "Pip",
            "content": " ".join(self._made.sentences(self._random.randrange(5, 30))),
        }


def write(folder: Path, day: dict[str, list[dict[str, Any]]]) -> int:
    """Writes the sessions of a day as log files and returns how many turns they hold."""
    for session, turns in day.items():
        path = folder / turns[0]["ts"][:10] / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    return sum(map(len, day.values()))


def main() -> int:
    """Writes days of logs below a folder."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("days", type=int)
    options.add_argument("folder", type=Path)
    options.add_argument("--turns", type=int, default=100, help="a day (default 100)")
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    talk = Talk(given.seed)
    print(sum(write(given.folder, talk.day(number, given.turns)) for number in range(given.days)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
