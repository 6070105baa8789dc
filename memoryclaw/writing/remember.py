"""remember: keeps what a person says: a fact of an entity and a field, a statement of an entity, else an episode. One commit."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.errors import ConflictError, InputError
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import split
from memoryclaw.vault import files
from memoryclaw.vault.edits import FactEdit, SemanticFile, add_statement, plain_words, set_fact
from memoryclaw.vault.layout import episode_name, free_name, place_of, timestamp
from memoryclaw.writing.context import WriteContext, Written, fact_in_words
from memoryclaw.writing.writer import Edit, text_change, write

_FACTS_FILE = "semantic/facts.md"
_SUMMARY = 120


def remember(
    context: WriteContext,
    text: str,
    *,
    entity: str = "",
    field: str = "",
    tags: Sequence[str] = (),
    source: str = "",
    claim: str = "",
) -> Written:
    """Keeps a text as an episode note, as the value of a fact, or, with an entity alone, as a statement.

    Args:
        context: the vault and the moment.
        text: what to keep.
        entity: what the fact or the statement is about.
        field: the fact's field; goes with `entity`.
        tags: tags of the episode.
        source: where it comes from: the id of a note or log, or a word.
        claim: what says so, where it is no person; what is kept has the trust `unknown` then, and nothing is where another value
            stands (`contradicts`, with that value as the notice).
    """
    if not text.strip():
        raise InputError("there is nothing to remember: the text is empty")
    if field.strip() and not entity.strip():
        raise InputError(
            "a fact needs an entity as well as a field; give neither to keep the text as an episode"
        )
    if entity.strip():
        return _fact(context, text, entity, field.strip() and field, source=source, claim=claim)
    return _episode(context, text.replace("\0", ""), tags, source, claim)


def _fact(context: WriteContext, value: str, entity: str, field: str, *, source: str, claim: str) -> Written:
    entity = context.lookup.entity_name(" ".join(entity.split()))
    path, run = fact_file(context, entity, field), context.run("remember")
    file, schema = context.semantic(path), context.schema()
    declared = schema.fields.get(" ".join(field.lower().split()))
    results: list[FactEdit] = []

    def change(text: str) -> str:
        many = declared is not None and declared.many
        result = (
            set_fact(
                text,
                file,
                entity=entity,
                field=field,
                value=value,
                since=context.today,
                source=source,
                many=many,
                claim=claim,
            )
            if field
            else add_statement(
                text, file, entity=entity, words=value, said=context.today, source=source, claim=claim
            )
        )
        results.append(result)
        return result.text

    def message() -> str:
        action = results[0].action
        return context.templates.commit_message(
            "remember-fact",
            run=run,
            path=path,
            fact=fact_in_words(entity, field, value),
            old=results[0].old if action == "superseded" else "",
            known=action == "confirmed",
            source=source or claim,
            confidence="",
        )

    outcome = write(
        context.root, [Edit(path, text_change(change))], message, verb="remember", now=context.now
    )
    result = results[0]
    if result.action == "contradicts":
        return Written("", path, "", result.action, result.old)
    if claim and result.action == "confirmed":
        result = result._replace(action="existing")
    if not field and result.action in {"confirmed", "existing"}:
        value = result.old  # as it stands there
    notice = outcome.notice if outcome.changed else "; ".join(filter(None, ("already known", outcome.notice)))
    return Written(
        _fact_id(file, result.text, entity, field, value), path, outcome.commit, result.action, notice
    )


def fact_file(context: WriteContext, entity: str, field: str) -> str:
    """The file where this fact stands already, else the first where the entity lives, else the file for all others."""
    known = [path for path in context.lookup.entity_files(entity) if _is_semantic(path)]
    for path in known:
        facts = context.semantic(path).facts(context.text(path)).facts
        if any(f.current and _same(f.entity, entity) and _same(f.field, field) for f in facts):
            return path
    return known[0] if known else _FACTS_FILE


def _is_semantic(path: str) -> bool:
    place = place_of(path)
    return place is not None and place == ("semantic", "current")


def _fact_id(file: SemanticFile, text: str, entity: str, field: str, value: str) -> str:
    value = " ".join(value.split()) if field else plain_words(value)
    own = [
        fact
        for fact in file.facts(text).facts
        if fact.current and _same(fact.entity, entity) and _same(fact.field, field)
    ]
    return next((fact.id for fact in own if fact.value == value), own[0].id)


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _episode(context: WriteContext, text: str, tags: Sequence[str], source: str, claim: str) -> Written:
    run, summary = context.run("remember"), _summary(text)
    name = free_name(
        f"episodes/{episode_name(context.now, summary)}", lambda path: files.exists(context.root, path)
    )
    id_ = name.rpartition("/")[2].removesuffix(".md")
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
        body=text.strip("\r\n"),
    )

    def change(data: bytes | None) -> bytes:
        if data is not None and data != note.encode("utf-8", "replace"):
            raise ConflictError(f"{name} was created meanwhile; try again")
        return note.encode("utf-8", "replace")

    def message() -> str:
        return context.templates.commit_message(
            "remember-episode",
            run=run,
            path=name,
            summary=summary,
            source=source or claim,
            confidence="medium" if claim else "high",
        )

    if claim and (known := _same_episode(context, summary, text)):
        return Written(*known, "", "existing")
    outcome = write(context.root, [Edit(name, change)], message, verb="remember", now=context.now)
    return Written(id_, name, outcome.commit, "added", outcome.notice)


def _same_episode(context: WriteContext, summary: str, text: str) -> tuple[str, str] | None:
    """Id and path of the episode that says just this."""
    for id_, path in context.lookup.episodes_titled(summary.encode("utf-8", "replace").decode()):
        if split(readable(context.text(path))).body.strip() == text.strip():
            return id_, path
    return None


def _summary(text: str) -> str:
    """The first line with words on it, cut at a word."""
    first = next(line for line in text.splitlines() if line.strip())
    first = " ".join(first.lstrip("#->* \t").split()) or " ".join(text.split())
    return first if len(first) <= _SUMMARY else first[:_SUMMARY].rpartition(" ")[0] + " …"
