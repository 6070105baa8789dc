"""Random vaults and questions for the laws of asking: few words, so that much matches and everything collides."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

from conftest import Files, put
from hypothesis import strategies as st

from memoryclaw.app import App, open_vault

MONDAY = datetime(2026, 4, 20, 8, tzinfo=UTC)
WORDS = (
    *(
        "boathouse", "deadline", "deadlines", "lantern", "oak", "larch", "permit", "paid", "pay", "went",
        "the", "what",
    ),
    *(
        "Søren", "soren", "Müller", "muller", "naïve", "O'Neil", "C++", "v2.1", "node.js", "茶室", "木栓",
        "مرحبا", "हिन्दी", "Łukasz",
    ),
)  # fmt: skip
ENTITIES = ("Boathouse", "Nantes Kiosk", "Søren Kjeldsen", "oak", "茶室")
FIELDS = ("deadline", "lead", "value", "paid")
DAYS = ("2025-03-01", "2025-07-08", "2025-11-20", "2026-04-16", "2026-04-19")
TRUSTS = ("trusted", "unknown", "untrusted", "quarantined")

word = st.sampled_from(WORDS)
words = st.lists(word, min_size=1, max_size=12).map(" ".join)
day = st.sampled_from(DAYS)
DUE = st.sampled_from(("2026-04-20", "2026-04-22", "2026-04-30", "30 April 2026"))


@st.composite
def episodes(draw: st.DrawFn) -> dict[str, str]:
    """A few episodes, notes and archived notes, some pinned, some of doubtful trust."""
    files = {}
    for n in range(draw(st.integers(0, 5))):
        at, folder = draw(day), draw(st.sampled_from(("episodes", "notes", "archive/episodes")))
        header = [
            f"timestamp: {at}T10:00:00Z",
            f"tags: [{draw(word)}, a/b]",
            f"trust: {draw(st.sampled_from(TRUSTS))}",
        ]
        header += [f"summary: {draw(words)!r}"] if draw(st.booleans()) else []
        header += ["id: twin"] if draw(st.integers(0, 3)) == 0 else []
        header += ["pin: true"] if draw(st.booleans()) else []
        header += [f"participants: [{draw(st.sampled_from(ENTITIES))}]"] if draw(st.booleans()) else []
        head = "---\n" + "\n".join(header) + "\n---\n"
        files[f"{folder}/{at}_10-00-0{n}_x.md"] = (
            f"{head}\n{draw(words)}\n\n## {draw(word)}\n\n{draw(words)}\n"
        )
    return files


@st.composite
def facts(draw: st.DrawFn) -> dict[str, str]:
    """Entities with fields and statements, some with a past."""
    lines = []
    for entity in draw(st.lists(st.sampled_from(ENTITIES), max_size=4, unique=True)):
        lines.append(f"# {entity}")
        fields = draw(st.lists(st.sampled_from(FIELDS), max_size=3, unique=True))
        since = {field: draw(st.sampled_from(("", *DAYS))) for field in fields}
        lines += [f"- {f}: {draw(words)}" + (f" [since:: {since[f]}]" if since[f] else "") for f in fields]
        said = draw(st.lists(st.tuples(words, st.sampled_from(("", *DAYS))), max_size=2))
        lines += [f'- "{text}"' + (f" [said:: {at}]" if at else "") for text, at in said]
        lines += ["", "## History"] if fields and draw(st.booleans()) else []
        if lines[-1:] == ["## History"]:
            lines += [
                f"- {f}: {draw(words)} [since:: 2025-01-01] [until:: {since[f] or DAYS[1]}]" for f in fields
            ]
        lines.append("")
    return {"semantic/projects.md": "\n".join(lines)} if lines else {}


@st.composite
def logs(draw: st.DrawFn) -> dict[str, str]:
    """One session of a few turns."""
    said = draw(st.lists(words, max_size=5))
    turns = [
        f'{{"ts":"{DAYS[2]}T09:00:0{n}Z","session":"s","turn":{draw(st.integers(n, n + 1))},"role":"{("user", "assistant", "tool")[n % 3]}","content":"{text}"}}\n'
        for n, text in enumerate(said)
    ]
    paths = ("logs/2025-11-20/s.jsonl", "logs/2025-11-21/s.jsonl")
    return dict.fromkeys(paths[: draw(st.integers(1, 2))], "".join(turns)) if turns else {}


@st.composite
def boards(draw: st.DrawFn) -> dict[str, str]:
    """The note of an entity with fields in its header and text, and notes with lines to be done."""
    files = {}
    for entity in draw(st.lists(st.sampled_from(ENTITIES), max_size=2, unique=True)):
        header = [
            f"{field}: {draw(st.one_of(words, day, DUE))!r}"
            for field in draw(st.lists(st.sampled_from(FIELDS), max_size=3, unique=True))
        ]
        header += [f"trust: {draw(st.sampled_from(TRUSTS))}"] if draw(st.booleans()) else []
        header += ["dates:", "- 2026-04-21", f"- {draw(day)}"] if draw(st.booleans()) else []
        text = f"paid:: {draw(words)}\n" if draw(st.booleans()) else draw(words)
        files[f"people/{entity}.md"] = "---\n" + "".join(f"{line}\n" for line in header) + f"---\n{text}\n"
    box, mark = (
        st.sampled_from((" ", "x", "-", "/")),
        st.sampled_from(("", " 📅 {}", " [due:: {}]", " ⏳ {} ^b1")),
    )
    lines = [
        f"- [{draw(box)}] {draw(words)}{draw(mark).format(draw(DUE))}" for _ in range(draw(st.integers(0, 4)))
    ]
    return files | ({"notes/board.md": "# Board\n" + "\n".join(lines) + "\n"} if lines else {})


aliases = st.lists(st.tuples(word, words.map(lambda text: text[:20])), max_size=3).map(
    lambda pairs: {"semantic/aliases.yaml": "".join(f"- [{a!r}, {b!r}]\n" for a, b in pairs)} if pairs else {}
)
filler = st.integers(0, 40).map(
    lambda n: {f"notes/filler{i}.md": f"Filler {i}, nothing else {i}.\n" for i in range(n)}
)
vaults = st.tuples(episodes(), facts(), boards(), logs(), aliases, filler).map(
    lambda parts: {k: v for part in parts for k, v in part.items()}
)

_operand = st.one_of(
    word,
    words.map(lambda text: f'"{text[:24]}"'),
    word.map(lambda w: f"{w[:3]}*"),
    word.map(lambda w: f"{w}~"),
    st.sampled_from(ENTITIES),
    st.sampled_from(
        (
            "tag:a", "kind:fact", "kind:superseded", "kind:todo", "on:2026-04-22", "since:2025-06",
            "on:2025-03-02", "entity:oak", "title:oak", "-oak",
        )
    ),
    st.sampled_from(
        (
            "in July 2025", "last week", "this week", "on 30 April", "what happened", "NOT", "AND", "OR",
            "(", ")",
        )
    ),
)  # fmt: skip
questions = st.lists(_operand, min_size=1, max_size=7).map(" ".join)


@contextmanager
def opened(files: Files, *, engine: str = "fts5", language: str = "en") -> Iterator[App]:
    """A vault of these files, opened on a Monday in April 2026."""
    folder = Path(mkdtemp(prefix="asking"))
    put(folder, {"memoryclaw.yaml": f"index:\n  engine: {engine}\n  language: {language}\n", **files})
    app = open_vault(folder, clock=lambda: MONDAY)
    try:
        yield app
    finally:
        app.close()
        shutil.rmtree(folder)
