"""Builds the vaults of a half: facts that change, tags and names, other languages; with the questions on them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from trapset.holdings import Holdings, Tongue
from trapset.talks import MONTHS

Row = dict[str, Any]
SESSION = 14  # turns of a log
BOTH = 2  # questions of a row: one for each person


class Holding:
    """One vault as it grows: its files, its pieces with their ids, its questions."""

    def __init__(self, id_: str, seed: str, settings: str = "") -> None:
        self.id = id_
        self.rng = Random(seed)
        self.files: dict[str, str] = {"memoryclaw.yaml": settings}
        self.pieces: list[Row] = []
        self.questions: list[Row] = []

    def piece(self, id_: str, text: str) -> str:
        """Keeps what a plain index would hold of a unit."""
        self.pieces.append({"conv": self.id, "id": id_, "text": text})
        return id_

    def note(self, name: str, text: str, **header: str) -> str:
        """Writes a note, and returns its id."""
        head = "".join(f"{key}: {value}\n" for key, value in header.items())
        self.files[f"{name}.md"] = (f"---\n{head}---\n" if head else "") + text + "\n"
        return self.piece(name, f"{head} {text}")

    def ask(self, category: str, question: str, evidence: str, without: tuple[str, ...] = ()) -> None:
        """Keeps a question, the id of its evidence, and the ids that would mislead."""
        self.questions.append({
            "conv": self.id, "qid": f"{self.id}/q{len(self.questions)}", "question": question, "category": category,
            "evidence": [evidence], "not": list(without),
        })  # fmt: skip


def holdings_of(holdings: Holdings) -> list[Holding]:
    """All vaults of a half."""
    tongues = [_tongue(tongue, holdings, number) for number, tongue in enumerate(holdings.tongues)]
    return [_changed(holdings), _tags(holdings), *tongues]


def _changed(holdings: Holdings) -> Holding:
    """Facts that changed twice: asked for as they are, or as they were."""
    vault = Holding("facts", f"{holdings.seed}/facts")
    rng, text = vault.rng, []
    for entity in holdings.entities:
        now, past = [f"# {entity}"], ["## History"]
        for field in rng.sample(tuple(holdings.fields), 3):
            values, months = rng.sample(holdings.fields[field], 3), sorted(rng.sample(range(2, 32, 4), 3))
            days = [
                f"{holdings.year + month // 12}-{month % 12 + 1:02}-1{rng.randrange(10)}" for month in months
            ]
            base = f"semantic/ventures#{entity}.{field}"
            ids = [f"{base}~2", f"{base}~3", base]
            now.append(f"- {field}: {values[2]} [since:: {days[2]}]")
            past += [f"- {field}: {values[n]} [since:: {days[n]}] [until:: {days[n + 1]}]" for n in range(2)]
            for id_, value in zip(ids, values, strict=True):
                vault.piece(id_, f"{entity} {field}: {value}")
            _ask_changed(vault, holdings, (entity, field), ids, months)
            if rng.random() < 0.5:
                _rumour(vault, holdings, entity, field, values[0])
        text.append("\n".join([*now, "", *past]))
    vault.files["semantic/ventures.md"] = "\n\n".join(text) + "\n"
    return vault


def _ask_changed(
    vault: Holding, holdings: Holdings, about: tuple[str, str], ids: list[str], months: list[int]
) -> None:
    entity, field = about
    if vault.rng.random() < 0.5:
        question = vault.rng.choice(holdings.now).format(entity=entity, field=field)
        vault.ask("facts", question, ids[2], (ids[0], ids[1]))
        return
    which = vault.rng.randrange(2)
    month = months[which] + 1 + vault.rng.randrange(2)  # well inside: a value holds four months at least
    spoken = f"{MONTHS[month % 12]} {holdings.year + month // 12}"
    if vault.rng.random() < 0.4:
        spoken = f"the week of {7 + vault.rng.randrange(19)} {spoken}"
    question = vault.rng.choice(holdings.then).format(entity=entity, field=field, month=spoken)
    vault.ask("facts", question, ids[which], tuple(id_ for id_ in ids if id_ != ids[which]))


def _rumour(vault: Holding, holdings: Holdings, entity: str, field: str, value: str) -> None:
    text = vault.rng.choice(holdings.rumours).format(entity=entity, field=field, value=value)
    number = len(vault.files)
    vault.note(f"notes/rumour-{number}", text)


def _tags(holdings: Holdings) -> Holding:
    """What stands in headers, synonyms and links instead of the text."""
    vault = Holding("tags", f"{holdings.seed}/tags")
    rng = vault.rng
    for number, (tag, text, about) in enumerate(holdings.tagged):
        full = f"log/{tag}" if number % 2 else tag
        note = vault.note(f"notes/entry-{number}", text, tags=f"[{full}]")
        vault.ask("tags", rng.choice(holdings.by_tag).format(tag=tag, full=full, about=about), note)
        for place, form in enumerate(rng.sample(holdings.tag_decoys, 2)):
            vault.note(f"notes/talk-{number}-{place}", form.format(tag=tag, Tag=tag.capitalize()))
    _nicknames(vault, holdings)
    _meetings(vault, holdings)
    for number, (target, text, about) in enumerate(holdings.linked):
        vault.files[f"people/{target}.md"] = f"# {target}\n\nNothing here yet.\n"
        vault.piece(f"people/{target}", f"{target} Nothing here yet.")
        note = vault.note(f"notes/link-{number}", text.format(target=target))
        vault.ask("tags", rng.choice(holdings.by_link).format(target=target, about=about), note)
        vault.note(f"notes/call-{number}", rng.choice(holdings.link_decoys).format(target=target))
    return vault


def _nicknames(vault: Holding, holdings: Holdings) -> None:
    lines, aliases = [], []
    for entity, nick in holdings.nicknames:
        lines.append(f"# {entity}")
        aliases.append(f'"{entity}": ["{nick}"]')
        fields = vault.rng.sample(tuple(holdings.fields), 3)
        for field in fields:
            value = vault.rng.choice(holdings.fields[field])
            lines.append(f"- {field}: {value}")
            vault.piece(f"semantic/ventures#{entity}.{field}", f"{entity} {field}: {value}")
        wanted = vault.rng.choice(fields)
        question = vault.rng.choice(holdings.by_nickname).format(nick=nick, field=wanted)
        vault.ask("tags", question, f"semantic/ventures#{entity}.{wanted}")
    vault.files["semantic/ventures.md"] = "\n".join(lines) + "\n"
    vault.files["semantic/aliases.yaml"] = "\n".join(aliases) + "\n"


def _meetings(vault: Holding, holdings: Holdings) -> None:
    """Each subject was settled with three people, on three days: the names stand in the header alone."""
    number = 0
    for subject, agreed in holdings.meetings:
        who = vault.rng.sample(holdings.people, 3)
        notes = []
        for name in who:
            number += 1
            text = vault.rng.choice(holdings.agreed).format(subject=subject, agreed=agreed)
            path = (
                f"episodes/{holdings.year}-0{1 + number % 9}-1{number % 10}_10-00-{number:02}_talk-{number}"
            )
            header = {
                "timestamp": f"{holdings.year}-0{1 + number % 9}-1{number % 10}T10:00:00Z",
                "participants": f"[{name}]",
            }
            notes.append(vault.note(path, text, **header))
        for place in range(BOTH):
            question = vault.rng.choice(holdings.by_person).format(name=who[place], subject=subject)
            vault.ask("tags", question, notes[place])


def _tongue(tongue: Tongue, holdings: Holdings, number: int) -> Holding:
    """A vault in another language: what one person did stands in the logs, what the other did in notes."""
    vault = Holding(
        f"tongue-{number}", f"{holdings.seed}/tongue/{number}",
        f"index:\n  language: {tongue.code}\n" if tongue.code != "none" else "",
    )  # fmt: skip
    rng, said = vault.rng, []
    for place, (done, asked, noun) in enumerate(tongue.rows):
        speaker, writer = tongue.people if place % 2 else tongue.people[::-1]
        here, there = rng.sample(tongue.where, 2)
        said.append((speaker, rng.choice(tongue.tellings).format(said=done, where=here), asked))
        text = rng.choice(tongue.noted).format(name=writer, said=done, where=there)
        note = vault.note(f"notes/{rng.choice(tongue.titles)}-{place}", text)
        vault.ask(tongue.category, rng.choice(tongue.asked).format(name=writer, asked=asked), note)
        decoys = [form.format(name=speaker, noun=noun) for form in (*tongue.decoys, *tongue.decoys[:2])]
        said += [(writer, text, "") for text in decoys]
        said += [(rng.choice(tongue.people), rng.choice(tongue.chatter), "") for _ in range(2)]
    rng.shuffle(said)
    for at in range(0, len(said), SESSION):
        _log(vault, tongue, holdings.year, at // SESSION + 1, said[at : at + SESSION])
    return vault


def _log(vault: Holding, tongue: Tongue, year: int, session: int, said: list[tuple[str, str, str]]) -> None:
    lines = []
    day = f"{year}-{1 + session % 12:02}-{2 + session:02}"
    for turn, (name, text, asked) in enumerate(said, 1):
        line = {
            "ts": f"{day}T18:00:00Z", "session": f"t{session}", "turn": turn, "role": "user", "name": name, "content": text,
        }  # fmt: skip
        lines.append(json.dumps(line, ensure_ascii=False))
        id_ = vault.piece(f"log:t{session}/{turn}", text)
        if asked:
            question = vault.rng.choice(tongue.asked).format(name=name, asked=asked)
            vault.ask(tongue.category, question, id_)
    vault.files[f"logs/{day}/t{session}.jsonl"] = "\n".join(lines) + "\n"
