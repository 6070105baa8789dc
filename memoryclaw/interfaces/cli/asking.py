"""`recall` and `search`: questions, and the answers with their reasons. A running daemon is asked first: it is faster.

The output is printed from one JSON shape, wherever it comes from, so that the bytes are the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from memoryclaw import rooms
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli.printing import GAP, as_json, marked, plural, remark, say, styled, width
from memoryclaw.interfaces.cli.tables import aligned, cut, flow, packed, table, terminal_width
from memoryclaw.interfaces.cli.verbs import TEXT, CliContext, choice, flag, option, verb
from memoryclaw.model import Match, grouped
from memoryclaw.text.prompts import mark_of, one_line, visible
from memoryclaw.text.snippets import snippet


@verb(
    "init\nremember 'Nora drinks oolong tea'\nsearch oolong",
    "search 'kind:episode \"oat milk\" since:2025-06' --limit 3",
    "search 'dowels in October 2025' --explain",
)
@click.argument("query", nargs=-1, required=True, type=TEXT)
@option("--kind", "KIND", "One kind only: episode, fact, skill, note, todo or turn.")
@option(
    "--limit", "N", "The most matches to list.", type=click.IntRange(1, 1000), default=10, show_default=True
)
@flag("--explain", "Show each term of every score, and which words matched where.")
@option("--session", "S", "The session that sees the results. Later recalls for it leave them out.")
def search(context: CliContext, /, *, query: tuple[str, ...], explain: bool, **how: Any) -> None:
    """Find the best matches for a question; without a session, nothing is recorded.

    A question may be plain words, or use phrases in quotes, AND OR NOT -word, proj*, jonh~, and
    tag: kind: entity: person: project: path: title: since: until: on:
    """
    # Its options are not the app's: where a daemon answers, no app is loaded.
    words = " ".join(query)
    if context.json and (served := context.served("GET", "/v1/search", q=words, **how)):
        as_json(served)
        return
    with context.app() as app:
        answer = app.search(words, **how)
    if context.printed(shapes.search, answer):
        return
    for place, match in enumerate(answer.matches, 1):
        show(place, match, explain=explain)
    if not answer.matches:
        say(_nothing("search", "found", answer.query))
    _remarks(shapes.search(answer))


@verb(
    "init\nremember 'Nora drinks oolong tea'\nask 'What does Nora drink?'",
    "ask what coffee does Nora drink --json",
    of="ask",
)
def ask(answer: rooms.ask.AnsweredQuestion) -> None:
    """Answer a question with the lines that hold the answer, each with its file and line.

    The lines come from facts, episodes, notes and logs; no model is asked. If no line is sure to
    answer, `ask` says so and shows the nearest with the lines around them: three on a terminal, else
    up to ten. Behind the best line stands what you said since of what it names: it may hold no
    longer.
    """
    lines = answer.lines
    if not answer.answered:
        unsure = "No line is sure to answer that. The nearest:"
        say(unsure if lines else _nothing("ask", "here answers that", answer.query, asked=False))
        if sys.stdout.isatty():
            lines = lines[:_NEAREST]
    for line in lines:
        about = (line.title or line.id, line.when, line.trust * (line.trust != "trusted"))
        indent = 0 if answer.answered else len(_INDENT)
        for text in line.text.split("\n"):  # the nearest stand with those around them
            flow(one_line(text), indent=indent, bold=text == line.best if line.best else not line.against)
        words = cut(one_line(", ".join(filter(None, about))), terminal_width() - len(_INDENT))
        _places([f"{line.path}:{line.line}", words], 0)
    _remarks(shapes.asked(answer))


@verb(
    "init\nremember 'Nora drinks oolong tea'\nrecall 'What does Nora drink?'",
    "recall 'what coffee does Nora drink' --budget 400",
    "recall 'spare key' --goal 'let the plumber in' --trace",
)
@click.argument("query", nargs=-1, required=True, type=TEXT)
@option("--goal", "TEXT", "What the agent is working on; its words help to rank.")
@option("--budget", "N", "The most tokens in the context, framing included.", type=click.INT)
@option("--session", "S", "The running session; its own turns, and what it has seen, are left out.")
@choice(
    "--seen",
    ("all", "tools", "none"),
    "What the host still shows of the session's earlier recalls: all, only what tools returned, or none.",
    default="all",
    show_default=True,
)
@option(
    "--room",
    "N",
    "Tokens left in the host's context; a recall takes at most a tenth of them.",
    type=click.IntRange(0),
)
@option(
    "--folder",
    "DIR",
    "The current folder; what belongs to another project is left out.",
    callback=lambda _context, _option, folder: folder and os.path.abspath(folder),
    default="",
)
@flag("--trace", "List every candidate and the decision on it.")
def recall(context: CliContext, /, *, query: tuple[str, ...], trace: bool, **how: Any) -> None:
    """Print a context to paste into a prompt, within a budget of tokens."""
    asked: dict[str, Any] = {"query": " ".join(query), **how}
    answer: Mapping[str, Any] | None = context.served("POST", "/v1/recall", trace=trace, **asked)
    if answer is None:
        with context.app() as app:
            answer = shapes.recall(app.recall(**asked), trace=trace)
    if context.printed(dict, answer):
        return
    nothing = _nothing("recall", "recalled", answer["query"])
    if any(left["reason"] == "already_visible" for left in answer["left_out"]):
        nothing = "Everything that was found is already visible."
    say(visible(answer["context"]) or nothing)
    say(f"\n{answer['tokens']} of {answer['budget']} tokens, confidence {answer['confidence']:.2f}")
    if trace:
        say()
        relevance = answer["relevance"]
        terms = ", ".join(f"{term['name']} {term['value']:+.2f}" for term in relevance["terms"])
        say(f"relevance {relevance['value']:+.2f} of a floor of 0: {terms}\n")
        rows = []
        for candidate in answer["trace"]:
            why = candidate["reason"] or candidate["decision"]
            because = rooms.reasons.REASONS.get(why, "")
            rows.append([f"{candidate['score']:.3f}", why, because, candidate["id"]])
        table(["score", "decision", "because", "id"], rows)
    _remarks(answer)


def _nothing(verb: str, done: str, query: str, *, asked: bool = True) -> str:
    if rooms.language.words_of(query):
        return f"Nothing {done} for {styled(query)}." if asked else f"Nothing {done}."
    return f"There is nothing to look for; give some words, as in: memoryclaw {verb} boathouse deadline"


def _remarks(answer: Mapping[str, Any]) -> None:
    for word, better in answer["did_you_mean"].items():
        remark(f"Did you mean {better!r} instead of {word!r}?")
    remark(*answer["notices"])
    if answer["degraded"]:
        remark(f"Degraded: {answer['degraded']}")


# A match, its explanation and a trace in print. The printed terms add up to the printed score.

_INDENT = "   "
_NEAREST = 3  # lines on a terminal, where none is sure to answer
_WHOLE = 1000


def show(place: int, match: Match, *, explain: bool) -> None:
    """Prints one match: title, date, id, where it stands, and the passage that answers."""
    unit = match.unit
    kind = f"{unit.field} to-do" if unit.kind == "todo" else "statement" if unit.is_statement else unit.kind
    facts = [styled(kind, fg="magenta")]
    if day := (unit.days if unit.kind == "todo" else "") or unit.when[:10]:
        facts.append(styled(day, fg="green"))
    if unit.trust != "trusted":
        facts.append(styled(unit.trust, fg="red"))
    name = unit.title or (unit.kind == "turn" and unit.entity) or unit.id
    title, highlights = snippet(name, match.surfaces, _WHOLE)
    title = cut(title, terminal_width() - len(_INDENT) - len(GAP) - width(click.unstyle(", ".join(facts))))
    inside = [(start, end) for start, end in highlights if end <= len(title)]
    say(f"{place:>2} {marked(title, inside, bold=True)}  {', '.join(facts)}")
    where = f"{match.path}:{unit.line}"
    _places([where] if match.path.startswith(f"{unit.id}.") else [unit.id, where], -1)
    if match.snippet:
        flow(match.snippet, match.highlights, indent=len(_INDENT))
    more = [plural(match.copies, "near copy", "near copies")] * bool(match.copies)
    sections = "more section of this note", "more sections of this note"
    more += [plural(match.sections, *sections)] * bool(match.sections)
    if more:
        say(f"{_INDENT}{styled(', '.join(more), dim=True)}")
    if mark := mark_of(match.conflicts, match.superseded):
        say(f"{_INDENT}{styled(mark, fg='red')}")
    if explain:
        _explain(match)
    say()


def _places(texts: list[str], place: int) -> None:
    """Prints texts on as few lines as fit the terminal, one of them as the place where a thing stands."""
    for line in packed(texts, terminal_width() - len(_INDENT)):
        marked_texts = (styled(text, **({"fg": "cyan"} if text is texts[place] else {})) for text in line)
        say(_INDENT + GAP.join(marked_texts))


def _explain(match: Match) -> None:
    terms = rooms.search.rounded(match.terms, match.score)
    rows = [[styled(name), f"{value / 1000:.3f}"] for name, value in terms]
    rows.append(["score", f"{round(match.score * 1000) / 1000:.3f}"])
    longest = max(len(row[1]) for row in rows)
    lines = aligned([[row[0], row[1].rjust(longest)] for row in rows])
    for line in lines[:-1]:
        say(f"{_INDENT}  {line}")
    say(f"{_INDENT}  {click.style(lines[-1], bold=True)}")
    places = grouped((hit.word, f"{styled(hit.field)} ({hit.via})") for hit in match.matched)
    for word, where in places.items():
        say(f"{_INDENT}  {styled(word, fg='yellow')}: {', '.join(where)}")
