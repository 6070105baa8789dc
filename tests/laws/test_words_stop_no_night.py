"""Law 6 for a night: whatever words somebody types, it is read to its end, and so is the night after it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from gitvault import vault_of
from nights import LATER, NIGHT, consolidated, said

from memoryclaw.app import App
from memoryclaw.text.grammar import WordList, grammar
from memoryclaw.text.words import names

CLAUSES = {
    "en": "I am {}.|im a {} {} {}.|my {} is {}.|i work as a {}.|I {} the {}.|my {} {} now.|we {} {} {}.|no longer {}.|{} {} {} {}",
    "de": "ich bin {}.|mein {} ist {}.|ich arbeite als {}.|ich {} den {}.|jetzt {} wir {}.|{} {} {} {}",
    "fr": "je suis {}.|mon {} est {}.|je travaille comme {}.|ma {} {} {}.|on ne {} plus {}.|{} {} {} {}",
    "es": "soy {}.|mi {} es {}.|trabajo de {}.|mi {} {} {}.|ya no {} {}.|{} {} {} {}",
    "it": "sono {}.|il mio {} è {}.|lavoro come {}.|mia {} {} {}.|non {} più {}.|{} {} {} {}",
    "nl": "ik ben {}.|mijn {} is {}.|ik werk als {}.|mijn {} {} {}.|ik {} niet meer {}.|{} {} {} {}",
    "pt": "sou {}.|o meu {} é {}.|trabalho como {}.|minha {} {} {}.|já não {} {}.|{} {} {} {}",
}  # fmt: skip


def words_of(code: str) -> list[str]:
    """Every word that the reader knows in a language, and so may do something with."""
    rows = [getattr(grammar(code), name) for name in names(f"talk_{code}")]
    entries = [entry for row in rows if isinstance(row, WordList) for entry in row.entries()]
    return sorted({word for entry in entries for word in entry.split()})


@pytest.mark.parametrize("code", CLAUSES)
@pytest.mark.parametrize(
    ("seed", "count"), [(0, 80), *(pytest.param(seed, 480, marks=pytest.mark.laws) for seed in range(1, 6))]
)
def test_any_words_of_a_language_are_read_and_so_is_what_is_told_the_day_after(
    tmp_path: Path, code: str, seed: int, count: int
) -> None:
    draw, words = random.Random(seed), words_of(code)

    def typed(count: int) -> list[tuple[str, str]]:
        forms = [draw.choice(CLAUSES[code].split("|")) for _ in range(count)]
        return [("user Nora", form.format(*draw.choices(words, k=4))) for form in forms]

    logs = {
        "logs/2026-04-19/words.jsonl": said("words", typed(count * 5 // 6)),
        "logs/2026-04-20/more.jsonl": said(
            "more", [*typed(count // 6), ("user Nora", "my boat is called Vesna")], day="2026-04-20"
        ),
    }
    root = vault_of(tmp_path / "vault", {"memoryclaw.yaml": ""})
    for now, (path, text) in zip((NIGHT, LATER), logs.items(), strict=True):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text, encoding="utf-8")
        consolidated(root, now)
    with App(root, clock=lambda: LATER) as app:
        assert app.search("what is the boat called?").matches
