"""Pages that put together what stands apart: one of each entity, one of each topic. Quoted from the files, by no model. Pure.

A page is a function of the files: the same files, the same page. What a label keeps for some, what a person had forgotten and what
is in quarantine is in none. A topic is entities and tags that come together in at least three episodes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from memoryclaw.index.catalog import Catalog
from memoryclaw.late import NamedTuple
from memoryclaw.lifecycle.keeping import UpkeepContext
from memoryclaw.model import Fact, grouped
from memoryclaw.text.encoding import decode, readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.language import key_of
from memoryclaw.text.memory_lines import read_line
from memoryclaw.text.prompts import one_line
from memoryclaw.vault import generated
from memoryclaw.vault.audience import of_folders
from memoryclaw.vault.edits import set_property
from memoryclaw.vault.forgotten import ForgottenLines, omitted_lines, without_lines
from memoryclaw.vault.layout import slug
from memoryclaw.vault.logs import role_of
from memoryclaw.vault.properties import read_properties, text_of
from memoryclaw.vault.standings import standing_of_note, standings_of_lines
from memoryclaw.writing.context import Templates

ENTITIES, TOPICS = f"{generated.FOLDER}entities/", f"{generated.FOLDER}topics/"
TOGETHER = 3  # episodes in which two things come together before they make a topic
_MEMBERS = 6  # of a topic at most: more say nothing
_NAMED = 3  # members that a topic is named by
_EPISODES, _LINES, _PAST, _WIDTH = 30, 3, 10, 240  # what a page shows of each
_ENOUGH = 10  # episodes from which on what most of them name tells no topic


class Episode(NamedTuple):
    """An episode as pages quote it: without what is for some only and what was forgotten."""

    id: str
    path: str
    at: str
    title: str
    names: tuple[str, ...]  # entities, people and the project of its header
    tags: tuple[str, ...]
    lines: tuple[str, ...]
    keyed: tuple[str, ...]  # the words of each line, between spaces
    words: frozenset[str]  # of lines, title and header
    header: frozenset[str]  # the keys of what its header and its title name


class PageSubject(NamedTuple):
    """An entity with its facts, and their files; `also` are its other names."""

    name: str
    also: tuple[str, ...]
    facts: tuple[tuple[str, Fact], ...]

    @property
    def keys(self) -> frozenset[str]:
        """The keys of its names."""
        return frozenset(map(key_of, (self.name, *self.also)))


class Topic(NamedTuple):
    """Entities and tags (`#budget`) that belong together, the most frequent first, and the episodes that have two of them."""

    members: tuple[str, ...]
    episodes: tuple[str, ...]  # ids

    @property
    def name(self) -> str:
        """The most frequent members."""
        return ", ".join(member.removeprefix("#") for member in self.members[:_NAMED])


class GeneratedPage(NamedTuple):
    """A page as it would be now."""

    path: str
    kind: str  # entity | topic
    title: str
    sources: tuple[str, ...]  # ids of the notes that it is compiled from
    part: str  # what stands between the marks

    @property
    def fingerprint(self) -> str:
        """The digest of its generated part."""
        return fingerprint_of(self.part)


class View(NamedTuple):
    """A page in the list: how its file stands."""

    path: str
    kind: str  # entity | topic
    title: str
    state: str  # missing | current | stale | edited (between the marks) | orphan (nothing to compile it from) | own (a person's note)
    sources: int
    page: GeneratedPage | None = None


def fingerprint_of(part: str) -> str:
    """What a generated part is known by: 16 hex digits."""
    return hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# What pages are compiled from


def episodes_of(context: UpkeepContext) -> list[Episode]:
    """The episodes that pages may quote, the newest first."""
    forgotten, episodes = ForgottenLines.of(context.decisions.forgotten), []
    sql = """select id, path, at, title from files where kind = 'episode' and state = 'current'
        and trust in ('trusted', 'unknown') order by at desc, path"""
    for id_, path, stamp, title in context.catalog.rows(sql):
        read = context.vault.read(str(path))
        if read is None or of_folders(path, context.vault.labels):
            continue
        marks = forgotten.within(path, read[0])
        text = readable(without_lines(decode(read[0]).text, omitted_lines(marks)).text)
        note, doubts = split(text), context.vault.doubts(str(path))
        if note.broken or standing_of_note(note, doubts).audience:
            continue
        properties, body = read_properties(note.meta, {}), note.body.split("\n")
        labels = standings_of_lines(body, doubts=doubts)
        everybody = (*properties.entities, *properties.people, properties.project)
        names = tuple(dict.fromkeys(name for name in everybody if name and not role_of(name)))
        tags = tuple(dict.fromkeys(tag.lower() for tag in properties.tags))
        lines = tuple(
            line
            for body_line, label in zip(body, labels, strict=True)
            if (line := body_line.strip()) and not label.audience and not line.startswith("#")
        )
        # The title may stand on a line that is for some only.
        called = "" if any(label.audience for label in labels) else str(title)
        keyed = tuple(f" {key_of(line)} " for line in lines)
        header = frozenset(map(key_of, (*names, *tags)))
        words = frozenset(" ".join((*keyed, *header, key_of(called))).split())
        place = (str(id_), str(path), str(stamp))
        episodes.append(Episode(*place, called, names, tags, lines, keyed, words, header))
    return episodes


def subjects_of(catalog: Catalog) -> list[PageSubject]:
    """The entities that pages are made of, by name: those of which a fact is for everybody who works here."""
    sql = "select path from files where state = 'current' and trust in ('trusted', 'unknown')"
    trusted = {str(path) for (path,) in catalog.rows(sql)}
    facts_by_key = grouped(
        (key_of(fact.entity), (path, fact))
        for path, fact in catalog.facts()
        if fact.entity and not fact.audience and path in trusted and fact.trust in ("trusted", "unknown")
    )
    subjects, keys_taken = [], set[str]()
    for key in sorted(facts_by_key, key=lambda key: (-len(facts_by_key[key]), key)):
        if key in keys_taken or not key:
            continue
        others = dict.fromkeys(word for _, word in catalog.synonyms([key]))
        aliases = dict.fromkeys((key, *map(key_of, others)))
        keys = [alias for alias in aliases if alias in facts_by_key and alias not in keys_taken]
        keys_taken.update(keys)
        facts = [pair for entity_key in keys for pair in facts_by_key[entity_key]]
        name = facts[0][1].entity
        also = (*(facts_by_key[entity_key][0][1].entity for entity_key in keys[1:]), *others)
        names = {key_of(word): word for word in reversed(also) if key_of(word) != key}
        subjects.append(PageSubject(name, tuple(sorted(names.values(), key=key_of)), tuple(facts)))
    return sorted(subjects, key=lambda subject: (key_of(subject.name), subject.name))


def topics_of(episodes: Sequence[Episode], known: Mapping[str, str]) -> list[Topic]:
    """What belongs together in at least three episodes, by name.

    The pairs that come together most often are joined first, until a topic has six members. What more than half of many episodes
    name belongs to none.

    Args:
        known: the names of entities by the keys of all their names, so that two names of one count as one.
    """
    things_by_id = dict[str, frozenset[str]]()
    for episode in episodes:  # a tag that is called like one of its entities says no more
        names = {known.get(key_of(name), name) for name in episode.names}
        keys = {key for key, name in known.items() if name in names} | set(map(key_of, names))
        things_by_id[episode.id] = frozenset(names) | {
            f"#{tag}" for tag in episode.tags if key_of(tag) not in keys
        }
    counts = Counter(named for topics in things_by_id.values() for named in topics)
    most = len(episodes) / 2 if len(episodes) >= _ENOUGH else len(episodes)
    pairs = Counter(
        pair
        for topics in things_by_id.values()
        for pair in combinations(sorted(named for named in topics if counts[named] <= most), 2)
    )
    topic_of: dict[str, set[str]] = {}
    for (first, second), times in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        joined = topic_of.get(first, {first}) | topic_of.get(second, {second})
        if times >= TOGETHER and len(joined) <= _MEMBERS:
            topic_of.update(dict.fromkeys(joined, joined))
    topics = []
    for members in {frozenset(members) for members in topic_of.values()}:
        inside = [first.id for first in episodes if len(members & things_by_id[first.id]) > 1]
        often = Counter(named for id_ in inside for named in members & things_by_id[id_])
        ordered = sorted(
            members, key=lambda member: (-often[member], member.startswith("#"), key_of(member), member)
        )
        topics.append(Topic(tuple(ordered), tuple(inside)))
    return sorted(topics, key=lambda topic: topic.members)


# The pages


def pages(context: UpkeepContext) -> list[GeneratedPage]:
    """Every page as it would be now, by path."""
    subjects, episodes = subjects_of(context.catalog), episodes_of(context)
    name_by_key = {key: subject.name for subject in subjects for key in sorted(subject.keys)}
    topics = topics_of(episodes, name_by_key)
    entity_paths = _paths(ENTITIES, [subject.name for subject in subjects])
    topic_paths = _paths(TOPICS, [topic.name for topic in topics])
    ids = {str(path): str(id_) for path, id_ in context.catalog.rows("select path, id from files")}
    making = _Making(
        context.writing.templates,
        ids,
        dict(zip((subject.name for subject in subjects), entity_paths, strict=True)),
    )
    made_pages = [
        making.entity(shown, path, episodes, [
            _link(where, topic.name) for topic, where in zip(topics, topic_paths, strict=True) if shown.name in topic.members
        ])
        for shown, path in zip(subjects, entity_paths, strict=True)
    ]  # fmt: skip
    by_name, by_id = (
        {subject.name: subject for subject in subjects},
        {episode.id: episode for episode in episodes},
    )
    made_pages += [
        making.topic(topic, path, [by_id[id_] for id_ in topic.episodes], by_name)
        for topic, path in zip(topics, topic_paths, strict=True)
    ]
    return sorted(made_pages, key=lambda page: page.path)


def _paths(folder: str, names: Sequence[str]) -> list[str]:
    """A path for each name; where two would have the same, or a name no letter that a path may have, with a digest of the name."""
    used, paths = set[str](), []
    for name in names:
        path = f"{folder}{slug(name)}.md"
        if path in used or (slug(name) == "note" and key_of(name) != "note"):
            path = f"{folder}{slug(name)}-{fingerprint_of(key_of(name))[:6]}.md"
        used.add(path)
        paths.append(path)
    return paths


class _Making(NamedTuple):
    """What the parts of pages are rendered with."""

    templates: Templates
    ids: Mapping[str, str]  # path → id
    pages: Mapping[str, str]  # entity → the path of its page

    def entity(
        self, subject: PageSubject, path: str, episodes: Sequence[Episode], topics: Sequence[str]
    ) -> GeneratedPage:
        """The page of an entity."""
        named = ((episode, _naming(episode, subject.keys)) for episode in episodes)
        about = [(episode, lines) for episode, lines in named if lines is not None]
        field_facts = [pair for pair in subject.facts if not pair[1].is_statement]
        current = [pair for pair in field_facts if pair[1].current]
        past = [pair for pair in field_facts if not pair[1].current]
        past.sort(key=lambda pair: (pair[1].until, pair[1].since), reverse=True)
        statements = [pair for pair in subject.facts if pair[1].is_statement and pair[1].current]
        statements.sort(key=lambda pair: (pair[1].said, pair[1].id), reverse=True)
        rendered = self.templates.render(
            "notes/entity-page.md.j2",
            also=[_plain(name) for name in subject.also],
            facts=[_fact_line(*pair) for pair in current],
            statements=[_fact_line(*pair) for pair in statements],
            past=[_fact_line(*pair) for pair in past[:_PAST]],
            episodes=[_row(episode, lines) for episode, lines in about[:_EPISODES]],
            more=max(len(about) - _EPISODES, 0),
            topics=topics,
        )
        sources = [*(self.ids.get(where, where) for where, _ in subject.facts), *(e.id for e, _ in about)]
        return GeneratedPage(path, "entity", subject.name, tuple(dict.fromkeys(sources)), rendered)

    def topic(
        self, topic: Topic, path: str, episodes: Sequence[Episode], subjects: Mapping[str, PageSubject]
    ) -> GeneratedPage:
        """The page of a topic."""
        members = [subjects[member] for member in topic.members if member in subjects]
        facts = [
            pair
            for subject in members
            for pair in subject.facts
            if pair[1].current and not pair[1].is_statement
        ]
        keys = frozenset(
            key
            for member in topic.members
            for key in (subjects[member].keys if member in subjects else [key_of(member.removeprefix("#"))])
        )
        rendered = self.templates.render(
            "notes/topic-page.md.j2",
            count=len(episodes),
            members=[
                _link(self.pages[subject], subject) if subject in self.pages else _plain(subject)
                for subject in topic.members
            ],
            facts=[f"{_plain(fact.entity)}, {_fact_line(where, fact)}" for where, fact in facts],
            episodes=[_row(episode, _naming(episode, keys) or ()) for episode in episodes[:_EPISODES]],
            more=max(len(episodes) - _EPISODES, 0),
        )
        sources = [self.ids.get(where, where) for where, _ in facts] + [episode.id for episode in episodes]
        return GeneratedPage(path, "topic", topic.name, tuple(dict.fromkeys(sources)), rendered)


def _naming(episode: Episode, keys: Iterable[str]) -> tuple[str, ...] | None:
    """The lines of an episode that name one of these; empty where only its header or title does, None where nothing does."""
    padded = [f" {key} " for key in keys if key and episode.words.issuperset(key.split())]
    if not padded:
        return None
    lines = tuple(
        line
        for line, keyed_line in zip(episode.lines, episode.keyed, strict=True)
        if any(key in keyed_line for key in padded)
    )
    title = f" {key_of(episode.title)} "
    if lines or not episode.header.isdisjoint(keys) or any(key in title for key in padded):
        return lines[:_LINES]
    return None


def _row(episode: Episode, lines: Iterable[str]) -> dict[str, object]:
    when = episode.at[:10]
    link = _link(episode.path, episode.title or episode.id)
    return {"link": f"{when}: {link}" if when else link, "lines": [_plain(_bare(line)) for line in lines]}


def _bare(line: str) -> str:
    """A line without its bullet and its block id."""
    line = read_line(line).body
    return line[2:] if line[:2] in ("- ", "* ", "+ ") else line


def _fact_line(path: str, fact: Fact) -> str:
    """One fact with its days, where it comes from and where it stands."""
    says = f'"{_plain(fact.value)}"' if fact.is_statement else f"{_plain(fact.field)}: {_plain(fact.value)}"
    days = [f"since {fact.since}"] * bool(fact.since) + [f"until {fact.until}"] * bool(fact.until)
    days += [f"said {fact.said}"] * bool(fact.said) + [f"trust: {fact.trust}"] * (fact.trust != "trusted")
    note = f" ({', '.join(days)})" if days else ""
    source = fact.source.strip().strip("[]").partition("|")[0]
    links = [f"[[{source}]]"] if source and "[" not in source else []
    return " ".join([f"{says}{note}", *links, _link(path, path.rpartition("/")[2].removesuffix(".md"))])


def _link(path: str, title: str) -> str:
    name = _plain(title).translate({ord(mark): " " for mark in "[]|"})
    return f"[[{path.removesuffix('.md')}|{' '.join(name.split()) or path}]]"


def _plain(text: str) -> str:
    """Words of the vault on one line, which can neither end the generated part nor hide what follows."""
    line = one_line(text).replace("<!--", "<! --").replace("-->", "-- >").replace("%%", "% %")
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH].rstrip()}…"


# Pages and their files


def views(pages: Sequence[GeneratedPage], texts: Mapping[str, str]) -> list[View]:
    """How the file of each page stands, and the pages whose files are there and that nothing makes any more, by path."""
    listed = [_view(page, texts.get(page.path)) for page in pages]
    page_paths = {page.path for page in pages}
    for path, text in texts.items():
        if path not in page_paths and generated.is_generated(path, text):
            kind = "topic" if path.startswith(TOPICS) else "entity"
            meta = split(readable(text)).meta
            title = text_of(meta.get("title")) or path
            sources = meta.get(generated.SOURCES)
            listed.append(View(path, kind, title, "orphan", len(sources) if isinstance(sources, list) else 0))
    return sorted(listed, key=lambda view: view.path)


def _view(page: GeneratedPage, text: str | None) -> View:
    if text is None:
        state = "missing"
    elif not generated.is_generated(page.path, text):
        state = "own"
    elif was_edited(text):
        state = "edited"
    else:
        state = "current" if generated.generated_part(text) == page.part else "stale"
    return View(page.path, page.kind, page.title, state, len(page.sources), page)


def was_edited(text: str) -> bool:
    """True when somebody wrote between the marks: what was compiled had another fingerprint."""
    known_by = text_of(split(readable(text)).meta.get(generated.FINGERPRINT))
    return fingerprint_of(generated.generated_part(text)) != known_by


def compose(page: GeneratedPage, text: str | None, templates: Templates, *, edited: bool = False) -> str:
    """The text of a page's file with its generated part as it is now; all that a person wrote around it stays, byte for byte.

    What somebody changed between the marks stays as well, unless it is known that no person did (`edited`).
    """
    if text is None:
        return templates.render(
            "notes/view.md.j2",
            title=_plain(page.title),
            compiled_from=list(page.sources),
            fingerprint=page.fingerprint,
            part=page.part,
        )
    if not generated.is_generated(page.path, text) or (was_edited(text) and not edited):
        return text
    fresh = set_property(generated.with_part(text, page.part), generated.SOURCES, list(page.sources))
    return set_property(fresh, generated.FINGERPRINT, page.fingerprint)


def find(listed: Sequence[View], name: str) -> Iterator[View]:
    """The pages of this name, title or path."""
    key = key_of(name)
    for view in listed:
        if name in (view.path, view.path.removesuffix(".md")) or key_of(view.title) == key:
            yield view
