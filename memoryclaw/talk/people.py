"""Names in a conversation, and who is what to whom: `my sister chichi`, `rhodris brother gethin`, `Dilys is my preceptor`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, pairwise

from memoryclaw.late import NamedTuple
from memoryclaw.text import words as lists
from memoryclaw.text.grammar import ELIDED, Clause, Grammar, codes, grammar, spans_of, spoken_in, tokens_of
from memoryclaw.text.language import key_of, plain, sentences
from memoryclaw.vault.fact_values import KIN, NOUNS, PETS, is_of_people, noun_of

_LONGEST = 4  # words of a name, its particles not counted
_OPENING = 200  # characters of a sentence that hold the name it begins with
_WORD = re.compile(r"[^\W\d_][\w.&'’-]*")
_BREAK = re.compile(r"[^\w\s'’-]")  # where a name ends
# Between a relative and a name, and around both: `my wife, Ana, works`, `Tom (my brother)`, `Rachel - my boss - moved`.
_APART = re.compile(r"\s?[,()]\s?|\s[-–—]\s")
_CAPITALISED = r"[^\W\d_a-zß-ÿ][\w.'’-]{0,30}"
_CALLED = rf"({_CAPITALISED}(?: {_CAPITALISED}){{0,3}})"
_NAME_BEHIND = re.compile(rf"(?:{_APART.pattern}){_CALLED}(?:{_APART.pattern})")
_NAME_BEFORE = re.compile(rf"(?:^|(?<=[a-zß-ÿ] )){_CALLED}(?:{_APART.pattern})$")
_ELIDED = re.compile(ELIDED)
# How old somebody is, behind the name: `Leo (7)`, `Huguette, 79, …`
_AGE = re.compile(r"(?:\(|, )\d{1,2}(?=[,)]|$| (?:and|und|et|y|e|en)\b)")
_AGED = re.compile(rf"(?<![\w'’-])([^\W\d_a-zß-ÿ][\w'’-]{{0,40}}) ?{_AGE.pattern}")
# behind the first letter, which only begins a sentence
_CAPITAL = re.compile(r"[^A-Za-z]*+[A-Za-z][^A-Z]*+[A-Z]")
PARTICLES = frozenset(lists.words("names.particles"))
_AND = "y"  # joins two surnames, `Ramón y Cajal` behind a first name, and is between two people elsewhere
_JOINED = 2  # particles of a name: `de la`
_GIVEN = frozenset(lists.words("names.given"))  # common words that are first names too: `Will`, `April`
_FIRST = frozenset(lists.words("names.first")) - _GIVEN
_IN_S = frozenset(lists.words("names.in_s"))
_OURS = frozenset(lists.words("names.ours"))
FORMER = frozenset(lists.words("names.former"))
_WOMEN, _MEN = (frozenset(lists.words(f"names.{name}")) for name in ("women", "men"))
_SEXES = ((_WOMEN, _MEN), (_MEN, _WOMEN))
_PETS = frozenset(word for word, noun in NOUNS.items() if noun.field in PETS)


class Relation(NamedTuple):
    """`who` is the `role` of `whose` ("" for the speaker, and `who` where it is but what they are)."""

    who: str
    role: str
    whose: str = ""
    stated: bool = False  # by a verb, as `my boss is Ben`; not in passing, as `my boss Ben`


class Names:
    """The names that a talk knows: those of the vault, of its speakers, and those that anybody wrote with a capital."""

    def __init__(self, vault_names: Mapping[str, str], speakers: Iterable[str]) -> None:
        speakers = list(speakers)
        self._speaking = {key_of(name) for name in speakers}
        self._called = {token for name in speakers for token in tokens_of(name)[:1]}
        self._by_token: dict[str, str] = {}
        self._leading: set[str] = set()  # the first words of names of several
        self._sure: set[str] = set()
        self.people: set[str] = set()  # who do what people do, or were introduced as somebody
        self.topics: set[str] = set()  # who or what else has a name under which it is told of
        self.whose = ""  # what stands before a role of the one who speaks: `Ann's `
        self.holders: dict[str, set[str]] = {}  # by role: who is that to whom
        self._roles: dict[str, set[str]] = {}  # by name: what they are to anybody
        for name in (*vault_names.values(), *speakers):
            self._add(name)
            self._sure.add(name)
        for key, name in vault_names.items():
            if " " not in key:
                self._by_token.setdefault(key, name)

    def _add(self, name: str, *, person: bool = False) -> None:
        tokens = tokens_of(name)
        if len(tokens) > 1:
            self._leading.add(plain(tokens[0]))
        if person:
            self.people.add(name)
        for token in (name.lower(), " ".join(tokens), *tokens[:1], *(tokens[-1:] if person else ())):
            word = token.removesuffix("'s")
            if len(word) > 1:
                self._by_token.setdefault(plain(word), name)

    def add_person(self, name: str) -> str:
        """Takes up a person who was introduced, and returns the name as it is spelled."""
        spelled = self.spelled(name)
        self._add(spelled, person=True)
        return spelled

    def learn(self, text: str, language: str, *, of_person: bool = True) -> None:
        """Takes up what is written with a capital inside the sentences of a turn.

        Where every noun has one (German), only what has no article or adjective before it counts.

        Args:
            of_person: who also introduces somebody in small letters.
        """
        words = grammar(language) if language in codes() else None
        for sentence in sentences(text[:8000]):
            if sentence.isupper() or (words and not words.noun_capitals and _is_headline(sentence, words)):
                continue
            for name in _introduced(sentence, text, words) if words and of_person else ():
                self.add_person(name)
            is_aged = words is not None and _AGE.search(sentence)
            aged = {hit[1] for hit in _AGED.finditer(sentence)} if is_aged else set()
            opens = words is not None and (
                _opens_with_name(sentence, words) or (bool(aged) and _opens_aged(sentence, words))
            )
            for run, before in _runs(sentence, first=opens):
                owner = _owner_of_field(run, words) if words else []
                is_led = opens and not before and len(run) == 1  # `June lives in Stroud`
                if words and not is_led and self._is_no_name(run, before, words):
                    continue
                name = " ".join(owner or run)
                is_name = words is not None and not any(_is_common(word, words) for word in run[1:])
                acts = words is not None and is_name and _acts(sentence, run, words)
                self._add(name, person=acts or bool(owner) or (is_name and run[-1] in aged))
                if is_name and opens and not before:
                    self.topics.add(name)

    def _is_no_name(self, run: Sequence[str], before: str, words: Grammar) -> bool:
        """True for words with capitals that begin with a common one; a verb is one before a name that is known: `Hope Maria is well`."""
        behind = " ".join(run[1:])
        if run[0].lower() in words.verbs and behind and self.whole(behind) == behind:
            return True
        is_noun = words.noun_capitals and (before in words.before_nouns or _is_noun(run, words))
        return _begins_common(run, words) or bool(is_noun)

    def meet(self, text: str) -> None:
        """Lets a first name alone stand for the one of that name who is named here."""
        runs = chain.from_iterable(_runs(sentence, first=True) for sentence in sentences(text[:8000]))
        for run, _ in runs:
            name = self._by_token.get(" ".join(map(plain, run)), "")
            first = plain(tokens_of(name)[0]) if name else ""
            if name and len(run) > 1 and key_of(self._by_token.get(first, "")) != first:
                self._by_token[first] = name

    def is_known(self, token: str) -> bool:
        """True for a token of a name of the vault or of a speaker."""
        return self.named(token) in self._sure

    def is_name(self, token: str) -> bool:
        """True for a token of a known name, with its possessive or without."""
        return self._key(token) != ""

    def named(self, token: str) -> str:
        """The name that a token stands for; "" where it is none."""
        return self._by_token.get(self._key(token), "")

    def is_name_itself(self, token: str) -> bool:
        """True for a token of a name as it stands, not of a name and its possessive s."""
        return plain(token) in self._by_token

    def _key(self, token: str) -> str:
        word = plain(token)
        if word in self._by_token:
            return word
        short = word[:-1] if word.endswith("s") and len(word) > 3 else ""
        return short if short in self._by_token else ""

    def whole(self, text: str) -> str:
        """The name that all words of a text are; "" where they are none, or more than one."""
        tokens = tokens_of(text)
        name = self._by_token.get(plain(" ".join(tokens)), "")
        return name or (self.named(tokens[0]) if len(tokens) == 1 else "")

    def spelled(self, name: str) -> str:
        """The name as the vault or somebody wrote it; with a capital where it has none."""
        spelling = self._by_token.get(key_of(name)) or self._by_token.get(plain(name))
        if spelling and key_of(spelling) == key_of(name):
            return spelling
        if any(c.isupper() for c in name):
            return name
        return " ".join(
            word if word in PARTICLES else f"{word[:1].upper()}{word[1:]}" for word in name.split()
        )

    def begins(self, tokens: Sequence[str]) -> bool:
        """True for tokens that begin with a name of several words: `April Jones's birthday`."""
        return any(self._key(" ".join(tokens[:end])) for end in range(2, _LONGEST + _JOINED + 1))

    def opens(self, text: str) -> bool:
        """True for a text that begins with a name whose first word is a common one too: `Will Turner lives …`, `A. J. Prior`."""
        lead = text.lstrip()[:_OPENING]
        tokens = tokens_of(lead) if lead[:1].isupper() else []
        return bool(tokens) and (tokens[0] in _GIVEN or len(tokens[0]) == 1) and self.begins(tokens)

    def in_text(self, text: str) -> list[str]:
        """The names that a text holds, in order."""
        return self._among(tokens_of(text))

    def _among(self, tokens: Sequence[str]) -> list[str]:
        """The names among some tokens, in order; a whole one before another's first word: `Ana Prieto` where Ana Torres is known, too."""
        known = self._by_token.keys()
        # A long text says most words again, and few of them are names; the first word of each is known by itself.
        starts = {
            token: key
            for token in {*tokens}
            if (
                token in known
                or token[-1] == "s"
                or not (token.isalnum() and token.isascii() and token.islower())
            )
            and (key := self._key(token))
        }
        names, end = list[str](), 0
        for place, token in enumerate(tokens):
            if place >= end and token in starts:
                longest = _LONGEST + _JOINED if starts[token] in self._leading else 1
                ends = range(min(place + longest, len(tokens)), place, -1)
                end = next((n for n in ends if self._key(" ".join(tokens[place:n]))), end)
                names += [self.named(" ".join(tokens[place:end]))] * (end > place)
        return names

    def is_told_of(self, name: str) -> bool:
        """True for a name under which statements are filed."""
        return name in self.people or name in self.topics or name in self._sure

    def placed(self, tokens: Sequence[str], words: Grammar) -> set[str]:
        """The names by which some words tell where something is: `a job offer in Rochester`."""
        return {
            self.named(tokens[place + 1])
            for place, _ in words.place_prepositions.places(tokens)
            if place + 1 < len(tokens)
            # `to Maya's` is where she is
            and not (tokens[place + 1].endswith("'s") and begins_as_names_do(tokens[place + 1][:-2], words))
            and not words.dealings.at(tokens, max(0, place - 1))
        }

    def speaks(self, name: str) -> bool:
        """True for one who speaks in the talk."""
        return key_of(name) in self._speaking

    def calls(self, tokens: Sequence[str]) -> bool:
        """True for words that only call one of those who speak: `John, …`."""
        return len(tokens) == 1 and tokens[0] in self._called

    def subject(self, clause: Clause, words: Grammar, speaker: str) -> tuple[str, str]:
        """Whom a clause is about ("" for the speaker, and where that has no name), and how that is told: own | named | relative | thing | other | none."""
        tokens = clause.subject
        if not tokens:  # `bin nach Bonn gezogen`, `me encanta el sushi`
            is_own = words.own_verbs.at(clause.verb) or words.own_verbs.at(clause.tokens)
            return ("", "own") if is_own else (self._opening(clause, words), "none")
        first = tokens[0]
        if first in words.first_person or (
            tokens[-1] in words.first_person
            and not any(token in words.coordinators or token in words.relative_words for token in tokens)
        ):
            return "", "own"  # `on Thursday i wake up`
        if first in words.pointers and (len(tokens) == 1 or first not in words.determiners):
            return "", "other"
        place = next((place for place, token in enumerate(tokens) if self.is_name(token)), 0)
        is_time = place and tokens[place - 1] in words.calendar_words
        if is_time and words.idle.issuperset(tokens[: place - 1]):
            tokens, first = tokens[place:], tokens[place]  # `last week Iris Lang`
        mentions = {*self._among(tokens)} - {speaker}
        core = [token for token in tokens if token not in words.noun_openers]
        # `my other brother` is none who is known
        is_another = words.other_ones.has_any(tokens[1:2]) and not mentions
        if core and not is_another and (who := self._who(clause, core, words)):
            is_role = words.roles.at(core)
            own = ("relative" if is_role else "own") if first in words.possessives_own else "thing"
            return who, "named" if self.whole(who) else own
        if (
            len(mentions) == 1
            and (self._key(core[0]) or (first in words.possessives_own and self._key(core[-1])))
            # `to`; not `Jean de La Tour`
            and (not words.ways.has_any(core) or self.whole(" ".join(tokens[tokens.index(core[0]) :])))
            and _length(core) <= _LONGEST
        ):
            name = next(iter(mentions))
            self.topics.update(() if name.isupper() else (name,))  # not `WAL is slow`
            return name, "named"
        if first in words.possessives_own:
            return "", "relative" if words.roles.within(core) else "own"
        is_word = _is_common(first, words) or _is_everyday(first, words)
        acts = _behind_adverbs(tokens, 1, words) == len(tokens) and words.people_verbs.at(clause.verb)
        if acts and not is_word:
            return self.add_person(first), "named"  # `priya only drinks`
        if mentions == set() and core and self._key(core[0]):
            return "", "own"
        return "", "thing"

    def _opening(self, clause: Clause, words: Grammar) -> str:
        """Whom the words of a clause begin with whose verb is not known: `the choir rehearses …`."""
        tokens, first = clause.tokens, int(words.noun_openers.has_any(clause.tokens[:1]))
        cores = (tokens[first:end] for end in range(min(len(tokens), first + _LONGEST + _JOINED), first, -1))
        called = next(filter(None, (self._who(clause, core, words) for core in cores)), "")
        is_list = tokens[first + 1 :][:1] == () or tokens[first + 1] in words.coordinators
        return called or ("" if is_list else self.named(tokens[first]))

    def _who(self, clause: Clause, core: Sequence[str], words: Grammar) -> str:
        """Who is called by a role of the speaker's, with a name or without, or by the name of a group: `my dad`, `Aunt Colette`, `our quiz team`; else empty."""
        first, spans = clause.tokens.index(core[0]), spans_of(clause.text)
        plain_core = (core[0].removesuffix("'s"),) if len(core) == 1 else tuple(core)
        if role := words.roles.at(plain_core):
            name = _name_behind(clause, first + role, words, self, spans, capital=True)
            if name or role < len(plain_core):
                return self.add_person(name) if name else ""
            before, noun = clause.tokens[first - 1 : first], noun_of(" ".join(plain_core))
            is_kin = noun is not None and noun.field in KIN and not words.people_pronouns.has_any(before)
            is_bare = not before and bool(clause.subject)  # `gf is vegan`
            is_told = is_kin or is_bare or words.possessives_own.has_any(before)
            return self.relative(plain_core) if is_told and not _are_several(plain_core, words) else ""
        of_other = core[0].endswith("'s") and words.roles.at(core, 1) == len(core) - 1 > 0
        if not of_other and not _is_group(core, words):
            return ""
        group = clause.text[slice(spans[first][0], spans[first + len(core) - 1][1])]
        self.topics.add(group)
        return group

    def relative(self, role: Sequence[str]) -> str:
        """One of the speaker's by the name that is told of the role, else by the role."""
        who = self.holder(f"{self.whose}{' '.join(role)}")
        self.people.add(who)
        return who

    def holder(self, role: str) -> str:
        """Who has a role of somebody's; the role itself where that is nobody yet, or several."""
        holders = self.holders.get(role, ())
        return next(iter(holders)) if len(holders) == 1 else role

    def note_role(self, name: str, role: str) -> None:
        """Takes up what somebody is to anybody."""
        self._roles.setdefault(name, set()).add(plain(role))

    def meant(self, pronoun: str, mentions: AbstractSet[str]) -> set[str]:
        """Those of some names whom a pronoun may mean: people before others, a `she` nobody's brother, and no animal beside them."""
        others = next((men for women, men in _SEXES if plain(pronoun) in women), frozenset[str]())
        names = {name for name in mentions if others.isdisjoint(self._is_to_others(name))}
        return {name for name in names & self.people if not self.is_animal(name)} or names

    def is_animal(self, name: str) -> bool:
        """True for somebody's dog or cat."""
        return not _PETS.isdisjoint(self._is_to_others(name))

    def _is_to_others(self, name: str) -> set[str]:
        return self._roles.get(name, set()) | {plain(name)}

    def relatives(self, tokens: Sequence[str], words: Grammar) -> Iterator[str]:
        """Those of the speaker's whom some words call by their role alone, and those of these: `a present for my dad`, `her mum`."""
        for place, size in words.roles.places(tokens):
            is_hers = (
                place > 0
                and tokens[place - 1] in words.people_pronouns
                and _PETS.isdisjoint(tokens[place : place + size])
            )
            end = place + size
            role = tokens[place - is_hers : end]
            if (
                place
                and (is_hers or tokens[place - 1] in words.possessives_own)
                and not _are_several(role, words)
                and not (end < len(tokens) and self.is_name(tokens[end]))
            ):
                yield self.relative(role)


def _are_several(role: Sequence[str], words: Grammar) -> bool:
    return role[-1].endswith("s") and role[-1][:-1] in words.roles


def _is_group(core: Sequence[str], words: Grammar) -> bool:
    """True for people or a place with a name of their own: `book club`, `Lena's bakery`, `equipo de pádel`."""
    if not 0 < len(core) <= _LONGEST:
        return False
    leads = core[0] in words.groups and (len(core) == 1 or core[1] in words.prepositions)
    return leads or (core[-1] in words.groups and not words.small.has_any(core))


def _runs(sentence: str, *, first: bool = False) -> Iterator[tuple[list[str], str]]:
    """Words with capitals that stand together in a sentence, and the word before them; its first word counts where it is known to be a name."""
    if sentence.isascii() and (sentence.islower() or not (first or _CAPITAL.match(sentence))):
        return
    hits = list(_WORD.finditer(sentence))
    run: list[str] = []
    before, end = "", -1
    for place, hit in enumerate(hits):
        if not run and hit[0].islower():
            continue  # as most words
        word = hit[0].rstrip(".'’-")
        # A capital inside a word makes a name of it anywhere: `projectX`.
        capital = (word[:1].isupper() and (place > 0 or first)) or (
            word[1:] != word[1:].lower() and not word.isupper()
        )
        elided = _ELIDED.match(word)
        capital = capital and not (elided and word[elided.end() :].islower())  # `C'est`, not `D'Angelo`
        behind = (later[0] for later in hits[place + 1 :] if later[0] not in PARTICLES)
        joins = len(run) > (word == _AND) and word in PARTICLES and next(behind, "")[:1].isupper()
        if run and (not (capital or joins) or hit.start() - end > 1 or _length(run) >= _LONGEST):
            yield run, before
            run = []
        if capital or (joins and run):
            if not run:
                before = hits[place - 1][0].lower() if place else ""
            run.append(_bare(hit[0]))
            end = hit.end()
    if run:
        yield run, before


def _introduced(sentence: str, text: str, words: Grammar) -> Iterator[str]:
    """Names of several words in small letters behind what introduces them: `this is sanne de boer`, `my colleague ravi patel lives in Leeds`.

    Common first names, those of whom is told what people do, and what the text says again.
    """
    tokens = tokens_of(sentence)
    if all(leads.isdisjoint(tokens) for leads in (words.presented, words.pointers, words.roles)):  # as most
        return
    for place, (before, lead) in enumerate(pairwise(("", *tokens[:-2])), 1):
        is_be = lead in words.be_verbs  # `this is`, `my boss is`
        if not (before in words.pointers or before in words.roles if is_be else lead in words.presented):
            continue
        first = place + (tokens[place] in words.articles)  # `ele é o rui costa`
        if first + 1 >= len(tokens) or _is_no_part(tokens[first], words):
            continue
        spans = spans_of(sentence)
        pieces = _WORD.findall(_BREAK.split(sentence[spans[first][0] :], maxsplit=1)[0])
        size = next((n for n, word in enumerate(pieces) if _is_no_part(word, words)), len(pieces))
        size = next((n for n in range(1, size) if words.people_verbs.at(tokens, first + n)), size)
        while pieces[:size][-1:] and pieces[size - 1] in PARTICLES:
            size -= 1
        name = " ".join(map(_bare, pieces[:size]))
        is_sure = is_be or lead not in words.roles  # behind a role alone, a verb may be what stands there
        is_known = (is_sure and tokens[first] in _FIRST) or words.people_verbs.at(tokens, first + size)
        if 1 < _length(pieces[:size]) <= _LONGEST and (is_known or text.count(name) > 1):
            yield name


def with_appositions(text: str, words: Grammar) -> str:
    """A sentence of the same length with a relative and the name that marks part from it side by side: `my wife, Ana, works`, `Tom (my brother) works`."""
    tokens, typed = tokens_of(text) if _APART.search(text) else (), text
    for place, size in words.roles.places(tokens):
        first, end = place, place + size
        while first and tokens[first - 1] in words.role_adjectives:
            first -= 1
        owner = tokens[first - 1] if first else ""
        is_relative = owner in words.possessives_own or owner in words.people_pronouns
        is_former = not FORMER.isdisjoint(tokens[first:place])  # `my old boss, Ida`
        if not is_relative or is_former or _are_several(tokens[place:end], words):
            continue
        spans = spans_of(text)
        begin, close = spans[first - 1][0], spans[end - 1][1]
        behind, before = _NAME_BEHIND.match(text, close), _NAME_BEFORE.search(text, 0, begin)
        mark = _APART.match(text, close)
        is_pet = not _PETS.isdisjoint(tokens[place:end])
        if behind and _may_be_called(behind[1], text[behind.end() :], words, is_name=is_pet):
            beside, start, until = f"{text[begin:close]} {behind[1]}", begin, behind.end()
        elif (
            before
            and mark
            and _may_be_called(before[1], text[mark.end() :], words, is_name=is_pet, last=True)
        ):
            beside, start, until = f"{text[begin:close]} {before[1]}", before.start(), mark.end()
        elif behind or (before and mark):
            return typed  # of a list all or none: `my brother (Max) and my sister (Lena)`
        else:
            continue
        text = f"{text[:start]}{beside:<{until - start}}{text[until:]}"
    return text


def _may_be_called(name: str, behind: str, words: Grammar, *, is_name: bool, last: bool = False) -> bool:
    """True for words with capitals that begin as names do and, by what stands behind them, are none of several: `my wife, Ana, and I`, `my mum, Jewish, …`.

    last: nor is one called: `Claude, my wife, who …`, `Sam, my friend, can you …`.
    """
    tokens = tokens_of(behind)
    is_name = is_name or begins_as_names_do(name, words)
    is_list = words.coordinators.has_any(tokens[:1]) or behind.lstrip()[:1].isupper()
    is_called = last and not (words.people_verbs.at(tokens) or words.be_verbs.at(tokens))
    return is_name and not (is_list or is_called)


def begins_as_names_do(name: str, words: Grammar) -> bool:
    """True for a name that begins as many people's do, with an initial, or with how a person is addressed: of no firm, and of no town."""
    first = next(iter(tokens_of(name)), "")
    return first in _FIRST or first in words.honorifics or len(first) == 1


def _is_no_part(word: str, words: Grammar) -> bool:
    return word not in PARTICLES and (
        not word.islower() or _is_common(word, words) or _is_everyday(word, words)
    )


def _is_headline(sentence: str, words: Grammar) -> bool:
    """True where every word that says something has a capital, an everyday one behind the first, too: `Connect All Offices Wirelessly`."""
    second = "".join(sentence.split(None, 2)[1:2])
    if second.islower() and second not in words.empty:  # as of most
        return False
    capitals = []
    for hit in _WORD.finditer(sentence):
        if hit[0][0].isupper():
            capitals.append(hit[0])
        elif hit[0] not in words.empty:
            return False
    return len(capitals) > 2 and any(
        _is_everyday(word, words) and word.lower() not in _GIVEN for word in capitals[1:]
    )


def _length(name: Sequence[str]) -> int:
    return sum(word not in PARTICLES for word in name)


def _bare(word: str) -> str:
    """A word without the marks behind it, and without a possessive."""
    bare = word.rstrip(".'’-").removesuffix("'s").removesuffix("’s")
    return f"{bare}." if len(bare) == 1 and word.startswith(f"{bare}.") else bare  # an initial keeps its dot


def _is_everyday(word: str, words: Grammar) -> bool:
    """True for a word of every talk that begins no name; months and honorifics do begin some."""
    low = word.lower()
    return low in words.everyday and low not in words.months and low not in words.honorifics


def _acts(sentence: str, run: Sequence[str], words: Grammar) -> bool:
    """True where behind the last word of a name, and no comma, stands what people do."""
    tokens = tokens_of(sentence)
    if not words.people_verbs.may_be_in(tokens):
        return False
    last = plain(run[-1].lower())
    end = next((n for n, token in enumerate(tokens, 1) if plain(token) == last), len(tokens))
    if not words.people_verbs.at(tokens, _behind_adverbs(tokens, end, words)):
        return False
    spans = spans_of(sentence)
    return not _BREAK.search(sentence[spans[end - 1][1] : spans[end][0]])


def _opens_with_name(sentence: str, words: Grammar) -> bool:
    """True where a sentence begins with a name: several words with capitals that are its subject, or one that lives, works or suffers as people do."""
    run = _opening_run(sentence, words)
    if not run or _owner_of_field(run, words):
        return bool(run)
    tokens, last = tokens_of(sentence), run[-1].lower()
    place = next((n for n, token in enumerate(tokens) if plain(token) == plain(last)), 0)
    if tokens[place] != last:  # `Maria Gomez's`; not `Mark Arup's email as spam`
        return words.be_verbs.has_any(tokens[place:]) or run[0].lower() not in _GIVEN
    place = _behind_adverbs(tokens, place + 1, words)
    if place == len(tokens):
        return False
    verb = place + (tokens[place] in words.be_verbs)
    for phrase, field in words.fields_by_first.get(tokens[verb], ()) if verb < len(tokens) else ():
        end = verb + len(phrase)
        if end < len(tokens) and tuple(tokens[verb:end]) == phrase and is_of_people(field):
            is_name = sentence[spans_of(sentence)[end][0]].isupper() or tokens[end].isdigit()
            # `bei der Sparkasse`, `alla posta`; not `Mobile Data works at night`
            is_name = is_name or (len(run) > 1 and words.workplaces.within(tokens[end : end + 3]))
            return is_name or phrase[-1] not in words.prepositions or field not in PLACED
    if words.noun_capitals:
        # `Gerda ist krank`
        is_called = run[0].lower() in _FIRST - words.months and words.verbs.at(tokens, place) > 0
        return is_called or (len(run) == 1 and words.people_verbs.at(tokens, place) > 0)
    if len(run) == 1 and (run[0].isupper() or words.plural_verbs.at(tokens, place)):
        return False  # `Apples are for all`
    return words.verbs.at(tokens, place) > 0


def _opens_aged(sentence: str, words: Grammar) -> bool:
    """True where a sentence begins with a name and an age: `Huguette, 79, has Alzheimer`."""
    run = _opening_run(sentence, words)
    hit = _AGED.search(sentence[:_OPENING]) if run else None
    return hit is not None and hit[1] == run[-1]


def _opening_run(sentence: str, words: Grammar) -> list[str]:
    """The words with capitals that begin a sentence and may be a name; none where they begin with a common word, as most do."""
    opening = sentence.lstrip()[:_OPENING]
    if opening[:1].islower():  # as the lines of code
        return []
    word = _WORD.search(opening)
    if not word or not word[0][0].isupper():
        return []
    is_given = _bare(word[0]).lower() in _GIVEN and not sentence.rstrip().endswith("?")  # `Will Turner come?`
    is_everyday = _is_everyday(_bare(word[0]), words)
    if is_everyday and not is_given:
        return []
    run, before = next(_runs(f"a {opening}"), ([], ""))
    is_common = before != "a" or _begins_common(run, words) or _is_noun(run, words)
    if before == "a" and len(run) == 1 and is_given and (is_common or is_everyday):
        return run if _is_told_of_person(tokens_of(opening), words) else []
    return [] if is_common or (is_everyday and len(run) == 1) else run


def _is_told_of_person(tokens: Sequence[str], words: Grammar) -> bool:
    """True where the word that begins some others lives, works or is reached as people do: `June lives in Stroud`, `Summer's email`."""
    if tokens[0].endswith("'s"):
        noun = noun_of(tokens[1]) if len(tokens) > 1 else None
        return noun is not None and noun.kind in ("email", "phone")
    place = 1 + words.be_verbs.has_any(tokens[1:2])
    return any(
        is_of_people(field) and tuple(tokens[place : place + len(phrase)]) == phrase
        for phrase, field in words.fields_by_first.get("".join(tokens[place : place + 1]), ())
    )


def has_genitive(name: str) -> bool:
    """True for a word with the ending that tells whose something is: `Anas`, not `Klaus`."""
    return name.endswith("s") and name.lower() not in _IN_S


def _owner_of_field(run: Sequence[str], words: Grammar) -> list[str]:
    """The name of several words that owns a field behind it, where every noun has a capital: `Ingrid Solbergs Telefonnummer`."""
    places = range(2, len(run) if words.noun_capitals else 0)
    end = next((n for n in places if has_genitive(run[n - 1]) and noun_of(run[n])), 0)
    return [*run[: end - 1], run[end - 1][:-1]] if end else []


def _behind_adverbs(tokens: Sequence[str], place: int, words: Grammar) -> int:
    """The place behind what may stand between a subject and its verb."""
    while place < len(tokens) and (
        length := words.former.at(tokens, place)
        or int(tokens[place] in words.adverbs or tokens[place] in words.negations)
    ):
        place += length
    return place


PLACED = frozenset({"lives in", "works at"})  # in what has a name


def first_name(text: str, language: str) -> str:
    """The words with a capital that begin a text and may be a name; empty where they are common words."""
    code = spoken_in(text, language)
    run = next((run for run, before in _runs(f"a {text.lstrip()}") if before == "a"), [])
    if code not in codes() or not run or _is_common(run[0], words := grammar(code)) or _is_noun(run, words):
        return ""
    return " ".join(run)


def _is_common(word: str, words: Grammar) -> bool:
    return len(word) < 2 or word.lower() in words.common or (word.isupper() and len(word) < 3)


def _begins_common(run: Sequence[str], words: Grammar) -> bool:
    """True where words with capitals begin with one that is no name; an initial is one, and so are `Jan` and `Dr` before another."""
    first = run[0].lower()
    may_begin = first in _GIVEN or first in words.months or first in words.honorifics
    is_initial = len(first.rstrip(".")) == 1 and first not in words.articles  # `A Craven Arms man`
    return not (len(run) > 1 and (may_begin or is_initial)) and _is_common(run[0], words)


def _is_noun(run: Sequence[str], words: Grammar) -> bool:
    return run[0].lower() in words.nouns and not (len(run) > 1 and run[0].lower() in _GIVEN)


def relations(clause: Clause, words: Grammar, names: Names) -> list[Relation]:
    """Who is introduced as what in a clause."""
    tokens, introductions = _plain_roles(clause.tokens, words), list[Relation]()
    spans = spans_of(clause.text)
    place = next((place for place, _ in words.roles.places(tokens)), len(tokens))
    while place < len(tokens):
        length = words.roles.at(tokens, place)
        if not length:
            place += 1
            continue
        role = " ".join(tokens[place : place + length])
        whose = _owner(tokens, place, words, names)
        if whose is None and place and tokens[place - 1] in words.people_pronouns:  # `his wife Elena`
            names.note_role(_name_behind(clause, place + length, words, names, spans, capital=True), role)
        if whose is not None:
            # `my wife and my brother argue`
            several = _are_several(tokens[place : place + length], words) or words.coordinators.has_any(
                tokens[:place]
            )
            behind = _name_behind(clause, place + length, words, names, spans, capital=several)
            name = behind or _name_before(clause, tokens, place, words, names)
            if name and (head := _head(tokens, place, place + length, words)):
                # `the dog of my sister is called Rex`
                whose, role = role_itself(tokens[place : place + length], words), " ".join(head)
                name = name if words.roles.at(head) == len(head) else ""
            if name:
                # `dass mein Chef Kim heißt`
                is_final = bool(words.final_verbs) and tokens[-1] in words.links
                stated = not behind or is_final or bool(_linked(tokens, place + length, words))
                joins = not behind and tokens[place - 1] in words.renewals and noun_of(role) is None
                whose = name if joins and tokens[place - 2] in _OURS else whose
                introductions.append(Relation(names.add_person(name), role, whose, stated))
                names.note_role(introductions[-1].who, role)
                if not whose:
                    names.holders.setdefault(f"{names.whose}{role}", set()).add(introductions[-1].who)
        place += length
    return introductions


def _plain_roles(tokens: tuple[str, ...], words: Grammar) -> tuple[str, ...]:
    """The tokens with a role that has a name as it stands without one: `my wife's name is Ingrid`."""
    return tuple(
        role if (role := token.removesuffix("'s")) in words.roles and behind in words.naming_words else token
        for token, behind in zip(tokens, (*tokens[1:], ""), strict=True)
    )


def paired_with(clause: Clause, named: Sequence[str], words: Grammar, names: Names) -> list[str]:
    """Words with a capital that are joined with a name and are no known one: `Tom and Ben came`."""
    tokens, spans = tokens_of(clause.text), spans_of(clause.text)
    return [
        clause.text[slice(*spans[place - 1])]
        for place in range(1, len(tokens) - 1)
        if tokens[place] in words.coordinators and named and names.named(tokens[place + 1]) in named
        and clause.text[spans[place - 1][0]].isupper() and not names.is_name(tokens[place - 1])
    ]  # fmt: skip


def _owner(tokens: tuple[str, ...], place: int, words: Grammar, names: Names) -> str | None:
    """Whose relative stands at a place: "" for the speaker's, a name, or None where nobody is said."""
    before = place - 1
    while before > 0 and tokens[before] in words.role_adjectives:
        before -= 1
    if before < 0:
        return None
    token = tokens[before]
    if token in words.possessives_own:
        return ""
    if token in words.people_pronouns:
        return None  # `her husband`
    if of_relative := _relative_before(tokens, before, words):
        return of_relative
    length = words.roles.at(tokens, place)
    if (
        before in (0, -1)
        and (token in words.determiners or token in words.role_adjectives)
        and place + length < len(tokens)
        and tokens[place + length] in words.be_verbs
    ):
        return ""  # `new lead is Ngozi`
    if (
        token.endswith("s")
        and names.is_name(token)
        and (token.endswith("'s") or not names.is_name_itself(token))
    ):
        return names.named(token)
    return None


def _relative_before(tokens: Sequence[str], last: int, words: Grammar) -> str:
    """The role of one of the speaker's whose something stands behind a place: `my best friend's …`; empty where it is nobody's."""
    for first in range(max(1, last - 2), last + 1):
        role = (*tokens[first:last], tokens[last].removesuffix("'s"))
        if (
            role[-1] != tokens[last]
            and tokens[first - 1] in words.possessives_own
            and words.roles.at(role) == len(role)
        ):
            return " ".join(role)
    return ""


def _head(tokens: Sequence[str], place: int, end: int, words: Grammar) -> Sequence[str]:
    """What a clause tells the name of where that is no relative, but theirs: `the dog of my sister is called Rex`; not of `el nombre de mi hermana`."""
    own = place - 1
    while own > 0 and tokens[own] in words.role_adjectives:
        own -= 1
    first = int(tokens[0] in words.noun_openers)
    head = tokens[first : own - (own > 0 and tokens[own - 1] in words.owner_prepositions)]
    is_of = first + len(head) < own or words.noun_capitals
    is_head = is_of and 0 < len(head) <= _LONGEST and tokens[own] in words.possessives_own
    is_named = is_head and _linked(tokens, end, words) and not words.naming_words.within(head)
    return head if is_named and words.small.isdisjoint(head) else ()


def role_itself(role: Sequence[str], words: Grammar) -> str:
    """A role without the ending that only tells that something is theirs: `Sohnes`, `Bruders`."""
    text = " ".join(role)
    forms = (text.removesuffix(ending) for ending in ("es", "s") if words.noun_capitals)
    return next((form for form in forms if form != text and noun_of(form)), text)


def _name_behind(
    clause: Clause,
    place: int,
    words: Grammar,
    names: Names,
    spans: Sequence[tuple[int, int]],
    *,
    capital: bool,
) -> str:
    """The name behind a role; `capital`: only one that is written as a name."""
    tokens = clause.tokens
    linked = _linked(tokens, place, words)
    place += len(linked)
    if place >= len(tokens) or words.not_now.has_any(linked):
        return ""  # `my boss was Marlene`
    presented = tokens[0] in words.pointers and tokens[1] in words.be_verbs and len(tokens) == place + 2
    called = presented or words.naming_words.within(linked)
    # `the Dr Lund`, and in Portuguese `é o Anselmo`; not `é o CEO`
    behind_article = "".join(tokens[place + 1 : place + 2])
    is_called = linked and (behind_article in _FIRST or names.is_known(behind_article))
    articled = tokens[place] in words.articles and (behind_article in words.honorifics or bool(is_called))
    place += articled
    titled = tokens[place] in words.honorifics
    if linked and not called and not titled and not names.is_known(tokens[place]):
        if words.noun_capitals:
            return ""  # `mein Bruder ist Bäcker`
        capital = capital or not names.is_name(tokens[place])  # `my sister is late`
    run: list[str] = []
    title = ""
    if place + 1 < len(tokens) and tokens[place] in words.honorifics:
        title, called = f"{tokens[place][:1].upper()}{tokens[place][1:]} ", True
        place += 1
    while place < len(tokens) and _length(run) < _LONGEST:
        typed = clause.text[spans[place][0] : spans[place][1]]
        if run and clause.text[spans[place - 1][1] : spans[place][0]].strip(" ."):
            break
        behind = next((n for n in range(place, len(tokens)) if tokens[n] not in PARTICLES), place)
        # `Frau von Stetten`, not `die Frau von Jens`
        leads = len(run) > (tokens[place] == _AND) or (title != "" and not articled)
        capitals = not run or run[0][0].isupper()
        joins = leads and behind > place and clause.text[spans[behind][0]].isupper() == capitals
        small = not capital and (not run or (run[0].islower() and (len(run) == 1 or run[-1] in PARTICLES)))
        if not (
            typed[0].isupper() or joins or (small and _may_name(tokens, place, words, names, called=called))
        ):
            break
        is_given = typed[0].isupper() and tokens[place] in _GIVEN
        if not joins and not title and not is_given and _is_common(typed, words):
            break
        run.append(re.sub(r"['’]s$", "", typed))
        place += 1
    name = names.spelled(" ".join(run)) if run else ""
    return f"{title}{name}" if title and name else name


def _linked(tokens: Sequence[str], place: int, words: Grammar) -> Sequence[str]:
    """What stands between a role and its name: `is called`, `is now`, `c'est`."""
    is_link = words.links.at(tokens, place) > 0
    first = place + (not is_link and words.thing_pronouns.has_any(tokens[place : place + 1]))
    return tokens[place : words.link_words.skip(tokens, first)] if words.links.at(tokens, first) else ()


def _may_name(tokens: tuple[str, ...], place: int, words: Grammar, names: Names, *, called: bool) -> bool:
    """True for a word in small letters that can only be a name where it stands: behind a role, and before a verb or nothing."""
    token = tokens[place]
    if names.is_name(token):
        return True
    if not token.isalpha() or len(token) < 3 or token in words.everyday:
        return False
    return called or place + 1 == len(tokens) or tokens[place + 1] in words.verbs


def _name_before(clause: Clause, tokens: tuple[str, ...], place: int, words: Grammar, names: Names) -> str:
    """`Dilys is my preceptor`, `Frau Behrens ist unsere Hebamme`."""
    before = next((n for n in range(place - 1, -1, -1) if tokens[n] not in words.role_openers), 0)
    if tokens[before].endswith("s") and names.is_name(tokens[before]):
        before -= 1  # `Jens is Anna's brother`
    if before < 1 or tokens[before] not in words.be_verbs or tokens[before] in words.not_now:
        return ""
    if words.coordinators.has_any(tokens[:before]):
        return ""  # `Dr Hale and Mrs Oakes are my neighbours`
    if words.honorifics.at(tokens, tokens[0] in words.articles):
        return _name_behind(clause, 0, words, names, spans_of(clause.text), capital=True)
    first = int(
        tokens[0] in words.articles and clause.text[spans_of(clause.text)[1][0]].isupper()
    )  # `a Joana é minha colega`
    if before == first + 1 and _may_name(tokens, first, words, names, called=True):
        return names.named(tokens[first]) or tokens[first]  # `Jens is my brother`
    return names.whole(" ".join(tokens[first:before]))
