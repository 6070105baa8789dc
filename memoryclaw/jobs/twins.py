"""Units that share an id, as happens in copied files, told apart: an answer never names two things alike."""

from __future__ import annotations

from collections.abc import Sequence

from memoryclaw.adapters.catalog import Brief


def told_apart(briefs: Sequence[Brief]) -> list[Brief]:
    """The same units, where two share an id all but the first by an id of their place, which `show` knows too."""
    if len({brief.id for brief in briefs}) == len(briefs):
        return list(briefs)
    taken: set[str] = set()
    renamed = {}
    for brief in sorted(briefs, key=lambda b: (b.path, b.seq)):
        id_, n = brief.id if brief.id not in taken else _place(brief), 1
        while id_ in taken:
            n += 1
            id_ = f"{_place(brief)}~{n}"
        taken.add(id_)
        renamed[brief.rowid] = brief._replace(id=id_)
    return [renamed[brief.rowid] for brief in briefs]


def _place(brief: Brief) -> str:
    below = brief.id.partition("#")[2]
    if brief.kind == "turn":
        return f"{brief.path}#L{brief.line}"
    return brief.path.removesuffix(".md") + (f"#{below}" if below else "")
