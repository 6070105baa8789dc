"""remember: keeps what a person says: a fact of an entity and a field, a statement of an entity, else an episode. One commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from memoryclaw.errors import ConflictError, InputError, NameTakenError
from memoryclaw.late import NamedTuple
from memoryclaw.model import NOTHING
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.prompts import cut_short
from memoryclaw.vault import edits, files
from memoryclaw.vault.fact_values import same_field
from memoryclaw.vault.layout import episode_name, place_of, timestamp
from memoryclaw.writing.context import WriteContext, Written, fact_in_words
from memoryclaw.writing.tombstones import Tombstones, lift_edits, of_fact
from memoryclaw.writing.writer import Edit, commit, new_file, text_change, write

_SUMMARY = 120
_REPLACED = frozenset({"superseded", "corrected"})  # what was done to a fact that had another value
AGAIN = "it was forgotten for good once; you say it again, so it is no longer kept away"


class MemoryPart(NamedTuple):
    """One fact, or statement (then `field` is empty), of what is to be remembered, and the file that it goes to."""

    entity: str
    field: str
    value: str
    path: str
    many: bool = False
    replaces: tuple[str, ...] = ()  # statements that it says anew
    ended: bool = False  # it holds no longer

    def __str__(self) -> str:
        kind = f"{'the end of ' * self.ended}{'a fact' if self.field else 'a statement'}"
        field = f", field {self.field!r}" if self.field else ""
        return f"{kind}: entity {self.entity!r}{field}, value {self.value!r}"


def remember_parts(
    context: WriteContext,
    parts: Sequence[MemoryPart],
    *,
    source: str = "",
    claim: str = "",
    lifecycle: Mapping[str, str] = NOTHING,
    patching: bool = True,
    understood: bool = True,
) -> Written:
    """Keeps facts and statements that were said in one breath, all with one lifecycle; one commit of all of them.

    Args:
        claim: as for `remember`.
        patching: a fact that the property of a note holds is set there.
        understood: the answer tells how the words were understood.
    """
    run, schema, first = context.run("remember"), context.schema(), parts[0]
    for part in parts:
        if part.field and (wrong := schema.misfit(part.field, part.value)):
            raise InputError(f"{wrong}; nothing was written")
    is_patched = patching and not (claim or lifecycle)
    in_notes = [_in_note(context, part) for part in parts] if is_patched else list(parts)
    if in_notes != list(parts):
        understood = True
        # Else a note has work that is not committed, or the value no line of its own.
        with suppress(ConflictError, InputError):
            return remember_parts(context, in_notes, source=source, patching=False)
    edits_done: dict[int, edits.FactEdit] = {}

    def change(path: str, text: str) -> str:
        file = context.semantic(path)
        for number, part in enumerate(parts):
            if part.path == path:
                many = part.many or schema.holds_many(part.field)
                edit = _set(context, text, file, part, source=source, claim=claim, many=many)
                if lifecycle and edit.action != "contradicts":
                    id_ = _id_of_part(file, edit, part)
                    edit = edit._replace(text=edits.with_inline(edit.text, file, id_, lifecycle))
                edits_done.setdefault(number, edit)  # of the working file, which comes before git's
                text = edit.text
        return text

    def message() -> str:
        sentence = fact_in_words(first.entity, first.field, first.value)
        others, edit = len(parts) - 1, edits_done[0]
        return context.templates.commit_message(
            "remember-fact",
            run=run,
            path=first.path,
            fact=f"{sentence} (and {others} more)" if others else sentence,
            old=edit.old if edit.action == "superseded" else "",
            patched=edit.old if edit.action == "corrected" else "",
            known=edit.action == "confirmed",
            source=source or claim,
            confidence="",
        )

    erased = Tombstones.of(context)
    digests = (d for part in parts for d in of_fact(erased.digest, part.entity, part.field, part.value))
    erased_again = erased.known.intersection(digests)
    paths = dict.fromkeys(part.path for part in parts)
    changes = [Edit(path, text_change(partial(change, path)), undoable=True) for path in paths]
    outcome = write(
        context.root, [*changes, *lift_edits(erased_again)], message, verb="remember", now=context.now, begin=edits_done.clear
    )  # fmt: skip
    edit = edits_done[0]
    if edit.action == "contradicts":
        return Written("", first.path, "", edit.action, edit.old)
    action = "existing" if claim and edit.action == "confirmed" else edit.action
    replaced = [
        f"it replaces {fact_edit.old!r}" for fact_edit in edits_done.values() if fact_edit.action in _REPLACED
    ]
    reading = ["understood as " + ", and ".join(str(part) for part in parts), *replaced] if understood else []
    known = "" if outcome.changed else "already known"
    remarks = (*reading, known, AGAIN if erased_again else "", outcome.notice)
    id_ = _id_of_part(context.semantic(first.path), edit, first)
    return Written(id_, first.path, outcome.commit, action, "; ".join(filter(None, remarks)))


def _id_of_part(file: edits.SemanticFile, done: edits.FactEdit, part: MemoryPart) -> str:
    """The id of what was written; a statement that stood there already has its own words."""
    stood = not part.field and done.action == "confirmed"
    return _fact_id(file, done.text, part.entity, part.field, done.old if stood else part.value)


def _set(
    context: WriteContext,
    text: str,
    file: edits.SemanticFile,
    part: MemoryPart,
    *,
    source: str,
    claim: str,
    many: bool,
) -> edits.FactEdit:
    entity, field, value, today = part.entity, part.field, part.value, context.today
    if part.ended:
        id_ = _fact_id(file, text, entity, field, value)
        return edits.FactEdit(edits.end_fact(text, file, id_, today), "ended", value)
    if file.is_note:
        return edits.correct_fact(text, file, _fact_id(file, text, entity, field, value), value)
    edit = (
        edits.set_fact(
            text, file, entity=entity, field=field, value=value, since=today, source=source, many=many, claim=claim
        )
        if field
        else edits.add_statement(
            text, file, entity=entity, words=value, said=today, source=source, replaces=part.replaces, claim=claim
        )
    )  # fmt: skip
    if claim and edit.action in {"confirmed", "contradicts"}:
        # Of a value that it may not see, an agent learns no more than that its claim has to wait.
        seen = file.current(context.as_seen(part.path, text), entity, field)
        if not any(edit.old in (f.value, *map(str.strip, f.value.split(","))) for f in seen):
            return edits.FactEdit(text, "contradicts")
    return edit


def remember(
    context: WriteContext,
    text: str,
    *,
    entity: str = "",
    field: str = "",
    tags: Sequence[str] = (),
    source: str = "",
    claim: str = "",
    lifecycle: Mapping[str, str] = NOTHING,
    body: str = "",
) -> Written:
    """Keeps a text as an episode note, as the value of a fact, or, with an entity alone, as a statement.

    Args:
        source: where it comes from: the id of a note or log, or a word.
        claim: what says so, where it is no person; what is kept has the trust `unknown` then, and nothing is where another value
            stands (`contradicts`, with that value as the notice).
        lifecycle: its `type`, `scope` and `expires`, as files write them.
        body: of an episode, where it is another than the text: its to-dos as lines.
    """
    if not text.replace("\0", "").strip():
        raise InputError("there is nothing to remember: the text is empty")
    if field.strip() and not entity.strip():
        raise InputError(
            "a fact needs an entity as well as a field; give neither to keep the text as an episode"
        )
    if entity.strip():
        entity, field = context.lookup.entity_name(" ".join(entity.split())), field.strip() and field
        many = context.schema().holds_many(field)
        part = MemoryPart(entity, field, text, fact_file(context, entity, field), many=many)
        return remember_parts(
            context, [part], source=source, claim=claim, lifecycle=lifecycle, understood=False
        )
    text = text.replace("\0", "")
    first = next(line for line in text.splitlines() if line.strip())
    first = " ".join(first.lstrip("#->* \t").split()) or " ".join(text.split())
    summary = cut_short(first, _SUMMARY)

    def create(name: str) -> Written:
        id_ = _id_of(name)
        note = context.templates.render(
            "notes/episode.md.j2",
            id=id_,
            timestamp=timestamp(context.now),
            tags=[cleaned for tag in tags if (cleaned := "-".join(tag.strip().lstrip("#").split()))],
            summary=summary,
            participants=["user", "assistant"],
            confidence="high" if not claim else "medium",
            trust="unknown" if claim else "trusted",
            source=source or claim,
            lifecycle={key: value for key, value in lifecycle.items() if value},
            body=(body or text).strip("\r\n"),
        )
        erased_again = Tombstones.of(context).within(text, "tv")
        outcome = commit(
            context,
            [new_file(name, note), *lift_edits(erased_again)],
            "remember-episode",
            verb="remember",
            path=name,
            summary=summary,
            source=source or claim,
            confidence="medium" if claim else "high",
        )
        notice = "; ".join(filter(None, (AGAIN if erased_again else "", outcome.notice)))
        return Written(id_, name, outcome.commit, "added" if outcome.changed else "existing", notice)

    titled = context.lookup.episodes_titled(summary.encode("utf-8", "replace").decode()) if claim else ()
    if twin := next((episode for episode in titled if _says(context, episode[1], text)), None):
        return Written(*twin, "", "existing")
    while True:
        name = files.free_path(context.root, f"episodes/{episode_name(context.now, summary)}")
        try:
            return create(name)
        except NameTakenError:
            if claim and _says(context, name, text):
                return Written(_id_of(name), name, "", "existing")


def _in_note(context: WriteContext, part: MemoryPart) -> MemoryPart:
    """The part as the property of the one note that holds its fact; as it is where none does, or `semantic/` holds it."""
    places = [
        (path, fact)
        for path in (context.lookup.entity_files(part.entity) if part.field and not part.many else ())
        if (place := place_of(path)) is not None and place.state == "current"
        for fact in context.semantic(path).facts(context.text(path)).facts
        if fact.current and same_field(fact.field, part.field) and edits.same(fact.entity, part.entity)
    ]
    if len(places) != 1 or not context.semantic(places[0][0]).is_note or places[0][1].end_line:
        return part
    path, fact = places[0]
    return MemoryPart(fact.entity, fact.field, part.value, path)


def fact_file(context: WriteContext, entity: str, field: str) -> str:
    """The file where this fact stands already, else the first where the entity lives, else the file for all others."""
    paths = [
        path for path in context.lookup.entity_files(entity) if place_of(path) == ("semantic", "current")
    ]
    holding = (path for path in paths if context.semantic(path).current(context.text(path), entity, field))
    return next(chain(holding, paths, ["semantic/facts.md"]))


def _fact_id(file: edits.SemanticFile, text: str, entity: str, field: str, value: str) -> str:
    value = " ".join(value.split()) if field else edits.quotable(value)
    facts = file.current(text, entity, field)
    return next((fact.id for fact in facts if fact.value == value), facts[0].id)


def _id_of(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _says(context: WriteContext, path: str, text: str) -> bool:
    """True when an episode says just this, and the caller sees that it does."""
    existing = context.text(path)
    return (
        split(readable(existing)).body.strip() == text.strip() and context.as_seen(path, existing) == existing
    )
