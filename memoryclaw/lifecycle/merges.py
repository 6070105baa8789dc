"""What says the same under two names: episodes of several days, facts, entities. Each pair is proposed as a merge, none is made.

Candidates are found by words alone: the word trigrams of two episodes (Jaccard), the words of two names. One of a pair takes in
the other, in which case the old id or name goes on leading to it; where nothing says that the two are one, nothing is proposed.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from memoryclaw.consolidation import actions
from memoryclaw.consolidation.changes import PlannedChange
from memoryclaw.consolidation.planning import Shingles, shingles
from memoryclaw.index.catalog import Catalog
from memoryclaw.lifecycle.keeping import FactPlaces, UpkeepContext, is_open
from memoryclaw.model import Fact
from memoryclaw.text.encoding import readable
from memoryclaw.text.frontmatter import split
from memoryclaw.text.grammar import codes, grammar, tokens_of
from memoryclaw.text.language import fold, key_of, keys_of
from memoryclaw.text.memory_lines import read_line, without_ids
from memoryclaw.text.words import words
from memoryclaw.vault import files
from memoryclaw.vault.audience import label_in, label_of_note, of_folders
from memoryclaw.vault.conflict_rules import agree, key_of_fact
from memoryclaw.vault.edits import name_key
from memoryclaw.vault.export_gate import withheld_names
from memoryclaw.vault.forgotten import ForgottenLines
from memoryclaw.vault.layout import ALIASES_FILE, SEMANTIC, place_of
from memoryclaw.vault.logs import parse_ranges
from memoryclaw.vault.properties import names_of, text_of
from memoryclaw.writing.context import fact_in_words

MOST = 20  # pairs of one run; the others are left for the next
ALIKE = 0.6  # of the trigrams that two texts have together, as surely as their number allows
_SURE = 1.96  # standard errors: 95 in 100
_LEAST = 5  # trigrams; what is shorter is like too many others
_QUOTED = 3  # lines of an episode in its proposal


def merges(context: UpkeepContext) -> Iterator[PlannedChange]:
    """The merges to propose now, of entities first, then of facts, then of episodes, the most alike first."""
    # The entities of semantic files by the keys of their names; none of which a line is for some only, or in quarantine.
    facts_by_key: dict[str, list[tuple[str, Fact]]] = defaultdict(list)
    for path, fact in context.catalog.facts():
        if fact.entity:
            facts_by_key[key_of(fact.entity)].append((path, fact))
    entities = {
        key: NamedEntity(entity_facts[0][1].entity, tuple(entity_facts))
        for key, entity_facts in facts_by_key.items()
        if key and not any(fact.audience or fact.trust == "quarantined" for _, fact in entity_facts)
        and all(place_of(path) == SEMANTIC for path, _ in entity_facts)
    }  # fmt: skip
    every = (*_of_entities(context, entities), *_of_facts(context, entities), *_of_episodes(context))
    open_changes = [change for change in every if is_open(context, change)]
    remaining = len(open_changes) - MOST
    for number, change in enumerate(open_changes[:MOST], 1):
        remark = f"; {remaining} more {'pairs are' if remaining > 1 else 'pair is'} left for the next run"
        yield change._replace(reason=change.reason + remark) if number == MOST and remaining > 0 else change


# Episodes


class RunEpisode(NamedTuple):
    """An episode that a run wrote, as it is compared."""

    id: str
    path: str
    at: str
    trust: str
    lines: tuple[str, ...]  # of its body, without headings: a title is given, and not said
    ranges: tuple[str, ...]
    merged: tuple[str, ...] = ()  # what it took in before

    @property
    def text(self) -> str:
        """What was said."""
        return "\n".join(self.lines)


class Pair(NamedTuple):
    """Two texts that are nearly one: `takes` takes in `taken`."""

    takes: str
    taken: str
    score: float
    outcome: str  # reuse: the same but for spelling | absorb: one holds the other | near


def alike_pairs(texts: Sequence[tuple[str, str]]) -> list[Pair]:
    """The pairs of texts (id, text) that say nearly the same, the most alike first; every text is taken in once at most.

    Args:
        texts: in the order in which they came to be; of two that say the same, the first takes in the second.
    """
    order = {id_: number for number, (id_, _) in enumerate(texts)}
    sets = {id_: trigrams for id_, text in texts if len(trigrams := shingles(text)) >= _LEAST}
    same: dict[Shingles, str] = {}
    pairs = []
    for id_, trigrams in sets.items():
        first = same.setdefault(trigrams, id_)
        if first != id_:
            pairs.append(Pair(first, id_, 1.0, "reuse"))
    words_by_id = {id_: frozenset(_words_of_lines(text)) for id_, text in texts if id_ in sets}
    for first_id, second_id in _candidates({id_: trigrams for trigrams, id_ in same.items()}, order):
        takes, absorbed = sorted((first_id, second_id), key=lambda id_: (-len(sets[id_]), order[id_]))
        shared = len(sets[takes] & sets[absorbed])
        union = len(sets[takes]) + len(sets[absorbed]) - shared
        score = shared / union
        if shared == len(sets[absorbed]) or words_by_id[absorbed] <= words_by_id[takes]:
            pairs.append(Pair(takes, absorbed, score, "absorb"))
        elif surely(score, union) >= ALIKE:
            pairs.append(Pair(takes, absorbed, score, "near"))
    return list(_once(sorted(pairs, key=lambda pair: (-pair.score, pair.takes, pair.taken))))


def surely(share: float, of: int) -> float:
    """The least that a share is with 95 % certainty (Wilson), for it was counted on so many.

    Two bookings in the same words share 6 of 10 of few trigrams, and are two; two long texts that do are nearly one.
    """
    error = _SURE**2 / of
    spread = _SURE * math.sqrt(share * (1 - share) / of + error / (4 * of))
    return (share + error / 2 - spread) / (1 + error)


def _candidates(sets: Mapping[str, Shingles], order: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """The pairs that share one of the rarest trigrams of either: two that are alike always do, and so do one and what it holds."""
    counts = Counter(shingle for trigrams in sets.values() for shingle in trigrams)
    with_one: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for id_ in sorted(sets, key=order.__getitem__):
        for shingle in sets[id_]:
            if counts[shingle] > 1:
                with_one[shingle].append(id_)
    pairs_yielded = set()
    for id_, trigrams in sets.items():
        most = len(trigrams) - int(ALIKE * len(trigrams)) + 1
        for shingle in sorted(trigrams, key=lambda trigram: (counts[trigram], trigram))[:most]:
            for candidate in with_one.get(shingle, ()):
                pair = (id_, candidate) if order[id_] < order[candidate] else (candidate, id_)
                if id_ != candidate and pair not in pairs_yielded:
                    pairs_yielded.add(pair)
                    yield pair


def _words_of_lines(text: str) -> Iterator[str]:
    """The words of each line of a text, for two that say the same lines in another order."""
    for line in text.split("\n"):
        if key := key_of(without_ids(line)):
            yield key


def _once(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs in order, without those in which one is gone already or takes in another and is taken in itself."""
    absorbed, taking = set[str](), set[str]()
    for pair in pairs:
        if not {pair.takes, pair.taken} & absorbed and pair.taken not in taking:
            absorbed.add(pair.taken)
            taking.add(pair.takes)
            yield pair


def _of_episodes(context: UpkeepContext) -> Iterator[PlannedChange]:
    by_id = {episode.id: episode for episode in _run_episodes(context)}
    groups: dict[str, list[RunEpisode]] = defaultdict(list)
    for episode in by_id.values():
        groups[episode.trust].append(episode)  # what is trusted takes in nothing that is not
    pairs = [
        pair
        for trust in sorted(groups)
        for pair in alike_pairs([(episode.id, episode.text) for episode in groups[trust]])
    ]
    for pair in sorted(pairs, key=lambda pair: (-pair.score, pair.takes, pair.taken)):
        takes, absorbed = by_id[pair.takes], by_id[pair.taken]
        if takes.at[:10] != absorbed.at[:10]:  # those of one day are merged as they are written
            only, said = tuple[str, ...](), set(_words_of_lines(takes.text))
            if pair.outcome == "near":  # with their block ids where these are free
                blocks = {read_line(line).block for line in takes.text.split("\n")}
                only = tuple(
                    without_ids(line) if read_line(line).block in blocks else line
                    for line in absorbed.lines
                    if not set(_words_of_lines(line)) <= said
                )
            name = absorbed.path.rpartition("/")[2]
            to = files.free_path(context.writing.root, f"archive/episodes/{name}")
            reasons = {
                "reuse": "the two say the same but for spelling",
                "absorb": f"{takes.id} holds all that {absorbed.id} says",
                "near": f"the two are {pair.score:.0%} alike; the lines that only {absorbed.id} has go with it",
            }[pair.outcome]
            yield PlannedChange(
                kind="merge",
                title=f"{absorbed.id} repeats {takes.id}",
                actions=(
                    actions.AddSource(takes.path, absorbed.ranges),
                    actions.TakeIn(takes.path, (absorbed.id, *absorbed.merged), only),
                    actions.MoveFile(absorbed.path, to),
                ),
                evidence=(only or absorbed.lines)[:_QUOTED],
                source=" ".join(absorbed.ranges),
                reason=reasons,
                id=takes.id,
            )


def _run_episodes(context: UpkeepContext) -> Iterator[RunEpisode]:
    """The episodes that a run wrote, oldest first; none that is for some only, stays here, or has lines that were forgotten."""
    forgotten = ForgottenLines.of(context.decisions.forgotten)
    for id_, path, stamp, trust in context.catalog.rows(
        """select id, path, at, trust from files where kind = 'episode' and state = 'current' and trust != 'quarantined'
            and fid in (select fid from cited) order by at, id"""
    ):
        text = readable(context.writing.text(str(path)))
        note = split(text)
        low = {key.lower(): value for key, value in note.meta.items()}
        ranges = parse_ranges(text_of(low.get("source")))
        labels = of_folders(path, context.vault.labels), label_of_note(note).audience, label_in(text).audience
        withheld = withheld_names(path, text.encode()) or context.vault.doubts(str(path)).pieces
        if not ranges or note.broken or any(labels) or withheld or forgotten.marks_of(path):
            continue
        lines = (line.strip() for line in note.body.split("\n"))
        body = tuple(line for line in lines if line and not line.startswith("#"))
        merged = names_of(low, ("merged_from",))
        yield RunEpisode(str(id_), str(path), str(stamp), str(trust), body, tuple(map(str, ranges)), merged)


# Entities


class NamedEntity(NamedTuple):
    """An entity as it is compared: its name, its facts that hold, and the files that they stand in."""

    name: str
    facts: tuple[tuple[str, Fact], ...]

    @property
    def words(self) -> frozenset[str]:
        """The words of its name."""
        return frozenset(key_of(self.name).split())

    @property
    def stems(self) -> set[str]:
        """The names of the files of its facts."""
        return {path.rpartition("/")[2].removesuffix(".md").lower() for path, _ in self.facts}


class Called(NamedTuple):
    """Two names of which the shorter seems to be short for the longer."""

    name: str
    other: str
    why: str


def _of_entities(context: UpkeepContext, known: Mapping[str, NamedEntity]) -> Iterator[PlannedChange]:
    catalog, schema = context.catalog, context.writing.schema()
    many = frozenset(field for field, declared in schema.fields.items() if declared.many)
    # Everything that has a name.
    sql = "select distinct name from name where kind in ('entity', 'person', 'project')"
    names = {str(name) for (name,) in catalog.rows(sql)}
    pairs = [
        pair
        for pair in names_alike(list(known.values()), names, schema.collections)
        if key_of(pair.other) not in {key_of(word) for _, word in catalog.synonyms([key_of(pair.name)])}
        and not disagree(known[key_of(pair.name)], known[key_of(pair.other)], many)
    ]
    apart = pairs_apart(pairs, catalog) if pairs else set()
    for pair in pairs:
        if pair not in apart:
            other = known[key_of(pair.other)]
            spellings = {(path, name_key(fact.entity)): fact.entity for path, fact in other.facts}
            renamed = [actions.RenameEntity(path, name, pair.name) for (path, _), name in spellings.items()]
            current = (fact for _, fact in other.facts if fact.current)
            evidence = [f"{fact.entity}, {fact.field or 'said'}: {fact.value}" for fact in current]
            yield PlannedChange(
                kind="merge",
                title=f"{pair.other} and {pair.name} are one",
                actions=(*renamed, actions.AddSynonym(ALIASES_FILE, pair.name, pair.other)),
                evidence=tuple(evidence[:_QUOTED]),
                reason=f"{pair.other} and {pair.name} {pair.why}",
                id=pair.name,
            )


def names_alike(
    known: Sequence[NamedEntity], names: Iterable[str], collections: Iterable[str]
) -> list[Called]:
    """The pairs of entities of which one name is short for the other, or the same but for spelling.

    A name is short for another that has the same words and one that tells its kind (`Atlas`, `Project Atlas`), or for that of a
    person whose first or last name it is; not when it could be short for a third.

    Args:
        names: everything else that has a name.
        collections: names of files that hold entities of one kind each.
    """
    everything = {key_of(short) for short in (*names, *(short.name for short in known))}
    by_word: dict[str, set[str]] = defaultdict(set)
    for key in everything:
        for word in key.split():
            by_word[word].add(key)
    entities, spelled = {key_of(short.name): short for short in known}, defaultdict[str, list[str]](list)
    for key, short in sorted(entities.items()):
        for spelling in {fold(pairs).replace(" ", "") for pairs in keys_of(short.name)}:
            spelled[spelling].append(key)
    pairs = [
        Called(entities[same[0]].name, entities[duplicate].name, "are the same but for spelling")
        for same in spelled.values()
        for duplicate in same[1:]
    ]
    for key, short in sorted(entities.items()):
        wider = set.intersection(*(by_word[word] for word in short.words)) - {key}
        wider = {longer for longer in wider if set(longer.split()) > short.words}
        if len(wider) != 1:
            continue  # nothing, or who knows which
        longer = entities.get(next(iter(wider)))
        if longer is None or not _short_for(short, longer):
            continue
        # Two that stand in collections of different kinds are two.
        if short.stems & longer.stems or not short.stems | longer.stems <= {*collections}:
            pairs.append(
                Called(longer.name, short.name, f"may be one: {short.name} is short for {longer.name}")
            )
    return list(
        {frozenset((key_of(pair.name), key_of(pair.other))): pair for pair in reversed(pairs)}.values()
    )[::-1]


_PEOPLE = frozenset({"people", "contacts"})
_OWNED = re.compile(r"\w['’]s ")


def _short_for(shorter: NamedEntity, longer: NamedEntity) -> bool:
    if longer.words - shorter.words <= {key_of(word) for word in words("names.beside")}:
        return True
    names = key_of(longer.name).split()
    if _OWNED.search(longer.name) and not _OWNED.search(shorter.name):
        return False  # `Lena`, `Lena's book club`
    is_person = longer.stems <= _PEOPLE
    return is_person and len(shorter.words) == 1 and key_of(shorter.name) in (names[0], names[-1])


def disagree(first: NamedEntity, other: NamedEntity, many: Iterable[str]) -> bool:
    """True where a field that has one value has different ones in the two."""
    several = {*many}

    def told(named: NamedEntity) -> dict[str, set[str]]:
        values: dict[str, set[str]] = defaultdict(set)
        for _, fact in named.facts:
            if fact.current and not fact.is_statement:
                values[fact.field.casefold()].add(key_of(fact.value))
        return values

    mine, theirs = told(first), told(other)
    return any(mine[field] != theirs[field] for field in mine.keys() & theirs.keys() - several)


_LINK = re.compile(r"\[\[[^\[\]|]*\|([^\[\]]*)\]\]")


def pairs_apart(pairs: Iterable[Called], catalog: Catalog) -> set[Called]:
    """The pairs that some line of the vault tells of side by side: whoever wrote it means two things."""
    open_ = {pair: (_space_out(pair.name), _space_out(pair.other)) for pair in pairs}
    apart = set[Called]()
    for text in catalog.texts():
        folded = fold(text)
        near = [
            pair
            for pair in open_
            if pair not in apart
            and all(word in folded for word in {*key_of(pair.name).split(), *key_of(pair.other).split()})
        ]
        for line in text.split("\n") if near else ():
            spaced = _space_out(_LINK.sub(r"\1", line))
            for pair in near:
                longer, shorter = open_[pair]
                if longer in spaced and shorter in spaced.replace(longer, "  /  "):
                    apart.add(pair)
    return apart


def _space_out(text: str) -> str:
    return f" {'  '.join(key_of(text).split())} "


# Facts


def _of_facts(context: UpkeepContext, known: Mapping[str, NamedEntity]) -> Iterator[PlannedChange]:
    """The facts and statements of one entity that say the same in nearly the same words."""
    places = FactPlaces(context.writing)
    for _, entity in sorted(known.items()):
        groups: dict[str, list[tuple[str, Fact]]] = defaultdict(list)
        for path, fact in entity.facts:
            if fact.current:
                groups["" if fact.is_statement else key_of_fact(fact)].append((path, fact))
        for field, values in groups.items():
            order = sorted(values, key=lambda value: (value[1].day, value[0], value[1].line))
            for pair in repeated_values([fact.value for _, fact in order], statements=not field):
                takes, absorbed = order[int(pair.takes)], order[int(pair.taken)]
                yield _fact_merge(takes, absorbed, places.of(*absorbed), context.writing.today)


def repeated_values(values: Sequence[str], *, statements: bool) -> list[Pair]:
    """The pairs of values that say the same, named by their places; of two the one that says more takes in the other.

    Values of a field do where both may be right, statements where they have nearly the same words, the same numbers, and neither
    or both deny.
    """
    places = {str(place): value for place, value in enumerate(values)}
    if not statements:
        words_ = {place: frozenset(key_of(value).split()) for place, value in places.items()}
        fuller = (
            sorted(pair, key=lambda place: -len(places[place].split()))
            for pair in combinations(places, 2)
            if words_[pair[0]] & words_[pair[1]] and agree(places[pair[0]], places[pair[1]])
        )
        return [*_once(Pair(takes, absorbed, 1.0, "absorb") for takes, absorbed in fuller)]
    weight = {place: _weight(value) for place, value in places.items()}
    return [pair for pair in alike_pairs([*places.items()]) if weight[pair.takes] == weight[pair.taken]]


def _weight(value: str) -> tuple[frozenset[str], bool]:
    """The numbers of a value, and whether it denies something."""
    tokens = tokens_of(value)
    numbers = frozenset(token for token in tokens if any(map(str.isdigit, token)))
    return numbers, any(grammar(code).negations.within(tokens) for code in codes())


def _fact_merge(
    takes: tuple[str, Fact], absorbed: tuple[str, Fact], sources: Iterable[str], today: str
) -> PlannedChange:
    (path, fact), (other_path, duplicate) = takes, absorbed
    return PlannedChange(
        kind="merge",
        title=f"{fact_in_words(duplicate.entity, duplicate.field, duplicate.value)} is told twice",
        actions=(
            *(actions.ConfirmFact(path, fact.id, fact.value, source) for source in sources),
            actions.EndFact(other_path, duplicate.entity, duplicate.field, duplicate.value, today),
        ),
        evidence=(
            fact_in_words(fact.entity, fact.field, fact.value),
            fact_in_words(duplicate.entity, duplicate.field, duplicate.value),
        ),
        reason=f"{path}:{fact.line} says so as well; its sources go there, and the line moves to History",
        id=fact.id,
    )
